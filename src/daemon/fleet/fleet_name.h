/* SPDX-License-Identifier: ISC */
/*
 * Names in a fleet: "B:%3", or "B/work:%3", is the pane %3 on the host B (of its tmux server
 * "work"). Targets in requests may have such a prefix; ids in most results have it.
 */
#pragma once

#include "wire/json.h"

#define FLEET_NAME_REASON_SIZE 384

struct host_set;

/* Finds the host of "B" or "B/work". Returns NULL if it is unknown. */
struct host *fleet_name_host(const struct host_set *hosts, const char *text);
/*
 * Finds the host of "B:%3", and sets *ret_rest to "%3" in text. Returns NULL if text names no known
 * host; then do not use *ret_rest.
 */
struct host *fleet_name_split(
    const struct host_set *hosts, const char *text, const char **ret_rest);

enum fleet_name_kind {
	/* of a method that the fleet knows; "notify" keeps its host name */
	FLEET_NAME_REQUEST,
	/*
	 * Of a method that only hosts know: only "host" and "pane" can name hosts. If "pane" names
	 * a host, and "host" names none of the fleet, "host" is a parameter of the method itself.
	 */
	FLEET_NAME_FOREIGN,
	FLEET_NAME_CONDITION,
};

/*
 * Finds the host that the parameters name; NULL: none. Appends the parameters without host names to
 * out; with FLEET_NAME_REQUEST also without those that are null. Returns false with a reason if the
 * parameters name two hosts, or an unknown host, or the host is no string.
 */
bool fleet_name_strip(enum fleet_name_kind kind, const struct host_set *hosts,
    const struct json *params, struct host **ret_host, struct buf *out,
    char reason[FLEET_NAME_REASON_SIZE]);

/* Returns true if a value is an id: letters and digits, and less than size bytes. */
bool fleet_name_is_id(const struct json *value, size_t size);

/* Writes the members host and server. */
void fleet_name_put_host(struct json_writer *writer, const struct host *host);
/*
 * Writes the members of a host's object, with the host's prefix before ids, but without host,
 * server and the members in except, which may be NULL. Writes nothing if the value is not an
 * object. host NULL: ids stay unchanged.
 */
void fleet_name_put_rest(struct json_writer *writer, const struct host *host,
    const struct json *object, const char *const *except);
/* Writes the members of a host's object, with host and server as the fleet knows them. */
void fleet_name_put_members(
    struct json_writer *writer, const struct host *host, const struct json *object);
bool fleet_name_is_list(const struct json *value);
