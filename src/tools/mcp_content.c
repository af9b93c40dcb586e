/* SPDX-License-Identifier: ISC */
#include "tools/mcp_content.h"

static bool is_of_type(const struct json *item, const char *type)
{
	return strcmp(json_get_str(item, "type", ""), type) == 0;
}

static const struct json *text_of(const struct json *item)
{
	const struct json *text = json_member(
	    is_of_type(item, "resource") ? json_member(item, "resource") : item, "text");
	return text != NULL && text->type == JSON_STRING ? text : NULL;
}

/* Writes a line about a part that is neither text nor an image: type, name, URI, size … */
static void describe(struct buf *out, const struct json *item)
{
	static const char *const names[] = {"name", "uri", "mimeType", "description", NULL};
	const char *type = json_get_str(item, "type", "");
	const struct json *about = strcmp(type, "resource") == 0 ? json_member(item, type) : item;
	const struct json *data =
	    json_member(about, strcmp(type, "resource") == 0 ? "blob" : "data");
	const char *between = ": ";
	(void)buf_printf(out, "[%s", type);
	for (const char *const *name = names; *name != NULL; name++) {
		const char *text = json_get_str(about, *name, "");
		if (*text != '\0')
			(void)buf_printf(out, "%s%s", between, text);
		between = *text != '\0' ? ", " : between;
	}
	if (data != NULL && data->type == JSON_STRING)
		(void)buf_printf(
		    out, ", left out: %zu bytes", strcspn(data->text, "=") * 3 / 4); /* decoded */
	(void)buf_append_byte(out, ']');
}

static void join_text(struct buf *out, const struct json *content)
{
	json_each (item, content) {
		const struct json *text = text_of(item);
		bool has_none =
		    is_of_type(item, "") || is_of_type(item, "text") || is_of_type(item, "image");
		if (text == NULL && has_none)
			continue;
		if (out->len > 0)
			(void)buf_append_byte(out, '\n');
		if (text != NULL)
			(void)buf_append(out, text->text, text->len);
		else
			describe(out, item);
	}
}

static void write_images(struct json_writer *writer, const struct json *content)
{
	bool has_any = false;
	json_each (item, content) {
		const struct json *type = json_member(item, "mimeType");
		const struct json *data = json_member(item, "data");
		if (!is_of_type(item, "image") || type == NULL || type->type != JSON_STRING ||
		    data == NULL || data->type != JSON_STRING)
			continue;
		if (!has_any)
			json_array_begin(writer, "images");
		has_any = true;
		json_object_begin(writer, NULL);
		json_put_value(writer, "mime_type", type);
		json_put_value(writer, "data", data);
		json_object_end(writer);
	}
	if (has_any)
		json_array_end(writer);
}

bool mcp_content_write(
    struct json_writer *writer, const struct json *result, char ret_failure[MCP_CONTENT_ERROR_SIZE])
{
	const struct json *content = json_member(result, "content");
	const struct json *structured = json_member(result, "structuredContent");
	bool is_whole = structured != NULL && structured->type == JSON_OBJECT &&
	    json_get_bool(json_member(result, "_meta"), "muxbus/result", false);
	bool has_failed = json_get_bool(result, "isError", false);
	struct buf text = BUF((size_t)64 * 1024 * 1024);
	join_text(&text, content);
	if (has_failed && structured != NULL && structured->type != JSON_NULL) {
		if (text.len > 0)
			(void)buf_append_byte(&text, '\n');
		(void)json_append(&text, structured);
	}
	if (has_failed) {
		(void)snprintf(ret_failure, MCP_CONTENT_ERROR_SIZE, "%s",
		    text.len > 0 ? buf_text(&text) : "its server gives no reason");
	} else if (is_whole) {
		json_each_member (member, structured)
			json_put_value(writer, member->name, member);
	} else {
		(void)json_put_text(writer, "text", buf_text(&text), text.len);
		write_images(writer, content);
		if (structured != NULL && structured->type != JSON_NULL)
			json_put_value(writer, "structured", structured);
	}
	buf_finish(&text);
	return !has_failed;
}
