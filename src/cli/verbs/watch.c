/* SPDX-License-Identifier: ISC */
/* muxbus watch: prints events as they happen. */
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"

#define NAMES_MAX 64 /* kinds, panes or sessions each; subscribe takes no more kinds */
#define PARAMS_MAX LINK_LINE_MAX

struct watch_names {
	const char *names[NAMES_MAX];
	size_t count;
};

struct watch_verb {
	struct cli *cli;
	struct watch_names kinds; /* kinds or patterns */
	struct watch_names panes, sessions;
	bool wants_output, has_after;
	int64_t after;
	uint32_t count; /* 0: no limit */
	uint32_t seen;
	int64_t timeout_ms; /* -1: no timeout */
	bool reconnects;
	int64_t last; /* number of the last event */
	struct interrupt interrupt;
	struct buf line;
};

static bool add_name(struct watch_names *names, const char *name)
{
	if (names->count == NAMES_MAX) {
		(void)cli_usage("watch", "more than %d names", NAMES_MAX);
		return false;
	}
	names->names[names->count++] = name;
	return true;
}

static bool take_name(void *data, const struct option_row *row, const char *value)
{
	return add_name((struct watch_names *)(void *)((char *)data + row->offset), value);
}

static bool take_after(void *data, const struct option_row *row UNUSED, const char *text)
{
	struct watch_verb *watch = data;
	watch->has_after = str_parse_i64(text, strlen(text), &watch->after) && watch->after >= 0;
	if (!watch->has_after)
		(void)cli_usage("watch", "--after: must be the number of an event");
	return watch->has_after;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TAKE, offsetof(struct watch_verb, kinds), take_name},
    {"pane", 'p', OPTION_TAKE, offsetof(struct watch_verb, panes), take_name},
    {"session", 0, OPTION_TAKE, offsetof(struct watch_verb, sessions), take_name},
    {"output", 'o', OPTION_FLAG, offsetof(struct watch_verb, wants_output), NULL},
    {"after", 0, OPTION_TAKE, 0, take_after},
    {"count", 'n', OPTION_COUNT, offsetof(struct watch_verb, count), NULL},
    {"timeout", 't', OPTION_DURATION, offsetof(struct watch_verb, timeout_ms), NULL},
    {"reconnect", 'r', OPTION_FLAG, offsetof(struct watch_verb, reconnects), NULL},
    {0},
};

static void put_names(struct json_writer *writer, const char *name, const struct watch_names *names)
{
	if (names->count == 0)
		return;
	json_array_begin(writer, name);
	for (size_t i = 0; i < names->count; i++)
		json_put_str(writer, NULL, names->names[i]);
	json_array_end(writer);
}

static enum cli_status subscribe(struct watch_verb *watch, struct link *link)
{
	struct json_writer writer;
	struct buf params;
	const struct json *result;
	enum cli_status status;
	json_start_object(&writer, &params, PARAMS_MAX);
	put_names(&writer, "kinds", &watch->kinds);
	put_names(&writer, "panes", &watch->panes);
	put_names(&writer, "sessions", &watch->sessions);
	if (watch->wants_output)
		json_put_bool(&writer, "output", true);
	if (watch->has_after)
		json_put_int(&writer, "after", watch->after);
	json_object_end(&writer);
	status = ask_result(link, "subscribe", buf_text(&params), ASK_TIMEOUT_MS, &result);
	buf_finish(&params);
	return status;
}

static bool is_done(const void *data)
{
	const struct watch_verb *watch = data;
	return (watch->count > 0 && watch->seen >= watch->count) || ferror(stdout);
}

static void on_message(
    void *data, const struct json *message, const char *line UNUSED, size_t len UNUSED)
{
	struct watch_verb *watch = data;
	const struct json *event = json_member(message, "params");
	if (strcmp(json_get_str(message, "method", ""), "event") != 0 || event == NULL ||
	    is_done(watch))
		return;
	watch->seen++;
	watch->last = json_get_int(event, "seq", watch->last);
	buf_clear(&watch->line);
	if (show_is_json(watch->cli)) {
		(void)json_append(&watch->line, event);
		(void)buf_append_byte(&watch->line, '\n');
	} else {
		show_event(&watch->line, event, watch->cli->has_color);
	}
	cli_write(watch->line.data, watch->line.len);
}

static enum cli_status watch_once(struct watch_verb *watch, struct link *link, int64_t deadline)
{
	enum cli_status status;
	link_set_other(link, on_message, watch);
	status = subscribe(watch, link);
	if (status != CLI_DONE)
		return status;
	status = interrupt_follow(&watch->interrupt, link, deadline, on_message, is_done, watch);
	if (status != CLI_UNREACHABLE || errno != EPROTO)
		return status;
	(void)ask_say_read(LINK_BROKEN); /* the daemon runs, but sent an invalid message */
	return CLI_NO;
}

static enum cli_status watch_all(struct watch_verb *watch)
{
	int64_t deadline = clock_deadline_ms(watch->timeout_ms);
	struct link *link = ask_connect(watch->cli);
	enum cli_status status = CLI_UNREACHABLE;
	enum interrupt_wake wake;
	while (link != NULL) {
		status = watch_once(watch, link, deadline);
		link_close(link);
		link = NULL;
		if (status == CLI_UNREACHABLE && watch->reconnects) {
			/* Resume after the last event, unless hosts have their own numbers. */
			watch->has_after |= watch->last > 0 && !watch->cli->is_fleet;
			watch->after = watch->last > 0 ? watch->last : watch->after;
			cli_error("muxbusd is gone; waiting for it");
			link =
			    interrupt_reconnect(&watch->interrupt, watch->cli, 0, deadline, &wake);
			status = clock_left_ms(deadline) == 0 ? CLI_TIMEOUT : interrupt_status();
		} else if (status == CLI_UNREACHABLE) {
			cli_error("muxbusd is gone");
		}
	}
	return status;
}

enum cli_status watch_run(struct cli *cli, int argc, char **argv)
{
	struct watch_verb watch = {.cli = cli, .timeout_ms = -1};
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &watch, NULL, &status))
		return status;
	if (interrupt_open(&watch.interrupt) < 0)
		return CLI_NO;
	buf_init(&watch.line, LINK_LINE_MAX);
	status = watch_all(&watch);
	buf_finish(&watch.line);
	return interrupt_close(&watch.interrupt, status);
}
