/* SPDX-License-Identifier: ISC */
/*
 * Idempotency: requests with a key are done only once. A record has the checksum of the parameters,
 * the id of the request, and its result or error when that is known. It is written before the
 * effect of the request, or in one transaction with it, so that a repeated request is recognised.
 */
#pragma once

#include "daemon/queue/notification.h"

#define ONCE_KEEP_MS (24 * 3600 * INT64_C(1000)) /* how long a key is remembered */
#define ONCE_KEEP 2000 /* maximum number in each pool: keys without an owner, and keys with one */
#define ONCE_RESULT_MAX (128 * 1024) /* maximum bytes of a result; a longer one is not kept */
#define ONCE_RESULTS_MAX (8 * 1024 * 1024) /* maximum bytes of all results of a pool */
#define ONCE_ERROR_MAX 400 /* maximum bytes; a longer error is cut */

struct queue;
struct once_set *once_set_new(struct queue *queue);
void once_set_free(struct once_set *set);

/* A request with its key. The source that runs the request borrows it. */
struct once {
	struct once_set *set;
	const char *space; /* namespace of the key: "", or the name of a method */
	/* the pane that owns the key, as "%3/…"; NULL: the key is shared by all */
	const char *owner;
	const char *method, *key;
	const char *caller; /* the pane or thread that makes the request; "": none; NULL: unknown */
	uint64_t content; /* checksum of the other parameters */
};

struct once_earlier {
	char id[NOTIFICATION_ID_SIZE];
	char *method; /* NULL: release 0.2.0 stored none; then that of the new request */
	char *caller; /* NULL: unknown */
	uint64_t content;
	int64_t time_ms; /* CLOCK_REALTIME */
	int64_t boot_ms; /* the same by CLOCK_BOOTTIME; 0: unknown */
	char *result; /* JSON object; NULL: unknown */
	char *error; /* message of an error, if the request may have had an effect; NULL: none */
};

/*
 * Finds an earlier request with the key. Returns false if there is none; else the caller calls
 * once_earlier_finish().
 */
bool once_find(const struct once *once, struct once_earlier *ret_earlier);
void once_earlier_finish(struct once_earlier *earlier);

/*
 * Stores the request as done, in the open transaction. id is that of its job, timer or the like.
 * These functions accept NULL, other than once_forget_begun().
 */
void once_keep(const struct once *once, const char *id);
/* Forgets the request, which was not done after all. */
void once_forget(const struct once *once);
/* Like once_forget(), but only if the record has neither an id nor a result yet. */
void once_forget_begun(const struct once *once);
/* Stores the result. Does nothing if the request is not stored. */
void once_set_result(const struct once *once, const char *result, size_t len);
/* Stores that the request failed, and may have had an effect. */
void once_set_error(const struct once *once, const char *error);

/* Keeps data of the caller about a request that runs now; not stored; NULL: none. */
void once_set_runner(const struct once *once, void *runner);
void *once_runner(const struct once *once);

size_t once_count(const struct once_set *set);
