/* SPDX-License-Identifier: ISC */
/* Patterns: their matches, the refused ones, and that no pattern can stall. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "daemon/core/pattern.h"
#include "tap.h"

static struct pattern *compile(const char *text)
{
	char reason[256];
	struct pattern *pattern = pattern_new(text, strlen(text), reason, sizeof reason);
	if (pattern == NULL)
		diag("%s: %s", text, reason);
	return pattern;
}

static void check(const char *text, const char *subject, size_t len, enum pattern_result want,
    size_t from, size_t to)
{
	struct pattern *pattern = compile(text);
	struct pattern_match match = {0};
	enum pattern_result got;
	ok(pattern != NULL, "%s compiles", text);
	if (pattern == NULL)
		return;
	got = pattern_find(pattern, subject, len, 0, &match);
	is_int(got, want, "%s: found or not", text);
	if (got == PATTERN_MATCH && want == PATTERN_MATCH) {
		is_int((long long)match.spans[0].from, (long long)from, "%s: from", text);
		is_int((long long)match.spans[0].to, (long long)to, "%s: to", text);
	}
	pattern_free(pattern);
}

static void check_refused(const char *text, size_t len, const char *want)
{
	char reason[256] = "";
	struct pattern *pattern = pattern_new(text, len, reason, sizeof reason);
	ok(pattern == NULL, "refused: %.20s", text);
	ok(strstr(reason, want) != NULL, "because '%s' has '%s'", reason, want);
	pattern_free(pattern);
}

static void test_finding(void)
{
	check("b+", "aabbb", 5, PATTERN_MATCH, 2, 5);
	check("^b", "a\nb", 3, PATTERN_MATCH, 2, 3);
	check("a$", "a\nb", 3, PATTERN_MATCH, 0, 1);
	check("x", "abc", 3, PATTERN_NONE, 0, 0);
	check("\303\251.", "caf\303\251s", 6, PATTERN_MATCH, 3, 6);
	check("^.$", "\342\234\223", 3, PATTERN_MATCH, 0, 3);
	check("b", "\377a\200b", 4, PATTERN_MATCH, 3, 4);
	check("", "", 0, PATTERN_MATCH, 0, 0);
	check("a\\x00b", "xa\0b", 4, PATTERN_MATCH, 1, 4);
	/* The machine code of PCRE2 before 10.43 finds none of these. */
	check("^ \\S", " \342\227\217 x", 6, PATTERN_MATCH, 0, 4);
	check("x\\S+", "x\303\251\377", 4, PATTERN_MATCH, 0, 3);
	check("\\D$", "1\303\251", 3, PATTERN_MATCH, 1, 3);
	check("\\\\\\W", "\\\303\251", 3, PATTERN_MATCH, 0, 3);
	check("(*UCP)\\w+", "1\303\251 ", 4, PATTERN_MATCH, 0, 3);
	check("(*UCP)(*COMMIT)\\w\\b", "\303\251 ", 3, PATTERN_MATCH, 0, 2);
}

static void check_subject(const char *text, size_t len, const char *want)
{
	char *copy;
	const char *subject = pattern_subject(text, len, &copy);
	ok(memcmp(subject, want, len) == 0 && (copy == NULL) == (subject == text),
	    "bytes that are no UTF-8 can match: %s", want);
	mem_free(copy);
}

static void test_subject(void)
{
	check_subject("", 0, "");
	check_subject("caf\303\251 au lait", 13, "caf\303\251 au lait");
	check_subject("caf\351 au\377\n", 10, "caf\032 au\032\n");
	check_subject("\303\303\251\200\342\234", 6, "\032\303\251\032\342\234");
}

static void test_captures(void)
{
	struct pattern *pattern = compile("(a)|(b)(c)?");
	struct pattern_match match;
	char subject[101];
	char many[PATTERN_BYTES_MAX] = "";
	is_int(pattern_find(pattern, "xb", 2, 0, &match), PATTERN_MATCH, "an alternative");
	is_int((long long)match.count, 3, "captures up to the last that took part");
	ok(match.spans[1].from > match.spans[1].to, "a group that took no part");
	is_int((long long)match.spans[2].from, 1, "a group that did");
	is_int(pattern_find(pattern, "ab", 2, 1, &match), PATTERN_MATCH, "from a start");
	is_int((long long)match.spans[0].from, 1, "behind it");
	is_str(pattern_text(pattern), "(a)|(b)(c)?", "its text");
	pattern_free(pattern);

	for (int i = 0; i < 100; i++)
		strcat(many, "(x)");
	memset(subject, 'x', sizeof subject);
	pattern = compile(many);
	is_int(pattern_find(pattern, subject, 100, 0, &match), PATTERN_MATCH, "many captures");
	is_int((long long)match.count, PATTERN_SPANS_MAX, "are bounded");
	pattern_free(pattern);
}

static void test_refused(void)
{
	static const char *const wide[] = {"(?i)[\\x{0}-\\x{10ffff}]", "(?xi)[a - \\x{10FFFF}]",
	    "(?i:[!-\364\217\277\277])", "(?i)[!-\\N{U+10ffff}]", "(?^i)[!-\\o{4177777}]"};
	char *big, *nest;
	check_refused("a(b", 3, "offset 3");
	check_refused("(*UCP)a(b", 9, "offset 9");
	check_refused("\\C", 2, "offset 2");
	check_refused("x*\377", 3, "UTF-8");
	nest = calloc(1, 2001);
	memset(nest, '(', 1000);
	memset(nest + 1000, ')', 1000);
	check_refused(nest, 2000, "nested");
	free(nest);
	/* PCRE2 takes 5 ms for each of these ranges. */
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
		clock_t start = clock();
		char many[PATTERN_BYTES_MAX + 1] = "";
		for (size_t at = 0; at + strlen(wide[i]) < sizeof many; at += strlen(wide[i]))
			strcat(many, wide[i]);
		check_refused(many, strlen(many), "too wide");
		ok(clock() - start < CLOCKS_PER_SEC / 5, "at once");
	}
	check("(?i)[^\\x{80}-\\x{10ffff}]-\360\237\232\200", "\303\251a-\360\237\232\200", 8,
	    PATTERN_MATCH, 2, 8);
	big = malloc(PATTERN_BYTES_MAX + 1);
	memset(big, 'x', PATTERN_BYTES_MAX + 1);
	check_refused(big, PATTERN_BYTES_MAX + 1, "4096");
	free(big);
}

/* The calls of a search with one pattern share its time, and leave the time of others alone. */
static void test_many_calls(const char *subject, size_t len)
{
	struct pattern *slow = compile("(*NO_JIT)(?:(?:a|a){12}[bc])?a"), *quick = compile("a+!");
	enum pattern_result result = PATTERN_MATCH;
	size_t calls = 0;
	pattern_begin();
	for (; calls < len && result == PATTERN_MATCH; calls++) {
		result = pattern_find_on(slow, subject, len, calls, NULL);
		if (calls % 100 == 0 &&
		    pattern_find_on(quick, subject + len - 9, 9, 0, NULL) != PATTERN_MATCH)
			break;
	}
	is_int(result, PATTERN_LIMIT, "a search of many calls ends");
	ok(calls > 16 && calls < len / 2, "after %zu calls", calls);
	is_int(pattern_find_on(slow, "a", 1, 0, NULL), PATTERN_LIMIT, "and is over");
	is_int(pattern_find_on(quick, "aa!", 3, 0, NULL), PATTERN_MATCH, "but not for others");
	pattern_begin();
	is_int(
	    pattern_find_on(slow, "a", 1, 0, NULL), PATTERN_MATCH, "the next search has new time");
	pattern_free(slow);
	pattern_free(quick);
}

static void test_hostile(void)
{
	static const char *const patterns[] = {"(a+)+$", "(a|a)*b", "(?:a?){64}a{64}b", "(.*)*x",
	    "^(([a-z])+.)+[A-Z]([a-z])+$", "(?=(a+))*b", "(a(?1)?b)*c", "((a*)*)*b",
	    "(?:a|a){12}[bc]", "(*NO_JIT)(?:a|a){12}[bc]", "(*UCP)(?:a|a){12}[bc]"};
	char *subject = malloc(100001);
	struct pattern *pattern;
	memset(subject, 'a', 100000);
	subject[100000] = '!';
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
		clock_t start, took_ms;
		enum pattern_result result;
		pattern = compile(patterns[i]);
		if (pattern == NULL)
			continue;
		start = clock();
		result = pattern_find(pattern, subject, 100001, 0, NULL);
		took_ms = (clock() - start) / (CLOCKS_PER_SEC / 1000);
		ok(took_ms < 1000, "%s gives up after %d ms (%d)", patterns[i], (int)took_ms,
		    result);
		ok(result != PATTERN_MATCH, "and does not report a match");
		pattern_free(pattern);
	}
	pattern = compile("(a+)+$");
	is_int(
	    pattern_find(pattern, subject, 40, 0, NULL), PATTERN_MATCH, "the same pattern works");
	is_int(pattern_find(pattern, subject, 100001, 0, NULL), PATTERN_LIMIT, "or says limit");
	pattern_free(pattern);
	test_many_calls(subject, 100001);
	free(subject);
}

/* The JIT gets no more memory, since the process may not make any executable. */
static _Noreturn void run_without_code(void)
{
	char *subject = malloc(100001);
	struct pattern *pattern = compile("first");
	clock_t start;
	memset(subject, 'a', 100001);
	if (prctl(65, 1, 0, 0, 0) < 0) /* PR_SET_MDWE, since Linux 6.3 */
		_exit(2);
	for (int i = 0; i < 200; i++) {
		pattern = compile("(?:a|a){12}[bc]");
		(void)pattern_find(pattern, "a", 1, 0, NULL);
	}
	start = clock();
	(void)pattern_find(pattern, subject, 100001, 0, NULL);
	_exit((clock() - start) / CLOCKS_PER_SEC >= 1);
}

static void test_without_code(void)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		run_without_code();
	(void)waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip("no PR_SET_MDWE");
	else
		is_int(status, 0, "a pattern that the JIT cannot compile gives up in time too");
}

/* Words that a pattern may begin with. */
static void test_verbs(void)
{
	static const char *const verbs[] = {"(*NO_JIT)", "(*NOTEMPTY)", "(*UTF)", "(*UCP)",
	    "(*NO_START_OPT)", "(*CRLF)", "(*BSR_ANYCRLF)", "(*LIMIT_MATCH=1000)",
	    "(*LIMIT_DEPTH=1000)", "(*LIMIT_HEAP=1000)", "(*NO_AUTO_POSSESS)",
	    "(*NO_DOTSTAR_ANCHOR)", "(*NOTEMPTY_ATSTART)", "(*COMMIT)", "(*ANY)"};
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		char text[64];
		struct pattern *pattern;
		(void)snprintf(text, sizeof text, "%sb*c|^b", verbs[i]);
		pattern = compile(text);
		if (pattern == NULL)
			continue;
		is_int(pattern_find(pattern, "bbc", 3, 0, NULL), PATTERN_MATCH, "%s matches", text);
		is_int(pattern_find(pattern, "xx", 2, 0, NULL), PATTERN_NONE, "or not");
		pattern_free(pattern);
		(void)snprintf(text, sizeof text, "%sb*", verbs[i]);
		pattern = compile(text);
		is_int(pattern_find(pattern, "xx", 2, 0, NULL),
		    strcmp(verbs[i], "(*NOTEMPTY)") == 0 ? PATTERN_NONE : PATTERN_MATCH,
		    "%s: an empty match", text);
		pattern_free(pattern);
	}
}

int main(void)
{
	test_without_code();
	test_verbs();
	test_finding();
	test_subject();
	test_captures();
	test_refused();
	test_hostile();
	return done_testing();
}
