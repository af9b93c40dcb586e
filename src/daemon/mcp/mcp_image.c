/* SPDX-License-Identifier: ISC */
/* Results with images as content of MCP. */
#include "daemon/mcp/mcp_image.h"

#include "daemon/server/rest.h"

static bool is_image(const struct json *value)
{
	const struct json *type = json_member(value, "mime_type");
	const struct json *data = json_member(value, "data");
	return type != NULL && data != NULL && type->type == JSON_STRING &&
	    data->type == JSON_STRING;
}

bool mcp_image_is_in(const struct json *result)
{
	const struct json *images = json_member(result, "images");
	return is_image(result) ||
	    (images != NULL && images->type == JSON_ARRAY && images->count > 0);
}

static void put_image(struct json_writer *writer, const struct json *image)
{
	if (!is_image(image))
		return;
	json_object_begin(writer, NULL);
	json_put_str(writer, "type", "image");
	json_put_value(writer, "data", json_member(image, "data"));
	json_put_value(writer, "mimeType", json_member(image, "mime_type"));
	json_object_end(writer);
}

/* The end of a text: the call that reads on in another one. */
static void put_rest(
    struct buf *out, struct rest_set *rests, const void *text, size_t len, size_t from)
{
	(void)buf_printf(out, "\nTruncated. read_rest {\"id\":\"%s\",\"after\":%zu} reads %s.",
	    rest_keep(rests, text, len), from, from > 0 ? "on in text" : "structured, as JSON");
}

static void put_text(struct json_writer *writer, const struct json *text,
    const struct json *structured, size_t text_max, struct rest_set *rests)
{
	size_t len = text != NULL ? text->len : 0, shown = len < text_max ? len : text_max;
	struct buf out, json;
	struct json_writer inner;
	buf_init(&out, text_max + 512);
	while (shown < len && shown > 0 && ((uint8_t)text->text[shown] & 0xc0) == 0x80)
		shown--; /* not within a character */
	(void)buf_append(&out, shown > 0 ? text->text : "", shown);
	if (shown < len)
		put_rest(&out, rests, text->text, len, shown);
	if (structured != NULL) {
		buf_init(&json, SIZE_MAX);
		json_writer_init(&inner, &json);
		json_put_value(&inner, NULL, structured);
		put_rest(&out, rests, json.data, json.len, 0);
		buf_finish(&json);
	}
	if (out.len > 0) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "type", "text");
		(void)json_put_text(writer, "text", (const char *)out.data, out.len);
		json_object_end(writer);
	}
	buf_finish(&out);
}

void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests)
{
	const struct json *text = json_member(result, "text");
	const struct json *images = json_member(result, "images");
	json_array_begin(writer, "content");
	if (text != NULL && text->type != JSON_STRING)
		text = NULL;
	put_text(writer, text, json_member(result, "structured"), text_max, rests);
	put_image(writer, result);
	for (const struct json *image = images != NULL ? images->child : NULL; image != NULL;
	     image = image->next)
		put_image(writer, image);
	json_array_end(writer);
}
