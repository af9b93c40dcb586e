/* SPDX-License-Identifier: ISC */
/* muxbus screenshot: saves the screen of a pane as a picture. An installed program makes PNGs. */
#include <ftw.h>

#include "base/file.h"
#include "cli/program.h"
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"

enum { TIMEOUT_MS = 60000, WORDS_MAX = 12, OUTPUT_MAX = 4096, PATH_SIZE = 256 };

#define TEMPLATE "muxbus-png-XXXXXX"

/* A temporary folder for the SVG, the PNG and files of the program, and options that name them. */
struct folder {
	char path[PATH_SIZE], svg[PATH_SIZE + 16], png[PATH_SIZE + 16];
	char profile[PATH_SIZE + 32]; /* of a browser, as an option */
	char screenshot[PATH_SIZE + 32], size[64];
};

struct renderer {
	const char *name;
	void (*fill)(struct folder *folder, const char **words);
};

static void fill_rsvg(struct folder *folder, const char **words)
{
	const char *const all[] = {
	    "--zoom=2", "--format=png", "--output", folder->png, folder->svg, NULL};
	memcpy(words, all, sizeof all);
}

static void fill_chromium(struct folder *folder, const char **words)
{
	const char *const all[] = {"--headless", "--disable-gpu", "--hide-scrollbars",
	    "--force-device-scale-factor=2", folder->size, folder->profile, folder->screenshot,
	    folder->svg, geteuid() == 0 ? "--no-sandbox" : NULL, NULL};
	memcpy(words, all, sizeof all);
}

/* The first installed program is used. */
static const struct renderer renderers[] = {
    {"rsvg-convert", fill_rsvg},
    {"chromium", fill_chromium},
    {"google-chrome", fill_chromium},
};

static bool write_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool is_written = fd >= 0 && file_write_all(fd, bytes, len) == 0;
	return fd >= 0 && close(fd) == 0 && is_written;
}

static int remove_entry(
    const char *path, const struct stat *info UNUSED, int kind UNUSED, struct FTW *place UNUSED)
{
	(void)remove(path);
	return 0;
}

static bool make_folder(struct folder *folder, const char *svg, size_t len)
{
	const char *parent = getenv("TMPDIR");
	unsigned width = 0, height = 0;
	const char *size = memmem(svg, len, "<svg ", 5);
	char path[PATH_SIZE];
	int used = snprintf(path, sizeof path, "%s/" TEMPLATE,
	    parent != NULL && parent[0] == '/' ? parent : "/tmp");
	if (used < 0 || (size_t)used >= sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (mkdtemp(path) == NULL)
		return false;
	/* Set the path only now, because a folder that has a path is removed at the end. */
	memcpy(folder->path, path, sizeof path);
	if (size != NULL && (size = strstr(size, " width='")) != NULL)
		(void)sscanf(size, " width='%u' height='%u'", &width, &height);
	(void)snprintf(folder->svg, sizeof folder->svg, "%s/in.svg", folder->path);
	(void)snprintf(folder->png, sizeof folder->png, "%s/out.png", folder->path);
	(void)snprintf(
	    folder->profile, sizeof folder->profile, "--user-data-dir=%s/p", folder->path);
	(void)snprintf(
	    folder->screenshot, sizeof folder->screenshot, "--screenshot=%s", folder->png);
	(void)snprintf(folder->size, sizeof folder->size, "--window-size=%u,%u", width, height);
	return write_file(folder->svg, svg, len);
}

static bool render(struct folder *folder, const struct renderer *renderer, const char *path)
{
	const char *words[WORDS_MAX + 1] = {renderer->name};
	struct buf said = BUF(OUTPUT_MAX);
	int status;
	renderer->fill(folder, words + 1);
	status = program_run(path, (char *const *)words, PROGRAM_STDERR, TIMEOUT_MS, &said);
	if (status != 0 && said.len > 0)
		cli_error("%s: %.*s", renderer->name, (int)strcspn((char *)said.data, "\n"),
		    (char *)said.data);
	else if (status < 0)
		cli_error("%s: %s", renderer->name, strerror(errno));
	else if (status > 0)
		cli_error("%s: it ended with status %d, and said nothing", renderer->name, status);
	buf_finish(&said);
	return status == 0;
}

/* Converts SVG to PNG, twice as large, by an installed program. Returns false after a message. */
static bool convert_to_png(const char *svg, size_t len, struct buf *out)
{
	const struct renderer *renderer = renderers;
	const struct renderer *end = renderers + sizeof renderers / sizeof renderers[0];
	struct folder folder = {.path = ""};
	struct interrupt interrupt;
	char path[PATH_MAX];
	bool is_done = false;
	while (renderer < end && !program_find_in_path(renderer->name, path, sizeof path))
		renderer++;
	if (renderer == end) {
		cli_error("a picture in PNG needs rsvg-convert (Debian: librsvg2-bin) or chromium");
		return false;
	}
	if (interrupt_open(&interrupt) < 0)
		return false;
	if (!make_folder(&folder, svg, len)) {
		cli_error("a folder for temporary files: %s", strerror(errno));
	} else if (render(&folder, renderer, path)) {
		is_done = file_read(folder.png, 0, out) == 0 && out->len > 0;
		if (!is_done)
			cli_error("%s made no picture", renderer->name);
	}
	if (folder.path[0] != '\0')
		(void)nftw(folder.path, remove_entry, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	(void)interrupt_close(&interrupt, CLI_DONE); /* a signal that came meanwhile ends us here */
	return is_done;
}

#define PNG_MAX (64 * 1024 * 1024)

struct screenshot {
	const char *pane; /* NULL: our own pane */
	const char *path; /* NULL or "-": standard output */
	const char *format; /* NULL: by the suffix of path, else svg */
	const char *theme; /* NULL: the daemon's default */
	const char *title; /* NULL: no title bar */
	uint32_t lines; /* 0: the visible screen */
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

static const char *choose_format(const struct screenshot *shot)
{
	static const char *const suffixes[] = {"svg", "html", "png", "htm"};
	const char *path = shot->path != NULL ? shot->path : "";
	const char *dot = strrchr(str_last_part(path), '.');
	const char *format = shot->format == NULL && dot != NULL ? dot + 1 : shot->format;
	for (size_t i = 0; format != NULL && i < sizeof suffixes / sizeof *suffixes; i++)
		if (strcmp(format, suffixes[i]) == 0)
			return i < 3 ? suffixes[i] : "html";
	return format == NULL ? "svg" : NULL;
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
	if (pane == NULL && locate_own_pane(cli, own, sizeof own))
		pane = own;
	return ask_method(link, "capture_pane",
	    ASK_PARAMS({"format", .text = is_png(shot) ? "svg" : choose_format(shot)},
		{"pane", .text = pane}, {"theme", .text = shot->theme},
		{"title", .text = shot->title}, {"lines", .number = shot->lines}),
	    ret_result);
}

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
	if (file == NULL)
		return cli_fail(CLI_NO, "%s: %s", shot->path, strerror(errno));
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
	struct buf png = BUF(PNG_MAX);
	if (convert_to_png(picture->text, picture->len, &png))
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
	if (choose_format(&shot) == NULL && shot.format != NULL)
		return cli_usage("screenshot", "--format must be svg, html or png");
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
	}
	link_close(link);
	return status;
}
