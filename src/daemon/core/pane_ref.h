/* SPDX-License-Identifier: ISC */
/*
 * A pane across servers and time. Ids restart at %0 when another server starts, so a pane is
 * identified by its id, its first process and its server.
 *
 * As the address of notifications, a reference may also name a thread: a session of an agent that
 * takes messages by this name. The thread is then the address, whichever pane its agent runs in,
 * and the pane is only the place to type if no other way works.
 */
#pragma once

#include "base/base.h"

#define PANE_REF_THREAD_SIZE 64

struct pane_ref {
	uint32_t pane; /* MUXBUS_NO_ID: no pane */
	pid_t pane_pid;
	pid_t server_pid;
	uint64_t server_start; /* clock ticks since boot, as in /proc/PID/stat */
	char thread[PANE_REF_THREAD_SIZE]; /* "codex:019a-…": agent and session; "": none */
};

#define PANE_REF_TEXT_SIZE 80
#define PANE_REF_NAME_SIZE (PANE_REF_TEXT_SIZE + PANE_REF_THREAD_SIZE)

void pane_ref_clear(struct pane_ref *ref);
bool pane_ref_is_set(const struct pane_ref *ref);
/* Returns true for the same address: the same thread, or the same pane if neither has a thread. */
bool pane_ref_equal(const struct pane_ref *one, const struct pane_ref *other);
/* Returns true if both name the same pane, with any threads. */
bool pane_ref_same_pane(const struct pane_ref *one, const struct pane_ref *other);
/* Returns a key for maps: equal for equal addresses, mostly different for different ones. */
uint64_t pane_ref_key(const struct pane_ref *ref);
/* Writes the pane, and "/THREAD" if it has a thread: the name of a record. */
void pane_ref_name(const struct pane_ref *ref, char out[PANE_REF_NAME_SIZE]);
/* Writes the pane alone, as "%3/812/790/5120". */
void pane_ref_format(const struct pane_ref *ref, char out[PANE_REF_TEXT_SIZE]);
/* Reads what pane_ref_format() writes. Returns false if the text has another form. */
bool pane_ref_parse(const char *text, struct pane_ref *ret_ref);
