/* SPDX-License-Identifier: ISC */
/*
 * Follows a server. The first connection lists the sessions; others then attach to the other
 * sessions. tmux counts an attach as a use of the session, so the connections attach in the order
 * in which the sessions were used. At last the first connection uses its session again.
 */
#include "lib/connection/command.h"
#include "lib/library.h"
#include "lib/model/model.h"
#include "lib/sync/announced.h"
#include "lib/sync/attach_delay.h"
#include "lib/sync/attachment.h"
#include "lib/sync/capture.h"
#include "lib/sync/detail_watch.h"
#include "lib/sync/leaving.h"
#include "lib/sync/lister.h"
#include "lib/sync/pane_exit.h"
#include "lib/sync/primary.h"
#include "lib/sync/publish.h"
#include "lib/sync/track.h"

#define ATTACHMENTS_MAX 256 /* sessions with a connection; others are only in the model */
#define GRACE_MS 3000 /* time without an answer after which a server is considered lost */
/* Interval for listing a server that announces nothing, since the library has no connection. */
#define LOOK_MS 1000
#define YOUNG_MS 100 /* minimum age of a server before the library attaches to it */
#define VERSION_RETRY_MS 60000 /* interval for retrying a server of an unsupported version */

static const struct parts everything = {.all = true};

static void free_attachments(struct muxbus_sync *sync)
{
	sync->primary = NULL;
	attachment_settle_spare(sync);
	attachment_end_beside(sync);
	while (!list_is_empty(&sync->attachments)) /* a reply may free other attachments */
		attachment_free(list_entry(sync->attachments.next, struct attachment, link));
}

static void end_waits(struct muxbus_sync *sync, int error)
{
	attach_delay_fail(sync, error);
	capture_fail_all(sync, error);
	lister_fail(sync, error);
	leaving_finish(sync);
	pane_pidfd_forget(&sync->server_pidfd, 0);
	pane_proc_close(&sync->pane_proc);
	loop_timeout_stop(&sync->exit_timer);
	sync->server = (struct identity){0};
	sync->way = sync->first_way;
}

static void end(struct muxbus_sync *sync)
{
	sync->is_lost = false;
	end_waits(sync, MUXBUS_ERR_CANCELLED);
	publish_end(sync);
	sync->state = MUXBUS_SYNC_IDLE;
}

static void lose(struct muxbus_sync *sync, int error, const char *reason)
{
	sync->is_lost = false;
	sync->attached = NULL;
	loop_timeout_stop(&sync->grace_timer);
	free_attachments(sync);
	sync->server = (struct identity){0};
	if (sync->state == MUXBUS_SYNC_LIVE)
		publish_loss(sync, error, reason);
	else
		sync_set_state(sync, MUXBUS_SYNC_SEARCHING, error, reason);
	end_waits(sync, MUXBUS_ERR_UNAVAILABLE);
	if (sync->is_started)
		reconnect_wait(&sync->reconnect, error);
	if (sync->is_started && error == MUXBUS_ERR_VERSION)
		loop_timeout_start(&sync->reconnect.timer, VERSION_RETRY_MS);
}

/*
 * tmux closes a session with destroy-unattached when its last client detaches; with exit-unattached
 * the server exits. Returns false if no user is attached to such a session or server.
 */
static bool may_attach(const struct muxbus_sync *sync, const struct muxbus_session *session)
{
	if (sync->exit_unattached && sync->people == 0)
		return false;
	return !session->destroy_unattached || session->attached > 0;
}

static bool is_to_leave(const struct attachment *attachment, const struct muxbus_session *session)
{
	return attachment->had_people && !may_attach(attachment->sync, session);
}

static unsigned count_attachments(const struct muxbus_sync *sync)
{
	unsigned count = 0;
	list_each (const struct attachment, attachment, &sync->attachments, link)
		count += attachment->state != ATTACHMENT_CLOSING;
	return count;
}

static void leave_sessions(struct muxbus_sync *sync)
{
	list_each_safe (struct attachment, attachment, &sync->attachments, link) {
		const struct muxbus_session *session =
		    muxbus_model_session(sync->model, attachment->session);
		if (attachment->session == MUXBUS_NO_ID || attachment->state == ATTACHMENT_CLOSING)
			continue;
		if (sync->is_detached || session == NULL || is_to_leave(attachment, session)) {
			attachment_close(attachment);
			continue;
		}
		attachment->had_people |= session->attached > 0;
	}
}

static void enter_sessions(struct muxbus_sync *sync)
{
	unsigned count = count_attachments(sync);
	bool was_full = sync->is_full;
	if (sync->is_detached || !sync->is_started)
		return;
	sync->is_full = false;
	next_each (const struct muxbus_session, session, muxbus_model_next_session, sync->model) {
		if (attachment_find(sync, session->id) != NULL || !may_attach(sync, session))
			continue;
		if (count++ >= ATTACHMENTS_MAX) {
			if (!was_full)
				library_log(MUXBUS_LOG_WARNING,
				    "more than %d sessions: some have no output", ATTACHMENTS_MAX);
			sync->is_full = true;
			return;
		}
		if (attachment_new(sync, session->id) == NULL) {
			lister_mark_all(sync);
			return;
		}
	}
}

/* Returns the due attachment whose session was used longest ago. NULL: none, or one is opening. */
static struct attachment *next_to_open(const struct muxbus_sync *sync)
{
	struct attachment *oldest = NULL;
	uint64_t oldest_activity = UINT64_MAX;
	list_each (struct attachment, attachment, &sync->attachments, link) {
		const struct muxbus_session *session =
		    muxbus_model_session(sync->model, attachment->session);
		uint64_t activity = session != NULL ? session->activity : 0;
		if (attachment->state == ATTACHMENT_OPENING)
			return NULL;
		if (attachment->state != ATTACHMENT_WAITING || !attachment->is_due ||
		    (oldest != NULL && activity >= oldest_activity))
			continue;
		oldest = attachment;
		oldest_activity = activity;
	}
	return oldest;
}

/* Uses the first connection's session again: tmux had attached it to the last used session. */
static void touch_scout(struct muxbus_sync *sync)
{
	list_each (struct attachment, attachment, &sync->attachments, link) {
		struct muxbus_command *command;
		if (!attachment->is_scout || attachment->state != ATTACHMENT_LIVE)
			continue;
		attachment->is_scout = false;
		if (count_attachments(sync) < 2)
			return;
		command = command_with("switch-client", "-E", "-t", NULL);
		muxbus_command_argf(command, "$%u", attachment->session);
		(void)attachment_run(attachment, command, NULL, NULL);
		return;
	}
}

static void open_next(struct muxbus_sync *sync)
{
	struct attachment *attachment;
	while ((attachment = next_to_open(sync)) != NULL) {
		int error;
		if (ping_is_waiting(&sync->ping) || !attach_delay_may_open(sync))
			return;
		error = attachment_open(attachment);
		if (error == 0)
			return;
		if (error == MUXBUS_ERR_NO_SERVER) {
			sync_lose_later(sync, error, muxbus_strerror(error));
			return;
		}
		library_log(MUXBUS_LOG_WARNING, "session $%u cannot be followed: %s",
		    attachment->session, muxbus_strerror(error));
	}
	if (!attachment_any(sync, ATTACHMENT_OPENING))
		touch_scout(sync);
}

static void look_later(struct muxbus_sync *sync)
{
	if (!sync->is_detached && primary_is_detached(sync) &&
	    !loop_timeout_is_running(&sync->grace_timer))
		loop_timeout_start(&sync->grace_timer, LOOK_MS);
}

static void stop_if_done(struct muxbus_sync *sync)
{
	void (*stopped)(void *data) = sync->stopped;

	if (stopped == NULL || !list_is_empty(&sync->attachments))
		return;
	end(sync);
	sync->stopped = NULL;
	stopped(sync->stopped_data);
}

static void on_settle(void *data)
{
	struct muxbus_sync *sync = data;
	if (!sync->is_started) {
		stop_if_done(sync);
		return;
	}
	if (sync->is_lost) {
		lose(sync, sync->lost_error, sync->lost_reason);
		return;
	}
	primary_choose(sync);
	if (sync->state == MUXBUS_SYNC_LIVE) {
		leaving_settle(sync);
		leave_sessions(sync);
		primary_choose(sync);
		enter_sessions(sync);
		open_next(sync);
		attachment_settle_spare(sync);
		look_later(sync);
		attachment_settle_output(sync);
		capture_begin(sync);
		lister_answer(sync);
		attach_delay_release(sync);
		primary_tell(sync);
	}
}

/* Delays the try if the server is new: early events could crash a new server (attach_delay.h). */
static bool is_too_young(struct muxbus_sync *sync)
{
	struct identity identity;
	int64_t age_ms;
	if (locate_identity(sync->socket_path, &identity) != 0)
		return false;
	age_ms = locate_age_ms(&identity);
	if (age_ms < 0 || age_ms >= YOUNG_MS)
		return false;
	loop_timeout_start(&sync->reconnect.timer, (unsigned)(YOUNG_MS - age_ms));
	return true;
}

static void on_try(void *data)
{
	struct muxbus_sync *sync = data;
	struct attachment *scout;
	int error;
	if (!sync->is_started || sync->state == MUXBUS_SYNC_LIVE ||
	    !list_is_empty(&sync->attachments) || ping_is_waiting(&sync->ping))
		return;
	ping_stop(&sync->ping);
	if (!sync->is_detached && is_too_young(sync))
		return;
	scout =
	    sync->is_detached ? attachment_new_detached(sync) : attachment_new(sync, MUXBUS_NO_ID);
	if (scout == NULL) {
		reconnect_wait(&sync->reconnect, MUXBUS_ERR_NOMEM);
		return;
	}
	scout->is_scout = !sync->is_detached;
	error = sync->is_detached ? primary_greet(scout) : attachment_open(scout);
	if (error == 0)
		return;
	attachment_free(scout);
	sync_set_state(sync, MUXBUS_SYNC_SEARCHING, error, muxbus_strerror(error));
	reconnect_wait(&sync->reconnect, error);
}

static void on_ping_answered(void *data)
{
	struct muxbus_sync *sync = data;
	if (!sync->is_started)
		return;
	list_each (struct attachment, attachment, &sync->attachments, link)
		attachment->is_due = true;
	if (sync->state != MUXBUS_SYNC_LIVE)
		loop_timeout_start(&sync->reconnect.timer, 0);
	sync_settle_later(sync);
}

/* Stores the server's identity. Returns false for none before LIVE, and for another while LIVE. */
static bool is_known_server(struct muxbus_sync *sync)
{
	struct identity identity;
	if (locate_identity(sync->socket_path, &identity) != 0)
		return sync->state == MUXBUS_SYNC_LIVE;
	if (sync->state == MUXBUS_SYNC_LIVE && !locate_is_same(&identity, &sync->server))
		return false;
	if (!locate_is_same(&identity, &sync->server)) {
		pane_proc_close(&sync->pane_proc);
		(void)pane_proc_open(&sync->pane_proc, "/proc", identity.pid);
		pane_pidfd_watch(&sync->server_pidfd, 0, identity.pid);
	}
	sync->server = identity;
	return true;
}

/* Without this flag, tmux writes layouts in the form before 3.7, without floating panes. */
static void ask_for_new_layouts(struct attachment *attachment)
{
	(void)attachment_run(
	    attachment, command_with("refresh-client", "-f", "new-layouts", NULL), NULL, NULL);
}

static void on_attachment_ready(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_version *version)
{
	loop_timeout_stop(&sync->grace_timer);
	if (!is_known_server(sync)) {
		sync_lose_later(sync, MUXBUS_ERR_CLOSED, "another server has taken its place");
		return;
	}
	sync->version = *version;
	if (attachment->detached == NULL)
		sync->way = muxbus_connection_way(attachment->connection);
	if (sync->state != MUXBUS_SYNC_LIVE)
		reconnect_stop(&sync->reconnect);
	else if (attachment->is_second_life)
		sync->reconnects++;
	attachment->is_second_life = true;
	if (attachment->detached == NULL && version->caps & MUXBUS_CAP_NEW_LAYOUTS)
		ask_for_new_layouts(attachment);
	if (sync->primary == NULL) {
		sync->primary = attachment;
		lister_resume(sync);
	}
	lister_mark_attached(sync);
	/* A detached sync lists only for waiting callers, so add one for the first listing. */
	if (attachment->detached != NULL && lister_wait(sync, &everything, 0, NULL, NULL) != 0)
		sync_lose_later(sync, MUXBUS_ERR_NOMEM, muxbus_strerror(MUXBUS_ERR_NOMEM));
	sync_settle_later(sync);
}

static void on_detached_lost(struct muxbus_sync *sync, int error)
{
	if (error == MUXBUS_ERR_TIMEOUT && sync->is_started)
		ping_start(&sync->ping);
	sync_lose_later(sync, error, muxbus_strerror(error));
}

static void on_server_ended(void *data, uint32_t unused UNUSED)
{
	struct muxbus_sync *sync = data;
	if (sync->is_started && primary_is_detached(sync))
		sync_lose_later(sync, MUXBUS_ERR_NO_SERVER, muxbus_strerror(MUXBUS_ERR_NO_SERVER));
}

/* Loses a server that does not answer; lists a server that announces nothing. */
static void on_grace_over(void *data)
{
	struct muxbus_sync *sync = data;
	if (sync->primary == NULL)
		sync_lose_later(sync, MUXBUS_ERR_TIMEOUT, muxbus_strerror(MUXBUS_ERR_TIMEOUT));
	else if (primary_is_detached(sync) && detail_watch_is_due(sync))
		lister_mark_all(sync);
	else
		look_later(sync);
}

/* Called when the last connection has ended: finds out whether the server has ended too. */
static void lost_all(struct muxbus_sync *sync, int error, const char *reason)
{
	struct identity identity;
	if (locate_identity(sync->socket_path, &identity) != 0)
		sync_lose_later(sync, MUXBUS_ERR_NO_SERVER, muxbus_strerror(MUXBUS_ERR_NO_SERVER));
	else if (!locate_is_same(&identity, &sync->server))
		sync_lose_later(sync, MUXBUS_ERR_NO_SERVER, reason);
	else if (error == MUXBUS_ERR_TIMEOUT)
		loop_timeout_start(&sync->grace_timer, GRACE_MS);
}

static void on_attachment_closed(
    struct muxbus_sync *sync, struct attachment *attachment, int error, const char *reason)
{
	char why[sizeof sync->lost_reason];
	bool was_primary = sync->primary == attachment;
	bool has_lived = was_primary && clock_mono_ms() - attachment->live_ms >= BACKOFF_MIN_MS;
	snprintf(why, sizeof why, "%s", reason); /* reason is freed with the connection */
	muxbus_connection_free(attachment->connection);
	attachment->connection = NULL;
	attachment->pid = 0;
	sync->announced++;
	if (was_primary)
		sync->primary = NULL;
	if (error == MUXBUS_ERR_TIMEOUT && sync->is_started)
		ping_start(&sync->ping);
	if (attachment->state == ATTACHMENT_CLOSING || error == MUXBUS_ERR_NO_SESSION)
		attachment_free(attachment);
	else if (has_lived && error != MUXBUS_ERR_TIMEOUT)
		attachment->is_due = true;
	if (!sync->is_started) {
		sync_settle_later(sync);
		return;
	}
	if (sync->state != MUXBUS_SYNC_LIVE) {
		sync_lose_later(sync, error != 0 ? error : MUXBUS_ERR_CLOSED, why);
		return;
	}
	primary_choose(sync);
	attachment_settle_spare(sync);
	if (!sync->is_detached && (sync->primary == NULL || primary_is_detached(sync)))
		lost_all(sync, error, why);
	lister_mark_all(sync);
	sync_settle_later(sync);
}

/* Returns true if our client is in another session: its session was closed, or a user moved it. */
static bool has_hopped(const struct attachment *attachment, const struct muxbus_event *event)
{
	return event->kind == MUXBUS_EVENT_SESSION_CHANGED &&
	    attachment->state == ATTACHMENT_LIVE && event->session != attachment->session;
}

static void on_attachment_event(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_event *event)
{
	if (announced_changes_model(event->kind)) {
		/* These two events may come from our own new clients. */
		if (event->kind != MUXBUS_EVENT_SESSION_CHANGED &&
		    event->kind != MUXBUS_EVENT_CLIENT_SESSION_CHANGED)
			attach_delay_disturb(sync);
		sync->announced++;
		announced_take(sync, attachment, event);
	} else if (event->kind == MUXBUS_EVENT_PAUSE) {
		attachment_paused(attachment, event->pane);
	} else {
		announced_note_text(sync);
	}
	if (attachment == sync->primary && sync->handlers.event != NULL)
		sync->handlers.event(sync->data, event);
	if (has_hopped(attachment, event)) {
		attachment_close(attachment);
		sync_settle_later(sync);
	}
}

static void on_published(struct muxbus_sync *sync)
{
	pane_exit_close_adopted(sync);
	sync_settle_later(sync);
}

static void on_process_ended(void *data, uint32_t pane)
{
	struct muxbus_sync *sync = data;
	pane_exit_ended(sync, pane);
	sync_settle_later(sync);
}

static void on_exit_due(void *data)
{
	pane_exit_look_again(data);
}

static const struct sync_callbacks callbacks = {
    .attachment_ready = on_attachment_ready,
    .attachment_closed = on_attachment_closed,
    .attachment_event = on_attachment_event,
    .detached_lost = on_detached_lost,
    .may_run_beside = attach_delay_may_run_beside,
    .connection_held = attach_delay_hold,
    .listed = publish_listing,
    .window_gone = announced_unlinked,
    .ask_leaving = leaving_ask,
    .published = on_published,
};

static int copy_options(struct muxbus_sync *sync, const struct muxbus_sync_options *options)
{
	sync->all_output = options->all_output;
	sync->all_wanted = options->all_output ? 1 : 0;
	sync->command_timeout_ms = options->command_timeout_ms;
	sync->first_way = options->way;
	sync->way = options->way;
	sync->socket_path = mem_strdup(options->socket_path);
	if (options->tmux_path != NULL)
		sync->tmux_path = mem_strdup(options->tmux_path);
	if (sync->socket_path == NULL || (options->tmux_path != NULL && sync->tmux_path == NULL))
		return MUXBUS_ERR_NOMEM;
	return model_new(&sync->empty);
}

int muxbus_sync_new(struct muxbus_loop *loop, const struct muxbus_sync_options *options,
    const struct muxbus_sync_handlers *handlers, void *data, struct muxbus_sync **ret_sync)
{
	struct muxbus_sync *sync;
	int error;
	if (options->socket_path == NULL)
		return MUXBUS_ERR_INVALID;
	sync = mem_calloc(1, sizeof *sync);
	if (sync == NULL)
		return MUXBUS_ERR_NOMEM;
	sync->loop = loop;
	sync->callbacks = &callbacks;
	sync->handlers = *handlers;
	sync->data = data;
	error = copy_options(sync, options);
	map_init(&sync->tracks);
	list_init(&sync->attachments);
	list_init(&sync->captures);
	sync->capture_tries = CAPTURE_TRIES;
	seen_ids_init(&sync->seen_ids);
	lister_init(sync);
	sync->pane_proc.root = -1;
	sync->spare = -1;
	pane_pidfd_init(&sync->pane_pidfd, loop, on_process_ended, sync);
	pane_pidfd_init(&sync->server_pidfd, loop, on_server_ended, sync);
	reconnect_init(&sync->reconnect, loop, sync->socket_path, on_try, sync);
	ping_init(&sync->ping, loop, sync->socket_path, on_ping_answered, sync);
	attach_delay_init(sync);
	leaving_init(sync);
	loop_timeout_init(&sync->settle_timer, loop, on_settle, sync);
	loop_timeout_init(&sync->exit_timer, loop, on_exit_due, sync);
	loop_timeout_init(&sync->grace_timer, loop, on_grace_over, sync);
	detail_watch_init(sync);
	if (error != 0) {
		muxbus_sync_free(sync);
		return error;
	}
	sync->model = sync->empty;
	*ret_sync = sync;
	return 0;
}

int muxbus_sync_start(struct muxbus_sync *sync)
{
	if (sync->is_started)
		return 0;
	if (sync->stopped != NULL)
		return MUXBUS_ERR_UNAVAILABLE;
	sync->is_started = true;
	sync->search_error = 1; /* no error has this number, so that the first result is reported */
	sync->state = MUXBUS_SYNC_SEARCHING;
	loop_timeout_start(&sync->reconnect.timer, 0);
	loop_timeout_start(&sync->details_timer, 0);
	return 0;
}

void muxbus_sync_stop(struct muxbus_sync *sync, void (*done)(void *data), void *data)
{
	sync->is_started = false;
	sync->attached = NULL;
	sync->stopped = done;
	sync->stopped_data = data;
	reconnect_stop(&sync->reconnect);
	ping_stop(&sync->ping);
	loop_timeout_stop(&sync->grace_timer);
	loop_timeout_stop(&sync->details_timer);
	if (done == NULL) {
		free_attachments(sync);
		end(sync);
		return;
	}
	sync->primary = NULL;
	attachment_settle_spare(sync);
	attachment_end_beside(sync);
	attachment_close_others(sync);
	sync_settle_later(sync);
}

void muxbus_sync_free(struct muxbus_sync *sync)
{
	if (sync == NULL)
		return;
	muxbus_sync_stop(sync, NULL, NULL);
	map_finish(&sync->tracks);
	pane_pidfd_finish(&sync->pane_pidfd);
	pane_pidfd_finish(&sync->server_pidfd);
	lister_finish(&sync->lister);
	loop_timeout_stop(&sync->settle_timer);
	model_free(sync->empty);
	mem_free(sync->socket_path);
	mem_free(sync->tmux_path);
	mem_free(sync);
}

const struct muxbus_model *muxbus_sync_model(const struct muxbus_sync *sync)
{
	return sync->is_started ? sync->model : sync->empty;
}

void muxbus_sync_info(const struct muxbus_sync *sync, struct muxbus_sync_info *ret_info)
{
	*ret_info = (struct muxbus_sync_info){
	    .version = sync->version,
	    .version_text = sync->version_text,
	    .socket_path = sync->socket_path,
	    .pid = sync->server.pid,
	    .way = sync->way,
	    .lists = sync->lister.wholes,
	    .part_lists = sync->lister.begun - sync->lister.wholes,
	    .audits = sync->audits,
	    .drift = sync->drift,
	    .output_bytes = sync->output_bytes,
	    .reconnects = sync->reconnects,
	};
	list_each (const struct attachment, attachment, &sync->attachments, link) {
		if (attachment->detached != NULL)
			continue;
		ret_info->connections += attachment->state == ATTACHMENT_LIVE;
		ret_info->process_connections += attachment->state == ATTACHMENT_LIVE &&
		    muxbus_connection_way(attachment->connection) == MUXBUS_WAY_PROCESS;
		ret_info->output_connections +=
		    attachment->state == ATTACHMENT_LIVE && attachment->flowing > 0;
	}
}

static int run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data)
{
	if (!primary_can_run(sync)) {
		muxbus_command_free(command);
		return MUXBUS_ERR_UNAVAILABLE;
	}
	return attach_delay_run(sync, command, read_back, reply, data);
}

int muxbus_sync_run(struct muxbus_sync *sync, struct muxbus_command *command, bool read_back,
    muxbus_reply_fn *reply, void *data)
{
	return run(sync, command, read_back ? &everything : NULL, reply, data);
}

int muxbus_sync_run_in_window(struct muxbus_sync *sync, struct muxbus_command *command,
    uint32_t window, muxbus_reply_fn *reply, void *data)
{
	struct parts parts = {0};
	parts_add_window(&parts, window);
	return run(sync, command, &parts, reply, data);
}

int muxbus_sync_want_output(struct muxbus_sync *sync, uint32_t pane, bool is_wanted)
{
	struct track *track = track_find(sync, pane);
	if (track == NULL || (!is_wanted && track->wanted == 0))
		return MUXBUS_ERR_NOT_FOUND;
	track->wanted += is_wanted ? 1 : -1u;
	if (track->wanted <= 1)
		sync_settle_later(sync);
	return 0;
}

enum muxbus_output muxbus_sync_output(const struct muxbus_sync *sync, uint32_t pane)
{
	const struct track *track = track_find(sync, pane);
	const struct muxbus_link *link;
	if (track == NULL || track->now == NULL)
		return MUXBUS_OUTPUT_NONE;
	if (track->own != MUXBUS_OUTPUT_NONE || !track_is_wanted(sync, track))
		return track->own;
	if (track->source != NULL)
		return MUXBUS_OUTPUT_FLOWING;
	link = model_first_link(sync->model, track->now->window);
	for (; link != NULL; link = model_next_window_link(sync->model, link)) {
		const struct muxbus_session *session =
		    muxbus_model_session(sync->model, link->session);
		const struct attachment *attachment = attachment_find(sync, link->session);
		/* The output of a new pane is held: for delivery, or to be dropped with a gap. */
		if (track->is_held && attachment != NULL && attachment->state == ATTACHMENT_LIVE &&
		    attachment->has_output)
			return MUXBUS_OUTPUT_FLOWING;
		if (attachment != NULL ||
		    (session != NULL && may_attach(sync, session) && !sync->is_full))
			return MUXBUS_OUTPUT_COMING;
	}
	return MUXBUS_OUTPUT_NONE;
}
