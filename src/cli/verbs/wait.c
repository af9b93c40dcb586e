/* SPDX-License-Identifier: ISC */
/* muxbus wait: waits until conditions have come true. */
#include "cli/verbs/wait.h"

#include <limits.h>
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
#include "cli/verbs/interrupt.h"
#include "cli/verbs/job_output.h"
#include "client/link.h"

#define PARAMS_MAX LINK_LINE_MAX
#define RECONNECT_TRIES 60
#define TIMEOUT_MAX_MS (316224000LL * 1000) /* what wait_for takes: ten years */

struct wait_verb {
	struct cli *cli;
	bool wants_all;
	bool is_quiet;
	bool wants_status; /* --exit-status: that of the first job that failed */
	int job_status;
	int64_t timeout_ms;
	const char *name; /* of a wait that outlives its connection */
	const char **words;
	size_t count;
	char **own; /* those of them that options made */
	size_t own_count;
	struct buf conditions; /* what the words mean; empty: not asked yet */
};

static bool take_word(void *data, const struct option_row *row, const char *word)
{
	struct wait_verb *wait = data;
	(void)row;
	wait->words[wait->count++] = word;
	return true;
}

/* An option that is another spelling of a word: --agent-state STATE is agent_state=STATE. */
static bool take_condition(void *data, const struct option_row *row, const char *value)
{
	struct wait_verb *wait = data;
	char *word = xasprintf("%s=%s", row->name, value != NULL ? value : "true");
	char *dash = memchr(word, '-', strlen(row->name));
	if (dash != NULL)
		*dash = '_';
	wait->words[wait->count++] = wait->own[wait->own_count++] = word;
	return true;
}

static bool take_any(void *data, const struct option_row *row, const char *value)
{
	struct wait_verb *wait = data;
	(void)row;
	(void)value;
	wait->wants_all = false;
	return true;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TAKE, 0, take_word},
    {"agent", 0, OPTION_TAKE, 0, take_condition},
    {"agent-state", 0, OPTION_TAKE, 0, take_condition},
    {"all", 0, OPTION_FLAG, offsetof(struct wait_verb, wants_all), NULL},
    {"any", 0, OPTION_TAKE_FLAG, 0, take_any},
    {"event", 0, OPTION_TAKE, 0, take_condition},
    {"exit-status", 'x', OPTION_FLAG, offsetof(struct wait_verb, wants_status), NULL},
    {"name", 'n', OPTION_TEXT, offsetof(struct wait_verb, name), NULL},
    {"pane", 0, OPTION_TAKE, 0, take_condition},
    {"prompt", 0, OPTION_TAKE_FLAG, 0, take_condition},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct wait_verb, is_quiet), NULL},
    {"session", 0, OPTION_TAKE, 0, take_condition},
    {"timeout", 't', OPTION_DURATION, offsetof(struct wait_verb, timeout_ms), NULL},
    {"window", 0, OPTION_TAKE, 0, take_condition},
    {0},
};

/* Reads the words as conditions, as the daemon describes them. */
static enum cli_status read_conditions(
    struct wait_verb *wait, struct link *link, const struct link_answer *answer)
{
	char reason[PATH_MAX + 512];
	const struct json *tables = answer->result, *kinds;
	/* An older daemon describes all or nothing. */
	enum cli_status status = answer->error == NULL
	    ? CLI_DONE
	    : ask_result(link, "describe", NULL, ASK_TIMEOUT_MS, &tables);
	if (status != CLI_DONE)
		return status;
	kinds = json_member(tables, "conditions");
	if (kinds == NULL) {
		cli_error("muxbusd is older than muxbus and does not describe its conditions");
		return CLI_UNREACHABLE;
	}
	if (wait_conditions(
		&wait->conditions, kinds, wait->count, wait->words, reason, sizeof reason) < 0)
		return cli_usage("wait", "%s", reason);
	return CLI_DONE;
}

static enum cli_status put_params(const struct wait_verb *wait, struct buf *params)
{
	struct json_writer writer;
	json_writer_init(&writer, params);
	json_object_begin(&writer, NULL);
	if (wait->count > 0)
		json_put_raw(&writer, wait->wants_all ? "all" : "any", wait->conditions.data,
		    wait->conditions.len);
	/* The daemon takes nothing shorter than a millisecond. */
	json_put_double(
	    &writer, "timeout_sec", (double)(wait->timeout_ms ? wait->timeout_ms : 1) / 1000);
	if (wait->name != NULL)
		json_put_str(&writer, "wait", wait->name);
	json_object_end(&writer);
	return writer.is_cut ? cli_usage(NULL, "the conditions are too long") : CLI_DONE;
}

static void tell_condition(const struct cli *cli, const struct json *condition)
{
	const char *state = json_get_str(condition, "state", "?");
	const struct json *details = json_member(condition, "details");
	bool is_matched = strcmp(state, "matched") == 0;
	struct buf out;
	if (strcmp(state, "pending") == 0)
		return;
	buf_init(&out, LINK_LINE_MAX);
	(void)buf_append_str(
	    &out, screen_style(cli->has_color, is_matched ? SCREEN_GOOD : SCREEN_WARN));
	(void)buf_printf(&out, "%s: ", json_get_str(condition, "condition", "?"));
	(void)buf_append_str(&out, screen_style(cli->has_color, SCREEN_PLAIN));
	(void)buf_printf(&out, "%s", state);
	json_each (at, details) {
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
	(void)puts(buf_text(&out)); /* cli_flush() looks */
	buf_finish(&out);
}

/* Whether the conditions came true. */
static bool is_fulfilled(const struct wait_verb *wait, const struct json *result)
{
	const struct json *matched = json_member(result, "matched");
	const struct json *conditions = json_member(result, "conditions");
	size_t count = matched != NULL && matched->type == JSON_ARRAY ? matched->count : 0;
	return wait->wants_all ? conditions != NULL && count == conditions->count : count > 0;
}

/* The exit status of the first job that failed, else 0. */
static int status_of_jobs(const struct json *result)
{
	int status = 0;
	json_each (at, json_member(result, "conditions")) {
		if (status == 0 && strcmp(json_get_str(at, "condition", ""), "job") == 0 &&
		    strcmp(json_get_str(at, "state", ""), "matched") == 0)
			status = job_output_status(json_member(at, "details"));
	}
	return status;
}

static enum cli_status tell(struct wait_verb *wait, const struct json *result)
{
	const struct json *conditions = json_member(result, "conditions");
	if (!wait->is_quiet && show_is_json(wait->cli)) {
		show_json(wait->cli, result);
	} else if (!wait->is_quiet) {
		json_each (at, conditions)
			tell_condition(wait->cli, at);
		if (json_get_bool(result, "timed_out", false))
			(void)puts("the time is up");
	}
	if (wait->wants_status)
		wait->job_status = status_of_jobs(result);
	if (is_fulfilled(wait, result))
		return CLI_DONE;
	return json_get_bool(result, "timed_out", false) ? CLI_TIMEOUT : CLI_NO;
}

/* Waits on one connection, and prints the result. */
static enum cli_status wait_once(struct wait_verb *wait, struct link *link)
{
	const struct json *result;
	struct buf params;
	enum cli_status status;
	buf_init(&params, PARAMS_MAX);
	status = put_params(wait, &params);
	if (status == CLI_DONE)
		status = ask_result(link, "wait_for", buf_text(&params), -1, &result);
	if (status == CLI_DONE)
		status = tell(wait, result);
	buf_finish(&params);
	return status;
}

/* Connects and waits, until the time is up on whichever connection. */
static enum cli_status run(struct wait_verb *wait)
{
	struct link_answer answer;
	struct link *link =
	    ask_connect_for(wait->cli, true, ASK_PARAMS({"table", .text = "conditions"}), &answer);
	int64_t deadline = clock_deadline_ms(wait->timeout_ms);
	enum cli_status status = CLI_UNREACHABLE;
	enum interrupt_wake wake;
	if (link != NULL && wait->count > 0 &&
	    (status = read_conditions(wait, link, &answer)) != CLI_DONE) {
		link_close(link);
		return status;
	}
	while (link != NULL) {
		status = wait_once(wait, link);
		link_close(link);
		link = NULL;
		if (status == CLI_UNREACHABLE && wait->cli->is_fleet &&
		    clock_left_ms(deadline) > 0) {
			/* The fleet has gone: the hosts, and what they wait for, go on. */
			cli_error("the fleet is started again");
			link = interrupt_reconnect(NULL, wait->cli, RECONNECT_TRIES, -1, &wake);
			wait->timeout_ms = clock_left_ms(deadline);
		}
	}
	return status;
}

enum cli_status wait_run(struct cli *cli, int argc, char **argv)
{
	struct wait_verb wait = {.cli = cli, .timeout_ms = TIMEOUT_MAX_MS};
	enum cli_status status;
	buf_init(&wait.conditions, PARAMS_MAX);
	wait.words = xcalloc((size_t)argc + 1, sizeof *wait.words);
	wait.own = xcalloc((size_t)argc + 1, sizeof *wait.own);
	if (option_read(cli, argc, argv, options, &wait, NULL, &status)) {
		if (wait.count > 0 || wait.name != NULL)
			status = run(&wait);
		else
			status = cli_usage("wait",
			    "a condition is missing, such as prompt=true; see: muxbus help "
			    "conditions");
	}
	while (wait.own_count > 0)
		mem_free(wait.own[--wait.own_count]);
	buf_finish(&wait.conditions);
	mem_free(wait.own);
	mem_free(wait.words);
	status = cli_flush(status);
	return status == CLI_DONE ? (enum cli_status)wait.job_status : status;
}
