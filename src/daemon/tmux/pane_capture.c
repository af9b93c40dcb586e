/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/pane_capture.h"

#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"

struct pane_capture {
	struct tmux *tmux;
	struct stream_set *streams;
	uint32_t pane;
	uint32_t history;
	unsigned flags;
	unsigned tries;
	struct muxbus_capture picture; /* kept until its offset is certain; owns its text */
	pane_capture_fn *done;
	void *data;
};

static void begin(struct pane_capture *capture);
static void on_settled(void *data, int error, const struct muxbus_reply *replies, size_t count);

static void finish(
    struct pane_capture *capture, int error, const struct muxbus_capture *picture, bool is_exact)
{
	capture->done(capture->data, error, picture, is_exact);
	mem_free((void *)capture->picture.text);
	mem_free(capture);
}

static bool has_changed(const struct pane_capture *capture, const struct muxbus_capture *picture)
{
	const struct muxbus_pane *pane;
	(void)stream_drain(capture->streams, capture->pane);
	pane = muxbus_model_pane(tmux_model(capture->tmux), capture->pane);
	return pane == NULL || pane->output_offset != picture->offset;
}

static void end_try(struct pane_capture *capture, const struct muxbus_capture *picture)
{
	bool is_changed = has_changed(capture, picture);
	if (is_changed && ++capture->tries < PANE_CAPTURE_TRIES)
		begin(capture);
	else
		finish(capture, 0, picture, !is_changed);
}

/* Runs a command without effect, whose reply calls on_settled(). Returns false if this fails. */
static bool settle(struct pane_capture *capture, const struct muxbus_capture *picture)
{
	struct muxbus_command *command =
	    tmux_command(TMUX_LIST_COMMANDS, "-F", "", TMUX_LIST_ONE, NULL);
	capture->picture = *picture;
	capture->picture.text = xmemdup(picture->text, picture->text_len);
	return muxbus_sync_run(tmux_sync(capture->tmux), command, false, on_settled, capture) == 0;
}

/*
 * Takes the capture. tmux may write bytes of the pane to the pipe after its reply to the capture.
 * If the pipe brings nothing before the reply to a later command, the capture shows no bytes that
 * are still to come.
 */
static void on_captured(void *data, int error, const struct muxbus_capture *picture)
{
	struct pane_capture *capture = data;
	if (error < 0)
		finish(capture, error, NULL, false);
	else if (!stream_drain(capture->streams, capture->pane))
		finish(capture, 0, picture, true);
	else if (has_changed(capture, picture) || !settle(capture, picture))
		end_try(capture, picture);
}

static void on_settled(
    void *data, int error UNUSED, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct pane_capture *capture = data;
	end_try(capture, &capture->picture);
}

static void begin(struct pane_capture *capture)
{
	int error;
	mem_free((void *)capture->picture.text);
	capture->picture.text = NULL;
	error = muxbus_sync_capture(tmux_sync(capture->tmux), capture->pane, capture->history,
	    capture->flags, on_captured, capture);
	if (error < 0)
		finish(capture, error, NULL, false);
}

void pane_capture(struct tmux *tmux, struct stream_set *streams, uint32_t pane, uint32_t history,
    unsigned flags, pane_capture_fn *done, void *data)
{
	struct pane_capture *capture = xalloc(sizeof *capture);
	*capture = (struct pane_capture){
	    .tmux = tmux,
	    .streams = streams,
	    .pane = pane,
	    .history = history,
	    .flags = flags,
	    .done = done,
	    .data = data,
	};
	begin(capture);
}
