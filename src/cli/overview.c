/* SPDX-License-Identifier: ISC */
/* The page of muxbus without a verb, on a terminal: the daemon's status, and common verbs. */
#include "cli/overview.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/ask.h"
#include "cli/screen_text.h"
#include "cli/status_text.h"

#define OUT_MAX ((size_t)1024 * 1024)
#define NAME_COLUMNS 8
#define TEXT_COLUMN (NAME_COLUMNS + 11) /* behind "  muxbus " and two blanks */

static const char *const common[] = {"ls", "top", "run", "logs", "send", "wait", "watch", "help"};

static void put_status(struct buf *out, struct cli *cli)
{
	struct link *link;
	struct buf hint;
	const struct json *status = ask_quietly(cli, "status", ASK_MUTE_MS, &link);
	if (status != NULL) {
		status_text(out, status, (size_t)screen_columns(STDOUT_FILENO), cli->has_color);
	} else {
		buf_init(&hint, OUT_MAX);
		(void)buf_printf(
		    &hint, "muxbusd %s: ", link != NULL ? "does not answer" : "is not running");
		cli_hint(&hint, cli, link != NULL ? "muxbus doctor" : "muxbus start");
		screen_text_wrap(out, buf_text(&hint), (size_t)screen_columns(STDOUT_FILENO), 0, 0);
		buf_finish(&hint);
	}
	link_close(link);
}

enum cli_status overview_run(struct cli *cli)
{
	size_t columns = (size_t)screen_columns(STDOUT_FILENO);
	struct buf out;
	buf_init(&out, OUT_MAX);
	put_status(&out, cli);
	(void)buf_append_byte(&out, '\n');
	for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
		(void)buf_printf(&out, "  muxbus %s%-*s%s  ",
		    screen_style(cli->has_color, SCREEN_NAME), NAME_COLUMNS, common[i],
		    screen_style(cli->has_color, SCREEN_PLAIN));
		screen_text_wrap(
		    &out, verb_find(common[i])->summary, columns, TEXT_COLUMN, TEXT_COLUMN);
	}
	cli_print(&out);
	return cli_flush(CLI_DONE);
}
