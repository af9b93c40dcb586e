/* SPDX-License-Identifier: ISC */
/*
 * Routes of requests on the socket of the fleet: to the fleet itself, to one host that the request
 * names, or to all.
 */
#ifndef DAEMON_FLEET_FLEET_ROUTE_H
#define DAEMON_FLEET_FLEET_ROUTE_H

#include <stdbool.h>

struct fleet_nexts;
struct fleet_notices;
struct fleet_streams;
struct fleet_waits;
struct host_set;
struct hosts_file;
struct json;
struct json_reader;
struct request;

struct fleet_routes {
	struct host_set *hosts;
	struct hosts_file *file;
	struct fleet_nexts *nexts;
	struct fleet_notices *notices;
	struct fleet_streams *streams;
	struct fleet_waits *waits;
	struct json_reader *reader; /* of parameters without the names of hosts */
};

/* Takes a request, as dispatch_set_router() has it; data is a struct fleet_routes. */
bool fleet_route(void *data, struct request *request, const struct json *params);

#endif
