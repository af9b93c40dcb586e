/* SPDX-License-Identifier: ISC */
/*
 * Idempotency: a request with a key is not done again while the key is remembered. The store has a
 * record for a key with the checksum of the parameters, the id of the request, and its result or
 * error when that is known, unless it is too long.
 */
#pragma once

#include "daemon/queue/notification.h"

#define ONCE_KEEP_MS (24 * 3600 * INT64_C(1000)) /* longest time for which a key is remembered */
#define ONCE_KEEP 2000 /* maximum keys with an owner, and maximum keys without one */
#define ONCE_RESULT_MAX (128 * 1024) /* maximum bytes of a result; a longer one is not stored */
#define ONCE_RESULTS_MAX (8 * 1024 * 1024) /* bytes of results of keys with, or without, an owner */
#define ONCE_ERROR_MAX 400 /* maximum bytes; a longer error is cut */

struct queue;
struct once_set *once_set_new(struct queue *queue);
void once_set_free(struct once_set *set);

/* A request with its key. The strings are borrowed. */
struct once {
	struct once_set *set;
	const char *space; /* namespace of the key: "", or the name of a method */
	/* the pane that owns the key, as "%3/…"; "%": unknown; NULL: the key is shared by all */
	const char *owner;
	const char *method, *key;
	const char *caller; /* the pane or thread that makes the request; "": none; NULL: unknown */
	uint64_t content; /* checksum of the other parameters */
};

struct once_earlier {
	char id[NOTIFICATION_ID_SIZE];
	char *method; /* NULL: release 0.2.0 stored no method */
	char *caller; /* NULL: unknown */
	uint64_t content;
	int64_t time_ms; /* CLOCK_REALTIME */
	int64_t boot_ms; /* the same time by CLOCK_BOOTTIME; 0: unknown */
	char *result; /* JSON object; NULL: unknown */
	char *error; /* message of an error, if the request may have had an effect; NULL: none */
};

/*
 * Finds an earlier request with the key. Returns false if there is none. After true, the caller
 * must call once_earlier_finish().
 */
bool once_find(const struct once *once, struct once_earlier *ret_earlier);
void once_earlier_finish(struct once_earlier *earlier);

/*
 * Stores that the request is done or begun. id: the id of its job, timer or similar object; "":
 * none. once may be NULL here and in once_forget(), once_set_result() and once_set_error().
 */
void once_keep(const struct once *once, const char *id);
/* Forgets the request, for example because it was not done after all. */
void once_forget(const struct once *once);
/* Like once_forget(), but only if the record has neither an id nor a result yet. */
void once_forget_begun(const struct once *once);
/* Stores the result, if the request is stored without one, and the result is not too long. */
void once_set_result(const struct once *once, const char *result, size_t len);
/* Stores an error after which there may be an effect, if the request has no result or error yet. */
void once_set_error(const struct once *once, const char *error);

/* Keeps data of the caller about a running request, in memory, while the key is; NULL: none. */
void once_set_runner(const struct once *once, void *runner);
void *once_runner(const struct once *once);

size_t once_count(const struct once_set *set);
