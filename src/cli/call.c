/* SPDX-License-Identifier: ISC */
#include "cli/call.h"

#include "cli/arguments.h"
#include "cli/catalog.h"
#include "cli/status_text.h"
#include "cli/verb.h"
#include "wire/address.h"

struct method_call {
	const char *name; /* as typed: a method, or a verb for it */
	const char *method;
	const char **words;
	int count;
	bool wants_help;
	bool has_force;
	char *first; /* the first word with its key, which key_first() added */
	char *preset;
	struct buf params, usage;
	bool waits;
};

#define WORDS_MORE 5 /* room for "--", force=true and the words that a verb adds */

/* Methods about a running daemon. A call of one does not start a daemon. */
static const char *const waking_none[] = {"ping", "shutdown", "status", NULL};

static enum cli_status say_unknown(const char *name, const struct catalog *catalog)
{
	const char *near = catalog_nearest(catalog, name);
	cli_error("there is no \"%s\"%s%s%s", name, STR_NEAREST(near, ""));
	(void)fputs("See: muxbus help\n", stderr);
	return CLI_USAGE;
}

static bool is_known(const struct cli *cli, const char *name)
{
	char reason[PATH_MAX + 512];
	struct catalog *catalog =
	    catalog_open(cli, ASK_PARAMS({"method", .text = name}), reason, sizeof reason);
	bool is_good = catalog == NULL || catalog_method(catalog, name) != NULL;
	if (!is_good)
		(void)say_unknown(name, catalog);
	catalog_close(catalog);
	return is_good;
}

static bool is_declared(const char *name)
{
	const char *shipped = getenv("MUXBUS_TOOLS");
	char file[128], path[PATH_MAX];
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0' ||
	    (size_t)snprintf(file, sizeof file, "tools/%s.json", name) >= sizeof file)
		return false;
	if (address_config(path, sizeof path, file) == 0 && access(path, R_OK) == 0)
		return true;
	(void)snprintf(path, sizeof path, "%s/%s.json",
	    shipped != NULL && *shipped == '/' ? shipped : MUXBUS_TOOLSDIR, name);
	return access(path, R_OK) == 0;
}

/*
 * Connects for a method, and gets its description. If no socket file exists, refuses an unknown
 * method before a daemon is started.
 */
static enum cli_status connect_for(
    struct cli *cli, const char *method, struct link **ret_link, const struct json **ret_row)
{
	struct link_answer answer;
	bool may_start = !str_is_in(method, waking_none);
	if (may_start && !remote_is(cli) && access(cli->socket, F_OK) < 0 && !is_declared(method) &&
	    !is_known(cli, method))
		return CLI_USAGE;
	*ret_link =
	    ask_connect_for(cli, may_start, ASK_PARAMS({"method", .text = method}), &answer);
	if (*ret_link == NULL)
		return CLI_UNREACHABLE;
	if (answer.error != NULL)
		return is_known(cli, method) ? ask_say_error(answer.error) : CLI_USAGE;
	*ret_row = ask_row(json_member(answer.result, "methods"), method);
	return *ret_row != NULL ? CLI_DONE
				: cli_fail(CLI_NO, "muxbusd does not describe %s", method);
}

static void make_usage(struct method_call *call, const struct json *schema)
{
	const struct verb *verb = verb_find(call->name);
	if (verb != NULL && *verb->usage)
		(void)buf_printf(&call->usage, "%s %s", call->name, verb->usage);
	else
		arguments_usage(&call->usage, call->name, schema);
}

static void print_usage(FILE *stream, const struct method_call *call)
{
	(void)fputs("usage: muxbus ", stream);
	screen_print_line(stream, buf_text(&call->usage));
	(void)fprintf(stream, "\nSee: muxbus help %s\n", call->name);
}

static enum cli_status make_params(struct method_call *call, const struct json *row)
{
	char reason[1024];
	const struct json *schema = json_member(row, "params");
	call->waits = json_get_bool(row, "waits", false);
	make_usage(call, schema);
	if (call->wants_help) {
		print_usage(stdout, call);
		return CLI_DONE;
	}
	if (arguments_write(
		&call->params, schema, call->count, call->words, reason, sizeof reason) == 0)
		return CLI_DONE;
	cli_error("%s: %s", call->name, reason);
	print_usage(stderr, call);
	return CLI_USAGE;
}

static void print_result(struct cli *cli, const char *method, const struct json *result)
{
	struct buf out = BUF(LINK_LINE_MAX);
	if (strcmp(method, "status") != 0 || show_is_json(cli) ||
	    json_member(result, "audit") != NULL) {
		show_result(cli, method, result);
		return;
	}
	status_text(&out, result, cli->is_terminal ? (size_t)screen_columns(STDOUT_FILENO) : 0,
	    cli->has_color);
	cli_print(&out);
}

/* Returns CLI_UNREACHABLE if no host of a fleet answered, CLI_TIMEOUT at a timeout, or CLI_DONE. */
static enum cli_status status_of(const struct json *result)
{
	const struct json *missing = json_member(result, "missing");
	const struct json *hosts = json_member(result, "hosts");
	if (missing != NULL && missing->count > 0 && hosts != NULL && hosts->count == 0)
		return CLI_UNREACHABLE;
	return json_get_bool(result, "timed_out", false) ? CLI_TIMEOUT : CLI_DONE;
}

static enum cli_status run(
    struct cli *cli, struct method_call *call, struct link *link, const struct json *row)
{
	const struct json *result;
	enum cli_status status = make_params(call, row);
	if (status != CLI_DONE || call->wants_help)
		return status;
	status = ask_result(link, call->method, buf_text(&call->params),
	    call->waits ? -1 : ASK_TIMEOUT_MS, &result);
	if (status == CLI_USAGE)
		print_usage(stderr, call);
	if (status != CLI_DONE)
		return status;
	print_result(cli, call->method, result);
	if (strcmp(call->method, "subscribe") == 0)
		cli_error("the subscription ends with this command; muxbus watch prints events");
	return status_of(result);
}

/* Returns true if a word is the text: without a key, with key text or base64, or behind "--". */
static bool is_text(const struct method_call *call, int at)
{
	const char *word = call->words[at];
	size_t len = strcspn(word, ":@=");
	return strchr(word, '=') == NULL || strcmp(call->words[at - 1], "--") == 0 ||
	    (len == 4 && memcmp(word, "text", len) == 0) ||
	    (len == 6 && memcmp(word, "base64", len) == 0);
}

/*
 * Puts the verb's key before the first of several words: "pane=" in `send %3 text`. If all later
 * words look like key=value, such as "a=b", the last one is the text, and gets "--" before it. An
 * option gets no key, and is refused later.
 */
static void key_first(struct method_call *call, const char *key)
{
	int last = call->count - 1;
	const char *equals;
	bool has_other = false;
	if (last < 1 || strchr(call->words[0], '=') != NULL ||
	    (call->words[0][0] == '-' && strlen(call->words[0]) == 2))
		return;
	for (int i = 1; i <= last && !has_other; i++)
		has_other = is_text(call, i);
	equals = strchr(call->words[last], '=');
	/* key@=file and key:=json are not texts. */
	if (!has_other && equals > call->words[last] && strchr("@:", equals[-1]) != NULL)
		return;
	if (!has_other) {
		call->words[last + 1] = call->words[last];
		call->words[last] = "--";
		call->count++;
	}
	call->first = xasprintf("%s=%s", key, call->words[0]);
	call->words[0] = call->first;
}

/* Puts a word such as enter=true first, unless a word with its key was given before "--". */
static void add_word(struct method_call *call, const char *preset)
{
	size_t len = strcspn(preset, "=");
	for (int i = 0; i < call->count && strcmp(call->words[i], "--") != 0; i++)
		if (strncmp(call->words[i], preset, len) == 0 && call->words[i][len] != '\0' &&
		    strchr("=:@", call->words[i][len]) != NULL)
			return;
	memmove(call->words + 1, call->words, (size_t)call->count * sizeof *call->words);
	call->words[0] = preset;
	call->count++;
}

static void add_preset(struct method_call *call, const char *preset)
{
	char *save;
	call->preset = xstrdup(preset);
	for (char *word = strtok_r(call->preset, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		add_word(call, word);
}

static void sort_words(struct cli *cli, struct method_call *call, int argc, char **argv)
{
	bool is_verbatim = false;
	call->words = xcalloc((size_t)argc + WORDS_MORE, sizeof *call->words);
	for (int i = 1; i < argc; i++) {
		if (!is_verbatim && strcmp(argv[i], "--") == 0)
			is_verbatim = true;
		else if (!is_verbatim &&
		    (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
			call->wants_help = true;
			continue;
		} else if (!is_verbatim && cli_option(cli, argv[i])) {
			continue;
		} else if (!is_verbatim && strcmp(argv[i], "--force") == 0) {
			call->has_force = true;
			continue;
		}
		call->words[call->count++] = argv[i];
	}
}

enum cli_status call_run(struct cli *cli, int argc, char **argv)
{
	const struct verb *verb = verb_find(argv[0]);
	struct method_call call = {
	    .name = argv[0], .method = verb != NULL ? verb->method : argv[0]};
	const struct json *row = NULL;
	struct link *link = NULL;
	enum cli_status status;
	sort_words(cli, &call, argc, argv);
	if (verb != NULL && verb->first != NULL)
		key_first(&call, verb->first);
	if (verb != NULL && verb->preset != NULL)
		add_preset(&call, verb->preset);
	if (call.has_force)
		add_word(&call, "force=true");
	buf_init(&call.params, ARGUMENTS_PARAMS_MAX);
	buf_init(&call.usage, ARGUMENTS_PARAMS_MAX);
	status = connect_for(cli, call.method, &link, &row);
	if (status == CLI_DONE)
		status = run(cli, &call, link, row);
	link_close(link);
	buf_finish(&call.params);
	buf_finish(&call.usage);
	mem_free(call.first);
	mem_free(call.preset);
	mem_free(call.words);
	return cli_flush(status);
}
