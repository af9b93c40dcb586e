/* SPDX-License-Identifier: ISC */
#include "daemon/saved/saved.h"

#include "base/process.h"
#include "daemon/agent/agent_state.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "io/loop_timer.h"
#include "wire/address.h"

enum {
	TAKE_MS = 200, /* delay from a change to its copy in memory */
	CALM_MS = 2000, /* maximum delay from the last copy to the records in the store */
	REST_MS = 100, /* delay from a listing until tmux has done all work for it */
	BUSY_NS = 200000, /* processor time; if tmux has used less, it ran no command */
};

struct saved {
	struct list link;
	uint64_t number; /* also the name of its record */
	int server_pid;
	uint64_t server_start;
	bool is_past; /* of a tmux server that has ended */
	int id; /* id of the session */
	char *name;
	int64_t saved_ms; /* CLOCK_REALTIME of the last change */
	char *state; /* JSON */
	bool is_dirty;
};

struct saved_set {
	const struct daemon *daemon;
	struct list all; /* oldest first */
	size_t past;
	uint64_t last_number;
	struct pane_ref server; /* only server_pid and server_start are used; 0: no server */
	uint64_t revision; /* revision of the model that was copied last */
	struct event_log_listener events;
	struct presence_listener presences;
	struct loop_timer *take_timer, *flush_timer, *look_timer, *rest_timer;
	int64_t dirty_ms; /* CLOCK_MONOTONIC since when the store lacks changes; 0: it has all */
	uint64_t busy_ns; /* processor time of tmux at the last look */
	bool is_looking;
	void (*done)(void *data); /* as in saved_set_end() */
	void *done_data;
};

static const struct record_field saved_fields[] = {
    {RECORD_ROW(NATURAL, struct saved, server_pid, "server_pid")},
    {RECORD_ROW(UINT64, struct saved, server_start, "server_start")},
    {RECORD_ROW(NATURAL, struct saved, id, "session")},
    {RECORD_ROW(TEXT, struct saved, name, "name")},
    {RECORD_ROW(INT, struct saved, saved_ms, "saved_ms")},
    {RECORD_ROW(JSON, struct saved, state, "state")},
};

static const struct record_kind saved_kind = {
    .prefix = "saved/",
    .noun = "a saved session",
    .rows = RECORD_ROWS(saved_fields, NULL),
    .source = SOURCE_COMMAND,
};

static void record_name(const struct saved *saved, char out[24])
{
	snprintf(out, 24, "%020" PRIu64, saved->number); /* so that records sort by number */
}

static void saved_free(struct saved *saved)
{
	list_remove(&saved->link);
	mem_free(saved->name);
	mem_free(saved->state);
	mem_free(saved);
}

/* Forgets a session, also in the store. */
static void saved_drop(struct saved_set *set, struct saved *saved)
{
	char name[24];
	record_name(saved, name);
	record_delete(queue_store(set->daemon->queue), &saved_kind, name);
	set->past -= saved->is_past;
	saved_free(saved);
}

static void drop_past(struct saved_set *set, const char *name, const struct saved *but)
{
	list_each_safe (struct saved, saved, &set->all, link)
		if (saved->is_past && saved != but && strcmp(saved->name, name) == 0)
			saved_drop(set, saved);
}

/* Returns true if a record has only members of write_state(), so that it may go into a result. */
static bool is_state(const struct json *state)
{
	const struct json *windows = json_member(state, "windows");
	json_each_member (member, state)
		if (member != windows && strcmp(member->name, "group") != 0)
			return false;
	return windows != NULL && windows->type == JSON_ARRAY;
}

static bool saved_load(void *data, const char *name, const struct json *value)
{
	struct saved_set *set = data;
	struct saved *saved = xcalloc(1, sizeof *saved);
	list_init(&saved->link);
	if (!record_read(saved_kind.rows, value, saved) || !is_state(json_member(value, "state")) ||
	    strncmp(saved->name, ADDRESS_RESTORE, strlen(ADDRESS_RESTORE)) == 0) {
		saved_free(saved);
		return false;
	}
	saved->number = strtoull(name, NULL, 10);
	if (saved->number > set->last_number)
		set->last_number = saved->number;
	saved->is_past = true;
	set->past++;
	list_append(&set->all, &saved->link);
	return true;
}

/* Returns the directory of the pane's first process, or else as tmux has it; NULL: not known. */
static const char *directory_of(const struct muxbus_pane *pane, char out[PATH_MAX])
{
	if (process_cwd(pane->pid, out, PATH_MAX))
		return out;
	return pane->path != NULL && pane->path[0] == '/' ? pane->path : NULL;
}

/* Writes the agent in a pane, and its conversation if that is known. */
static void put_agent(
    struct json_writer *writer, const struct daemon *daemon, const struct muxbus_pane *pane)
{
	const struct presence *presence;
	const struct agent *agent = agent_of_pane(daemon->agents, pane->id);
	struct pane_ref ref;
	pane_ref_of(daemon->tmux, pane->id, &ref);
	presence = presence_of_pane(daemon->presences, &ref);
	if (presence != NULL) {
		json_put_str(writer, "agent", presence->agent);
		if (presence->session[0] != '\0')
			json_put_str(writer, "conversation", presence->session);
	} else if (agent != NULL) {
		json_put_str(writer, "agent", agent->spec.name);
	}
	if (agent != NULL && !agent->is_adopted) {
		json_put_bool(writer, "kept", true);
		json_put_str(writer, "name", agent->spec.name);
	}
}

static void put_pane(
    struct json_writer *writer, const struct daemon *daemon, const struct muxbus_pane *pane)
{
	char buffer[PATH_MAX];
	const char *path = directory_of(pane, buffer);
	json_object_begin(writer, NULL);
	if (path != NULL && json_put_text(writer, "cwd", path, strlen(path)))
		json_put_base64(writer, "cwd_base64", path, strlen(path));
	(void)json_put_text(writer, "command", pane->command, strlen(pane->command));
	if (pane->is_active)
		json_put_bool(writer, "active", true);
	put_agent(writer, daemon, pane);
	json_object_end(writer);
}

static void put_window(struct json_writer *writer, const struct daemon *daemon,
    const struct muxbus_window *window, const struct muxbus_link *link)
{
	const struct muxbus_model *model = tmux_model(daemon->tmux);
	const struct muxbus_pane *pane = muxbus_model_pane(model, window->active_pane);
	json_object_begin(writer, NULL);
	json_put_id(writer, "window", '@', window->id);
	json_put_int(writer, "index", link->index);
	if (json_put_text(writer, "name", window->name, strlen(window->name)))
		json_put_base64(writer, "name_base64", window->name, strlen(window->name));
	/* By default tmux names a window after the program in its active pane. */
	json_put_bool(writer, "is_named", pane == NULL || strcmp(pane->command, window->name) != 0);
	json_put_int(writer, "width", window->width);
	json_put_int(writer, "height", window->height);
	json_put_str(writer, "layout", window->layout);
	json_put_bool(writer, "zoomed", window->is_zoomed);
	json_put_bool(writer, "current", link->is_current);
	json_array_begin(writer, "panes");
	for (size_t left = muxbus_model_window_panes(model, window->id, &pane); left > 0; left--)
		put_pane(writer, daemon, pane++);
	json_array_end(writer);
	json_object_end(writer);
}

/* Returns the state of a session as JSON; NULL: it is too large. The caller frees it. */
static char *write_state(const struct daemon *daemon, const struct muxbus_session *session)
{
	const struct muxbus_model *model = tmux_model(daemon->tmux);
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, SAVED_BYTES_MAX);
	if (session->group != MUXBUS_NO_ID)
		json_put_int(&writer, "group", session->group);
	json_array_begin(&writer, "windows");
	next_each (const struct muxbus_link, link, muxbus_model_next_link, model) {
		const struct muxbus_window *window = muxbus_model_window(model, link->window);
		if (link->session == session->id && window != NULL)
			put_window(&writer, daemon, window, link);
	}
	json_array_end(&writer);
	json_object_end(&writer);
	if (!writer.is_cut)
		return (char *)buf_steal(&out, NULL);
	log_warning("session %s is too large to be saved", session->name);
	buf_finish(&out);
	return NULL;
}

static struct saved *find_saved(const struct saved_set *set, uint32_t session)
{
	list_each (struct saved, saved, &set->all, link)
		if (!saved->is_past && (uint32_t)saved->id == session)
			return saved;
	return NULL;
}

static struct saved *saved_new(struct saved_set *set, const struct muxbus_session *session)
{
	struct saved *saved = xcalloc(1, sizeof *saved);
	saved->number = ++set->last_number;
	saved->server_pid = (int)set->server.server_pid;
	saved->server_start = set->server.server_start;
	saved->id = (int)session->id;
	list_append(&set->all, &saved->link);
	return saved;
}

static void take_session(struct saved_set *set, const struct muxbus_session *session)
{
	struct saved *saved = find_saved(set, session->id);
	char *state = NULL;
	if (strncmp(session->name, ADDRESS_RESTORE, strlen(ADDRESS_RESTORE)) != 0)
		state = write_state(set->daemon, session);
	if (state == NULL)
		return;
	if (saved == NULL)
		saved = saved_new(set, session);
	if (saved->state != NULL && strcmp(saved->state, state) == 0 &&
	    strcmp(saved->name, session->name) == 0) {
		mem_free(state);
		return;
	}
	mem_free(saved->state);
	mem_free(saved->name);
	saved->state = state;
	saved->name = xstrdup(session->name);
	saved->saved_ms = clock_real_ms();
	saved->is_dirty = true;
	set->dirty_ms = set->dirty_ms > 0 ? set->dirty_ms : clock_mono_ms();
}

/* Forgets sessions that were closed, and past sessions with their names. */
static void forget_closed(struct saved_set *set, const struct muxbus_model *model)
{
	for (struct list *at = set->all.prev; at != &set->all;) {
		struct saved *saved = list_entry(at, struct saved, link);
		bool is_closed =
		    !saved->is_past && muxbus_model_session(model, (uint32_t)saved->id) == NULL;
		if (is_closed)
			drop_past(set, saved->name, NULL);
		at = at->prev;
		if (is_closed)
			saved_drop(set, saved);
	}
}

/* Copies the sessions that have changed. They are stored after a pause, or after SAVED_LOOK_MS. */
static void take(void *data)
{
	struct saved_set *set = data;
	struct tmux *tmux = set->daemon->tmux;
	const struct muxbus_session *session = NULL;
	int64_t left;
	size_t count = 0;
	loop_timer_disarm(set->take_timer);
	if (!tmux_is_live(tmux) || set->server.server_pid == 0)
		return;
	set->revision = tmux_revision(tmux);
	queue_begin(set->daemon->queue);
	while ((session = muxbus_model_next_session(tmux_model(tmux), session)) != NULL &&
	    count++ < SAVED_SESSIONS_MAX)
		take_session(set, session);
	if (count > 0)
		forget_closed(set, tmux_model(tmux));
	(void)queue_commit(set->daemon->queue);
	left = set->dirty_ms + SAVED_LOOK_MS - clock_mono_ms();
	if (set->dirty_ms > 0)
		loop_timer_arm(set->flush_timer, left < CALM_MS ? left : CALM_MS);
}

static void flush(void *data)
{
	struct saved_set *set = data;
	char name[24];
	loop_timer_disarm(set->flush_timer);
	if (set->dirty_ms == 0)
		return;
	set->dirty_ms = 0;
	queue_begin(set->daemon->queue);
	list_each (struct saved, saved, &set->all, link) {
		record_name(saved, name);
		if (saved->is_dirty)
			record_put(queue_store(set->daemon->queue), &saved_kind, name, saved);
		saved->is_dirty = false;
	}
	(void)queue_commit(set->daemon->queue);
}

static void take_soon(struct saved_set *set)
{
	if (!loop_timer_is_armed(set->take_timer))
		loop_timer_arm(set->take_timer, TAKE_MS);
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct saved_set *set = list_entry(listener, struct saved_set, events);
	/* Output changes the model's revision too, but nothing that is saved. */
	if (event->kind == EVENT_PANE_OUTPUT || event->kind == EVENT_LINE)
		return;
	if (set->server.server_pid != 0 && set->revision != tmux_revision(set->daemon->tmux))
		take_soon(set);
}

static void on_reported(struct presence_listener *listener, const struct pane_ref *pane UNUSED)
{
	take_soon(list_entry(listener, struct saved_set, presences));
}

/* Returns the processor time that tmux has used; 0: not known. */
static uint64_t read_busy_ns(const struct saved_set *set)
{
	char text[64];
	uint64_t ns;
	(void)process_read((pid_t)set->server.server_pid, "schedstat", text, sizeof text);
	return sscanf(text, "%" SCNu64, &ns) == 1 ? ns : 0;
}

/* If tmux has used little processor time since the listing, this time was for the listing. */
static void on_rest(void *data)
{
	struct saved_set *set = data;
	uint64_t now_ns = read_busy_ns(set);
	if (now_ns < set->busy_ns + BUSY_NS)
		set->busy_ns = now_ns;
}

static void on_listed(void *data, int error)
{
	struct saved_set *set = data;
	void (*done)(void *data) = set->done;
	set->is_looking = false;
	set->busy_ns = read_busy_ns(set);
	if (error == 0)
		take(set);
	if (done != NULL) {
		set->done = NULL;
		flush(set);
		done(set->done_data);
		return;
	}
	loop_timer_arm(set->rest_timer, REST_MS);
}

static bool look(struct saved_set *set)
{
	struct tmux *tmux = set->daemon->tmux;
	set->is_looking = tmux_is_live(tmux) &&
	    muxbus_sync_refresh(
		tmux_sync(tmux), MUXBUS_PART_PANES | MUXBUS_PART_SESSIONS, 0, on_listed, set) == 0;
	return set->is_looking;
}

static void on_look(void *data)
{
	struct saved_set *set = data;
	if (set->server.server_pid == 0)
		return;
	loop_timer_arm(set->look_timer, SAVED_LOOK_MS);
	if (!set->is_looking && read_busy_ns(set) >= set->busy_ns + BUSY_NS)
		(void)look(set);
}

/* Marks the sessions of other tmux servers as past. */
static void sort_by_server(struct saved_set *set)
{
	set->past = 0;
	list_each (struct saved, saved, &set->all, link) {
		saved->is_past = saved->server_pid != (int)set->server.server_pid ||
		    saved->server_start != set->server.server_start;
		set->past += saved->is_past;
	}
}

/* Keeps only the latest past session of each name; then forgets the oldest over SAVED_PAST_MAX. */
static void bound_past(struct saved_set *set)
{
	queue_begin(set->daemon->queue);
	for (struct list *at = set->all.prev; at != &set->all; at = at->prev) {
		struct saved *saved = list_entry(at, struct saved, link);
		if (saved->is_past)
			drop_past(set, saved->name, saved);
	}
	list_each_safe (struct saved, saved, &set->all, link) {
		if (set->past <= SAVED_PAST_MAX)
			break;
		if (saved->is_past)
			saved_drop(set, saved);
	}
	(void)queue_commit(set->daemon->queue);
}

void saved_set_server(struct saved_set *set, bool is_live)
{
	struct muxbus_sync_info info;
	if (set == NULL)
		return;
	loop_timer_disarm(set->take_timer);
	flush(set);
	pane_ref_clear(&set->server);
	if (!is_live) {
		sort_by_server(set);
		bound_past(set);
		return;
	}
	muxbus_sync_info(tmux_sync(set->daemon->tmux), &info);
	set->server.server_pid = info.pid;
	set->server.server_start = process_start_ticks(info.pid);
	set->busy_ns = read_busy_ns(set);
	sort_by_server(set);
	bound_past(set); /* an earlier daemon may not have seen that its server ended */
	take(set);
	loop_timer_arm(set->look_timer, SAVED_LOOK_MS);
}

void saved_set_end(struct saved_set *set, void (*done)(void *data), void *data)
{
	if (set != NULL && !set->is_looking && look(set)) {
		set->done = done;
		set->done_data = data;
		return;
	}
	done(data);
}

struct saved_set *saved_set_new(const struct daemon *daemon)
{
	struct saved_set *set = xcalloc(1, sizeof *set);
	set->daemon = daemon;
	list_init(&set->all);
	pane_ref_clear(&set->server);
	set->take_timer = loop_timer_new(daemon->base, take, set);
	set->flush_timer = loop_timer_new(daemon->base, flush, set);
	set->look_timer = loop_timer_new(daemon->base, on_look, set);
	set->rest_timer = loop_timer_new(daemon->base, on_rest, set);
	queue_load(daemon->queue, &saved_kind, saved_load, set);
	set->events.event = on_event;
	event_log_listen(daemon->events, &set->events);
	set->presences.reported = on_reported;
	presence_listen(daemon->presences, &set->presences);
	return set;
}

void saved_set_free(struct saved_set *set)
{
	if (set == NULL)
		return;
	flush(set);
	list_remove(&set->events.link);
	list_remove(&set->presences.link);
	loop_timer_free(set->take_timer);
	loop_timer_free(set->flush_timer);
	loop_timer_free(set->look_timer);
	loop_timer_free(set->rest_timer);
	list_each_safe (struct saved, saved, &set->all, link)
		saved_free(saved);
	mem_free(set);
}

static const struct field_result list_results[] = {
    {"sessions", "array", "the saved sessions, oldest first"},
    {"sessions[].name", "string", "its name"},
    {"sessions[].is_past", "boolean", "whether its server has ended: it can be restored"},
    {"sessions[].exists", "boolean", "whether there is a session of that name now"},
    {"sessions[].server", "string", "of which server: windows of one that have one id are one"},
    {"sessions[].saved", "string", "when it was as it is here"},
    {"sessions[].group", "integer", "sessions of a server with one group share all windows"},
    {"sessions[].windows", "array",
	"window, index, name, name_base64 (if name is not UTF-8), is_named (not after its "
	"program), width, height, layout, zoomed, "
	"current; and panes: cwd, cwd_base64 (if cwd is not UTF-8), command, active, agent, its "
	"conversation, and kept with its name for ensure_agent"},
    {NULL, NULL, NULL},
};

static bool session_exists(const struct daemon *daemon, const char *name)
{
	const struct muxbus_model *model = tmux_model(daemon->tmux);
	if (!tmux_is_live(daemon->tmux))
		return false;
	next_each (const struct muxbus_session, session, muxbus_model_next_session, model)
		if (strcmp(session->name, name) == 0)
			return true;
	return false;
}

static void handle_list(struct request *request, const void *args UNUSED)
{
	const struct daemon *daemon = request_daemon(request);
	struct json_writer *writer = request_result(request);
	char server[48];
	take(daemon->saved);
	json_array_begin(writer, "sessions");
	list_each (struct saved, saved, &daemon->saved->all, link) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "name", saved->name);
		json_put_bool(writer, "is_past", saved->is_past);
		json_put_bool(writer, "exists", session_exists(daemon, saved->name));
		snprintf(
		    server, sizeof server, "%d.%" PRIu64, saved->server_pid, saved->server_start);
		json_put_str(writer, "server", server);
		json_put_time(writer, "saved", saved->saved_ms);
		/* inserts the state without its braces */
		json_put_raw(writer, NULL, saved->state + 1, strlen(saved->state) - 2);
		json_object_end(writer);
	}
	json_array_end(writer);
	request_done(request);
}

const struct method methods_saved[] = {
    {.name = METHOD("list_saved", METHOD_READS | METHOD_SEES),
	.title = "List saved sessions",
	.summary = "Lists the sessions of tmux as they are saved for muxbus restore.",
	.help = "Those of a server that has ended are past, until they are closed in a later one "
		"or another of the same name takes their place.",
	.results = list_results,
	.handle = handle_list,
	.example = "{}"},
    {.name = NULL},
};
