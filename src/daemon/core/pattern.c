/* SPDX-License-Identifier: ISC */
#include "daemon/core/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <time.h>

/*
 * Limits of PCRE2 for one place where a match may begin. Measured: they end a hostile pattern
 * within milliseconds, and normal patterns stay far below.
 */
#define MATCH_LIMIT 100000 /* steps */
#define QUICK_LIMIT 500 /* steps of the first try, which needs no clock */
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT_KIB 4096
#define PARENS_NEST_LIMIT 100
/* maximum processor time of a pattern in one search, in microseconds */
#define SEARCH_US_MAX 50000
/* The clock is read once in so many places, calls of machine code (JIT), or searches. */
#define PLACES_UNTIMED 16
#define CALLS_UNTIMED 4
#define SEARCHES_UNTIMED 64
#define CALL_PLACES 64 /* places that one call of machine code tries */
#define RANGES_MAX (2 * 0x110000) /* maximum characters in all ranges of a pattern with (?i) */
#define PLACE_CALL "(?C)" /* makes the interpreter call on_place() at each place */
#define JIT_STACK_FIRST_BYTES (32 * 1024)
#define JIT_STACK_MAX_BYTES (512 * 1024)

struct pattern {
	pcre2_code *code;
	bool is_tried; /* machine code was made, failed, or must not be used */
	bool has_jit;
	bool may_be_slow; /* the match at one place may take many steps */
	char *text;
	uint64_t search; /* number of the search that spent_us belongs to */
	int64_t spent_us; /* processor time */
};

/* Shared by all patterns, which one thread uses; made with the first pattern. */
static struct {
	pcre2_compile_context *compile;
	pcre2_match_context *match;
	pcre2_match_data *places; /* the spans of the last match */
	pcre2_jit_stack *stack;
	bool has_jit;
	bool is_blind; /* the JIT has the fault that try_jit() looks for */
	uint64_t search; /* number of the present search */
	struct pattern *timed; /* the pattern that runs, or ran last in this search */
	int64_t since_us; /* processor time up to which patterns are charged; 0: not read yet */
	long tick_ns; /* the coarse clock when it was last read */
	unsigned tries; /* calls of is_over(), to decide when the clock is read */
} shared;

/* Charges the timed pattern with the processor time since the last call; times next from now on. */
static void spend(struct pattern *next)
{
	struct timespec cpu;
	int64_t now_us;
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	now_us = (int64_t)cpu.tv_sec * 1000000 + cpu.tv_nsec / 1000;
	if (shared.timed != NULL && shared.since_us > 0)
		shared.timed->spent_us += now_us - shared.since_us;
	shared.timed = next;
	shared.since_us = now_us;
}

/*
 * Returns true if the pattern has used up its time in this search. Reading the processor time is
 * slow (300 ns). The coarse clock is fast (7 ns) and advances every few milliseconds, so the
 * processor time is read only after the coarse clock has advanced.
 */
static bool is_over(struct pattern *pattern, unsigned untimed)
{
	if (++shared.tries % untimed == 0) {
		struct timespec tick;
		(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &tick);
		if (tick.tv_nsec != shared.tick_ns)
			spend(pattern);
		shared.tick_ns = tick.tv_nsec;
	}
	return pattern->spent_us >= SEARCH_US_MAX;
}

static int on_place(pcre2_callout_block *block UNUSED, void *data UNUSED)
{
	return is_over(shared.timed, PLACES_UNTIMED) ? PCRE2_ERROR_CALLOUT : 0;
}

/* With PCRE2_MATCH_INVALID_UTF, invalid UTF-8 in a subject matches nothing, and is no error. */
static const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
    PCRE2_MULTILINE | PCRE2_USE_OFFSET_LIMIT;

/*
 * Tests whether PCRE2 has a JIT, and whether it has a fault of versions before 10.43: in their
 * machine code, \S, \D and \W do not match characters above ASCII.
 */
static void try_jit(void)
{
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code =
	    pcre2_compile((PCRE2_SPTR) "\\S", 2, options, &error, &offset, shared.compile);
	shared.has_jit = code != NULL && pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
	shared.is_blind = shared.has_jit &&
	    pcre2_jit_match(code, (PCRE2_SPTR) "\xc3\xa9", 2, 0, 0, shared.places, shared.match) <
		0;
	pcre2_code_free(code);
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
	pcre2_set_callout(shared.match, on_place, NULL);
	pcre2_set_parens_nest_limit(shared.compile, PARENS_NEST_LIMIT);
	pcre2_set_match_limit(shared.match, QUICK_LIMIT);
	pcre2_set_depth_limit(shared.match, DEPTH_LIMIT);
	pcre2_set_heap_limit(shared.match, HEAP_LIMIT_KIB);
	pcre2_jit_stack_assign(shared.match, NULL, shared.stack);
	try_jit();
}

static size_t settings_len(const char *text)
{
	const char *at = text;
	while (strncmp(at, "(*", 2) == 0) {
		size_t len = strspn(at + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_=0123456789");
		char begin[3] = {at[2], at[2] != '\0' ? at[3] : '\0', '\0'};
		if (len < 2 || at[2 + len] != ')' ||
		    strstr("UT UC NO LI CR LF AN NU BS", begin) == NULL)
			break;
		at += len + 3;
	}
	return (size_t)(at - text);
}

/*
 * Compiles the text. If machine code is ruled out (is_tried), puts PLACE_CALL in front, so that the
 * interpreter calls on_place(), which keeps the time limit. Returns NULL with a reason on failure.
 */
static pcre2_code *compile(
    const struct pattern *pattern, size_t len, char *ret_reason, size_t reason_size)
{
	char timed[PATTERN_BYTES_MAX + sizeof PLACE_CALL];
	size_t settings = settings_len(pattern->text);
	size_t added = pattern->is_tried ? strlen(PLACE_CALL) : 0;
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code;
	memcpy(timed, pattern->text, settings);
	memcpy(timed + settings, PLACE_CALL, added);
	memcpy(timed + settings + added, pattern->text + settings, len - settings);
	code =
	    pcre2_compile((PCRE2_SPTR)timed, len + added, options, &error, &offset, shared.compile);
	if (code == NULL) {
		PCRE2_UCHAR words[160] = "";
		pcre2_get_error_message(error, words, sizeof words);
		snprintf(ret_reason, reason_size, "%s at offset %zu", (char *)words,
		    offset > settings ? offset - added : offset);
	}
	return code;
}

/*
 * Returns true if the ranges of a pattern, such as "(?i)[!-\x{ffff}]", have too many characters
 * (RANGES_MAX), since PCRE2 looks at each of them. The count is an upper estimate: a range counts
 * as all characters up to its end, and any character behind a "-" may count as such an end.
 */
static bool has_wide_ranges(const char *text, size_t len)
{
	bool ignores_case = false, is_range = false;
	size_t sum = 0;
	for (size_t at = 0; at < len; at++) {
		const char *c = text + at;
		uint32_t end = 0;
		if (c[0] == '(' && c[1] == '?' &&
		    memchr(c + 2, 'i', strspn(c + 2, "abcdefghijklmnopqrstuvwxyzJUP^-")) != NULL)
			ignores_case = true;
		if (*c == '-')
			is_range = true;
		else if (*c == '{')
			end = (uint32_t)strtoul(c + 1 + strspn(c + 1, " U+"), NULL, 16);
		else if ((uint8_t)*c >= 0xc0)
			(void)utf8_decode(c, len - at, &end);
		if (!is_range || end < 0x80)
			continue;
		is_range = false;
		sum += end < 0x110000 ? end : 0x110000;
	}
	return ignores_case && sum > RANGES_MAX;
}

struct pattern *pattern_new(const char *text, size_t len, char *ret_reason, size_t reason_size)
{
	struct pattern *pattern;
	if (len > PATTERN_BYTES_MAX) {
		snprintf(ret_reason, reason_size,
		    "the pattern has %zu bytes; at most %d are allowed", len, PATTERN_BYTES_MAX);
		return NULL;
	}
	make_shared();
	pattern = xalloc(sizeof *pattern);
	*pattern = (struct pattern){.text = xmemdup(text, len)};
	/* Machine code ignores settings such as (*NO_JIT), so they make a pattern interpreted. */
	pattern->is_tried = !shared.has_jit ||
	    strncmp(text + (strncmp(text, "(*UCP)", 6) == 0 ? 6 : 0), "(*", 2) == 0 ||
	    (shared.is_blind && has_negated_escape(text, len));
	/* run_parts() searches in parts, but \G would match at the start of each part. */
	pattern->may_be_slow =
	    strpbrk(pattern->text, "*+?{(") != NULL && strstr(pattern->text, "\\G") == NULL;
	if (has_wide_ranges(pattern->text, len))
		snprintf(ret_reason, reason_size, "the ranges of characters are too wide for (?i)");
	else if ((pattern->code = compile(pattern, len, ret_reason, reason_size)) != NULL)
		return pattern;
	pattern_free(pattern);
	return NULL;
}

void pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	if (shared.timed == pattern)
		shared.timed = NULL;
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

/* Runs the machine code. It handles invalid UTF-8, so the subject need not be checked. */
static int call_jit(const struct pattern *pattern, const char *subject, size_t len, size_t start)
{
	return pcre2_jit_match(
	    pattern->code, (PCRE2_SPTR)subject, len, start, 0, shared.places, shared.match);
}

/* Tries all places with machine code. If a pattern may be slow, a call tries CALL_PLACES. */
static int run_parts(struct pattern *pattern, const char *subject, size_t len, size_t start)
{
	for (;;) {
		size_t limit = pattern->may_be_slow ? start + CALL_PLACES : len;
		int count;
		pcre2_set_offset_limit(shared.match, limit < len ? limit : PCRE2_UNSET);
		count = call_jit(pattern, subject, len, start);
		if (count != PCRE2_ERROR_NOMATCH || limit >= len)
			return count;
		if (is_over(pattern, CALLS_UNTIMED))
			return PCRE2_ERROR_MATCHLIMIT;
		for (start = limit + 1; start < len && (subject[start] & 0xc0) == 0x80;)
			start++;
	}
}

/*
 * Finds a match. Machine code first tries all places with QUICK_LIMIT steps each. If a place needs
 * more, or without machine code, all places get MATCH_LIMIT steps.
 */
static int run(struct pattern *pattern, const char *subject, size_t len, size_t start)
{
	int count = PCRE2_ERROR_MATCHLIMIT;
	if (pattern->has_jit)
		count = call_jit(pattern, subject, len, start);
	if (count != PCRE2_ERROR_MATCHLIMIT)
		return count;
	pcre2_set_match_limit(shared.match, MATCH_LIMIT);
	count = pattern->has_jit ? run_parts(pattern, subject, len, start)
				 : pcre2_match(pattern->code, (PCRE2_SPTR)subject, len, start, 0,
				       shared.places, shared.match);
	pcre2_set_offset_limit(shared.match, PCRE2_UNSET);
	pcre2_set_match_limit(shared.match, QUICK_LIMIT);
	return count;
}

/* Makes the machine code: not before the first use, since it takes most of a pattern's memory. */
static void try_pattern(struct pattern *pattern)
{
	char reason[160];
	pcre2_code *code;
	pattern->is_tried = true;
	pattern->has_jit = pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE) == 0;
	if (pattern->has_jit ||
	    (code = compile(pattern, strlen(pattern->text), reason, sizeof reason)) == NULL)
		return;
	pcre2_code_free(pattern->code);
	pattern->code = code;
}

void pattern_begin(void)
{
	shared.search++;
	shared.timed = NULL;
	shared.since_us = 0;
}

enum pattern_result pattern_find(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match)
{
	pattern_begin();
	return pattern_find_on(pattern, bytes, len, start, ret_match);
}

enum pattern_result pattern_find_on(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match)
{
	const void *subject = len > 0 ? bytes : "";
	int count;
	if (pattern->search != shared.search) {
		pattern->search = shared.search;
		pattern->spent_us = 0;
	}
	if (shared.timed != pattern && shared.since_us > 0)
		spend(pattern);
	shared.timed = pattern;
	if (pattern->spent_us >= SEARCH_US_MAX ||
	    (pattern->may_be_slow && is_over(pattern, SEARCHES_UNTIMED)))
		return PATTERN_LIMIT;
	if (!pattern->is_tried)
		try_pattern(pattern);
	count = run(pattern, subject, len, start);
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
