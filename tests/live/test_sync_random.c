/* SPDX-License-Identifier: ISC */
/*
 * The model against the truth: after each of hundreds of random commands it must hold
 * exactly what `tmux list-panes -a`, run by itself and with a format of the test's own,
 * lists. The seed is printed; MUXBUS_TEST_SEED repeats a run. MUXBUS_TEST_LONG: 2,000 commands, or
 * as many as its number says. Of a long run 15 of 16 commands and listings go to tmux as one-shot
 * commands, which saves the start of a program; the 16th is by the program tmux.
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

enum {
	SESSIONS_MAX = 6,
	WINDOWS_MAX = 16,
	PANES_MAX = 40,
	SHORT_STEPS = 90,
	PROGRAM_EACH = 16, /* of the commands of a long run */
	ANSWER_MAX = 1 << 20,
};

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % limit;
}

/* Commands for tmux: by its program, or in a long run mostly by one shot. */

static struct {
	struct muxbus_loop *loop; /* NULL: always by the program */
	struct muxbus_one_shot_options options;
	struct buf answer;
	bool is_answered;
	unsigned told;
} shots;

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	(void)data;
	(void)error; /* many random commands fail */
	if (count == 1)
		(void)buf_append(&shots.answer, replies[0].body, replies[0].body_len);
	shots.is_answered = true;
}

/* The words of a command as the shell splits them; of quotes it has ' alone. */
static void add_words(struct muxbus_command *command, char *text)
{
	for (char *at = text + strspn(text, " "); *at != '\0'; at += strspn(at, " ")) {
		char *word = at, *to = at;
		bool is_quoted = false;
		for (; *at != '\0' && (is_quoted || *at != ' '); at++) {
			if (*at == '\'')
				is_quoted = !is_quoted;
			else
				*to++ = *at;
		}
		muxbus_command_arg(command, word, (size_t)(to - word));
	}
}

static const char *shoot(char *text)
{
	struct muxbus_command *command;
	buf_clear(&shots.answer);
	(void)buf_append(&shots.answer, "", 0);
	shots.is_answered = false;
	if (muxbus_command_new(&command) < 0)
		live_bail("no memory");
	add_words(command, text);
	if (muxbus_one_shot_run(shots.loop, &shots.options, command, on_reply, NULL, NULL) < 0)
		live_bail("tmux takes no command");
	while (!shots.is_answered) {
		if (muxbus_loop_dispatch(shots.loop, 1000) < 0)
			live_bail("the loop of the commands has failed");
	}
	while (shots.answer.len > 0 && shots.answer.data[shots.answer.len - 1] == '\n')
		shots.answer.data[--shots.answer.len] = '\0';
	return buf_text(&shots.answer);
}

static const char *tell(struct live *live, const char *format, ...) LIVE_PRINTF(2, 3);
static const char *tell(struct live *live, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (shots.loop == NULL || ++shots.told % PROGRAM_EACH == 0)
		return live_tmux(live, "%s", text);
	return shoot(text);
}

static void shots_begin(const struct live *live, bool is_long)
{
	buf_init(&shots.answer, ANSWER_MAX);
	shots.options = (struct muxbus_one_shot_options){
	    .socket_path = live->tmux_socket,
	    .tmux_path = live->tmux,
	    .way = MUXBUS_WAY_DIRECT, /* the same as that of tmux 3.6 on this machine */
	    .pane = MUXBUS_NO_ID,
	};
	if (is_long && muxbus_loop_new(&shots.loop) < 0)
		live_bail("no loop");
}

static void shots_end(void)
{
	muxbus_loop_free(shots.loop);
	shots.loop = NULL;
	buf_finish(&shots.answer);
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
	tell(chance->live, "split-window %s %s -t %%%u cat", below(2) ? "-h" : "-v",
	    below(2) ? "-d" : "", chance->pane->id);
	return true;
}

static bool new_window(struct chance *chance)
{
	if (chance->counts.windows >= WINDOWS_MAX)
		return false;
	tell(chance->live, "new-window %s -t '$%u:' -n w%u cat", below(2) ? "-d" : "",
	    chance->link->session, chance->number);
	return true;
}

static bool new_session(struct chance *chance)
{
	if (chance->counts.sessions >= SESSIONS_MAX)
		return false;
	tell(chance->live, "new-session -d -s s%u cat", chance->number);
	return true;
}

static bool group_session(struct chance *chance)
{
	if (chance->counts.sessions >= SESSIONS_MAX)
		return false;
	tell(chance->live, "new-session -d -s g%u -t '$%u'", chance->number, chance->link->session);
	return true;
}

static bool kill_session(struct chance *chance)
{
	if (chance->counts.sessions < 3 || windows_in(chance) > 1)
		return false;
	tell(chance->live, "kill-session -t '$%u'", chance->link->session);
	return true;
}

static bool kill_pane(struct chance *chance)
{
	if (!may_end_pane(chance->model, chance->pane))
		return false;
	tell(chance->live, "kill-pane -t %%%u", chance->pane->id);
	return true;
}

static bool kill_window(struct chance *chance)
{
	if (!may_end_window(chance->model, chance->link->window))
		return false;
	tell(chance->live, "kill-window -t @%u", chance->link->window);
	return true;
}

static bool swap_panes(struct chance *chance)
{
	tell(chance->live, "swap-pane %s -s %%%u -t %%%u", below(2) ? "-d" : "", chance->pane->id,
	    chance->other->id);
	return true;
}

/* This changes only links, and no version of tmux announces it. */
static bool swap_windows(struct chance *chance)
{
	chance->is_silent = true;
	tell(chance->live, "swap-window -d -s '$%u:%d' -t '$%u:%d'", chance->link->session,
	    chance->link->index, chance->other_link->session, chance->other_link->index);
	return true;
}

static bool move_window(struct chance *chance)
{
	if (windows_in(chance) < 2)
		return false;
	tell(chance->live, "move-window -d -s '$%u:%d' -t '$%u:%u'", chance->link->session,
	    chance->link->index, chance->other_link->session, 20 + below(20));
	return true;
}

static bool link_window(struct chance *chance)
{
	tell(chance->live, "link-window -d -s @%u -t '$%u:%u'", chance->link->window,
	    chance->other_link->session, 20 + below(20));
	return true;
}

static bool unlink_window(struct chance *chance)
{
	if (links_of(chance->model, chance->link->window) < 2 || windows_in(chance) < 2)
		return false;
	tell(chance->live, "unlink-window -t '$%u:%d'", chance->link->session, chance->link->index);
	return true;
}

/* No version announces the layout that this makes. */
static bool rotate(struct chance *chance)
{
	chance->is_silent = true;
	tell(chance->live, "rotate-window %s -t @%u", below(2) ? "-U" : "-D", chance->link->window);
	return true;
}

static bool rename_window(struct chance *chance)
{
	tell(chance->live, "rename-window -t @%u 'name %u | %%end'", chance->link->window,
	    chance->number);
	return true;
}

static bool rename_session(struct chance *chance)
{
	tell(chance->live, "rename-session -t '$%u' n%u", chance->link->session, chance->number);
	return true;
}

static bool respawn(struct chance *chance)
{
	tell(chance->live, "respawn-pane -k -t %%%u cat", chance->pane->id);
	return true;
}

static bool resize(struct chance *chance)
{
	tell(chance->live, "resize-pane -t %%%u -%c %u", chance->pane->id, "UDLR"[below(4)],
	    1 + below(5));
	return true;
}

static bool zoom(struct chance *chance)
{
	tell(chance->live, "resize-pane -Z -t %%%u", chance->pane->id);
	return true;
}

static bool select_layout(struct chance *chance)
{
	static const char *const layouts[] = {
	    "tiled", "even-horizontal", "even-vertical", "main-horizontal", "main-vertical"};
	tell(chance->live, "select-layout -t @%u %s", chance->link->window, layouts[below(5)]);
	return true;
}

static bool break_pane(struct chance *chance)
{
	if (muxbus_model_window(chance->model, chance->pane->window)->panes < 2)
		return false;
	tell(chance->live, "break-pane -d -s %%%u -t '$%u:'", chance->pane->id,
	    chance->link->session);
	return true;
}

static bool join_pane(struct chance *chance)
{
	if (chance->pane->window == chance->other->window ||
	    !may_end_pane(chance->model, chance->pane))
		return false;
	tell(chance->live, "join-pane -d -s %%%u -t %%%u", chance->pane->id, chance->other->id);
	return true;
}

static bool select_both(struct chance *chance)
{
	tell(chance->live, "select-window -t '$%u:%d'", chance->link->session, chance->link->index);
	tell(chance->live, "select-pane -t %%%u", chance->pane->id);
	return true;
}

/* Options that move all panes: tmux announces none of that. */
static bool set_borders(struct chance *chance)
{
	static const char *const words[] = {"off", "top", "bottom"};
	chance->is_silent = true;
	tell(chance->live, "set-option -g pane-border-status %s", words[below(3)]);
	return true;
}

static bool set_base_index(struct chance *chance)
{
	chance->is_silent = true;
	tell(chance->live, "set-option -g pane-base-index %u", below(3));
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
    rotate,
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
	    tell(comparison->followed->live, "list-panes -a -F '%s'", format));
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
	shots_begin(live, steps > SHORT_STEPS);
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
	shots_end();
	live_free(live);
}

int main(void)
{
	const char *is_long = getenv("MUXBUS_TEST_LONG");
	unsigned steps = is_long == NULL ? SHORT_STEPS : 2000;
	const char *const *paths;
	if (is_long != NULL && strtoul(is_long, NULL, 10) > 1)
		steps = (unsigned)strtoul(is_long, NULL, 10);
	for (paths = live_tmux_paths(); *paths != NULL; paths++) {
		test_version(*paths, false, steps);
		test_version(*paths, true, steps);
	}
	return done_testing();
}
