/* SPDX-License-Identifier: ISC */
/*
 * The model against the truth: after each of hundreds of random commands it must hold
 * exactly what `tmux list-panes -a`, run by itself and with a format of the test's own,
 * lists. The seed is printed; MUXBUS_TEST_SEED repeats a run. MUXBUS_TEST_LONG: 2,000 commands, or
 * as many as its number says.
 *
 * tmux up to 3.7c crashes if a session's current window and its last one die in the same
 * tick while a control client is there (it tells of the window that is shown next, and
 * there is none). So a command here never ends more than one window of a session, but for
 * kill-session on one whose current window alone has panes that live.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "followed.h"
#include "person.h"

enum { SESSIONS_MAX = 6, WINDOWS_MAX = 16, PANES_MAX = 40 };

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % limit;
}

/* Any record of a kind; NULL if there is none. */
static const struct muxbus_pane *any_pane(const struct muxbus_model *model)
{
	struct muxbus_model_counts counts;
	const struct muxbus_pane *pane = NULL;
	muxbus_model_counts(model, &counts);
	for (uint32_t i = counts.panes > 0 ? below(counts.panes) + 1 : 0; i > 0; i--)
		pane = muxbus_model_next_pane(model, pane);
	return pane;
}

static const struct muxbus_link *any_link(const struct muxbus_model *model)
{
	struct muxbus_model_counts counts;
	const struct muxbus_link *link = NULL;
	muxbus_model_counts(model, &counts);
	for (uint32_t i = counts.links > 0 ? below(counts.links) + 1 : 0; i > 0; i--)
		link = muxbus_model_next_link(model, link);
	return link;
}

static unsigned links_of(const struct muxbus_model *model, uint32_t window)
{
	const struct muxbus_link *link = NULL;
	unsigned count = 0;
	while ((link = muxbus_model_next_link(model, link)) != NULL)
		count += link->window == window;
	return count;
}

/* Whether a window may end: every session keeps a window. */
static bool may_end_window(const struct muxbus_model *model, uint32_t window)
{
	const struct muxbus_link *link = NULL;
	while ((link = muxbus_model_next_link(model, link)) != NULL) {
		if (link->window == window &&
		    muxbus_model_session(model, link->session)->windows <
			2 + links_of(model, window))
			return false;
	}
	return true;
}

static bool may_end_pane(const struct muxbus_model *model, const struct muxbus_pane *pane)
{
	return muxbus_model_window(model, pane->window)->panes > 1 ||
	    may_end_window(model, pane->window);
}

/* The actions: each does one thing, or returns that it is impossible now. */

/* The objects of an action, chosen at random. */
struct chance {
	struct live *live;
	const struct muxbus_model *model;
	struct muxbus_model_counts counts;
	unsigned number;
	bool is_silent; /* tmux does not announce the action */
	const struct muxbus_pane *pane;
	const struct muxbus_pane *other;
	const struct muxbus_link *link;
	const struct muxbus_link *other_link;
};

static unsigned windows_in(const struct chance *chance)
{
	return muxbus_model_session(chance->model, chance->link->session)->windows;
}

static bool split(struct chance *chance)
{
	if (chance->counts.panes >= PANES_MAX)
		return false;
	live_tmux(chance->live, "split-window %s %s -t %%%u cat", below(2) ? "-h" : "-v",
	    below(2) ? "-d" : "", chance->pane->id);
	return true;
}

static bool new_window(struct chance *chance)
{
	if (chance->counts.windows >= WINDOWS_MAX)
		return false;
	live_tmux(chance->live, "new-window %s -t '$%u:' -n w%u cat", below(2) ? "-d" : "",
	    chance->link->session, chance->number);
	return true;
}

static bool new_session(struct chance *chance)
{
	if (chance->counts.sessions >= SESSIONS_MAX)
		return false;
	live_tmux(chance->live, "new-session -d -s s%u cat", chance->number);
	return true;
}

static bool group_session(struct chance *chance)
{
	if (chance->counts.sessions >= SESSIONS_MAX)
		return false;
	live_tmux(
	    chance->live, "new-session -d -s g%u -t '$%u'", chance->number, chance->link->session);
	return true;
}

static bool kill_session(struct chance *chance)
{
	if (chance->counts.sessions < 3 || windows_in(chance) > 1)
		return false;
	live_tmux(chance->live, "kill-session -t '$%u'", chance->link->session);
	return true;
}

static bool kill_pane(struct chance *chance)
{
	if (!may_end_pane(chance->model, chance->pane))
		return false;
	live_tmux(chance->live, "kill-pane -t %%%u", chance->pane->id);
	return true;
}

static bool kill_window(struct chance *chance)
{
	if (!may_end_window(chance->model, chance->link->window))
		return false;
	live_tmux(chance->live, "kill-window -t @%u", chance->link->window);
	return true;
}

static bool swap_panes(struct chance *chance)
{
	live_tmux(chance->live, "swap-pane %s -s %%%u -t %%%u", below(2) ? "-d" : "",
	    chance->pane->id, chance->other->id);
	return true;
}

/* This changes only links, and no version of tmux announces it. */
static bool swap_windows(struct chance *chance)
{
	chance->is_silent = true;
	live_tmux(chance->live, "swap-window -d -s '$%u:%d' -t '$%u:%d'", chance->link->session,
	    chance->link->index, chance->other_link->session, chance->other_link->index);
	return true;
}

static bool move_window(struct chance *chance)
{
	if (windows_in(chance) < 2)
		return false;
	live_tmux(chance->live, "move-window -d -s '$%u:%d' -t '$%u:%u'", chance->link->session,
	    chance->link->index, chance->other_link->session, 20 + below(20));
	return true;
}

static bool link_window(struct chance *chance)
{
	live_tmux(chance->live, "link-window -d -s @%u -t '$%u:%u'", chance->link->window,
	    chance->other_link->session, 20 + below(20));
	return true;
}

static bool unlink_window(struct chance *chance)
{
	if (links_of(chance->model, chance->link->window) < 2 || windows_in(chance) < 2)
		return false;
	live_tmux(
	    chance->live, "unlink-window -t '$%u:%d'", chance->link->session, chance->link->index);
	return true;
}

static bool rename_window(struct chance *chance)
{
	live_tmux(chance->live, "rename-window -t @%u 'name %u | %%end'", chance->link->window,
	    chance->number);
	return true;
}

static bool rename_session(struct chance *chance)
{
	live_tmux(
	    chance->live, "rename-session -t '$%u' n%u", chance->link->session, chance->number);
	return true;
}

static bool respawn(struct chance *chance)
{
	live_tmux(chance->live, "respawn-pane -k -t %%%u cat", chance->pane->id);
	return true;
}

static bool resize(struct chance *chance)
{
	live_tmux(chance->live, "resize-pane -t %%%u -%c %u", chance->pane->id, "UDLR"[below(4)],
	    1 + below(5));
	return true;
}

static bool zoom(struct chance *chance)
{
	live_tmux(chance->live, "resize-pane -Z -t %%%u", chance->pane->id);
	return true;
}

static bool select_layout(struct chance *chance)
{
	static const char *const layouts[] = {
	    "tiled", "even-horizontal", "even-vertical", "main-horizontal", "main-vertical"};
	live_tmux(chance->live, "select-layout -t @%u %s", chance->link->window, layouts[below(5)]);
	return true;
}

static bool break_pane(struct chance *chance)
{
	if (muxbus_model_window(chance->model, chance->pane->window)->panes < 2)
		return false;
	live_tmux(chance->live, "break-pane -d -s %%%u -t '$%u:'", chance->pane->id,
	    chance->link->session);
	return true;
}

static bool join_pane(struct chance *chance)
{
	if (chance->pane->window == chance->other->window ||
	    !may_end_pane(chance->model, chance->pane))
		return false;
	live_tmux(
	    chance->live, "join-pane -d -s %%%u -t %%%u", chance->pane->id, chance->other->id);
	return true;
}

static bool select_both(struct chance *chance)
{
	live_tmux(
	    chance->live, "select-window -t '$%u:%d'", chance->link->session, chance->link->index);
	live_tmux(chance->live, "select-pane -t %%%u", chance->pane->id);
	return true;
}

/* Options that move all panes: tmux announces none of that. */
static bool set_borders(struct chance *chance)
{
	static const char *const words[] = {"off", "top", "bottom"};
	chance->is_silent = true;
	live_tmux(chance->live, "set-option -g pane-border-status %s", words[below(3)]);
	return true;
}

static bool set_base_index(struct chance *chance)
{
	chance->is_silent = true;
	live_tmux(chance->live, "set-option -g pane-base-index %u", below(3));
	return true;
}

/* Actions that are listed more than once run more often. */
static bool (*const actions[])(struct chance *chance) = {
    break_pane,
    group_session,
    join_pane,
    kill_pane,
    kill_pane,
    kill_pane,
    kill_session,
    kill_window,
    link_window,
    move_window,
    new_session,
    new_window,
    new_window,
    rename_session,
    rename_window,
    resize,
    respawn,
    select_both,
    select_layout,
    set_base_index,
    set_borders,
    split,
    split,
    split,
    swap_panes,
    swap_windows,
    unlink_window,
    zoom,
};

/* ACT_TOLD or ACT_SILENT, or ACT_NONE if the random action is impossible. */
enum acted { ACT_NONE, ACT_TOLD, ACT_SILENT };

static enum acted act(struct live *live, const struct muxbus_model *model, unsigned number)
{
	struct chance chance = {
	    .live = live,
	    .model = model,
	    .number = number,
	    .pane = any_pane(model),
	    .other = any_pane(model),
	    .link = any_link(model),
	    .other_link = any_link(model),
	};
	muxbus_model_counts(model, &chance.counts);
	if (!actions[below(sizeof actions / sizeof actions[0])](&chance))
		return ACT_NONE;
	return chance.is_silent ? ACT_SILENT : ACT_TOLD;
}

/* The listing of tmux, and the model in the same form. */

static const char truth_format[] =
    "#{session_id} #{session_name} #{window_id} #{window_index} #{window_active} #{window_name} "
    "%s #{window_zoomed_flag} #{pane_id} #{pane_index} "
    "#{pane_active} #{pane_width}x#{pane_height} #{pane_left},#{pane_top} #{pane_pid}";

/* Since 3.8 tmux gives layouts in another grammar to clients that are not control clients. */
static const char layout_format[] = "#{window_layout} #{window_visible_layout}";
static bool has_other_layouts;

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the lines of a text. */
static void sort_lines(struct buf *text)
{
	static char *lines[8192];
	size_t count = 0;
	struct buf sorted;
	char *line;
	buf_init(&sorted, text->max);
	if (text->len == 0)
		return;
	for (line = strtok((char *)text->data, "\n"); line != NULL && count < 8192;
	     line = strtok(NULL, "\n"))
		lines[count++] = line;
	qsort(lines, count, sizeof lines[0], compare_lines);
	for (size_t i = 0; i < count; i++)
		(void)buf_printf(&sorted, "%s\n", lines[i]);
	buf_finish(text);
	*text = sorted;
}

static void write_model(struct buf *out, const struct muxbus_model *model)
{
	const struct muxbus_link *link = NULL;
	while ((link = muxbus_model_next_link(model, link)) != NULL) {
		const struct muxbus_session *session = muxbus_model_session(model, link->session);
		const struct muxbus_window *window = muxbus_model_window(model, link->window);
		const struct muxbus_pane *pane = NULL;
		while ((pane = muxbus_model_next_pane(model, pane)) != NULL) {
			if (pane->window != link->window)
				continue;
			(void)buf_printf(out, "$%u %s @%u %d %d %s ", session->id, session->name,
			    window->id, link->index, link->is_current, window->name);
			if (!has_other_layouts)
				(void)buf_printf(
				    out, "%s %s", window->layout, window->visible_layout);
			(void)buf_printf(out, " %d %%%u %d %d %ux%u %d,%d %d\n", window->is_zoomed,
			    pane->id, pane->index, pane->is_active, pane->width, pane->height,
			    pane->left, pane->top, (int)pane->pid);
		}
	}
	sort_lines(out);
}

struct comparison {
	struct followed *followed;
	struct buf truth;
	struct buf model;
};

/* The model has the requested state; the truth does not change meanwhile. */
static bool is_equal(void *data)
{
	struct comparison *comparison = data;
	buf_clear(&comparison->model);
	write_model(&comparison->model, muxbus_sync_model(comparison->followed->sync));
	return comparison->model.len == comparison->truth.len &&
	    memcmp(comparison->model.data, comparison->truth.data, comparison->truth.len) == 0;
}

static void say_difference(const struct comparison *comparison)
{
	const char *model = (const char *)comparison->model.data;
	const char *truth = (const char *)comparison->truth.data;
	size_t same = 0, start;
	while (same < comparison->model.len && same < comparison->truth.len &&
	    model[same] == truth[same])
		same++;
	for (start = same; start > 0 && truth[start - 1] != '\n';)
		start--;
	diag("tmux:  %.*s", (int)strcspn(truth + start, "\n"), truth + start);
	diag("model: %.*s", (int)strcspn(model + start, "\n"), model + start);
}

/* Asks tmux for the true state. */
static void read_truth(struct comparison *comparison)
{
	char format[512];
	buf_clear(&comparison->truth);
	(void)snprintf(format, sizeof format, truth_format, has_other_layouts ? "" : layout_format);
	(void)buf_printf(&comparison->truth, "%s\n",
	    live_tmux(comparison->followed->live, "list-panes -a -F '%s'", format));
	sort_lines(&comparison->truth);
}

/* Runs the loop until the model equals the listing, for a second. */
static bool becomes_equal(struct comparison *comparison)
{
	int64_t end_ms = live_now_ms() + 1000;
	while (!is_equal(comparison)) {
		if (live_now_ms() > end_ms ||
		    muxbus_loop_dispatch(comparison->followed->loop, 50) < 0)
			return false;
	}
	return true;
}

/*
 * Whether the model becomes the truth by itself, in time. tmux names windows after their programs
 * half a second late, so the truth can change by itself too: the test asks tmux again.
 */
static bool is_true(struct followed *followed, int64_t *worst_ms)
{
	struct comparison comparison = {.followed = followed};
	int64_t start_ms = 0;
	bool is_good = false;
	buf_init(&comparison.truth, (size_t)4 << 20);
	buf_init(&comparison.model, (size_t)4 << 20);
	for (unsigned asked = 0; !is_good && asked < 10; asked++) {
		read_truth(&comparison);
		start_ms = live_now_ms();
		is_good = becomes_equal(&comparison);
	}
	if (live_now_ms() - start_ms > *worst_ms)
		*worst_ms = live_now_ms() - start_ms;
	if (!is_good)
		say_difference(&comparison);
	buf_finish(&comparison.truth);
	buf_finish(&comparison.model);
	return is_good;
}

static void on_audited(void *data, int error, unsigned count, const char *difference)
{
	*(int *)data = error == 0 ? (int)count + 1 : -1;
	if (difference != NULL)
		diag("%s", difference);
}

static bool is_audited(void *data)
{
	return *(int *)data != 0;
}

/* Each kind of beginning must have had one end, or still be in the model. */
static void check_balance(const struct followed *followed)
{
	struct muxbus_model_counts counts;
	muxbus_model_counts(muxbus_sync_model(followed->sync), &counts);
	is_int(followed_count(followed, "pane_created") - followed_count(followed, "pane_closed"),
	    counts.panes, "each pane was created and closed once");
	is_int(
	    followed_count(followed, "window_created") - followed_count(followed, "window_closed"),
	    counts.windows, "each window too");
	is_int(followed_count(followed, "session_created") -
		followed_count(followed, "session_closed"),
	    counts.sessions, "and each session");
	is_int(followed_count(followed, "state"), 1, "the server was never lost");
}

static void test_version(const char *tmux, bool with_person, unsigned steps)
{
	struct live *live = live_new(tmux);
	uint32_t seed = getenv("MUXBUS_TEST_SEED") != NULL
	    ? (uint32_t)strtoul(getenv("MUXBUS_TEST_SEED"), NULL, 10)
	    : (uint32_t)(live_now_ns() / 1000);
	struct followed *followed;
	struct person person = {0};
	unsigned step = 0;
	int64_t worst_ms = 0;
	int audit = 0;
	random_state = seed;
	live_start_tmux(live, "cat");
	live_tmux(live, "new-session -d -s home cat");
	followed = followed_new(live, false);
	has_other_layouts =
	    live_tmux(live, "display-message -p -t main: '#{window_layout}'")[0] == '{';
	if (with_person) {
		person = person_attach(live, "home");
		ok(followed_until_line(followed, "client_attached $1"), "a user is attached");
		followed_run_ms(followed, 200);
	}
	while (step < steps) {
		enum acted acted = act(live, muxbus_sync_model(followed->sync), step);
		if (acted == ACT_NONE)
			continue;
		/* Then the model is true on request, as for a caller of list_panes. */
		if (acted == ACT_SILENT && !followed_refresh(followed))
			break;
		if (with_person)
			person_look(&person);
		if (!is_true(followed, &worst_ms))
			break;
		step++;
	}
	is_int(step, steps, "tmux %s %s person, seed %u: the model is true after each step",
	    live->version, with_person ? "with a" : "without a", seed);
	diag("at most %lld ms later", (long long)worst_ms);
	check_balance(followed);
	if (muxbus_sync_audit(followed->sync, on_audited, &audit) == 0)
		(void)followed_until(followed, is_audited, &audit);
	is_int(audit, 1, "an audit finds no drift");
	if (with_person)
		person_leave(&person);
	followed_free(followed);
	live_free(live);
}

int main(void)
{
	const char *is_long = getenv("MUXBUS_TEST_LONG");
	unsigned steps = is_long == NULL ? 90 : 2000;
	const char *const *paths;
	if (is_long != NULL && strtoul(is_long, NULL, 10) > 1)
		steps = (unsigned)strtoul(is_long, NULL, 10);
	for (paths = live_tmux_paths(); *paths != NULL; paths++) {
		test_version(*paths, false, steps);
		test_version(*paths, true, steps);
	}
	return done_testing();
}
