/* SPDX-License-Identifier: ISC */
/*
 * Rests: texts of which a response showed only a part. A set keeps them for the method read_rest:
 * at most REST_TEXTS_MAX texts of together bytes_max, and a text at most for REST_KEEP_MS. The
 * oldest text is dropped first. The role read_only has a set of its own, since ids can be guessed
 * and texts for other roles may come from files.
 */
#pragma once

#include "base/base.h"

#define REST_TEXTS_MAX 64
#define REST_KEEP_MS ((int64_t)3600 * 1000)
#define REST_ID_SAMPLE "R00000000" /* has the length of every id */
#define REST_ID_SIZE sizeof REST_ID_SAMPLE

struct rest_set *rest_set_new(size_t bytes_max);
void rest_set_free(struct rest_set *set);

struct request;
struct rest_set *rest_set_of(struct request *request);

/* Keeps a copy of a text of at most bytes_max. Returns its id, valid until the text is dropped. */
const char *rest_keep(struct rest_set *set, const void *text, size_t len);

struct json_writer;

/*
 * Keeps a text, and writes the member rest of a result: a sentence with the call that reads the
 * text from byte `from` on. The sentence ends with `what`. Does nothing if the text is empty or
 * longer than bytes_max.
 */
void rest_write(struct json_writer *writer, struct rest_set *set, const void *text, size_t len,
    size_t from, const char *what);

/* Returns the text of an id, valid until the next rest_keep(); NULL: not kept. */
const char *rest_find(const struct rest_set *set, const char *id, size_t *ret_len);
