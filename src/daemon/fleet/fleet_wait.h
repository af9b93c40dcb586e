/* SPDX-License-Identifier: ISC */
/*
 * Waits over hosts: the conditions of wait_for on each host are one wait there, with a name, so
 * that a cut does not end it. The parts are put together here; those not needed any more end.
 */
#ifndef DAEMON_FLEET_FLEET_WAIT_H
#define DAEMON_FLEET_FLEET_WAIT_H

struct event_base;
struct fleet_waits;
struct host_set;
struct json;
struct request;

struct fleet_waits *fleet_waits_new(struct host_set *hosts, struct event_base *base);
/* Behind the last peer, and before the hosts. Open waits end with cancelled; named ones stay. */
void fleet_waits_free(struct fleet_waits *waits);

/* Handles the request wait_for with its parameters. */
void fleet_waits_start(
    struct fleet_waits *waits, struct request *request, const struct json *params);

#endif
