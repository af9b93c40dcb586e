/* SPDX-License-Identifier: ISC */
/* Commands whose effect is read back before they are answered. */
#include "lib/errand.h"

#include <string.h>

#include "base/alloc.h"
#include "lib/attachment.h"
#include "lib/lister.h"

struct errand {
	muxbus_reply_fn *reply;
	void *data;
	int error;
	struct muxbus_reply *replies; /* copies; their bodies lie behind them */
	size_t count;
	bool is_answered; /* by tmux */
	bool is_read_back;
};

/* Answers when both the reply and the listing after it are there. */
static void answer(struct errand *errand)
{
	if (!errand->is_answered || !errand->is_read_back)
		return;
	errand->reply(errand->data, errand->error, errand->replies, errand->count);
	mem_free(errand->replies);
	mem_free(errand);
}

/* One block holds the replies and, behind them, their bodies. NULL if out of memory. */
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
 * Without memory for copies the reply cannot wait. The bodies are lost, but the error is
 * told and the count is right.
 */
static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct errand *errand = data;

	errand->error = error;
	errand->replies = copy_replies(replies, count);
	errand->count = errand->replies != NULL ? count : 0;
	if (errand->replies == NULL)
		errand->error = MUXBUS_ERR_NOMEM;
	errand->is_answered = true;
	answer(errand);
}

/* Also when there is no listing any more: what tmux answered stands. */
static void on_listed(void *data, int error)
{
	struct errand *errand = data;

	(void)error;
	errand->is_read_back = true;
	answer(errand);
}

int errand_run(
    struct muxbus_sync *sync, struct muxbus_command *command, muxbus_reply_fn *reply, void *data)
{
	struct errand *errand = mem_calloc(1, sizeof *errand);
	int error;

	if (errand == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_NOMEM;
	}
	errand->reply = reply;
	errand->data = data;
	error = attachment_run(sync->primary, command, on_reply, errand);
	if (error != 0) {
		mem_free(errand);
		return error;
	}
	if (lister_wait(sync, 0, on_listed, errand) != 0)
		errand->is_read_back = true;
	return 0;
}
