/* SPDX-License-Identifier: ISC */
/* muxbus wait: waits until conditions have come true. */
#include "cli/wait.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "cli/ask.h"
#include "cli/option.h"
#include "cli/screen_text.h"
#include "cli/show.h"
#include "cli/verbs.h"
#include "client/link.h"

#define PARAMS_MAX LINK_LINE_MAX
#define RECONNECT_MS 500
#define RECONNECT_TRIES 60
#define TIMEOUT_MAX_MS (316224000LL * 1000) /* what wait_for takes: ten years */

struct wait {
	struct cli *cli;
	bool wants_all;
	bool is_quiet;
	int64_t timeout_ms;
	const char *name; /* of a wait that outlives its connection */
	const char **words;
	size_t count;
	char **own; /* those of them that options made */
	size_t own_count;
};

/* Options that are other spellings of words: --event KIND is event=KIND. */
static const struct {
	const char *option;
	const char *word;
	bool is_plain; /* it takes no value: it is true */
} word_options[] = {
    {"agent", "agent", false},
    {"agent-state", "agent_state", false},
    {"event", "event", false},
    {"pane", "pane", false},
    {"prompt", "prompt", true},
    {"session", "session", false},
    {"window", "window", false},
};

/* Takes such an option; *ret_is_good is false if its value is missing. */
static bool take_word_option(struct wait *wait, struct option_reader *reader, bool *ret_is_good)
{
	for (size_t at = 0; at < sizeof word_options / sizeof *word_options; at++) {
		const char *value = "true";
		if (!option_is(reader, 0, word_options[at].option))
			continue;
		if (!word_options[at].is_plain)
			value = option_value(reader);
		*ret_is_good = value != NULL;
		if (value != NULL)
			wait->words[wait->count++] = wait->own[wait->own_count++] =
			    xasprintf("%s=%s", word_options[at].word, value);
		return true;
	}
	return false;
}

static enum cli_status read_options(
    struct wait *wait, struct option_reader *reader, bool *ret_is_done)
{
	const char *word;
	enum option_read read;
	bool is_good = true;
	*ret_is_done = false;
	while (is_good && (read = option_next(reader, &word)) != OPTION_END) {
		if (read == OPTION_WORD) {
			wait->words[wait->count++] = word;
		} else if (cli_help("wait", word)) {
			*ret_is_done = true;
			return CLI_DONE;
		} else if (option_is(reader, 0, "all")) {
			wait->wants_all = true;
		} else if (option_is(reader, 0, "any")) {
			wait->wants_all = false;
		} else if (option_is(reader, 'q', "quiet")) {
			wait->is_quiet = true;
		} else if (option_is(reader, 't', "timeout")) {
			is_good = option_duration(reader, &wait->timeout_ms);
		} else if (option_is(reader, 'n', "name")) {
			is_good = (wait->name = option_value(reader)) != NULL;
		} else if (!take_word_option(wait, reader, &is_good)) {
			return option_unknown(reader);
		}
	}
	if (is_good && wait->count == 0 && wait->name == NULL)
		return cli_usage("wait",
		    "a condition is missing, such as prompt=true; see: muxbus help conditions");
	return is_good ? CLI_DONE : CLI_USAGE;
}

/* The words as conditions, as the daemon describes them. */
static enum cli_status put_conditions(const struct wait *wait, struct link *link, struct buf *out)
{
	char reason[PATH_MAX + 512];
	const struct json *tables, *kinds;
	enum cli_status status = ask_result(link, "describe", NULL, ASK_TIMEOUT_MS, &tables);
	if (status != CLI_DONE)
		return status;
	kinds = json_member(tables, "conditions");
	if (kinds == NULL) {
		cli_error("muxbusd is older than muxbus and does not describe its conditions");
		return CLI_UNREACHABLE;
	}
	if (wait_conditions(out, kinds, wait->count, wait->words, reason, sizeof reason) < 0)
		return cli_usage("wait", "%s", reason);
	return CLI_DONE;
}

static enum cli_status put_params(const struct wait *wait, struct link *link, struct buf *params)
{
	struct json_writer writer;
	struct buf conditions;
	enum cli_status status = CLI_DONE;
	buf_init(&conditions, PARAMS_MAX);
	json_writer_init(&writer, params);
	json_object_begin(&writer, NULL);
	if (wait->count > 0)
		status = put_conditions(wait, link, &conditions);
	if (status == CLI_DONE && wait->count > 0)
		json_put_raw(
		    &writer, wait->wants_all ? "all" : "any", conditions.data, conditions.len);
	/* The daemon takes nothing shorter than a millisecond. */
	json_put_double(
	    &writer, "timeout_sec", (double)(wait->timeout_ms ? wait->timeout_ms : 1) / 1000);
	if (wait->name != NULL)
		(void)json_put_text(&writer, "wait", wait->name, strlen(wait->name));
	json_object_end(&writer);
	buf_finish(&conditions);
	return writer.is_cut ? cli_usage(NULL, "the conditions are too long") : status;
}

static void tell_condition(const struct cli *cli, const struct json *condition)
{
	const char *state = ask_string(condition, "state", "?");
	const struct json *details = json_member(condition, "details");
	bool is_matched = strcmp(state, "matched") == 0;
	struct buf out;
	if (strcmp(state, "pending") == 0)
		return;
	buf_init(&out, LINK_LINE_MAX);
	(void)buf_append_str(
	    &out, screen_style(cli->has_color, is_matched ? SCREEN_GOOD : SCREEN_WARN));
	(void)buf_printf(&out, "%s: ", ask_string(condition, "condition", "?"));
	(void)buf_append_str(&out, screen_style(cli->has_color, SCREEN_PLAIN));
	(void)buf_printf(&out, "%s", state);
	for (const struct json *at = details != NULL ? details->child : NULL; at != NULL;
	     at = at->next) {
		struct buf value;
		if (at->type == JSON_NULL)
			continue;
		buf_init(&value, LINK_LINE_MAX);
		show_value(&value, at);
		(void)buf_append_str(&out, "  ");
		(void)screen_text_line(&out, at->name, at->name_len);
		(void)buf_append_byte(&out, '=');
		if (value.len > 0)
			(void)screen_text_line(&out, value.data, value.len);
		buf_finish(&value);
	}
	(void)puts((const char *)out.data); /* cli_flush() looks */
	buf_finish(&out);
}

/* Whether the conditions came true. */
static bool is_fulfilled(const struct wait *wait, const struct json *result)
{
	const struct json *matched = json_member(result, "matched");
	const struct json *conditions = json_member(result, "conditions");
	size_t count = matched != NULL && matched->type == JSON_ARRAY ? matched->count : 0;
	return wait->wants_all ? conditions != NULL && count == conditions->count : count > 0;
}

static enum cli_status tell(const struct wait *wait, const struct json *result)
{
	const struct json *conditions = json_member(result, "conditions");
	if (!wait->is_quiet && show_is_json(wait->cli)) {
		show_json(wait->cli, result);
	} else if (!wait->is_quiet) {
		for (const struct json *at = conditions != NULL ? conditions->child : NULL;
		     at != NULL; at = at->next)
			tell_condition(wait->cli, at);
		if (ask_bool(result, "timed_out", false))
			(void)puts("the time is up");
	}
	if (is_fulfilled(wait, result))
		return CLI_DONE;
	return ask_bool(result, "timed_out", false) ? CLI_TIMEOUT : CLI_NO;
}

/* Waits on one connection, and prints the result. */
static enum cli_status wait_once(struct wait *wait, struct link *link)
{
	const struct json *result;
	struct buf params;
	enum cli_status status;
	buf_init(&params, PARAMS_MAX);
	status = put_params(wait, link, &params);
	if (status == CLI_DONE)
		status = ask_result(link, "wait_for", (const char *)params.data, -1, &result);
	if (status == CLI_DONE)
		status = tell(wait, result);
	buf_finish(&params);
	return status;
}

/* The fleet has gone: the hosts, and what they wait for, go on. NULL: it does not come back. */
static struct link *connect_again(struct wait *wait)
{
	struct link *link;
	cli_error("the fleet is started again");
	for (int i = 0; i < RECONNECT_TRIES; i++) {
		if (ask_reconnect(wait->cli, &link))
			return link;
		(void)poll(NULL, 0, RECONNECT_MS);
	}
	return NULL;
}

/* Connects and waits, until the time is up on whichever connection. */
static enum cli_status run(struct wait *wait)
{
	struct link *link = ask_connect(wait->cli);
	int64_t deadline = clock_mono_ms() + wait->timeout_ms;
	enum cli_status status = CLI_UNREACHABLE;
	while (link != NULL) {
		status = wait_once(wait, link);
		link_close(link);
		link = NULL;
		if (status == CLI_UNREACHABLE && wait->cli->is_fleet &&
		    clock_mono_ms() < deadline) {
			link = connect_again(wait);
			wait->timeout_ms = deadline - clock_mono_ms();
			wait->timeout_ms = wait->timeout_ms < 0 ? 0 : wait->timeout_ms;
		}
	}
	return status;
}

enum cli_status wait_run(struct cli *cli, int argc, char **argv)
{
	struct option_reader reader;
	struct wait wait = {.cli = cli, .timeout_ms = TIMEOUT_MAX_MS};
	bool is_finished;
	enum cli_status status;
	wait.words = xcalloc((size_t)argc + 1, sizeof *wait.words);
	wait.own = xcalloc((size_t)argc + 1, sizeof *wait.own);
	option_start(&reader, cli, argc, argv);
	status = read_options(&wait, &reader, &is_finished);
	if (status == CLI_DONE && !is_finished)
		status = run(&wait);
	while (wait.own_count > 0)
		mem_free(wait.own[--wait.own_count]);
	mem_free(wait.own);
	mem_free(wait.words);
	return cli_flush(status);
}
