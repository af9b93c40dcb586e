/* SPDX-License-Identifier: ISC */
/* Runs scripts of parser cases: whole, split at every byte, byte by byte, and at random. */
#include "parser_script.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "tap.h"

#define STEPS_MAX 64
/* Longer input is split at only so many places. */
#define SPLITS_MAX 2000
#define RANDOM_ROUNDS 20

/* Input up to the next announcement of nonces. */
struct step {
	char *nonces; /* NULL: continue with the previous ones */
	struct buf bytes;
};

struct script_case {
	char *name;
	struct step steps[STEPS_MAX];
	size_t step_count;
	struct buf expected;
};

enum way {
	WAY_WHOLE,
	WAY_SPLIT, /* in two, at a place */
	WAY_BYTES,
	WAY_RANDOM,
};

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Copies each piece into memory of its own, so that a read beyond its end is noticed. */
static int feed_copy(struct recorder *recorder, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len == 0 ? 1 : len);
	int error;
	memcpy(copy, bytes, len);
	error = recorder_feed(recorder, copy, len);
	free(copy);
	return error;
}

static int feed_step(
    struct recorder *recorder, const struct buf *bytes, enum way way, size_t *split, uint32_t *seed)
{
	size_t done = 0;
	int error = 0;
	while (error == 0 && done < bytes->len) {
		size_t left = bytes->len - done;
		size_t take = left;
		if (way == WAY_BYTES)
			take = 1;
		else if (way == WAY_RANDOM)
			take = 1 + random_next(seed) % (random_next(seed) % 4 == 0 ? 300 : 12);
		else if (way == WAY_SPLIT && *split > 0 && *split < left)
			take = *split;
		if (take > left)
			take = left;
		*split -= *split < take ? *split : take;
		error = feed_copy(recorder, bytes->data + done, take);
		done += take;
	}
	return error;
}

/* Runs a case in one way. True if the result is the expected one. */
static bool run_way(
    const struct script_case *script_case, enum way way, size_t split, uint32_t seed, bool is_loud)
{
	struct recorder recorder;
	const char *want =
	    script_case->expected.data == NULL ? "" : (const char *)script_case->expected.data;
	int error = recorder_init(&recorder);
	bool is_same;
	for (size_t i = 0; error == 0 && i < script_case->step_count; i++) {
		const struct step *step = &script_case->steps[i];
		if (step->nonces != NULL)
			error = recorder_expect(&recorder, step->nonces);
		if (error == 0)
			error = feed_step(&recorder, &step->bytes, way, &split, &seed);
	}
	is_same = error == 0 && strcmp(recorder_text(&recorder), want) == 0;
	if (is_loud)
		is_str(recorder_text(&recorder), want, "%s", script_case->name);
	recorder_finish(&recorder);
	return is_same;
}

static size_t case_len(const struct script_case *script_case)
{
	size_t len = 0;
	for (size_t i = 0; i < script_case->step_count; i++)
		len += script_case->steps[i].bytes.len;
	return len;
}

static void run_case(const struct script_case *script_case)
{
	size_t len = case_len(script_case);
	size_t stride = 1 + len / SPLITS_MAX;
	size_t bad_splits = 0;
	unsigned bad_rounds = 0;
	if (!run_way(script_case, WAY_WHOLE, 0, 0, true))
		return;
	for (size_t split = 1; split < len; split += stride)
		bad_splits += !run_way(script_case, WAY_SPLIT, split, 0, false);
	is_int((long long)bad_splits, 0, "%s: split in two anywhere", script_case->name);
	ok(run_way(script_case, WAY_BYTES, 0, 0, false), "%s: byte by byte", script_case->name);
	for (uint32_t seed = 1; seed <= RANDOM_ROUNDS; seed++)
		bad_rounds += !run_way(script_case, WAY_RANDOM, 0, seed, false);
	is_int(bad_rounds, 0, "%s: in random pieces", script_case->name);
}

static void free_case(struct script_case *script_case)
{
	for (size_t i = 0; i < script_case->step_count; i++) {
		free(script_case->steps[i].nonces);
		buf_finish(&script_case->steps[i].bytes);
	}
	free(script_case->name);
	buf_finish(&script_case->expected);
	memset(script_case, 0, sizeof *script_case);
}

static struct step *add_step(struct script_case *script_case)
{
	struct step *step = &script_case->steps[script_case->step_count++];
	if (script_case->step_count == STEPS_MAX)
		abort();
	buf_init(&step->bytes, SIZE_MAX / 2);
	return step;
}

/* The bytes of a "line", with each <word> replaced by its nonce. */
static void add_line(struct buf *bytes, const char *text)
{
	while (*text != '\0') {
		const char *close = *text == '<' ? strchr(text, '>') : NULL;
		if (close != NULL && close > text + 1 && close - text < 8) {
			char word[8] = "";
			struct nonce nonce;
			memcpy(word, text + 1, (size_t)(close - text - 1));
			recorder_nonce(word, &nonce);
			buf_append_str(bytes, nonce.text);
			text = close + 1;
		} else {
			buf_append_byte(bytes, (uint8_t)*text++);
		}
	}
	buf_append_byte(bytes, '\n');
}

static void add_escaped(struct buf *bytes, const char *text)
{
	static const char letters[] = "nrt0\\";
	static const char values[] = "\n\r\t\0\\";
	for (; *text != '\0'; text++) {
		const char *letter = *text == '\\' ? strchr(letters, text[1]) : NULL;
		if (letter != NULL && text[1] != '\0') {
			buf_append_byte(bytes, (uint8_t)values[letter - letters]);
			text++;
		} else {
			buf_append_byte(bytes, (uint8_t)*text);
		}
	}
}

static void add_file(struct buf *bytes, const char *script, const char *name)
{
	const char *slash = strrchr(script, '/');
	char path[4096];
	uint8_t piece[4096];
	size_t len;
	FILE *file;
	snprintf(path, sizeof path, "%.*s/%s", (int)(slash - script), script, name);
	file = fopen(path, "rb");
	if (!ok(file != NULL, "%s can be read", path))
		return;
	while ((len = fread(piece, 1, sizeof piece, file)) > 0)
		buf_append(bytes, piece, len);
	fclose(file);
}

/* Adds one line of a script to the case. */
static void add_command(
    struct script_case *script_case, const char *script, const char *word, const char *rest)
{
	struct step *step;
	if (strcmp(word, "nonces") == 0) {
		add_step(script_case)->nonces = strdup(rest);
		return;
	}
	step = script_case->step_count > 0 ? &script_case->steps[script_case->step_count - 1]
					   : add_step(script_case);
	if (strcmp(word, "line") == 0)
		add_line(&step->bytes, rest);
	else if (strcmp(word, "feed") == 0)
		add_escaped(&step->bytes, rest);
	else if (strcmp(word, "file") == 0)
		add_file(&step->bytes, script, rest);
	else if (strcmp(word, "expect") == 0)
		buf_printf(&script_case->expected, "%s\n", rest);
	else
		ok(false, "%s: no such word: %s", script, word);
}

void parser_script_run(const char *path)
{
	struct script_case script_case = {0};
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	if (!ok(file != NULL, "%s can be read", path))
		return;
	while ((len = getline(&line, &size, file)) > 0) {
		char *rest;
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (len == 0 || line[0] == '#')
			continue;
		rest = strchr(line, ' ');
		if (rest != NULL)
			*rest++ = '\0';
		if (strcmp(line, "case") == 0) {
			if (script_case.name != NULL)
				run_case(&script_case);
			free_case(&script_case);
			script_case.name = strdup(rest == NULL ? "" : rest);
			buf_init(&script_case.expected, SIZE_MAX / 2);
		} else {
			add_command(&script_case, path, line, rest == NULL ? "" : rest);
		}
	}
	if (script_case.name != NULL)
		run_case(&script_case);
	free_case(&script_case);
	free(line);
	fclose(file);
}
