/* SPDX-License-Identifier: ISC */
/* Requests that hosts answer: the calls to the hosts, their parameters and their errors. */
#include <sys/random.h>

#include "config.h"

#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/provide/provide_exchange.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"

enum {
	DATA_BYTES = 64 * 1024, /* bytes of the members of an error's data */
	CWD_BYTES = PATH_MAX + 512, /* bytes of a host's label and a directory */
	DEADLINE_MS = 10000, /* time for the answer, in addition to the request's own timeout */
};

void fleet_part_cancel(struct fleet_part *part)
{
	if (part->call == NULL)
		return;
	if (part->ask->kind->late != NULL)
		host_call_leave(part->call, part->ask->kind->late);
	else
		host_call_cancel(part->call);
	part->call = NULL;
	part->ask->open--;
}

void fleet_part_end(struct fleet_part *part)
{
	if (part->ask->kind->clear_part != NULL)
		part->ask->kind->clear_part(part);
	fleet_part_cancel(part);
	list_remove(&part->link);
	mem_free(part);
}

struct request *fleet_ask_end(struct fleet_ask *ask)
{
	struct request *request = ask->request;
	list_each_safe (struct fleet_part, part, &ask->parts, link)
		fleet_part_end(part);
	if (ask->kind->clear != NULL)
		ask->kind->clear(ask);
	mem_free(ask);
	return request;
}

static void on_cancel(void *data)
{
	struct fleet_ask *ask = data;
	if (ask->kind->cancelled != NULL)
		ask->kind->cancelled(ask);
	(void)fleet_ask_end(ask);
}

struct fleet_ask *fleet_ask_new(
    struct fleet *fleet, struct request *request, const struct fleet_ask_kind *kind)
{
	struct fleet_ask *ask = xcalloc(1, kind->size);
	ask->fleet = fleet;
	ask->request = request;
	ask->kind = kind;
	list_init(&ask->parts);
	if (request != NULL)
		request_on_cancel(request, on_cancel, ask, NULL);
	return ask;
}

struct fleet_part *fleet_part_new(struct fleet_ask *ask, struct host *host)
{
	struct fleet_part *part = xcalloc(1, ask->kind->part_size);
	part->ask = ask;
	part->host = host;
	list_append(&ask->parts, &part->link);
	return part;
}

static void on_done(void *data, const struct json *message)
{
	struct fleet_part *part = data;
	part->call = NULL;
	part->ask->open--;
	part->ask->kind->answered(part, message);
}

/* Passes a report of progress on to the request, if its method is one that only hosts know. */
static void on_progressed(void *data, const struct json *params)
{
	const struct fleet_part *part = data;
	struct request *request = part->ask->request;
	const struct json *done = json_member(params, "done"), *of = json_member(params, "of");
	struct request_report report = {.text = json_get_str(params, "text", NULL)};
	report.has_done = done != NULL && json_double(done, &report.done);
	report.has_of = of != NULL && json_double(of, &report.of);
	if (request != NULL && request_method(request)->uses != NULL)
		provide_exchange_report(request, &report);
}

void fleet_part_call(struct fleet_part *part, const struct host_order *order)
{
	struct host_order own = *order;
	own.done = on_done;
	own.progressed = on_progressed;
	own.was_cut = &part->was_cut;
	own.data = part;
	part->ask->open++;
	part->call = host_call(part->host, &own);
}

const char *fleet_error_text(const struct json *error)
{
	const char *text = json_get_str(error, "message", "");
	return *text != '\0' ? text : "an error without a message";
}

const char *fleet_error_kind(const struct json *message)
{
	return json_get_str(json_member(json_member(message, "error"), "data"), "kind", "");
}

bool fleet_error_may_pass(const struct json *message)
{
	static const char *const kinds[] = {"gone", "timeout", "busy", "limit", "not_ready",
	    "cancelled", "internal", "tmux_unavailable", NULL};
	return str_is_in(fleet_error_kind(message), kinds);
}

void fleet_fail(struct request *request, const struct host *host, const struct json *error)
{
	const char *text =
	    error != NULL ? fleet_error_text(error) : "its answer cannot be understood";
	const char *label = host->label;
	bool has_label = strstr(text, label) != NULL;
	enum message_error code = message_error_of(json_member(error, "code"));
	/* If the versions differ, the host may be too old: the error names both. */
	bool is_other = (code == MESSAGE_METHOD || code == MESSAGE_PARAMS) &&
	    *host->version != '\0' && strcmp(host->version, PACKAGE_VERSION) != 0;
	struct json_writer writer;
	struct buf out;
	json_start(&writer, &out, DATA_BYTES);
	fleet_name_put_host(&writer, host);
	fleet_name_put_rest(
	    &writer, host, json_member(error, "data"), (const char *const[]){"kind", NULL});
	request_fail_data(request, code, writer.is_cut ? NULL : (const char *)out.data,
	    "%s%s%s%s%s%s", has_label ? "" : label, has_label ? "" : ": ", text,
	    is_other ? "; it runs Muxbus " : "", is_other ? host->version : "",
	    is_other ? ", and this is " PACKAGE_VERSION : "");
	buf_finish(&out);
}

void fleet_put_missing(struct json_writer *writer, const struct host *host, const char *reason)
{
	json_object_begin(writer, NULL);
	fleet_name_put_host(writer, host);
	json_put_str(writer, "reason", reason);
	json_object_end(writer);
}

bool fleet_read(struct fleet *fleet, struct request *request, const struct field *fields,
    const struct json *params, void *args, size_t size)
{
	struct field_error error = {0};
	buf_finish(&fleet->scratch);
	if (field_read_tolerant(fields, request_tolerance(request), params, args, size,
		&fleet->scratch, &error) == 0)
		return true;
	dispatch_refuse(request, &error);
	return false;
}

struct host *fleet_find_host(struct fleet *fleet, struct request *request, const char *name)
{
	struct host *host = fleet_name_host(fleet->hosts, name);
	if (host == NULL)
		request_fail_field(request, "host", "there is no such host; see muxbus hosts");
	return host;
}

struct host *fleet_only_host(const struct fleet *fleet)
{
	return host_set_count(fleet->hosts) == 1 ? host_set_next(fleet->hosts, NULL) : NULL;
}

/*
 * Returns true if the method has a current directory for each peer. The fleet keeps these
 * directories, as all peers share one connection to the host.
 */
static bool has_cwd(struct request *request)
{
	return strcmp(request_method(request)->name, "execute_cli") == 0;
}

static void keep_cwd(struct request *request, const struct host *host, const struct json *result)
{
	const char *cwd = json_get_str(result, "cwd", "");
	char kept[CWD_BYTES];
	int len = snprintf(kept, sizeof kept, "%s\n%s", host->label, cwd);
	if (has_cwd(request) && request_peer(request) != NULL && *cwd != '\0' &&
	    len < (int)sizeof kept)
		peer_set_cwd(request_peer(request), kept);
}

static const char *find_cwd(struct request *request, const struct host *host)
{
	const struct peer *peer = request_peer(request);
	const char *kept = peer != NULL ? peer_cwd(peer) : NULL;
	size_t len = strlen(host->label);
	bool is_here = kept != NULL && strncmp(kept, host->label, len) == 0 && kept[len] == '\n';
	return is_here ? kept + len + 1 : "~";
}

struct forward {
	struct fleet_ask ask;
	bool is_as_is; /* the result is passed on without the host's prefix before ids */
};

static void on_forwarded(struct fleet_part *part, const struct json *message)
{
	bool is_as_is = list_entry(part->ask, struct forward, ask)->is_as_is;
	const struct host *host = part->host;
	const struct json *result = json_member(message, "result");
	struct request *request = fleet_ask_end(part->ask);
	if (result != NULL) {
		keep_cwd(request, host, result);
		fleet_name_put_rest(request_result(request), is_as_is ? NULL : host, result, NULL);
		fleet_name_put_host(request_result(request), host);
		request_done(request);
	} else {
		fleet_fail(request, host, json_member(message, "error"));
	}
}

static bool is_as_is(const struct method *method, const struct json *params)
{
	static const char *const names[] = {"describe", "get_tool_answer", NULL};
	return str_is_in(method->name, names) ||
	    (method->uses != NULL && json_get_bool(params, "wait", true));
}

void fleet_new_key(char key[FLEET_KEY_SIZE])
{
	static uint64_t life[2], number;
	if (number == 0 && getrandom(life, sizeof life, 0) != (ssize_t)sizeof life)
		/* without random bytes: the time makes the keys differ too */
		life[0] = (uint64_t)clock_real_ms();
	(void)snprintf(key, FLEET_KEY_SIZE, "fleet-%" PRIx64 "%" PRIx64 "-%" PRIu64, life[0],
	    life[1], ++number);
}

/* Returns the time limit for the host's answer, with the request's own timeout; 0: none. */
static int64_t find_deadline(const struct method *method, const struct json *params)
{
	const struct json *given = json_member(params, "timeout_sec");
	const struct field *field = method->fields;
	double seconds = 0;
	if (!(method->flags & METHOD_WAITS))
		return DEADLINE_MS;
	while (field != NULL && field->name != NULL && strcmp(field->name, "timeout_sec") != 0)
		field++;
	if (field == NULL || field->name == NULL || field->preset == NULL)
		return 0;
	if (given == NULL || !json_double(given, &seconds) || !(seconds <= field->max))
		seconds = strtod(field->preset, NULL);
	return clock_seconds_to_ms(seconds > 0 ? seconds : 0) + DEADLINE_MS;
}

void fleet_forward(struct fleet *fleet, struct request *request, struct host *host,
    const struct json *params, const struct buf *text)
{
	static const struct fleet_ask_kind kind = {.size = sizeof(struct forward),
	    .part_size = sizeof(struct fleet_part),
	    .answered = on_forwarded};
	const struct method *method = request_method(request);
	struct host_order order = {.method = method->name, .flags = HOST_CALL_URGENT};
	char key[FLEET_KEY_SIZE];
	struct json_writer writer;
	struct fleet_ask *ask;
	struct buf out;
	if (method_is_read_only(method))
		order.flags |= HOST_CALL_READS;
	else if (method->key_offset > 0)
		order.flags |= HOST_CALL_KEYED;
	if (method->flags & METHOD_WAITS)
		order.flags |= HOST_CALL_WAITS;
	order.deadline_ms = find_deadline(method, params);
	json_start_object(&writer, &out, text->len + sizeof key + CWD_BYTES * 6 + JSON_SPARE);
	if (order.flags & HOST_CALL_KEYED && json_given(params, "key") == NULL) {
		fleet_new_key(key);
		json_put_str(&writer, "key", key);
	}
	if (has_cwd(request) && text->len > 2 && json_given(params, "cwd") == NULL &&
	    json_given(params, "working_dir") == NULL)
		json_put_str(&writer, "cwd", find_cwd(request, host));
	if (text->len > 2)
		json_put_raw(&writer, NULL, text->data + 1, text->len - 2);
	json_object_end(&writer);
	order.params = (const char *)out.data;
	ask = fleet_ask_new(fleet, request, &kind);
	list_entry(ask, struct forward, ask)->is_as_is = is_as_is(method, params);
	fleet_part_call(fleet_part_new(ask, host), &order);
	buf_finish(&out);
}
