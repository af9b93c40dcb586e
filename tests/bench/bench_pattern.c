/* SPDX-License-Identifier: ISC */
/*
 * Looking for patterns in logs (G11): the watcher's way, block by block, against pcre2's JIT
 * line by line, and against RE2::Set, on the same text in turns.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <fcntl.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "bench.h"
#include "daemon/core/pattern.h"
#include "daemon/core/pattern_set.h"

enum {
	TEXT_BYTES = 8 * 1024 * 1024,
	BLOCK_BYTES = 64 * 1024,
	ROUNDS = 5,
	MANY = 100,
	MANY_MAX = 1000,
	REGEX_SIZE = 64
};

static void add_literals(struct buf *out, unsigned i, unsigned state);

static struct buf text;

static void make_text(void)
{
	static const char *const levels[] = {"INFO", "DEBUG", "INFO", "WARN", "INFO", "ERROR"};
	unsigned state = 1;
	buf_init(&text, TEXT_BYTES + 4096);
	for (int i = 0; text.len < TEXT_BYTES; i++) {
		state = state * 1103515245 + 12345;
		(void)buf_printf(&text,
		    "2026-11-21T02:15:%02d.%03u %s worker-%u: request %u done in %u ms status=%u\n",
		    i % 60, state >> 22, levels[state >> 16 & 3 ? 0 : state >> 18 & 3], state >> 28,
		    state >> 8, state >> 20 & 1023, 200 + (state >> 24 & 3) * 100);
		add_literals(&text, (unsigned)i, state);
	}
}

/* The end of a block of whole lines. */
static size_t block_end(size_t at)
{
	size_t end = at + BLOCK_BYTES < text.len ? at + BLOCK_BYTES : text.len;
	while (end < text.len && text.data[end - 1] != '\n')
		end++;
	return end;
}

/* Lines that match, as a watch finds them. */
static size_t ours(struct line_matcher *matcher)
{
	size_t found = 0;
	for (size_t at = 0; at < text.len;) {
		size_t end = block_end(at);
		struct matched_line line;
		const char *block;
		block = (const char *)text.data + at;
		pattern_begin();
		for (size_t from = 0;
		     line_match(matcher, block, end - at, from, &line) == PATTERN_MATCH;
		     from = line.after)
			found++;
		at = end;
	}
	return found;
}

/* The same line by line, with the plainest use of the JIT. */
static size_t theirs(pcre2_code *code, pcre2_match_data *data)
{
	size_t found = 0;
	const uint8_t *end = text.data + text.len;
	for (const uint8_t *line = text.data; line < end;) {
		const uint8_t *stop = memchr(line, '\n', (size_t)(end - line));
		found += pcre2_match(code, line, (size_t)(stop - line), 0, PCRE2_NO_UTF_CHECK, data,
			     NULL) > 0;
		line = stop + 1;
	}
	return found;
}

/* The cost of one pattern in our way, in ns; the ratio to the plain way goes to *ret_ratio. */
static void bench_one(const char *regex, const char *row)
{
	double ratios[ROUNDS], ours_ms[ROUNDS], theirs_ms[ROUNDS];
	char reason[256];
	struct line_matcher matcher;
	struct pattern *pattern = pattern_new(regex, strlen(regex), reason, sizeof reason);
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code = pcre2_compile(
	    (PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
	pcre2_match_data *data;
	if (pattern == NULL || code == NULL)
		live_bail("%s: %s", regex, reason);
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	data = pcre2_match_data_create_from_pattern(code, NULL);
	line_matcher_init(&matcher, pattern);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t start_ns = live_now_ns();
		size_t found = ours(&matcher);
		int64_t middle_ns = live_now_ns();
		if (theirs(code, data) != found)
			live_bail("%s: other lines are found", regex);
		theirs_ms[i] = (double)(live_now_ns() - middle_ns) / 1e6;
		ours_ms[i] = (double)(middle_ns - start_ns) / 1e6;
		ratios[i] = ours_ms[i] / theirs_ms[i];
	}
	bench_rounds(row, ratios, ROUNDS, "x", "%s: %.2f against %.2f ms a MB", regex,
	    bench_median(ours_ms, ROUNDS) / 8, bench_median(theirs_ms, ROUNDS) / 8);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
	pattern_free(pattern);
}

/* Many patterns at once. */

static struct {
	struct pattern_member member;
	pcre2_code *code;
} many[MANY_MAX];
static struct pattern_set set;

/* Patterns as people write them, and lines with their literals: with a number in the middle. */
static const struct {
	const char *before;
	const char *regex;
	const char *hit;
	const char *miss;
} forms[] = {
    {"worker-", " .*timeout (\\d+)", " has a timeout 30", " is idle"},
    {"ERROR at disk", "", " of two", "/ is of another disk"},
    {"host", "\\.example\\.com refused", ".example.com refused", ".example.com accepted"},
    {"job ", " (?:failed|killed)", " failed", " is done"},
    {"user_", ".*denied$", " was denied", " logged in"},
};
#define FORMS (sizeof forms / sizeof *forms)

static void many_regex(int i, char regex[REGEX_SIZE])
{
	(void)snprintf(regex, REGEX_SIZE, "%s%03d%s", forms[(size_t)i % FORMS].before, i,
	    forms[(size_t)i % FORMS].regex);
}

/* One line in twenty has the literal of a pattern, and one in two hundred matches a pattern. */
static void add_literals(struct buf *out, unsigned i, unsigned state)
{
	unsigned which = (state >> 8) % MANY;
	if (i % 20 != 0)
		return;
	(void)buf_printf(out, "2026-11-21T02:15:%02u %s%03u%s\n", i % 60,
	    forms[which % FORMS].before, which,
	    i % 200 == 0 ? forms[which % FORMS].hit : forms[which % FORMS].miss);
}

static void many_add(int from, int to)
{
	char regex[REGEX_SIZE], reason[256];
	int error;
	PCRE2_SIZE offset;
	for (int i = from; i < to; i++) {
		many_regex(i, regex);
		pattern_set_add(&set, &many[i].member,
		    pattern_new(regex, strlen(regex), reason, sizeof reason));
		many[i].code = pcre2_compile(
		    (PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
		(void)pcre2_jit_compile(many[i].code, PCRE2_JIT_COMPLETE);
	}
}

static bool count_one(void *data, struct pattern_member *member, enum pattern_result result,
    const struct matched_line *line)
{
	(void)member;
	(void)line;
	*(size_t *)data += result == PATTERN_MATCH;
	return true;
}

/* The lines that the set finds; the time goes to *ret_ns. */
static size_t ours_many(double *ret_ns)
{
	int64_t start_ns = live_now_ns();
	size_t found = 0;
	for (size_t at = 0; at < text.len;) {
		size_t end = block_end(at);
		pattern_set_find(&set, (const char *)text.data + at, end - at, count_one, &found);
		at = end;
	}
	*ret_ns = (double)(live_now_ns() - start_ns);
	return found;
}

static size_t theirs_many(double *ret_ns)
{
	pcre2_match_data *data = pcre2_match_data_create(4, NULL);
	int64_t start_ns = live_now_ns();
	size_t found = 0;
	for (int i = 0; i < MANY; i++)
		found += theirs(many[i].code, data);
	*ret_ns = (double)(live_now_ns() - start_ns);
	pcre2_match_data_free(data);
	return found;
}

/* RE2::Set in a program of its own, as C++ is not everywhere. */
struct re2 {
	char dir[40];
	FILE *to;
	FILE *from;
	pid_t pid;
};

static void write_file(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "w");
	if (file == NULL || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
		live_bail("%s cannot be written", path);
}

static void re2_spawn(struct re2 *re2, const char *program, const char *patterns, const char *path)
{
	int in[2], out[2];
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		live_bail("no pipe");
	re2->pid = fork();
	if (re2->pid == 0) {
		(void)dup2(in[0], STDIN_FILENO);
		(void)dup2(out[1], STDOUT_FILENO);
		(void)execl(program, program, patterns, path, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	re2->to = fdopen(in[1], "w");
	re2->from = fdopen(out[0], "r");
}

/* False: there is no C++ compiler, or no RE2. */
static bool re2_start(struct re2 *re2)
{
	char program[64], patterns[64], path[64], command[600], regex[REGEX_SIZE];
	const char *srcdir = getenv("MUXBUS_SRCDIR") != NULL ? getenv("MUXBUS_SRCDIR") : ".";
	struct buf list;
	*re2 = (struct re2){.dir = "/tmp/muxbus-re2-XXXXXX"};
	if (!mkdtemp(re2->dir))
		live_bail("no directory");
	(void)snprintf(program, sizeof program, "%s/re2_set", re2->dir);
	(void)snprintf(patterns, sizeof patterns, "%s/patterns", re2->dir);
	(void)snprintf(path, sizeof path, "%s/text", re2->dir);
	(void)snprintf(command, sizeof command,
	    "${CXX:-c++} -O2 -o '%s' '%s/tests/bench/re2_set.cc' -lre2 2>/dev/null", program,
	    srcdir);
	if (system(command) != 0)
		return false;
	buf_init(&list, MANY * REGEX_SIZE);
	for (int i = 0; i < MANY; i++) {
		many_regex(i, regex);
		(void)buf_printf(&list, "%s\n", regex);
	}
	write_file(patterns, list.data, list.len);
	write_file(path, text.data, text.len);
	buf_finish(&list);
	re2_spawn(re2, program, patterns, path);
	return true;
}

static size_t re2_run(struct re2 *re2, double *ret_ns)
{
	size_t found = 0;
	if (fputc('.', re2->to) == EOF || fflush(re2->to) != 0 ||
	    fscanf(re2->from, "%lf %zu", ret_ns, &found) != 2)
		live_bail("re2_set has ended");
	return found;
}

static void re2_stop(struct re2 *re2)
{
	static const char *const names[] = {"re2_set", "patterns", "text"};
	char path[64];
	if (re2->pid > 0) {
		(void)fclose(re2->to);
		(void)fclose(re2->from);
		(void)waitpid(re2->pid, NULL, 0);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", re2->dir, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(re2->dir);
}

static double ms_per_mb(double *ns, int count)
{
	return bench_median(ns, (size_t)count) / 1e6 / (TEXT_BYTES / 1048576);
}

/* 100 patterns against as many passes of the JIT, and against RE2::Set. */
static void bench_many(void)
{
	double jit[ROUNDS], re2_ratio[ROUNDS], our_ns[ROUNDS], jit_ns[ROUNDS], re2_ns[ROUNDS];
	struct re2 re2;
	bool has_re2 = re2_start(&re2);
	for (int i = 0; i < ROUNDS; i++) {
		size_t found = ours_many(&our_ns[i]);
		if (theirs_many(&jit_ns[i]) != found)
			live_bail("a set finds other lines than its patterns");
		jit[i] = jit_ns[i] / our_ns[i];
		if (!has_re2)
			continue;
		if (re2_run(&re2, &re2_ns[i]) != found)
			live_bail("RE2::Set finds other lines");
		re2_ratio[i] = our_ns[i] / re2_ns[i];
	}
	re2_stop(&re2);
	bench_rounds("pattern_100", jit, ROUNDS, "x", "%d patterns: %.2f against %.2f ms a MB",
	    MANY, ms_per_mb(our_ns, ROUNDS), ms_per_mb(jit_ns, ROUNDS));
	if (has_re2)
		bench_rounds("pattern_100_re2", re2_ratio, ROUNDS, "x",
		    "%d patterns: %.2f against %.2f ms a MB", MANY, ms_per_mb(our_ns, ROUNDS),
		    ms_per_mb(re2_ns, ROUNDS));
	else
		printf("# pattern_100_re2: no C++ compiler, or no RE2\n");
}

/* The cost of 1,000 patterns against that of 100. */
static void bench_growth(void)
{
	double hundred_ns[ROUNDS], thousand_ns[ROUNDS], ratios[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		(void)ours_many(&hundred_ns[i]);
		many_add(MANY, MANY_MAX);
		pattern_set_find(&set, "", 0, count_one, NULL);
		(void)ours_many(&thousand_ns[i]);
		for (int p = MANY; p < MANY_MAX; p++) {
			struct pattern *pattern = many[p].member.matcher.pattern;
			pattern_set_remove(&set, &many[p].member);
			pattern_free(pattern);
			pcre2_code_free(many[p].code);
		}
		pattern_set_find(&set, "", 0, count_one, NULL);
		ratios[i] = thousand_ns[i] / hundred_ns[i];
	}
	bench_rounds("pattern_1000", ratios, ROUNDS, "x", "%d patterns: %.2f ms a MB; 100: %.2f",
	    MANY_MAX, ms_per_mb(thousand_ns, ROUNDS), ms_per_mb(hundred_ns, ROUNDS));
}

int main(void)
{
	make_text();
	bench_one("status=(\\d{3}) *$", "pattern_regex");
	bench_one("\\b(?:error|fatal|panic|exception)\\b", "pattern_words");
	bench_one("OutOfMemory", "pattern_literal");
	pattern_set_init(&set);
	many_add(0, MANY);
	bench_many();
	bench_growth();
	buf_finish(&text);
	return 0;
}
