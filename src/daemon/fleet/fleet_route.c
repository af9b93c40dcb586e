/* SPDX-License-Identifier: ISC */
/* Routes of requests. */
#include "daemon/fleet/fleet_route.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/fleet/fleet_forward.h"
#include "daemon/fleet/fleet_gather.h"
#include "daemon/fleet/fleet_hosts.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_next.h"
#include "daemon/fleet/fleet_notify.h"
#include "daemon/fleet/fleet_stream.h"
#include "daemon/fleet/fleet_wait.h"
#include "daemon/fleet/host.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "wire/json.h"

enum { NAMES_MAX = 1024 }; /* bytes of the list of hosts in an error */

/* A route without a list and without run is the method's own handler. */
struct route {
	const char *method;
	const char *list; /* gathered from all hosts */
	void (*run)(struct fleet_routes *routes, struct request *request);
};

static void list_hosts(struct fleet_routes *routes, struct request *request)
{
	fleet_hosts_list(request, routes->hosts, routes->file, routes->notices);
}

static void show_status(struct fleet_routes *routes, struct request *request)
{
	fleet_hosts_status(request, routes->hosts);
}

/* Without a host in the request; all other methods need one. Keep alphabetized. */
static const struct route table[] = {
    {"describe", NULL, NULL},
    {"get_action_history", NULL, NULL},
    {"list_agents", "agents", NULL},
    {"list_events", "events", NULL},
    {"list_hosts", NULL, list_hosts},
    {"list_jobs", "jobs", NULL},
    {"list_notifications", "notifications", NULL},
    {"list_panes", "panes", NULL},
    {"list_sessions", "sessions", NULL},
    {"list_timers", "timers", NULL},
    {"list_tools", "tools", NULL},
    {"list_watches", "watches", NULL},
    {"list_windows", "windows", NULL},
    {"ping", NULL, NULL},
    {"read_rest", NULL, NULL},
    {"shutdown", NULL, NULL},
    {"status", NULL, show_status},
};

/* Takes a request whose parts may name several hosts. */
static bool take_across(
    struct fleet_routes *routes, struct request *request, const struct json *params)
{
	const char *method = request_method(request)->name;
	if (strcmp(method, "subscribe") == 0)
		fleet_streams_subscribe(routes->streams, request, params);
	else if (strcmp(method, "unsubscribe") == 0)
		fleet_streams_unsubscribe(routes->streams, request, params);
	else if (strcmp(method, "wait_for") == 0)
		fleet_waits_start(routes->waits, request, params);
	else if (strcmp(method, "next_notification") == 0 &&
	    json_member(params, "consumer") != NULL && json_member(params, "host") == NULL &&
	    json_member(params, "id") == NULL && host_set_count(routes->hosts) > 1)
		fleet_nexts_start(routes->nexts, request, params);
	else
		return false;
	return true;
}

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct route *)row)->method);
}

/* Only one host: requests need not name it. */
static struct host *only_host(const struct host_set *hosts)
{
	return host_set_count(hosts) == 1 ? host_set_next(hosts, NULL) : NULL;
}

static void refuse_without_host(const struct host_set *hosts, struct request *request)
{
	struct host *host = host_set_next(hosts, NULL);
	struct buf names;
	buf_init(&names, NAMES_MAX);
	for (; host != NULL; host = host_set_next(hosts, host))
		if (buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", host_label(host)) < 0)
			break;
	if (names.len == 0)
		request_fail(request, MESSAGE_NOT_READY,
		    "there are no hosts: add one with muxbus hosts add NAME");
	else
		request_fail_data(request, MESSAGE_AMBIGUOUS_TARGET, "\"field\":\"host\"",
		    "host: which one? Add \"host\", or name the target as HOST:%%3; hosts: "
		    "%s%s",
		    (const char *)names.data, host != NULL ? ", ..." : "");
	buf_finish(&names);
}

/* params has no names of hosts any more. Returns whether the request was taken. */
static bool take(struct fleet_routes *routes, struct request *request, struct host *host,
    const struct json *params)
{
	const struct method *method = request_method(request);
	const struct route *route =
	    bsearch(method->name, table, sizeof table / sizeof *table, sizeof *table, compare);
	bool is_own = route != NULL && route->list == NULL;
	if (strcmp(method->name, "retry_hosts") == 0) {
		fleet_hosts_retry(request, routes->hosts, routes->file, routes->notices, host);
		return true;
	}
	if (is_own && host == NULL) {
		if (route->run != NULL)
			route->run(routes, request);
		return route->run != NULL;
	}
	if (route != NULL && route->list != NULL) {
		fleet_gather(request, routes->hosts, host, route->list, params);
		return true;
	}
	if (host == NULL)
		host = only_host(routes->hosts);
	if (host == NULL)
		refuse_without_host(routes->hosts, request);
	else if (fleet_notices_want(routes->notices, request, params))
		fleet_notices_take(routes->notices, request, host, params);
	else
		fleet_forward(request, host, params);
	return true;
}

bool fleet_route(void *data, struct request *request, const struct json *params)
{
	struct fleet_routes *routes = data;
	char reason[FLEET_NAME_REASON_SIZE];
	struct json_error error;
	const struct json *stripped;
	struct host *host;
	struct buf text;
	bool is_taken = true;
	if (take_across(routes, request, params))
		return true;
	buf_init(&text, HOST_QUEUE_BYTES);
	if (fleet_name_strip(routes->hosts, params, "notify", &host, &text, reason) < 0) {
		request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"host\"", "%s", reason);
	} else {
		stripped = json_read(routes->reader, (const char *)text.data, text.len, &error);
		is_taken = take(routes, request, host, stripped);
		json_reader_trim(routes->reader);
	}
	buf_finish(&text);
	return is_taken;
}
