/* SPDX-License-Identifier: ISC */
/* muxbus help: lists verbs and methods, describes one, or searches. Also muxbus version. */
#include "cli/arguments.h"
#include "cli/catalog.h"
#include "cli/help/help_page.h"
#include "cli/verb.h"
#include "config.h"

#define OUT_MAX HELP_PAGE_MAX
#define PIPE_COLUMNS 80

/* Groups of methods. A method belongs to the first group with a word that is part of its name. */
static const struct {
	const char *title;
	const char *words[12]; /* parts of names; the last group takes all other methods */
} groups[] = {
    {"Agents", {"agent", "_task", "respond", "self_command", "yield"}},
    {"Jobs", {"_job", "run_long", "execute_cli", "background_process"}},
    {"Queue", {"notification"}},
    {"Waiting and timers", {"wait", "timer", "sleep", "watch"}},
    {"Events", {"event", "subscri"}},
    {"Sessions, windows and panes",
	{"pane", "window", "session", "send_", "find_", "output", "tmux"}},
    {"Declared tools", {"list_tools", "get_tool"}},
    {"The daemon", {NULL}},
};

#define GROUPS_COUNT (sizeof groups / sizeof *groups)

static const char *const verb_groups[VERB_GROUP_COUNT_] = {
    [VERB_LIVE] = "Watching",
    [VERB_WORK] = "Working",
    [VERB_AGENT] = "For agents",
    [VERB_CARE] = "About muxbus",
};

static size_t group_of(const char *name)
{
	for (size_t i = 0; i + 1 < GROUPS_COUNT; i++)
		for (const char *const *word = groups[i].words; *word != NULL; word++)
			if (strstr(name, *word) != NULL)
				return i;
	return GROUPS_COUNT - 1;
}

static void put_verbs(struct help_page *page)
{
	for (int group = 0; group < VERB_GROUP_COUNT_; group++) {
		bool is_first = true;
		for (const struct verb *verb = verbs; verb->name != NULL; verb++) {
			if ((int)verb->group != group || verb->summary == NULL)
				continue;
			if (is_first)
				help_page_title(page, verb_groups[group]);
			is_first = false;
			help_page_entry(page, verb->name, verb->summary);
		}
	}
}

static void put_methods(struct help_page *page, const struct json *methods)
{
	for (size_t group = 0; group < GROUPS_COUNT; group++) {
		bool is_first = true;
		json_each_member (row, methods) {
			if (group_of(row->name) != group || verb_find(row->name) != NULL)
				continue;
			if (is_first)
				help_page_title(page, groups[group].title);
			is_first = false;
			help_page_entry(page, row->name, json_get_str(row, "summary", ""));
		}
	}
}

static void put_events(struct help_page *page, const struct json *tables)
{
	const struct json *kinds = json_member(tables, "events");
	help_page_title(page, "Events");
	json_each_member (kind, kinds)
		help_page_entry(page, kind->name, kind->type == JSON_STRING ? kind->text : "");
	help_page_title(page, "Examples");
	(void)buf_append_str(&page->out,
	    "  muxbus watch 'pane_*' agent_state   print these events as they happen\n"
	    "  muxbus wait event=pane_exited       wait for the next one\n"
	    "  muxbus list_events kinds=delivery   the remembered ones\n");
}

static void put_condition_topic(struct help_page *page, const struct json *tables)
{
	const struct json *kinds = json_member(tables, "conditions");
	struct buf text = BUF(OUT_MAX);
	help_page_title(page, "Conditions");
	json_each_member (kind, kinds) {
		buf_clear(&text);
		arguments_example(
		    &text, "wait", json_member(kind, "params"), json_member(kind, "example"));
		help_page_entry(page, kind->name, json_get_str(kind, "help", ""));
		(void)buf_printf(&page->out, "%*smuxbus ", HELP_NAME_COLUMNS, "");
		(void)screen_text_line(&page->out, text.data, text.len);
		(void)buf_append_byte(&page->out, '\n');
	}
	buf_finish(&text);
	(void)buf_append_str(&page->out,
	    "\nOver the socket: {\"method\":\"wait_for\",\"params\":{\"any\":[{\"sec\":5}]}}\n"
	    "More: muxbus help wait\n");
}

static bool put_topic(struct help_page *page, const char *name, const struct json *tables)
{
	if (strcmp(name, "events") == 0)
		put_events(page, tables);
	else if (strcmp(name, "conditions") == 0)
		put_condition_topic(page, tables);
	else
		return false;
	return true;
}

static enum cli_status put_all(struct help_page *page, struct cli *cli)
{
	char reason[PATH_MAX + 512];
	struct catalog *catalog =
	    catalog_open(cli, ASK_PARAMS({"table", .text = "methods"}), reason, sizeof reason);
	help_page_title(page, "Usage");
	(void)buf_append_str(&page->out,
	    "  muxbus [option ...] verb [argument ...]\n"
	    "  muxbus [option ...] method [key=value | key:=json] ...\n");
	(void)help_tasks(page, NULL, 0);
	put_verbs(page);
	if (catalog == NULL)
		return cli_fail(CLI_UNREACHABLE, "%s: cannot list the methods", reason);
	put_methods(page, json_member(catalog_tables(catalog), "methods"));
	catalog_close(catalog);
	(void)buf_append_str(&page->out,
	    "\nMore: muxbus help NAME; muxbus help WORD ... searches; muxbus help agents,\n"
	    "conditions, events, machines, methods or tasks; muxbus(1), muxbus-protocol(7)\n");
	return CLI_DONE;
}

static void put_verb(struct help_page *page, const struct verb *verb)
{
	char text[512];
	(void)buf_printf(&page->out, "usage: muxbus %s", verb->name);
	screen_text_wrap(&page->out, verb->usage, page->is_for_grep ? 0 : page->columns,
	    strlen("usage: "), page->out.len);
	(void)buf_append_byte(&page->out, '\n');
	if (verb_text(verb->name) != NULL) {
		(void)buf_append_str(&page->out, verb_text(verb->name));
		return;
	}
	(void)snprintf(text, sizeof text, "%s. See muxbus(1).",
	    verb->summary != NULL ? verb->summary : "for completion");
	help_page_wrap(page, text, 0, 0);
}

static void put_range(struct buf *out, const struct json *property)
{
	static const char *const names[] = {"minimum", "maximum", "default"};
	const struct json *choices = json_member(property, "enum");
	(void)buf_append_str(out, json_get_str(property, "type", "json"));
	json_each (at, choices)
		(void)buf_printf(out, "%s%s", at == choices->child ? ": " : ", ",
		    at->text != NULL ? at->text : "?");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct json *value = json_member(property, names[i]);
		if (value == NULL || (i < 2 && value->type != JSON_NUMBER))
			continue;
		(void)buf_printf(out, ", %s ", names[i]);
		(void)json_append(out, value);
	}
}

static void put_also(struct buf *out, const struct json *also)
{
	const char *separator = " Also called ";
	json_each (name, also) {
		(void)buf_printf(out, "%s%s", separator, name->text != NULL ? name->text : "");
		separator = ", ";
	}
	if (also != NULL && also->count > 0)
		(void)buf_append_byte(out, '.');
}

static void put_arguments(struct help_page *page, const struct json *schema)
{
	const struct json *properties = json_member(schema, "properties");
	const struct json *positional = arguments_positional(schema);
	struct buf text = BUF(OUT_MAX);
	if (properties == NULL || properties->count == 0)
		return;
	help_page_title(page, "Arguments");
	json_each_member (at, properties) {
		buf_clear(&text);
		(void)buf_printf(&text, "%s (", json_get_str(at, "description", ""));
		put_range(&text, at);
		(void)buf_printf(&text, ")%s", at == positional ? " The name may be omitted." : "");
		put_also(&text, json_member(at, "also"));
		help_page_entry(page, at->name, buf_text(&text));
	}
	buf_finish(&text);
}

static void put_results(struct help_page *page, const struct json *results)
{
	if (results == NULL || results->count == 0)
		return;
	help_page_title(page, "Result");
	json_each (at, results)
		help_page_entry(page, json_get_str(at, "name", "?"), json_get_str(at, "help", ""));
}

static void put_method(struct help_page *page, const struct json *row, const char *name)
{
	const struct json *schema = json_member(row, "params");
	const struct json *example = json_member(row, "example");
	const struct verb *verb = verb_find(name);
	const char *preset = verb != NULL ? verb->preset : NULL;
	struct buf text = BUF(OUT_MAX);
	arguments_usage(&text, name, schema);
	(void)buf_append_str(&page->out, "usage: muxbus ");
	help_page_wrap(page, buf_text(&text), 14, 14);
	if (strcmp(name, row->name) != 0) {
		(void)buf_append_str(&page->out, "\nThe same as ");
		(void)screen_text_line(&page->out, row->name, strlen(row->name));
		(void)buf_printf(&page->out, "%s%s.\n", preset != NULL ? " with " : "",
		    preset != NULL ? preset : "");
	}
	(void)buf_append_byte(&page->out, '\n');
	help_page_wrap(page, json_get_str(row, "summary", ""), 0, 0);
	if (*json_get_str(row, "help", "")) {
		(void)buf_append_byte(&page->out, '\n');
		help_page_wrap(page, json_get_str(row, "help", ""), 0, 0);
	}
	put_arguments(page, schema);
	put_results(page, json_member(row, "result"));
	/*
	 * A declared tool has no example, and values for its required arguments are not known. With
	 * the preset of a verb the example of its method may be refused; the tasks have such verbs.
	 */
	if (preset != NULL || (example == NULL && json_member(schema, "required") != NULL)) {
		buf_finish(&text);
		return;
	}
	help_page_title(page, "Example");
	buf_clear(&text);
	arguments_example(&text, name, schema, example);
	(void)buf_append_str(&page->out, "  muxbus ");
	(void)screen_text_line(&page->out, text.data, text.len);
	(void)buf_append_byte(&page->out, '\n');
	buf_finish(&text);
}

static void put_wait(struct help_page *page, struct cli *cli)
{
	char reason[PATH_MAX + 512];
	struct buf text = BUF(OUT_MAX);
	struct catalog *catalog =
	    catalog_open(cli, ASK_PARAMS({"table", .text = "conditions"}), reason, sizeof reason);
	if (catalog == NULL)
		return;
	help_page_title(page, "Conditions");
	json_each_member (kind, json_member(catalog_tables(catalog), "conditions")) {
		buf_clear(&text);
		arguments_usage(&text, "", json_member(kind, "params"));
		help_page_entry(
		    page, buf_text(&text) + (text.len > 0), json_get_str(kind, "help", ""));
	}
	buf_finish(&text);
	catalog_close(catalog);
}

static enum cli_status put_found(
    struct help_page *page, const struct catalog *catalog, char *const *words, size_t count)
{
	const char *near;
	if (help_search(page, catalog_tables(catalog), words, count))
		return CLI_DONE;
	if (count > 1)
		return cli_fail(CLI_USAGE, "nothing has all of these words; see: muxbus help");
	near = catalog_nearest(catalog, words[0]);
	return cli_fail(CLI_USAGE, "there is no \"%s\"%s%s%s", words[0],
	    STR_NEAREST(near, "; see: muxbus help"));
}

static bool put_own(struct help_page *page, struct cli *cli, char *const words[1])
{
	const char *name = words[0];
	const struct verb *verb = verb_find(name);
	if (verb != NULL && verb->method == NULL) {
		put_verb(page, verb);
		if (strcmp(verb->name, "wait") == 0)
			put_wait(page, cli);
		(void)help_tasks(page, words, 1);
		return true;
	}
	if (verb != NULL || verb_text(name) == NULL)
		return false;
	(void)buf_append_str(&page->out, verb_text(name));
	return true;
}

static enum cli_status put_words(
    struct help_page *page, struct cli *cli, char *const *words, size_t count)
{
	char reason[PATH_MAX + 512];
	const struct verb *verb = verb_find(words[0]);
	const struct json *row = NULL;
	struct catalog *catalog;
	enum cli_status status = CLI_DONE;
	if (count == 1 && put_own(page, cli, words))
		return CLI_DONE;
	catalog = catalog_open(cli, ASK_PARAMS({0}), reason, sizeof reason);
	if (catalog == NULL)
		return cli_fail(CLI_UNREACHABLE, "%s", reason);
	if (count == 1)
		row = catalog_method(catalog, verb != NULL ? verb->method : words[0]);
	if (row != NULL) {
		put_method(page, row, words[0]);
		(void)help_tasks(page, words, 1);
	} else if (count > 1 || !put_topic(page, words[0], catalog_tables(catalog))) {
		status = put_found(page, catalog, words, count);
	}
	catalog_close(catalog);
	return status;
}

enum cli_status help_run(struct cli *cli, int argc, char **argv)
{
	size_t count = 0;
	enum cli_status status;
	struct help_page page;
	for (int i = 1; i < argc; i++) {
		if (cli_help("help", argv[i]))
			return CLI_DONE;
		if (!cli_option(cli, argv[i]))
			argv[count++] = argv[i];
	}
	page = (struct help_page){.has_color = cli->has_color, .is_for_grep = !cli->is_terminal};
	page.columns = cli->is_terminal ? (size_t)screen_columns(STDOUT_FILENO) : PIPE_COLUMNS;
	buf_init(&page.out, OUT_MAX);
	status = count > 0 ? put_words(&page, cli, argv, count) : put_all(&page, cli);
	if (page.out.len > 0 && cli->is_terminal && pager_show(buf_text(&page.out), page.out.len))
		buf_clear(&page.out);
	cli_print(&page.out);
	return cli_flush(status);
}

enum cli_status version_run(struct cli *cli, int argc, char **argv)
{
	enum cli_status end;
	struct link *link;
	const struct json *status;
	const char *daemon, *tmux;
	if (!option_read(cli, argc, argv, NULL, NULL, NULL, &end))
		return end;
	status = ask_quietly(cli, "status", ASK_MUTE_MS, &link);
	daemon = json_get_str(status, "version", link != NULL ? "does not answer" : NULL);
	tmux = json_get_str(json_member(status, "tmux"), "version", NULL);
	if (cli->wants_json) {
		struct json_writer writer;
		struct buf out;
		json_start_object(&writer, &out, OUT_MAX);
		json_put_str(&writer, "muxbus", PACKAGE_VERSION);
		json_put_str(&writer, "muxbusd", daemon);
		json_put_str(&writer, "tmux", tmux);
		json_object_end(&writer);
		(void)puts(buf_text(&out));
		buf_finish(&out);
	} else {
		(void)printf("muxbus %s\n", PACKAGE_VERSION);
		(void)fputs("muxbusd ", stdout);
		screen_print_line(stdout, daemon != NULL ? daemon : "not running");
		(void)fputs("\ntmux ", stdout);
		screen_print_line(stdout, tmux != NULL ? tmux : "not followed");
		(void)fputc('\n', stdout);
	}
	link_close(link);
	return cli_flush(CLI_DONE);
}
