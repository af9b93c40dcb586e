/* SPDX-License-Identifier: ISC */
/*
 * A reference to a pane, across tmux servers and time. Pane ids restart at %0 with a new server, so
 * a reference has the id, the first process of the pane, and the server.
 *
 * As the address of notifications, a reference may also name a thread: a session of an agent that
 * takes messages by this name. Then the thread is the address, whichever pane its agent runs in.
 * The pane is the place to type if no other way works.
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
/* Returns true if both are the same address: the same thread, or without threads the same pane. */
bool pane_ref_equal(const struct pane_ref *one, const struct pane_ref *other);
/* Returns true if both name the same pane, with any threads. */
bool pane_ref_same_pane(const struct pane_ref *one, const struct pane_ref *other);
/* Returns a key for maps. Equal addresses have equal keys; different addresses may, too. */
uint64_t pane_ref_key(const struct pane_ref *ref);
/* Writes the pane, and "/THREAD" if there is a thread. Names of records have this form. */
void pane_ref_name(const struct pane_ref *ref, char out[PANE_REF_NAME_SIZE]);
/* Writes the pane alone, as "%3/812/790/5120". */
void pane_ref_format(const struct pane_ref *ref, char out[PANE_REF_TEXT_SIZE]);
/* Reads a text from pane_ref_format(). Returns false if the text has another form. */
bool pane_ref_parse(const char *text, struct pane_ref *ret_ref);
