/* SPDX-License-Identifier: ISC */
#include "base/buf.h"

#include "base/alloc.h"

#define BUF_FIRST_BYTES 256

void buf_init(struct buf *buf, size_t max)
{
	*buf = BUF(max);
}

void buf_finish(struct buf *buf)
{
	mem_free(buf->data);
	buf_init(buf, buf->max);
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	if (buf->data != NULL)
		buf->data[0] = '\0';
}

const char *buf_text(const struct buf *buf)
{
	return buf->len > 0 ? (const char *)buf->data : "";
}

bool buf_is_equal(const struct buf *buf, const struct buf *other)
{
	return buf->len == other->len && memcmp(buf_text(buf), buf_text(other), buf->len) == 0;
}

void buf_shrink(struct buf *buf, size_t keep)
{
	uint8_t *data;
	if (keep == 0 && buf->len == 0)
		buf_finish(buf);
	if (buf->cap <= keep || buf->len >= keep)
		return;
	data = mem_realloc(buf->data, keep);
	if (data == NULL)
		return;
	buf->data = data;
	buf->cap = keep;
}

static size_t grown_cap(const struct buf *buf, size_t need)
{
	size_t cap = buf->cap ? buf->cap : BUF_FIRST_BYTES;
	while (cap < need) {
		if (cap > (buf->max + 1) / 2)
			return buf->max + 1;
		cap *= 2;
	}
	return cap > buf->max + 1 ? buf->max + 1 : cap;
}

int buf_reserve(struct buf *buf, size_t extra)
{
	size_t cap, need;
	uint8_t *data;
	if (extra > buf->max - buf->len)
		return BUF_FULL;
	need = buf->len + extra + 1;
	if (need <= buf->cap)
		return 0;
	cap = grown_cap(buf, need);
	data = mem_realloc(buf->data, cap);
	if (data == NULL)
		return BUF_NOMEM;
	data[buf->len] = '\0';
	buf->data = data;
	buf->cap = cap;
	return 0;
}

int buf_append(struct buf *buf, const void *bytes, size_t len)
{
	int r = buf_reserve(buf, len);
	if (r < 0)
		return r;
	if (len)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_append_str(struct buf *buf, const char *string)
{
	return buf_append(buf, string, strlen(string));
}

int buf_append_byte(struct buf *buf, uint8_t byte)
{
	int r = buf_reserve(buf, 1);
	if (r < 0)
		return r;
	buf->data[buf->len++] = byte;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	size_t room;
	int len, r;
	va_copy(again, args);
	room = buf->data != NULL ? buf->cap - buf->len : 0;
	len = vsnprintf(room ? (char *)buf->data + buf->len : NULL, room, format, args);
	r = len < 0 ? BUF_FULL : buf_reserve(buf, (size_t)len);
	if (r == 0 && (size_t)len >= room)
		(void)vsnprintf((char *)buf->data + buf->len, (size_t)len + 1, format, again);
	va_end(again);
	if (r == 0)
		buf->len += (size_t)len;
	else if (buf->data != NULL)
		buf->data[buf->len] = '\0'; /* removes the part that vsnprintf() wrote */
	return r;
}

int buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	int r;
	va_start(args, format);
	r = buf_vprintf(buf, format, args);
	va_end(args);
	return r;
}

void buf_consume(struct buf *buf, size_t len)
{
	if (len >= buf->len) {
		buf_clear(buf);
		return;
	}
	buf->len -= len;
	memmove(buf->data, buf->data + len, buf->len + 1);
}

uint8_t *buf_steal(struct buf *buf, size_t *ret_len)
{
	uint8_t *data = buf->data;
	if (buf->len == 0) {
		buf_finish(buf);
		data = NULL;
	}
	if (ret_len != NULL)
		*ret_len = buf->len;
	buf_init(buf, buf->max);
	return data;
}
