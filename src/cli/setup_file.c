/* SPDX-License-Identifier: ISC */
/* Edits the files of agents. */
#include "cli/setup_file.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "cli/cli.h"
#include "cli/config_file.h"
#include "cli/config_json.h"
#include "cli/config_toml.h"
#include "cli/screen_text.h"
#include "cli/shell_word.h"
#include "wire/json.h"

#define TEXT_MAX ((size_t)64 * 1024)

/* Prints a line that may contain an untrusted path. */
void setup_say(const char *format, ...)
{
	va_list args;
	char text[PATH_MAX * 2 + 512];
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	screen_print_line(stdout, text);
	(void)fputc('\n', stdout);
}

/* The directory of the installed integrations. */
const char *setup_integrations(void)
{
	const char *own = getenv("MUXBUS_CONTRIBDIR");
	return own != NULL && *own == '/' ? own : MUXBUS_CONTRIBDIR;
}

static void out_of_memory(void)
{
	(void)xalloc(SIZE_MAX / 2); /* prints an error, and exits */
}

/* Fills in the signs of a value, escaped for the inside of a quoted string. */
static char *fill(const struct setup *setup, const char *value)
{
	struct buf out, word;
	bool lossy = false;
	buf_init(&out, TEXT_MAX);
	buf_init(&word, TEXT_MAX);
	if (shell_word(&word, setup->command) < 0)
		out_of_memory();
	for (; *value; value++) {
		const char *meant = *value == '@' ? setup->command
		    : *value == '$'               ? (const char *)word.data
		    : *value == '%'               ? setup_integrations()
						  : NULL;
		int r = meant != NULL ? json_escape(&out, meant, strlen(meant), &lossy)
				      : buf_append_byte(&out, (uint8_t)*value);
		if (r < 0)
			out_of_memory();
	}
	buf_finish(&word);
	return (char *)buf_steal(&out, NULL);
}

/* Whether a file refers to the integrations, but they are not installed. */
static bool lacks_integrations(const struct setup_file *file, char *ret_reason, size_t size)
{
	for (const struct setup_step *step = file->steps; step->value != NULL; step++) {
		if (strchr(step->value, '%') != NULL && access(setup_integrations(), X_OK) < 0) {
			(void)snprintf(ret_reason, size,
			    "the integrations are not installed at %s; `make install` does that",
			    setup_integrations());
			return true;
		}
	}
	return false;
}

static bool edit_json(const struct setup *setup, const struct setup_file *file, const char *text,
    size_t len, struct buf *out, char *ret_reason, size_t size)
{
	struct config_json config;
	bool is_done = config_json_init(&config, text, len);
	bool is_removal = setup->action == SETUP_REMOVE;
	for (size_t i = 0; is_done && is_removal && file->own[i][0] != NULL; i++)
		is_done = config_json_remove(&config, file->own[i]);
	for (const struct setup_step *step = file->steps; is_done && step->value != NULL; step++) {
		char *value = fill(setup, step->value);
		if (step->kind == SETUP_ELEMENT && is_removal)
			is_done = config_json_remove_elements(&config, step->path, step->mark);
		else if (step->kind == SETUP_ELEMENT)
			is_done = config_json_set_element(&config, step->path, step->mark, value);
		else if (!is_removal)
			is_done =
			    config_json_set(&config, step->path, value, step->kind == SETUP_PRESET);
		mem_free(value);
	}
	if (is_done)
		(void)buf_append(out, config.text.data, config.text.len);
	else
		(void)snprintf(ret_reason, size, "%s", config.reason);
	config_json_finish(&config);
	return is_done;
}

static bool edit_toml(const struct setup *setup, const struct setup_file *file, const char *text,
    size_t len, struct buf *out, char *ret_reason, size_t size)
{
	struct config_toml config;
	bool is_done = config_toml_init(&config, text, len);
	bool is_removal = setup->action == SETUP_REMOVE;
	if (is_done && is_removal)
		is_done = config_toml_remove(&config, file->own[0][0], file->own[0][1]);
	for (const struct setup_step *step = file->steps;
	     is_done && !is_removal && step->value != NULL; step++) {
		char *value = fill(setup, step->value);
		is_done = config_toml_set(&config, step->path[0], step->path[1], step->path[2],
		    value, step->kind == SETUP_PRESET);
		mem_free(value);
	}
	if (is_done)
		(void)buf_append(out, config.text.data, config.text.len);
	else
		(void)snprintf(ret_reason, size, "%s", config.reason);
	config_toml_finish(&config);
	return is_done;
}

/* Edits a text. Returns false with a reason. */
static bool edit(const struct setup *setup, const struct setup_file *file, const struct buf *text,
    struct buf *out, char *ret_reason, size_t size)
{
	const char *bytes = text->data != NULL ? (const char *)text->data : "";
	return (file->is_toml ? edit_toml : edit_json)(
	    setup, file, bytes, text->len, out, ret_reason, size);
}

/* The path of a file. Returns false if it is too long, or without a home directory. */
bool setup_place(const struct setup *setup, const char *path, char *out, size_t size)
{
	const struct setup_agent *agent = setup->agent;
	const char *folder = agent->home_variable != NULL ? getenv(agent->home_variable) : NULL;
	const char *home = getenv("HOME");
	char cwd[PATH_MAX];
	int n;
	if (setup->scope == SETUP_PROJECT)
		n = getcwd(cwd, sizeof cwd) != NULL ? snprintf(out, size, "%s/%s", cwd, path) : -1;
	else if (folder != NULL && *folder == '/')
		n = snprintf(out, size, "%s/%s", folder, path);
	else if (home != NULL && *home == '/')
		n = snprintf(
		    out, size, "%s/%s%s%s", home, agent->home, *agent->home ? "/" : "", path);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* Prints the settings that a file needs. */
void setup_print_file(const struct setup *setup, const struct setup_file *file, const char *path)
{
	struct buf nothing, out;
	char reason[256];
	buf_init(&nothing, 1);
	buf_init(&out, TEXT_MAX);
	setup_say("%s", path);
	(void)putchar('\n');
	if (edit(setup, file, &nothing, &out, reason, sizeof reason))
		(void)fwrite(out.data, 1, out.len, stdout);
	buf_finish(&out);
}

/* Whether another file exists that the agent would read instead. */
static bool has_rival(
    const struct setup_file *file, const char *path, char *ret_reason, size_t size)
{
	char rival[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int n;
	if (file->rival == NULL || access(path, F_OK) == 0)
		return false;
	n = snprintf(rival, sizeof rival, "%.*s/%s", (int)(slash - path), path, file->rival);
	if (n < 0 || (size_t)n >= sizeof rival || access(rival, F_OK) < 0)
		return false;
	(void)snprintf(
	    ret_reason, size, "%s exists, and may have comments: edit it by hand", rival);
	return true;
}

/* Reads, edits and writes one file, and reports the result. */
bool setup_change_file(const struct setup *setup, const struct setup_file *file, const char *path)
{
	struct config_file config;
	struct buf out;
	char reason[PATH_MAX * 2 + 512];
	char detail[PATH_MAX + 128];
	bool is_same, is_done, is_absent;
	buf_init(&out, CONFIG_FILE_MAX);
	is_done = config_file_read(&config, path, reason, sizeof reason);
	is_absent = is_done && !config.is_there && setup->action == SETUP_REMOVE;
	if (is_done && !is_absent &&
	    (has_rival(file, path, detail, sizeof detail) ||
		(setup->action == SETUP_WRITE && lacks_integrations(file, detail, sizeof detail)) ||
		!edit(setup, file, &config.text, &out, detail, sizeof detail))) {
		(void)snprintf(reason, sizeof reason, "%s: %s", path, detail);
		is_done = false;
	}
	is_same = is_absent ||
	    (is_done && config.is_there && out.len == config.text.len &&
		(out.len == 0 || memcmp(out.data, config.text.data, out.len) == 0));
	if (is_done && !is_same)
		is_done = config_file_write(&config, &out, reason, sizeof reason);
	if (!is_done)
		cli_error("%s; nothing was changed there", reason);
	else if (is_same)
		setup_say("%s: %s", path,
		    setup->action == SETUP_REMOVE ? "contains nothing of muxbus"
						  : "contains everything already");
	else
		setup_say("%s: %s%s%s", path, config.is_there ? "changed" : "made",
		    config.backup[0] ? "; backup: " : "", config.backup);
	buf_finish(&out);
	config_file_finish(&config);
	return is_done;
}
