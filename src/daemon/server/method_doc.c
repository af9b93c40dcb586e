/* SPDX-License-Identifier: ISC */
/* The methods for readers: as JSON, and as the reference section of muxbus-protocol(7). */
#include "daemon/core/config.h"
#include "daemon/event/event_log.h"
#include "daemon/server/method.h"

static const struct {
	unsigned flag; /* enum method_flag */
	const char *name;
	const char *text;
} flags[] = {
    {METHOD_IDEMPOTENT, "idempotent", "The same call a second time changes nothing more."},
    {METHOD_WAITS, "waits", "It may take long: its response may be overtaken."},
    {METHOD_NEEDS_TMUX, "needs_tmux", "It needs a tmux server that is followed."},
    {METHOD_TOOL, "tool", "Agents see it in the default list of tools."},
    {METHOD_NO_TOOL, "no_tool", "Agents cannot call it as a tool."},
    {METHOD_OPEN_WORLD, "open_world", "Its result holds text that strangers wrote."},
};

#define FLAGS_COUNT (sizeof flags / sizeof *flags)

const struct method_effect_row method_effects[] = {
    {METHOD_READS, "reads",
	"The method answers with what is there. With no other effect than this and \"sees\" it "
	"changes nothing."},
    {METHOD_SEES, "sees",
	"The method shows what programs print, or texts that others wrote: screens, output, logs, "
	"notifications."},
    {METHOD_TYPES, "types",
	"The method changes which text reaches a program in a pane, now or later: keys, prompts, "
	"notifications."},
    {METHOD_RUNS, "runs", "The method starts a program."},
    {METHOD_CLOSES, "closes",
	"The method can end or overwrite what people and programs work with."},
    {METHOD_SPEAKS_FOR, "speaks_for",
	"The method reports, acknowledges or takes notifications for a pane."},
    {METHOD_WRITES, "writes",
	"The method changes what the daemon keeps over restarts: timers, watches, jobs, agents, "
	"notifications."},
    {METHOD_ADMINISTERS, "administers",
	"The method changes the layout of tmux, or the daemon itself."},
    {.name = NULL},
};

static void write_effects(struct json_writer *writer, const struct method *method)
{
	json_array_begin(writer, "effects");
	for (const struct method_effect_row *row = method_effects; row->name != NULL; row++)
		if (method->effects & row->effect)
			json_put_str(writer, NULL, row->name);
	json_array_end(writer);
	json_array_begin(writer, "roles");
	for (int role = 0; role < ROLE_COUNT_; role++)
		if (role_has((enum role)role, method))
			json_put_str(writer, NULL, role_names[role]);
	json_array_end(writer);
	json_put_bool(writer, "read_only", method_is_read_only(method));
	json_put_bool(writer, "destructive", method_is_destructive(method));
}

void method_write_result_schema(
    struct json_writer *writer, const char *name, const struct method *method, bool in_short)
{
	const char *schema = method->result_schema;
	if (schema != NULL && !in_short)
		json_put_raw(writer, name, schema, strlen(schema));
	else
		field_write_result_schema(writer, name, method->results, in_short);
}

void method_write(struct json_writer *writer, const char *name, const struct method *method)
{
	json_object_begin(writer, name);
	json_put_str(writer, "title", method->title);
	json_put_str(writer, "summary", method->summary);
	json_put_given(writer, "help", method->help);
	if (method->group != NULL)
		json_put_str(writer, "group", method->group);
	if (method->also != NULL) {
		json_array_begin(writer, "also");
		for (const char *const *also = method->also; *also != NULL; also++)
			json_put_str(writer, NULL, *also);
		json_array_end(writer);
	}
	field_write_schema(writer, "params", method->fields);
	json_array_begin(writer, "result");
	for (const struct field_result *row = method->results; row != NULL && row->name != NULL;
	     row++) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "name", row->name);
		json_put_str(writer, "type", row->type);
		json_put_str(writer, "help", row->help);
		json_object_end(writer);
	}
	json_array_end(writer);
	method_write_result_schema(writer, "result_schema", method, false);
	write_effects(writer, method);
	for (size_t i = 0; i < FLAGS_COUNT; i++)
		json_put_bool(writer, flags[i].name, method->flags & flags[i].flag);
	json_put_given(writer, "recheck", method->recheck);
	if (method->example != NULL)
		json_put_raw(writer, "example", method->example, strlen(method->example));
	json_object_end(writer);
}

static void write_results(struct buf *out, const struct field_result *results)
{
	if (results->name == NULL)
		return;
	(void)buf_append_str(out, ".Pp\nResult:\n.Bl -tag -width 4n -compact\n");
	for (const struct field_result *row = results; row->name != NULL; row++) {
		(void)buf_printf(out, ".It Va %s Pq %s\n", row->name, row->type);
		field_write_mdoc_text(out, row->help);
	}
	(void)buf_append_str(out, ".El\n");
}

static void write_effects_mdoc(struct buf *out, const struct method *method)
{
	const char *separator = "Effects:";
	for (const struct method_effect_row *row = method_effects; row->name != NULL; row++) {
		if ((method->effects & row->effect) == 0)
			continue;
		(void)buf_printf(out, "%s %s", separator, row->name);
		separator = ",";
	}
	separator = "; roles:";
	for (int role = 0; role < ROLE_COUNT_; role++) {
		if (!role_has((enum role)role, method))
			continue;
		(void)buf_printf(out, "%s %s", separator, role_names[role]);
		separator = ",";
	}
	(void)buf_append_str(out, ".\n");
}

static void write_also(struct buf *out, const struct method *method)
{
	const char *separator = "Also called";
	for (const char *const *name = method->also; name != NULL && *name != NULL; name++) {
		(void)buf_printf(out, "%s %s", separator, *name);
		separator = ",";
	}
	if (method->also != NULL)
		(void)buf_append_str(out, ".\n");
}

/* Writes a method, without the rows about repeated requests, which the manual explains once. */
static void write_method(struct buf *out, const struct method *method)
{
	struct field *fields = repeat_other_fields(method->fields);
	struct field_result *results = repeat_other_results(method->results);
	(void)buf_printf(out, ".Ss %s\n", method->name);
	field_write_mdoc_text(out, method->summary);
	if (method->help != NULL)
		field_write_mdoc_text(out, method->help);
	write_also(out, method);
	write_effects_mdoc(out, method);
	for (size_t i = 0; i < FLAGS_COUNT; i++)
		if (method->flags & flags[i].flag)
			field_write_mdoc_text(out, flags[i].text);
	if (method->recheck != NULL)
		(void)buf_printf(out,
		    "If the response is lost, check with\n.Sx %s\nbefore a second call.\n",
		    method->recheck);
	if (fields->name != NULL) {
		(void)buf_append_str(out, ".Pp\nParameters:\n.Bl -tag -width 4n -compact\n");
		field_write_mdoc(out, fields);
		(void)buf_append_str(out, ".El\n");
	}
	write_results(out, results);
	if (method->example != NULL) {
		(void)buf_append_str(out, ".Pp\nExample:\n.Bd -literal -offset indent\n");
		(void)buf_printf(out, "{\"method\":\"%s\",\"params\":", method->name);
		field_write_mdoc_line(out, method->example);
		out->len--; /* the newline: the closing brace comes before it */
		(void)buf_append_str(out, "}\n.Ed\n");
	}
	mem_free(fields);
	mem_free(results);
}

static void write_event(struct buf *out, const struct event_kind_info *info)
{
	char *text;
	(void)buf_printf(out, ".It Cm %s\n", info->name);
	text = xasprintf("%s. Members: %s%s%s.", info->help, info->members,
	    info->lists != NULL ? "; lists and objects: " : "",
	    info->lists != NULL ? info->lists : "");
	field_write_mdoc_text(out, text);
	mem_free(text);
}

void method_write_mdoc(struct buf *out)
{
	(void)buf_append_str(out, ".Sh METHODS\n");
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method))
		write_method(out, method);
	(void)buf_append_str(out, ".Sh EFFECTS OF METHODS\n.Bl -tag -width 4n -compact\n");
	for (const struct method_effect_row *row = method_effects; row->name != NULL; row++) {
		(void)buf_printf(out, ".It Cm %s\n", row->name);
		field_write_mdoc_text(out, row->help);
	}
	(void)buf_append_str(out, ".El\n.Sh KINDS OF EVENTS\n.Bl -tag -width 4n -compact\n");
	for (int kind = 0; kind < EVENT_KIND_COUNT_; kind++)
		write_event(out, event_kind_info((enum event_kind)kind));
	(void)buf_append_str(out, ".El\n.Sh KINDS OF ERRORS\n.Bl -tag -width 4n -compact\n");
	for (int error = 0; error < MESSAGE_ERROR_COUNT_; error++) {
		const struct message_error_info *info =
		    message_error_info((enum message_error)error);
		(void)buf_printf(out, ".It Er %s Pq %d\n", info->kind, info->code);
		field_write_mdoc_text(out, info->help);
	}
	(void)buf_append_str(out, ".El\n.Sh LIMITS\n.Bl -tag -width 4n -compact\n");
	config_write_mdoc(out);
	(void)buf_append_str(out, ".El\n");
}
