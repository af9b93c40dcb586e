/* SPDX-License-Identifier: ISC */
/* A set of patterns finds the lines that each of its patterns finds alone. */
#include "daemon/core/pattern_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tap.h"

enum { MEMBERS_MAX = 1000, FOUND_SIZE = 4096, TEXT_SIZE = 1200 };

/* A member, with what the set found for it, as text. */
struct watcher {
	struct pattern_member member;
	struct pattern *pattern;
	char found[FOUND_SIZE];
	size_t len;
	size_t wanted; /* lines that the watcher still wants */
};

static struct watcher watchers[MEMBERS_MAX];
static struct pattern_set set;
static unsigned differ;

static void note(
    struct watcher *watcher, enum pattern_result result, const struct matched_line *line)
{
	watcher->len += (size_t)snprintf(watcher->found + watcher->len,
	    sizeof watcher->found - watcher->len, "%d:%zu-%zu@%zu ", (int)result, line->start,
	    line->end, result == PATTERN_MATCH ? line->match.spans[0].from : 0);
	watcher->wanted--;
}

static bool on_found(void *data, struct pattern_member *member, enum pattern_result result,
    const struct matched_line *line)
{
	struct watcher *watcher = list_entry(member, struct watcher, member);
	if (data != &set || watcher->wanted == 0)
		differ++;
	note(watcher, result, line);
	return watcher->wanted > 0;
}

/* Searches a block both ways. */
static void compare(size_t count, const char *text, size_t len)
{
	size_t wanted[MEMBERS_MAX];
	for (size_t i = 0; i < count; i++) {
		watchers[i].len = 0;
		watchers[i].found[0] = '\0';
		wanted[i] = watchers[i].wanted = random() % 4 == 0 ? 1 + (size_t)random() % 3 : 200;
	}
	pattern_set_find(&set, text, len, on_found, &set);
	for (size_t i = 0; i < count; i++) {
		struct watcher alone = {.wanted = wanted[i]};
		struct line_matcher matcher;
		struct matched_line line;
		line_matcher_init(&matcher, watchers[i].pattern);
		for (size_t from = 0; from < len && alone.wanted > 0; from = line.after) {
			enum pattern_result result = line_match(&matcher, text, len, from, &line);
			if (result == PATTERN_NONE)
				break;
			note(&alone, result, &line);
		}
		if (strcmp(alone.found, watchers[i].found) != 0 && differ++ < 5)
			diag("%s: %s instead of %s", pattern_text(watchers[i].pattern),
			    watchers[i].found, alone.found);
	}
}

/* False: the pattern is not valid. */
static bool watcher_add(struct watcher *watcher, const char *text)
{
	char reason[256] = "";
	watcher->pattern = pattern_new(text, strlen(text), reason, sizeof reason);
	if (watcher->pattern == NULL)
		return false;
	pattern_set_add(&set, &watcher->member, watcher->pattern);
	return true;
}

static void watcher_remove(struct watcher *watcher)
{
	pattern_set_remove(&set, &watcher->member);
	pattern_free(watcher->pattern);
	*watcher = (struct watcher){0};
}

static const char *const words[] = {"needle", "need", "eedle", "ERROR", "error", "timeout", "time",
    "worker-1", "worker-12", "worker-2", "abcd", "bcde", "cdef", "abcdefgh", "aaaa", "aaaaaaa", "a",
    "b", " ", "12", "3", "\xc3\xbc", "\xff", "end.", "[x]"};

static const char *random_word(void)
{
	return words[(size_t)random() % (sizeof words / sizeof *words)];
}

/* Escapes a word and appends it. */
static void put_word(char *out, const char *word)
{
	out += strlen(out);
	for (; *word; word++) {
		if (strchr("[].", *word))
			*out++ = '\\';
		*out++ = *word;
	}
	*out = '\0';
}

/* Words, or words joined by what patterns consist of. */
static void random_pattern(char out[256])
{
	static const char *const joints[] = {"", ".*", "|", "\\d+", "(?:x|y)?", " *$", "\\b", "+",
	    "?", "(\\w*)", "^", "(?=.)", "\\r?"};
	out[0] = '\0';
	if (random() % 8 == 0)
		strcat(out, "(?i)");
	do {
		put_word(out, random_word());
		if (random() % 2 == 0)
			strcat(out, joints[(size_t)random() % (sizeof joints / sizeof *joints)]);
	} while (random() % 3 == 0 && strlen(out) < 200);
}

static size_t random_text(char *text, size_t words_count)
{
	size_t len = 0;
	bool is_crlf = random() % 5 == 0;
	for (size_t i = 0; i < words_count; i++) {
		const char *next = random_word();
		if (random() % 5 == 0)
			next = is_crlf ? "\r\n" : "\n";
		memcpy(text + len, next, strlen(next));
		len += strlen(next);
	}
	return len;
}

static void test_same(void)
{
	static const size_t counts[] = {1, 2, 4, 10, 40, 150};
	char text[TEXT_SIZE], regex[256];
	size_t count = 0;
	srandom(7);
	pattern_set_init(&set);
	differ = 0;
	for (int round = 0; round < 120; round++) {
		size_t want = counts[(size_t)random() % (sizeof counts / sizeof *counts)];
		while (count < want) {
			random_pattern(regex);
			count += watcher_add(&watchers[count], regex);
		}
		while (count > want)
			watcher_remove(&watchers[--count]);
		for (int block = 0; block < 5; block++)
			compare(count, text, random_text(text, 100));
	}
	is_int(differ, 0, "a set finds the same as each pattern alone");
	differ = 0;
	while (count > 60)
		watcher_remove(&watchers[--count]);
	for (size_t len = random_text(text, 100), at = 0; at <= len; at++) {
		/* In memory of its own, so that reading past its end is found. */
		char *first = xmemdup(text, at), *second = xmemdup(text + at, len - at);
		compare(count, first, at);
		compare(count, second, len - at);
		mem_free(first);
		mem_free(second);
	}
	is_int(differ, 0, "also in blocks divided at every byte");
	while (count > 0)
		watcher_remove(&watchers[--count]);
	compare(0, "a\n", 2);
	pattern_set_finish(&set);
}

/* Each literal length alone, at each place of a text. */
static void test_places(void)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	char text[64], regex[64];
	differ = 0;
	pattern_set_init(&set);
	for (size_t len = 3; len <= 12; len++) {
		for (size_t i = 0; i < 8; i++) {
			snprintf(regex, sizeof regex, "%.*s%zu", (int)len - 1, alphabet + i, i);
			(void)watcher_add(&watchers[i], regex);
		}
		for (size_t i = 0; i < 8; i++) {
			for (size_t at = 0; at + len <= 40; at++) {
				memset(text, '.', sizeof text);
				memcpy(text + at, pattern_text(watchers[i].pattern), len);
				compare(8, text, 40);
				compare(8, text, at + len);
				differ += random() % 4 > 0 && watchers[i].len == 0;
			}
		}
		for (size_t i = 0; i < 8; i++)
			watcher_remove(&watchers[i]);
	}
	is_int(differ, 0, "a literal is found at every place, up to the last byte");
	pattern_set_finish(&set);
}

static void test_many(void)
{
	char regex[64], text[TEXT_SIZE];
	size_t len = 0;
	differ = 0;
	pattern_set_init(&set);
	for (size_t i = 0; i < MEMBERS_MAX; i++) {
		snprintf(regex, sizeof regex, "request %zu failed.*(\\d+)", i);
		(void)watcher_add(&watchers[i], regex);
	}
	for (size_t i = 0; i < 30; i++)
		len += (size_t)snprintf(
		    text + len, sizeof text - len, "request %zu failed: %zu\n", i * 37, i);
	compare(MEMBERS_MAX, text, len);
	is_int(differ, 0, "1,000 patterns with one prefix find their lines");
	is_int((long long)set.filtered, MEMBERS_MAX, "all of them by their literals");
	for (size_t i = 0; i < MEMBERS_MAX; i++)
		watcher_remove(&watchers[i]);
	pattern_set_finish(&set);
}

static void test_limit(void)
{
	char text[4000];
	size_t len = 0;
	differ = 0;
	pattern_set_init(&set);
	(void)watcher_add(&watchers[0], "(a+)+b#stop");
	for (size_t i = 1; i < 20; i++) {
		char regex[32];
		snprintf(regex, sizeof regex, "literal%zu", i);
		(void)watcher_add(&watchers[i], regex);
	}
	memset(text, 'a', sizeof text);
	len = 3000;
	memcpy(text + len, "#b#stop literal3\n", 17);
	len += 17;
	for (int i = 0; i < 2; i++)
		watchers[i].wanted = 200;
	pattern_set_find(&set, text, len, on_found, &set);
	ok(strncmp(watchers[0].found, "-1:", 3) == 0, "a pattern that gives up on a line says so");
	ok(strncmp(watchers[3].found, "1:", 2) == 0, "and does not keep others from the line");
	for (size_t i = 0; i < 20; i++)
		watcher_remove(&watchers[i]);
	pattern_set_finish(&set);
}

int main(void)
{
	test_same();
	test_places();
	test_many();
	test_limit();
	return done_testing();
}
