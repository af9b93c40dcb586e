/* SPDX-License-Identifier: ISC */
#include "daemon/pane/maker.h"

#include "base/process.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"

struct made {
	struct list link;
	struct pane_ref pane;
	/* start of its first process, in clock ticks since boot; 0: unknown */
	uint64_t start;
	struct pane_caller maker;
	bool closes; /* the pane closes with its program */
};

struct maker_set {
	struct queue *queue;
	struct tmux *tmux;
	struct list made;
};

static const struct record_field made_fields[] = {
    {RECORD_ROW(UINT64, struct made, start, "start")},
    {RECORD_ROW(PANE, struct made, maker.pane, "maker"), .is_optional = true},
    {RECORD_ROW(INT, struct made, maker.session, "session")},
    {RECORD_ROW(UINT64, struct made, maker.session_start, "session_start")},
    {RECORD_ROW(BOOL, struct made, closes, "closes"), .is_optional = true},
};

static const struct record_kind made_kind = {.prefix = "made/",
    .noun = "the maker of a pane",
    .rows = RECORD_ROWS(made_fields, NULL),
    .source = SOURCE_POST};

static struct made *add(struct maker_set *set)
{
	struct made *made = xcalloc(1, sizeof *made);
	list_append(&set->made, &made->link);
	return made;
}

static void forget(struct made *made)
{
	list_remove(&made->link);
	mem_free(made);
}

static bool load(void *data, const char *name, const struct json *value)
{
	struct maker_set *set = data;
	struct made *made = add(set);
	if (pane_ref_parse(name, &made->pane) && record_read(made_kind.rows, value, made))
		return true;
	forget(made);
	return false;
}

struct maker_set *maker_set_new(struct queue *queue, struct tmux *tmux)
{
	struct maker_set *set = xcalloc(1, sizeof *set);
	set->queue = queue;
	set->tmux = tmux;
	list_init(&set->made);
	queue_load(queue, &made_kind, load, set);
	return set;
}

void maker_set_free(struct maker_set *set)
{
	while (set != NULL && !list_is_empty(&set->made))
		forget(list_entry(set->made.next, struct made, link));
	mem_free(set);
}

static void tidy(struct maker_set *set)
{
	char name[PANE_REF_TEXT_SIZE];
	list_each_safe (struct made, made, &set->made, link) {
		if (pane_fate(set->tmux, &made->pane) != PANE_GONE)
			continue;
		pane_ref_format(&made->pane, name);
		record_delete(queue_store(set->queue), &made_kind, name);
		forget(made);
	}
}

void maker_note(struct maker_set *set, const struct pane_caller *caller,
    const struct pane_ref *pane, bool closes)
{
	char name[PANE_REF_TEXT_SIZE];
	struct made *made;
	if (set == NULL || pane->pane == MUXBUS_NO_ID ||
	    (caller->pane.pane == MUXBUS_NO_ID && caller->session == 0 && !closes))
		return;
	tidy(set);
	if (list_count(&set->made) >= MAKERS_MAX)
		return;
	made = add(set);
	made->pane = *pane;
	made->start = process_start_ticks(pane->pane_pid);
	made->maker = *caller;
	made->closes = closes;
	pane_ref_format(pane, name);
	record_put(queue_store(set->queue), &made_kind, name, made);
}

/* Compares callers: by their panes, whatever program is there; without panes, by their sessions. */
static bool is_caller(const struct pane_caller *one, const struct pane_caller *other)
{
	if (one->pane.pane != MUXBUS_NO_ID || other->pane.pane != MUXBUS_NO_ID)
		return one->pane.pane == other->pane.pane &&
		    one->pane.server_pid == other->pane.server_pid &&
		    one->pane.server_start == other->pane.server_start;
	return one->session != 0 && one->session == other->session &&
	    one->session_start == other->session_start;
}

/*
 * Returns true if the pane still has the first process that it was made with, even if this process
 * has ended and the pane is dead.
 */
static bool is_as_made(const struct maker_set *set, const struct made *made)
{
	uint64_t start = process_start_ticks(made->pane.pane_pid);
	return (start == 0 || start == made->start) &&
	    pane_fate(set->tmux, &made->pane) == PANE_THERE;
}

void maker_set_wake(struct maker_set *set)
{
	struct muxbus_sync *sync = tmux_sync(set->tmux);
	bool has_any = false;
	list_each (const struct made, made, &set->made, link)
		if (made->closes && is_as_made(set, made))
			has_any |= muxbus_sync_adopt_pane(sync, made->pane.pane, false) == 0;
	if (has_any) /* dead panes are closed when they are listed */
		(void)muxbus_sync_refresh(sync, MUXBUS_PART_PANES, 0, NULL, NULL);
}

bool maker_is(const struct maker_set *set, const struct pane_caller *caller, uint32_t pane)
{
	if (set == NULL)
		return false;
	list_each (const struct made, made, &set->made, link)
		if (made->pane.pane == pane && is_caller(&made->maker, caller) &&
		    is_as_made(set, made))
			return true;
	return false;
}
