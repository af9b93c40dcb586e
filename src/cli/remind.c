/* SPDX-License-Identifier: ISC */
/* muxbus remind: a notification with a text, after a time. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/ask.h"
#include "cli/option.h"
#include "cli/show.h"
#include "cli/verbs.h"
#include "wire/json.h"

#define PARAMS_MAX 65536

struct remind {
	const char *pane;
	int64_t ms;
	const char *text;
	bool is_recurring;
};

static enum cli_status take_word(struct remind *remind, const char *word)
{
	if (remind->ms < 0 && !option_parse_duration(word, &remind->ms))
		return cli_usage(
		    "remind", "the time must be such as 30, 1.5s, 10m or 2h, not \"%s\"", word);
	if (remind->ms == 0)
		return cli_usage("remind", "the time must be longer than 0");
	return CLI_DONE;
}

static enum cli_status read_options(
    struct remind *remind, struct option_reader *reader, bool *ret_is_done)
{
	const char *word;
	enum option_read read;
	enum cli_status status = CLI_DONE;
	*ret_is_done = false;
	while (status == CLI_DONE && (read = option_next(reader, &word)) != OPTION_END) {
		if (read == OPTION_WORD && remind->ms < 0) {
			status = take_word(remind, word);
		} else if (read == OPTION_WORD && remind->text == NULL) {
			remind->text = word;
		} else if (read == OPTION_WORD) {
			return cli_usage("remind", "quote the text: \"%s\" is left over", word);
		} else if (cli_help("remind", word)) {
			*ret_is_done = true;
			return CLI_DONE;
		} else if (option_is(reader, 'p', "pane")) {
			status =
			    (remind->pane = option_value(reader)) != NULL ? CLI_DONE : CLI_USAGE;
		} else if (option_is(reader, 'r', "recurring")) {
			remind->is_recurring = true;
		} else {
			return option_unknown(reader);
		}
	}
	if (status == CLI_DONE && remind->text == NULL)
		return cli_usage("remind", "a time and a text are needed, such as: 10m tea");
	return status;
}

enum cli_status remind_run(struct cli *cli, int argc, char **argv)
{
	struct remind remind = {.ms = -1};
	struct option_reader reader;
	struct json_writer writer;
	const struct json *result;
	enum cli_status status;
	bool is_finished;
	struct buf params;
	struct link *link;
	option_start(&reader, cli, argc, argv);
	status = read_options(&remind, &reader, &is_finished);
	if (status != CLI_DONE || is_finished)
		return status;
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	buf_init(&params, PARAMS_MAX);
	json_writer_init(&writer, &params);
	json_object_begin(&writer, NULL);
	json_put_double(&writer, "seconds", (double)remind.ms / 1000);
	(void)json_put_text(&writer, "text", remind.text, strlen(remind.text));
	if (remind.is_recurring)
		json_put_bool(&writer, "recurring", true);
	if (remind.pane != NULL)
		(void)json_put_text(&writer, "pane", remind.pane, strlen(remind.pane));
	json_object_end(&writer);
	if (writer.is_cut)
		status = cli_usage("remind", "the text is too long");
	else
		status =
		    ask_result(link, "sleep", (const char *)params.data, ASK_TIMEOUT_MS, &result);
	if (status == CLI_DONE)
		show_result(cli, "sleep", result);
	buf_finish(&params);
	link_close(link);
	return cli_flush(status);
}
