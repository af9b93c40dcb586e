/* SPDX-License-Identifier: ISC */
/* Results with images as content of MCP. */
#include "daemon/mcp/mcp_image.h"

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

/* Writes the text beside the images; one that is cut says so at its end. */
static void put_text(
    struct json_writer *writer, const struct json *text, size_t text_max, const char *rest)
{
	size_t shown = text->len < text_max ? text->len : text_max;
	struct buf out;
	buf_init(&out, text_max + 512);
	while (shown < text->len && shown > 0 && ((uint8_t)text->text[shown] & 0xc0) == 0x80)
		shown--; /* not within a character */
	(void)buf_append(&out, text->text, shown);
	if (shown < text->len)
		(void)buf_printf(&out, "\n[truncated: %zu of %zu bytes of the text. %s]", shown,
		    text->len, rest);
	json_object_begin(writer, NULL);
	json_put_str(writer, "type", "text");
	(void)json_put_text(writer, "text", (const char *)out.data, out.len);
	json_object_end(writer);
	buf_finish(&out);
}

void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, const char *rest)
{
	const struct json *text = json_member(result, "text");
	const struct json *images = json_member(result, "images");
	json_array_begin(writer, "content");
	if (text != NULL && text->type == JSON_STRING && text->len > 0)
		put_text(writer, text, text_max, rest);
	put_image(writer, result);
	for (const struct json *image = images != NULL ? images->child : NULL; image != NULL;
	     image = image->next)
		put_image(writer, image);
	json_array_end(writer);
}
