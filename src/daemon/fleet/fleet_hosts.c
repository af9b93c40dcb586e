/* SPDX-License-Identifier: ISC */
/* The fleet about itself. */
#include "daemon/fleet/fleet_hosts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "config.h"
#include "daemon/core/config.h"
#include "daemon/core/counters.h"
#include "daemon/fleet/fleet_gather.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_notify.h"
#include "daemon/fleet/host.h"
#include "daemon/fleet/hosts_file.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "daemon/server/server.h"
#include "wire/json.h"

/* The counts of a host as it answered last; kept while it is down. */
struct counts {
	int64_t panes, jobs, agents; /* -1: not known */
	char version[HOST_VERSION_SIZE];
};

struct listing;

/* The calls to one host. */
struct asked {
	struct listing *listing;
	struct host *host;
	struct host_call *status, *agents; /* NULL: it has ended, or was not made */
};

struct listing {
	struct request *request;
	const struct host_set *hosts;
	const struct hosts_file *file;
	const struct fleet_notices *notices;
	size_t count, open;
	struct asked asked[];
};

static struct counts *counts_of(struct host *host)
{
	struct counts *counts = host_data(host);
	if (counts != NULL)
		return counts;
	counts = xcalloc(1, sizeof *counts);
	*counts = (struct counts){.panes = -1, .jobs = -1, .agents = -1};
	host_set_data(host, counts);
	return counts;
}

void fleet_hosts_forget(struct host *host)
{
	mem_free(host_data(host));
	host_set_data(host, NULL);
}

static void put_count(struct json_writer *writer, const char *name, int64_t count)
{
	if (count >= 0)
		json_put_int(writer, name, count);
	else
		json_put_null(writer, name);
}

static void put_host(struct json_writer *writer, struct host *host)
{
	const struct counts *counts = counts_of(host);
	const char *version = *host_version(host) ? host_version(host) : counts->version;
	const char *reason = host_reason(host);
	json_object_begin(writer, NULL);
	json_put_str(writer, "host", host_name(host));
	json_put_str(writer, "server", host_server(host));
	json_put_str(writer, "target", host_label(host));
	json_put_bool(writer, "local", host_socket_path(host) != NULL);
	json_put_str(writer, "state", host_state_name(host_state(host)));
	if (*reason)
		(void)json_put_text(writer, "reason", reason, strlen(reason));
	else
		json_put_null(writer, "reason");
	json_put_double(
	    writer, "since_sec", (double)(clock_real_ms() - host_since_ms(host)) / 1000);
	if (*version)
		(void)json_put_text(writer, "version", version, strlen(version));
	else
		json_put_null(writer, "version");
	put_count(writer, "panes", counts->panes);
	put_count(writer, "agents", counts->agents);
	put_count(writer, "jobs", counts->jobs);
	json_object_end(writer);
}

static void free_listing(struct listing *listing)
{
	for (size_t at = 0; at < listing->count; at++) {
		if (listing->asked[at].status != NULL)
			host_call_cancel(listing->asked[at].status);
		if (listing->asked[at].agents != NULL)
			host_call_cancel(listing->asked[at].agents);
	}
	mem_free(listing);
}

static void finish(struct listing *listing)
{
	struct request *request = listing->request;
	struct json_writer *writer = request_result(request);
	const struct hosts_file_error *error;
	request_on_cancel(request, NULL, NULL);
	json_array_begin(writer, "hosts");
	for (struct host *host = host_set_next(listing->hosts, NULL); host != NULL;
	     host = host_set_next(listing->hosts, host))
		put_host(writer, host);
	json_array_end(writer);
	(void)json_put_text(
	    writer, "file", hosts_file_path(listing->file), strlen(hosts_file_path(listing->file)));
	json_array_begin(writer, "errors");
	for (size_t at = 0; (error = hosts_file_error(listing->file, at)) != NULL; at++) {
		json_object_begin(writer, NULL);
		json_put_int(writer, "line", error->line);
		(void)json_put_text(writer, "text", error->text, strlen(error->text));
		json_object_end(writer);
	}
	fleet_notices_write_stranded(listing->notices, writer);
	json_array_end(writer);
	free_listing(listing);
	request_done(request);
}

static void read_count(const struct json *result, const char *name, int64_t *count)
{
	const struct json *member = json_member(result, name);
	int64_t number;
	if (member != NULL && json_int(member, &number))
		*count = number;
}

static void on_status(void *data, const struct json *message)
{
	struct asked *asked = data;
	const struct json *result = json_member(message, "result");
	const struct json *version = json_member(result, "version");
	struct counts *counts = counts_of(asked->host);
	read_count(result, "panes", &counts->panes);
	read_count(result, "jobs", &counts->jobs);
	if (version != NULL && version->type == JSON_STRING)
		(void)snprintf(counts->version, sizeof counts->version, "%s", version->text);
	asked->status = NULL;
	if (--asked->listing->open == 0)
		finish(asked->listing);
}

static void on_agents(void *data, const struct json *message)
{
	struct asked *asked = data;
	const struct json *agents = json_member(json_member(message, "result"), "agents");
	if (fleet_name_is_list(agents))
		counts_of(asked->host)->agents = (int64_t)agents->count;
	asked->agents = NULL;
	if (--asked->listing->open == 0)
		finish(asked->listing);
}

static void on_cancel(struct request *request, void *data)
{
	free_listing(data);
	request_fail(request, MESSAGE_CANCELLED, "cancelled");
}

static struct host_call *ask(
    struct asked *asked, const char *method, void (*done)(void *data, const struct json *message))
{
	asked->listing->open++;
	return host_call(asked->host,
	    &(struct host_order){.method = method,
		.flags = HOST_CALL_URGENT | HOST_CALL_READS,
		.deadline_ms = FLEET_GATHER_MS,
		.done = done,
		.data = asked});
}

void fleet_hosts_list(struct request *request, const struct host_set *hosts,
    const struct hosts_file *file, const struct fleet_notices *notices)
{
	size_t count = host_set_count(hosts);
	struct listing *listing = xcalloc(1, sizeof *listing + count * sizeof listing->asked[0]);
	*listing =
	    (struct listing){.request = request, .hosts = hosts, .file = file, .notices = notices};
	for (struct host *host = host_set_next(hosts, NULL); host != NULL;
	     host = host_set_next(hosts, host)) {
		struct asked *asked = &listing->asked[listing->count++];
		*asked = (struct asked){.listing = listing, .host = host};
		if (host_is_unreachable(host)) {
			host_look(host);
			continue;
		}
		asked->status = ask(asked, "status", on_status);
		asked->agents = ask(asked, "list_agents", on_agents);
	}
	request_on_cancel(request, on_cancel, listing);
	if (listing->open == 0)
		finish(listing);
}

void fleet_hosts_retry(struct request *request, const struct host_set *hosts,
    const struct hosts_file *file, const struct fleet_notices *notices, const struct host *only)
{
	for (struct host *host = host_set_next(hosts, NULL); host != NULL;
	     host = host_set_next(hosts, host))
		if (only == NULL || host == only)
			host_forgive(host);
	fleet_hosts_list(request, hosts, file, notices);
}

void fleet_hosts_status(struct request *request, const struct host_set *hosts)
{
	const struct daemon *daemon = request_daemon(request);
	struct json_writer *writer = request_result(request);
	size_t states[HOST_UP + 1] = {0};
	size_t waits = 0;
	for (struct host *host = host_set_next(hosts, NULL); host != NULL;
	     host = host_set_next(hosts, host))
		states[host_state(host)]++;
	for (struct peer *peer = server_next_peer(daemon->server, NULL); peer != NULL;
	     peer = server_next_peer(daemon->server, peer))
		waits += peer_wait_count(peer);
	json_put_str(writer, "version", PACKAGE_VERSION);
	json_put_int(writer, "pid", getpid());
	(void)json_put_text(
	    writer, "socket", daemon->config->socket, strlen(daemon->config->socket));
	json_put_double(
	    writer, "uptime_sec", (double)(clock_mono_ms() - daemon->started_ms) / 1000);
	json_object_begin(writer, "fleet");
	json_put_int(writer, "hosts", (int64_t)host_set_count(hosts));
	for (int state = HOST_DOWN; state <= HOST_UP; state++)
		json_put_int(
		    writer, host_state_name((enum host_state)state), (int64_t)states[state]);
	json_object_end(writer);
	json_put_int(writer, "peers", (int64_t)server_peer_count(daemon->server));
	json_put_int(writer, "waits", (int64_t)waits);
	json_object_begin(writer, "counters");
	json_put_int(writer, "requests", (int64_t)daemon->counters->requests);
	json_put_int(writer, "errors", (int64_t)daemon->counters->errors);
	json_object_end(writer);
	config_write(daemon->config, writer, "limits");
	request_done(request);
}
