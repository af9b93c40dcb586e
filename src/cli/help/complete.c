/* SPDX-License-Identifier: ISC */
/* muxbus complete: lists the possible next words of a command line, for completion in shells. */
#include "cli/arguments.h"
#include "cli/catalog.h"
#include "cli/verb.h"

#define OUT_MAX ((size_t)1024 * 1024)
#define ABOUT_COLUMNS 60
#define LIVE_TIMEOUT_MS 2000
#define WORD_MAX 256

struct completion {
	struct buf *out;
	struct cli *cli;
	struct catalog *catalog; /* the last answer of describe, or NULL */
	const char *current; /* the current word, up to the cursor */
};

/* Returns true if no shell gives a special meaning to a character of the word. */
static bool is_safe(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-.:=%@/";
	return *word && word[strspn(word, safe)] == '\0';
}

static void offer(
    struct completion *completion, const char *lead, const char *word, const char *about)
{
	char whole[WORD_MAX];
	int len = snprintf(whole, sizeof whole, "%s%s", lead, word);
	if (len < 0 || (size_t)len >= sizeof whole || !is_safe(whole) ||
	    strncmp(whole, completion->current, strlen(completion->current)) != 0)
		return;
	(void)buf_append_str(completion->out, whole);
	if (about != NULL && *about) {
		(void)buf_append_byte(completion->out, '\t');
		(void)screen_text_cut(completion->out, about, strlen(about), ABOUT_COLUMNS);
	}
	(void)buf_append_byte(completion->out, '\n');
}

static void offer_key(struct completion *completion, const struct json *property, const char *about)
{
	offer(completion, property->name, arguments_wants_json(property) ? ":=" : "=", about);
}

/* Splits a word such as "pane=%" into the key "pane" and the lead "pane=". False without "=". */
static bool split_current(
    const struct completion *completion, char key[WORD_MAX], char lead[WORD_MAX + 2])
{
	const char *equals = strchr(completion->current, '=');
	if (equals == NULL)
		return false;
	(void)snprintf(
	    key, WORD_MAX, "%.*s", (int)(equals - completion->current), completion->current);
	(void)snprintf(lead, WORD_MAX + 2, "%s=", key);
	return true;
}

/* Offers the words of a list. Options are offered only if the current word begins with "-". */
static void offer_list(struct completion *completion, const char *list, char separator)
{
	while (*list) {
		char word[WORD_MAX];
		const char *end = strchr(list, separator);
		size_t len = end != NULL ? (size_t)(end - list) : strlen(list);
		(void)snprintf(word, sizeof word, "%.*s", (int)len, list);
		if ((word[0] == '-') == (completion->current[0] == '-'))
			offer(completion, "", word, NULL);
		list += len + (end != NULL);
	}
}

/*
 * How to complete an argument: `method` returns the array `list`. The word is `member` of a row;
 * the members `about` describe it.
 */
static const struct live {
	const char *key;
	const char *method, *list, *member, *about[3];
} lives[] = {
    {"agent", "list_agents", "agents", "agent", {"state", "pane"}},
    {"command_finished", "list_panes", "panes", "pane", {"command", "title"}},
    {"exited", "list_panes", "panes", "pane", {"command", "title"}},
    {"host", "list_hosts", "hosts", "host", {"state", "reason"}},
    {"job", "list_jobs", "jobs", "id", {"state", "command"}},
    {"pane", "list_panes", "panes", "pane", {"session_name", "command", "title"}},
    {"pane_id", "list_panes", "panes", "pane", {"session_name", "command", "title"}},
    {"panes", "list_panes", "panes", "pane", {"session_name", "command", "title"}},
    {"ready", "list_panes", "panes", "pane", {"command", "title"}},
    {"seq", "list_notifications", "notifications", "seq", {"source", "text"}},
    {"session", "list_sessions", "sessions", "name", {"session"}},
    {"sessions", "list_sessions", "sessions", "name", {"session"}},
    {"timer", "list_timers", "timers", "id", {"due"}},
    {"window", "list_windows", "windows", "window", {"name"}},
};

static void offer_row(struct completion *completion, const char *lead, const struct live *live,
    const struct json *row)
{
	char about[512] = "";
	size_t at = 0;
	const struct json *id = json_member(row, live->member);
	if (id == NULL || (id->type != JSON_STRING && id->type != JSON_NUMBER))
		return;
	for (size_t i = 0; i < 3 && live->about[i] != NULL && at < sizeof about - 1; i++) {
		int len = snprintf(about + at, sizeof about - at, "%s%s", at > 0 ? "  " : "",
		    json_get_str(row, live->about[i], ""));
		at += len > 0 ? (size_t)len : 0;
	}
	offer(completion, lead, id->text, about);
}

static void offer_live(struct completion *completion, const char *lead, const char *key)
{
	struct link *link;
	const struct json *result;
	const struct live *live = str_row(lives, key);
	if (live == NULL)
		return;
	result = ask_quietly(completion->cli, live->method, LIVE_TIMEOUT_MS, &link);
	json_each (row, json_member(result, live->list))
		offer_row(completion, lead, live, row);
	link_close(link);
}

static void open_catalog(struct completion *completion, const struct ask_param *params)
{
	char reason[PATH_MAX + 512];
	catalog_close(completion->catalog);
	completion->catalog = catalog_open(completion->cli, params, reason, sizeof reason);
}

/* Reads and returns a table of describe, or NULL. Frees the table or method read before. */
static const struct json *table(struct completion *completion, const char *name)
{
	open_catalog(completion, ASK_PARAMS({"table", .text = name}));
	return completion->catalog != NULL ? json_member(catalog_tables(completion->catalog), name)
					   : NULL;
}

static const struct json *method(struct completion *completion, const char *name)
{
	open_catalog(completion, ASK_PARAMS({"method", .text = name}));
	return completion->catalog != NULL ? catalog_method(completion->catalog, name) : NULL;
}

static void offer_verbs(struct completion *completion)
{
	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		if (verb->summary != NULL)
			offer(completion, "", verb->name, verb->summary);
}

static void offer_methods(struct completion *completion, const char *lead)
{
	json_each_member (row, table(completion, "methods"))
		if (*lead || verb_find(row->name) == NULL)
			offer(completion, lead, row->name, json_get_str(row, "summary", ""));
}

static void offer_events(struct completion *completion, const char *lead)
{
	json_each_member (row, table(completion, "events"))
		offer(completion, lead, row->name, row->text);
}

static void offer_values(
    struct completion *completion, const char *lead, const char *key, const struct json *property)
{
	json_each (at, json_member(property, "enum"))
		if (at->text != NULL)
			offer(completion, lead, at->text, NULL);
	if (strcmp(json_get_str(property, "type", ""), "boolean") == 0) {
		offer(completion, lead, "true", NULL);
		offer(completion, lead, "false", NULL);
	}
	if (strcmp(key, "kinds") == 0)
		offer_events(completion, lead);
	else if (strcmp(key, "method") == 0)
		offer_methods(completion, lead);
	else
		offer_live(completion, lead, key);
}

static bool is_given(const char *key, size_t count, char *const *words)
{
	size_t len = strlen(key);
	for (size_t i = 0; i < count; i++)
		if (strncmp(words[i], key, len) == 0 && words[i][len] != '\0' &&
		    strchr(":@=", words[i][len]) != NULL)
			return true;
	return false;
}

static void complete_method(
    struct completion *completion, const struct json *row, size_t count, char *const *words)
{
	const struct json *schema = json_member(row, "params");
	const struct json *properties = json_member(schema, "properties");
	const struct json *positional = arguments_positional(schema);
	char key[WORD_MAX], lead[WORD_MAX + 2];
	if (split_current(completion, key, lead)) {
		offer_values(completion, lead, key, json_member(properties, key));
		return;
	}
	json_each_member (at, properties) {
		const char *type = json_get_str(at, "type", "");
		bool is_many = strcmp(type, "array") == 0 || strcmp(type, "object") == 0;
		if (is_many || !is_given(at->name, count, words))
			offer_key(completion, at, json_get_str(at, "description", ""));
	}
	if (positional != NULL && count == 0)
		offer_values(completion, "", positional->name, positional);
}

static bool is_offered(const struct json *kinds, const struct json *kind, const char *name)
{
	for (const struct json *at = kinds; at != kind; at = at->next)
		if (json_member(json_member(json_member(at, "params"), "properties"), name))
			return true;
	return false;
}

static void offer_members(
    struct completion *completion, const struct json *kinds, const struct json *kind)
{
	const struct json *properties = json_member(json_member(kind, "params"), "properties");
	json_each_member (at, properties) {
		bool is_kind = strcmp(at->name, kind->name) == 0;
		if (!is_offered(kinds, kind, at->name))
			offer_key(completion, at,
			    is_kind ? json_get_str(kind, "help", "")
				    : json_get_str(at, "description", ""));
	}
}

static void complete_wait(struct completion *completion)
{
	const struct json *kinds = table(completion, "conditions");
	char key[WORD_MAX], lead[WORD_MAX + 2];
	if (split_current(completion, key, lead)) {
		offer_live(completion, lead, key);
		return;
	}
	json_each_member (kind, kinds)
		offer_members(completion, kinds->child, kind);
}

static void complete_verb(
    struct completion *completion, const struct verb *verb, const char *previous)
{
	if (completion->current[0] == '-') {
		offer_list(completion, verb->options != NULL ? verb->options : "", ' ');
		offer_list(completion, "--help --json --text --color=", ' ');
	} else if (strcmp(previous, "-p") == 0 || strcmp(previous, "--pane") == 0) {
		offer_live(completion, "", "pane");
	} else if (strcmp(previous, "--session") == 0) {
		offer_live(completion, "", "session");
	} else if (strcmp(verb->name, "hosts") == 0 && strcmp(previous, "hosts") != 0) {
		if (strcmp(previous, "add") != 0 && locate_fleet(completion->cli) == 0)
			offer_live(completion, "", "host");
	} else if (strcmp(verb->name, "help") == 0) {
		offer_list(completion, "agents conditions events machines methods tasks", ' ');
		offer_verbs(completion);
		offer_methods(completion, "");
	} else if (strcmp(verb->name, "watch") == 0) {
		offer_events(completion, "");
	} else if (strcmp(verb->name, "wait") == 0) {
		complete_wait(completion);
	} else {
		offer_list(completion, verb->options != NULL ? verb->options : "", ' ');
		if (strstr(verb->usage, "pane") != NULL)
			offer_live(completion, "", "pane");
		if (strstr(verb->usage, " job") != NULL)
			offer_live(completion, "", "job");
	}
}

/*
 * Reads the options before the verb, and returns the number of their words. Completion starts no
 * ssh: for a remote host it uses the tables of this machine.
 */
static size_t take_options(struct cli *cli, size_t count, char *const *words)
{
	const char *socket = NULL, *color = NULL;
	const char *host = remote_is(cli) ? getenv("MUXBUS_HOST") : NULL;
	bool is_fleet = false;
	size_t at = 0;
	while (at < count && words[at][0] == '-' && words[at][1]) {
		const char *option = words[at++], *rest = option + 2;
		const char **value = option[1] == 'L'   ? &cli->tmux_name
		    : option[1] == 'S'                  ? &cli->tmux_path
		    : option[1] == 's'                  ? &socket
		    : strncmp(option, "--host", 6) == 0 ? &host
		    : strcmp(option, "--color") == 0    ? &color
							: NULL;
		is_fleet |= strcmp(option, "--fleet") == 0;
		if (option[1] == '-')
			rest += strcspn(rest, "=") + (strchr(rest, '=') != NULL);
		if (value != NULL && (*rest != '\0' || at < count))
			*value = *rest != '\0' ? rest : words[at++];
	}
	if (is_fleet)
		(void)locate_fleet(cli);
	if (host != NULL && is_fleet)
		link_name_host(host);
	else if (host != NULL)
		cli->socket[0] = '\0';
	if (is_fleet || host != NULL)
		return at;
	if (cli->tmux_name != NULL || cli->tmux_path != NULL || socket != NULL)
		(void)locate_daemon(cli, socket); /* if a path is too long, no daemon is asked */
	return at;
}

/*
 * Appends a line for each completion of the last word: the word and, behind a tab, its description
 * if it has one. Leaves out words that is_safe() refuses.
 */
static void complete_words(struct buf *out, struct cli *cli, size_t count, char *const *words)
{
	const char *name;
	const struct verb *verb;
	const struct json *row = NULL;
	struct completion completion;
	size_t at;
	if (count == 0)
		return;
	completion = (struct completion){.out = out, .cli = cli, .current = words[count - 1]};
	at = take_options(cli, count - 1, words);
	name = at < count - 1 ? words[at] : NULL;
	verb = name != NULL ? verb_find(name) : NULL;
	if (name != NULL && (verb == NULL || verb->method != NULL))
		row = method(&completion, verb != NULL ? verb->method : name);
	if (name == NULL && completion.current[0] == '-') {
		offer_list(&completion,
		    "--fleet --host -L -S -s --json --text --color= --help --version", ' ');
	} else if (name == NULL) {
		offer_verbs(&completion);
		offer_methods(&completion, "");
	} else if (verb != NULL && verb->method == NULL) {
		complete_verb(&completion, verb, words[count - 2]);
	} else if (row != NULL && completion.current[0] == '-') {
		offer_list(&completion, "--help --json --text --color=", ' ');
	} else if (row != NULL) {
		if (verb != NULL && verb->first != NULL && count - 2 == at)
			offer_live(&completion, "", verb->first);
		complete_method(&completion, row, count - 2 - at, words + at + 1);
	}
	catalog_close(completion.catalog);
}

enum cli_status complete_run(struct cli *cli, int argc, char **argv)
{
	struct buf out = BUF(OUT_MAX);
	int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
	complete_words(&out, cli, (size_t)(argc - first), argv + first);
	cli_print(&out);
	return cli_flush(CLI_DONE);
}
