/* SPDX-License-Identifier: ISC */
/*
 * Lists of many hosts: each one is asked, and the answer has what came within 5 s. Hosts that did
 * not answer are in "missing", with the reason.
 */
#ifndef DAEMON_FLEET_FLEET_GATHER_H
#define DAEMON_FLEET_FLEET_GATHER_H

#include <stddef.h>

#define FLEET_GATHER_MS 5000

struct host;
struct host_set;
struct json;
struct request;

/*
 * Answers a request for a list. list: the member of the result that is gathered. host NULL: of all
 * hosts; else of this one, whose error is the error of the request.
 */
void fleet_gather(struct request *request, const struct host_set *hosts, struct host *host,
    const char *list, const struct json *params);

#endif
