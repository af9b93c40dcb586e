/* SPDX-License-Identifier: ISC */
/*
 * Requests with a key, which are done once: what was asked, which request id it got, and its
 * result as soon as that is known. The id is kept in one transaction with the effect, or before
 * the effect, so that a request whose answer was lost, by kill -9 too, is recognised when it is
 * asked again.
 */
#pragma once

#include "daemon/queue/notification.h"

#define ONCE_KEEP_MS (24 * 3600 * INT64_C(1000)) /* how long a key is known */
#define ONCE_KEEP \
	2000 /* keys without an owner, and as many with one; the oldest is forgotten first */
#define ONCE_RESULT_MAX (128 * 1024) /* bytes of a result; a longer one is not kept */
#define ONCE_RESULTS_MAX (8 * 1024 * 1024) /* bytes of all their results */
#define ONCE_ERROR_MAX 400 /* bytes of an error */

struct queue;

/* Loads what the store holds. */
struct once_set *once_set_new(struct queue *queue);
void once_set_free(struct once_set *set);

/* A request with its key, lent to the source that does it. */
struct once {
	struct once_set *set;
	const char *space; /* keys are unique in it: "", or the name of a method */
	const char *owner; /* the pane whose keys are its own, "%3/…"; NULL: the keys of all */
	const char *method;
	const char *key;
	const char *caller; /* the pane or thread that asks, "": none; NULL: not known */
	uint64_t content; /* of its other parameters: a checksum */
};

/* An earlier request with the same key. */
struct once_earlier {
	char id[NOTIFICATION_ID_SIZE];
	char *method; /* NULL: the same; kept by 0.2.0 */
	char *caller; /* NULL: not known */
	uint64_t content;
	int64_t time_ms; /* CLOCK_REALTIME */
	char *result; /* JSON object; NULL: not known */
	char *error; /* how it failed, if it may have had an effect; NULL: not known */
};

/* False if there is none. once_earlier_finish() frees what *ret_earlier owns. */
bool once_find(const struct once *once, struct once_earlier *ret_earlier);
void once_earlier_finish(struct once_earlier *earlier);

/* The request is done, in the transaction that is open. once NULL, in all of these: nothing. */
void once_keep(const struct once *once, const char *id);
/* The request was not done after all. */
void once_forget(const struct once *once);
/* The same for a request that was kept without an id, before its effect. */
void once_forget_begun(const struct once *once);
/* Keeps the result of a request; does nothing if the request is not kept. */
void once_set_result(const struct once *once, const char *result, size_t len);
/* The request failed, and may have had an effect. Cuts error to ONCE_ERROR_MAX bytes. */
void once_set_error(const struct once *once, const char *error);

/* Data of the caller on a request that is done just now; not in the store. NULL: none. */
void once_set_runner(const struct once *once, void *runner);
void *once_runner(const struct once *once);

size_t once_count(const struct once_set *set);
