/* SPDX-License-Identifier: ISC */
/* The headers that verbs use most, so that a verb includes one. */
#pragma once

#include "cli/ask.h"
#include "cli/locate.h"
#include "cli/option.h"
#include "cli/remote.h"
#include "cli/screen_text.h"
#include "cli/show.h"
#include "cli/verbs.h"
