/* SPDX-License-Identifier: ISC */
/*
 * The state of a known agent by its screen alone: a dialog, work, a draft, or an empty prompt. The
 * signs are patterns for the lower rows of the screen (pane/screen_sign.h); the first kind that is
 * shown counts, in that order. Pure. tests/screens.t has the rates on recorded screens.
 */
#pragma once

#include "daemon/agent/classify.h"

struct screen_sign_set;

/* VERDICT_UNKNOWN: nothing is shown that is known of this agent. */
enum agent_verdict_kind screen_verdict(
    const struct screen_sign_set *signs, const char *agent, const struct prompt_view *view);
