/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as what an agent passes to its hook: two words of the command line, each ended by a
 * newline, then standard input. Only words leave it, and the answer is one line of JSON.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/verbs/hook_event.h"
#include "daemon/tmux/osc_report.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 65536, OUT_MAX = 1024 * 1024 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_be_word(const char *word)
{
	must(strlen(word) <= HOOK_WORD_MAX && word[0] != '-');
	for (; *word != '\0'; word++)
		must(*word == '_' || *word == '.' || *word == ':' || *word == '-' ||
		    (*word >= '0' && *word <= '9') || ((*word | 32) >= 'a' && (*word | 32) <= 'z'));
}

static void check_answer(const struct hook_event *event, const char *text)
{
	static struct json_reader *reader;
	struct json_error error;
	const struct json *value;
	struct buf out;
	if (reader == NULL)
		reader = json_reader_new(OUT_MAX);
	buf_init(&out, OUT_MAX);
	hook_event_write(&out, event, text);
	must(out.len > 0 && out.data[out.len - 1] == '\n');
	for (size_t at = 0; at + 1 < out.len; at++)
		must(out.data[at] >= 0x20 && out.data[at] != 0x7f);
	value = json_read(reader, (const char *)out.data, out.len - 1, &error);
	must(value != NULL && value->type == JSON_OBJECT);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hook_event event;
	char *text, *rest, *agent, *name;
	if (size > INPUT_MAX)
		return 0;
	rest = text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	agent = strsep(&rest, "\n");
	name = rest != NULL ? strsep(&rest, "\n") : NULL;
	if (rest == NULL)
		rest = text + size;
	hook_event_read(&event, *agent != '\0' ? agent : NULL,
	    name != NULL && *name != '\0' ? name : NULL, rest, size - (size_t)(rest - text));
	must_be_word(event.agent);
	must_be_word(event.session);
	must_be_word(event.name);
	must(event.agent[0] != '\0' &&
	    (event.state != NULL || event.handing == HOOK_NOTHING ||
		strcmp(event.name, "SessionStart") == 0));
	if (event.handing != HOOK_NOTHING)
		check_answer(&event, rest);
	must(event.reply == NULL || strlen(event.reply) <= HOOK_REPLY_MAX);
	mem_free(event.reply);
	free(text);
	return 0;
}
