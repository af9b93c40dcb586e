/* SPDX-License-Identifier: ISC */
/* Many patterns, searched for in one pass over a block of lines. */
#include "daemon/core/pattern_set.h"

#include "base/xalloc.h"

void pattern_set_init(struct pattern_set *set)
{
	*set = (struct pattern_set){0};
	list_init(&set->members);
}

static void forget(struct pattern_set *set)
{
	literal_filter_finish(&set->filter);
	mem_free(set->sorted);
	mem_free(set->literals);
	set->sorted = NULL;
	set->literals = NULL;
	set->filtered = 0;
}

void pattern_set_finish(struct pattern_set *set)
{
	while (!list_is_empty(&set->members))
		list_remove(set->members.next);
	forget(set);
}

void pattern_set_add(
    struct pattern_set *set, struct pattern_member *member, struct pattern *pattern)
{
	*member = (struct pattern_member){0};
	line_matcher_init(&member->matcher, pattern);
	list_append(&set->members, &member->link);
	set->count++;
	set->is_stale = true;
}

void pattern_set_remove(struct pattern_set *set, struct pattern_member *member)
{
	if (member->link.next == NULL || list_is_empty(&member->link))
		return;
	list_remove(&member->link);
	set->count--;
	set->is_stale = true;
}

/*
 * Measured, in ns for each 100 bytes: a filter of each stride, and a literal searched for alone.
 */
static const struct {
	unsigned stride;
	unsigned cost;
} strides[] = {{1, 100}, {2, 55}, {4, 30}};
#define COST_ALONE 15

/* The stride that makes a search the cheapest; 0: each pattern alone. */
static unsigned choose_stride(const struct pattern_set *set)
{
	size_t alone[LITERAL_STRIDE_MAX + 1] = {0}; /* patterns whose literal is too short for it */
	size_t best_cost;
	unsigned best = 0;
	list_each (const struct pattern_member, member, &set->members, link) {
		unsigned stride = literal_stride(member->matcher.literal_len);
		for (unsigned longer = stride + 1; stride > 0 && longer <= LITERAL_STRIDE_MAX;
		     longer++)
			alone[longer]++;
		alone[0] += stride > 0;
	}
	best_cost = alone[0] * COST_ALONE;
	for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
		size_t cost = strides[i].cost + alone[strides[i].stride] * COST_ALONE;
		if (cost >= best_cost)
			continue;
		best_cost = cost;
		best = strides[i].stride;
	}
	return best;
}

/* Divides the members and makes the filter of their literals. */
static void renew(struct pattern_set *set)
{
	unsigned stride = choose_stride(set);
	size_t others = set->count;
	forget(set);
	set->is_stale = false;
	if (set->count == 0)
		return;
	set->sorted = xcalloc(set->count, sizeof *set->sorted);
	set->literals = xcalloc(set->count, sizeof *set->literals);
	list_each (struct pattern_member, member, &set->members, link) {
		const struct line_matcher *matcher = &member->matcher;
		if (stride == 0 || literal_stride(matcher->literal_len) < stride) {
			set->sorted[--others] = member;
			continue;
		}
		set->sorted[set->filtered] = member;
		set->literals[set->filtered++] =
		    (struct literal){.bytes = matcher->literal, .len = matcher->literal_len};
	}
	if (set->filtered > 0)
		literal_filter_make(&set->filter, set->literals, set->filtered, stride);
}

/* Tries each member on the lines in which its literal stands. */
static void find_filtered(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data)
{
	struct literal_hit hit = {0};
	struct matched_line line = {0};
	while (literal_filter_next(&set->filter, text, len, &hit)) {
		struct pattern_member *member = set->sorted[hit.literal];
		enum pattern_result result;
		if (member->done == set->searches)
			continue;
		if (hit.start >= line.after)
			line_at(text, len, line.after, hit.start, &line);
		if (member->tried == set->bytes + line.after)
			continue;
		member->tried = set->bytes + line.after;
		result = pattern_find(member->matcher.pattern, text + line.start,
		    line.end - line.start, 0, &line.match);
		if (result != PATTERN_NONE && !found(data, member, result, &line))
			member->done = set->searches;
	}
}

static void find_alone(struct pattern_member *member, const char *text, size_t len,
    pattern_found_fn *found, void *data)
{
	struct matched_line line;
	for (size_t from = 0; from < len; from = line.after) {
		enum pattern_result result = line_match(&member->matcher, text, len, from, &line);
		if (result == PATTERN_NONE || !found(data, member, result, &line))
			return;
	}
}

void pattern_set_find(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data)
{
	if (set->is_stale)
		renew(set);
	set->searches++;
	if (set->filtered > 0)
		find_filtered(set, text, len, found, data);
	for (size_t i = set->filtered; i < set->count; i++)
		find_alone(set->sorted[i], text, len, found, data);
	set->bytes += len;
}

void pattern_set_pick(
    struct pattern_set *set, const char *text, size_t len, pattern_picked_fn *picked, void *data)
{
	struct literal_hit hit = {0};
	size_t left;
	if (set->is_stale)
		renew(set);
	set->searches++;
	left = set->filtered;
	while (left > 0 && literal_filter_next(&set->filter, text, len, &hit)) {
		struct pattern_member *member = set->sorted[hit.literal];
		if (member->done == set->searches)
			continue;
		member->done = set->searches;
		left--;
		picked(data, member);
	}
	for (size_t i = set->count; i > set->filtered; i--)
		picked(data, set->sorted[i - 1]); /* in the order in which they were added */
}
