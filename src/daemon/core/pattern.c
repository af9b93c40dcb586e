/* SPDX-License-Identifier: ISC */
/* Regular expressions. The only file that knows PCRE2. */
#include "daemon/core/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Measured: these limits end a hostile pattern within milliseconds; normal ones stay far below. */
#define MATCH_LIMIT 100000
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT_KIB 4096
#define PARENS_NEST_LIMIT 100
#define JIT_STACK_FIRST_BYTES (32 * 1024)
#define JIT_STACK_MAX_BYTES (512 * 1024)

struct pattern {
	pcre2_code *code;
	bool is_tried; /* the JIT was tried, or must not be used */
	bool has_jit; /* the JIT has compiled it */
	char *text;
};

/* Made with the first pattern and shared by all patterns: only one thread uses them. */
static struct {
	pcre2_compile_context *compile;
	pcre2_match_context *match;
	pcre2_match_data *places; /* the spans of the last match */
	pcre2_jit_stack *stack;
	bool is_blind;
} shared;

/* MATCH_INVALID_UTF implies UTF and checks each subject once. */
static const uint32_t options =
    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_MULTILINE;

/*
 * Returns true if the machine code of PCRE2 fails to match characters above ASCII by \S, \D and \W
 * in text that may be invalid: a fault of PCRE2 before 10.43.
 */
static bool is_jit_blind(void)
{
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code =
	    pcre2_compile((PCRE2_SPTR) "\\S", 2, options, &error, &offset, shared.compile);
	bool is_blind = code != NULL && pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0 &&
	    pcre2_jit_match(code, (PCRE2_SPTR) "\xc3\xa9", 2, 0, 0, shared.places, shared.match) <
		0;
	pcre2_code_free(code);
	return is_blind;
}

static bool has_negated_escape(const char *text, size_t len)
{
	for (size_t at = 0; at + 1 < len; at++)
		if (text[at] == '\\' && strchr("SDW", text[++at]) != NULL)
			return true;
	return false;
}

static void make_shared(void)
{
	if (shared.match != NULL)
		return;
	shared.compile = pcre2_compile_context_create(NULL);
	shared.match = pcre2_match_context_create(NULL);
	shared.places = pcre2_match_data_create(PATTERN_SPANS_MAX, NULL);
	shared.stack = pcre2_jit_stack_create(JIT_STACK_FIRST_BYTES, JIT_STACK_MAX_BYTES, NULL);
	if (shared.compile == NULL || shared.match == NULL || shared.places == NULL ||
	    shared.stack == NULL) {
		log_error("out of memory for regular expressions");
		abort();
	}
	pcre2_set_max_pattern_length(shared.compile, PATTERN_BYTES_MAX);
	pcre2_set_parens_nest_limit(shared.compile, PARENS_NEST_LIMIT);
	pcre2_set_match_limit(shared.match, MATCH_LIMIT);
	pcre2_set_depth_limit(shared.match, DEPTH_LIMIT);
	pcre2_set_heap_limit(shared.match, HEAP_LIMIT_KIB);
	pcre2_jit_stack_assign(shared.match, NULL, shared.stack);
	shared.is_blind = is_jit_blind();
}

struct pattern *pattern_new(const char *text, size_t len, char *ret_reason, size_t reason_size)
{
	struct pattern *pattern;
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code;
	if (len > PATTERN_BYTES_MAX) {
		snprintf(ret_reason, reason_size,
		    "the pattern has %zu bytes; at most %d are allowed", len, PATTERN_BYTES_MAX);
		return NULL;
	}
	make_shared();
	code = pcre2_compile((PCRE2_SPTR)text, len, options, &error, &offset, shared.compile);
	if (code == NULL) {
		PCRE2_UCHAR words[160] = "";
		pcre2_get_error_message(error, words, sizeof words);
		snprintf(ret_reason, reason_size, "%s at offset %zu", (char *)words, offset);
		return NULL;
	}
	pattern = xalloc(sizeof *pattern);
	*pattern = (struct pattern){
	    .code = code,
	    /* Machine code ignores (*NO_JIT) and (*NOTEMPTY), so such patterns are interpreted. */
	    .is_tried =
		strncmp(text, "(*", 2) == 0 || (shared.is_blind && has_negated_escape(text, len)),
	    .text = xmemdup(text, len),
	};
	return pattern;
}

void pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_code_free(pattern->code);
	mem_free(pattern->text);
	mem_free(pattern);
}

const char *pattern_text(const struct pattern *pattern)
{
	return pattern->text;
}

const char *pattern_capture_name(const struct pattern *pattern, size_t capture)
{
	PCRE2_SPTR entry;
	uint32_t count;
	uint32_t size;
	if (pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMECOUNT, &count) != 0 ||
	    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMEENTRYSIZE, &size) != 0 ||
	    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMETABLE, &entry) != 0)
		return NULL;
	for (; count > 0; count--, entry += size)
		if ((size_t)(entry[0] << 8 | entry[1]) == capture)
			return (const char *)entry + 2;
	return NULL;
}

static void take_spans(int count, struct pattern_match *ret_match)
{
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(shared.places);
	ret_match->count = count > 0 ? (size_t)count : PATTERN_SPANS_MAX;
	for (size_t i = 0; i < ret_match->count; i++) {
		ret_match->spans[i] = (struct pattern_span){places[2 * i], places[2 * i + 1]};
		if (places[2 * i] == PCRE2_UNSET)
			ret_match->spans[i] = (struct pattern_span){.from = 1, .to = 0};
	}
}

enum pattern_result pattern_find(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match)
{
	const void *subject = len > 0 ? bytes : "";
	int count;
	/*
	 * Machine code is compiled at the first use: it takes most of the memory of a pattern, and
	 * many patterns are never used. Without a JIT the interpreter runs, under the same limits.
	 */
	if (!pattern->is_tried)
		pattern->has_jit = pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE) == 0;
	pattern->is_tried = true;
	/*
	 * This call omits the check for valid UTF-8, since the machine code handles invalid UTF-8.
	 */
	count = pattern->has_jit
	    ? pcre2_jit_match(pattern->code, subject, len, start, 0, shared.places, shared.match)
	    : pcre2_match(pattern->code, subject, len, start, 0, shared.places, shared.match);
	if (count == PCRE2_ERROR_NOMATCH)
		return PATTERN_NONE;
	if (count < 0)
		return PATTERN_LIMIT;
	if (ret_match != NULL)
		take_spans(count, ret_match);
	return PATTERN_MATCH;
}

const char *pattern_subject(const char *text, size_t len, char **ret_copy)
{
	size_t end = len - utf8_incomplete_tail(text, len);
	size_t at = utf8_valid_prefix(text, end);
	*ret_copy = NULL;
	if (at == end)
		return text;
	*ret_copy = xmemdup(text, len);
	for (; at < end; at += 1 + utf8_valid_prefix(text + at + 1, end - at - 1))
		(*ret_copy)[at] = '\x1a'; /* SUB */
	return *ret_copy;
}
