/* SPDX-License-Identifier: ISC */
/* muxbus wait: waits until conditions come true. */
#include "cli/verbs/wait.h"

#include "cli/arguments.h"
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"
#include "cli/verbs/job_output.h"

#define PARAMS_MAX LINK_LINE_MAX
#define RECONNECT_TRIES 60
#define TIMEOUT_MAX_MS (316224000LL * 1000) /* limit of wait_for: ten years of 366 days */

struct wait_verb {
	struct cli *cli;
	bool wants_all, is_quiet;
	bool wants_status; /* --exit-status: return the status of the first failed job */
	int job_status;
	int64_t timeout_ms;
	const char *name; /* of a wait that survives its connection */
	const char **words;
	size_t count;
	char **own; /* words made from options, to free */
	size_t own_count;
	struct buf conditions; /* as a JSON array; empty until the words are parsed */
};

static bool take_word(void *data, const struct option_row *row UNUSED, const char *word)
{
	struct wait_verb *wait = data;
	wait->words[wait->count++] = word;
	return true;
}

/* Handles an option that stands for a word: --agent-state STATE means agent_state=STATE. */
static bool take_condition(void *data, const struct option_row *row, const char *value)
{
	struct wait_verb *wait = data;
	char *word = xasprintf("%s=%s", row->name, value != NULL ? value : "true");
	char *dash = memchr(word, '-', strlen(row->name));
	if (dash != NULL)
		*dash = '_';
	wait->words[wait->count++] = wait->own[wait->own_count++] = word;
	return true;
}

static bool take_any(void *data, const struct option_row *row UNUSED, const char *value UNUSED)
{
	struct wait_verb *wait = data;
	wait->wants_all = false;
	return true;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TAKE, 0, take_word},
    {"agent", 0, OPTION_TAKE, 0, take_condition},
    {"agent-state", 0, OPTION_TAKE, 0, take_condition},
    {"all", 0, OPTION_FLAG, offsetof(struct wait_verb, wants_all), NULL},
    {"any", 0, OPTION_TAKE_FLAG, 0, take_any},
    {"event", 0, OPTION_TAKE, 0, take_condition},
    {"exit-status", 'x', OPTION_FLAG, offsetof(struct wait_verb, wants_status), NULL},
    {"name", 'n', OPTION_TEXT, offsetof(struct wait_verb, name), NULL},
    {"pane", 0, OPTION_TAKE, 0, take_condition},
    {"prompt", 0, OPTION_TAKE_FLAG, 0, take_condition},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct wait_verb, is_quiet), NULL},
    {"session", 0, OPTION_TAKE, 0, take_condition},
    {"timeout", 't', OPTION_DURATION, offsetof(struct wait_verb, timeout_ms), NULL},
    {"window", 0, OPTION_TAKE, 0, take_condition},
    {0},
};

static enum cli_status read_conditions(
    struct wait_verb *wait, struct link *link, const struct link_answer *answer)
{
	char reason[PATH_MAX + 512];
	const struct json *tables = answer->result, *kinds;
	/* An older daemon cannot describe a single table, so then get all tables. */
	enum cli_status status = answer->error == NULL
	    ? CLI_DONE
	    : ask_result(link, "describe", NULL, ASK_TIMEOUT_MS, &tables);
	if (status != CLI_DONE)
		return status;
	kinds = json_member(tables, "conditions");
	if (kinds == NULL)
		return cli_fail(CLI_UNREACHABLE,
		    "muxbusd is older than muxbus and does not describe its conditions");
	if (wait_conditions(
		&wait->conditions, kinds, wait->count, wait->words, reason, sizeof reason) < 0)
		return cli_usage("wait", "%s", reason);
	return CLI_DONE;
}

static enum cli_status put_params(const struct wait_verb *wait, struct buf *params)
{
	struct json_writer writer;
	json_writer_init(&writer, params);
	json_object_begin(&writer, NULL);
	if (wait->count > 0)
		json_put_raw(&writer, wait->wants_all ? "all" : "any", wait->conditions.data,
		    wait->conditions.len);
	/* The timeout of wait_for is at least a millisecond. */
	json_put_double(
	    &writer, "timeout_sec", (double)(wait->timeout_ms ? wait->timeout_ms : 1) / 1000);
	json_put_given(&writer, "wait", wait->name);
	json_object_end(&writer);
	return writer.is_cut ? cli_usage("wait", "the conditions are too long") : CLI_DONE;
}

static void tell_condition(const struct cli *cli, const struct json *condition)
{
	const char *state = json_get_str(condition, "state", "?");
	const struct json *details = json_member(condition, "details");
	bool is_matched = strcmp(state, "matched") == 0;
	struct buf out = BUF(LINK_LINE_MAX);
	if (strcmp(state, "pending") == 0)
		return;
	(void)buf_append_str(
	    &out, screen_style(cli->has_color, is_matched ? SCREEN_GOOD : SCREEN_WARN));
	(void)buf_printf(&out, "%s: ", json_get_str(condition, "condition", "?"));
	(void)buf_append_str(&out, screen_style(cli->has_color, SCREEN_PLAIN));
	(void)buf_printf(&out, "%s", state);
	json_each_member (at, details) {
		struct buf value = BUF(LINK_LINE_MAX);
		if (at->type == JSON_NULL)
			continue;
		show_value(&value, at);
		(void)buf_append_str(&out, "  ");
		(void)screen_text_line(&out, at->name, at->name_len);
		(void)buf_append_byte(&out, '=');
		if (value.len > 0)
			(void)screen_text_line(&out, value.data, value.len);
		buf_finish(&value);
	}
	(void)puts(buf_text(&out));
	buf_finish(&out);
}

static bool is_fulfilled(const struct wait_verb *wait, const struct json *result)
{
	const struct json *matched = json_member(result, "matched");
	const struct json *conditions = json_member(result, "conditions");
	size_t count = matched != NULL && matched->type == JSON_ARRAY ? matched->count : 0;
	return wait->wants_all ? conditions != NULL && count == conditions->count : count > 0;
}

static int status_of_jobs(const struct json *result)
{
	int status = 0;
	json_each (at, json_member(result, "conditions"))
		if (status == 0 && strcmp(json_get_str(at, "condition", ""), "job") == 0 &&
		    strcmp(json_get_str(at, "state", ""), "matched") == 0)
			status = job_output_status(json_member(at, "details"));
	return status;
}

static enum cli_status tell(struct wait_verb *wait, const struct json *result)
{
	const struct json *conditions = json_member(result, "conditions");
	bool has_gap = false;
	if (!wait->is_quiet && show_is_json(wait->cli)) {
		show_json(wait->cli, result);
	} else if (!wait->is_quiet) {
		json_each (at, conditions) {
			tell_condition(wait->cli, at);
			has_gap |= json_get_bool(at, "gap", false);
		}
		if (json_get_bool(result, "timed_out", false))
			(void)printf("the time is up%s\n",
			    has_gap ? "; something may have been missed" : "");
	}
	if (wait->wants_status)
		wait->job_status = status_of_jobs(result);
	if (is_fulfilled(wait, result))
		return CLI_DONE;
	return json_get_bool(result, "timed_out", false) ? CLI_TIMEOUT : CLI_NO;
}

static enum cli_status wait_once(struct wait_verb *wait, struct link *link)
{
	const struct json *result;
	struct buf params = BUF(PARAMS_MAX);
	enum cli_status status = put_params(wait, &params);
	if (status == CLI_DONE)
		status = ask_result(link, "wait_for", buf_text(&params), -1, &result);
	if (status == CLI_DONE)
		status = tell(wait, result);
	buf_finish(&params);
	return status;
}

static enum cli_status run(struct wait_verb *wait)
{
	struct link_answer answer;
	struct link *link =
	    ask_connect_for(wait->cli, true, ASK_PARAMS({"table", .text = "conditions"}), &answer);
	int64_t deadline = clock_deadline_ms(wait->timeout_ms);
	enum cli_status status = CLI_UNREACHABLE;
	enum interrupt_wake wake;
	if (link != NULL && wait->count > 0 &&
	    (status = read_conditions(wait, link, &answer)) != CLI_DONE) {
		link_close(link);
		return status;
	}
	while (link != NULL) {
		status = wait_once(wait, link);
		link_close(link);
		link = NULL;
		if (status == CLI_UNREACHABLE && wait->cli->is_fleet &&
		    clock_left_ms(deadline) > 0) {
			/* The daemons of the hosts still run, so wait again. */
			cli_error("the fleet is started again");
			link = interrupt_reconnect(NULL, wait->cli, RECONNECT_TRIES, -1, &wake);
			wait->timeout_ms = clock_left_ms(deadline);
		}
	}
	return status;
}

enum cli_status wait_run(struct cli *cli, int argc, char **argv)
{
	struct wait_verb wait = {.cli = cli, .timeout_ms = TIMEOUT_MAX_MS};
	enum cli_status status;
	buf_init(&wait.conditions, PARAMS_MAX);
	wait.words = xcalloc((size_t)argc + 1, sizeof *wait.words);
	wait.own = xcalloc((size_t)argc + 1, sizeof *wait.own);
	if (option_read(cli, argc, argv, options, &wait, NULL, &status)) {
		if (wait.count > 0 || wait.name != NULL)
			status = run(&wait);
		else
			status = cli_usage("wait",
			    "a condition is missing, such as prompt=true; see: muxbus help "
			    "conditions");
	}
	while (wait.own_count > 0)
		mem_free(wait.own[--wait.own_count]);
	buf_finish(&wait.conditions);
	mem_free(wait.own);
	mem_free(wait.words);
	status = cli_flush(status);
	return status == CLI_DONE ? (enum cli_status)wait.job_status : status;
}

#define NAMES_MAX 256 /* names of kinds and of members together */
#define NAME_MAX_BYTES 64

struct condition_word {
	const char *name; /* of the member that the word sets */
	const struct json *property; /* schema of the member; NULL: not in the open condition */
	const struct json *kind; /* the condition that the word begins; NULL: a member */
};

struct conditions {
	struct json_writer writer;
	const struct json *kinds;
	const struct json *open; /* the condition in progress, or NULL */
	bool has_pane; /* the condition in progress has a pane */
	const char *pane; /* for conditions without a pane; NULL: the daemon takes our own pane */
	char *reason;
	size_t reason_size;
};

#define refuse(all, ...) str_refuse((all)->reason, (all)->reason_size, __VA_ARGS__)

static const struct json *properties_of(const struct json *kind)
{
	return json_member(json_member(kind, "params"), "properties");
}

/* Returns true if text is the name, or the name without "_sec". */
static bool is_name(const char *name, const char *text, size_t len)
{
	return strncmp(name, text, len) == 0 &&
	    (name[len] == '\0' || strcmp(name + len, "_sec") == 0);
}

static const struct json *find_name(const struct json *members, const char *text, size_t len)
{
	json_each_member (at, members)
		if (is_name(at->name, text, len))
			return at;
	return NULL;
}

static int refuse_word(struct conditions *all, const char *text, size_t len)
{
	const char *names[NAMES_MAX + 1] = {NULL}, *nearest;
	char name[NAME_MAX_BYTES];
	size_t count = 0;
	json_each_member (kind, all->kinds) {
		const struct json *properties = properties_of(kind);
		for (const struct json *at = json_first_member(properties);
		     at != NULL && count < NAMES_MAX; at = at->next)
			names[count++] = at->name;
	}
	snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), text);
	nearest = str_nearest(name, names);
	return refuse(all, "there is no condition \"%s\"%s%s%s", name,
	    STR_NEAREST(nearest, "; see: muxbus help conditions"));
}

/* Finds a member of the open condition. A member of another condition gets property NULL. */
static bool find_member(
    const struct conditions *all, const char *text, size_t len, struct condition_word *ret_word)
{
	const struct json *property =
	    all->open != NULL ? find_name(properties_of(all->open), text, len) : NULL;
	const struct json *elsewhere = property;
	for (const struct json *kind = json_first_member(all->kinds);
	     kind != NULL && elsewhere == NULL; kind = kind->next)
		elsewhere = find_name(properties_of(kind), text, len);
	if (elsewhere == NULL)
		return false;
	*ret_word = (struct condition_word){.name = elsewhere->name, .property = property};
	return true;
}

static int find_word(
    struct conditions *all, const char *text, size_t len, struct condition_word *ret_word)
{
	const struct json *kind = find_name(all->kinds, text, len);
	if (kind != NULL) {
		*ret_word = (struct condition_word){.name = kind->name,
		    .property = json_member(properties_of(kind), kind->name),
		    .kind = kind};
		return 0;
	}
	return find_member(all, text, len, ret_word) ? 0 : refuse_word(all, text, len);
}

static int put_path(struct conditions *all, const struct condition_word *word, const char *text)
{
	char dir[PATH_MAX], path[PATH_MAX * 2];
	if (text[0] != '/' && text[0] != '~') {
		if (getcwd(dir, sizeof dir) == NULL)
			return refuse(all, "%s: %s", word->name, strerror(errno));
		if (snprintf(path, sizeof path, "%s/%s", dir, text) >= (int)sizeof path)
			return refuse(all, "%s: the path is too long", word->name);
		text = path;
	}
	json_put_str(&all->writer, word->name, text);
	return 0;
}

/* Returns true if the member is a time in seconds; a word may then be 1.5 or 10m. */
static bool is_time(const struct condition_word *word)
{
	return strcmp(json_get_str(word->property, "type", ""), "number") == 0 &&
	    str_ends_in(word->name, "sec");
}

static int put_time(struct conditions *all, const struct condition_word *word, const char *text)
{
	int64_t ms;
	if (!option_parse_duration(text, &ms))
		return refuse(all, "%s: must be a time such as 30, 1.5s or 10m, not \"%s\"",
		    word->name, text);
	json_put_double(&all->writer, word->name, (double)ms / 1000);
	return 0;
}

static int put_value(
    struct conditions *all, const struct condition_word *word, const char *text, bool is_json)
{
	bool is_path = strcmp(json_get_str(word->property, "format", ""), "path") == 0;
	if (!is_json && is_time(word))
		return put_time(all, word, text);
	if (!is_json && is_path && utf8_is_valid(text, strlen(text)))
		return put_path(all, word, text);
	return arguments_put(
	    &all->writer, word->property, word->name, text, is_json, all->reason, all->reason_size);
}

static bool needs_pane(const struct json *kind)
{
	return json_get_bool(kind, "needs_tmux", false) &&
	    json_member(properties_of(kind), "pane") != NULL;
}

static void end_condition(struct conditions *all)
{
	if (all->open == NULL)
		return;
	if (needs_pane(all->open) && !all->has_pane && all->pane != NULL)
		json_put_str(&all->writer, "pane", all->pane);
	json_object_end(&all->writer);
	all->open = NULL;
}

static void begin_condition(struct conditions *all, const struct json *kind)
{
	end_condition(all);
	json_object_begin(&all->writer, NULL);
	all->open = kind;
	all->has_pane = false;
}

static int take_member(
    struct conditions *all, const struct condition_word *word, const char *value, bool is_json)
{
	bool is_pane = strcmp(word->name, "pane") == 0;
	if (all->open == NULL && !is_pane)
		return refuse(
		    all, "%s: says more of a condition, and there is none before it", word->name);
	if (all->open == NULL) {
		all->pane = value;
		return utf8_is_valid(value, strlen(value))
		    ? 0
		    : refuse(all, "pane: is not valid UTF-8");
	}
	if (word->property == NULL)
		return refuse(
		    all, "%s: is no member of the condition %s", word->name, all->open->name);
	if (is_pane && all->has_pane)
		return refuse(all, "%s: has two panes", all->open->name);
	all->has_pane |= is_pane;
	return put_value(all, word, value, is_json);
}

static int add_word(struct conditions *all, const char *text)
{
	size_t len = strcspn(text, ":=");
	bool is_json = text[len] == ':' && text[len + 1] == '=';
	const char *value = text + len + 1 + is_json;
	struct condition_word word = {0};
	if (len == 0 || (!is_json && text[len] != '='))
		return refuse(all, "\"%.80s\" is not of the form condition=value", text);
	if (find_word(all, text, len, &word) < 0)
		return -1;
	if (word.kind == NULL)
		return take_member(all, &word, value, is_json);
	begin_condition(all, word.kind);
	return put_value(all, &word, value, is_json);
}

int wait_conditions(struct buf *out, const struct json *kinds, size_t count,
    const char *const *words, char *ret_reason, size_t size)
{
	struct conditions all = {.kinds = kinds, .reason = ret_reason, .reason_size = size};
	int r = 0;
	json_writer_init(&all.writer, out);
	json_array_begin(&all.writer, NULL);
	for (size_t i = 0; i < count && r == 0; i++)
		r = add_word(&all, words[i]);
	end_condition(&all);
	json_array_end(&all.writer);
	if (r == 0 && count > 0 && out->len == 2)
		return refuse(&all, "a condition is missing, such as prompt=true");
	return r == 0 && all.writer.is_cut ? refuse(&all, "the conditions are too long") : r;
}
