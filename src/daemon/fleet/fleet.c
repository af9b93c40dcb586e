/* SPDX-License-Identifier: ISC */
#include "daemon/fleet/fleet.h"

#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/queue/queue.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/request.h"
#include "daemon/server/server.h"

enum {
	NAMES_MAX = 1024, /* bytes of the list of hosts in an error message */
	FOREIGN_NAME_SIZE = 65,
};

/* How a fleet handles requests of one method. Without a row, a request goes to one host. */
struct fleet_route {
	const char *method;
	/* Takes a request over many hosts. Returns false if the request goes to one host. */
	bool (*across)(struct fleet *fleet, struct request *request, const struct json *params);
	/* Answers a request that names no host; with takes_host, also one that names a host. */
	void (*run)(struct fleet *fleet, struct request *request, struct host *only);
	bool takes_host;
	bool is_own; /* the daemon's own handler answers a request without a host */
	bool is_local; /* with is_own: also one with a host */
	const char *list; /* member of the result to merge from all hosts; NULL if none */
	/* The parameter that decides which pane a notification wakes: see fleet_notice_take(). */
	const char *address;
};

/* All peers share one link to a host, so its daemon could not tell which peer is the provider. */
static void refuse_provider(
    struct fleet *fleet UNUSED, struct request *request, struct host *only UNUSED)
{
	request_fail(request, MESSAGE_REFUSED,
	    "a fleet is no provider: connect to muxbusd on the host itself");
}

/* A method that only hosts know. Its effects are unknown, so only the role full may call it. */
struct foreign {
	struct list link;
	struct method method;
	size_t uses;
	char name[FOREIGN_NAME_SIZE];
};

static void free_foreign(struct fleet *fleet, bool only_unused)
{
	list_each_safe (struct foreign, foreign, &fleet->foreign, link) {
		if (only_unused && foreign->uses > 0)
			continue;
		list_remove(&foreign->link);
		mem_free(foreign);
	}
}

static bool is_foreign(const struct method *method)
{
	/* a fleet has no tools or providers of its own: only foreign methods have this member */
	return method->uses != NULL;
}

static bool is_mistyped(const struct json *value)
{
	return value != NULL && value->type != JSON_STRING && value->type != JSON_NULL;
}

/*
 * Returns true if the parameters name a host, or if there is only one host. A host or pane of a
 * wrong JSON type counts too, since on_request() or the host refuses it.
 */
static bool names_host(const struct fleet *fleet, const struct json *params)
{
	const char *rest;
	return json_get_str(params, "host", NULL) != NULL || fleet_only_host(fleet) != NULL ||
	    is_mistyped(json_member(params, "host")) || is_mistyped(json_member(params, "pane")) ||
	    fleet_name_split(fleet->hosts, json_get_str(params, "pane", ""), &rest) != NULL;
}

static const struct method *on_foreign(void *data, const char *name, const struct json *params)
{
	static const char letters[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
	struct fleet *fleet = data;
	struct foreign *foreign;
	free_foreign(fleet, true);
	if (name[strspn(name, letters)] != '\0' || strlen(name) >= FOREIGN_NAME_SIZE ||
	    !names_host(fleet, params))
		return NULL;
	foreign = xcalloc(1, sizeof *foreign);
	(void)snprintf(foreign->name, sizeof foreign->name, "%s", name);
	foreign->method = (struct method){
	    .name = METHOD(foreign->name, METHOD_RUNS | METHOD_CLOSES),
	    .title = foreign->name,
	    .summary = "",
	    .flags = METHOD_WAITS | METHOD_OPEN_WORLD,
	    .group = "host",
	    .uses = &foreign->uses,
	};
	list_append(&fleet->foreign, &foreign->link);
	return &foreign->method;
}

static const struct fleet_route routes[] = {
    {"background_process", .address = "pane"},
    {"describe", .is_own = true},
    {"gemini_sleep", .address = "pane"},
    {"get_action_history", .is_own = true},
    {"list_agents", .list = "agents"},
    {"list_events", .list = "events"},
    {"list_hosts", .run = fleet_list_hosts},
    {"list_jobs", .list = "jobs"},
    {"list_notifications", .list = "notifications"},
    {"list_panes", .list = "panes"},
    {"list_providers", .list = "providers"},
    {"list_sessions", .list = "sessions"},
    {"list_timers", .list = "timers"},
    {"list_tools", .list = "tools"},
    {"list_watches", .list = "watches"},
    {"list_windows", .list = "windows"},
    {"narrow", .is_own = true, .is_local = true},
    {"next_notification", .across = fleet_next_take},
    {"ping", .is_own = true},
    {"progress", .run = refuse_provider, .takes_host = true},
    {"provide", .run = refuse_provider, .takes_host = true},
    {"publish", .run = refuse_provider, .takes_host = true},
    {"read_rest", .is_own = true},
    {"restart_job", .address = "job"},
    {"retry_hosts", .run = fleet_retry_hosts, .takes_host = true},
    {"run_long_command", .address = "pane"},
    {"shutdown", .is_own = true},
    {"sleep", .address = "pane"},
    {"status", .run = fleet_status},
    {"subscribe", .across = fleet_event_take},
    {"unsubscribe", .across = fleet_event_end},
    {"wait_for", .across = fleet_wait_take},
    {"wait_for_idle", .address = "notify"},
    {"watch_log", .address = "pane"},
    {"watch_pane", .address = "notify"},
};

static const struct fleet_route *find_route(const char *method)
{
	static const struct fleet_route other = {.method = ""};
	const struct fleet_route *route = str_row(routes, method);
	return route != NULL ? route : &other;
}

static void refuse_without_host(
    const struct host_set *hosts, struct request *request, const struct json *params)
{
	const struct json *pane = json_member(params, "pane");
	struct host *host = host_set_next(hosts, NULL);
	struct buf names = BUF(NAMES_MAX);
	for (; host != NULL; host = host_set_next(hosts, host))
		if (buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", host->label) < 0)
			break;
	if (names.len == 0)
		request_fail(request, MESSAGE_NOT_READY,
		    "there are no hosts: add one with muxbus hosts add NAME");
	else if (is_mistyped(pane))
		request_fail_field(
		    request, "pane", "must be a string, not %s", json_type_name(pane->type));
	else
		request_fail_data(request, MESSAGE_AMBIGUOUS_TARGET, "\"field\":\"host\"",
		    "host: which one? Add \"host\", or name the target as HOST:%%3; hosts: %s%s",
		    (const char *)names.data, host != NULL ? ", ..." : "");
	buf_finish(&names);
}

static bool check_params(struct fleet *fleet, struct request *request, const struct buf *text)
{
	static _Alignas(max_align_t) char args[METHOD_ARGS_MAX];
	const struct method *method = request_method(request);
	struct json_reader *reader = json_reader_new(text->len);
	struct json_error error;
	bool is_valid = fleet_read(fleet, request, method->fields,
	    json_read(reader, (const char *)text->data, text->len, &error), args,
	    method->args_size);
	json_reader_free(reader);
	return is_valid;
}

/* text: params without host names. Returns false if the daemon's own handler must answer. */
static bool take(struct fleet *fleet, struct request *request, struct host *host,
    const struct json *params, const struct buf *text)
{
	const struct fleet_route *route = find_route(request_method(request)->name);
	if (route->is_own && (host == NULL || route->is_local))
		return false;
	if (route->run != NULL && (host == NULL || route->takes_host)) {
		if (route->run == refuse_provider || check_params(fleet, request, text))
			route->run(fleet, request, host);
		return true;
	}
	if (route->list != NULL) {
		fleet_gather(fleet, request, host, route->list, text);
		return true;
	}
	if (host == NULL)
		host = fleet_only_host(fleet);
	if (host == NULL)
		refuse_without_host(fleet->hosts, request, params);
	else if (is_foreign(request_method(request)) ||
	    !fleet_notice_take(fleet, request, host, route->address, params, text))
		fleet_forward(fleet, request, host, params, text);
	return true;
}

static bool on_request(void *data, struct request *request, const struct json *params)
{
	struct fleet *fleet = data;
	const struct fleet_route *route = find_route(request_method(request)->name);
	char reason[FLEET_NAME_REASON_SIZE];
	struct host *host;
	struct buf text;
	bool is_taken = true;
	if (route->across != NULL && route->across(fleet, request, params))
		return true;
	buf_init(&text, HOST_QUEUE_BYTES);
	if (!fleet_name_strip(
		is_foreign(request_method(request)) ? FLEET_NAME_FOREIGN : FLEET_NAME_REQUEST,
		fleet->hosts, params, &host, &text, reason))
		request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"host\"", "%s", reason);
	else
		is_taken = take(fleet, request, host, params, &text);
	buf_finish(&text);
	return is_taken;
}

static void on_state(void *data, struct host *host)
{
	fleet_event_state(data, host);
	fleet_notices_state(data);
}

static void on_added(void *data, struct host *host)
{
	fleet_event_added(data, host);
	fleet_next_added(data, host);
}

static void on_removed(void *data, struct host *host)
{
	fleet_event_removed(data, host);
	fleet_next_removed(data, host);
}

struct fleet *fleet_new(struct daemon *daemon)
{
	static const struct host_handlers handlers = {.state = on_state,
	    .line = fleet_event_line,
	    .added = on_added,
	    .removed = on_removed,
	    .renamed = fleet_notices_renamed};
	struct fleet *fleet = xcalloc(1, sizeof *fleet);
	fleet->base = daemon->base;
	fleet->store = queue_store(daemon->queue);
	buf_init(&fleet->scratch, HOST_QUEUE_BYTES);
	fleet->notices = fleet_ask_new(fleet, NULL, &fleet_notice_kind);
	fleet->pulls = fleet_ask_new(fleet, NULL, &fleet_pull_kind);
	list_init(&fleet->nexts);
	list_init(&fleet->streams);
	fleet->hosts = host_set_new(
	    &(struct host_set_parts){.base = daemon->base, .handlers = &handlers, .data = fleet});
	fleet->file = hosts_file_new(daemon->base, fleet->hosts);
	fleet_notices_load(fleet);
	list_init(&fleet->foreign);
	dispatch_hooks(server_dispatch(daemon->server))->foreign = on_foreign;
	dispatch_hooks(server_dispatch(daemon->server))->route = on_request;
	dispatch_hooks(server_dispatch(daemon->server))->route_data = fleet;
	return fleet;
}

void fleet_free(struct fleet *fleet)
{
	if (fleet == NULL)
		return;
	hosts_file_free(fleet->file);
	(void)fleet_ask_end(fleet->pulls);
	(void)fleet_ask_end(fleet->notices); /* the store keeps open notices */
	host_set_free(fleet->hosts);
	free_foreign(fleet, false);
	buf_finish(&fleet->scratch);
	mem_free(fleet);
}
