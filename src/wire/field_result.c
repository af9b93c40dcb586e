/* SPDX-License-Identifier: ISC */
/* Writes tables of results as JSON Schema, and checks results by a schema. */
#include "wire/field.h"

void field_put_types(struct json_writer *writer, const char *types)
{
	if (!strchr(types, '|')) {
		json_put_str(writer, "type", types);
		return;
	}
	json_array_begin(writer, "anyOf");
	while (*types) {
		size_t len = strcspn(types, "|");
		json_object_begin(writer, NULL);
		(void)json_put_text(writer, "type", types, len);
		json_object_end(writer);
		types += len + (types[len] == '|');
	}
	json_array_end(writer);
}

/* Returns the name behind a prefix, such as "pane" of "panes[].pane". NULL: the prefix differs. */
static const char *behind(const char *name, const char *prefix, size_t len)
{
	return strncmp(name, prefix, len) == 0 ? name + len : NULL;
}

static void put_members(struct json_writer *writer, const struct field_result *results,
    const char *prefix, size_t prefix_len, bool in_short);

static void put_inside(
    struct json_writer *writer, const struct field_result *results, const struct field_result *row)
{
	size_t len = strlen(row->name);
	bool is_array = strstr(row->type, "array") != NULL;
	for (const struct field_result *other = results; other->name; other++) {
		const char *rest = behind(other->name, row->name, len);
		if (rest == NULL || strncmp(rest, is_array ? "[]." : ".", is_array ? 3 : 1) != 0)
			continue;
		if (is_array) {
			json_object_begin(writer, "items");
			json_put_str(writer, "type", "object");
		}
		put_members(writer, results, other->name, len + (is_array ? 3 : 1), false);
		if (is_array)
			json_object_end(writer);
		return;
	}
}

/* Returns true for a seldom needed member, which a schema in short leaves out. */
static bool is_seldom(const char *name)
{
	static const char *const names[] = {"differs", "durable", "repeated", "wake", NULL};
	return str_is_in(name, names);
}

static void put_members(struct json_writer *writer, const struct field_result *results,
    const char *prefix, size_t prefix_len, bool in_short)
{
	json_object_begin(writer, "properties");
	for (const struct field_result *row = results; row != NULL && row->name != NULL; row++) {
		const char *name = behind(row->name, prefix, prefix_len);
		if (name == NULL || name[strcspn(name, ".[")] != '\0' ||
		    (in_short && is_seldom(name)))
			continue;
		json_object_begin(writer, name);
		field_put_types(writer, row->type);
		if (!in_short)
			put_inside(writer, results, row);
		json_object_end(writer);
	}
	json_object_end(writer);
}

void field_write_result_schema(
    struct json_writer *writer, const char *name, const struct field_result *results, bool in_short)
{
	json_object_begin(writer, name);
	json_put_str(writer, "type", "object");
	put_members(writer, results, "", 0, in_short);
	json_object_end(writer);
}

static bool is_of(const struct json *value, const char *type)
{
	const char *name = json_type_name(value->type);
	const char *article = strchr(name, ' ');
	return type == NULL || strcmp(type, article != NULL ? article + 1 : name) == 0 ||
	    (strcmp(type, "integer") == 0 && json_is_integer(value));
}

bool field_schema_fits(const struct json *schema, const struct json *value, struct buf *path,
    const struct json **ret_value)
{
	const struct json *types = json_member(schema, "anyOf");
	const struct json *members = json_member(schema, "properties");
	bool fits = types == NULL && is_of(value, json_get_str(schema, "type", NULL));
	size_t at = 0, len = path->len;
	json_each (one, types)
		fits = fits || is_of(value, json_get_str(one, "type", NULL));
	if (!fits)
		*ret_value = value;
	json_each (inside, fits ? value : NULL) {
		path->len = len;
		if (value->type == JSON_OBJECT)
			(void)buf_printf(path, "%s%s", len > 0 ? "." : "", inside->name);
		else
			(void)buf_printf(path, "[%zu]", at++);
		if (!field_schema_fits(value->type == JSON_OBJECT
			    ? json_member_of(members, inside->name, inside->name_len)
			    : json_member(schema, "items"),
			inside, path, ret_value))
			return false;
	}
	return fits;
}
