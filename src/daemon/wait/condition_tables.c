/* SPDX-License-Identifier: ISC */
/* The tables of conditions. */
#include <stddef.h>

#include "daemon/wait/condition.h"

/* Keep alphabetized. */
const struct condition_kind *const condition_tables[] = {
    condition_kinds_agent,
    condition_kinds_cpu,
    condition_kinds_event,
    condition_kinds_file,
    condition_kinds_job,
    condition_kinds_notification,
    condition_kinds_pane,
    condition_kinds_prompt,
    condition_kinds_sec,
    NULL,
};
