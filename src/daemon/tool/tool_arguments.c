/* SPDX-License-Identifier: ISC */
/* Writes the arguments of a declared tool or provided method as a JSON object. */
#include "daemon/tool/declaration.h"

static bool __attribute__((format(printf, 3, 4)))
refuse(struct field_error *error, const char *name, const char *format, ...)
{
	int len = snprintf(error->text, sizeof error->text, "%s: ", name);
	va_list args;
	error->field = name;
	va_start(args, format);
	(void)vsnprintf(error->text + len, sizeof error->text - (size_t)len, format, args);
	va_end(args);
	return false;
}

static bool is_of_type(const struct json *value, const char *type)
{
	const char *article = json_type_name(value->type), *name = strchr(article, ' ');
	int64_t number;
	return strcmp(type, "integer") == 0 ? json_int(value, &number)
					    : name != NULL && strcmp(name + 1, type) == 0;
}

static bool check_shape(const struct field *field, const struct declaration_shape *shape,
    const struct json *value, struct field_error *ret_error)
{
	size_t place = 0;
	if (!is_of_type(value, shape->type))
		return refuse(ret_error, field->name, "must be an %s, not %s", shape->type,
		    json_type_name(value->type));
	for (const struct json *item = value->child; item != NULL && shape->item != NULL;
	     item = item->next, place++)
		if (!is_of_type(item, shape->item))
			return refuse(ret_error, field->name,
			    "element %zu must be of type %s, not %s", place, shape->item,
			    json_type_name(item->type));
	return true;
}

static bool write_one(struct json_writer *writer, const struct field *field,
    const struct declaration_shape *shape, const char *name, const char *args,
    struct field_error *ret_error)
{
	const void *member = args + field->offset;
	bool is_there = field->preset != NULL || *(const bool *)(args + field->given_offset);
	const char *text;
	if (!is_there)
		return true;
	switch (field->type) {
	case FIELD_BOOL:
		json_put_bool(writer, name, *(const bool *)member);
		break;
	case FIELD_INT:
		json_put_int(writer, name, *(const int64_t *)member);
		break;
	case FIELD_NUMBER:
		json_put_double(writer, name, *(const double *)member);
		break;
	case FIELD_CHOICE:
		json_put_str(writer, name, field->choices[*(const int *)member]);
		break;
	case FIELD_STRING:
		text = *(const char *const *)member;
		(void)json_put_text(writer, name, text, strlen(text));
		break;
	case FIELD_STRINGS:
	case FIELD_KEYS:
		json_array_begin(writer, name);
		for (size_t at = 0; at < ((const struct field_strings *)member)->count; at++) {
			text = ((const struct field_strings *)member)->strings[at];
			(void)json_put_text(writer, NULL, text, strlen(text));
		}
		json_array_end(writer);
		break;
	default: {
		const struct json *value = *(const struct json *const *)member;
		if (!check_shape(field, shape, value, ret_error))
			return false;
		json_put_value(writer, name, value);
		break;
	}
	}
	return true;
}

bool tool_arguments_write(struct buf *out, const struct declaration *declaration, const void *args,
    struct field_error *ret_error)
{
	struct json_writer writer;
	const char *only = NULL;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	for (size_t at = 0; declaration->fields[at].name != NULL; at++) {
		const struct field *field = &declaration->fields[at];
		if (declaration_is_own(field->name) || field->flags & FIELD_ALIAS)
			continue;
		if (!write_one(&writer, field, &declaration->shapes[at],
			declaration_their_name(declaration, field->name), args, ret_error))
			return false;
		only = only == NULL ? field->name : only;
	}
	json_object_end(&writer);
	if (writer.is_cut)
		return refuse(ret_error, only != NULL ? only : "params",
		    "the arguments have more than %zu bytes as JSON", TOOL_ARGUMENTS_MAX);
	return true;
}

void tool_arguments_write_spelled(
    struct buf *out, const struct declaration *declaration, const void *args)
{
	for (const struct field *field = declaration->fields; field->name != NULL; field++)
		if (field->flags & FIELD_ALIAS &&
		    *(const bool *)((const char *)args + field->given_offset))
			(void)buf_printf(out, "%s%s", out->len > 0 ? " " : "", field->name);
}
