/* SPDX-License-Identifier: ISC */
/* The conditions for readers: as JSON, as the schema of a list, and for the manual. */
#include "daemon/wait/condition.h"
#include "daemon/wait/wait_parts.h"

enum { TEXT_MAX = 4096 };

void condition_write_kinds(struct json_writer *writer, const char *name)
{
	const struct condition_kind *kind = NULL;
	json_object_begin(writer, name);
	while ((kind = condition_kind_next(kind)) != NULL) {
		json_object_begin(writer, kind->name);
		json_put_str(writer, "help", kind->help);
		json_put_given(writer, "about", kind->about);
		json_put_bool(writer, "needs_tmux", kind->needs_tmux);
		field_write_schema(writer, "params", kind->fields);
		json_put_raw(writer, "example", kind->example, strlen(kind->example));
		json_object_end(writer);
	}
	json_object_end(writer);
}

/* Appends the names, as "one of: cpu_below(for_sec,pane), exited, …". */
static void put_names(struct buf *out)
{
	const struct condition_kind *kind = NULL;
	const char *separator = "one of: ";
	while ((kind = condition_kind_next(kind)) != NULL) {
		const char *opening = "(";
		(void)buf_printf(out, "%s%s", separator, kind->name);
		separator = ", ";
		for (const struct field *field = kind->fields; field->name != NULL; field++) {
			if (strcmp(field->name, kind->name) == 0)
				continue;
			(void)buf_printf(out, "%s%s", opening, field->name);
			opening = ",";
		}
		if (*opening == ',')
			(void)buf_append_byte(out, ')');
	}
}

static void put_short_items(struct json_writer *writer)
{
	struct buf names = BUF(TEXT_MAX);
	put_names(&names);
	json_put_str(writer, "type", "object");
	json_put_str(writer, "description", (const char *)names.data);
	buf_finish(&names);
}

static void put_items(struct json_writer *writer)
{
	const struct condition_kind *kind = NULL;
	json_array_begin(writer, "oneOf");
	while ((kind = condition_kind_next(kind)) != NULL) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "title", kind->name);
		json_put_str(writer, "description", kind->help);
		field_put_object(writer, kind->fields);
		json_object_end(writer);
	}
	json_array_end(writer);
}

void condition_put_list_schema(struct json_writer *writer, bool in_short)
{
	json_put_str(writer, "type", "array");
	if (!in_short) {
		json_put_int(writer, "minItems", 1);
		json_put_int(writer, "maxItems", WAIT_CONDITIONS_MAX);
	}
	json_object_begin(writer, "items");
	if (in_short)
		put_short_items(writer);
	else
		put_items(writer);
	json_object_end(writer);
}

void condition_write_mdoc(struct buf *out)
{
	const struct condition_kind *kind = NULL;
	(void)buf_append_str(out, ".Sh CONDITIONS\n");
	field_write_mdoc_text(out,
	    "A condition of wait_for is an object with one of these members, and the others that "
	    "stand below it.");
	while ((kind = condition_kind_next(kind)) != NULL) {
		(void)buf_printf(out, ".Ss condition %s\n", kind->name);
		field_write_mdoc_text(out, kind->help);
		if (kind->about != NULL)
			field_write_mdoc_text(out, kind->about);
		if (kind->needs_tmux)
			field_write_mdoc_text(out, "It needs a tmux server that is followed.");
		(void)buf_append_str(out, ".Bl -tag -width 4n -compact\n");
		field_write_mdoc(out, kind->fields);
		(void)buf_append_str(out, ".El\n.Pp\nExample:\n.Bd -literal -offset indent\n");
		field_write_mdoc_line(out, kind->example);
		(void)buf_append_str(out, ".Ed\n");
	}
}
