/* SPDX-License-Identifier: ISC */
/* muxbus screenshot: saves the screen of a pane as a picture. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/ask.h"
#include "cli/option.h"
#include "cli/own_pane.h"
#include "cli/show.h"
#include "cli/verbs.h"
#include "cli/verbs/png.h"
#include "wire/json.h"

#define PNG_MAX (64 * 1024 * 1024)

struct screenshot {
	const char *pane; /* NULL: our own */
	const char *path; /* NULL, or "-": standard output */
	const char *format; /* NULL: by the path's suffix, else svg */
	const char *theme; /* NULL: the daemon's default */
	const char *title; /* NULL: no bar above the picture */
	uint32_t lines; /* 0: the screen */
};

static const struct option_row options[] = {
    {"", 0, OPTION_TEXT, offsetof(struct screenshot, pane), NULL},
    {"output", 'o', OPTION_TEXT, offsetof(struct screenshot, path), NULL},
    {"format", 'f', OPTION_TEXT, offsetof(struct screenshot, format), NULL},
    {"title", 't', OPTION_TEXT, offsetof(struct screenshot, title), NULL},
    {"theme", 0, OPTION_TEXT, offsetof(struct screenshot, theme), NULL},
    {"lines", 'n', OPTION_COUNT, offsetof(struct screenshot, lines), NULL},
    {0},
};

/* By the name of the file; NULL: its suffix is that of no picture. */
static const char *choose_format(const struct screenshot *shot)
{
	static const char *const suffixes[] = {"svg", "html", "png", "htm"};
	const char *path = shot->path != NULL ? shot->path : "";
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash != NULL ? slash : path, '.');
	if (shot->format != NULL)
		return shot->format;
	for (size_t i = 0; dot != NULL && i < sizeof suffixes / sizeof *suffixes; i++)
		if (strcmp(dot + 1, suffixes[i]) == 0)
			return i < 3 ? suffixes[i] : "html";
	return dot == NULL ? "svg" : NULL;
}

static bool is_png(const struct screenshot *shot)
{
	return strcmp(choose_format(shot), "png") == 0;
}

static enum cli_status capture(const struct cli *cli, const struct screenshot *shot,
    struct link *link, const struct json **ret_result)
{
	char own[32];
	const char *pane = shot->pane;
	if (pane == NULL && own_pane(cli, own, sizeof own))
		pane = own;
	return ask_method(link, "capture_pane",
	    ASK_PARAMS({"format", .text = is_png(shot) ? "svg" : choose_format(shot)},
		{"pane", .text = pane}, {"theme", .text = shot->theme},
		{"title", .text = shot->title}, {"lines", .number = shot->lines}),
	    ret_result);
}

/* Writes the picture to the file or to standard output. */
static enum cli_status put_picture(const struct screenshot *shot, const void *bytes, size_t len)
{
	bool is_written;
	int error;
	FILE *file;
	if (shot->path == NULL || strcmp(shot->path, "-") == 0) {
		(void)fwrite(bytes, 1, len, stdout);
		return cli_flush(CLI_DONE);
	}
	file = fopen(shot->path, "we");
	if (file == NULL) {
		cli_error("%s: %s", shot->path, strerror(errno));
		return CLI_NO;
	}
	is_written = fwrite(bytes, 1, len, file) == len;
	error = errno;
	if (fclose(file) != 0 && is_written) {
		is_written = false;
		error = errno;
	}
	if (!is_written)
		cli_error("%s: %s", shot->path, strerror(error));
	return is_written ? CLI_DONE : CLI_NO;
}

static enum cli_status put_png(const struct screenshot *shot, const struct json *picture)
{
	enum cli_status status = CLI_NO;
	struct buf png;
	buf_init(&png, PNG_MAX);
	if (png_convert(picture->text, picture->len, &png))
		status = put_picture(shot, png.data, png.len);
	buf_finish(&png);
	return status;
}

enum cli_status screenshot_run(struct cli *cli, int argc, char **argv)
{
	struct screenshot shot = {0};
	const struct json *result, *picture;
	struct link *link;
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &shot, NULL, &status))
		return status;
	if (cli->is_terminal && shot.path == NULL && !cli->wants_json)
		return cli_usage(
		    "screenshot", "will not write a picture to a terminal: use -o, or redirect it");
	if (choose_format(&shot) == NULL)
		return cli_usage("screenshot",
		    "\"%s\": the name must end in .svg, .html or .png, or -f names the format",
		    shot.path);
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	status = capture(cli, &shot, link, &result);
	picture = status == CLI_DONE ? json_member(result, "picture") : NULL;
	if (picture != NULL && cli->wants_json) {
		show_json(cli, result);
		status = cli_flush(CLI_DONE);
	} else if (picture != NULL && picture->type == JSON_STRING) {
		status = is_png(&shot) ? put_png(&shot, picture)
				       : put_picture(&shot, picture->text, picture->len);
	} else if (status == CLI_DONE) {
		status = cli_usage("screenshot", "--format must be svg, html or png");
	}
	link_close(link);
	return status;
}
