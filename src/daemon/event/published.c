/* SPDX-License-Identifier: ISC */
#include "daemon/event/published.h"

static struct published {
	struct event_kind_info info; /* info.name NULL: the row was never used */
	bool is_taken; /* a provider has this kind */
	size_t holds; /* number of filters with the bit of this kind */
	uint64_t last; /* number of the last event of this kind */
} rows[EVENT_PUBLISHED_MAX];

static struct published *row_of(int kind)
{
	int place = kind - EVENT_KIND_COUNT_;
	return place >= 0 && place < EVENT_PUBLISHED_MAX ? &rows[place] : NULL;
}

const struct event_kind_info *published_info(int kind)
{
	const struct published *row = row_of(kind);
	return row != NULL && row->info.name != NULL ? &row->info : NULL;
}

/* Returns an unused row, or that of the old kind (published.h) with the oldest event; or NULL. */
static struct published *find_room(uint64_t oldest)
{
	struct published *left = NULL;
	for (size_t at = 0; at < EVENT_PUBLISHED_MAX; at++) {
		struct published *row = &rows[at];
		if (row->info.name == NULL)
			return row;
		if (!row->is_taken && row->holds == 0 && row->last < oldest &&
		    (left == NULL || row->last < left->last))
			left = row;
	}
	return left;
}

static void set_text(const char **member, const char *text)
{
	mem_free((char *)(uintptr_t)*member);
	*member = xstrdup(text);
}

int published_take(int kind, const char *name, const char *help, uint64_t oldest)
{
	struct published *row = kind >= 0 ? row_of(kind) : find_room(oldest);
	if (kind >= 0 && (row == NULL || row->is_taken))
		return -1;
	if (row == NULL)
		return -2;
	row->is_taken = true;
	set_text(&row->info.name, name);
	set_text(&row->info.help, help);
	row->info.members = "data pane provider";
	return (int)(row - rows) + EVENT_KIND_COUNT_;
}

void published_leave(int kind)
{
	row_of(kind)->is_taken = false;
}

void published_note(int kind, uint64_t seq)
{
	row_of(kind)->last = seq;
}

void published_hold(uint64_t kinds, int by)
{
	for (int at = 0; at < EVENT_PUBLISHED_MAX; at++)
		if (kinds >> (at + EVENT_KIND_COUNT_) & 1)
			rows[at].holds += (size_t)by;
}
