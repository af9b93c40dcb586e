/* SPDX-License-Identifier: ISC */
/* Panes that outlive their programs by our order, until the end of each was reported. */
#pragma once

struct muxbus_sync;

/* Closes those whose end was reported, but for the ones that are kept. */
void adopted_end(struct muxbus_sync *sync);
