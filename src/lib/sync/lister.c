/* SPDX-License-Identifier: ISC */
#include "lib/sync/lister.h"

#include "lib/connection/command.h"
#include "lib/connection/connection_parts.h"
#include "lib/model/listing.h"
#include "lib/model/model.h"
#include "lib/sync/attachment.h"
#include "lib/sync/detached.h"
#include "lib/sync/details.h"
#include "lib/sync/track.h"

#define SPACING_MIN_US 10000
#define SPACING_MAX_US 40000 /* exceeded if a listing takes more than half of this */
#define SPACING_COSTS 4
#define RETRY_MS 100
#define REFUSALS_MAX 20 /* failed listings until the waiting callers get the error */
/* After so many listings in a row the whole server is listed, and counts as fresh in any case. */
#define ROUNDS_MAX 4
#define CUTS_MAX 8 /* after so many cut listings in a row, each counts as failed */
/* tmux numbers each command of ours, and the sentinel behind the command. */
#define NUMBERS_PER_COMMAND 2

struct lister_wait {
	struct list link;
	struct parts parts;
	uint64_t number; /* of the awaited listing */
	muxbus_done_fn *done;
	void *data;
};

/*
 * While a list runs beside the connection, no listing begins: the reply to the list must come
 * before the changes that the list makes.
 */
static bool may_begin(const struct muxbus_sync *sync)
{
	const struct lister *lister = &sync->lister;
	return !lister->is_running && !lister->is_publishing && sync->primary != NULL &&
	    !detached_runs_now(sync->beside) && detached_is_past(sync->beside, lister->behind);
}

void lister_finish(struct lister *lister)
{
	loop_timeout_stop(&lister->timer);
	list_each_safe (struct lister_wait, wait, &lister->waits, link) {
		list_remove(&wait->link);
		mem_free(wait);
	}
}

static int64_t spacing_us(const struct lister *lister)
{
	int64_t spacing = lister->cost_us * SPACING_COSTS;
	if (spacing > SPACING_MAX_US)
		spacing = SPACING_MAX_US;
	if (spacing < lister->cost_us * 2)
		spacing = lister->cost_us * 2;
	return spacing > SPACING_MIN_US ? spacing : SPACING_MIN_US;
}

static struct parts awaited_parts(const struct lister *lister)
{
	struct parts parts = {0};
	list_each (const struct lister_wait, wait, &lister->waits, link)
		if (wait->number > lister->begun)
			parts_add(&parts, &wait->parts);
	return parts;
}

static bool next_is_awaited(const struct lister *lister)
{
	list_each (struct lister_wait, wait, &lister->waits, link)
		if (wait->number > lister->begun)
			return true;
	return false;
}

/* Returns the time to the next listing; 0: end of the turn; -1: none is needed or may begin. */
static int64_t due_in_us(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	int64_t wait_us = 0;
	if (!may_begin(sync))
		return -1;
	if (sync->is_detached && list_is_empty(&lister->waits))
		return -1;
	if (lister->has_attached && !attachment_any(sync, ATTACHMENT_OPENING)) {
		lister->has_attached = false;
		lister->dirty.all = true;
	}
	if (!next_is_awaited(lister)) {
		if (parts_are_empty(&lister->dirty))
			return -1;
		if (lister->dirty.all && lister->whole_begun_us != 0)
			wait_us = lister->whole_begun_us + spacing_us(lister) - clock_mono_us();
	}
	return wait_us > 0 ? wait_us : 0;
}

static void consider(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	int64_t wait_us = due_in_us(sync);
	if (wait_us == 0 || (wait_us > 0 && !loop_timeout_is_running(&lister->timer)))
		loop_timeout_start(&lister->timer, (unsigned)((wait_us + 999) / 1000));
}

static void try_again_later(struct muxbus_sync *sync)
{
	sync->lister.dirty.all = true;
	if (!sync->is_detached || !list_is_empty(&sync->lister.waits))
		loop_timeout_start(&sync->lister.timer, RETRY_MS);
}

/* Makes callers that wait for this listing, or for an earlier one, wait for the next. */
static void wait_on(struct lister *lister)
{
	list_each (struct lister_wait, wait, &lister->waits, link)
		if (wait->number <= lister->begun)
			wait->number = lister->begun + 1;
}

/* Stores tmux's numbers. Returns true if tmux ran nothing else since the last reply. */
static bool note_numbers(struct lister *lister, const struct muxbus_reply *replies, size_t count)
{
	bool was_idle = lister->last_number != 0 && replies[0].number == lister->last_number + 1;
	for (size_t i = 1; i < count; i++)
		was_idle =
		    was_idle && replies[i].number == replies[i - 1].number + NUMBERS_PER_COMMAND;
	lister->last_number = replies[count - 1].number;
	if (lister->last_number != 0)
		lister->last_number += NUMBERS_PER_COMMAND - 1;
	return was_idle;
}

void lister_note_reading(struct muxbus_sync *sync, const struct muxbus_reply *replies, size_t count)
{
	uint64_t last = sync->lister.last_number;
	if (count == 0 || !note_numbers(&sync->lister, replies, count))
		sync->lister.last_number = last;
}

static void note_known(struct lister *lister, bool was_idle)
{
	const struct parts *read = &lister->running;
	struct parts *known = &lister->known;
	if (!was_idle)
		*known = (struct parts){0};
	known->indexes |= read->all || read->details || read->indexes;
	known->details |= read->all || read->details;
	known->titles |= known->details || read->titles;
	known->tree |= read->all || read->tree;
	known->clients |= read->all || read->clients;
	if (known->details && (read->all || lister->claims.details))
		lister->details_us = lister->begun_us;
	if (known->tree && (read->all || lister->claims.tree))
		lister->tree_us = lister->begun_us;
	if (known->clients && (read->all || lister->claims.clients))
		lister->clients_us = lister->begun_us;
}

static bool is_claim_true(const struct lister *lister)
{
	return (lister->known.indexes || !lister->claims.indexes) &&
	    (lister->known.details || !lister->claims.details) &&
	    (lister->known.titles || !lister->claims.titles) &&
	    (lister->known.tree || !lister->claims.tree) &&
	    (lister->known.clients || !lister->claims.clients);
}

/* Removes a closed window from the parts to list, also from those of waiting callers. */
static void forget_window(struct lister *lister, struct parts *rest, uint32_t window)
{
	parts_remove_window(rest, window);
	list_each (struct lister_wait, wait, &lister->waits, link)
		parts_remove_window(&wait->parts, window);
}

/* An object does not exist: a window counts as closed; anything else needs a whole listing. */
static void list_rest(struct muxbus_sync *sync, const struct muxbus_reply *replies, size_t count)
{
	struct lister *lister = &sync->lister;
	struct parts rest = lister->running;
	size_t gone = 0;
	while (gone < count && replies[gone].error == 0)
		gone++;
	wait_on(lister);
	if (gone < rest.windows.count) {
		uint32_t window = rest.windows.ids[gone];
		forget_window(lister, &rest, window);
		if (!sync_window_is_closed(sync, window))
			sync->callbacks->window_gone(sync, window);
	} else {
		rest.all = true;
	}
	rest.all |= ++lister->rounds >= ROUNDS_MAX;
	parts_add(&lister->dirty, &rest);
}

static bool wants_names(const struct parts *claims)
{
	return claims->details || claims->titles;
}

static bool names_are_due(const struct lister *lister)
{
	return (lister->claims.details && lister->known.details) ||
	    (lister->claims.titles && lister->known.titles);
}

/* Reads the replies to a listing. *ret_listing has no model if nothing was listed or changed. */
static int read_listing(struct muxbus_sync *sync, const struct muxbus_reply *replies, size_t count,
    struct listing *ret_listing)
{
	struct lister *lister = &sync->lister;
	int error = 0;
	*ret_listing = (struct listing){.model = NULL};
	if (!parts_are_empty(&lister->running))
		error = listing_read(
		    replies, count, sync->version.caps, &lister->running, sync->model, ret_listing);
	if (error != 0 || (lister->running.all && !lister->running.is_bare) ||
	    (!lister->running.all && !names_are_due(lister)))
		return error;
	return details_read(sync, ret_listing);
}

/* Marks a listing as torn that lacks a pane which may have moved or whose status is awaited. */
static void find_vanished(const struct muxbus_sync *sync, struct listing *listing)
{
	const struct parts *running = &sync->lister.running;
	if (listing->model == NULL)
		return;
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, sync->model) {
		if (muxbus_model_pane(listing->model, pane->id) != NULL)
			continue;
		listing->is_torn |= track_exit_is_awaited(sync, pane);
		if (running->all || part_ids_have(&running->places, pane->id))
			continue;
		parts_add_place(&listing->more, pane->id);
		listing->is_torn = true;
	}
}

/* Returns true if a listing cannot be right: it has malformed records and no session. */
static bool is_nonsense(const struct listing *listing)
{
	return listing->malformed > 0 && muxbus_model_next_session(listing->model, NULL) == NULL;
}

static int publish(struct muxbus_sync *sync, const struct muxbus_reply *replies, size_t count)
{
	struct lister *lister = &sync->lister;
	struct listing listing;
	struct parts more;
	bool in_doubt;
	int error;
	note_known(lister, note_numbers(lister, replies, count));
	error = read_listing(sync, replies, count, &listing);
	lister->cuts = listing.is_cut ? lister->cuts + 1 : 0;
	if (lister->cuts >= CUTS_MAX)
		error = MUXBUS_ERR_TIMEOUT;
	else if (error == 0 && lister->running.all && is_nonsense(&listing))
		error = MUXBUS_ERR_SYNTAX;
	if (error != 0) {
		model_free(listing.model);
		return error;
	}
	if (listing.version != NULL)
		lister->lacks_hooks = !listing.has_hook;
	find_vanished(sync, &listing);
	if (lister->running.is_bare && !parts_are_empty(&listing.more)) {
		lister->needs_names = true;
		listing.is_torn = true;
	}
	if ((!lister->running.all && listing.more.all) || listing.is_torn || listing.is_cut) {
		model_free(listing.model);
		wait_on(lister);
		parts_add(&lister->dirty, &lister->running);
		parts_add(&lister->dirty, &listing.more);
		return 0;
	}
	more = listing.more;
	lister->previous = lister->whole;
	lister->is_publishing = true;
	if (listing.model != NULL)
		error = sync->callbacks->listed(sync, &listing, &lister->running, lister->begun);
	lister->is_publishing = false;
	if (error != 0)
		return error;
	if (lister->running.all) {
		lister->whole = lister->begun;
		lister->cost_us = clock_mono_us() - lister->begun_us;
	}
	/* leaving.c may hold a window that is closed by now, which callers must not see. */
	in_doubt = !list_is_empty(&lister->waits) && sync->callbacks->ask_leaving(sync);
	lister->rounds = parts_are_empty(&more) && !in_doubt ? 0 : lister->rounds + 1;
	/* The model may lack windows or have closed ones: after some rounds list all. */
	more.all |= lister->rounds >= ROUNDS_MAX && !lister->running.all;
	if (!is_claim_true(lister) ||
	    (lister->rounds > 0 && (lister->rounds < ROUNDS_MAX || more.all)))
		wait_on(lister);
	parts_add(&lister->dirty, &more);
	return 0;
}

static void answer(struct muxbus_sync *sync, uint64_t number, int error)
{
	struct list ready;
	list_init(&ready);
	list_each_safe (struct lister_wait, wait, &sync->lister.waits, link)
		if (wait->number <= number)
			list_move(&ready, &wait->link);
	while (!list_is_empty(&ready)) {
		struct lister_wait *wait = list_entry(ready.next, struct lister_wait, link);
		list_remove(&wait->link);
		if (wait->done != NULL)
			wait->done(wait->data, error);
		mem_free(wait);
	}
}

static void on_listed(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	const struct attachment *source = data;
	struct muxbus_sync *sync = source->sync;
	struct lister *lister = &sync->lister;
	if (lister->source != source)
		return;
	lister->source = NULL;
	lister->is_running = false;
	if (source->connection != NULL && connection_take_hooked(source->connection))
		sync->hooked_ms = clock_mono_ms();
	if (error == 0 ||
	    (error == MUXBUS_ERR_COMMAND &&
		listing_has_no_session(&lister->running, replies, count)))
		error = publish(sync, replies, count);
	else
		lister->last_number = 0;
	if (error == MUXBUS_ERR_TIMEOUT && detached_is_hooked(sync) &&
	    !lister->running.is_unhooked) {
		wait_on(lister);
		parts_add(&lister->dirty, &lister->running);
		consider(sync);
		return;
	}
	if (error == MUXBUS_ERR_COMMAND && !lister->running.all) {
		list_rest(sync, replies, count);
		consider(sync);
		return;
	}
	if (error != 0) {
		/* tmux may fail forever, for example if a command-alias has our command's name. */
		if (++lister->refusals >= REFUSALS_MAX)
			answer(sync, UINT64_MAX, error);
		if (sync->primary != NULL)
			try_again_later(sync);
		return;
	}
	lister->refusals = 0;
	lister->done = lister->begun;
	if (lister->dirty.windows.count == 0)
		lister->added.count = 0;
	sync->callbacks->published(sync);
	lister_answer(sync);
}

/* Without events, most parts need the tree; indexes, details and titles need the whole server. */
static void choose_detached(struct parts *parts, bool is_awaited)
{
	parts->all |= parts->indexes || parts->details || parts->titles;
	parts->tree |= is_awaited || parts->windows.count == 0;
}

static void choose_parts(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	const bool is_unannounced = sync->primary->detached != NULL;
	const struct parts awaited = awaited_parts(lister);
	const struct parts claims = {.indexes = awaited.indexes,
	    .details = awaited.details,
	    .titles = awaited.titles && !awaited.details,
	    .tree = awaited.tree,
	    .layouts = awaited.tree,
	    .clients = awaited.clients};
	struct parts parts = awaited;
	parts.indexes = parts.details = parts.titles = parts.tree = parts.clients = false;
	parts.layouts = false;
	parts_add(&parts, &lister->dirty);
	lister->claims = claims;
	lister->dirty = (struct parts){0};
	if (is_unannounced || !is_claim_true(lister))
		parts_add(&parts, &claims);
	else if (wants_names(&claims))
		details_add_written(sync, &parts);
	if (parts.details || parts.titles)
		details_add_dead(sync, &parts);
	if (is_unannounced)
		choose_detached(&parts, !parts_are_empty(&awaited));
	parts.is_bare = parts.all && sync->pane_proc.root >= 0 && !lister->needs_names;
	/* Counted texts are safe here: a one-shot does not search its output for block lines. */
	parts.is_counted = is_unannounced && lister->cuts < CUTS_MAX &&
	    (sync->version.caps & MUXBUS_CAP_PRINT_ENCODED) == 0;
	parts.is_unhooked =
	    (!lister->lacks_hooks || detached_is_hooked(sync)) && lister->cuts < CUTS_MAX / 2;
	lister->running = parts;
}

/* Returns true if the listing takes tmux long enough to read commands from /proc meanwhile. */
static bool can_read_ahead(const struct lister *lister)
{
	const struct parts *running = &lister->running;
	if (running->all)
		return running->is_bare;
	return wants_names(&lister->claims) &&
	    (running->details || running->titles || running->windows.count > 0);
}

static void begin(void *data)
{
	struct muxbus_sync *sync = data;
	struct lister *lister = &sync->lister;
	struct muxbus_command *command;
	loop_timeout_stop(&lister->timer);
	if (!may_begin(sync))
		return;
	command = command_new();
	choose_parts(sync);
	listing_write(command, &lister->running);
	lister->begun_us = clock_mono_us();
	lister->begun_sec = clock_real_ms() / 1000;
	if (lister->running.all)
		lister->whole_begun_us = lister->begun_us;
	if (attachment_run(sync->primary, command, on_listed, sync->primary) != 0) {
		try_again_later(sync);
		return;
	}
	lister->is_running = true;
	lister->source = sync->primary;
	lister->begun++;
	lister->behind = detached_last(sync->beside);
	lister->wholes += lister->running.all;
	seen_ids_begin_listing(&sync->seen_ids, &lister->running);
	if (can_read_ahead(lister))
		details_read_ahead(sync);
}

void lister_init(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	list_init(&lister->waits);
	loop_timeout_init(&lister->timer, sync->loop, begin, sync);
}

void lister_mark(struct muxbus_sync *sync, const struct parts *parts)
{
	parts_add(&sync->lister.dirty, parts);
	consider(sync);
}

void lister_mark_window(struct muxbus_sync *sync, uint32_t window)
{
	parts_add_window(&sync->lister.dirty, window);
	consider(sync);
}

void lister_mark_all(struct muxbus_sync *sync)
{
	sync->lister.dirty.all = true;
	consider(sync);
}

void lister_mark_attached(struct muxbus_sync *sync)
{
	sync->lister.has_attached = true;
	consider(sync);
}

void lister_take_turn(struct muxbus_sync *sync)
{
	if (due_in_us(sync) == 0)
		begin(sync);
}

bool lister_reads_window(const struct lister *lister, uint32_t window)
{
	return lister->is_running &&
	    (lister->running.all || part_ids_have(&lister->running.windows, window));
}

static bool is_settled(const struct muxbus_sync *sync)
{
	return sync->lister.done == sync->lister.begun && parts_are_empty(&sync->lister.dirty) &&
	    !sync->leaving.is_held;
}

static bool lister_is_fresh(
    const struct muxbus_sync *sync, const struct parts *parts, int64_t max_age_us)
{
	const struct lister *lister = &sync->lister;
	int64_t since_us = clock_mono_us() - max_age_us;
	if (!is_settled(sync) || max_age_us <= 0 || parts->all || parts->indexes ||
	    parts->windows.count > 0)
		return false;
	return (!parts->details || (lister->details_us > 0 && lister->details_us >= since_us)) &&
	    (!parts->tree || (lister->tree_us > 0 && lister->tree_us >= since_us)) &&
	    (!parts->clients || (lister->clients_us > 0 && lister->clients_us >= since_us));
}

int lister_wait(struct muxbus_sync *sync, const struct parts *parts, int64_t max_age_us,
    muxbus_done_fn *done, void *data)
{
	struct lister *lister = &sync->lister;
	struct lister_wait *wait = mem_calloc(1, sizeof *wait);
	const uint64_t last = detached_last(sync->beside);
	if (wait == NULL)
		return MUXBUS_ERR_NOMEM;
	wait->parts = *parts;
	wait->done = done;
	wait->data = data;
	if (!next_is_awaited(lister))
		lister->behind = last;
	wait->number = lister->begun +
	    (lister->behind < last && !detached_is_past(sync->beside, last) ? 2 : 1);
	if (lister_is_fresh(sync, parts, max_age_us))
		wait->number = lister->done;
	list_append(&lister->waits, &wait->link);
	if (wait->number <= lister->done)
		sync_settle_later(sync);
	else
		consider(sync);
	return 0;
}

void lister_look_detached(struct muxbus_sync *sync)
{
	static const struct parts outdated = {.all = false}; /* no parts but the dirty ones */
	if (sync->is_detached && sync->state == MUXBUS_SYNC_LIVE)
		(void)lister_wait(sync, &outdated, 0, NULL, NULL);
}

void lister_resume(struct muxbus_sync *sync)
{
	sync->lister.is_running = false;
	sync->lister.source = NULL;
	sync->lister.dirty.all = true;
	sync->lister.whole_begun_us = 0;
	sync->lister.last_number = 0;
	consider(sync);
}

void lister_fail(struct muxbus_sync *sync, int error)
{
	struct lister *lister = &sync->lister;
	loop_timeout_stop(&lister->timer);
	lister->is_running = false;
	lister->source = NULL;
	lister->has_attached = false;
	lister->needs_names = false;
	lister->lacks_hooks = false;
	lister->refusals = 0;
	lister->dirty = (struct parts){0};
	lister->added.count = 0;
	lister->known = (struct parts){0};
	lister->whole_begun_us = 0;
	lister->last_number = 0;
	answer(sync, UINT64_MAX, error);
}

void lister_answer(struct muxbus_sync *sync)
{
	answer(sync, sync->lister.done, 0);
	consider(sync);
}

static struct parts parts_of(unsigned parts)
{
	return (struct parts){
	    .indexes = parts & MUXBUS_PART_INDEXES,
	    .details = parts & MUXBUS_PART_PANES,
	    .tree = parts & MUXBUS_PART_SESSIONS,
	    .clients = parts & MUXBUS_PART_CLIENTS,
	};
}

int muxbus_sync_refresh(
    struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms, muxbus_done_fn *done, void *data)
{
	struct parts wanted = parts_of(parts);
	if (muxbus_sync_state(sync) != MUXBUS_SYNC_LIVE)
		return MUXBUS_ERR_UNAVAILABLE;
	return lister_wait(sync, &wanted, (int64_t)max_age_ms * 1000, done, data);
}

int muxbus_sync_refresh_window(
    struct muxbus_sync *sync, uint32_t window, unsigned parts, muxbus_done_fn *done, void *data)
{
	struct parts wanted = parts_of(parts);
	if (muxbus_sync_state(sync) != MUXBUS_SYNC_LIVE)
		return MUXBUS_ERR_UNAVAILABLE;
	parts_add_window(&wanted, window);
	return lister_wait(sync, &wanted, 0, done, data);
}

bool muxbus_sync_is_fresh(const struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms)
{
	struct parts wanted = parts_of(parts);
	return muxbus_sync_state(sync) == MUXBUS_SYNC_LIVE &&
	    lister_is_fresh(sync, &wanted, (int64_t)max_age_ms * 1000);
}

bool muxbus_sync_pane_is_fresh(const struct muxbus_sync *sync, uint32_t pane, unsigned max_age_ms)
{
	const struct track *track = track_find(sync, pane);
	int64_t since_us = clock_mono_us() - (int64_t)max_age_ms * 1000;
	if (muxbus_sync_is_fresh(sync, MUXBUS_PART_PANES, max_age_ms))
		return true;
	return muxbus_sync_state(sync) == MUXBUS_SYNC_LIVE && max_age_ms > 0 && is_settled(sync) &&
	    track != NULL && track->now != NULL && track->fresh_us > 0 &&
	    track->fresh_us >= since_us;
}
