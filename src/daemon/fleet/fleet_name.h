/* SPDX-License-Identifier: ISC */
/*
 * Names of the fleet: "B:%3" or "B/work:%3" is %3 on the host B. Requests have the prefix in any
 * member that names something; results have it in every id.
 */
#pragma once

#include "wire/json.h"

#define FLEET_NAME_REASON_SIZE 384

struct host_set;

/* The host of "B", "B/work", or of the prefix of a target; NULL: text names none. */
struct host *fleet_name_host(const struct host_set *hosts, const char *text, size_t len);
/* The host of "B:%3" and its rest; NULL: the text begins with no host. */
struct host *fleet_name_split(
    const struct host_set *hosts, const char *text, const char **ret_rest);

/*
 * Finds the host that the parameters of a request name, and writes them without its name.
 * *ret_host NULL: they name none. Returns 0, or -1 with a reason: two hosts, or an unknown one.
 * except: a member that is left as it is, NULL: none.
 */
int fleet_name_strip(const struct host_set *hosts, const struct json *params, const char *except,
    struct host **ret_host, struct buf *out, char reason[FLEET_NAME_REASON_SIZE]);

/*
 * The same of a method of the host's own: only host and pane are names. Beside a pane that names
 * one, a host that is none of the fleet is a parameter of the method.
 */
int fleet_name_strip_foreign(const struct host_set *hosts, const struct json *params,
    struct host **ret_host, struct buf *out, char reason[FLEET_NAME_REASON_SIZE]);

/* The same of a condition of wait_for, which names what it is about by other members too. */
int fleet_name_strip_condition(const struct host_set *hosts, const struct json *condition,
    struct host **ret_host, struct buf *out, char reason[FLEET_NAME_REASON_SIZE]);

/* Whether a value of a host is an id of fewer than size bytes, which may stand in other requests. */
bool fleet_name_is_id(const struct json *value, size_t size);

/* Writes the members host and server. */
void fleet_name_put_host(struct json_writer *writer, const struct host *host);
/* Writes a value of a result of the host, its ids qualified. */
void fleet_name_put(struct json_writer *writer, const struct host *host, const char *name,
    const struct json *value);
/*
 * Writes the members of an object of the host, its ids qualified, but host, server and those
 * of except (NULL: none): a host speaks for itself alone. Of any other value nothing is written.
 * host NULL: as it is, no id of it is ours.
 */
void fleet_name_put_rest(struct json_writer *writer, const struct host *host,
    const struct json *object, const char *const *except);
/* The same with all members, then the host and server as the fleet knows them. */
void fleet_name_put_members(
    struct json_writer *writer, const struct host *host, const struct json *object);
/* Whether a value of a host is an array of objects; and writes each of these in the same way. */
bool fleet_name_is_list(const struct json *value);
void fleet_name_put_list(
    struct json_writer *writer, const struct host *host, const struct json *list);
