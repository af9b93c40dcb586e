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

/* The first word is the time, the second one the text. */
static bool take_word(void *data, const struct option_row *row, const char *word)
{
	struct remind *remind = data;
	(void)row;
	if (remind->ms >= 0 && remind->text != NULL)
		(void)cli_usage("remind", "quote the text: \"%s\" is left over", word);
	else if (remind->ms >= 0)
		return (remind->text = word) != NULL;
	else if (!option_parse_duration(word, &remind->ms))
		(void)cli_usage(
		    "remind", "the time must be such as 30, 1.5s, 10m or 2h, not \"%s\"", word);
	else if (remind->ms == 0)
		(void)cli_usage("remind", "the time must be longer than 0");
	else
		return true;
	return false;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TAKE, 0, take_word},
    {"pane", 'p', OPTION_TEXT, offsetof(struct remind, pane), NULL},
    {"recurring", 'r', OPTION_FLAG, offsetof(struct remind, is_recurring), NULL},
    {0},
};

enum cli_status remind_run(struct cli *cli, int argc, char **argv)
{
	struct remind remind = {.ms = -1};
	struct json_writer writer;
	const struct json *result;
	enum cli_status status;
	struct buf params;
	struct link *link;
	if (!option_read(cli, argc, argv, options, &remind, NULL, &status))
		return status;
	if (remind.text == NULL)
		return cli_usage("remind", "a time and a text are needed, such as: 10m tea");
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	json_start_object(&writer, &params, PARAMS_MAX);
	json_put_double(&writer, "seconds", (double)remind.ms / 1000);
	json_put_str(&writer, "text", remind.text);
	if (remind.is_recurring)
		json_put_bool(&writer, "recurring", true);
	if (remind.pane != NULL)
		json_put_str(&writer, "pane", remind.pane);
	json_object_end(&writer);
	if (writer.is_cut)
		status = cli_usage("remind", "the text is too long");
	else
		status = ask_result(link, "sleep", buf_text(&params), ASK_TIMEOUT_MS, &result);
	if (status == CLI_DONE)
		show_result(cli, "sleep", result);
	buf_finish(&params);
	link_close(link);
	return cli_flush(status);
}
