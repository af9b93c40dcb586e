/* SPDX-License-Identifier: ISC */
#include "lib/connection/imsg.h"

#include <muxbus.h>

#define FLAG_PASSES UINT16_C(1)
#define LENGTH_PASSES (UINT32_C(1) << 31)
#define PID_OF_SOCKET UINT32_MAX /* the server asks the kernel for the pid */

/* All fields have the byte order of the machine. */
struct header {
	uint32_t type;
	union {
		struct {
			uint16_t length;
			uint16_t flags;
		} old;
		uint32_t length;
	};
	uint32_t protocol;
	uint32_t pid;
};

_Static_assert(sizeof(struct header) == IMSG_HEADER_BYTES, "the header has no padding");

static struct header make_header(enum imsg_form form, uint32_t type, size_t len, bool passes)
{
	struct header header = {.type = type, .protocol = IMSG_PROTOCOL, .pid = PID_OF_SOCKET};
	if (form == IMSG_FORM_FLAGS) {
		header.old.length = (uint16_t)(sizeof header + len);
		header.old.flags = passes ? FLAG_PASSES : 0;
	} else {
		header.length = (uint32_t)(sizeof header + len) | (passes ? LENGTH_PASSES : 0);
	}
	return header;
}

int imsg_append(struct buf *out, enum imsg_form form, uint32_t type, const void *data, size_t len)
{
	struct header header;
	int error;
	if (len > IMSG_MAX - sizeof header)
		return MUXBUS_ERR_LIMIT;
	header = make_header(form, type, len, false);
	error = buf_reserve(out, sizeof header + len);
	if (error != 0)
		return error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM;
	(void)buf_append(out, &header, sizeof header); /* cannot fail: the room is reserved */
	if (len > 0)
		(void)buf_append(out, data, len);
	return 0;
}

void imsg_write(struct imsg_writer *writer, uint32_t type, const void *data, size_t len)
{
	if (writer->error == 0)
		writer->error = imsg_append(writer->out, writer->form, type, data, len);
}

void imsg_write_text(struct imsg_writer *writer, uint32_t type, const char *text)
{
	imsg_write(writer, type, text, strlen(text) + 1);
}

void imsg_passing(uint8_t out[IMSG_HEADER_BYTES], enum imsg_form form, uint32_t type)
{
	struct header header = make_header(form, type, 0, true);
	memcpy(out, &header, sizeof header);
}

void imsg_foreign(uint8_t out[IMSG_HEADER_BYTES])
{
	struct header header = make_header(IMSG_FORM_FLAGS, IMSG_COMMAND, 0, false);
	header.protocol = 0;
	memcpy(out, &header, sizeof header);
}

int imsg_read(enum imsg_form form, const uint8_t *bytes, size_t len, struct imsg *ret_message,
    size_t *ret_used)
{
	struct header header;
	size_t length;
	*ret_used = 0;
	if (len < sizeof header)
		return 0;
	memcpy(&header, bytes, sizeof header);
	length = form == IMSG_FORM_FLAGS ? header.old.length : header.length & ~LENGTH_PASSES;
	if (length < sizeof header || length > IMSG_MAX)
		return MUXBUS_ERR_PROTOCOL;
	if (len < length)
		return 0;
	*ret_message = (struct imsg){
	    .type = header.type,
	    .protocol = header.protocol,
	    .data = bytes + sizeof header,
	    .len = length - sizeof header,
	};
	*ret_used = length;
	return 0;
}

int imsg_each(enum imsg_form form, struct buf *in,
    bool (*handle)(void *data, const struct imsg *message), void *data)
{
	size_t at = 0, used = 1;
	int error = 0;
	while (used > 0 && at < in->len) {
		struct imsg message;
		error = imsg_read(form, in->data + at, in->len - at, &message, &used);
		if (used > 0 && !handle(data, &message))
			return MUXBUS_ERR_CANCELLED;
		at += used;
	}
	buf_consume(in, at); /* once for all messages, since a listing has one for each line */
	return error;
}

bool imsg_numbers(const struct imsg *message, int *numbers, size_t count)
{
	if (message->len < count * sizeof *numbers)
		return false;
	memcpy(numbers, message->data, count * sizeof *numbers);
	return true;
}
