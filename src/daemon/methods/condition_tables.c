/* SPDX-License-Identifier: ISC */
/* The tables of conditions. */
#include <stddef.h>

#include "daemon/source/condition.h"

/* Keep alphabetized. */
const struct condition_kind *const condition_tables[] = {
    condition_kinds_file,
    condition_kinds_other,
    condition_kinds_pane,
    NULL,
};
