/* SPDX-License-Identifier: ISC */
/*
 * A pane across servers and time. Ids restart at %0 when another server starts, so a pane
 * is identified by its id, its first process and its server; a notification never goes to
 * another pane with the same id.
 */
#ifndef DAEMON_CORE_PANE_REF_H
#define DAEMON_CORE_PANE_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pane_ref {
	uint32_t pane; /* MUXBUS_NO_ID: no pane */
	pid_t pane_pid;
	pid_t server_pid;
	uint64_t server_start; /* clock ticks since boot, as in /proc/PID/stat */
};

#define PANE_REF_TEXT_SIZE 80

void pane_ref_clear(struct pane_ref *ref);
bool pane_ref_equal(const struct pane_ref *one, const struct pane_ref *other);
/* "%3/812/790/5120": for the store. */
void pane_ref_format(const struct pane_ref *ref, char out[PANE_REF_TEXT_SIZE]);
bool pane_ref_parse(const char *text, struct pane_ref *ret_ref);

#endif
