/* SPDX-License-Identifier: ISC */
#include "lib/sync/detached.h"

#include "lib/connection/command.h"
#include "lib/connection/one_shot.h"
#include "lib/connection/pending.h"
#include "lib/sync/state.h"

/* If a reply comes so soon after the last one, a channel is opened for the next lists. */
#define BURST_US 50000
#define CHANNEL_MS 10 /* how long a channel waits for the next list */
#define CHANNEL_END_MS 1000 /* how long tmux may take to end a channel */
#define REFUSED_MS 60000 /* how long no other channel is opened after a refusal */
/* If a list takes so long, and the server answers a ping, a hook or person delays the list. */
#define HOLD_MS 1000
#define NEXT_HOLD_MS 100 /* instead of HOLD_MS, for HOOKED_MS after a list was delayed */
#define HOOKED_MS 600000
#define HELD_MAX 64 /* maximum number of held lists */
/* A list that has timed out still runs, since a person may answer its prompt. */
#define LEFT_MAX 8 /* maximum number of such lists; then the oldest is cancelled */

struct detached {
	struct muxbus_sync *sync;
	struct list runs; /* lists in order; the first one runs or is next */
	uint64_t last; /* number of the newest list */
	struct list held; /* lists that run, but no longer delay later lists */
	struct list left; /* lists that timed out but still run, the oldest first */
	struct failing *failing; /* NULL, or the lists that on_reply() fails */
	struct loop_timeout hold_timer; /* sends a ping when the first list takes too long */
	struct ping ping;
	int failed_error, failed_errno; /* why the first list could not be started; 0: no error */
	struct loop_timeout timer; /* fires to report that error */
	int64_t ended_us;
	struct muxbus_one_shot
	    *channel; /* for the next list of a burst; NULL: none, or a run has it */
	uint32_t channel_pane; /* default target of the channel's lists */
	uint32_t last_pane; /* default target of the last list */
	int64_t refused_ms; /* when the server refused a channel; 0: never */
	struct loop_timeout channel_timer; /* opens the channel, ends it, and frees it */
};

struct failing {
	struct list runs;
	bool is_freed; /* a callback has freed the struct detached, and the runs too */
};

struct detached_run {
	struct list link;
	uint64_t number;
	struct detached *detached;
	struct muxbus_command *command; /* NULL after the list was started */
	struct muxbus_one_shot *one_shot; /* NULL until the list is started */
	uint32_t pane; /* default target of the list, and of its channel */
	bool is_held;
	struct pending *pending; /* the callback; NULL if it was already called with a timeout */
	struct loop_timeout timer; /* timeout of a held list */
};

static struct detached_run *first(const struct list *runs)
{
	return list_entry(runs->next, struct detached_run, link);
}

static void answer(
    struct detached_run *run, int error, const struct muxbus_reply *replies, size_t count)
{
	struct pending *pending = run->pending;
	muxbus_command_free(run->command);
	loop_timeout_stop(&run->timer);
	mem_free(run);
	if (pending == NULL)
		return;
	if (replies == NULL) {
		pending_fail(pending, error);
		return;
	}
	if (pending->reply != NULL)
		pending->reply(pending->data, error, replies, count);
	pending_free(pending);
}

static void take_all(struct list *runs, struct list *ret_runs)
{
	while (!list_is_empty(runs))
		list_move(ret_runs, runs->next);
}

static void fail_all(struct list *runs, int error)
{
	while (!list_is_empty(runs)) {
		struct detached_run *run = first(runs);
		list_remove(&run->link);
		answer(run, error, NULL, 0);
	}
}

static void close_channel(struct detached *detached)
{
	loop_timeout_stop(&detached->channel_timer);
	muxbus_one_shot_cancel(detached->channel);
	detached->channel = NULL;
}

/*
 * A channel needs a target of `source-file`, which exists since 3.4. While a hook delays lists, no
 * channel is opened, since the delayed list would keep the channel.
 */
static bool may_open_channel(const struct detached *detached)
{
	const struct muxbus_sync *sync = detached->sync;
	const struct muxbus_version *version = &sync->version;
	return sync->way != MUXBUS_WAY_PROCESS && !detached_is_hooked(sync) &&
	    (version->major > 3 || (version->major == 3 && version->minor >= 4)) &&
	    (detached->refused_ms == 0 || clock_mono_ms() - detached->refused_ms >= REFUSED_MS) &&
	    /* a channel would keep a server without sessions from exiting */
	    muxbus_model_next_session(sync->model, NULL) != NULL;
}

static struct muxbus_one_shot_options options_of(const struct muxbus_sync *sync, uint32_t pane)
{
	return (struct muxbus_one_shot_options){
	    .socket_path = sync->socket_path,
	    .tmux_path = sync->tmux_path,
	    .way = sync->way,
	    .pane = pane,
	    .flags = MUXBUS_ONE_SHOT_FILES,
	    .timeout_ms = sync->command_timeout_ms,
	};
}

static void on_channel_timer(void *data)
{
	struct detached *detached = data;
	struct muxbus_one_shot_options options;
	if (detached->channel == NULL) {
		options = options_of(detached->sync, detached->last_pane);
		detached->channel_pane = detached->last_pane;
		if (may_open_channel(detached) &&
		    channel_open(detached->sync->loop, &options, &detached->channel) == 0)
			loop_timeout_start(&detached->channel_timer, CHANNEL_MS);
		return;
	}
	switch (channel_state(detached->channel)) {
	case CHANNEL_OPENS:
	case CHANNEL_READY:
		channel_end(detached->channel);
		loop_timeout_start(&detached->channel_timer, CHANNEL_END_MS);
		break;
	case CHANNEL_REFUSED:
		detached->refused_ms = clock_mono_ms();
		close_channel(detached);
		break;
	default:
		close_channel(detached);
		break;
	}
}

/* Takes back the channel that has run a list, or opens one in a burst. */
static void keep_channel(struct detached *detached, const struct detached_run *run, bool is_burst)
{
	if (detached->channel != NULL && channel_state(detached->channel) == CHANNEL_OVER)
		close_channel(detached);
	if (detached->channel != NULL)
		return;
	if (run->one_shot != NULL && channel_keep(run->one_shot)) {
		detached->channel = run->one_shot;
		detached->channel_pane = run->pane;
		loop_timeout_start(&detached->channel_timer, CHANNEL_MS);
	} else if (is_burst) {
		loop_timeout_start(&detached->channel_timer, 0);
	}
}

static bool is_lost(int error)
{
	return error == MUXBUS_ERR_CLOSED || error == MUXBUS_ERR_NO_SERVER ||
	    error == MUXBUS_ERR_TIMEOUT;
}

static void stop_hold(struct detached *detached)
{
	loop_timeout_stop(&detached->hold_timer);
	ping_stop(&detached->ping);
}

/* The callbacks of the lists come last, since they may free detached. */
static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct detached_run *run = data;
	struct detached *detached = run->detached;
	struct failing failing = {.is_freed = false};
	int number = errno;
	const bool has_lost = is_lost(error);
	bool is_burst = clock_mono_us() - detached->ended_us < BURST_US;
	detached->ended_us = clock_mono_us();
	list_remove(&run->link);
	list_init(&failing.runs);
	if (!has_lost)
		keep_channel(detached, run, is_burst && !run->is_held);
	if (run->is_held) {
		sync_settle_later(detached->sync);
		errno = number;
		answer(run, error, replies, count);
		return;
	}
	stop_hold(detached);
	if (has_lost) {
		close_channel(detached);
		take_all(&detached->runs, &failing.runs);
		detached->failing = &failing;
		if (detached != detached->sync->beside) /* the connection reports its loss itself */
			detached->sync->callbacks->detached_lost(detached->sync, error);
		sync_settle_later(detached->sync);
	} else {
		detached_go_on(detached);
		sync_settle_later(detached->sync);
	}
	errno = number;
	answer(run, error, replies, count);
	fail_all(&failing.runs, error);
	if (has_lost && !failing.is_freed)
		detached->failing = NULL;
}

bool detached_is_hooked(const struct muxbus_sync *sync)
{
	return sync->hooked_ms != 0 && clock_mono_ms() - sync->hooked_ms < HOOKED_MS;
}

int64_t detached_hold_ms(const struct muxbus_sync *sync)
{
	return detached_is_hooked(sync) ? NEXT_HOLD_MS : HOLD_MS;
}

static int start(struct detached *detached, struct detached_run *run)
{
	const struct muxbus_sync *sync = detached->sync;
	struct muxbus_command *command = run->command;
	struct muxbus_one_shot_options options = options_of(sync, command_pane(command));
	run->command = NULL;
	run->pane = options.pane;
	detached->last_pane = options.pane;
	if (detached->channel == NULL || channel_state(detached->channel) != CHANNEL_READY ||
	    detached->channel_pane != options.pane || !command_is_synchronous(command))
		return muxbus_one_shot_run(
		    sync->loop, &options, command, on_reply, run, &run->one_shot);
	run->one_shot = detached->channel;
	detached->channel = NULL;
	loop_timeout_stop(&detached->channel_timer);
	return channel_run(run->one_shot, options.timeout_ms, command, on_reply, run);
}

void detached_go_on(struct detached *detached)
{
	const struct muxbus_sync *sync = detached->sync;
	struct detached_run *run;
	if (list_is_empty(&detached->runs) || detached->failed_error != 0)
		return;
	run = first(&detached->runs);
	if (run->command == NULL)
		return;
	if (detached == sync->beside && !sync->callbacks->may_run_beside(detached->sync)) {
		if (!loop_timeout_is_running(&detached->hold_timer) &&
		    !ping_is_waiting(&detached->ping))
			loop_timeout_start(&detached->hold_timer, detached_hold_ms(sync));
		return;
	}
	stop_hold(detached);
	detached->failed_error = start(detached, run);
	if (detached->failed_error == 0) {
		loop_timeout_start(&detached->hold_timer, detached_hold_ms(sync));
		return;
	}
	detached->failed_errno = errno;
	run->one_shot = NULL;
	loop_timeout_start(&detached->timer, 0);
}

static void on_timer(void *data)
{
	struct detached *detached = data;
	int error = detached->failed_error;
	detached->failed_error = 0;
	errno = detached->failed_errno;
	on_reply(first(&detached->runs), error, NULL, 0);
}

static void on_hold(void *data)
{
	struct detached *detached = data;
	if (list_count(&detached->held) < HELD_MAX)
		ping_start(&detached->ping);
	else
		loop_timeout_start(&detached->hold_timer, detached_hold_ms(detached->sync));
}

static void on_held(void *data)
{
	struct detached_run *run = data;
	struct detached *detached = run->detached;
	struct pending *pending = run->pending;
	run->pending = NULL;
	list_move(&detached->left, &run->link);
	if (list_count(&detached->left) > LEFT_MAX) {
		struct detached_run *oldest = first(&detached->left);
		muxbus_one_shot_cancel(oldest->one_shot);
		oldest->one_shot = NULL;
		on_reply(oldest, MUXBUS_ERR_CANCELLED, NULL, 0);
	}
	sync_settle_later(detached->sync);
	pending_fail(pending, MUXBUS_ERR_TIMEOUT);
}

/*
 * The server has answered the ping, so a hook or a person delays a reply. If the first list runs,
 * this is its reply, and the list is held from now on, or has timed out if it is a listing with
 * hooks. Otherwise the first list waits for the delayed reply of the connection.
 */
static void on_answered(void *data)
{
	struct detached *detached = data;
	const struct lister *lister = &detached->sync->lister;
	struct detached_run *run = first(&detached->runs);
	if (run->command != NULL) {
		detached->sync->callbacks->connection_held(detached->sync);
		detached_go_on(detached);
		return;
	}
	detached->sync->hooked_ms = clock_mono_ms();
	run->is_held = true;
	if (lister->source != NULL && run->pending->data == lister->source &&
	    !lister->running.is_unhooked) {
		on_held(run); /* the listing is repeated without hooks */
	} else {
		loop_timeout_start(&run->timer, one_shot_wait(run->one_shot));
		list_move(&detached->held, &run->link);
	}
	detached_go_on(detached);
	sync_settle_later(detached->sync);
}

struct detached *detached_new(struct muxbus_sync *sync)
{
	struct detached *detached = mem_calloc(1, sizeof *detached);
	if (detached == NULL)
		return NULL;
	detached->sync = sync;
	list_init(&detached->runs);
	list_init(&detached->held);
	list_init(&detached->left);
	loop_timeout_init(&detached->hold_timer, sync->loop, on_hold, detached);
	ping_init(&detached->ping, sync->loop, sync->socket_path, on_answered, detached);
	loop_timeout_init(&detached->timer, sync->loop, on_timer, detached);
	loop_timeout_init(&detached->channel_timer, sync->loop, on_channel_timer, detached);
	return detached;
}

void detached_free(struct detached *detached)
{
	struct list failed;
	if (detached == NULL)
		return;
	stop_hold(detached);
	loop_timeout_stop(&detached->timer);
	close_channel(detached);
	list_init(&failed);
	if (detached->failing != NULL) {
		detached->failing->is_freed = true;
		take_all(&detached->failing->runs, &failed);
	}
	take_all(&detached->left, &failed);
	take_all(&detached->held, &failed);
	take_all(&detached->runs, &failed);
	list_each (struct detached_run, run, &failed, link)
		muxbus_one_shot_cancel(run->one_shot);
	mem_free(detached);
	fail_all(&failed, MUXBUS_ERR_CANCELLED);
}

int detached_run(
    struct detached *detached, struct muxbus_command *command, muxbus_reply_fn *reply, void *data)
{
	struct detached_run *run = NULL;
	struct pending *pending;
	int error = pending_of(command, reply, data, &pending);
	if (error == 0 && (run = mem_alloc(sizeof *run)) == NULL) {
		pending_free(pending);
		error = MUXBUS_ERR_NOMEM;
	}
	if (error != 0) {
		muxbus_command_free(command);
		return error;
	}
	*run = (struct detached_run){.detached = detached,
	    .command = command,
	    .pending = pending,
	    .number = ++detached->last};
	loop_timeout_init(&run->timer, detached->sync->loop, on_held, run);
	list_append(&detached->runs, &run->link);
	detached_go_on(detached);
	return 0;
}

bool detached_is_busy(const struct detached *detached)
{
	return !list_is_empty(&detached->runs) || !list_is_empty(&detached->held);
}

uint64_t detached_last(const struct detached *detached)
{
	return detached != NULL ? detached->last : 0;
}

bool detached_is_past(const struct detached *detached, uint64_t number)
{
	return detached == NULL || list_is_empty(&detached->runs) ||
	    first(&detached->runs)->number > number;
}

bool detached_runs_now(const struct detached *detached)
{
	return detached != NULL && !list_is_empty(&detached->runs) &&
	    first(&detached->runs)->command == NULL;
}
