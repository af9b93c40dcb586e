/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/self_command.h"

#include "daemon/core/config.h"
#include "daemon/input/submit.h"
#include "daemon/input/submit_guard.h"
#include "daemon/pane/expected.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

enum {
	DATA_MAX = 8 * SELF_COMMAND_MAX,
	TEXT_SIZE = 128,
	LOOK_MIN_MS = 1000, /* least time between checks whether the command is done */
	LOOK_MAX_MS = 10000,
	/* longest life of a command; a notification reports the timeout */
	LIFE_MS = 3600 * 1000,
};

struct order {
	struct self_command public; /* must be the first member */
	struct self_command_set *set;
	struct submit *submit;
	struct loop_timer *timer;
	struct loop_timer *deadline;
	struct stream_tap tap;
	bool has_tap;
	bool is_asking; /* a reply of tmux is pending */
	bool is_over; /* has ended, and is freed when the reply has come */
	int64_t last_output_ms; /* CLOCK_MONOTONIC */
	int64_t look_ms;
};

struct self_command_set {
	const struct daemon *parts;
	struct list commands;
	int64_t last_number;
};

static const struct record_field command_fields[] = {
    {RECORD_ROW(INT, struct self_command, stage, "stage"), .values = SELF_COMMAND_RUNNING + 1},
    {RECORD_ROW(INT, struct self_command, created_ms, "created_ms")},
    {RECORD_ROW(INT, struct self_command, boot_ms, "boot_ms"), .is_optional = true},
    {RECORD_ROW(WORD, struct self_command, boot_id, "boot"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct self_command, number, "number"), .is_optional = true},
    {RECORD_ROW(PANE, struct self_command, pane, "pane")},
    {RECORD_ROW(THREAD, struct self_command, pane, "thread"), .is_optional = true},
    {RECORD_ROW(TEXT, struct self_command, text, "text")},
};

static const struct record_kind command_kind = {
    .prefix = "command/",
    .noun = "a command",
    .rows = RECORD_ROWS(command_fields, "#stage #created_ms $pane\n=text"),
    .source = SOURCE_COMMAND,
    .naming = RECORD_BY_ID,
};

static void command_store(const struct order *order)
{
	record_put(
	    queue_store(order->set->parts->queue), &command_kind, order->public.id, &order->public);
}

static void order_free(struct order *order)
{
	if (!order->is_over) {
		order->is_over = true;
		if (order->has_tap)
			stream_tap_remove(
			    order->set->parts->streams, order->public.pane.pane, &order->tap);
		submit_free(order->submit);
		loop_timer_free(order->timer);
		loop_timer_free(order->deadline);
		list_remove(&order->public.link);
	}
	if (order->is_asking)
		return; /* on_screen() will free the order */
	mem_free(order->public.text);
	mem_free(order);
}

static bool has_earlier(const struct order *order)
{
	list_each (const struct order, other, &order->set->commands, public.link) {
		if (other == order)
			return false;
		if (pane_ref_same_pane(&other->public.pane, &order->public.pane))
			return true;
	}
	return false;
}

static void order_wake(struct order *order)
{
	if (order->public.stage == SELF_COMMAND_RUNNING && !order->is_asking)
		loop_timer_arm(order->timer, 0);
	else if (order->public.stage != SELF_COMMAND_RUNNING && !has_earlier(order))
		submit_wake(order->submit);
}

static int64_t age_ms(const struct order *order)
{
	int64_t ms = clock_boot_ms() - order->public.boot_ms;
	return ms > 0 ? ms : 0;
}

static void write_data(
    struct buf *out, const struct order *order, const char *outcome, const char *reason)
{
	const struct self_command *command = &order->public;
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	(void)json_put_text(&writer, "command", command->text, strlen(command->text));
	json_put_str(&writer, "outcome", outcome);
	if (reason != NULL)
		(void)json_put_text(&writer, "reason", reason, strlen(reason));
	json_put_double(&writer, "elapsed_sec", (double)age_ms(order) / 1000);
	json_object_end(&writer);
}

/* Ends a command, in one transaction with its notification. Then begins the pane's next one. */
static void order_end(
    struct order *order, const char *outcome, const char *text, const char *reason)
{
	struct self_command_set *set = order->set;
	struct queue *queue = set->parts->queue;
	struct pane_ref pane = order->public.pane;
	struct notification_draft draft = {.source = SOURCE_COMMAND,
	    .id = order->public.id,
	    .pane = &order->public.pane,
	    .text = text};
	struct buf data = BUF(DATA_MAX);
	write_data(&data, order, outcome, reason);
	draft.data = (const char *)data.data;
	queue_begin(queue);
	record_delete(queue_store(queue), &command_kind, order->public.id);
	(void)queue_post(queue, &draft);
	queue_release_id(queue, order->public.id);
	order_free(order);
	(void)queue_commit(queue);
	buf_finish(&data);
	list_each (struct order, next, &set->commands, public.link) {
		if (pane_ref_same_pane(&next->public.pane, &pane)) {
			order_wake(next);
			break;
		}
	}
}

static void on_deadline(void *data)
{
	struct order *order = data;
	if (order->public.stage == SELF_COMMAND_RUNNING)
		order_end(
		    order, "timeout", "the command was submitted, its end was not seen", NULL);
	else
		order_end(order, "timeout", "the command was not typed: never was it safe", NULL);
}

static int64_t quiet_ms(const struct order *order)
{
	int64_t ms = order->set->parts->config->limits.deliver_quiet_ms;
	return ms > LOOK_MIN_MS ? ms : LOOK_MIN_MS;
}

static void look_later(struct order *order)
{
	loop_timer_arm(order->timer, order->look_ms);
	order->look_ms = order->look_ms * 2 < LOOK_MAX_MS ? order->look_ms * 2 : LOOK_MAX_MS;
}

static bool is_shell_in_front(const struct order *order, const struct muxbus_pane *pane)
{
	struct expected expected;
	return foreground_is_shell(pane->command) &&
	    (!expected_find(
		 queue_store(order->set->parts->queue), &order->public.pane, &expected) ||
		expected_place(&expected, pane->pid) != FOREGROUND_IN_FRONT);
}

static void on_screen(void *data, int error, const struct pane_screen *screen)
{
	struct order *order = data;
	const struct muxbus_pane *pane;
	char text[TEXT_SIZE];
	order->is_asking = false;
	if (order->is_over) {
		order_free(order);
		return;
	}
	pane = muxbus_model_pane(tmux_model(order->set->parts->tmux), order->public.pane.pane);
	if (error != 0 || pane == NULL || pane->in_mode ||
	    !submit_guard_empty(order->set->parts, &order->public.pane, pane, screen) ||
	    clock_mono_ms() - order->last_output_ms < quiet_ms(order)) {
		look_later(order);
		return;
	}
	if (pane->is_dead || screen->prompt.is_shell || is_shell_in_front(order, pane)) {
		order_end(order, "ended", "the program has ended with the command", NULL);
		return;
	}
	snprintf(
	    text, sizeof text, "the command is done after %.1f s", (double)age_ms(order) / 1000);
	order_end(order, "done", text, NULL);
}

static void on_output(
    struct stream_tap *tap, uint64_t offset UNUSED, const uint8_t *bytes UNUSED, size_t len UNUSED)
{
	struct order *order = list_entry(tap, struct order, tap);
	order->last_output_ms = clock_mono_ms();
	order->look_ms = LOOK_MIN_MS;
}

static void on_closed(struct stream_tap *tap)
{
	struct order *order = list_entry(tap, struct order, tap);
	order->has_tap = false;
	if (!order->is_asking)
		loop_timer_arm(order->timer, 0);
}

static void watch_output(struct order *order)
{
	if (order->has_tap)
		return;
	order->last_output_ms = clock_mono_ms();
	order->has_tap =
	    stream_tap_add(order->set->parts->streams, order->public.pane.pane, &order->tap) == 0;
}

/* Looks whether the command is done, but not before the pane has been quiet. */
static void on_timer(void *data)
{
	struct order *order = data;
	struct tmux *tmux = order->set->parts->tmux;
	int64_t left_ms;
	switch (pane_fate(tmux, &order->public.pane)) {
	case PANE_THERE:
		break;
	case PANE_UNKNOWN:
		return; /* the timer is armed again when tmux is connected */
	case PANE_GONE:
		order_end(order, "lost", "the pane is gone", NULL);
		return;
	}
	watch_output(order);
	left_ms = quiet_ms(order) - (clock_mono_ms() - order->last_output_ms);
	if (left_ms > 0) {
		loop_timer_arm(order->timer, left_ms);
		return;
	}
	order->is_asking = true;
	if (pane_screen_read(tmux, order->public.pane.pane, on_screen, order) < 0) {
		order->is_asking = false;
		look_later(order);
	}
}

/*
 * Gives the text to type, unless it may have run: an earlier daemon was about to type it, or tmux did
 * not say whether it was typed.
 */
static bool on_compose(void *data, struct submit_text *text)
{
	struct order *order = data;
	struct submit_past past;
	submit_read_past(order->submit, &past);
	if (past.before > 0)
		return false;
	order->public.stage = SELF_COMMAND_TYPED;
	command_store(order);
	(void)buf_append_str(&text->bytes, order->public.text);
	text->is_paste = text->is_bracketed = text->bytes.len <= SUBMIT_PASTE_SHOWN_MAX &&
	    submit_has_shortcut(order->public.text, text->bytes.len);
	return true;
}

static void on_deferred(void *data, const char *reason, bool is_new)
{
	struct order *order = data;
	if (is_new)
		log_debug("command %s waits: %s", order->public.id, reason);
}

static void on_ended(void *data, const struct submit_end *end)
{
	struct order *order = data;
	switch (end->result) {
	case SUBMIT_SUBMITTED:
		order->public.stage = SELF_COMMAND_RUNNING;
		command_store(order);
		loop_timer_arm(order->timer, 0);
		break;
	case SUBMIT_TYPED:
		order_end(order, "typed", "the command was typed, but not seen to be submitted",
		    end->reason);
		break;
	case SUBMIT_HELD: /* never happens, as the policy is not is_once */
	case SUBMIT_REFUSED:
		order_end(order, "refused", "the command was not typed", end->reason);
		break;
	case SUBMIT_NOTHING:
		order_end(order, "lost",
		    "it is not known whether the command was typed: look whether it ran", NULL);
		break;
	}
}

/* The submit engine checks all guards, and tries again while they forbid typing. */
static const struct submit_policy policy = {0};

static const struct submit_handlers handlers = {
    .compose = on_compose, .deferred = on_deferred, .ended = on_ended};

static bool is_later(const struct self_command *command, const struct self_command *other)
{
	return command->number != other->number ? command->number > other->number
						: command->created_ms > other->created_ms;
}

/* Keeps the list sorted: the store gives commands in another order. */
static void insert(struct self_command_set *set, struct order *order)
{
	struct list *before = &set->commands;
	while (before->prev != &set->commands &&
	    is_later(&list_entry(before->prev, struct order, public.link)->public, &order->public))
		before = before->prev;
	list_append(before, &order->public.link);
}

static struct order *order_new(struct self_command_set *set, const struct self_command *command)
{
	struct order *order = xcalloc(1, sizeof *order);
	order->set = set;
	order->public = *command;
	order->public.text = xstrdup(command->text);
	if (command->number > set->last_number)
		set->last_number = command->number;
	order->look_ms = LOOK_MIN_MS;
	order->tap.output = on_output;
	order->tap.closed = on_closed;
	order->timer = loop_timer_new(set->parts->base, on_timer, order);
	order->deadline = loop_timer_new(set->parts->base, on_deadline, order);
	order->submit = submit_new(set->parts->submits, &command->pane, &policy, &handlers, order);
	insert(set, order);
	loop_timer_arm(order->deadline, age_ms(order) < LIFE_MS ? LIFE_MS - age_ms(order) : 0);
	return order;
}

static bool order_load(void *data, const char *id, const struct json *value)
{
	struct self_command_set *set = data;
	struct self_command kept = {0};
	struct order *order;
	if (!record_read(command_kind.rows, value, &kept))
		return false;
	strcpy(kept.id, id);
	boot_clock_align(set->parts->clock, kept.boot_id, &kept.boot_ms, &kept.created_ms);
	order = order_new(set, &kept);
	queue_hold_id(set->parts->queue, id);
	if (kept.stage == SELF_COMMAND_TYPED)
		submit_resume(order->submit, &(struct submit_past){.line = order->public.text});
	record_finish(command_kind.rows, &kept);
	return true;
}

struct self_command_set *self_command_set_new(const struct daemon *parts)
{
	struct self_command_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	list_init(&set->commands);
	queue_load(parts->queue, &command_kind, order_load, set);
	return set;
}

void self_command_set_free(struct self_command_set *set)
{
	if (set == NULL)
		return;
	list_each_safe (struct order, order, &set->commands, public.link)
		order_free(order);
	mem_free(set);
}

void self_command_set_wake(struct self_command_set *set)
{
	list_each (struct order, order, &set->commands, public.link)
		order_wake(order);
}

const struct self_command *self_command_add(
    struct self_command_set *set, const struct pane_ref *pane, const char *text)
{
	struct self_command made = {.pane = *pane,
	    .text = (char *)(uintptr_t)text,
	    .number = set->last_number + 1,
	    .created_ms = clock_real_ms(),
	    .boot_ms = clock_boot_ms()};
	struct order *order;
	size_t count = 0;
	next_each (const struct self_command, command, self_command_next, set)
		count += pane_ref_same_pane(&command->pane, pane);
	if (list_count(&set->commands) == SELF_COMMANDS_MAX || count == SELF_COMMANDS_PANE_MAX)
		return NULL;
	strcpy(made.boot_id, set->parts->clock->boot_id);
	order = order_new(set, &made);
	queue_new_id(set->parts->queue, order->public.id);
	command_store(order);
	order_wake(order);
	return &order->public;
}

const struct self_command *self_command_next(
    const struct self_command_set *set, const struct self_command *previous)
{
	const struct list *link = previous == NULL ? set->commands.next : previous->link.next;
	return link == &set->commands ? NULL : list_entry(link, const struct self_command, link);
}

bool self_command_set_is_idle(const struct self_command_set *set)
{
	return list_is_empty(&set->commands);
}
