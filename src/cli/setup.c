/* SPDX-License-Identifier: ISC */
/* muxbus setup: adds Muxbus to the configuration files of an agent. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "cli/config_file.h"
#include "cli/config_json.h"
#include "cli/config_toml.h"
#include "cli/screen_text.h"
#include "cli/setup_agent.h"
#include "cli/shell_word.h"
#include "cli/verbs.h"
#include "wire/json.h"

#define TEXT_MAX ((size_t)64 * 1024)

enum action {
	ACTION_PRINT,
	ACTION_WRITE,
	ACTION_REMOVE,
};

struct setup {
	const struct setup_agent *agent;
	enum action action;
	enum setup_scope scope;
	char command[PATH_MAX]; /* "muxbus", or its path if PATH does not lead to it */
};

/* Prints a line that may contain an untrusted path. */
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
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
static const char *integrations(void)
{
	const char *own = getenv("MUXBUS_CONTRIBDIR");
	return own != NULL && *own == '/' ? own : MUXBUS_CONTRIBDIR;
}

static void say_next(const struct setup *setup)
{
	const char *at = setup->agent->next;
	(void)putchar('\n');
	for (; *at; at++) {
		if (*at == '%')
			screen_print_line(stdout, integrations());
		else
			(void)putchar(*at);
	}
	(void)putchar('\n');
}

/* Finds the program that a shell would run for "muxbus"; false if there is none. */
static bool find_in_path(char *out, size_t size)
{
	const char *path = getenv("PATH");
	for (size_t entry; path != NULL && *path; path += entry + (path[entry] == ':')) {
		int n;
		entry = strcspn(path, ":");
		n = snprintf(out, size, "%.*s/muxbus", (int)entry, path);
		if (*path == '/' && n > 0 && (size_t)n < size && access(out, X_OK) == 0)
			return true;
	}
	return false;
}

/* Chooses the command for agents: the name if PATH leads to us, else the path. */
static bool find_command(struct setup *setup)
{
	char found[PATH_MAX], real[PATH_MAX], self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	bool is_ours;
	if (len <= 0)
		return false;
	self[len] = '\0';
	is_ours = find_in_path(found, sizeof found) && realpath(found, real) != NULL &&
	    strcmp(real, self) == 0;
	(void)snprintf(setup->command, sizeof setup->command, "%s", is_ours ? "muxbus" : self);
	return true;
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
		    : *value == '%'               ? integrations()
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
		if (strchr(step->value, '%') != NULL && access(integrations(), X_OK) < 0) {
			(void)snprintf(ret_reason, size,
			    "the integrations are not installed at %s; `make install` does that",
			    integrations());
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
	bool is_removal = setup->action == ACTION_REMOVE;
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
	bool is_removal = setup->action == ACTION_REMOVE;
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
static bool place(const struct setup *setup, const char *path, char *out, size_t size)
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
static void print_file(const struct setup *setup, const struct setup_file *file, const char *path)
{
	struct buf nothing, out;
	char reason[256];
	buf_init(&nothing, 1);
	buf_init(&out, TEXT_MAX);
	say("%s", path);
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
static bool change_file(const struct setup *setup, const struct setup_file *file, const char *path)
{
	struct config_file config;
	struct buf out;
	char reason[PATH_MAX * 2 + 512];
	char detail[PATH_MAX + 128];
	bool is_same, is_done, is_absent;
	buf_init(&out, CONFIG_FILE_MAX);
	is_done = config_file_read(&config, path, reason, sizeof reason);
	is_absent = is_done && !config.is_there && setup->action == ACTION_REMOVE;
	if (is_done && !is_absent &&
	    (has_rival(file, path, detail, sizeof detail) ||
		(setup->action == ACTION_WRITE &&
		    lacks_integrations(file, detail, sizeof detail)) ||
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
		say("%s: %s", path,
		    setup->action == ACTION_REMOVE ? "contains nothing of muxbus"
						   : "contains everything already");
	else
		say("%s: %s%s%s", path, config.is_there ? "changed" : "made",
		    config.backup[0] ? "; backup: " : "", config.backup);
	buf_finish(&out);
	config_file_finish(&config);
	return is_done;
}

static enum cli_status run(const struct setup *setup)
{
	char path[PATH_MAX];
	bool is_done = true;
	for (size_t i = 0; i < 2; i++) {
		const struct setup_file *file = &setup->agent->files[i];
		if (file->paths[setup->scope] == NULL)
			continue;
		if (!place(setup, file->paths[setup->scope], path, sizeof path)) {
			cli_error("%s: $HOME is not an absolute path", file->paths[setup->scope]);
			return CLI_NO;
		}
		if (setup->action == ACTION_PRINT) {
			if (i > 0)
				(void)putchar('\n');
			print_file(setup, file, path);
		} else {
			is_done &= change_file(setup, file, path);
		}
	}
	if (!is_done) {
		cli_error(
		    "`muxbus setup %s` prints the settings, to paste by hand", setup->agent->name);
		return CLI_NO;
	}
	if (setup->action == ACTION_PRINT)
		(void)printf(
		    "\nThe files need these settings; `muxbus setup %s --write` merges them "
		    "into them.\n",
		    setup->agent->name);
	else if (setup->action == ACTION_WRITE)
		say_next(setup);
	return CLI_DONE;
}

static bool read_option(struct setup *setup, const char *arg)
{
	static const struct {
		const char *arg;
		enum action action;
	} actions[] = {
	    {"--print", ACTION_PRINT}, {"--write", ACTION_WRITE}, {"--remove", ACTION_REMOVE}};
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(arg, actions[i].arg) == 0) {
			setup->action = actions[i].action;
			return true;
		}
	}
	if (strcmp(arg, "--scope=user") == 0)
		setup->scope = SETUP_USER;
	else if (strcmp(arg, "--scope=project") == 0)
		setup->scope = SETUP_PROJECT;
	else
		return false;
	return true;
}

enum cli_status setup_run(struct cli *cli, int argc, char **argv)
{
	struct setup setup = {0};
	for (int i = 1; i < argc; i++) {
		if (cli_help("setup", argv[i]))
			return CLI_DONE;
		if (read_option(&setup, argv[i]) || cli_option(cli, argv[i]))
			continue;
		if (argv[i][0] == '-' || setup.agent != NULL)
			return cli_usage("setup", "unexpected argument \"%s\"", argv[i]);
		setup.agent = setup_agent_find(argv[i]);
		if (setup.agent == NULL)
			return cli_usage("setup",
			    "unknown agent \"%s\"; choose claude, codex, copilot, gemini or "
			    "opencode",
			    argv[i]);
	}
	if (setup.agent == NULL)
		return cli_usage(
		    "setup", "an agent is missing: claude, codex, copilot, gemini or opencode");
	if (!find_command(&setup)) {
		cli_error("/proc/self/exe: %s", strerror(errno));
		return CLI_NO;
	}
	return cli_flush(run(&setup));
}
