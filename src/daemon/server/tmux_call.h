/* SPDX-License-Identifier: ISC */
/* Runs tmux commands for requests, and answers their failures. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

struct request;

/*
 * Called if the commands have succeeded; otherwise the request fails. In both cases, context is
 * then freed by mem_free().
 */
typedef void tmux_call_fn(
    struct request *request, const struct muxbus_reply *replies, size_t count, void *context);
/*
 * Runs a list of commands for a request, and calls then. Takes the command over. read_back: lists
 * tmux before calling then, so that the model has the effect.
 */
void tmux_call(struct request *request, struct muxbus_command *command, bool read_back,
    tmux_call_fn *then, void *context);

/* Like tmux_call(), but judge returns the error to use, for example 0 if only a hook has failed. */
typedef int tmux_judge_fn(int error, const struct muxbus_reply *replies, size_t count);
void tmux_call_judged(struct request *request, struct muxbus_command *command, tmux_judge_fn *judge,
    tmux_call_fn *then, void *context);

/* Like tmux_call() with read_back, but lists only the window that the commands change. */
void tmux_call_in_window(struct request *request, struct muxbus_command *command, uint32_t window,
    tmux_call_fn *then, void *context);

/* Fails a request with an error of libmuxbus. text is tmux's error text, or NULL. */
void tmux_call_fail(struct request *request, int error, const char *text);

/* Like tmux_call_fail(), with tmux's error text of the first command that failed. */
void tmux_call_fail_reply(
    struct request *request, int error, const struct muxbus_reply *replies, size_t count);
