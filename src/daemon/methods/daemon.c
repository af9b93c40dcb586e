/* SPDX-License-Identifier: ISC */
/* Methods about the daemon and a connection: describe, narrow, ping, shutdown, status. */
#include "base/process.h"
#include "config.h"
#include "daemon/core/counters.h"
#include "daemon/deliver/on_notify.h"
#include "daemon/deliver/wake_meter.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/deliver/way_promise.h"
#include "daemon/event/event_log.h"
#include "daemon/job/job.h"
#include "daemon/methods/group.h"
#include "daemon/methods/tables.h"
#include "daemon/queue/consumer.h"
#include "daemon/queue/store_loop.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/server.h"
#include "daemon/timer/timer.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/subscription.h"
#include "daemon/wait/condition.h"
#include "daemon/watch/watch.h"

bool methods_fail_unknown(struct request *request, const char *name)
{
	const char *nearest = method_nearest(name);
	return request_fail_field(
	    request, "method", "there is no method \"%s\"%s%s%s", name, STR_NEAREST(nearest, ""));
}

struct describe_args {
	const char *method;
	int table; /* index of the table to describe; -1: all */
};

enum { TABLE_METHODS, TABLE_GROUPS, TABLE_CONDITIONS, TABLE_ERRORS, TABLE_EVENTS, TABLE_LIMITS };

static const char *const table_choices[] = {
    [TABLE_METHODS] = "methods",
    [TABLE_GROUPS] = "groups",
    [TABLE_CONDITIONS] = "conditions",
    [TABLE_ERRORS] = "errors",
    [TABLE_EVENTS] = "events",
    [TABLE_LIMITS] = "limits",
    NULL,
};

static const struct field describe_fields[] = {
    {FIELD_ROW(STRING, struct describe_args, method, "method"), .max = 64, .min = 1,
	.help = "Describe this one alone."},
    {FIELD_ROW(CHOICE, struct describe_args, table, "table"), .choices = table_choices,
	.help = "Answer with this table alone; events is with event_members. Left out: with all, "
		"which is some hundred kilobytes."},
    {0},
};

static const struct field_result describe_results[] = {
    {"methods", "object",
	"the methods by name, with JSON Schemas of their parameters (params) and of their results "
	"(result_schema; result has the help of each member), and the group of what is no method "
	"of muxbusd's own"},
    {"conditions", "object", "the conditions of wait_for by name, with their members"},
    {"errors", "object", "the kinds of errors by name, with their codes"},
    {"events", "object", "the kinds of events by name"},
    {"event_members", "object", "the members of each kind's own, for the condition event"},
    {"event_lists", "object", "further members, lists and objects, which that does not compare"},
    {"groups", "object", "groups of methods by name, for muxbus mcp --tools"},
    {"limits", "object", "the limits that -o sets, by name"},
    {"version", "string", "the version of the daemon"},
    {0},
};

static void write_errors(struct json_writer *writer)
{
	json_object_begin(writer, "errors");
	for (int error = 0; error < MESSAGE_ERROR_COUNT_; error++) {
		const struct message_error_info *info =
		    message_error_info((enum message_error)error);
		json_object_begin(writer, info->kind);
		json_put_int(writer, "code", info->code);
		json_put_str(writer, "help", info->help);
		json_object_end(writer);
	}
	json_object_end(writer);
}

static void write_members(struct json_writer *writer, const char *name, bool lists)
{
	json_object_begin(writer, name);
	for (int kind = 0; kind < EVENT_KINDS_MAX; kind++) {
		const struct event_kind_info *info = event_kind_info((enum event_kind)kind);
		const char *const *names = event_kinds_members(UINT64_C(1) << kind, lists);
		if (info == NULL || *names == NULL)
			continue;
		json_array_begin(writer, info->name);
		for (; *names != NULL; names++)
			json_put_str(writer, NULL, *names);
		json_array_end(writer);
	}
	json_object_end(writer);
}

static void write_kinds(struct json_writer *writer)
{
	json_object_begin(writer, "events");
	for (int kind = 0; kind < EVENT_KINDS_MAX; kind++) {
		const struct event_kind_info *info = event_kind_info((enum event_kind)kind);
		if (info != NULL)
			json_put_str(writer, info->name, info->help);
	}
	json_object_end(writer);
	write_members(writer, "event_members", false);
	write_members(writer, "event_lists", true);
}

static void write_methods(struct json_writer *writer)
{
	json_object_begin(writer, "methods");
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method))
		if (!(method->flags & METHOD_HIDDEN))
			method_write(writer, method->name, method);
	json_object_end(writer);
}

static void describe(struct json_writer *writer, int table)
{
	json_put_str(writer, "version", PACKAGE_VERSION);
	if (table < 0 || table == TABLE_METHODS)
		write_methods(writer);
	if (table < 0 || table == TABLE_GROUPS)
		method_groups_write(writer, "groups");
	if (table < 0 || table == TABLE_CONDITIONS)
		condition_write_kinds(writer, "conditions");
	if (table < 0 || table == TABLE_ERRORS)
		write_errors(writer);
	if (table < 0 || table == TABLE_EVENTS)
		write_kinds(writer);
	if (table < 0 || table == TABLE_LIMITS)
		config_write_table(writer, "limits");
}

void methods_describe_mdoc(struct buf *out)
{
	method_write_mdoc(out);
	condition_write_mdoc(out);
}

bool methods_print(bool as_mdoc)
{
	struct buf out = BUF((size_t)64 * 1024 * 1024);
	bool is_written;
	if (as_mdoc) {
		methods_describe_mdoc(&out);
	} else {
		struct json_writer writer;
		json_writer_init(&writer, &out);
		json_object_begin(&writer, NULL);
		describe(&writer, -1);
		json_object_end(&writer);
		(void)buf_append_byte(&out, '\n');
	}
	is_written =
	    out.data && fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
	buf_finish(&out);
	return is_written;
}

static void handle_describe(struct request *request, const void *data)
{
	const struct describe_args *args = data;
	struct json_writer *writer;
	const struct method *method;
	if (args->method == NULL) {
		describe(request_result(request), args->table);
		request_done(request);
		return;
	}
	method = method_find(args->method);
	if (method == NULL) {
		(void)methods_fail_unknown(request, args->method);
		return;
	}
	writer = request_result(request);
	json_put_str(writer, "version", PACKAGE_VERSION);
	json_object_begin(writer, "methods");
	method_write(writer, method->name, method);
	json_object_end(writer);
	request_done(request);
}

struct narrow_args {
	int role;
	const char *pane;
};

static const struct field narrow_fields[] = {
    {FIELD_ROW(STRING, struct narrow_args, pane, "pane"),
	.help = "The pane that this connection speaks for from now on, if its process was not "
		"clearly in one when it connected."},
    {FIELD_ROW(CHOICE, struct narrow_args, role, "role"), .choices = role_names,
	.help = "own_panes: it reads, and types, runs and closes only in its own pane and in those "
		"it made; read_only: it reads, but no files. Left out: as it is."},
    {0},
};

static const struct field_result narrow_results[] = {
    {"role", "string", "what this connection may do: full, own_panes or read_only"},
    {"pane", "string",
	"the pane of its program; absent: it is not known, as before the first read of tmux"},
    {0},
};

/* Restricts the peer at once, before any later request of the peer is handled. */
static void handle_narrow(struct request *request, const void *data)
{
	const struct narrow_args *args = data;
	struct peer *peer = request_peer(request);
	bool is_weak = false;
	uint32_t pane;
	if (peer == NULL) {
		request_done(request);
		return;
	}
	if (args->pane != NULL && peer_role(peer) != ROLE_FULL) {
		(void)role_refuse(request, "narrow with pane speaks for a pane");
		return;
	}
	if (args->pane != NULL && !str_parse_id(args->pane, strlen(args->pane), '%', &pane)) {
		(void)request_fail_field(request, "pane", "must be the id of a pane, such as %%3");
		return;
	}
	if (args->pane != NULL)
		peer_speak_for(peer, pane);
	if (args->role >= 0 && !peer_narrow(peer, (enum role)args->role)) {
		(void)role_refuse(request, "a wider role is more than this one");
		return;
	}
	json_put_str(request_result(request), "role", role_names[peer_role(peer)]);
	pane = request_peer_pane(request, &is_weak);
	if (pane != MUXBUS_NO_ID && !is_weak)
		json_put_id(request_result(request), "pane", '%', pane);
	request_done(request);
}

static void handle_ping(struct request *request, const void *args UNUSED)
{
	request_done(request);
}

static void handle_shutdown(struct request *request, const void *args UNUSED)
{
	struct daemon *daemon = request_daemon(request);
	request_done(request);
	daemon->stop(daemon, "a peer asked for it");
}

struct status_args {
	bool audit;
};

static const struct field status_fields[] = {
    {FIELD_ROW(BOOL, struct status_args, audit, "audit"), .preset = "false",
	.help = "Compare the model with what tmux lists now, and correct it."},
    {0},
};

static const struct field_result status_results[] = {
    {"version", "string", "the version of the daemon"},
    {"pid", "integer", "its process"},
    {"socket", "string", "where it listens"},
    {"uptime_sec", "number", "how long it has been running"},
    {"tmux", "object",
	"the tmux server: socket, state (live or searching), attached (as a client, while a "
	"program needs that: see muxbusd(8)), reason; while live version, pid, capabilities, "
	"connections, attach (direct, or process: by tmux -C), process_connections"},
    {"sessions", "integer", "sessions of the tmux server, when it was listed last"},
    {"windows", "integer", "windows of the tmux server, when it was listed last"},
    {"panes", "integer", "panes of the tmux server, when it was listed last"},
    {"fleet", "object",
	"of a fleet, instead of tmux: hosts, and how many are up, connecting, down"},
    {"peers", "integer", "programs that are connected"},
    {"subscriptions", "integer", "subscriptions of all of them"},
    {"waits", "integer", "open requests that wait, from when they do"},
    {"jobs", "integer", "background commands that run"},
    {"timers", "integer", "timers that are waiting"},
    {"watches", "integer", "files that are watched"},
    {"wake_policies", "array", "the wake policies, as set_wake_policy answers"},
    {"ways", "array",
	"the way to each address with something pending, as it is now, at most 256: those "
	"that were armed last"},
    {"ways[].pane", "string|null", "its pane"},
    {"ways[].thread", "string|null", "its thread, a session of an agent"},
    {"ways[].way", "string", "typed, queue_command, follow, hook, shown, on_notify or none"},
    {"ways[].reason", "string|null", "why no agent gets it, or how a person does"},
    {"on_notify", "object|null",
	"the person's own program, if there is one: file, for (person or all), runs, failures, "
	"waiting: notifications for the next run, failure: of the last run, or null"},
    {"queue", "object", "last: the last number given; undelivered; bytes; journal"},
    {"model", "object",
	"lists, part_lists: how often all of tmux or parts of it were listed; audits: how "
	"often it was compared with tmux; drift: differences found by that"},
    {"audit", "object", "with audit: differences, and the first of them"},
    {"counters", "object", "what was accepted, refused, asked, failed, sent and dropped"},
    {"meter", "object", "as of the method meter, since the first count"},
    {"streams", "object",
	"the output that is followed: bytes, rings, ring_bytes; "
	"piped: panes that are followed by pipe-pane"},
    {"memory", "object", "rss_bytes: memory in use"},
    {"limits", "object", "the limits that are in force"},
    {0},
};

static void write_capabilities(struct json_writer *writer, uint32_t caps)
{
	json_array_begin(writer, "capabilities");
	for (unsigned bit = 0; bit < 32; bit++) {
		const char *name =
		    caps & (UINT32_C(1) << bit) ? muxbus_cap_name(UINT32_C(1) << bit) : NULL;
		json_put_given(writer, NULL, name);
	}
	json_array_end(writer);
}

static void write_tmux(struct json_writer *writer, const struct daemon *daemon)
{
	bool is_live = daemon->tmux != NULL && tmux_is_live(daemon->tmux);
	struct muxbus_sync_info info = {0};
	struct muxbus_model_counts counts = {0};
	json_object_begin(writer, "tmux");
	json_put_str(writer, "socket", daemon->config->tmux_socket);
	json_put_str(writer, "state", is_live ? "live" : "searching");
	json_put_bool(writer, "attached", is_live && !tmux_is_resting(daemon->tmux));
	if (is_live) {
		muxbus_sync_info(tmux_sync(daemon->tmux), &info);
		muxbus_model_counts(tmux_model(daemon->tmux), &counts);
		json_put_str(writer, "version", info.version_text);
		json_put_int(writer, "pid", info.pid);
		write_capabilities(writer, info.version.caps);
		json_put_int(writer, "connections", info.connections);
		json_put_int(writer, "output_connections", info.output_connections);
		json_put_int(writer, "process_connections", info.process_connections);
		json_put_str(
		    writer, "attach", info.way == MUXBUS_WAY_PROCESS ? "process" : "direct");
		json_put_int(writer, "reconnects", (int64_t)info.reconnects);
	} else {
		json_put_str(
		    writer, "reason", daemon->tmux != NULL ? tmux_reason(daemon->tmux) : "");
		json_put_null(writer, "version");
		json_put_null(writer, "pid");
		write_capabilities(writer, 0);
	}
	json_object_end(writer);
	json_put_int(writer, "sessions", counts.sessions);
	json_put_int(writer, "windows", counts.windows);
	json_put_int(writer, "panes", counts.panes);
	json_object_begin(writer, "model");
	json_put_int(writer, "lists", (int64_t)info.lists);
	json_put_int(writer, "part_lists", (int64_t)info.part_lists);
	json_put_int(writer, "audits", (int64_t)info.audits);
	json_put_int(writer, "drift", (int64_t)info.drift);
	json_object_end(writer);
}

static void write_peers(struct json_writer *writer, const struct daemon *daemon)
{
	size_t peers = 0;
	size_t subscriptions = 0;
	size_t waits = 0;
	next_each (struct peer, peer, server_next_peer, daemon->server) {
		peers++;
		subscriptions += subscription_set_count(peer_subscriptions(peer));
		waits += peer_wait_count(peer);
	}
	json_put_int(writer, "peers", (int64_t)peers);
	json_put_int(writer, "subscriptions", (int64_t)subscriptions);
	json_put_int(writer, "waits",
	    (int64_t)(waits - dispatch_waits_put_off(server_dispatch(daemon->server))));
}

static void write_policies(struct json_writer *writer, const struct daemon *daemon)
{
	json_array_begin(writer, "wake_policies");
	next_each (const struct wake_policy, policy, wake_policy_next, daemon->wake_policies) {
		json_object_begin(writer, NULL);
		wake_policy_write(writer, policy);
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_counters(struct json_writer *writer, const struct daemon *daemon)
{
	const struct counters *counters = daemon->counters;
	json_object_begin(writer, "counters");
	json_put_int(writer, "accepted", (int64_t)counters->accepted);
	json_put_int(writer, "refused", (int64_t)counters->refused);
	json_put_int(writer, "disconnected", (int64_t)counters->disconnected);
	json_put_int(writer, "requests", (int64_t)counters->requests);
	json_put_int(writer, "errors", (int64_t)counters->errors);
	json_put_int(writer, "events_sent", (int64_t)counters->events_sent);
	json_put_int(writer, "events_dropped", (int64_t)counters->events_dropped);
	json_put_int(writer, "reports", (int64_t)counters->reports);
	json_put_int(writer, "reports_refused", (int64_t)counters->reports_refused);
	json_put_int(writer, "reports_dropped", (int64_t)counters->reports_dropped);
	json_object_end(writer);
}

static void write_streams(struct json_writer *writer, const struct daemon *daemon)
{
	struct stream_stats stats = {0};
	if (daemon->streams != NULL)
		stream_stats(daemon->streams, &stats);
	json_object_begin(writer, "streams");
	json_put_int(writer, "bytes", (int64_t)stats.bytes);
	json_put_int(writer, "rings", stats.rings);
	json_put_int(writer, "interests", stats.interests);
	json_put_int(writer, "ring_bytes", (int64_t)stats.ring_bytes);
	json_put_int(writer, "piped", stats.piped);
	json_object_end(writer);
}

static void write_status(struct json_writer *writer, const struct daemon *daemon)
{
	json_put_str(writer, "version", PACKAGE_VERSION);
	json_put_int(writer, "pid", getpid());
	json_put_str(writer, "socket", daemon->config->socket);
	json_put_double(
	    writer, "uptime_sec", (double)(clock_mono_ms() - daemon->started_ms) / 1000);
	write_tmux(writer, daemon);
	write_peers(writer, daemon);
	write_policies(writer, daemon);
	way_promises_write(daemon->promises, writer, "ways");
	on_notify_write(daemon->on_notify, writer, "on_notify");
	json_put_int(writer, "jobs", (int64_t)job_running(daemon->jobs));
	json_put_int(writer, "timers", (int64_t)timer_count(daemon->timers));
	json_put_int(writer, "watches", (int64_t)watch_count(daemon->watches));
	json_object_begin(writer, "queue");
	json_put_int(writer, "last", (int64_t)event_log_last(daemon->events));
	json_put_int(writer, "undelivered", (int64_t)queue_undelivered(daemon->queue));
	json_put_int(writer, "bytes", (int64_t)queue_bytes(daemon->queue));
	json_put_int(writer, "consumers", (int64_t)consumer_set_count(daemon->consumers));
	json_put_int(writer, "parked", (int64_t)consumer_set_parked(daemon->consumers));
	store_loop_write(daemon->store_loop, writer, "journal");
	json_object_end(writer);
	write_counters(writer, daemon);
	json_object_begin(writer, "meter");
	meter_write(writer, daemon->meter, 0);
	json_object_end(writer);
	write_streams(writer, daemon);
	json_object_begin(writer, "memory");
	json_put_int(writer, "rss_bytes", process_memory(getpid()));
	json_object_end(writer);
	config_write(daemon->config, writer);
}

static void on_audited(void *data, int error, unsigned count, const char *difference)
{
	struct request *request = data;
	struct json_writer *writer;
	if (error < 0) {
		tmux_call_fail(request, error, NULL);
		return;
	}
	writer = request_result(request);
	write_status(writer, request_daemon(request));
	json_object_begin(writer, "audit");
	json_put_int(writer, "differences", count);
	json_put_str(writer, "first", difference);
	json_object_end(writer);
	request_done(request);
}

static void handle_status(struct request *request, const void *data)
{
	const struct status_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	int r;
	if (!args->audit) {
		write_status(request_result(request), daemon);
		request_done(request);
		return;
	}
	if (daemon->tmux == NULL || !tmux_is_live(daemon->tmux)) {
		request_fail(request, MESSAGE_TMUX_UNAVAILABLE,
		    "the model cannot be compared: tmux is not followed now: %s",
		    daemon->tmux != NULL ? tmux_reason(daemon->tmux) : "");
		return;
	}
	r = muxbus_sync_audit(tmux_sync(daemon->tmux), on_audited, request);
	if (r < 0)
		tmux_call_fail(request, r, NULL);
}

const struct method methods_daemon[] = {
    {.name = METHOD("describe", METHOD_READS),
	.title = "Describe methods",
	.summary =
	    "Lists the methods, conditions, errors, events and limits, or describes one method.",
	METHOD_CALL(handle_describe, describe_args, describe_fields, describe_results),
	.flags = METHOD_WITHOUT_TMUX | METHOD_UNNOTED,
	.example = "{\"method\":\"list_panes\"}"},
    {.name = METHOD("narrow", METHOD_READS),
	.title = "Narrow the role",
	.summary = "Narrows what this connection may do, for good; answers with its role and pane.",
	.help = "A program that narrows its connection can hand the descriptor to another program, "
		"which then may do no more. Other methods are forbidden, whatever their "
		"parameters are. Declared tools and provided methods are for the role full. The "
		"methods that this connection provides already stay.",
	METHOD_CALL(handle_narrow, narrow_args, narrow_fields, narrow_results),
	.flags = METHOD_WITHOUT_TMUX | METHOD_NO_TOOL,
	.example = "{}"},
    {.name = METHOD("ping", METHOD_READS),
	.title = "Ping",
	.summary = "Answers with an empty object.",
	.flags = METHOD_WITHOUT_TMUX | METHOD_UNNOTED,
	.handle = handle_ping,
	.example = "{}"},
    {.name = METHOD("shutdown", METHOD_CLOSES | METHOD_ADMINISTERS),
	.title = "End the daemon",
	.summary = "Answers, then ends the daemon in good order; tmux and its sessions live on.",
	.flags = METHOD_WITHOUT_TMUX | METHOD_NO_TOOL,
	.recheck = "status",
	.handle = handle_shutdown,
	.example = "{}"},
    {.name = METHOD("status", METHOD_READS),
	.title = "Daemon status",
	.summary = "Shows the state of the daemon and its view of tmux.",
	METHOD_CALL(handle_status, status_args, status_fields, status_results),
	.flags = METHOD_WITHOUT_TMUX,
	.example = "{\"audit\":true}"},
    {0},
};
