/* SPDX-License-Identifier: ISC */
/* muxbus remind: a notification with a text, after a time. */
#include <stdio.h>

#include "cli/ask.h"
#include "cli/option.h"
#include "cli/show.h"
#include "cli/verbs.h"

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
	const struct json *result;
	enum cli_status status;
	struct link *link;
	if (!option_read(cli, argc, argv, options, &remind, NULL, &status))
		return status;
	if (remind.text == NULL)
		return cli_usage("remind", "a time and a text are needed, such as: 10m tea");
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	status = ask_method(link, "sleep",
	    ASK_PARAMS({"seconds", .seconds = (double)remind.ms / 1000},
		{"text", .text = remind.text}, {"recurring", .is_true = remind.is_recurring},
		{"pane", .text = remind.pane}),
	    &result);
	if (status == CLI_DONE)
		show_result(cli, "sleep", result);
	link_close(link);
	return cli_flush(status);
}
