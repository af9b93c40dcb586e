/* SPDX-License-Identifier: ISC */
#include "cli/catalog.h"

#include "cli/program.h"

#define TABLES_MAX ((size_t)16 * 1024 * 1024)
#define TABLES_TIMEOUT_MS 10000
#define NAMES_MAX 512

struct catalog {
	struct link *link; /* holds the daemon's answer if the daemon answered; or NULL */
	struct json_reader *reader; /* holds the output of muxbusd describe, or NULL */
	struct buf text;
	const struct json *tables;
};

static bool ask_daemon(struct catalog *catalog, const char *socket, const struct ask_param *params)
{
	char reason[PATH_MAX + 512];
	struct link_answer answer;
	enum link_read read;
	if (ask_open(&catalog->link, socket, reason, sizeof reason) != LINK_OK)
		return false;
	read = ask_read(catalog->link, "describe", params, ASK_MUTE_MS, &answer);
	if (read == LINK_LINE && answer.error != NULL)
		read = link_ask(catalog->link, "describe", NULL, ASK_MUTE_MS, &answer);
	if (read == LINK_LINE)
		catalog->tables = answer.result;
	return catalog->tables != NULL;
}

static bool ask_program(struct catalog *catalog, char *ret_reason, size_t size)
{
	char path[PATH_MAX];
	char *const argv[] = {(char *)"muxbusd", (char *)"describe", NULL};
	struct json_error error;
	int status;
	if (!program_find("muxbusd", path, sizeof path))
		return cli_refuse(
		    ret_reason, size, "muxbusd is not running, not beside muxbus and not in PATH");
	status = program_run(path, argv, PROGRAM_STDOUT, TABLES_TIMEOUT_MS, &catalog->text);
	if (status != 0)
		return cli_refuse(ret_reason, size, "%s describe: %s", path,
		    status < 0 ? strerror(errno) : "failed");
	catalog->reader = json_reader_new(TABLES_MAX);
	catalog->tables =
	    json_read(catalog->reader, buf_text(&catalog->text), catalog->text.len, &error);
	if (catalog->tables == NULL)
		(void)snprintf(ret_reason, size, "%s describe: %s", path, error.text);
	return catalog->tables != NULL;
}

struct catalog *catalog_open(
    const struct cli *cli, const struct ask_param *params, char *ret_reason, size_t size)
{
	struct catalog *catalog = xcalloc(1, sizeof *catalog);
	buf_init(&catalog->text, TABLES_MAX);
	if (ask_daemon(catalog, cli->socket, params) || ask_program(catalog, ret_reason, size))
		return catalog;
	catalog_close(catalog);
	return NULL;
}

void catalog_close(struct catalog *catalog)
{
	if (catalog == NULL)
		return;
	link_close(catalog->link);
	if (catalog->reader != NULL)
		json_reader_free(catalog->reader);
	buf_finish(&catalog->text);
	mem_free(catalog);
}

const struct json *catalog_tables(const struct catalog *catalog)
{
	return catalog->tables;
}

const struct json *catalog_method(const struct catalog *catalog, const char *name)
{
	return ask_row(json_member(catalog->tables, "methods"), name);
}

/* Our names for tmux commands that str_nearest() would not find. */
static const struct {
	const char *name, *ours;
} of_tmux[] = {{"attach", "go"}, {"attach-session", "go"}, {"kill-pane", "close_pane"},
    {"kill-session", "close_session"}, {"kill-window", "close_window"}, {"new", "create_session"},
    {"new-session", "create_session"}, {"new-window", "create_window"}, {"neww", "create_window"},
    {"rename-session", "run_tmux"}, {"rename_session", "run_tmux"}, {"select-pane", "go"},
    {"select-window", "go"}, {"split-window", "create_pane"}, {"splitw", "create_pane"},
    {"switch-client", "go"}};

const char *catalog_nearest(const struct catalog *catalog, const char *name)
{
	const char *near, *names[NAMES_MAX + 1] = {NULL};
	const struct json *methods = json_member(catalog->tables, "methods");
	size_t count = 0;
	if (str_row(of_tmux, name) != NULL)
		return str_row(of_tmux, name)->ours;
	for (const struct verb *verb = verbs; verb->name != NULL && count < NAMES_MAX; verb++)
		if (verb->summary != NULL)
			names[count++] = verb->name;
	for (const struct json *row = json_first_member(methods); row != NULL && count < NAMES_MAX;
	     row = row->next)
		names[count++] = row->name;
	near = str_nearest(name, names);
	return near == NULL && name[0] != '-' && strchr(name, '-') != NULL ? "run_tmux" : near;
}
