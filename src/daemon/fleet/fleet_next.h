/* SPDX-License-Identifier: ISC */
/*
 * Pulls over hosts: next_notification without a host asks each host, and answers with the entries
 * of those that have some. A consumer is one of that name on each host, with a place of its own
 * there. An answer that comes when no request waits is kept for the next one of its consumer.
 */
#ifndef DAEMON_FLEET_FLEET_NEXT_H
#define DAEMON_FLEET_FLEET_NEXT_H

#define FLEET_PULLS_MAX 2000 /* calls that are open for consumers; more are refused */

struct event_base;
struct fleet_nexts;
struct host;
struct host_set;
struct json;
struct request;

struct fleet_nexts *fleet_nexts_new(struct host_set *hosts, struct event_base *base);
/* Before the hosts. */
void fleet_nexts_free(struct fleet_nexts *nexts);

/* Handles the request next_notification that names no host. */
void fleet_nexts_start(
    struct fleet_nexts *nexts, struct request *request, const struct json *params);

/* From the handlers of the host set. */
void fleet_nexts_removed(struct fleet_nexts *nexts, struct host *host);

#endif
