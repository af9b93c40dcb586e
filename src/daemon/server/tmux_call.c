/* SPDX-License-Identifier: ISC */
#include "daemon/server/tmux_call.h"

#include "daemon/server/request.h"
#include "daemon/tmux/tmux.h"

struct tmux_run {
	struct request *request;
	tmux_judge_fn *judge; /* returns the error to use; NULL: that which libmuxbus gave */
	tmux_call_fn *then;
	void *context;
};

static char *words_of(const struct muxbus_reply *replies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len;
		if (replies[i].error != MUXBUS_ERR_COMMAND)
			continue;
		len = replies[i].body_len;
		while (len > 0 && replies[i].body[len - 1] == '\n')
			len--;
		return len > 0 ? xmemdup(replies[i].body, len) : NULL;
	}
	return NULL;
}

void tmux_call_fail_reply(
    struct request *request, int error, const struct muxbus_reply *replies, size_t count)
{
	char *words = words_of(replies, count);
	tmux_call_fail(request, error, words);
	mem_free(words);
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct tmux_run *run = data;
	if (run->judge != NULL)
		error = run->judge(error, replies, count);
	if (error < 0)
		tmux_call_fail_reply(run->request, error, replies, count);
	else
		run->then(run->request, replies, count, run->context);
	mem_free(run->context);
	mem_free(run);
}

static struct tmux_run *new_run(struct request *request, tmux_call_fn *then, void *context)
{
	struct tmux_run *run = xalloc(sizeof *run);
	*run = (struct tmux_run){.request = request, .then = then, .context = context};
	return run;
}

static void finish(struct tmux_run *run, int error)
{
	if (error == 0)
		return;
	tmux_call_fail(run->request, error, NULL);
	mem_free(run->context);
	mem_free(run);
}

void tmux_call(struct request *request, struct muxbus_command *command, bool read_back,
    tmux_call_fn *then, void *context)
{
	struct muxbus_sync *sync = tmux_sync(request_daemon(request)->tmux);
	struct tmux_run *run = new_run(request, then, context);
	finish(run, muxbus_sync_run(sync, command, read_back, on_reply, run));
}

void tmux_call_judged(struct request *request, struct muxbus_command *command, tmux_judge_fn *judge,
    tmux_call_fn *then, void *context)
{
	struct muxbus_sync *sync = tmux_sync(request_daemon(request)->tmux);
	struct tmux_run *run = new_run(request, then, context);
	run->judge = judge;
	finish(run, muxbus_sync_run(sync, command, false, on_reply, run));
}

void tmux_call_in_window(struct request *request, struct muxbus_command *command, uint32_t window,
    tmux_call_fn *then, void *context)
{
	struct muxbus_sync *sync = tmux_sync(request_daemon(request)->tmux);
	struct tmux_run *run = new_run(request, then, context);
	finish(run, muxbus_sync_run_in_window(sync, command, window, on_reply, run));
}

static enum message_error kind_of(int error)
{
	switch (error) {
	case MUXBUS_ERR_COMMAND:
	case MUXBUS_ERR_SKIPPED:
		return MESSAGE_TMUX_ERROR;
	case MUXBUS_ERR_TIMEOUT:
		return MESSAGE_TIMEOUT;
	case MUXBUS_ERR_NOT_FOUND:
		return MESSAGE_NO_SUCH_PANE;
	case MUXBUS_ERR_GONE:
		return MESSAGE_GONE;
	case MUXBUS_ERR_LIMIT:
		return MESSAGE_LIMIT;
	case MUXBUS_ERR_CANCELLED:
		return MESSAGE_CANCELLED;
	case MUXBUS_ERR_INVALID:
		return MESSAGE_PARAMS;
	case MUXBUS_ERR_UNAVAILABLE:
		return MESSAGE_TMUX_UNAVAILABLE;
	default:
		return muxbus_error_is_fatal(error) ? MESSAGE_TMUX_UNAVAILABLE : MESSAGE_INTERNAL;
	}
}

void tmux_call_fail(struct request *request, int error, const char *text)
{
	enum message_error kind = kind_of(error);
	const char *reason = tmux_reason(request_daemon(request)->tmux);
	if (kind == MESSAGE_TMUX_ERROR)
		request_fail(request, kind, "%s",
		    text != NULL ? text
				 : "tmux refused a command of muxbusd; a command-alias or a hook "
				   "of tmux may be in its way: see tmux show -s command-alias");
	else if (kind == MESSAGE_TIMEOUT)
		request_fail(request, kind,
		    "tmux did not answer in time; the command may have taken effect");
	else if (kind == MESSAGE_TMUX_UNAVAILABLE)
		request_fail(request, kind,
		    "no tmux server is followed now (%s); the daemon retries by itself",
		    reason[0] ? reason : muxbus_strerror(error));
	else
		request_fail(request, kind, "%s", text != NULL ? text : muxbus_strerror(error));
}
