/* SPDX-License-Identifier: ISC */
/* The tables of methods: in order, complete, and consistent with their examples. */
#include "daemon/server/method.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/methods/tables.h"
#include "daemon/wait/condition.h"
#include "tap.h"

/* Reports the faults of a row. Returns how many. */
static int fault(const struct method *method, const char *what)
{
	diag("%s: %s", method->name, what);
	return 1;
}

static bool ends_as_sentence(const char *text)
{
	size_t len = text != NULL ? strlen(text) : 0;
	return len > 0 && isupper((unsigned char)text[0]) && text[len - 1] == '.';
}

static void test_order(void)
{
	int unsorted = 0;
	int lost = 0;
	size_t count = 0;
	const struct method *previous, *found;
	for (const struct method_table *table = method_tables; table->rows; table++)
		for (const struct method *method = table->rows; method->name; method++) {
			count++;
			found = method_find(method->name);
			lost += found == NULL || found->summary != method->summary;
			if (method != table->rows && strcmp(method[-1].name, method->name) >= 0)
				unsorted += fault(method, "is out of order in its table");
		}
	is_int(unsorted, 0, "each table is sorted");
	is_int(lost, 0, "each of %zu methods is found by its name, and by no other's", count);
	previous = NULL;
	for (const struct method *method = method_next(NULL); method;
	     method = method_next(method)) {
		if (previous != NULL && strcmp(previous->name, method->name) >= 0)
			unsorted++;
		previous = method;
		count--;
	}
	is_int(unsorted, 0, "all of them are walked in order");
	is_int((long long)count, 0, "and each once");
	ok(method_find("") == NULL && method_find("zzz") == NULL && method_find("pin") == NULL,
	    "others are not found");
	is_str(method_nearest("pnig"), "ping", "the nearest is suggested");
	ok(method_nearest("qqqqqqqq") == NULL, "or none");
}

static int check_fields(const struct method *method)
{
	int faults = 0;
	for (const struct field *field = method->fields; field != NULL && field->name; field++) {
		if (field->offset >= method->args_size)
			faults += fault(method, "a field lies outside of its arguments");
		if (!(field->flags & FIELD_ALIAS) && !(field->help && *field->help))
			faults += fault(method, field->name);
		for (const struct field *other = method->fields; other != field; other++)
			if (strcmp(other->name, field->name) == 0)
				faults += fault(method, "has a field twice");
	}
	if (method_is_read_only(method) != (method->key_offset == 0) && method->begun == NULL)
		faults += fault(method, "changes something and has no key, or reads and has one");
	if (method->fields == NULL && method->args_size)
		faults += fault(method, "has arguments without fields");
	return faults;
}

/* A text such as "id of the pane": a small letter, or an acronym, at its start; no full stop. */
static bool is_fragment(const char *text)
{
	size_t len = text != NULL ? strlen(text) : 0;
	return len > 1 && text[len - 1] != '.' &&
	    !(isupper((unsigned char)text[0]) && !isupper((unsigned char)text[1]));
}

static int check_results(const struct method *method)
{
	int faults = 0;
	for (const struct field_result *row = method->results; row != NULL && row->name; row++) {
		if (!row->type || !is_fragment(row->help))
			faults += fault(method, row->name);
	}
	return faults;
}

/* A call whose response was lost: what changes something can be looked at, or repeated. */
static int check_recheck(const struct method *method)
{
	const struct method *recheck;
	if (method->recheck == NULL)
		return method_is_read_only(method) || method->flags & METHOD_IDEMPOTENT
		    ? 0
		    : fault(method, "says neither recheck nor METHOD_IDEMPOTENT");
	recheck = method_find(method->recheck);
	if (recheck == NULL || !method_is_read_only(recheck))
		return fault(method, "its recheck is no method that reads");
	return 0;
}

/* Names and titles of panes, windows and sessions are of the model: they are read, not seen. */
static bool is_of_model(const struct method *method)
{
	static const char *const names[] = {
	    "get_pane", "list_panes", "list_sessions", "list_windows", NULL};
	for (size_t i = 0; names[i] != NULL; i++) {
		if (strcmp(method->name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The flag is set where a result was written: it finds an effect that was forgotten. */
static int check_effects(const struct method *method)
{
	bool shows = method->flags & METHOD_OPEN_WORLD && !is_of_model(method);
	if (method->effects == 0)
		return fault(method, "has no effects");
	if (method_is_read_only(method) && method_is_destructive(method))
		return fault(method, "changes nothing and destroys");
	if (shows && (method->effects & METHOD_SEES) == 0)
		return fault(method, "shows what strangers wrote, and has not the effect sees");
	return 0;
}

static void test_rows(void)
{
	int faults = 0;
	int field_faults = 0;
	int result_faults = 0;
	for (const struct method *method = method_next(NULL); method;
	     method = method_next(method)) {
		if (method->title == NULL || !*method->title)
			faults += fault(method, "has no title");
		if (!ends_as_sentence(method->summary))
			faults += fault(method, "its summary is no sentence");
		if (method->handle == NULL)
			faults += fault(method, "has no handler");
		faults += check_effects(method);
		faults += check_recheck(method);
		field_faults += check_fields(method);
		result_faults += check_results(method);
	}
	is_int(faults, 0, "each row says what a stranger must know");
	is_int(field_faults, 0, "each field lies where it may, and is explained");
	is_int(
	    result_faults, 0, "so is each member of a result, by a fragment without a full stop");
}

static void test_examples(void)
{
	int faults = 0;
	struct json_reader *reader = json_reader_new(65536);
	struct buf scratch;
	buf_init(&scratch, 65536);
	for (const struct method *method = method_next(NULL); method;
	     method = method_next(method)) {
		struct json_error json_error;
		struct field_error error = {0};
		void *args = xcalloc(1, method->args_size + 1);
		const struct json *params = NULL;
		if (method->example != NULL)
			params = json_read(
			    reader, method->example, strlen(method->example), &json_error);
		if (method->example != NULL && params == NULL)
			faults += fault(method, json_error.text);
		else if (method->example != NULL &&
		    field_read(method->fields, params, args, method->args_size, &scratch, &error) <
			0)
			faults += fault(method, error.text);
		buf_clear(&scratch);
		mem_free(args);
	}
	is_int(faults, 0, "each example is accepted by its method");
	buf_finish(&scratch);
	json_reader_free(reader);
}

static void test_written(void)
{
	struct buf out;
	struct json_writer writer;
	struct json_error error;
	struct json_reader *reader;
	const struct json *all;
	int missing;
	buf_init(&out, (size_t)1 << 24);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	for (const struct method *method = method_next(NULL); method; method = method_next(method))
		method_write(&writer, method->name, method);
	json_object_end(&writer);
	reader = json_reader_new((size_t)1 << 24);
	all = json_read(reader, (const char *)out.data, out.len, &error);
	missing = 0;
	for (const struct method *method = method_next(NULL); all != NULL && method != NULL;
	     method = method_next(method)) {
		const struct json *row = json_member(all, method->name);
		const struct json *params = row != NULL ? json_member(row, "params") : NULL;
		const struct json *results = row != NULL ? json_member(row, "result_schema") : NULL;
		const struct json *effects = row != NULL ? json_member(row, "effects") : NULL;
		missing += params == NULL || !json_member(params, "properties");
		missing += results == NULL || !json_member(results, "properties");
		missing += effects == NULL || effects->count == 0;
	}
	ok(all != NULL, "describe is JSON");
	is_int(missing, 0, "and has each method with its schemas and effects");
	buf_clear(&out);
	methods_describe_mdoc(&out);
	missing = 0;
	for (const struct method *method = method_next(NULL); method;
	     method = method_next(method)) {
		char *heading = xasprintf(".Ss %s\n", method->name);
		missing += !strstr((const char *)out.data, heading);
		mem_free(heading);
	}
	for (const struct condition_kind *kind = NULL;
	     (kind = condition_kind_next(kind)) != NULL;) {
		char *heading = xasprintf(".Ss condition %s\n", kind->name);
		missing += !strstr((const char *)out.data, heading);
		mem_free(heading);
	}
	is_int(missing, 0, "the manual has each method and condition");
	missing = 0;
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method))
		missing += method->flags & METHOD_UNNOTED &&
		    !strstr(method_find("get_action_history")->help, method->name);
	is_int(missing, 0, "get_action_history says which calls are not kept");
	json_reader_free(reader);
	buf_finish(&out);
}

/* The fault of the row of a condition; NULL: none. */
static const char *condition_fault(const struct condition_kind *kind, struct json_reader *reader)
{
	static char text[sizeof(struct field_error) + 64];
	struct field_error error = {.text = "is no JSON"};
	struct json_error json_error;
	void *args = xcalloc(1, kind->args_size);
	const struct json *example =
	    json_read(reader, kind->example, strlen(kind->example), &json_error);
	struct buf scratch;
	bool is_taken;
	buf_init(&scratch, 65536);
	is_taken = example != NULL &&
	    field_read(kind->fields, example, args, kind->args_size, &scratch, &error) == 0;
	buf_finish(&scratch);
	mem_free(args);
	if (!ends_as_sentence(kind->help))
		return "its help is no sentence";
	if (strcmp(kind->fields[0].name, kind->name) != 0)
		return "its first field has another name";
	if (kind->needs_tmux && kind->pane_member == NULL)
		return "it is about a pane, and no member names it";
	snprintf(text, sizeof text, "its example: %s", error.text);
	return is_taken ? NULL : text;
}

static void test_conditions(void)
{
	struct json_reader *reader = json_reader_new(65536);
	const struct condition_kind *kind = NULL, *previous = NULL;
	int faults = 0, unsorted = 0;
	for (; (kind = condition_kind_next(kind)) != NULL; previous = kind) {
		const char *what = condition_fault(kind, reader);
		if (what != NULL)
			diag("%s: %s", kind->name, what);
		faults += what != NULL;
		unsorted += previous != NULL && strcmp(previous->name, kind->name) >= 0;
	}
	is_int(faults, 0, "each condition has help, fields and an example that it takes");
	is_int(unsorted, 0, "and they are walked in order");
	json_reader_free(reader);
}

/* The list of conditions in describe: one object of each kind, with its fields. */
static void test_condition_schema(void)
{
	struct buf out;
	struct json_writer writer;
	struct json_error error;
	struct json_reader *reader = json_reader_new((size_t)1 << 24);
	const struct condition_kind *kind = NULL;
	const struct json *any, *branch;
	int faults = 0;
	buf_init(&out, (size_t)1 << 24);
	json_writer_init(&writer, &out);
	method_write(&writer, NULL, method_find("wait_for"));
	any = json_read(reader, (const char *)out.data, out.len, &error);
	any = json_member(json_member(json_member(any, "params"), "properties"), "any");
	branch = json_member(json_member(any, "items"), "oneOf")->child;
	while ((kind = condition_kind_next(kind)) != NULL) {
		const struct json *properties =
		    branch != NULL ? json_member(branch, "properties") : NULL;
		faults += properties == NULL || json_member(properties, kind->name) == NULL;
		branch = branch != NULL ? branch->next : NULL;
	}
	ok(faults == 0 && branch == NULL, "wait_for takes an array of these conditions");
	buf_finish(&out);
	json_reader_free(reader);
}

/* The methods of each role, beside those of the roles below it. All others are for full only. */
static const char *const role_rows[ROLE_COUNT_][64] = {
    [ROLE_READ_ONLY] = {"capture_pane", "describe", "find_text", "get_action_history", "get_job",
	"get_pane", "list_agents", "list_events", "list_hosts", "list_jobs", "list_notifications",
	"list_panes", "list_providers", "list_saved", "list_sessions", "list_timers", "list_tools",
	"list_watches", "list_windows", "meter", "narrow", "ping", "progress", "read_audit",
	"read_job", "read_output", "read_rest", "status", "subscribe", "unsubscribe", "wait_for",
	"yield_turn"},
    [ROLE_OWN_PANES] = {"ack_notification", "background_process", "cancel_notification",
	"cancel_timer", "cancel_watch", "close_pane", "create_pane", "execute_cli", "gemini_sleep",
	"next_notification", "post_notification", "report_agent", "respond", "restart_job",
	"run_long_command", "self_command", "send_keys", "send_mouse", "send_task", "send_text",
	"set_wake_policy", "sleep", "stop_agent", "stop_job", "take_notifications", "wait_for_idle",
	"watch_log", "watch_pane"},
};

static bool is_expected(enum role role, const char *name)
{
	for (int least = ROLE_COUNT_ - 1; least >= (int)role; least--)
		for (const char *const *row = role_rows[least]; *row != NULL; row++)
			if (strcmp(*row, name) == 0)
				return true;
	return role == ROLE_FULL;
}

static void test_roles(void)
{
	struct method row = *method_find("list_panes");
	int faults = 0;
	for (int role = 0; role < ROLE_COUNT_; role++)
		for (const struct method *method = method_next(NULL); method;
		     method = method_next(method))
			if (role_has((enum role)role, method) !=
			    is_expected((enum role)role, method->name))
				faults += fault(method, role_names[role]);
	is_int(faults, 0, "each role has the methods of this table, and no other");
	row.group = "claimed";
	ok(!role_has(ROLE_READ_ONLY, &row) && !role_has(ROLE_OWN_PANES, &row) &&
		role_has(ROLE_FULL, &row),
	    "what a declared tool or a provider claims to do gives no role");
	row = (struct method){.name = "new"};
	for (unsigned effects = 1; effects < 2 * METHOD_ADMINISTERS; effects++) {
		row.effects = effects;
		faults += role_has(ROLE_READ_ONLY, &row) != method_is_read_only(&row);
		faults += role_has(ROLE_OWN_PANES, &row) != method_is_read_only(&row);
	}
	is_int(faults, 0, "a new row that does more than read is in no role but full");
}

int main(void)
{
	tables_register();
	test_order();
	test_rows();
	test_roles();
	test_examples();
	test_written();
	test_conditions();
	test_condition_schema();
	return done_testing();
}
