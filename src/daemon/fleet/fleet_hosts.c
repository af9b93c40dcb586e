/* SPDX-License-Identifier: ISC */
/* The methods about the fleet itself: its hosts and its status. */
#include "config.h"
#include "daemon/core/counters.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/server.h"

static void put_host(struct json_writer *writer, const struct host *host)
{
	json_object_begin(writer, NULL);
	fleet_name_put_host(writer, host);
	json_put_str(writer, "target", host->label);
	json_put_bool(writer, "local", host->spec.socket != NULL);
	json_put_bool(writer, "may_notify", host_may_notify(host));
	json_put_str(writer, "state", host_state_names[host->state]);
	json_put_str(writer, "reason", *host->reason != '\0' ? host->reason : NULL);
	json_put_double(writer, "since_sec", (double)clock_since_ms(host->since_ms) / 1000);
	json_put_str(writer, "version", *host->version != '\0' ? host->version : NULL);
	json_put_known_int(writer, "panes", host->panes >= 0, host->panes);
	json_put_known_int(writer, "agents", host->agents >= 0, host->agents);
	json_put_known_int(writer, "jobs", host->jobs >= 0, host->jobs);
	json_object_end(writer);
}

static void finish(struct fleet_ask *ask)
{
	const struct fleet *fleet = ask->fleet;
	struct json_writer *writer = request_result(ask->request);
	const struct hosts_file_error *error;
	json_array_begin(writer, "hosts");
	host_each (fleet->hosts, host)
		put_host(writer, host);
	json_array_end(writer);
	json_put_str(writer, "file", hosts_file_path(fleet->file));
	json_array_begin(writer, "errors");
	for (size_t at = 0; (error = hosts_file_error(fleet->file, at)) != NULL; at++) {
		json_object_begin(writer, NULL);
		json_put_int(writer, "line", error->line);
		json_put_str(writer, "text", error->text);
		json_object_end(writer);
	}
	fleet_notices_write_stranded(fleet, writer);
	json_array_end(writer);
	request_done(fleet_ask_end(ask));
}

/* Takes the answer to status or to list_agents. */
static void on_answered(struct fleet_part *part, const struct json *message)
{
	struct host *host = part->host;
	const struct json *result = json_member(message, "result");
	const struct json *agents = json_member(result, "agents");
	const char *version = json_get_str(result, "version", "");
	host->panes = json_get_int(result, "panes", host->panes);
	host->jobs = json_get_int(result, "jobs", host->jobs);
	if (fleet_name_is_list(agents))
		host->agents = (int64_t)agents->count;
	if (*version != '\0')
		(void)snprintf(host->version, sizeof host->version, "%s", version);
	if (part->ask->open == 0)
		finish(part->ask);
}

static void call(struct fleet_ask *ask, struct host *host, const char *method)
{
	fleet_part_call(fleet_part_new(ask, host),
	    &(struct host_order){.method = method,
		.flags = HOST_CALL_URGENT | HOST_CALL_READS,
		.deadline_ms = FLEET_GATHER_MS});
}

void fleet_list_hosts(struct fleet *fleet, struct request *request, struct host *only UNUSED)
{
	static const struct fleet_ask_kind kind = {.size = sizeof(struct fleet_ask),
	    .part_size = sizeof(struct fleet_part),
	    .answered = on_answered};
	struct fleet_ask *ask = fleet_ask_new(fleet, request, &kind);
	host_each (fleet->hosts, host) {
		if (host_is_unreachable(host)) {
			host_look(host);
			continue;
		}
		call(ask, host, "status");
		call(ask, host, "list_agents");
	}
	if (ask->open == 0)
		finish(ask);
}

void fleet_retry_hosts(struct fleet *fleet, struct request *request, struct host *only)
{
	host_each (fleet->hosts, host)
		if (only == NULL || host == only)
			host_forgive(host);
	fleet_list_hosts(fleet, request, NULL);
}

void fleet_status(struct fleet *fleet, struct request *request, struct host *only UNUSED)
{
	const struct daemon *daemon = request_daemon(request);
	struct json_writer *writer = request_result(request);
	size_t states[HOST_UP + 1] = {0};
	size_t waits = 0;
	host_each (fleet->hosts, host)
		states[host->state]++;
	next_each (struct peer, peer, server_next_peer, daemon->server)
		waits += peer_wait_count(peer);
	json_put_str(writer, "version", PACKAGE_VERSION);
	json_put_int(writer, "pid", getpid());
	json_put_str(writer, "socket", daemon->config->socket);
	json_put_double(
	    writer, "uptime_sec", (double)(clock_mono_ms() - daemon->started_ms) / 1000);
	json_object_begin(writer, "fleet");
	json_put_int(writer, "hosts", (int64_t)host_set_count(fleet->hosts));
	for (int state = HOST_DOWN; state <= HOST_UP; state++)
		json_put_int(writer, host_state_names[state], (int64_t)states[state]);
	json_object_end(writer);
	json_put_int(writer, "peers", (int64_t)server_peer_count(daemon->server));
	json_put_int(writer, "waits", (int64_t)waits);
	json_object_begin(writer, "counters");
	json_put_int(writer, "requests", (int64_t)daemon->counters->requests);
	json_put_int(writer, "errors", (int64_t)daemon->counters->errors);
	json_object_end(writer);
	config_write(daemon->config, writer);
	request_done(request);
}
