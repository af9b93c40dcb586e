/* SPDX-License-Identifier: ISC */
/* The schemas of declarations, which are a subset of JSON Schema. */
#include "daemon/tool/declaration.h"

#include <math.h>

#define ENUM_MAX 64
#define TYPES_MAX 64 /* maximum bytes of all types of a member of the result */
/* maximum bytes; longer than a declaration, as lists of types grow when they are copied */
#define RESULT_SCHEMA_MAX (8 * DECLARATION_BYTES_MAX)
#define WHERE_SIZE (DECLARATION_NAME_MAX + 32)

enum property_type {
	TYPE_ARRAY,
	TYPE_BOOLEAN,
	TYPE_INTEGER,
	TYPE_NUMBER,
	TYPE_OBJECT,
	TYPE_STRING,
	TYPE_STRINGS, /* a string, or an array of strings */
	TYPE_COUNT_,
};

static const char *const type_choices[] = {
    "array", "boolean", "integer", "number", "object", "string", NULL};

/* How each JSON type is read; size is that of the member in the struct of arguments. */
static const struct {
	enum field_type type;
	size_t size;
} members[TYPE_COUNT_] = {
    /* an array of strings, or a JSON value */
    [TYPE_ARRAY] = {FIELD_VALUE, sizeof(struct field_strings)},
    [TYPE_BOOLEAN] = {FIELD_BOOL, sizeof(bool)},
    [TYPE_INTEGER] = {FIELD_INT, sizeof(int64_t)},
    [TYPE_NUMBER] = {FIELD_NUMBER, sizeof(double)},
    [TYPE_OBJECT] = {FIELD_VALUE, sizeof(const struct json *)},
    [TYPE_STRING] = {FIELD_STRING, sizeof(const char *)},
    [TYPE_STRINGS] = {FIELD_KEYS, sizeof(struct field_strings)},
};

struct property {
	int type;
	struct field_strings types; /* types as the schema has them */
	const char *description;
	struct field_strings choices, also;
	const struct json *preset;
	const struct json *items;
	double minimum, maximum;
	int64_t min_length, max_length;
	bool has_minimum, has_maximum, has_min_length, has_max_length;
	bool is_plain; /* the audit and the history may show the value */
};

#define PROPERTY(row_name, row_type, member) \
	.name = (row_name), .type = (row_type), .offset = offsetof(struct property, member)

static const struct field property_fields[] = {
    {PROPERTY("type", FIELD_KEYS, types), .flags = FIELD_REQUIRED},
    {PROPERTY("also", FIELD_STRINGS, also), .min = 0, .max = DECLARATION_ALSO_MAX},
    {PROPERTY("default", FIELD_VALUE, preset)},
    {PROPERTY("description", FIELD_STRING, description)},
    {PROPERTY("enum", FIELD_STRINGS, choices), .min = 1, .max = ENUM_MAX},
    {PROPERTY("items", FIELD_VALUE, items)},
    {PROPERTY("maxLength", FIELD_INT, max_length),
	.given_offset = offsetof(struct property, has_max_length), .min = 1, .max = -1},
    {PROPERTY("maximum", FIELD_NUMBER, maximum),
	.given_offset = offsetof(struct property, has_maximum)},
    {PROPERTY("minLength", FIELD_INT, min_length),
	.given_offset = offsetof(struct property, has_min_length), .min = 0, .max = -1},
    {PROPERTY("minimum", FIELD_NUMBER, minimum),
	.given_offset = offsetof(struct property, has_minimum)},
    {PROPERTY("plain", FIELD_BOOL, is_plain)},
    {.name = NULL},
};

struct items {
	int type;
	const char *description;
};

static const struct field items_fields[] = {
    {FIELD_ROW(CHOICE, struct items, type, "type"), .flags = FIELD_REQUIRED,
	.choices = type_choices},
    {FIELD_ROW(STRING, struct items, description, "description")},
    {.name = NULL},
};

struct schema {
	int type;
	const struct json *properties;
	struct field_strings required;
	bool allows_more;
};

static const char *const object_choices[] = {"object", NULL};

static const struct field schema_fields[] = {
    {FIELD_ROW(CHOICE, struct schema, type, "type"), .flags = FIELD_REQUIRED,
	.choices = object_choices},
    {FIELD_ROW(BOOL, struct schema, allows_more, "additionalProperties")},
    {FIELD_ROW(VALUE, struct schema, properties, "properties")},
    {FIELD_ROW(STRINGS, struct schema, required, "required")},
    {.name = NULL},
};

static bool read_object(const struct field *fields, const struct json *value, void *args,
    size_t args_size, struct buf *scratch, const char *where, char *ret_reason)
{
	struct field_error error;
	if (value->type != JSON_OBJECT)
		return declaration_refuse(ret_reason, "%s: must be an object, not %s", where,
		    json_type_name(value->type));
	if (field_read(fields, value, args, args_size, scratch, &error) == 0)
		return true;
	return declaration_refuse(ret_reason, "%s.%s", where, error.text);
}

/* Sets the bounds. In a row, 0 and 0 mean that there are none; max below min means no maximum. */
static bool set_bounds(
    struct field *field, const struct property *property, const char *where, char *ret_reason)
{
	bool is_string = property->type == TYPE_STRING;
	bool is_number = property->type == TYPE_INTEGER || property->type == TYPE_NUMBER;
	bool has_min = is_string ? property->has_min_length : property->has_minimum;
	bool has_max = is_string ? property->has_max_length : property->has_maximum;
	double min = is_string ? (double)property->min_length : property->minimum;
	double max = is_string ? (double)property->max_length : property->maximum;
	if (!is_string && (property->has_min_length || property->has_max_length))
		return declaration_refuse(
		    ret_reason, "%s: minLength and maxLength are for strings", where);
	if (!is_number && (property->has_minimum || property->has_maximum))
		return declaration_refuse(
		    ret_reason, "%s: minimum and maximum are for numbers", where);
	if (has_min && has_max && min >= max && !(is_string && min == max))
		return declaration_refuse(
		    ret_reason, "%s: the minimum must be below the maximum", where);
	if (!has_min && !has_max)
		return true;
	field->min = has_min ? min : is_string ? 0 : -INFINITY;
	field->max = has_max ? max : field->min - 1;
	return true;
}

/* Returns true for printable ASCII without quotes and backslashes. */
static bool is_plain(const struct json *value)
{
	for (size_t at = 0; at < value->len; at++)
		if ((uint8_t)value->text[at] < ' ' || (uint8_t)value->text[at] >= 0x7f ||
		    value->text[at] == '"' || value->text[at] == '\\')
			return false;
	return true;
}

/* Sets the default, which must be a value that the row accepts. */
static bool set_preset(struct declaration *declaration, struct field *field,
    const struct property *property, const char *where, char *ret_reason)
{
	const struct json *preset = property->preset;
	struct json named, object = {.type = JSON_OBJECT, .count = 1, .child = &named};
	struct field rows[2] = {*field, {.name = NULL}};
	union {
		const void *pointer;
		double number;
		int64_t integer;
	} member;
	struct field_error error;
	struct buf scratch;
	bool is_good;
	if (preset == NULL)
		return true;
	if (members[property->type].size >= sizeof(struct field_strings) ||
	    members[property->type].type == FIELD_VALUE)
		return declaration_refuse(
		    ret_reason, "%s.default: arrays and objects cannot have one", where);
	named = *preset;
	named.name = field->name;
	named.name_len = strlen(field->name);
	named.next = NULL;
	rows[0].offset = 0;
	rows[0].given_offset = 0;
	buf_init(&scratch, 4096);
	is_good = field_read(rows, &object, &member, sizeof member, &scratch, &error) == 0;
	buf_finish(&scratch);
	if (!is_good)
		return declaration_refuse(
		    ret_reason, "%s.default: not valid for %s", where, error.text);
	if (preset->type == JSON_STRING && !is_plain(preset))
		return declaration_refuse(ret_reason,
		    "%s.default: must be plain ASCII without quotes and backslashes", where);
	field->preset = declaration_own(declaration,
	    preset->type == JSON_STRING     ? xasprintf("\"%s\"", preset->text)
		: preset->type == JSON_BOOL ? xstrdup(preset->boolean ? "true" : "false")
					    : xstrdup(preset->text));
	return true;
}

static bool set_items(struct declaration *declaration, struct field *field,
    struct declaration_shape *shape, const struct property *property, const char *where,
    char *ret_reason)
{
	char inner[WHERE_SIZE + 8];
	struct items items;
	struct buf scratch;
	bool is_good;
	shape->type = type_choices[property->type];
	if (property->items == NULL) {
		field->shape =
		    declaration_own(declaration, xasprintf("\"type\":\"%s\"", shape->type));
		return true;
	}
	(void)snprintf(inner, sizeof inner, "%s.items", where);
	if (property->type != TYPE_ARRAY)
		return declaration_refuse(ret_reason, "%s: is for arrays", inner);
	buf_init(&scratch, 256);
	is_good = read_object(
	    items_fields, property->items, &items, sizeof items, &scratch, inner, ret_reason);
	buf_finish(&scratch);
	if (!is_good)
		return false;
	if (items.type == TYPE_STRING) {
		*shape = (struct declaration_shape){0};
		field->type = FIELD_STRINGS;
		return true;
	}
	shape->item = type_choices[items.type];
	field->shape = declaration_own(
	    declaration, xasprintf("\"type\":\"array\",\"items\":{\"type\":\"%s\"}", shape->item));
	return true;
}

static int find_type(const char *name)
{
	int type = 0;
	while (type_choices[type] != NULL && strcmp(type_choices[type], name) != 0)
		type++;
	return type;
}

/* Sets the type: one known type, or the pair "string" and "array". */
static bool set_type(struct property *property, const char *where, char *ret_reason)
{
	const struct field_strings *types = &property->types;
	int first = types->count > 0 ? find_type(types->strings[0]) : TYPE_STRINGS;
	int second = types->count == 2 ? find_type(types->strings[1]) : TYPE_STRINGS;
	property->type = first;
	if (types->count == 1 && first < TYPE_STRINGS)
		return true;
	property->type = TYPE_STRINGS;
	if (types->count == 2 &&
	    ((first == TYPE_STRING && second == TYPE_ARRAY) ||
		(first == TYPE_ARRAY && second == TYPE_STRING)))
		return true;
	return declaration_refuse(ret_reason,
	    "%s.type: must be one of \"array\", \"boolean\", \"integer\", \"number\", \"object\", "
	    "\"string\", or [\"string\", \"array\"], not \"%.40s\"",
	    where, types->count > 0 ? types->strings[0] : "");
}

static size_t take_room(struct declaration *declaration, size_t size)
{
	size_t step = size > sizeof(void *) ? sizeof(void *) : size;
	size_t at = (declaration->args_size + step - 1) / step * step;
	declaration->args_size = at + size;
	return at;
}

static bool fill_row(struct declaration *declaration, struct field *field,
    struct declaration_shape *shape, const struct property *property, const char *where,
    char *ret_reason)
{
	size_t size = members[property->type].size;
	field->type = members[property->type].type;
	field->flags = property->is_plain ? 0 : FIELD_CONFIDENTIAL;
	field->help = property->description != NULL
	    ? declaration_copy(declaration, property->description)
	    : "";
	if (property->choices.is_given) {
		if (property->type != TYPE_STRING)
			return declaration_refuse(ret_reason, "%s.enum: is for strings", where);
		field->type = FIELD_CHOICE;
		size = sizeof(int);
		field->choices = declaration_copy_list(
		    declaration, property->choices.strings, property->choices.count);
	}
	field->offset = take_room(declaration, size);
	field->given_offset = take_room(declaration, sizeof(bool));
	if (field->type == FIELD_KEYS)
		field->min = 1, field->max = -1; /* at least one key, and no maximum */
	if (property->type != TYPE_STRINGS &&
	    (property->items != NULL || field->type == FIELD_VALUE))
		if (!set_items(declaration, field, shape, property, where, ret_reason))
			return false;
	return set_bounds(field, property, where, ret_reason) &&
	    set_preset(declaration, field, property, where, ret_reason);
}

static const struct field own_fields[] = {
    {FIELD_ROW(BOOL, struct declaration_args, waits, "wait"), .preset = "true",
	.help = "false: answer at once with an id; the end is a notification that wakes you."},
    {FIELD_ROW(STRING, struct declaration_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "The pane that the call is for; left out: the caller's own."},
};

#define OWN_COUNT (sizeof own_fields / sizeof *own_fields)

#define ROWS_MAX (OWN_COUNT + DECLARATION_PARAMETERS_MAX + DECLARATION_SPELLINGS_MAX)

/* Adds the second spellings of the previous row. */
static bool add_aliases(struct declaration *declaration, struct field **next,
    const struct property *property, const char *where, char *ret_reason)
{
	const struct field *named = *next - 1;
	char inner[WHERE_SIZE + 8];
	const char *const *also;
	size_t count = 0;
	for (const struct field *field = declaration->fields; field < *next; field++)
		count += (field->flags & FIELD_ALIAS) != 0;
	(void)snprintf(inner, sizeof inner, "%s.also", where);
	if (!declaration_read_also(declaration, inner, named->name, &property->also,
		declaration_is_name, &also, ret_reason))
		return false;
	for (; also != NULL && *also != NULL; also++) {
		if (count++ >= DECLARATION_SPELLINGS_MAX)
			return declaration_refuse(ret_reason,
			    "%s: all parameters have more than %d such names", inner,
			    DECLARATION_SPELLINGS_MAX);
		*(*next)++ = (struct field){.name = *also,
		    .flags = FIELD_ALIAS,
		    .given_offset = take_room(declaration, sizeof(bool))};
	}
	return true;
}

static bool read_property(struct declaration *declaration, struct field **next,
    struct declaration_shape *shape, const struct json *value, char *ret_reason)
{
	struct field *field = (*next)++;
	char where[WHERE_SIZE];
	struct property property;
	struct buf scratch;
	bool is_good;
	if (!declaration_is_name(value->name))
		return declaration_refuse(ret_reason,
		    "parameters.properties: the name of a parameter must be a letter or \"_\", "
		    "then letters, digits and \"_\", at most %d characters",
		    DECLARATION_NAME_MAX);
	if (declaration_is_own(value->name))
		return declaration_refuse(ret_reason,
		    "parameters.properties.%s: every tool has this parameter already", value->name);
	(void)snprintf(where, sizeof where, "parameters.properties.%s", value->name);
	field->name = declaration_copy(declaration, value->name);
	buf_init(&scratch, DECLARATION_BYTES_MAX);
	is_good = read_object(property_fields, value, &property, sizeof property, &scratch, where,
		      ret_reason) &&
	    set_type(&property, where, ret_reason) &&
	    fill_row(declaration, field, shape, &property, where, ret_reason) &&
	    add_aliases(declaration, next, &property, where, ret_reason);
	buf_finish(&scratch);
	return is_good;
}

/* Checks that a second spelling stands only once, and is not the name of another parameter. */
static bool check_aliases(const struct field *fields, char *ret_reason)
{
	for (const struct field *alias = fields; alias->name != NULL; alias++)
		for (const struct field *other = fields;
		     alias->flags & FIELD_ALIAS && other->name != NULL; other++)
			if (other != alias && strcmp(other->name, alias->name) == 0)
				return declaration_refuse(ret_reason,
				    "parameters.properties: \"%s\" stands twice, once in also",
				    alias->name);
	return true;
}

static bool set_required(
    struct field *fields, const struct field_strings *required, char *ret_reason)
{
	for (size_t at = 0; at < required->count; at++) {
		struct field *field = fields;
		while (field->name != NULL &&
		    (field->flags & FIELD_ALIAS || strcmp(field->name, required->strings[at]) != 0))
			field++;
		if (field->name == NULL)
			return declaration_refuse(ret_reason,
			    "parameters.required: there is no parameter \"%.64s\" in properties",
			    required->strings[at]);
		field->flags |= FIELD_REQUIRED;
	}
	return true;
}

/* Reads a schema. ret_schema->required points into scratch. */
static bool read_schema(const struct json *value, const char *where, struct schema *ret_schema,
    struct buf *scratch, char *ret_reason)
{
	if (!read_object(
		schema_fields, value, ret_schema, sizeof *ret_schema, scratch, where, ret_reason))
		return false;
	if (ret_schema->properties != NULL && ret_schema->properties->type != JSON_OBJECT)
		return declaration_refuse(ret_reason, "%s.properties: must be an object, not %s",
		    where, json_type_name(ret_schema->properties->type));
	return true;
}

static bool read_properties(
    struct declaration *declaration, const struct schema *schema, char *ret_reason)
{
	const struct json *value = schema->properties != NULL ? schema->properties->child : NULL;
	size_t count = schema->properties != NULL ? schema->properties->count : 0;
	struct declaration_shape *shapes;
	struct field *fields, *next;
	if (schema->allows_more)
		return declaration_refuse(
		    ret_reason, "parameters.additionalProperties: must be false or left out");
	if (count > DECLARATION_PARAMETERS_MAX)
		return declaration_refuse(ret_reason,
		    "parameters.properties: has %zu parameters, more than %d", count,
		    DECLARATION_PARAMETERS_MAX);
	fields = declaration_own(declaration, xcalloc(ROWS_MAX + 1, sizeof *fields));
	shapes = declaration_own(declaration, xcalloc(ROWS_MAX + 1, sizeof *shapes));
	declaration->fields = fields;
	declaration->shapes = shapes;
	declaration->args_size = sizeof(struct declaration_args);
	for (next = fields; value != NULL; value = value->next)
		if (!read_property(declaration, &next, &shapes[next - fields], value, ret_reason))
			return false;
	if (!set_required(fields, &schema->required, ret_reason))
		return false;
	memcpy(next, own_fields, sizeof own_fields);
	return check_aliases(fields, ret_reason);
}

bool declaration_read_parameters(
    struct declaration *declaration, const struct json *schema, char *ret_reason)
{
	struct schema parameters = {0};
	struct buf scratch = BUF(DECLARATION_BYTES_MAX);
	bool is_good = (schema == NULL ||
			   read_schema(schema, "parameters", &parameters, &scratch, ret_reason)) &&
	    read_properties(declaration, &parameters, ret_reason);
	buf_finish(&scratch);
	return is_good;
}

/* Returns the types as one text: an array becomes "string|null". NULL: value is something else. */
static const char *read_types(struct declaration *declaration, const struct json *value)
{
	static const char *const types[] = {
	    "array", "boolean", "integer", "null", "number", "object", "string", NULL};
	bool is_list = value != NULL && value->type == JSON_ARRAY, is_good = true;
	const struct json *one = is_list ? value->child : value;
	struct buf text = BUF(TYPES_MAX);
	const char *found = NULL;
	for (; one != NULL && is_good; one = is_list ? one->next : NULL)
		is_good = one->type == JSON_STRING && str_is_in(one->text, types) &&
		    buf_printf(&text, "%s%s", text.len > 0 ? "|" : "", one->text) == 0;
	if (is_good && text.len > 0)
		found = declaration_copy(declaration, buf_text(&text));
	buf_finish(&text);
	return found;
}

/*
 * Copies a schema from the result. Writes its name, types and description into row, unless row is
 * NULL; with a row, it must have types. Ignores other parts of the schema.
 */
static bool put_schema(struct declaration *declaration, struct json_writer *writer,
    const struct json *schema, struct field_result *row, char *ret_reason)
{
	const struct json *type = json_member(schema, "type");
	const struct json *inner = json_member(schema, "properties");
	const struct json *items = json_member(schema, "items");
	const char *types = read_types(declaration, type);
	bool is_good = types != NULL || (type == NULL && row == NULL);
	if (!is_good)
		return declaration_refuse(ret_reason,
		    "result: \"%.64s\" must have a type: array, boolean, integer, null, number, "
		    "object or string, or an array of these",
		    schema->name);
	if (row != NULL && strcmp(schema->name, "id") == 0 && strstr(types, "string") == NULL)
		types =
		    /* with wait=false, the id is a string */
		    declaration_own(declaration, xasprintf("%s|string", types));
	if (row != NULL)
		*row = (struct field_result){declaration_copy(declaration, schema->name), types,
		    declaration_copy(declaration, json_get_str(schema, "description", ""))};
	json_object_begin(writer, schema->name);
	if (types != NULL)
		field_put_types(writer, types);
	if (inner != NULL)
		json_object_begin(writer, "properties");
	json_each_member (member, inner)
		is_good = is_good && put_schema(declaration, writer, member, NULL, ret_reason);
	if (inner != NULL)
		json_object_end(writer);
	if (items != NULL)
		is_good = is_good && put_schema(declaration, writer, items, NULL, ret_reason);
	json_object_end(writer);
	return is_good;
}

/* The results by the kind of answer, if the declaration has none. */
static const struct field_result plain_results[][4] = {
    [DECLARATION_TEXT] = {{"text", "string", "the answer"},
	{"id", "string", "with wait false: the call, and its notification"}, {NULL, NULL, NULL}},
    [DECLARATION_JSON] = {{NULL, NULL, NULL}}, /* members of any names and types */
    [DECLARATION_IMAGE] = {{"mime_type", "string", "the kind of image"},
	{"bytes", "integer", "the size of the image"}, {"data", "string", "the image, as base64"},
	{NULL, NULL, NULL}},
};

bool declaration_read_result(
    struct declaration *declaration, const struct json *schema, char *ret_reason)
{
	struct field_result *rows, *row;
	struct json_writer writer;
	struct buf text;
	struct schema result;
	struct buf scratch;
	bool is_good;
	declaration->results = plain_results[declaration->answer];
	if (schema == NULL)
		return true;
	buf_init(&scratch, DECLARATION_BYTES_MAX);
	is_good = read_schema(schema, "result", &result, &scratch, ret_reason);
	buf_finish(&scratch);
	if (!is_good || result.properties == NULL)
		return is_good;
	if (result.properties->count > DECLARATION_PARAMETERS_MAX)
		return declaration_refuse(ret_reason, "result.properties: has more than %d members",
		    DECLARATION_PARAMETERS_MAX);
	row = rows =
	    declaration_own(declaration, xcalloc(result.properties->count + 1, sizeof *rows));
	json_start_object(&writer, &text, RESULT_SCHEMA_MAX);
	json_put_str(&writer, "type", "object");
	json_object_begin(&writer, "properties");
	json_each (value, result.properties)
		is_good = is_good && put_schema(declaration, &writer, value, row++, ret_reason);
	json_object_end(&writer);
	json_object_end(&writer);
	declaration->results = rows;
	declaration->result_schema = declaration_own(declaration, buf_steal(&text, NULL));
	return is_good &&
	    (!writer.is_cut || declaration_refuse(ret_reason, "result: is too large"));
}
