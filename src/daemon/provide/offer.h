/* SPDX-License-Identifier: ISC */
/*
 * Offers: the rows of methods that a provider gives, checked like the daemon's own. Each has a name,
 * and perhaps others ("also"), which no list shows.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/tool/declaration.h"

#define OFFER_TIMEOUT_MS 30000 /* of a call, unless the row says it */
#define OFFER_TIMEOUT_MS_MAX 3600000

struct offer {
	struct method method; /* the row, first */
	struct list link;
	struct declaration *declaration; /* its parameters, result and time-out */
	size_t uses; /* requests that have a row */
	void *provider; /* of offer_set_provider(); NULL: it gives it no more */
};

/* How the rows of an offer differ by their provider. */
struct offer_origin {
	void *provider;
	void (*handle)(struct request *request, const void *args);
	unsigned flags; /* added to those of all offers */
};

/*
 * Reads a row: name, summary, effects, parameters, result, group, also, example, timeout_ms … value
 * is used during the call only. NULL with a sentence that names the member that is wrong.
 */
struct offer *offer_read(const struct json *value, const struct offer_origin *origin,
    char ret_reason[DECLARATION_REASON_SIZE]);
/* No request may have a row. */
void offer_free(struct offer *offer);

/* The offer of a row that offer_read() made. */
struct offer *offer_of(const struct method *method);

/* How many names it has, and the name at a place; the first is the listed one. */
size_t offer_count(const struct offer *offer);
const char *offer_name(const struct offer *offer, size_t at);
