/* SPDX-License-Identifier: ISC */
/*
 * muxbus restore: recreates saved sessions. Directories and most names of windows reach tmux
 * through methods that take them literally. A rename command with escapes sets the other names.
 * Saved text reaches a shell only as an argument of a fixed script.
 */
#include "cli/verb.h"
#include "cli/verbs/restore_program.h"

/*
 * The name of a session until it is complete. A killed restore leaves nothing under the real name,
 * and of two restores only one can create this session.
 */
#define UNFINISHED TMUX_SERVER_SESSION "-unfinished"
#define ID_SIZE 16 /* "%4294967295" */

struct window_pair {
	const char *old; /* saved id of the window; lent */
	char new[ID_SIZE];
};

struct group_pair {
	int64_t group;
	char session[ID_SIZE];
};

struct restore {
	struct cli *cli;
	bool is_dry;
	const char **names; /* sessions to restore; all if count is 0 */
	size_t count;
	struct link *link;
	struct json_reader *reader; /* holds the saved sessions */
	struct window_pair *windows;
	size_t window_count;
	struct group_pair *groups;
	size_t group_count, problems;
	/* About the session in progress: */
	const char *session; /* name; lent */
	const char *server; /* tmux server of the session; lent */
	char id[ID_SIZE];
	size_t panes, agents;
	bool keeps_indexes; /* renumber-windows is off for now */
};

static void __attribute__((format(printf, 3, 4)))
problem(struct restore *restore, const char *window, const char *format, ...)
{
	char text[PATH_MAX + 256];
	va_list list;
	va_start(list, format);
	(void)vsnprintf(text, sizeof text, format, list);
	va_end(list);
	restore->problems++;
	cli_error("session %s%s%s: %s", restore->session, window != NULL ? ", window " : "",
	    window != NULL ? window : "", text);
}

/* Returns the result of a request, lent until the next, or NULL with the reason *ret_why. */
static const struct json *ask(struct restore *restore, const char *method, struct buf *params,
    struct json_writer *writer, const char **ret_why)
{
	struct link_answer answer = {0};
	enum link_read read = LINK_BROKEN;
	json_object_end(writer);
	if (!writer->is_cut)
		read = link_ask(restore->link, method, buf_text(params), ASK_TIMEOUT_MS, &answer);
	buf_finish(params);
	*ret_why = answer.error != NULL ? json_get_str(answer.error, "message", "refused")
					: "muxbusd does not answer";
	return read == LINK_LINE ? answer.result : NULL;
}

/* Runs a tmux command with force. ret_line, or NULL, gets the first line of its output. */
static bool run_tmux(struct restore *restore, const char *const *words, char *ret_line, size_t size)
{
	struct json_writer writer;
	struct buf params;
	const struct json *result;
	const char *why, *text;
	json_start_object(&writer, &params, LINK_LINE_MAX);
	json_array_begin(&writer, "command");
	for (; *words != NULL; words++)
		json_put_str(&writer, NULL, *words);
	json_array_end(&writer);
	json_put_bool(&writer, "force", true);
	result = ask(restore, "run_tmux", &params, &writer, &why);
	if (result == NULL)
		return false;
	text = json_get_str(result, "output", "");
	if (ret_line != NULL)
		(void)snprintf(ret_line, size, "%.*s", (int)strcspn(text, "\n"), text);
	return true;
}

#define TMUX(restore, ...) run_tmux(restore, (const char *const[]){__VA_ARGS__, NULL}, NULL, 0)

/* Writes directory and program of a pane. window NULL: does not warn, as at a retry. */
static void put_program(struct restore *restore, struct json_writer *writer, const char *window,
    const struct json *pane)
{
	if (!restore_put_program(writer, pane) && window != NULL)
		problem(restore, window, "the directory %s is gone",
		    json_get_str(pane, "cwd", "of a pane"));
}

static void keep_id(const struct json *result, const char *name, char out[ID_SIZE])
{
	(void)snprintf(out, ID_SIZE, "%s", json_get_str(result, name, ""));
}

static void made_pane(struct restore *restore, const struct json *pane, const char *id)
{
	struct json_writer writer;
	struct buf params;
	const char *why;
	restore->panes++;
	if (!restore_can_resume(pane))
		return;
	restore->agents++;
	json_start_object(&writer, &params, LINK_LINE_MAX);
	json_put_str(&writer, "agent", json_get_str(pane, "agent", ""));
	json_put_str(&writer, "session", json_get_str(pane, "conversation", ""));
	json_put_str(&writer, "pane", id);
	if (ask(restore, "report_agent", &params, &writer, &why) == NULL)
		problem(restore, NULL, "pane %s: %s", id, why);
}

/* Layouts that make room for another pane, each with the direction of the split. */
static const struct {
	const char *layout, *direction;
} arrangements[] = {
    {"tiled", "vertical"},
    {"tiled", "horizontal"},
    {"even-horizontal", "horizontal"},
    {"even-vertical", "vertical"},
    {"even-vertical", "horizontal"},
};

static bool add_pane(
    struct restore *restore, const char *window, const struct json *pane, char last[ID_SIZE])
{
	const char *why = "there is no room";
	for (size_t i = 0; i < sizeof arrangements / sizeof *arrangements; i++) {
		struct json_writer writer;
		struct buf params;
		const struct json *result;
		(void)TMUX(restore, "select-layout", "-t", last, arrangements[i].layout);
		json_start_object(&writer, &params, LINK_LINE_MAX);
		json_put_str(&writer, "pane", last);
		json_put_str(&writer, "direction", arrangements[i].direction);
		put_program(restore, &writer, i == 0 ? window : NULL, pane);
		result = ask(restore, "create_pane", &params, &writer, &why);
		if (result == NULL)
			continue;
		keep_id(result, "pane", last);
		made_pane(restore, pane, last);
		return true;
	}
	problem(restore, window, "a pane cannot be made: %s", why);
	return false;
}

static void fill_window(
    struct restore *restore, const struct json *window, const char *id, const char *first)
{
	const struct json *panes = json_member(window, "panes");
	const char *name = json_get_str(window, "name", "?");
	char last[ID_SIZE], active[ID_SIZE];
	bool is_whole = true;
	(void)snprintf(last, sizeof last, "%s", first);
	(void)snprintf(active, sizeof active, "%s", first);
	json_each (pane, panes) {
		if (pane != panes->child)
			is_whole &= add_pane(restore, name, pane, last);
		if (json_get_bool(pane, "active", false))
			(void)snprintf(active, sizeof active, "%s", last);
	}
	if (is_whole &&
	    !TMUX(restore, "select-layout", "-t", id, "--", json_get_str(window, "layout", "")))
		problem(restore, name, "its layout does not fit");
	(void)TMUX(restore, "select-pane", "-t", active);
	if (json_get_bool(window, "zoomed", false))
		(void)TMUX(restore, "resize-pane", "-Z", "-t", active);
}

static void keep_window(struct restore *restore, const struct json *window, const char *id)
{
	restore->windows =
	    xrealloc(restore->windows, (restore->window_count + 1) * sizeof *restore->windows);
	restore->windows[restore->window_count].old = json_get_str(window, "window", "");
	(void)snprintf(restore->windows[restore->window_count++].new, ID_SIZE, "%s", id);
}

static const char *find_window(const struct restore *restore, const struct json *window)
{
	for (size_t i = 0; i < restore->window_count; i++)
		if (strcmp(restore->windows[i].old, json_get_str(window, "window", "")) == 0)
			return restore->windows[i].new;
	return NULL;
}

/* Writes "SESSION:INDEX" of a window, such as "$1:5". */
static void place_of(const struct restore *restore, const struct json *window, char out[64])
{
	(void)snprintf(out, 64, "%s:%" PRId64, restore->id, json_get_int(window, "index", 0));
}

static void put_window(struct restore *restore, struct json_writer *writer, const char *name_key,
    const struct json *window)
{
	const struct json *panes = json_member(window, "panes");
	if (name_key != NULL && json_get_bool(window, "is_named", true))
		json_put_str(writer, name_key, json_get_str(window, "name", ""));
	if (panes == NULL || panes->child == NULL)
		return;
	put_program(restore, writer, name_key != NULL ? json_get_str(window, "name", "?") : NULL,
	    panes->child);
}

/* Renames an object with octal escapes in a tmux command, for a name that JSON cannot hold. */
static bool rename_by_escapes(
    struct restore *restore, const char *command, const char *id, const char *literal)
{
	struct buf line = BUF(4 * strlen(literal) + 64);
	bool is_done;
	(void)buf_printf(&line, "%s -t '%s' -- \"", command, id);
	for (; *literal != '\0'; literal++)
		(void)buf_printf(&line, "\\%03o", (unsigned char)*literal);
	(void)buf_append(&line, "\"", 2);
	is_done = TMUX(restore, "if-shell", "-F", "1", buf_text(&line));
	buf_finish(&line);
	return is_done;
}

/* Renames an object to any name, also one that methods refuse, such as "$1". */
static bool rename_it(
    struct restore *restore, const char *command, const char *id, const char *name, bool is_encoded)
{
	char *literal = restore_name_literal(name, is_encoded);
	bool is_done = utf8_is_valid(literal, strlen(literal))
	    ? TMUX(restore, command, "-t", id, "--", literal)
	    : rename_by_escapes(restore, command, id, literal);
	mem_free(literal);
	return is_done;
}

static void rename_window(struct restore *restore, const struct json *window, const char *id)
{
	const char *base64 = json_get_str(window, "name_base64", NULL);
	const char *name = json_get_str(window, "name", "?");
	struct buf bytes = BUF(LINK_LINE_MAX);
	if (base64 != NULL)
		(void)base64_decode(&bytes, base64, strlen(base64));
	else
		(void)buf_append_str(&bytes, name);
	if (!rename_it(restore, "rename-window", id, buf_text(&bytes), true))
		problem(restore, name, "cannot have this name");
	else if (base64 != NULL)
		problem(restore, name, "tmux shows its name with escapes now");
	buf_finish(&bytes);
}

static void made_window(
    struct restore *restore, const struct json *window, const char *id, const char *pane)
{
	const struct json *panes = json_member(window, "panes");
	keep_window(restore, window, id);
	if (panes != NULL && panes->child != NULL)
		made_pane(restore, panes->child, pane);
	fill_window(restore, window, id, pane);
}

static const struct json *ask_window(
    struct restore *restore, const struct json *window, const char *name_key, const char **ret_why)
{
	struct json_writer writer;
	struct buf params;
	json_start_object(&writer, &params, LINK_LINE_MAX);
	json_put_str(&writer, "session", restore->id);
	json_put_int(&writer, "index", json_get_int(window, "index", 0));
	put_window(restore, &writer, name_key, window);
	return ask(restore, "create_window", &params, &writer, ret_why);
}

static void add_window(struct restore *restore, const struct json *window)
{
	const char *why, *linked = find_window(restore, window);
	char id[ID_SIZE], pane[ID_SIZE], place[64];
	const struct json *result;
	bool is_named;
	place_of(restore, window, place);
	if (linked != NULL) {
		if (!TMUX(restore, "link-window", "-d", "-k", "-s", linked, "-t", place))
			problem(restore, json_get_str(window, "name", "?"), "cannot be linked");
		return;
	}
	result = ask_window(restore, window, "name", &why);
	is_named = result != NULL && json_member(window, "name_base64") == NULL;
	if (result == NULL)
		result = ask_window(restore, window, NULL, &why);
	if (result == NULL) {
		problem(restore, json_get_str(window, "name", "?"), "%s", why);
		return;
	}
	keep_id(result, "window", id);
	keep_id(result, "pane", pane);
	if (!is_named)
		rename_window(restore, window, id);
	made_window(restore, window, id, pane);
}

/* Moves the first window to its saved index, which renumber-windows would undo. */
static void move_first(struct restore *restore, const struct json *window, const char *id)
{
	char index[32], place[64], want[32];
	const char *const ask_index[] = {
	    "display-message", "-p", "-t", id, "#{window_index}", NULL};
	(void)snprintf(want, sizeof want, "%" PRId64, json_get_int(window, "index", 0));
	if (!run_tmux(restore, ask_index, index, sizeof index) || strcmp(index, want) == 0)
		return;
	restore->keeps_indexes =
	    TMUX(restore, "set-option", "-t", restore->id, "renumber-windows", "off");
	place_of(restore, window, place);
	if (!TMUX(restore, "move-window", "-d", "-s", id, "-t", place))
		problem(
		    restore, json_get_str(window, "name", "?"), "cannot have the index %s", want);
}

/* Creates the session, with its first window unless that window is already restored. */
static const struct json *ask_session(
    struct restore *restore, const struct json *window, bool is_named, const char **ret_why)
{
	struct json_writer writer;
	struct buf params;
	json_start_object(&writer, &params, LINK_LINE_MAX);
	json_put_str(&writer, "name", UNFINISHED);
	json_put_int(&writer, "width", json_get_int(window, "width", 80));
	json_put_int(&writer, "height", json_get_int(window, "height", 24));
	if (find_window(restore, window) == NULL)
		put_window(restore, &writer, is_named ? "window_name" : NULL, window);
	return ask(restore, "create_session", &params, &writer, ret_why);
}

static void name_session(struct restore *restore)
{
	if (rename_it(restore, "rename-session", restore->id, restore->session, true))
		return;
	problem(restore, NULL, "it cannot have this name");
	/* tmux 3.8 refuses control characters in names, so keep them encoded. */
	if (rename_it(restore, "rename-session", restore->id, restore->session, false))
		return;
	(void)TMUX(restore, "kill-session", "-t", restore->id);
	restore->id[0] = '\0';
}

static bool make_session(struct restore *restore, const struct json *window)
{
	const char *why, *linked = find_window(restore, window);
	char id[ID_SIZE], pane[ID_SIZE];
	const struct json *result = ask_session(restore, window, true, &why);
	bool is_named = result != NULL && json_member(window, "name_base64") == NULL;
	if (result == NULL)
		result = ask_session(restore, window, false, &why);
	if (result == NULL) {
		problem(restore, NULL, "%s", why);
		return false;
	}
	keep_id(result, "session", restore->id);
	keep_id(result, "window", id);
	keep_id(result, "pane", pane);
	if (!is_named && linked == NULL && json_get_bool(window, "is_named", true))
		rename_window(restore, window, id);
	move_first(restore, window, id);
	if (linked != NULL)
		add_window(restore, window); /* the linked window replaces the first one */
	else
		made_window(restore, window, id, pane);
	return true;
}

/* Creates the session in its group, to share windows. False if the group is new or tmux refuses. */
static bool join_group(struct restore *restore, int64_t group)
{
	for (size_t i = 0; i < restore->group_count; i++) {
		const char *const words[] = {"new-session", "-d", "-P", "-F", "#{session_id}", "-s",
		    UNFINISHED, "-t", restore->groups[i].session, NULL};
		if (restore->groups[i].group == group &&
		    run_tmux(restore, words, restore->id, sizeof restore->id))
			return true;
	}
	return false;
}

static void keep_group(struct restore *restore, int64_t group)
{
	restore->groups =
	    xrealloc(restore->groups, (restore->group_count + 1) * sizeof *restore->groups);
	restore->groups[restore->group_count].group = group;
	(void)snprintf(restore->groups[restore->group_count++].session, ID_SIZE, "%s", restore->id);
}

static void restore_session(struct restore *restore, const struct json *session)
{
	const struct json *windows = json_member(session, "windows");
	int64_t group = json_get_int(session, "group", -1);
	bool is_joined = group >= 0 && join_group(restore, group);
	char place[64];
	restore->panes = restore->agents = 0;
	restore->keeps_indexes = false;
	if (!is_joined &&
	    (windows == NULL || windows->child == NULL || !make_session(restore, windows->child)))
		return;
	json_each (window, windows)
		if (!is_joined && window != windows->child)
			add_window(restore, window);
	if (group >= 0 && !is_joined)
		keep_group(restore, group);
	json_each (window, windows) {
		place_of(restore, window, place);
		if (json_get_bool(window, "current", false))
			(void)TMUX(restore, "select-window", "-t", place);
	}
	if (restore->keeps_indexes)
		(void)TMUX(restore, "set-option", "-u", "-t", restore->id, "renumber-windows");
	name_session(restore);
}

static void tell(const struct restore *restore, const char *what, const struct json *session)
{
	const struct json *windows = json_member(session, "windows");
	size_t panes = 0, agents = 0;
	json_each (window, windows) {
		json_each (pane, json_member(window, "panes")) {
			panes++;
			agents += restore_can_resume(pane);
		}
	}
	if (!restore->is_dry) {
		panes = restore->panes;
		agents = restore->agents;
	}
	(void)printf("%s ", what);
	screen_print_line(stdout, restore->session);
	(void)printf(": %zu window%s, %zu pane%s", windows != NULL ? windows->count : 0,
	    windows != NULL && windows->count == 1 ? "" : "s", panes, panes == 1 ? "" : "s");
	if (agents > 0)
		(void)printf(", %zu agent%s", agents, agents == 1 ? "" : "s");
	(void)fputc('\n', stdout);
}

static bool is_wanted(const struct restore *restore, const char *name)
{
	for (size_t i = 0; i < restore->count; i++)
		if (strcmp(restore->names[i], name) == 0)
			return true;
	return restore->count == 0;
}

/* Returns true if all panes of a session have agents that muxbusd keeps and starts itself. */
static bool is_kept(const struct json *session)
{
	json_each (window, json_member(session, "windows"))
		json_each (pane, json_member(window, "panes"))
			if (!json_get_bool(pane, "kept", false))
				return false;
	return true;
}

/* Returns true if a later server that has also ended had a session of this name. */
static bool is_outdated(const struct json *session)
{
	const char *name = json_get_str(session, "name", "");
	for (const struct json *later = session->next; later != NULL; later = later->next)
		if (json_get_bool(later, "is_past", false) &&
		    strcmp(json_get_str(later, "name", ""), name) == 0)
			return true;
	return false;
}

static bool is_due(const struct restore *restore, const struct json *session)
{
	return !is_outdated(session) && is_wanted(restore, json_get_str(session, "name", "")) &&
	    json_get_bool(session, "is_past", false) && !json_get_bool(session, "exists", false);
}

static void tell_names(struct restore *restore, const struct json *sessions)
{
	for (size_t i = 0; i < restore->count; i++) {
		const struct json *found = NULL;
		json_each (session, sessions)
			if (strcmp(json_get_str(session, "name", ""), restore->names[i]) == 0)
				found = session;
		restore->session = restore->names[i];
		if (found == NULL)
			problem(restore, NULL, "is not saved; see: muxbus list_saved");
		else if (!is_due(restore, found))
			problem(restore, NULL, "exists, and stays as it is");
	}
}

static enum cli_status read_saved(struct restore *restore, const struct json **ret_sessions)
{
	const struct json *result;
	struct json_error error;
	struct buf copy = BUF(LINK_LINE_MAX);
	enum cli_status status = ask_method(restore->link, "list_saved", ASK_PARAMS({0}), &result);
	if (status != CLI_DONE)
		return status;
	(void)json_append(&copy, json_member(result, "sessions"));
	restore->reader = json_reader_new(LINK_LINE_MAX);
	*ret_sessions = json_read(restore->reader, buf_text(&copy), copy.len, &error);
	buf_finish(&copy);
	return *ret_sessions != NULL ? CLI_DONE : CLI_NO;
}

/* Lets muxbusd start the kept agents of a session, unless they run. */
static void resume_agents(struct restore *restore, const struct json *session)
{
	json_each (window, json_member(session, "windows")) {
		json_each (pane, json_member(window, "panes")) {
			struct json_writer writer;
			struct buf params;
			const char *why;
			if (!json_get_bool(pane, "kept", false))
				continue;
			json_start_object(&writer, &params, LINK_LINE_MAX);
			json_put_str(&writer, "name",
			    json_get_str(pane, "name", json_get_str(pane, "agent", "")));
			json_put_bool(&writer, "resume", true);
			if (ask(restore, "ensure_agent", &params, &writer, &why) == NULL)
				problem(restore, NULL, "%s", why);
			else if (is_kept(session))
				(void)printf("restored agent %s\n", json_get_str(pane, "name", ""));
		}
	}
}

static void restore_all(struct restore *restore, const struct json *sessions)
{
	json_each (session, sessions) {
		size_t before = restore->problems;
		restore->session = json_get_str(session, "name", "");
		if (!is_due(restore, session))
			continue;
		restore->id[0] = '\0';
		/* On another server, these ids belong to other windows. */
		if (strcmp(restore->server, json_get_str(session, "server", "")) != 0)
			restore->window_count = restore->group_count = 0;
		restore->server = json_get_str(session, "server", "");
		if (!restore->is_dry && !is_kept(session))
			restore_session(restore, session);
		if (!restore->is_dry)
			resume_agents(restore, session);
		if (restore->is_dry)
			tell(restore, "would restore", session);
		else if (restore->id[0] != '\0')
			tell(restore, before == restore->problems ? "restored" : "restored in part",
			    session);
	}
}

static enum cli_status run(struct restore *restore)
{
	const struct json *sessions, *saved;
	bool is_new = false;
	size_t due = 0;
	enum cli_status status;
	/* The daemon must first know the sessions of a server that has just started. */
	if (locate_tmux_runs(restore->cli) &&
	    !tmux_server_find(restore->cli, restore->link, &is_new))
		return CLI_NO;
	status = read_saved(restore, &sessions);
	if (status != CLI_DONE)
		return status;
	tell_names(restore, sessions);
	json_each (session, sessions)
		due += is_due(restore, session);
	if (due == 0 && restore->problems == 0)
		(void)puts("there is nothing to restore");
	if (due > 0 && !restore->is_dry && !tmux_server_find(restore->cli, restore->link, &is_new))
		return CLI_NO;
	if (due > 0 && !restore->is_dry && TMUX(restore, "has-session", "-t", "=" UNFINISHED))
		return cli_fail(CLI_NO,
		    "another muxbus restore runs, or was killed; if so, close what it had "
		    "made: tmux kill-session -t " UNFINISHED);
	restore_all(restore, sessions);
	if (due > 0 && !restore->is_dry)
		(void)TMUX(restore, "kill-session", "-t", "=" TMUX_SERVER_SESSION);
	/* Before it answers, the daemon saves the new sessions too. */
	if (due > 0 && !restore->is_dry)
		status = ask_method(restore->link, "list_saved", ASK_PARAMS({0}), &saved);
	if (status != CLI_DONE)
		return status;
	return restore->problems > 0 ? CLI_NO : CLI_DONE;
}

static bool take_name(void *data, const struct option_row *row UNUSED, const char *word)
{
	struct restore *restore = data;
	restore->names[restore->count++] = word;
	return true;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TAKE, 0, take_name},
    {"dry-run", 'n', OPTION_FLAG, offsetof(struct restore, is_dry), NULL},
    {0},
};

enum cli_status restore_run(struct cli *cli, int argc, char **argv)
{
	struct restore restore = {.cli = cli, .server = ""};
	enum cli_status status;
	restore.names = xcalloc((size_t)argc, sizeof *restore.names);
	if (!option_read(cli, argc, argv, options, &restore, NULL, &status)) {
		mem_free(restore.names);
		return status;
	}
	if (remote_is(cli) || cli->is_fleet) {
		mem_free(restore.names);
		return cli_usage("restore",
		    "the sessions of this machine are restored: leave out --host and --fleet, or "
		    "unset MUXBUS_HOST and MUXBUS_FLEET");
	}
	cli->needs_no_tmux = true;
	restore.link = ask_connect(cli);
	status = restore.link != NULL ? run(&restore) : CLI_UNREACHABLE;
	link_close(restore.link);
	json_reader_free(restore.reader);
	mem_free(restore.windows);
	mem_free(restore.groups);
	mem_free(restore.names);
	return cli_flush(status);
}
