/* SPDX-License-Identifier: ISC */
/*
 * Notices: what was asked for on one host wakes a pane of another. A notice is in the store before
 * its request goes out, and stays there until the other host has the notification; each step is
 * done once by its key, so a cut or kill -9 at any time neither loses nor repeats one.
 */
#ifndef DAEMON_FLEET_FLEET_NOTIFY_H
#define DAEMON_FLEET_FLEET_NOTIFY_H

#include <stdbool.h>

#define FLEET_NOTICES_MAX 500 /* open ones; each waits on its host */

struct event_base;
struct fleet_notices;
struct host;
struct host_set;
struct json;
struct json_writer;
struct request;
struct store;

struct fleet_notices_parts {
	struct host_set *hosts;
	struct event_base *base;
	struct store *store;
};

/* Loads what the store holds, and goes on with it. */
struct fleet_notices *fleet_notices_new(const struct fleet_notices_parts *parts);
/* Before the hosts. Open notices stay in the store. */
void fleet_notices_free(struct fleet_notices *notices);

/*
 * Whether a request for a host is to wake a pane that is not of that daemon: params has the member
 * "notify", a pane of the fleet; or it says no pane, and its peer is in a pane of a host here.
 */
bool fleet_notices_want(
    const struct fleet_notices *notices, struct request *request, const struct json *params);
/* Handles such a request. params has no other names of hosts. */
void fleet_notices_take(struct fleet_notices *notices, struct request *request, struct host *host,
    const struct json *params);

/* From the handlers of the host set. */
void fleet_notices_state(struct fleet_notices *notices);
void fleet_notices_removed(struct fleet_notices *notices, struct host *host);
void fleet_notices_renamed(struct fleet_notices *notices, struct host *host, const char *before);

/* Writes an object for each notice that waits for a host which is not there any more, up to 20. */
void fleet_notices_write_stranded(const struct fleet_notices *notices, struct json_writer *writer);

#endif
