/* SPDX-License-Identifier: ISC */
/*
 * The state of a known agent by its screen alone: a dialog, work, a draft, or an empty prompt. The
 * signs are patterns for the lower rows of the screen (screen_sign.h); the first kind that is
 * shown counts, in that order. Pure. tests/screens.t has the rates on recorded screens.
 */
#pragma once

#include "daemon/pane/prompt.h"
#include "daemon/pane/screen_sign.h"

/* SIGN_NONE: nothing is shown that is known of this agent. */
enum screen_sign_kind screen_verdict(
    const struct screen_sign_set *signs, const char *agent, const struct prompt_view *view);
