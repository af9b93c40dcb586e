/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provider.h"

#include <muxbus.h>

#include "daemon/event/published.h"
#include "daemon/provide/offer.h"
#include "daemon/provide/provide_program.h"
#include "daemon/provide/provider_file.h"
#include "daemon/server/peer.h"

#define BIT(kind) (UINT64_C(1) << (kind))

struct provider *provider_find(const struct provide_set *set, const struct peer *peer)
{
	list_each (struct provider, provider, &set->providers, link)
		if (peer != NULL && provider->peer == peer)
			return provider;
	return NULL;
}

static void free_retired(struct provide_set *set)
{
	list_each_safe (struct offer, offer, &set->retired, link)
		if (offer->uses == 0)
			offer_free(offer);
}

/* Withdraws offers. The next provider_publish() removes them from the method table. */
static void retire(struct provide_set *set, struct list *offers)
{
	while (!list_is_empty(offers)) {
		struct offer *offer = list_entry(offers->next, struct offer, link);
		offer->provider = NULL;
		list_move(&set->retired, &offer->link);
	}
}

static bool has_name(const struct offer *offer, const char *name)
{
	for (size_t at = 0; at < offer_count(offer); at++)
		if (strcmp(offer_name(offer, at), name) == 0)
			return true;
	return false;
}

static bool has_row(const struct method *const *rows, size_t count, const char *name)
{
	for (size_t at = 0; at < count; at++)
		if (has_name(offer_of(rows[at]), name))
			return true;
	return false;
}

void provider_publish(struct provide_set *set, bool is_listed)
{
	const struct method *rows[PROVIDE_NAMES_ALL_MAX];
	size_t count = 0;
	list_each (struct provider, provider, &set->providers, link)
		list_each (const struct offer, offer, &provider->offers, link)
			if (count < PROVIDE_NAMES_ALL_MAX &&
			    !has_row(rows, count, offer->method.name))
				rows[count++] = &offer->method;
	method_set_rows(METHOD_PROVIDED, rows, count);
	free_retired(set);
	if (!set->is_ending)
		set->changed(set->data, is_listed);
}

static bool check_free(
    const struct provider *provider, const char *name, struct tool_failure *ret_failure)
{
	const struct method *method = method_find(name);
	const struct provider *other;
	if (method == NULL)
		return true;
	if (method->handle != provider->set->handle)
		return tool_fail(ret_failure, MESSAGE_REFUSED,
		    "\"%s\" is a method of muxbusd or a declared tool, which no provider replaces",
		    name);
	other = offer_of(method)->provider;
	if (other == provider || (provider->file != NULL && other->file == NULL))
		return true;
	if (other->file != NULL)
		return tool_fail(ret_failure, MESSAGE_REFUSED,
		    "\"%s\" belongs to the program of %.600s alone", name, other->file->path);
	return tool_fail(
	    ret_failure, MESSAGE_REFUSED, "\"%s\" is provided by %s already", name, other->name);
}

static bool check_names(const struct provider *provider, const struct list *offers,
    const struct offer *offer, struct tool_failure *ret_failure)
{
	for (size_t at = 0; at < offer_count(offer); at++) {
		const char *name = offer_name(offer, at);
		if (!check_free(provider, name, ret_failure))
			return false;
		list_each (const struct offer, other, offers, link)
			if (has_name(other, name))
				return tool_fail(ret_failure, MESSAGE_PARAMS,
				    "methods: \"%s\" stands twice", name);
	}
	return true;
}

static size_t count_names(const struct provide_set *set, const struct provider *except)
{
	size_t count = 0;
	list_each (const struct provider, provider, &set->providers, link)
		count += provider != except ? provider->names : 0;
	return count;
}

bool provider_read_rows(struct provider *provider, const struct json *rows, struct list *offers,
    size_t *ret_names, struct tool_failure *ret_failure)
{
	const struct provide_set *set = provider->set;
	struct offer_origin origin = {.provider = provider,
	    .handle = set->handle,
	    .flags = provider->file == NULL ? METHOD_NO_TOOL : 0};
	size_t others = count_names(set, provider), at = 0;
	*ret_names = 0;
	if (!json_fits(rows, PROVIDE_BYTES_MAX))
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "methods: the rows of a provider have at most %zu bytes", PROVIDE_BYTES_MAX);
	for (const struct json *row = rows->child; row != NULL; row = row->next, at++) {
		char reason[DECLARATION_REASON_SIZE];
		struct offer *offer = offer_read(row, &origin, reason);
		if (offer == NULL)
			return tool_fail(
			    ret_failure, MESSAGE_PARAMS, "methods[%zu]: %s", at, reason);
		if (!check_names(provider, offers, offer, ret_failure)) {
			offer_free(offer);
			return false;
		}
		list_append(offers, &offer->link);
		*ret_names += offer_count(offer);
		if (*ret_names > PROVIDE_NAMES_MAX || others + *ret_names > PROVIDE_NAMES_ALL_MAX)
			return tool_fail(ret_failure, MESSAGE_LIMIT,
			    "methods: a provider has at most %d names, all providers together %d",
			    PROVIDE_NAMES_MAX, PROVIDE_NAMES_ALL_MAX);
	}
	return true;
}

void provider_free_offers(struct list *offers)
{
	while (!list_is_empty(offers))
		offer_free(list_entry(offers->next, struct offer, link));
}

void provider_set_offers(struct provider *provider, struct list *offers, size_t names)
{
	retire(provider->set, &provider->offers);
	while (!list_is_empty(offers))
		list_move(&provider->offers, offers->next);
	provider->names = names;
}

static bool shares_kind(const struct provider *provider, int kind)
{
	list_each (const struct provider, other, &provider->set->providers, link)
		if (other != provider && other->kinds & BIT(kind) && other->server != NULL &&
		    provider->server != NULL &&
		    strcmp(other->server->name, provider->server->name) == 0)
			return true;
	return false;
}

static void leave_kinds(struct provider *provider)
{
	for (int kind = EVENT_KIND_COUNT_; kind < EVENT_KINDS_MAX; kind++)
		if (provider->kinds & BIT(kind) && !shares_kind(provider, kind))
			published_leave(kind);
	provider->kinds = 0;
}

struct provider *provider_new(struct provide_set *set)
{
	struct provider *provider = xcalloc(1, sizeof *provider);
	provider->set = set;
	provider->events = 2 * PROVIDE_EVENTS_PER_SEC;
	provider->events_ms = clock_mono_ms();
	list_init(&provider->offers);
	list_append(&set->providers, &provider->link);
	return provider;
}

static void free_server(struct tool_server *server)
{
	if (server == NULL)
		return;
	tool_server_list_finish(&server->list);
	mem_free(server->name);
	mem_free(server->command);
	mem_free(server->program);
	mem_free(server->cwd);
	mem_free(server->session_env);
	mem_free(server->env);
	mem_free(server);
}

void provider_free(struct provider *provider)
{
	list_remove(&provider->link);
	if (provider->peer != NULL)
		peer_set_ended(provider->peer, NULL, NULL);
	retire(provider->set, &provider->offers);
	leave_kinds(provider);
	provide_program_free(provider->program, !provider->set->is_ending);
	provider_file_free(provider->file);
	free_server(provider->server);
	mem_free(provider);
}

/* Returns the number of a kind of events, which this provider gets if it is free; -1: failure. */
static int own_kind(struct provider *provider, const char *name, const char *summary,
    struct tool_failure *ret_failure)
{
	int kind = event_kind_find(name);
	if (kind >= EVENT_KIND_COUNT_ && shares_kind(provider, kind))
		provider->kinds |= BIT(kind);
	if (kind >= EVENT_KIND_COUNT_ && provider->kinds & BIT(kind))
		return kind;
	if (!declaration_is_small_name(name)) {
		(void)tool_fail(ret_failure, MESSAGE_PARAMS,
		    "kind: must be a small letter, then small letters, digits and \"_\"");
		return -1;
	}
	if (__builtin_popcountll(provider->kinds) >= PROVIDE_KINDS_MAX) {
		(void)tool_fail(ret_failure, MESSAGE_LIMIT,
		    "kind: a provider has at most %d kinds of events", PROVIDE_KINDS_MAX);
		return -1;
	}
	kind = published_take(kind, name, summary, event_log_oldest(provider->set->parts->events));
	if (kind == -1)
		(void)tool_fail(ret_failure, MESSAGE_REFUSED,
		    "kind: \"%s\" is a kind of muxbusd or of another provider", name);
	else if (kind < 0)
		(void)tool_fail(ret_failure, MESSAGE_LIMIT,
		    "kind: all providers together have %d kinds of events, the most there may be",
		    EVENT_PUBLISHED_MAX);
	else
		provider->kinds |= BIT(kind);
	return kind < 0 ? -1 : kind;
}

struct kind_row {
	const char *kind, *summary;
};

static const struct field kind_fields[] = {
    {FIELD_ROW(STRING, struct kind_row, kind, "kind"), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX},
    {FIELD_ROW(STRING, struct kind_row, summary, "summary"), .min = 1, .max = 1000,
	.preset = "\"an event of a provider\""},
    {.name = NULL},
};

bool provider_take_kinds(
    struct provider *provider, const struct json *rows, struct tool_failure *ret_failure)
{
	size_t at = 0;
	for (const struct json *row = rows != NULL ? rows->child : NULL; row != NULL;
	     row = row->next, at++) {
		struct kind_row read;
		struct field_error error;
		struct buf scratch = BUF(1024);
		bool is_good = row->type == JSON_OBJECT;
		if (!is_good)
			(void)tool_fail(
			    ret_failure, MESSAGE_PARAMS, "events[%zu]: must be an object", at);
		else if (field_read(kind_fields, row, &read, sizeof read, &scratch, &error) < 0)
			is_good = tool_fail(
			    ret_failure, MESSAGE_PARAMS, "events[%zu]: %s", at, error.text);
		else
			is_good = own_kind(provider, read.kind, read.summary, ret_failure) >= 0;
		buf_finish(&scratch);
		if (!is_good)
			return false;
	}
	return true;
}

static bool takes_event(struct provider *provider)
{
	int64_t now_ms = clock_mono_ms();
	provider->events += (double)(now_ms - provider->events_ms) * PROVIDE_EVENTS_PER_SEC / 1000;
	if (provider->events > 2 * PROVIDE_EVENTS_PER_SEC)
		provider->events = 2 * PROVIDE_EVENTS_PER_SEC;
	provider->events_ms = now_ms;
	if (provider->events < 1)
		return false;
	provider->events -= 1;
	return true;
}

static bool write_members(struct buf *out, const struct provider *provider,
    const struct event_scope *scope, const struct json *data)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	if (data != NULL)
		json_put_value(&writer, "data", data);
	if (scope->pane != MUXBUS_NO_ID)
		json_put_id(&writer, "pane", '%', scope->pane);
	json_put_str(&writer, "provider", provider->name);
	return !writer.is_cut;
}

uint64_t provider_publish_event(struct provide_set *set, const struct peer *peer, const char *name,
    const struct event_scope *scope, const struct json *data, struct tool_failure *ret_failure)
{
	struct provider *provider = provider_find(set, peer);
	struct buf members;
	uint64_t seq = 0;
	int kind;
	if (provider == NULL) {
		(void)tool_fail(ret_failure, MESSAGE_REFUSED,
		    "only a provider publishes events: call provide on this connection first");
		return 0;
	}
	if (data != NULL && json_depth(data) > JSON_DATA_DEPTH_MAX) {
		(void)tool_fail(ret_failure, MESSAGE_LIMIT,
		    "data: is nested more than %d deep, the most there may be",
		    JSON_DATA_DEPTH_MAX);
		return 0;
	}
	if ((kind = own_kind(provider, name, "an event of a provider", ret_failure)) < 0)
		return 0;
	buf_init(&members, PROVIDE_EVENT_MAX);
	if (!write_members(&members, provider, scope, data))
		(void)tool_fail(ret_failure, MESSAGE_LIMIT, "data: an event has at most %zu bytes",
		    PROVIDE_EVENT_MAX);
	else if (!takes_event(provider))
		(void)tool_fail(ret_failure, MESSAGE_BUSY,
		    "a provider publishes at most %d events a second", PROVIDE_EVENTS_PER_SEC);
	else
		seq = event_log_publish(set->parts->events, (enum event_kind)kind, scope,
		    (const char *)members.data, members.len, true);
	if (seq > 0)
		published_note(kind, seq);
	buf_finish(&members);
	return seq;
}
