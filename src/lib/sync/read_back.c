/* SPDX-License-Identifier: ISC */
/* Commands whose reply waits until the model shows their effect. */
#include "lib/sync/read_back.h"

#include <string.h>

#include "base/alloc.h"
#include "lib/sync/attachment.h"
#include "lib/sync/lister.h"

struct read_back {
	muxbus_reply_fn *reply;
	void *data;
	int error;
	struct muxbus_reply *replies; /* copies, followed by their bodies */
	size_t count;
	bool is_answered; /* by tmux */
	bool is_read_back;
};

/* Answers when both the reply and the listing have come. */
static void answer(struct read_back *read_back)
{
	if (!read_back->is_answered || !read_back->is_read_back)
		return;
	read_back->reply(read_back->data, read_back->error, read_back->replies, read_back->count);
	mem_free(read_back->replies);
	mem_free(read_back);
}

/* One block of memory holds the replies and then their bodies. NULL if out of memory. */
static struct muxbus_reply *copy_replies(const struct muxbus_reply *replies, size_t count)
{
	size_t size = count * sizeof *replies;
	struct muxbus_reply *copies;
	uint8_t *body;
	for (size_t i = 0; i < count; i++)
		size += replies[i].body_len + 1;
	copies = mem_alloc(size);
	if (copies == NULL)
		return NULL;
	body = (uint8_t *)(copies + count);
	for (size_t i = 0; i < count; i++) {
		copies[i] = replies[i];
		copies[i].body = body;
		if (replies[i].body_len > 0)
			memcpy(body, replies[i].body, replies[i].body_len);
		body[replies[i].body_len] = '\0';
		body += replies[i].body_len + 1;
	}
	return copies;
}

/*
 * Without memory for copies the bodies are lost; the error is MUXBUS_ERR_NOMEM.
 */
static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct read_back *read_back = data;
	read_back->error = error;
	read_back->replies = copy_replies(replies, count);
	read_back->count = read_back->replies != NULL ? count : 0;
	if (read_back->replies == NULL)
		read_back->error = MUXBUS_ERR_NOMEM;
	read_back->is_answered = true;
	answer(read_back);
}

/* The answer of tmux is valid even if the listing failed. */
static void on_listed(void *data, int error)
{
	struct read_back *read_back = data;
	(void)error;
	read_back->is_read_back = true;
	answer(read_back);
}

int read_back_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *parts, muxbus_reply_fn *reply, void *data)
{
	struct read_back *read_back = mem_calloc(1, sizeof *read_back);
	int error;
	if (read_back == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_NOMEM;
	}
	read_back->reply = reply;
	read_back->data = data;
	error = attachment_run(sync->primary, command, on_reply, read_back);
	if (error != 0) {
		mem_free(read_back);
		return error;
	}
	if (lister_wait(sync, parts, 0, on_listed, read_back) != 0)
		read_back->is_read_back = true;
	return 0;
}
