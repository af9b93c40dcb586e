/* SPDX-License-Identifier: ISC */
/*
 * Offers: the rows of methods that a provider gives. A row has a name, and may have further names
 * (member also), which lists do not show.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/tool/declaration.h"

#define OFFER_TIMEOUT_MS_MAX 3600000

struct offer {
	struct method method; /* the row; must be the first member */
	struct list link;
	struct declaration *declaration; /* its parameters, result and timeout */
	size_t uses; /* number of requests that use the row now */
	void *provider; /* as in struct offer_origin; NULL: the row was withdrawn */
};

/* The data that all rows of one provider share. */
struct offer_origin {
	void *provider;
	void (*handle)(struct request *request, const void *args);
	unsigned flags; /* added to the flags of every offer */
};

/* Reads a row from JSON. value need not outlive the call. Returns NULL with a reason on error. */
struct offer *offer_read(const struct json *value, const struct offer_origin *origin,
    char ret_reason[DECLARATION_REASON_SIZE]);
/* Frees a row, which no request may use any more. */
void offer_free(struct offer *offer);

/* Returns the offer of a row that offer_read() made. */
struct offer *offer_of(const struct method *method);

/* The number of names of an offer, and the name at a position; the listed name is the first. */
size_t offer_count(const struct offer *offer);
const char *offer_name(const struct offer *offer, size_t at);
