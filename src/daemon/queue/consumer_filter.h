/* SPDX-License-Identifier: ISC */
/* Filters: which notifications a reader wants. */
#ifndef DAEMON_QUEUE_CONSUMER_FILTER_H
#define DAEMON_QUEUE_CONSUMER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/queue/notification.h"
#include "wire/field.h"
#include "wire/json.h"

#define CONSUMER_FILTER_ID_MAX 200 /* bytes */

/* Members that are not set do not decide. */
struct consumer_filter {
	bool has_pane;
	uint32_t pane;
	int source; /* enum notification_source; -1: any */
	const char *id; /* of a request, in capitals or not; NULL: any */
	bool is_urgent; /* only those */
};

/* The members of a filter as JSON: pane, source, id, urgent. */
extern const struct field consumer_filter_fields[];

/*
 * Reads a filter: an object, or an id alone; NULL: every notification matches. *ret_pane is the text that names its
 * pane, or NULL: the caller looks the pane up. Its id is lent from value. False with a
 * reason if value is no filter.
 */
bool consumer_filter_read(const struct json *value, struct consumer_filter *ret_filter,
    const char **ret_pane, char *ret_reason, size_t size);

bool consumer_filter_matches(const struct consumer_filter *filter, const struct notification *note);

#endif
