/* SPDX-License-Identifier: ISC */
#include "nats/presence.h"

#include "io/loop_timer.h"
#include "nats/stores.h"

#include "config.h"

enum {
	SOON_MS = 100,
	ASK_MS = 5000,
	ENTRY_MAX = 16384, /* bytes */
};

struct nats_presence {
	struct presence_parts parts;
	struct loop_timer *next;
	char subject[NAME_SUBJECT_SIZE];
	bool is_running;
	bool is_asking; /* a status request to the daemon is pending */
	bool has_failed; /* the last write failed */
};

static void write_now(void *data);

struct nats_presence *presence_new(struct event_base *base, const struct presence_parts *parts)
{
	struct nats_presence *presence = xcalloc(1, sizeof *presence);
	presence->parts = *parts;
	presence->next = loop_timer_new(base, write_now, presence);
	(void)snprintf(presence->subject, sizeof presence->subject,
	    "$KV." STORES_BUCKET ".%s.%s.%s", parts->names->fleet, parts->names->host,
	    parts->names->server);
	return presence;
}

void presence_free(struct nats_presence *presence)
{
	if (presence == NULL)
		return;
	loop_timer_free(presence->next);
	mem_free(presence);
}

static void on_reply(void *data, const struct broker_message *reply, const char *reason)
{
	struct nats_presence *presence = data;
	struct js_reply result;
	js_reply_read(&result, reply, reason);
	if (result.is_error && !presence->has_failed && presence->is_running)
		log_warning("presence is not written: %s", result.text);
	presence->has_failed = result.is_error;
}

static void put_member(
    struct json_writer *writer, const char *name, const struct json *object, const char *member)
{
	const struct json *value = json_member(object, member);
	if (value != NULL)
		json_put_value(writer, name, value);
}

static void write_daemon(struct json_writer *writer, const struct json *status)
{
	static const char *const counts[] = {
	    "sessions", "windows", "panes", "jobs", "timers", "watches", "peers", NULL};
	put_member(writer, "version", status, "version");
	put_member(writer, "tmux", json_member(status, "tmux"), "version");
	put_member(writer, "uptime_sec", status, "uptime_sec");
	put_member(writer, "undelivered", json_member(status, "queue"), "undelivered");
	for (size_t at = 0; counts[at] != NULL; at++)
		put_member(writer, counts[at], status, counts[at]);
}

static void write_stream(struct json_writer *writer, const struct presence_parts *parts)
{
	struct publisher_status status;
	struct posts_status posts = {0};
	publisher_status(parts->publisher, &status);
	json_object_begin(writer, "stream");
	json_put_int(writer, "stored", (int64_t)status.stored);
	json_put_int(writer, "waiting", (int64_t)status.waiting);
	json_put_int(writer, "refused", (int64_t)status.refused);
	json_put_str(writer, "reason", status.reason);
	json_object_end(writer);
	if (parts->posts == NULL)
		return;
	posts_status(parts->posts, &posts);
	json_object_begin(writer, "posts");
	json_put_int(writer, "taken", (int64_t)posts.taken);
	json_put_int(writer, "refused", (int64_t)posts.refused);
	json_object_end(writer);
}

static void put_entry(struct nats_presence *presence, const char *state, const struct json *status)
{
	const struct names *names = presence->parts.names;
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, ENTRY_MAX);
	json_put_str(&writer, "fleet", names->fleet);
	json_put_str(&writer, "host", names->host);
	json_put_str(&writer, "server", names->server);
	json_put_time(&writer, "seen", clock_real_ms());
	json_put_str(&writer, "state", state);
	json_put_str(&writer, "muxbus_nats", PACKAGE_VERSION);
	if (status != NULL)
		write_daemon(&writer, status);
	write_stream(&writer, &presence->parts);
	json_object_end(&writer);
	(void)broker_ask(presence->parts.broker, presence->subject, NULL, out.data, out.len, ASK_MS,
	    on_reply, presence);
	buf_finish(&out);
}

static void on_status(void *data, const struct json *response)
{
	struct nats_presence *presence = data;
	const struct json *status = json_member(response, "result");
	presence->is_asking = false;
	if (presence->is_running)
		put_entry(presence, status != NULL ? "up" : "down", status);
}

static void write_now(void *data)
{
	struct nats_presence *presence = data;
	if (!presence->is_running)
		return;
	loop_timer_arm(presence->next, PRESENCE_MS);
	if (presence->is_asking)
		put_entry(presence, "down", NULL); /* no answer since the last entry */
	else if (loop_link_ask(presence->parts.daemon, "status", NULL, on_status, presence))
		presence->is_asking = true;
	else
		put_entry(presence, "down", NULL);
}

void presence_run(struct nats_presence *presence, bool is_running)
{
	presence->is_running = is_running;
	if (is_running)
		loop_timer_arm(presence->next, 0);
	else
		loop_timer_disarm(presence->next);
}

void presence_renew(struct nats_presence *presence)
{
	if (presence->is_running)
		loop_timer_arm(presence->next, SOON_MS);
}

void presence_end(struct nats_presence *presence)
{
	if (presence->is_running)
		put_entry(presence, "ended", NULL);
	presence->is_running = false;
}
