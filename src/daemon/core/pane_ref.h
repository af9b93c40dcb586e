/* SPDX-License-Identifier: ISC */
/*
 * A pane across servers and time. Ids restart at %0 when another server starts, so a pane
 * is identified by its id, its first process and its server; a notification never goes to
 * another pane with the same id.
 *
 * As the address of notifications a reference may name a thread too: a session of an agent that
 * takes messages by that name. The thread then is the address, wherever its agent runs, and the
 * pane only the place to type if there is no other way.
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
/* Whether there is a pane or a thread. */
bool pane_ref_is_set(const struct pane_ref *ref);
/* The same address: the same thread, or without threads the same pane. */
bool pane_ref_equal(const struct pane_ref *one, const struct pane_ref *other);
/* The same pane, whatever the threads are. */
bool pane_ref_same_pane(const struct pane_ref *one, const struct pane_ref *other);
/* A number for maps: equal for equal addresses, mostly different for others. */
uint64_t pane_ref_key(const struct pane_ref *ref);
/* The pane and the thread, if there is one: the name of a record. */
void pane_ref_name(const struct pane_ref *ref, char out[PANE_REF_NAME_SIZE]);
/* The pane alone, "%3/812/790/5120": for the store. */
void pane_ref_format(const struct pane_ref *ref, char out[PANE_REF_TEXT_SIZE]);
bool pane_ref_parse(const char *text, struct pane_ref *ret_ref);
