/* SPDX-License-Identifier: ISC */
/* muxbus on_notify: sets, shows or removes the user's own program for notifications. */
#include "cli/config_file.h"
#include "cli/program.h"
#include "cli/setup/setup_file.h"
#include "cli/verb.h"
#include "wire/address.h"

enum { REASON_SIZE = PATH_MAX + 512, WORDS_MAX = 64, FILE_MAX_BYTES = 8192 };

/* Finds the program: a path, a name of a program of muxbus, or a name in PATH. */
static bool find(const char *word, char path[PATH_MAX], char *ret_reason, size_t size)
{
	int len;
	if (strchr(word, '/') != NULL) {
		if (address_absolute(path, PATH_MAX, word) == 0 && access(path, X_OK) == 0)
			return true;
		return cli_refuse(ret_reason, size, "%s cannot be run", word);
	}
	len = snprintf(path, PATH_MAX, "%s/on_notify/%s", setup_integrations(), word);
	if ((len > 0 && len < PATH_MAX && access(path, X_OK) == 0) ||
	    program_find_in_path(word, path, PATH_MAX))
		return true;
	return cli_refuse(ret_reason, size,
	    "there is no program \"%s\" in PATH, nor in %s/on_notify (desktop, ntfy)", word,
	    setup_integrations());
}

static bool can_run(int count, char **words, char *ret_reason, size_t size)
{
	static const struct {
		const char *name, *program, *package, *argument;
	} needs[] = {
	    {"desktop", "notify-send", "libnotify-bin", NULL},
	    {"desktop", "jq", "jq", NULL},
	    {"ntfy", "curl", "curl", "https://ntfy.sh/TOPIC"},
	    {"ntfy", "jq", "jq", NULL},
	};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
		if (strcmp(words[0], needs[i].name) != 0)
			continue;
		if (!program_find_in_path(needs[i].program, path, sizeof path))
			return cli_refuse(ret_reason, size,
			    "%s needs %s, which is not installed: apt install %s", words[0],
			    needs[i].program, needs[i].package);
		/* curl would take a topic without a server as a host. */
		if (needs[i].argument != NULL && (count < 2 || strchr(words[1], '/') == NULL))
			return cli_refuse(ret_reason, size, "its topic is %s: on_notify %s %s",
			    count < 2 ? "missing" : "no URL", words[0], needs[i].argument);
	}
	return true;
}

static enum cli_status put(struct config_file *file, int count, char **words)
{
	char path[PATH_MAX], reason[REASON_SIZE];
	struct buf text = BUF(FILE_MAX_BYTES);
	bool is_whole;
	if (count > WORDS_MAX)
		return cli_usage("on_notify", "at most %d words", WORDS_MAX);
	for (int i = 0; i < count; i++)
		if (words[i][0] == '\0' || words[i][0] == '#' || strchr(words[i], '\n') != NULL)
			return cli_usage("on_notify",
			    "a word is empty, begins with # or has a line feed: put the command "
			    "into a script");
	if (!find(words[0], path, reason, sizeof reason) ||
	    !can_run(count, words, reason, sizeof reason))
		return cli_fail(CLI_NO, "%s", reason);
	is_whole = buf_printf(&text, "%s\n", path) == 0;
	for (int i = 1; i < count; i++)
		is_whole = buf_printf(&text, "%s\n", words[i]) == 0 && is_whole;
	if (!is_whole)
		(void)snprintf(reason, sizeof reason, "the command line is too long");
	else
		is_whole = config_file_write(file, &text, true, reason, sizeof reason);
	buf_finish(&text);
	if (!is_whole)
		return cli_fail(CLI_NO, "%s", reason);
	(void)printf(
	    "muxbusd runs %s for notifications that no agent gets: %s\n", path, file->path);
	return cli_flush(CLI_DONE);
}

static enum cli_status take_away(struct config_file *file)
{
	char reason[REASON_SIZE];
	if (!file->is_there)
		return cli_fail(CLI_NO, "%s does not exist", file->path);
	if (!config_file_remove(file, false, reason, sizeof reason))
		return cli_fail(CLI_NO, "%s", reason);
	(void)printf("%s is removed\n", file->path);
	return cli_flush(CLI_DONE);
}

static enum cli_status show(const struct config_file *file)
{
	struct buf out = BUF(4 * CONFIG_FILE_MAX);
	if (!file->is_there)
		return cli_fail(
		    CLI_NO, "no program is set; for the desktop: muxbus on_notify desktop");
	(void)screen_text_block(
	    &out, file->text.data, file->text.len); /* a text over the limit is shown cut off */
	cli_print(&out);
	return cli_flush(CLI_DONE);
}

enum cli_status on_notify_run(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {{"remove", 0, OPTION_FLAG, 0, NULL}, {0}};
	char path[PATH_MAX], reason[REASON_SIZE];
	bool is_removal = false;
	struct config_file file;
	enum cli_status status;
	int at;
	if (!option_read(cli, argc, argv, rows, &is_removal, &at, &status))
		return status;
	if (is_removal && at < argc)
		return cli_usage("on_notify", "unexpected argument \"%s\"", argv[at]);
	if (address_config(path, sizeof path, "on_notify") < 0)
		return cli_fail(CLI_NO, "there is no home directory");
	if (!config_file_read(&file, path, reason, sizeof reason))
		status = cli_fail(CLI_NO, "%s", reason);
	else if (is_removal)
		status = take_away(&file);
	else
		status = at < argc ? put(&file, argc - at, argv + at) : show(&file);
	buf_finish(&file.text);
	return status;
}
