/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/tmux.h"

#include "base/process.h"
#include "daemon/core/config.h"
#include "daemon/core/log_file.h"
#include "daemon/event/event_log.h"
#include "daemon/tmux/tmux_command.h"
#include "daemon/tmux/tmux_events.h"
#include "io/loop_timer.h"
#include "wire/json.h"

#define ENVIRONMENT_NAME "MUXBUS"

enum { ATTACH_MS = 3000 };

struct tmux {
	const struct config *config;
	struct event_log *events;
	const struct tmux_reader *reader; /* or NULL */
	struct stream_set *streams; /* the argument for the reader's functions */
	struct tmux_handlers handlers;
	void *data;
	struct muxbus_loop *loop;
	struct muxbus_sync *sync;
	bool is_live;
	bool is_resting; /* detached until tmux_attach() */
	bool is_attaching; /* tmux_attach() was called, and is not done */
	struct list attaches; /* work that waits until the daemon is attached */
	struct loop_timer *attach_timer; /* time limit of this wait */
	pid_t server_pid; /* valid while the server is live, as is server_start */
	uint64_t server_start; /* clock ticks since boot */
	/* number of the listing that has found the objects of an older server; 0: none */
	uint64_t found;
	char reason[256]; /* why the server is not live (connected) */
	uint64_t changes;
	struct map expected; /* from a pane to its struct expectation */
	void (*stopped)(void *data);
	void *stopped_data;
};

struct attach {
	struct list link;
	void (*done)(void *data, int error);
	void *data;
};

struct expectation {
	pid_t pid; /* process of the program that only waits */
	bool is_seen; /* the waiting program was in the model, so its end is announced */
	bool has_ended; /* the end of the waiting program was announced */
	bool is_told; /* the real program runs, and the new pane was published */
	bool end_is_told; /* the end of the real program was published */
	bool is_over; /* all events are published */
};

void tmux_expect(struct tmux *tmux, uint32_t pane, pid_t pid)
{
	struct expectation *expectation = map_get(&tmux->expected, pane);
	if (pid == 0) {
		/* Keep the expectation, so that an end is not published twice. */
		if (expectation != NULL)
			expectation->is_over = true;
		return;
	}
	mem_free(map_remove(&tmux->expected, pane));
	expectation = xalloc(sizeof *expectation);
	*expectation = (struct expectation){.pid = pid};
	xmap_set(&tmux->expected, pane, expectation);
}

static void forget_expected(struct tmux *tmux)
{
	map_each (struct expectation, expectation, &tmux->expected)
		mem_free(expectation);
	map_finish(&tmux->expected);
	map_init(&tmux->expected);
}

static void on_environment_set(
    void *data UNUSED, int error, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	if (error < 0)
		log_warning("%s could not be set in tmux's environment: %s", ENVIRONMENT_NAME,
		    muxbus_strerror(error));
}

/* Sets the variable MUXBUS in tmux: it tells programs in new panes where the daemon listens. */
static void set_environment(struct tmux *tmux)
{
	int error = muxbus_sync_run(tmux->sync,
	    tmux_command("set-environment", "-g", ENVIRONMENT_NAME, tmux->config->socket, NULL),
	    false, on_environment_set, NULL);
	if (error < 0)
		on_environment_set(NULL, error, NULL, 0);
}

static void become_live(struct tmux *tmux)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(tmux->sync, &info);
	tmux->is_live = true;
	tmux->reason[0] = '\0';
	tmux->server_pid = info.pid;
	tmux->server_start = process_start_ticks(info.pid);
	tmux->found =
	    tmux->server_start < process_start_ticks(getpid()) ? info.lists + info.part_lists : 0;
	log_info("following tmux %s, process %d", info.version_text, (int)info.pid);
	tmux_events_found(tmux->events, &info);
	set_environment(tmux);
	if (tmux->handlers.state != NULL)
		tmux->handlers.state(tmux->data, true, 0);
}

/*
 * Ends the work that waits for an attach. error: why the daemon is not attached; 0: the work goes
 * on, even if the daemon is not attached.
 */
static void end_attaches(struct tmux *tmux, int error)
{
	loop_timer_disarm(tmux->attach_timer);
	tmux->is_attaching = false;
	while (!list_is_empty(&tmux->attaches)) {
		struct attach *attach = list_entry(tmux->attaches.next, struct attach, link);
		list_remove(&attach->link);
		attach->done(attach->data, error);
		mem_free(attach);
	}
}

static void become_lost(struct tmux *tmux, int error)
{
	tmux->is_live = false;
	forget_expected(tmux);
	log_info("tmux is not followed: %s", tmux->reason);
	if (tmux->reader != NULL)
		tmux->reader->server_lost(tmux->streams);
	tmux_events_lost(tmux->events, error, tmux->reason, tmux->server_pid);
	tmux->server_pid = 0;
	if (tmux->handlers.state != NULL)
		tmux->handlers.state(tmux->data, false, error);
}

static void keep_reason(struct tmux *tmux, int error, const char *reason)
{
	const char *path =
	    tmux->config->tmux_path != NULL ? tmux->config->tmux_path : "the server's tmux";
	if (error == MUXBUS_ERR_VERSION && strcmp(reason, muxbus_strerror(error)) != 0)
		snprintf(tmux->reason, sizeof tmux->reason, "%s; its message: %s",
		    muxbus_strerror(error), reason);
	else if (error == MUXBUS_ERR_SPAWN)
		snprintf(tmux->reason, sizeof tmux->reason, "%s: %s", path, reason);
	else
		snprintf(tmux->reason, sizeof tmux->reason, "%s", reason);
}

static void on_state(void *data, enum muxbus_sync_state state, int error, const char *reason)
{
	struct tmux *tmux = data;
	if (state == MUXBUS_SYNC_LIVE) {
		if (!tmux->is_live)
			become_live(tmux);
		return;
	}
	keep_reason(tmux, error, reason);
	if (tmux->is_live)
		become_lost(tmux, error);
	end_attaches(tmux, error < 0 ? error : MUXBUS_ERR_UNAVAILABLE);
}

static bool has_marks(const struct tmux *tmux, uint32_t window)
{
	const struct muxbus_pane *panes;
	size_t count = muxbus_model_window_panes(tmux_model(tmux), window, &panes);
	for (size_t i = 0; tmux->reader != NULL && i < count; i++)
		if (tmux->reader->has_marks(tmux->streams, panes[i].id))
			return true;
	return false;
}

static void tell(struct tmux *tmux, const struct muxbus_change *change)
{
	if (change->kind != MUXBUS_CHANGE_WINDOW_ALERT || !has_marks(tmux, change->window))
		tmux_events_change(tmux->events, tmux_model(tmux), change);
}

/* Returns true if the waiting program has ended; the end of the real program comes later. */
static bool is_first_end(struct expectation *expectation, const struct muxbus_pane *pane)
{
	bool is_first = expectation->is_seen && !expectation->has_ended;
	expectation->has_ended = true;
	return is_first && pane->exit_status < 0 && pane->exit_signal == 0;
}

/* Publishes a change of an expected pane; the pane as created, when the real program runs. */
static void tell_expected(
    struct tmux *tmux, struct expectation *expectation, const struct muxbus_change *change)
{
	const struct muxbus_pane *pane = change->pane_now;
	struct muxbus_change copy = *change;
	if (expectation->is_over) {
		if (change->kind != MUXBUS_CHANGE_PANE_EXITED || !expectation->end_is_told)
			tell(tmux, change);
		if (change->kind == MUXBUS_CHANGE_PANE_RESPAWNED)
			mem_free(map_remove(&tmux->expected, change->pane));
		return;
	}
	expectation->is_seen |= pane != NULL && pane->pid == expectation->pid;
	if (!expectation->is_told && pane != NULL && pane->pid != expectation->pid) {
		expectation->is_told = true;
		copy.kind = MUXBUS_CHANGE_PANE_CREATED;
		tell(tmux, &copy);
		copy.kind = change->kind;
	}
	switch (change->kind) {
	case MUXBUS_CHANGE_PANE_CREATED:
	case MUXBUS_CHANGE_PANE_RESPAWNED:
	case MUXBUS_CHANGE_COMMAND_CHANGED:
	case MUXBUS_CHANGE_PATH_CHANGED:
		return;
	case MUXBUS_CHANGE_PANE_EXITED:
		/* If the pane is not dead, the waiting program has ended. */
		if (pane == NULL || !pane->is_dead) {
			expectation->has_ended = true;
			return;
		}
		if (expectation->end_is_told || is_first_end(expectation, pane))
			return;
		expectation->end_is_told = true;
		copy.exit_status = pane->exit_status;
		copy.exit_signal = pane->exit_signal;
		break;
	default:
		break;
	}
	if (expectation->is_told)
		tell(tmux, &copy);
}

static bool is_of_pane(enum muxbus_change_kind kind)
{
	return (kind >= MUXBUS_CHANGE_PANE_CREATED && kind <= MUXBUS_CHANGE_PANE_MOVED) ||
	    (kind >= MUXBUS_CHANGE_TITLE_CHANGED && kind <= MUXBUS_CHANGE_MODE_CHANGED);
}

static void on_change(void *data, const struct muxbus_change *change)
{
	struct tmux *tmux = data;
	struct expectation *expectation;
	tmux->changes++;
	expectation = change->pane == MUXBUS_NO_ID ? NULL : map_get(&tmux->expected, change->pane);
	/* The last output is published before the end of the pane. */
	if (tmux->reader != NULL && change->kind == MUXBUS_CHANGE_PANE_EXITED)
		tmux->reader->pane_exited(tmux->streams, change->pane);
	if (tmux->reader != NULL && change->kind == MUXBUS_CHANGE_PANE_CLOSED)
		tmux->reader->pane_closed(tmux->streams, change->pane);
	if (expectation != NULL && is_of_pane(change->kind))
		tell_expected(tmux, expectation, change);
	else
		tell(tmux, change);
	if (change->kind == MUXBUS_CHANGE_PANE_CLOSED)
		mem_free(map_remove(&tmux->expected, change->pane));
	if (tmux->reader != NULL && change->kind == MUXBUS_CHANGE_PANE_RESPAWNED)
		tmux->reader->pane_respawned(tmux->streams, change->pane);
	if (tmux->reader != NULL && change->kind == MUXBUS_CHANGE_PANE_CREATED)
		tmux->reader->pane_created(tmux->streams, change->pane);
}

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len)
{
	struct tmux *tmux = data;
	if (tmux->reader != NULL)
		tmux->reader->output(tmux->streams, pane, bytes, len);
}

static void on_gap(void *data, uint32_t pane, uint64_t offset, const char *reason)
{
	struct tmux *tmux = data;
	if (tmux->reader != NULL)
		tmux->reader->gap(tmux->streams, pane, offset, reason);
}

static void on_log(void *data UNUSED, enum muxbus_log_level level, const char *text)
{
	library_log_write("tmux: ", level, text);
}

/*
 * Called if the attach takes too long: tmux may refuse us as a client. The waiting work goes on
 * without events.
 */
static void on_attach_due(void *data)
{
	end_attaches(data, 0);
}

static int make_sync(struct tmux *tmux)
{
	static const struct muxbus_sync_handlers handlers = {
	    .state = on_state,
	    .change = on_change,
	    .output = on_output,
	    .gap = on_gap,
	};
	struct muxbus_sync_options options = {
	    .socket_path = tmux->config->tmux_socket,
	    .tmux_path = tmux->config->tmux_path,
	    .all_output = tmux->config->all_output,
	    .command_timeout_ms = (unsigned)tmux->config->limits.command_timeout_ms,
	};
	return muxbus_sync_new(tmux->loop, &options, &handlers, tmux, &tmux->sync);
}

struct tmux *tmux_new(struct event_base *base, const struct config *config,
    struct event_log *events, const struct tmux_handlers *handlers, void *data, char *ret_reason,
    size_t reason_size)
{
	struct tmux *tmux = xalloc(sizeof *tmux);
	int error;
	*tmux = (struct tmux){.config = config, .events = events, .data = data};
	if (handlers != NULL)
		tmux->handlers = *handlers;
	map_init(&tmux->expected);
	list_init(&tmux->attaches);
	tmux->attach_timer = loop_timer_new(base, on_attach_due, tmux);
	snprintf(tmux->reason, sizeof tmux->reason, "the daemon has not tried to connect yet");
	muxbus_set_log(on_log, NULL);
	error = muxbus_loop_new(&tmux->loop);
	if (error == 0)
		error = muxbus_loop_attach(tmux->loop, base);
	if (error == 0)
		error = make_sync(tmux);
	if (error < 0) {
		snprintf(ret_reason, reason_size, "%s", muxbus_strerror(error));
		tmux_free(tmux);
		return NULL;
	}
	return tmux;
}

void tmux_set_reader(
    struct tmux *tmux, const struct tmux_reader *reader, struct stream_set *streams)
{
	tmux->reader = reader;
	tmux->streams = streams;
}

void tmux_rest(struct tmux *tmux)
{
	if (tmux->is_resting)
		return;
	tmux->is_resting = true;
	muxbus_sync_set_attached(tmux->sync, false, NULL, NULL);
	if (tmux->is_live)
		log_info("detached: no program needs more than single commands");
}

static void on_attached(void *data)
{
	struct tmux *tmux = data;
	end_attaches(tmux, 0);
}

void tmux_attach(struct tmux *tmux, void (*done)(void *data, int error), void *data)
{
	struct attach *attach;
	if (tmux->is_resting) {
		tmux->is_resting = false;
		tmux->is_attaching = tmux->is_live;
		if (tmux->is_live)
			tmux_events_rested(tmux->events);
		loop_timer_arm(tmux->attach_timer, ATTACH_MS);
		muxbus_sync_set_attached(tmux->sync, true, on_attached, tmux);
	}
	if (done == NULL)
		return;
	if (!tmux->is_attaching) {
		done(data, tmux->is_live ? 0 : MUXBUS_ERR_UNAVAILABLE);
		return;
	}
	attach = xalloc(sizeof *attach);
	*attach = (struct attach){.done = done, .data = data};
	list_append(&tmux->attaches, &attach->link);
}

void tmux_followed(struct tmux *tmux)
{
	if (tmux != NULL && tmux->handlers.followed != NULL)
		tmux->handlers.followed(tmux->data);
}

bool tmux_is_attaching(const struct tmux *tmux)
{
	return tmux->is_attaching;
}

bool tmux_is_resting(const struct tmux *tmux)
{
	return tmux->is_resting;
}

bool tmux_is_detached(const struct tmux *tmux)
{
	return tmux != NULL && tmux_is_live(tmux) && (tmux_is_resting(tmux) || tmux->is_attaching);
}

static void on_environment_unset(
    void *data, int error UNUSED, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct tmux *tmux = data;
	muxbus_sync_stop(tmux->sync, tmux->stopped, tmux->stopped_data);
}

void tmux_stop(struct tmux *tmux, void (*done)(void *data), void *data)
{
	tmux->stopped = done;
	tmux->stopped_data = data;
	if (!tmux->is_live ||
	    muxbus_sync_run(tmux->sync,
		tmux_command("set-environment", "-g", "-u", ENVIRONMENT_NAME, NULL), false,
		on_environment_unset, tmux) < 0)
		muxbus_sync_stop(tmux->sync, done, data);
}

void tmux_cut(struct tmux *tmux)
{
	if (tmux == NULL)
		return;
	end_attaches(tmux, MUXBUS_ERR_CANCELLED);
	muxbus_sync_stop(tmux->sync, NULL, NULL);
}

void tmux_free(struct tmux *tmux)
{
	if (tmux == NULL)
		return;
	muxbus_sync_free(tmux->sync);
	muxbus_loop_free(tmux->loop);
	end_attaches(tmux, MUXBUS_ERR_CANCELLED);
	loop_timer_free(tmux->attach_timer);
	forget_expected(tmux);
	mem_free(tmux);
}

struct muxbus_sync *tmux_sync(struct tmux *tmux)
{
	return tmux->sync;
}

const struct muxbus_model *tmux_model(const struct tmux *tmux)
{
	return muxbus_sync_model(tmux->sync);
}

pid_t tmux_server_pid(struct tmux *tmux)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(tmux->sync, &info);
	return info.pid;
}

bool tmux_is_live(const struct tmux *tmux)
{
	return tmux->is_live;
}

bool tmux_is_finding(const struct tmux *tmux)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(tmux->sync, &info);
	return tmux->found != 0 && tmux->found == info.lists + info.part_lists;
}

/* A listing makes a new model. tmux->changes counts changes other than output. */
uint64_t tmux_revision(const struct tmux *tmux)
{
	struct muxbus_sync_info info;
	uint64_t revision = 1469598103934665603u, parts[4];
	muxbus_sync_info(tmux->sync, &info);
	parts[0] = info.lists + info.part_lists;
	parts[1] = info.output_bytes;
	parts[2] = tmux->changes;
	parts[3] = (uint64_t)(uintptr_t)muxbus_sync_model(tmux->sync);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		revision = (revision ^ parts[i]) * 1099511628211u + (revision >> 29);
	return revision ? revision : 1;
}

const char *tmux_reason(const struct tmux *tmux)
{
	return tmux->reason;
}

uint32_t tmux_caps(const struct tmux *tmux)
{
	struct muxbus_sync_info info;
	if (!tmux->is_live)
		return 0;
	muxbus_sync_info(tmux->sync, &info);
	return info.version.caps;
}

void tmux_scope_pane(const struct tmux *tmux, uint32_t pane, struct event_scope *ret_scope)
{
	const struct muxbus_pane *now = muxbus_model_pane(tmux_model(tmux), pane);
	*ret_scope =
	    (struct event_scope){.pane = pane, .window = now != NULL ? now->window : MUXBUS_NO_ID};
	tmux_events_sessions(tmux_model(tmux), ret_scope->window, ret_scope);
}

void tmux_want_details(struct tmux *tmux, bool is_wanted)
{
	muxbus_sync_want_details(tmux->sync, is_wanted);
}

void tmux_tell(struct tmux *tmux, struct muxbus_command *command)
{
	(void)muxbus_sync_run(tmux->sync, command, false, NULL, NULL);
}

void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref)
{
	const struct muxbus_pane *found;
	pane_ref_clear(ret_ref);
	if (pane == MUXBUS_NO_ID || !tmux_is_live(tmux))
		return;
	found = muxbus_model_pane(tmux_model(tmux), pane);
	if (found == NULL)
		return;
	*ret_ref = (struct pane_ref){
	    .pane = pane,
	    .pane_pid = found->pid,
	    .server_pid = tmux->server_pid,
	    .server_start = tmux->server_start,
	};
}

enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref)
{
	const struct muxbus_pane *pane;
	struct pane_ref now;
	if (!tmux_is_live(tmux))
		return PANE_UNKNOWN;
	pane_ref_of(tmux, ref->pane, &now);
	pane = muxbus_model_pane(tmux_model(tmux), ref->pane);
	/* On tmux 3.8 a dead pane has no pid. A server does not use a pane id twice. */
	if (pane != NULL && pane->is_dead && pane->pid == 0)
		now.pane_pid = ref->pane_pid;
	return pane_ref_same_pane(&now, ref) ? PANE_THERE : PANE_GONE;
}

void pane_fate_write_gone(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref)
{
	char gone[32];
	if (ref->pane == MUXBUS_NO_ID || tmux == NULL || pane_fate(tmux, ref) != PANE_GONE)
		return;
	snprintf(gone, sizeof gone, "%s_gone", name);
	json_put_bool(writer, gone, true);
}

void pane_fate_write(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref)
{
	json_put_id(writer, name, '%', ref->pane);
	pane_fate_write_gone(writer, tmux, name, ref);
}
