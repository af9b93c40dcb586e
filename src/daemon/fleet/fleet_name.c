/* SPDX-License-Identifier: ISC */
#include "daemon/fleet/fleet_name.h"

#include "daemon/fleet/host.h"

enum {
	LABEL_MAX = 2 * HOST_NAME_BYTES + 1,
	DEPTH_MAX =
	    JSON_DEPTH_MAX - 4, /* deeper values, which peers could not read, are written as null */
};

/* Members of requests that hold ids or targets. */
static const char *const targets[] = {"ack", "ack_up_to", "after", "agent", "filter", "id", "job",
    "pane", "pane_id", "panes", "seq", "session", "sessions", "timer", "up_to", "watch", "window",
    NULL};
/* The same for methods that only hosts know, and for conditions of wait_for. */
static const char *const foreign_targets[] = {"pane", NULL};
static const char *const condition_targets[] = {
    "agent", "command_finished", "exited", "job", "pane", "ready", NULL};

/* Members of results that hold ids. */
static const char *const ids[] = {"active_pane", "agent", "current_window", "id", "job", "pane",
    "previous_pane", "previous_window", "replaced", "session", "sessions", "task", "timer", "watch",
    "watched_pane", "window", NULL};

/* Members of results that hold foreign content, which is not changed. */
static const char *const opaque[] = {"data", "params", NULL};

static bool has(const char *const *names, const char *name)
{
	return name != NULL && names != NULL && str_is_in(name, names);
}

static struct host *find_host(const struct host_set *hosts, const char *text, size_t len)
{
	char name[LABEL_MAX + 1], *server = name;
	if (len > LABEL_MAX)
		return NULL;
	(void)snprintf(name, sizeof name, "%.*s", (int)len, text);
	(void)strsep(&server, "/");
	return host_set_find(hosts, name, server);
}

struct host *fleet_name_host(const struct host_set *hosts, const char *text)
{
	return find_host(hosts, text, strlen(text));
}

struct host *fleet_name_split(const struct host_set *hosts, const char *text, const char **ret_rest)
{
	const char *colon = strchr(text, ':');
	*ret_rest = colon != NULL ? colon + 1 : text;
	return colon != NULL ? find_host(hosts, text, (size_t)(colon - text)) : NULL;
}

bool fleet_name_is_id(const struct json *value, size_t size)
{
	static const char characters[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	return value != NULL && value->type == JSON_STRING && value->len > 0 && value->len < size &&
	    strspn(value->text, characters) == value->len;
}

struct strip {
	const struct host_set *hosts;
	struct json_writer writer;
	struct host *host;
	char *reason; /* "" while there is no error */
};

static void note_host(struct strip *strip, struct host *host)
{
	if (strip->host != NULL && strip->host != host && strip->reason[0] == '\0')
		(void)snprintf(strip->reason, FLEET_NAME_REASON_SIZE,
		    "the request names two hosts, %s and %s; ask each in a request of its own",
		    strip->host->label, host->label);
	strip->host = host;
}

/* key: the name of the value, or of the array in which it is. */
static void strip_text(
    struct strip *strip, const char *name, const char *key, const struct json *value)
{
	static const char *const numbers[] = {"ack", "ack_up_to", "after", "seq", "up_to", NULL};
	const char *rest;
	int64_t number;
	struct host *host = fleet_name_split(strip->hosts, value->text, &rest);
	if (host == NULL) {
		json_put_value(&strip->writer, name, value);
		return;
	}
	note_host(strip, host);
	/* "B:123" is notification 123 of the host B: the host gets a number. */
	if (has(numbers, key) && str_parse_i64(rest, strlen(rest), &number))
		json_put_int(&strip->writer, name, number);
	else
		(void)json_put_text(&strip->writer, name, rest, strlen(rest));
}

static void put_bracket(
    struct json_writer *writer, const char *name, const struct json *value, bool is_begin)
{
	if (value->type == JSON_OBJECT && is_begin)
		json_object_begin(writer, name);
	else if (value->type == JSON_OBJECT)
		json_object_end(writer);
	else if (is_begin)
		json_array_begin(writer, name);
	else
		json_array_end(writer);
}

/* Removes host names from a string, the strings of an array, or the targets of an object. */
static void strip_value(struct strip *strip, const char *name, const struct json *value)
{
	if (value->type == JSON_STRING) {
		strip_text(strip, name, name, value);
		return;
	}
	if (value->type != JSON_ARRAY && value->type != JSON_OBJECT) {
		json_put_value(&strip->writer, name, value);
		return;
	}
	put_bracket(&strip->writer, name, value, true);
	json_each (child, value)
		if (child->type == JSON_STRING &&
		    (child->name == NULL || has(targets, child->name)))
			strip_text(
			    strip, child->name, child->name != NULL ? child->name : name, child);
		else
			json_put_value(&strip->writer, child->name, child);
	put_bracket(&strip->writer, name, value, false);
}

static void take_host(struct strip *strip, const struct json *value)
{
	char shown[STR_SHOWN_SIZE];
	struct host *host =
	    value->type == JSON_STRING ? fleet_name_host(strip->hosts, value->text) : NULL;
	if (value->type == JSON_NULL)
		return;
	if (host != NULL)
		note_host(strip, host);
	else if (strip->reason[0] == '\0' && value->type == JSON_STRING)
		(void)snprintf(strip->reason, FLEET_NAME_REASON_SIZE,
		    "host: there is none \"%s\"; see list_hosts",
		    str_shown(value->text, value->len, shown));
	else if (strip->reason[0] == '\0')
		(void)snprintf(strip->reason, FLEET_NAME_REASON_SIZE,
		    "host: must be a string, not %s", json_type_name(value->type));
}

static bool has_own_host(const struct host_set *hosts, const struct json *params)
{
	const char *rest;
	return fleet_name_split(hosts, json_get_str(params, "pane", ""), &rest) != NULL &&
	    fleet_name_host(hosts, json_get_str(params, "host", "")) == NULL;
}

bool fleet_name_strip(enum fleet_name_kind kind, const struct host_set *hosts,
    const struct json *params, struct host **ret_host, struct buf *out,
    char reason[FLEET_NAME_REASON_SIZE])
{
	static const char *const *const names[] = {targets, foreign_targets, condition_targets};
	bool has_host = kind != FLEET_NAME_FOREIGN || !has_own_host(hosts, params);
	struct strip strip = {.hosts = hosts, .reason = reason};
	reason[0] = '\0';
	json_writer_init(&strip.writer, out);
	json_object_begin(&strip.writer, NULL);
	json_each (member, params)
		if (member->type == JSON_NULL && kind == FLEET_NAME_REQUEST)
			continue;
		else if (has_host && strcmp(member->name, "host") == 0)
			take_host(&strip, member);
		else if (has(names[kind], member->name))
			strip_value(&strip, member->name, member);
		else
			json_put_value(&strip.writer, member->name, member);
	json_object_end(&strip.writer);
	*ret_host = strip.host;
	return reason[0] == '\0';
}

static void put_id(
    struct json_writer *writer, const struct host *host, const char *name, const struct json *value)
{
	char *text = xasprintf("%s:%s", host->label, value->text);
	(void)json_put_text(writer, name, text, strlen(text));
	mem_free(text);
}

/* Writes a value with the host's prefix before ids; host NULL: without a prefix. */
static void put(struct json_writer *writer, const struct host *host, const char *name,
    const struct json *value, bool is_id, unsigned depth)
{
	if (value->type == JSON_STRING && is_id && host != NULL) {
		put_id(writer, host, name, value);
		return;
	}
	if (value->type != JSON_OBJECT && value->type != JSON_ARRAY) {
		json_put_value(writer, name, value);
		return;
	}
	if (depth == DEPTH_MAX) {
		json_put_null(writer, name);
		return;
	}
	if (has(opaque, name))
		host = NULL;
	put_bracket(writer, name, value, true);
	json_each (child, value)
		put(writer, host, child->name, child,
		    value->type == JSON_OBJECT ? has(ids, child->name) : is_id, depth + 1);
	put_bracket(writer, name, value, false);
}

void fleet_name_put_rest(struct json_writer *writer, const struct host *host,
    const struct json *object, const char *const *except)
{
	static const char *const own[] = {"host", "server", NULL};
	json_each_member (member, object)
		if (!has(own, member->name) && !has(except, member->name))
			put(writer, host, member->name, member, has(ids, member->name), 0);
}

bool fleet_name_is_list(const struct json *value)
{
	const struct json *item = value != NULL ? value->child : NULL;
	while (item != NULL && item->type == JSON_OBJECT)
		item = item->next;
	return value != NULL && value->type == JSON_ARRAY && item == NULL;
}

void fleet_name_put_host(struct json_writer *writer, const struct host *host)
{
	json_put_str(writer, "host", host->spec.name);
	json_put_str(writer, "server", host->spec.server);
}

void fleet_name_put_members(
    struct json_writer *writer, const struct host *host, const struct json *object)
{
	fleet_name_put_rest(writer, host, object, NULL);
	fleet_name_put_host(writer, host);
}
