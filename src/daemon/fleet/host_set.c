/* SPDX-License-Identifier: ISC */
/* The set of hosts, and the states of hosts. */
#include "daemon/fleet/host_parts.h"

#include "io/loop_timer.h"
#include "wire/json.h"

enum {
	CONNECT_MS = 30000,
	ANSWER_MS = 10000,
	SLOW_MAX = 12, /* the delay between attempts grows to SLOW_MAX times BACKOFF_MAX_MS */
	LOOK_MS = 5000, /* minimum time between the end of a link and an attempt by host_look() */
	TEXTS = offsetof(struct host_spec, may_notify) /
	    sizeof(char *), /* number of strings at the beginning of struct host_spec */
};

const char *const host_state_names[] = {
    [HOST_DOWN] = "down",
    [HOST_CONNECTING] = "connecting",
    [HOST_UP] = "up",
};

static void set_state(struct host *host, enum host_state state, const char *reason)
{
	if (reason != host->reason)
		(void)snprintf(host->reason, sizeof host->reason, "%s", reason);
	if (host->state == state)
		return;
	host->state = state;
	host->since_ms = clock_real_ms();
	log_info("the host %s is %s%s%s", host->label, host_state_names[state], *reason ? ": " : "",
	    reason);
	host->set->parts.handlers->state(host->set->parts.data, host);
}

static const struct host_link_handlers link_handlers;

static void start(struct host *host)
{
	host->is_urgent = false;
	loop_timer_arm(host->timer, host->set->parts.connect_ms);
	host->link = host_link_new(host->set->parts.base, &host->spec, &link_handlers, host);
	set_state(host, HOST_CONNECTING, host->reason);
}

static int64_t next_delay_ms(struct host *host)
{
	int64_t delay_ms = backoff_next_ms(&host->backoff_ms);
	if (delay_ms < BACKOFF_MAX_MS)
		return delay_ms;
	if (host->slow < SLOW_MAX)
		host->slow++;
	return delay_ms * host->slow;
}

static void lose(struct host *host, const char *reason)
{
	host->has_failed = host->state == HOST_CONNECTING;
	host_calls_lost(host, reason, host->has_failed);
	set_state(host, HOST_DOWN, reason);
}

static void host_cut(struct host *host, const char *reason)
{
	if (host->link == NULL || host->state == HOST_DOWN)
		return;
	loop_timer_disarm(host->timer);
	host_link_end(host->link, reason);
	lose(host, reason);
}

static void on_timer(void *data)
{
	struct host *host = data;
	char reason[HOST_REASON_SIZE];
	(void)snprintf(reason, sizeof reason, "no hello within %.10g s",
	    (double)host->set->parts.connect_ms / 1000);
	if (host->link == NULL)
		start(host);
	else
		host_cut(host, host->state == HOST_UP ? "it reads nothing more" : reason);
}

static void on_up(void *data, const char *version)
{
	struct host *host = data;
	loop_timer_disarm(host->timer);
	host->has_failed = false;
	if (*version != '\0')
		(void)snprintf(host->version, sizeof host->version, "%s", version);
	set_state(host, HOST_UP, host->is_mute ? HOST_MUTE_REASON : "");
	host_calls_send(host);
	if (host->is_mute) /* sends a ping: its answer clears is_mute */
		host_tell(host, "ping", HOST_CALL_READS, 0, "{}");
}

static const char **text_at(const struct host_spec *spec, size_t at)
{
	return (const char **)(uintptr_t)spec + at;
}

static void free_texts(const struct host_spec *spec)
{
	for (size_t at = 0; at < TEXTS; at++)
		mem_free((char *)(uintptr_t)*text_at(spec, at));
}

static void free_host(struct host *host)
{
	list_remove(&host->entry);
	host_calls_free(host);
	host_link_free(host->link);
	loop_timer_free(host->timer);
	loop_timer_free(host->turn);
	free_texts(&host->spec);
	mem_free(host);
}

static void on_line(void *data, const char *line, size_t len)
{
	struct host *host = data;
	struct host_set *set = host->set;
	struct json_error error;
	const struct json *message = json_read(set->reader, line, len, &error);
	char reason[HOST_REASON_SIZE];
	if (host->is_removed)
		return;
	if (message == NULL || message->type != JSON_OBJECT) {
		(void)snprintf(reason, sizeof reason, "a line of it is no message of muxbusd: %s",
		    message == NULL ? error.text : "not an object");
		host_cut(host, reason);
		return;
	}
	host->backoff_ms = host->slow = 0;
	if (host->is_mute && host->state == HOST_UP)
		host->reason[0] = '\0';
	host->is_mute = false;
	if (strcmp(json_get_str(message, "method", ""), "progress") == 0)
		host_calls_progress(host, json_member(message, "params"));
	else if (json_member(message, "method") != NULL)
		set->parts.handlers->line(set->parts.data, host, message);
	else
		host_calls_take(host, message);
	json_reader_trim(set->reader);
}

static void on_ended(void *data, const char *reason)
{
	struct host *host = data;
	char kept[HOST_REASON_SIZE];
	(void)snprintf(kept, sizeof kept, "%s", reason); /* reason is freed with the link */
	host_link_free(host->link);
	host->link = NULL;
	host->ended_ms = clock_mono_ms();
	if (host->is_removed) {
		free_host(host);
		return;
	}
	loop_timer_arm(host->timer, host->is_urgent ? 0 : next_delay_ms(host));
	host->is_urgent = false;
	if (host->state != HOST_DOWN)
		lose(host, kept);
}

static const struct host_link_handlers link_handlers = {
    .up = on_up, .line = on_line, .ended = on_ended};

struct host_call *host_call(struct host *host, const struct host_order *order)
{
	bool is_ending = host->state == HOST_UP && !host_link_is_open(host->link);
	if (order->flags & HOST_CALL_URGENT && (host->state == HOST_DOWN || is_ending)) {
		host->is_urgent = true;
		if (host->link == NULL)
			loop_timer_arm(host->timer, 0);
	}
	if (is_ending && !loop_timer_is_armed(host->timer))
		/* then on_timer() cuts the link */
		loop_timer_arm(host->timer, host->set->parts.answer_ms);
	return host_calls_add(host, order);
}

struct host_set *host_set_new(const struct host_set_parts *parts)
{
	struct host_set *set = xcalloc(1, sizeof *set);
	set->parts = *parts;
	if (set->parts.connect_ms == 0)
		set->parts.connect_ms = CONNECT_MS;
	if (set->parts.answer_ms == 0)
		set->parts.answer_ms = ANSWER_MS;
	set->reader = json_reader_new(HOST_LINE_BYTES);
	list_init(&set->hosts);
	list_init(&set->removed);
	return set;
}

void host_set_free(struct host_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->hosts))
		free_host(list_entry(set->hosts.next, struct host, entry));
	while (!list_is_empty(&set->removed))
		free_host(list_entry(set->removed.next, struct host, entry));
	json_reader_free(set->reader);
	mem_free(set);
}

static int compare(const struct host *host, const char *name, const char *server)
{
	int order = strcmp(host->spec.name, name);
	return order != 0 ? order : strcmp(host->spec.server, server);
}

static bool is_same(const char *one, const char *other)
{
	return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

bool host_is(const struct host *host, const struct host_spec *spec)
{
	size_t at = 0;
	while (at < TEXTS && is_same(*text_at(&host->spec, at), *text_at(spec, at)))
		at++;
	return at == TEXTS;
}

/* Labels the hosts of this name. Alone, it means the only server, or the server "default". */
static void label_all(struct host_set *set, const char *name)
{
	host_each (set, host) {
		if (strcmp(host->spec.name, name) != 0)
			continue;
		if (host_set_find(set, name, NULL) == host)
			(void)snprintf(host->label, sizeof host->label, "%s", name);
		else
			(void)snprintf(
			    host->label, sizeof host->label, "%s/%s", name, host->spec.server);
	}
}

static void place(struct host_set *set, struct host *host, const struct host_spec *spec)
{
	struct list *before = set->hosts.prev;
	while (before != &set->hosts &&
	    compare(list_entry(before, struct host, entry), spec->name, spec->server) > 0)
		before = before->prev;
	for (size_t at = 0; at < TEXTS; at++)
		*text_at(&host->spec, at) =
		    *text_at(spec, at) != NULL ? xstrdup(*text_at(spec, at)) : NULL;
	host->spec.may_notify = spec->may_notify;
	list_add_after(before, &host->entry);
	label_all(set, spec->name);
}

/* Updates the right to notify. Notices that waited for this right go on. */
static struct host *set_rights(struct host *host, const struct host_spec *spec)
{
	const struct host_set_parts *parts = &host->set->parts;
	if (host->spec.may_notify != spec->may_notify) {
		host->spec.may_notify = spec->may_notify;
		parts->handlers->state(parts->data, host);
	}
	return host;
}

bool host_is_renamed(const struct host *host, const struct host_spec *spec)
{
	struct host_spec other = *spec, own = host->spec;
	other.name = own.name;
	other.ssh = own.ssh;
	return host_is(host, &other) && own.socket == NULL &&
	    strcmp(host_destination(&own), host_destination(spec)) == 0;
}

void host_rename(struct host *host, const struct host_spec *spec)
{
	struct host_set *set = host->set;
	struct host_spec old = host->spec;
	char before[sizeof host->label];
	(void)snprintf(before, sizeof before, "%s/%s", old.name, old.server);
	list_remove(&host->entry);
	place(set, host, spec);
	label_all(set, old.name);
	free_texts(&old);
	log_info("the host %s is now %s", before, host->label);
	if (set->parts.handlers->renamed != NULL)
		set->parts.handlers->renamed(set->parts.data, host, before);
}

struct host *host_add(struct host_set *set, const struct host_spec *spec)
{
	struct host *host = host_set_find(set, spec->name, spec->server);
	if (host != NULL && host_is(host, spec))
		return set_rights(host, spec);
	if (set->count >= HOSTS_MAX)
		return NULL;
	host = xcalloc(1, sizeof *host);
	host->set = set;
	host->since_ms = clock_real_ms();
	host->timer = loop_timer_new(set->parts.base, on_timer, host);
	host->turn = loop_timer_new(set->parts.base, host_calls_fail, host);
	host->silent = host_cut;
	host->panes = host->agents = host->jobs = -1;
	list_init(&host->calls);
	(void)snprintf(host->reason, sizeof host->reason, "not connected yet");
	place(set, host, spec);
	set->count++;
	loop_timer_arm(host->timer, 0);
	if (set->parts.handlers->added != NULL)
		set->parts.handlers->added(set->parts.data, host);
	return host;
}

void host_remove(struct host *host)
{
	struct host_set *set = host->set;
	loop_timer_disarm(host->timer);
	set_state(host, HOST_DOWN, "it is in the list of hosts no more");
	set->parts.handlers->removed(set->parts.data, host);
	list_remove(&host->entry);
	set->count--;
	label_all(set, host->spec.name);
	list_append(&set->removed, &host->entry);
	host->is_removed = true;
	host_calls_end(host);
	if (host->link != NULL)
		host_link_end(host->link, "removed");
	else
		free_host(host);
}

struct host *host_set_find(const struct host_set *set, const char *name, const char *server)
{
	struct host *only = NULL;
	size_t count = 0;
	host_each (set, host) {
		if (strcmp(host->spec.name, name) != 0)
			continue;
		if (strcmp(host->spec.server, server != NULL ? server : "default") == 0)
			return host;
		only = host;
		count++;
	}
	return server == NULL && count == 1 ? only : NULL;
}

struct host *host_set_next(const struct host_set *set, const struct host *previous)
{
	const struct list *next = previous != NULL ? previous->entry.next : set->hosts.next;
	return next != &set->hosts ? list_entry(next, struct host, entry) : NULL;
}

size_t host_set_count(const struct host_set *set)
{
	return set->count;
}

bool host_may_notify(const struct host *host)
{
	return host->spec.socket != NULL || host->spec.may_notify;
}

bool host_is_unreachable(const struct host *host)
{
	return host->has_failed || host->is_mute;
}

void host_forgive(struct host *host)
{
	host->has_failed = host->is_mute = false;
	host->backoff_ms = host->slow = 0;
}

void host_look(struct host *host)
{
	if (host->state == HOST_DOWN && host->link == NULL &&
	    clock_mono_ms() - host->ended_ms >= LOOK_MS)
		loop_timer_arm(host->timer, 0);
}
