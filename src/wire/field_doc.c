/* SPDX-License-Identifier: ISC */
/* Writes tables of fields as JSON Schema for machines and as mdoc for the manual. */
#include "wire/field.h"

#include <math.h>

#define MDOC_LINE_COLUMNS 76

static void put_description(struct json_writer *writer, const struct field *field)
{
	char *text;
	if (field->unit == NULL) {
		json_put_str(writer, "description", field->help);
		return;
	}
	text = xasprintf("%s Unit: %s.", field->help, field->unit);
	json_put_str(writer, "description", text);
	mem_free(text);
}

static void put_bound(struct json_writer *writer, const char *name, double bound)
{
	if (isfinite(bound))
		json_put_double(writer, name, bound);
}

static void put_bounds(
    struct json_writer *writer, const struct field *field, const char *min, const char *max)
{
	if (field->min == 0 && field->max == 0)
		return;
	put_bound(writer, min, field->min);
	if (field->max >= field->min)
		put_bound(writer, max, field->max);
}

static void put_type(struct json_writer *writer, const char *type)
{
	json_put_str(writer, "type", type);
}

static void put_array_of_strings(struct json_writer *writer)
{
	put_type(writer, "array");
	json_object_begin(writer, "items");
	put_type(writer, "string");
	json_object_end(writer);
}

static void put_string_schema(struct json_writer *writer, const struct field *field)
{
	put_type(writer, "string");
	/* Schemas count characters and we count bytes: write only bounds that hold for both. */
	if (field->min >= 1)
		json_put_int(writer, "minLength", 1);
	if (field->max > 0 && field->max >= field->min && isfinite(field->max))
		json_put_int(writer, "maxLength", (int64_t)field->max);
}

static void put_choice_schema(struct json_writer *writer, const struct field *field)
{
	put_type(writer, "string");
	json_array_begin(writer, "enum");
	for (const char *const *choice = field->choices; *choice; choice++)
		json_put_str(writer, NULL, *choice);
	json_array_end(writer);
}

static void put_keys_schema(struct json_writer *writer)
{
	json_array_begin(writer, "anyOf");
	json_object_begin(writer, NULL);
	put_type(writer, "string");
	json_object_end(writer);
	json_object_begin(writer, NULL);
	put_array_of_strings(writer);
	json_object_end(writer);
	json_array_end(writer);
}

static void put_value_schema(struct json_writer *writer, const struct field *field, bool in_short)
{
	if (field->put_schema != NULL)
		field->put_schema(writer, in_short);
	else if (field->members != NULL && !in_short)
		field_put_object(writer, field->members);
	else if (field->members != NULL)
		put_type(writer, "object");
}

static void put_type_schema(struct json_writer *writer, const struct field *field, bool in_short)
{
	switch (field->type) {
	case FIELD_STRING:
		put_string_schema(writer, field);
		return;
	case FIELD_CHOICE:
		put_choice_schema(writer, field);
		return;
	case FIELD_BOOL:
		put_type(writer, "boolean");
		return;
	case FIELD_INT:
		put_type(writer, "integer");
		put_bounds(writer, field, "minimum", "maximum");
		return;
	case FIELD_NUMBER:
		put_type(writer, "number");
		put_bounds(writer, field, "minimum", "maximum");
		return;
	case FIELD_STRINGS:
		put_array_of_strings(writer);
		put_bounds(writer, field, "minItems", "maxItems");
		return;
	case FIELD_KEYS:
		put_keys_schema(writer);
		return;
	case FIELD_STRING_MAP:
		put_type(writer, "object");
		json_object_begin(writer, "additionalProperties");
		put_type(writer, "string");
		json_object_end(writer);
		return;
	case FIELD_VALUE:
		put_value_schema(writer, field, in_short);
		return;
	}
}

static void put_required(struct json_writer *writer, const struct field *fields)
{
	bool has_required = false;
	for (const struct field *field = fields; field->name; field++)
		has_required |= (field->flags & FIELD_REQUIRED) != 0;
	if (!has_required)
		return;
	json_array_begin(writer, "required");
	for (const struct field *field = fields; field->name; field++)
		if (field->flags & FIELD_REQUIRED)
			json_put_str(writer, NULL, field->name);
	json_array_end(writer);
}

static const struct field no_fields[] = {{.name = NULL}};

static void put_also(struct json_writer *writer, const struct field *field)
{
	if (field[1].name == NULL || !(field[1].flags & FIELD_ALIAS))
		return;
	json_array_begin(writer, "also");
	while ((++field)->name != NULL && field->flags & FIELD_ALIAS)
		json_put_str(writer, NULL, field->name);
	json_array_end(writer);
}

void field_put_object(struct json_writer *writer, const struct field *fields)
{
	put_type(writer, "object");
	json_object_begin(writer, "properties");
	for (const struct field *field = fields; field->name; field++) {
		if (field->flags & FIELD_ALIAS)
			continue;
		json_object_begin(writer, field->name);
		put_type_schema(writer, field, false);
		put_also(writer, field);
		if (field->flags & FIELD_PATH)
			json_put_str(writer, "format", "path");
		put_description(writer, field);
		if (field->preset != NULL)
			json_put_raw(writer, "default", field->preset, strlen(field->preset));
		json_object_end(writer);
	}
	json_object_end(writer);
	put_required(writer, fields);
	json_put_bool(writer, "additionalProperties", false);
}

void field_write_schema(struct json_writer *writer, const char *name, const struct field *fields)
{
	json_object_begin(writer, name);
	field_put_object(writer, fields != NULL ? fields : no_fields);
	json_object_end(writer);
}

static void put_tool_field(struct json_writer *writer, const struct field *field, bool in_short)
{
	/* In short: no bounds, since errors name them, and no unit that the name implies. */
	struct field plain = *field;
	plain.min = plain.max = 0;
	if (strstr(field->name, "sec"))
		plain.unit = NULL;
	json_object_begin(writer, field->name);
	put_type_schema(writer, in_short ? &plain : field, true);
	if (field->type == FIELD_VALUE && field->shape != NULL)
		json_put_raw(writer, NULL, field->shape, strlen(field->shape));
	put_description(writer, in_short ? &plain : field);
	if (field->preset != NULL && !(in_short && strcmp(field->preset, "false") == 0))
		json_put_raw(writer, "default", field->preset, strlen(field->preset));
	json_object_end(writer);
}

void field_write_tool_schema(
    struct json_writer *writer, const char *name, const struct field *fields, bool in_short)
{
	unsigned left_out = in_short ? FIELD_ALIAS | FIELD_RARE : FIELD_ALIAS;
	fields = fields != NULL ? fields : no_fields;
	json_object_begin(writer, name);
	put_type(writer, "object");
	json_object_begin(writer, "properties");
	for (const struct field *field = fields; field->name; field++)
		if (!(field->flags & left_out))
			put_tool_field(writer, field, in_short);
	json_object_end(writer);
	put_required(writer, fields);
	if (!in_short)
		json_put_bool(writer, "additionalProperties", false);
	json_object_end(writer);
}

/* The text of the manual while it is wrapped into lines. */
struct filler {
	struct buf *out;
	size_t column;
};

static void must(int r)
{
	if (r == 0)
		return;
	log_error("%s", r == BUF_FULL ? "the manual is too long" : "out of memory");
	exit(EXIT_FAILURE);
}

static void put_escaped(struct buf *out, const char *word, size_t len, bool may_be_macro)
{
	/* Words of up to three letters may be macros; a first "." or "'" is a request. */
	if (len && ((may_be_macro && len <= 3) || *word == '.' || *word == '\''))
		must(buf_append_str(out, "\\&"));
	for (size_t i = 0; i < len; i++)
		if (word[i] == '\\')
			must(buf_append_str(out, "\\e"));
		else if (word[i] == '"' && may_be_macro)
			must(buf_append_str(out, "\\(dq"));
		else
			must(buf_append_byte(out, (uint8_t)word[i]));
}

static void fill_word(struct filler *filler, const char *word, size_t len)
{
	bool breaks = filler->column > 0 && filler->column + 1 + len > MDOC_LINE_COLUMNS;
	if (breaks)
		must(buf_append_byte(filler->out, '\n'));
	else if (filler->column > 0)
		must(buf_append_byte(filler->out, ' '));
	filler->column = breaks ? len : filler->column + (filler->column > 0) + len;
	put_escaped(filler->out, word, len, false);
}

static void end_line(struct filler *filler)
{
	if (filler->column > 0)
		must(buf_append_byte(filler->out, '\n'));
	filler->column = 0;
}

static void fill(struct filler *filler, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " \n\t");
		if (len)
			fill_word(filler, text, len);
		text += len;
		if (len && text[-1] == '.')
			end_line(filler);
		text += strspn(text, " \n\t");
	}
}

static void describe_range(struct buf *out, const struct field *field)
{
	const char *unit = field->type == FIELD_STRING ? "bytes" : field->unit;
	struct field shown = *field;
	char bounds[FIELD_BOUNDS_SIZE];
	/* The largest JSON numbers are documented in one place, not with each field. */
	shown.min = field->min > -JSON_INT_MAX ? field->min : -INFINITY;
	shown.max = field->max < JSON_INT_MAX ? field->max : INFINITY;
	field_describe_bounds(&shown, unit, bounds);
	if (field->type == FIELD_CHOICE) {
		must(buf_append_str(out, ", one of"));
		for (const char *const *choice = field->choices; *choice; choice++)
			must(buf_printf(
			    out, "%s %s", choice == field->choices ? "" : " |", *choice));
	}
	if (bounds[0] != '\0' || field->unit != NULL)
		must(buf_printf(out, ", %s", bounds[0] != '\0' ? bounds : field->unit));
}

/* Writes what a row says besides its help, such as "integer, 1 to 10000 cells, required." */
static void describe_row(struct buf *out, const struct field *field)
{
	must(buf_append_str(out, field_type_name(field->type)));
	describe_range(out, field);
	if (field->flags & FIELD_PATH)
		must(buf_append_str(out, ", a path"));
	if (field->flags & FIELD_REQUIRED)
		must(buf_append_str(out, ", required"));
	if (field->preset != NULL)
		must(buf_printf(out, ", default %s", field->preset));
	for (const struct field *alias = field + 1;
	     alias->name != NULL && alias->flags & FIELD_ALIAS; alias++)
		must(buf_printf(out, ", also called %s", alias->name));
	must(buf_append_byte(out, '.'));
}

void field_write_mdoc_text(struct buf *out, const char *text)
{
	struct filler filler = {.out = out};
	fill(&filler, text);
	end_line(&filler);
}

void field_write_mdoc_line(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '\\')
			must(buf_append_str(out, "\\e"));
		else if (*text == '"')
			must(buf_append_str(out, "\\(dq"));
		else
			must(buf_append_byte(out, (uint8_t)*text));
	must(buf_append_byte(out, '\n'));
}

void field_write_mdoc(struct buf *out, const struct field *fields)
{
	struct filler filler = {.out = out};
	struct buf row = BUF(SIZE_MAX);
	for (const struct field *field = fields; field != NULL && field->name != NULL; field++) {
		if (field->flags & FIELD_ALIAS)
			continue;
		must(buf_append_str(out, ".It Va "));
		put_escaped(out, field->name, strlen(field->name), true);
		must(buf_append_byte(out, '\n'));
		buf_clear(&row);
		describe_row(&row, field);
		fill(&filler, buf_text(&row));
		end_line(&filler);
		fill(&filler, field->help);
		end_line(&filler);
	}
	buf_finish(&row);
}
