/* SPDX-License-Identifier: ISC */
#include "daemon/agent/agent_task.h"

#include <muxbus.h>

#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_private.h"
#include "daemon/agent/agent_question.h"
#include "daemon/agent/agent_report.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/queue/queue.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

enum {
	/* longest timer; a later deadline takes several of them */
	STEP_MS = 86400000,
	HELD_MS = 700, /* delay until the next try to type, or the next look at a running task */
	KEYS_MAX = 1000, /* bytes typed as keys; more is pasted if the program takes pastes */
	PROGRESS_MS = 250, /* between two progress reports */
};

static const char begun_advice[] =
    "an answer has been begun there: the person who began it may send it, or take it back";

static const char asks_other[] = "it asks something else now";
static const char goes_on[] = "the peer has gone; the task goes on";

struct kept_task {
	struct agent_task task; /* only its members with a row below are stored */
	char agent[AGENT_NAME_MAX + 1];
	int64_t typed_ms; /* CLOCK_REALTIME; 0: not typed, or an old daemon stored no time */
};

static const struct record_field task_fields[] = {
    {RECORD_ROW(WORD, struct kept_task, agent, "agent")},
    {RECORD_ROW(INT, struct kept_task, task.stage, "stage"), .values = TASK_RUNNING + 1},
    {RECORD_ROW(INT, struct kept_task, task.created_ms, "created_ms")},
    {RECORD_ROW(INT, struct kept_task, task.due_ms, "due_ms")},
    {RECORD_ROW(INT, struct kept_task, typed_ms, "typed_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_task, task.due_boot_ms, "due_boot_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_task, task.typed_ms, "typed_boot_ms"), .is_optional = true},
    {RECORD_ROW(WORD, struct kept_task, task.boot_id, "boot"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_task, task.max_bytes, "max_bytes")},
    {RECORD_ROW(PANE, struct kept_task, task.teller, "teller"), .is_optional = true},
    {RECORD_ROW(THREAD, struct kept_task, task.teller, "teller_thread"), .is_optional = true},
    {RECORD_ROW(TEXT, struct kept_task, task.text, "text")},
};

static const struct record_kind task_kind = {.prefix = "task/",
    .noun = "a task of an agent",
    .rows = RECORD_ROWS(task_fields, NULL),
    .source = SOURCE_COMMAND,
    .naming = RECORD_BY_ID};

/* An answer to a question is not stored, because it may be a secret. */
static void task_store(const struct agent_task *task)
{
	struct kept_task kept = {.task = *task};
	if (task->stage == TASK_RUNNING)
		kept.typed_ms = clock_real_ms() - (clock_boot_ms() - task->typed_ms);
	if (task->is_response)
		return;
	snprintf(kept.agent, sizeof kept.agent, "%s", task->agent->spec.name);
	record_put(queue_store(task->agent->set->parts->queue), &task_kind, task->id, &kept);
}

static void task_free(struct agent_task *task)
{
	list_remove(&task->link);
	task->agent->task_count--;
	loop_timer_free(task->deadline);
	loop_timer_free(task->progress_timer);
	queue_release_id(task->agent->set->parts->queue, task->id);
	explicit_bzero(task->text, task->len);
	mem_free(task->text);
	agent_question_clear(&task->question);
	mem_free(task->reply);
	mem_free(task);
}

static struct agent_task *first_task(const struct agent *agent)
{
	return list_is_empty(&agent->tasks)
	    ? NULL
	    : list_entry(agent->tasks.next, struct agent_task, link);
}

static struct agent_task *task_find(const struct agent_set *set, const char *id)
{
	list_each (const struct agent, agent, &set->agents, link) {
		list_each (struct agent_task, task, &agent->tasks, link)
			if (strcmp(task->id, id) == 0)
				return task;
	}
	return NULL;
}

static struct agent_task *task_at_work(const struct agent *agent)
{
	list_each (struct agent_task, task, &agent->tasks, link)
		if (task->stage != TASK_QUEUED)
			return task;
	return NULL;
}

static struct request *task_next_request(struct agent_task *task)
{
	struct request *request = task->request;
	task->request = task->joined_count > 0 ? task->joined[--task->joined_count] : NULL;
	return request;
}

static void task_end(struct agent_task *task, const char *outcome, const char *reason,
    const struct pane_screen *screen)
{
	const struct daemon *parts = task->agent->set->parts;
	struct request *request;
	if (task->stage == TASK_TYPING && !task->is_resumed)
		submit_read_typing(task->agent->submit, &task->typing);
	if (task->stage == TASK_RUNNING)
		submit_release(task->agent->submit);
	if (task->request != NULL) {
		while ((request = task_next_request(task)) != NULL)
			agent_report_answer(task, request, outcome, reason, screen);
		record_delete(queue_store(parts->queue), &task_kind, task->id);
	} else {
		queue_begin(parts->queue);
		record_delete(queue_store(parts->queue), &task_kind, task->id);
		agent_report_notify(task, outcome, reason, screen);
		(void)queue_commit(parts->queue);
	}
	task_free(task);
}

static void on_deadline(void *data)
{
	struct agent_task *task = data;
	struct agent *agent = task->agent;
	int64_t left_ms = task->due_boot_ms - clock_boot_ms();
	if (left_ms > 0) {
		loop_timer_arm(task->deadline, left_ms < STEP_MS ? left_ms : STEP_MS);
		return;
	}
	if (task->stage == TASK_TYPING)
		submit_drop(agent->submit);
	task_end(task, "timeout",
	    task->stage == TASK_RUNNING ? agent->reason : "it was not typed in time", NULL);
	agent_monitor_look(agent->monitor, false);
}

void agent_tasks_end(struct agent *agent, const char *outcome, bool all)
{
	submit_drop(agent->submit);
	list_each_safe (struct agent_task, task, &agent->tasks, link)
		if (all || task->stage != TASK_QUEUED)
			task_end(task, outcome, agent->reason, NULL);
}

void agent_tasks_forget(struct agent *agent)
{
	list_each_safe (struct agent_task, agent_task, &agent->tasks, link)
		task_free(agent_task);
}

/* is_once: the submit engine tries once, and the agent's monitor causes further tries. */
static const struct submit_policy task_policy = {
    .is_once = true, .knows_prompt = true, .keeps_pane = true};
static const struct submit_policy response_policy = {
    .is_once = true, .knows_prompt = true, .answers_question = true, .keeps_pane = true};

static struct agent_task *next_task(const struct agent *agent)
{
	struct agent_task *task = first_task(agent);
	if (task == NULL || agent->launch != NULL || agent->ending != NULL)
		return NULL;
	if (agent->state == AGENT_BLOCKED)
		return task->is_response ? task : NULL;
	return agent->state == AGENT_READY ? task : NULL;
}

/*
 * Returns true if the text must be pasted: it is too long for keys, or has characters that would
 * act as keys. An answer is not typed at the prompt, so the prompt's shortcuts do not count.
 */
static bool needs_paste(const struct agent_task *task)
{
	return task->len > KEYS_MAX || memchr(task->text, '\n', task->len) != NULL ||
	    memchr(task->text, '\t', task->len) != NULL ||
	    (!task->is_response && submit_has_shortcut(task->text, task->len));
}

/* Returns why the agent cannot take the task, or NULL. */
static const char *task_problem(const struct agent_task *task, const char **ret_outcome)
{
	const struct agent *agent = task->agent;
	*ret_outcome = "not_asked";
	if (task->is_response && agent->state != AGENT_BLOCKED)
		return "it asks nothing any more";
	if (task->is_response && agent->asked.number != task->asked)
		return asks_other;
	*ret_outcome = "refused";
	if (!agent_monitor_brackets(agent->monitor) && memchr(task->text, '\n', task->len) != NULL)
		return "it takes no pastes, so each line would be submitted by itself: send them "
		       "one by one";
	if (!agent_monitor_keeps(agent->monitor, task->text, task->len))
		return "its terminal keeps 4095 bytes of a line, and the text has a longer one: "
		       "send shorter lines, or the name of a file";
	return NULL;
}

void agent_tasks_step(struct agent *agent)
{
	struct agent_task *task = next_task(agent);
	const char *problem, *outcome;
	if (task == NULL || task_at_work(agent) != NULL || !submit_is_resting(agent->submit))
		return;
	problem = task_problem(task, &outcome);
	if (problem != NULL) {
		task_end(task, outcome, problem, NULL);
		agent_tasks_step(agent);
		return;
	}
	task->stage = TASK_TYPING;
	task->turns = agent_turns(agent);
	mem_free(task->reply); /* this reply is older than the task */
	task->reply = NULL;
	task->is_pasted = agent_monitor_brackets(agent->monitor) && needs_paste(task);
	task_store(task);
	submit_aim(
	    agent->submit, &agent->pane, task->is_response ? &response_policy : &task_policy);
	submit_wake(agent->submit);
}

/* Returns the number of the choice to type; 0: the task takes the marked choice, or none. */
static unsigned task_choice(const struct agent_task *task)
{
	return task->is_choice ? (unsigned)atoi(task->text) : 0;
}

static bool on_judge(void *data, const struct muxbus_pane *pane, const struct pane_screen *screen,
    char ret_reason[SUBMIT_REASON_SIZE])
{
	const struct agent *agent = data;
	struct agent_task *task = task_at_work(agent);
	struct agent_verdict verdict;
	enum submit_choice choice;
	struct pane_tty tty;
	agent_monitor_judge(agent->monitor, pane, screen, &verdict);
	snprintf(ret_reason, SUBMIT_REASON_SIZE, "%s", verdict.reason);
	pane_tty_read(pane->tty, pane->pid, &tty);
	if (task != NULL && !pane_tty_keeps(&tty, task->text, task->len)) {
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "its terminal keeps no line that long");
		return false;
	}
	if (task == NULL || !task->is_response)
		return verdict.kind == VERDICT_READY;
	task->is_refused = agent_question_is_begun(agent, pane, screen, ret_reason);
	choice = agent_question_choice(task, screen, task_choice(task));
	if (!task->is_refused && verdict.kind == VERDICT_QUESTION &&
	    (agent->asked.number != task->asked || choice >= CHOICE_TAKEN)) {
		task->is_refused = true;
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "%s", asks_other);
	}
	task->is_marked = choice == CHOICE_MARKED;
	return verdict.kind == VERDICT_QUESTION && !task->is_refused;
}

static enum submit_choice on_choice(void *data, const struct pane_screen *screen)
{
	const struct agent *agent = data;
	const struct agent_task *task = task_at_work(agent);
	if (task == NULL)
		return CHOICE_TAKEN;
	if (!task->is_choice)
		return agent_question_has_left(task, screen) ? CHOICE_TAKEN : CHOICE_OPEN;
	return agent_question_choice(task, screen, task_choice(task));
}

static void on_stands(void *data UNUSED, const struct pane_screen *screen, struct buf *out)
{
	agent_question_patterns(&screen->view, out);
}

static bool on_compose(void *data, struct submit_text *text)
{
	const struct agent *agent = data;
	const struct agent_task *task = task_at_work(agent);
	if (task == NULL)
		return false;
	text->is_paste = text->is_bracketed = task->is_pasted;
	text->is_unseen = agent->is_secret;
	text->is_choice = task->is_choice;
	/* A marked choice gets Enter only: after its number, Enter could answer the next menu. */
	if (!(task->is_choice && task->is_marked))
		(void)buf_append(&text->bytes, task->text, task->len);
	return true;
}

static void task_submitted(struct agent *agent, struct agent_task *task, uint64_t before_enter)
{
	task->stage = TASK_RUNNING;
	task->from = task->told = before_enter;
	task->typed_ms = clock_boot_ms();
	submit_read_typing(agent->submit, &task->typing);
	task_store(task);
	agent_set_state(agent, AGENT_BUSY, "a task was submitted");
	agent_monitor_look(agent->monitor, true);
	agent_tasks_wrote(agent);
}

static void task_held(struct agent *agent, struct agent_task *task, const char *reason)
{
	task->stage = TASK_QUEUED;
	task_store(task);
	snprintf(task->held, sizeof task->held, "%s", reason);
	if (agent->state == AGENT_READY || agent->state == AGENT_BLOCKED)
		loop_timer_arm(agent->timer, HELD_MS);
}

static void on_typed(void *data, const struct submit_end *end)
{
	struct agent *agent = data;
	struct agent_task *task = task_at_work(agent);
	if (task == NULL)
		return;
	if (task->is_response && (end->result == SUBMIT_SUBMITTED || end->result == SUBMIT_TYPED))
		agent_question_renew(agent);
	switch (end->result) {
	case SUBMIT_SUBMITTED:
		task_submitted(agent, task, end->before_enter);
		break;
	case SUBMIT_HELD:
	case SUBMIT_REFUSED:
	case SUBMIT_NOTHING:
		if (task->is_refused) {
			task_end(task, "not_asked", begun_advice, NULL);
			agent_monitor_look(agent->monitor, true);
			break;
		}
		task_held(agent, task, end->reason != NULL ? end->reason : "");
		break;
	case SUBMIT_TYPED:
		task->from = end->before_enter;
		task_end(task, "stuck", end->reason, NULL);
		agent_monitor_look(agent->monitor, true);
		break;
	}
}

void agent_tasks_init(struct agent *agent)
{
	static const struct submit_handlers handlers = {.stands = on_stands,
	    .judge = on_judge,
	    .choice = on_choice,
	    .compose = on_compose,
	    .ended = on_typed};
	agent->submit =
	    submit_new(agent->set->parts->submits, &agent->pane, &task_policy, &handlers, agent);
}

bool agent_tasks_judged(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen)
{
	struct agent_task *task = task_at_work(agent);
	bool is_new;
	if (task == NULL || task->stage != TASK_RUNNING || screen == NULL)
		return true;
	is_new = screen->offset > task->from || task->is_resumed;
	task->has_worked |= verdict->kind == VERDICT_BUSY && verdict->is_by_sign;
	if (verdict->kind == VERDICT_READY && is_new && agent_turn_is_due(task, verdict, screen)) {
		loop_timer_arm(agent->timer, HELD_MS);
		return false;
	}
	if (verdict->kind == VERDICT_READY && is_new)
		task_end(task, "ready", verdict->reason, screen);
	else if (verdict->kind == VERDICT_QUESTION && is_new)
		task_end(task, "question", verdict->reason, screen);
	return true;
}

void agent_tasks_replied(const struct agent_set *set, uint32_t pane, const char *reply)
{
	const struct agent *agent = agent_of_pane(set, pane);
	struct agent_task *task = agent != NULL ? task_at_work(agent) : NULL;
	/*
	 * If the agent reports a turn that began after the task was typed, the turn is the task's,
	 * even if its Enter was not yet seen to work.
	 */
	if (task == NULL ||
	    (task->stage != TASK_RUNNING && !task->is_response &&
		agent_turns(agent) == task->turns))
		return;
	mem_free(task->reply);
	task->reply = xmemdup(reply, strlen(reply));
}

void agent_tasks_wrote(struct agent *agent)
{
	struct agent_task *task = first_task(agent);
	if (task != NULL && task->stage == TASK_RUNNING && task->wants_progress &&
	    task->request != NULL && !loop_timer_is_armed(task->progress_timer))
		loop_timer_arm(task->progress_timer, PROGRESS_MS);
}

static struct agent_task *task_new(struct agent *agent, const char *text, size_t len, bool is_first)
{
	struct agent_task *task = xcalloc(1, sizeof *task);
	struct event_base *base = agent->set->parts->base;
	task->agent = agent;
	task->text = xmemdup(text, len);
	task->len = len;
	task->deadline = loop_timer_new(base, on_deadline, task);
	task->progress_timer = loop_timer_new(base, agent_report_progress, task);
	pane_ref_clear(&task->teller);
	if (is_first)
		list_add_after(&agent->tasks, &task->link);
	else
		list_append(&agent->tasks, &task->link);
	agent->task_count++;
	return task;
}

/* Tasks are sorted by creation time, so a new task gets a later time than the others. */
static int64_t next_created_ms(const struct agent *agent)
{
	int64_t ms = clock_real_ms();
	list_each (const struct agent_task, task, &agent->tasks, link)
		if (ms <= task->created_ms)
			ms = task->created_ms + 1;
	return ms;
}

/* Moves a loaded task: first a typed or running task, then the queued ones by their time. */
static void task_place(struct agent_task *task)
{
	struct list *place = &task->agent->tasks;
	list_remove(&task->link);
	list_each (struct agent_task, other, &task->agent->tasks, link) {
		if (task->stage != TASK_QUEUED ||
		    (other->stage == TASK_QUEUED && other->created_ms > task->created_ms))
			break;
		place = &other->link;
	}
	list_add_after(place, &task->link);
}

/* A waiting request was cancelled. Without another, the task's end becomes a notification. */
static void on_cancelled(void *data)
{
	struct agent_task *task = data;
	if (request_is_cancelled(task->request))
		(void)task_next_request(task);
	for (size_t at = 0; at < task->joined_count; at++)
		if (request_is_cancelled(task->joined[at]))
			task->joined[at] = task->joined[--task->joined_count];
}

/*
 * Finds the choice that the response names by number or text. A number of two digits is refused,
 * because a program may take its first digit at once.
 */
static bool find_choice(
    const struct agent *agent, const struct agent_order *order, unsigned *ret_number)
{
	unsigned found = 0;
	for (size_t at = 0; at < agent->question.choice_count; at++) {
		const struct question_choice *choice = &agent->question.choices[at];
		char digits[16];
		(void)snprintf(digits, sizeof digits, "%u", choice->number);
		if (choice->number < 10 &&
		    (order->choice > 0 ? order->choice == choice->number
				       : strcmp(order->text, digits) == 0 ||
				strcasecmp(order->text, choice->text) == 0)) {
			*ret_number = choice->number;
			found++;
		}
	}
	return found == 1; /* "1" may be the number of one choice and the text of another */
}

static bool check_question(
    const struct agent *agent, struct request *request, const struct agent_order *order)
{
	char id[AGENT_QUESTION_ID_SIZE];
	unsigned number;
	agent_question_id(agent, id);
	if (order->question_id != NULL && strcmp(order->question_id, id) != 0) {
		agent_report_refuse(agent, request, MESSAGE_NOT_READY, asks_other, NULL);
	} else if (order->choice > 0 && agent->question.choice_count == 0) {
		agent_report_refuse(agent, request, MESSAGE_REFUSED,
		    "it offers no numbered choices: answer by text", NULL);
	} else if (agent->question.choice_count > 0 && (order->choice > 0 || order->len > 0) &&
	    !find_choice(agent, order, &number)) {
		agent_report_refuse(agent, request, MESSAGE_REFUSED,
		    "it offers choices, and this is none of them: answer by choice and "
		    "question_id, and type what it asks for behind a choice as the next answer",
		    NULL);
	} else {
		return true;
	}
	return false;
}

static struct agent *check(
    struct agent_set *set, struct request *request, const struct agent_order *order)
{
	struct agent *agent = agent_get(set, order->agent);
	if (agent == NULL)
		request_fail(request, MESSAGE_NO_SUCH_AGENT,
		    "there is no agent \"%.64s\": see list_agents, or ensure_agent", order->agent);
	else if (agent->ending != NULL || agent_has_ended(agent))
		agent_report_refuse(
		    agent, request, MESSAGE_GONE, "ensure_agent starts it again", NULL);
	else if (order->is_response &&
	    (agent->state != AGENT_BLOCKED || task_at_work(agent) != NULL))
		agent_report_refuse(agent, request, MESSAGE_NOT_READY,
		    "it asks nothing just now: send_task gives it a text", NULL);
	else if (order->is_response && agent->asked.is_begun)
		agent_report_refuse(agent, request, MESSAGE_NOT_READY, begun_advice, NULL);
	else if (order->is_response && !check_question(agent, request, order))
		return NULL;
	else if (!order->is_response && agent->state == AGENT_BLOCKED &&
	    task_at_work(agent) == NULL)
		agent_report_refuse(
		    agent, request, MESSAGE_NOT_READY, "respond answers what it asks", NULL);
	else if (agent->task_count >= AGENT_TASKS_MAX)
		request_fail(request, MESSAGE_BUSY,
		    "agent \"%s\" has %d tasks already: wait until one ends", order->agent,
		    AGENT_TASKS_MAX);
	else
		return agent;
	return NULL;
}

void agent_send(struct agent_set *set, struct request *request, const struct agent_order *order)
{
	struct agent *agent = check(set, request, order);
	struct queue *queue = set->parts->queue;
	struct agent_task *task;
	unsigned number = 0;
	char digits[16] = "";
	if (agent == NULL)
		return;
	if (order->is_response && agent->question.choice_count > 0) {
		if (find_choice(agent, order, &number))
			(void)snprintf(digits, sizeof digits, "%u", number);
		task = task_new(agent, digits, strlen(digits), true);
		task->is_choice = true;
	} else {
		task = task_new(agent, order->text, order->len, order->is_response);
	}
	task->is_response = order->is_response;
	if (task->is_response)
		agent_question_copy(task);
	task->asked = agent->asked.number;
	task->wants_progress = order->progress;
	task->teller = *order->teller;
	task->created_ms = next_created_ms(agent);
	task->due_ms = clock_real_ms() + order->timeout_ms;
	task->due_boot_ms = clock_boot_ms() + order->timeout_ms;
	strcpy(task->boot_id, set->parts->clock->boot_id);
	task->max_bytes = order->max_bytes;
	queue_begin(queue);
	queue_new_id(queue, task->id);
	task_store(task);
	once_keep(order->once, task->id);
	(void)queue_commit(queue);
	loop_timer_arm(task->deadline, order->timeout_ms < STEP_MS ? order->timeout_ms : STEP_MS);
	if (order->wait) {
		task->request = request;
		request_on_cancel(request, on_cancelled, task, goes_on);
	} else {
		agent_report_accepted(task, request);
	}
	agent_monitor_look(agent->monitor, true); /* the look also types the task */
}

bool agent_task_join(struct agent_set *set, struct request *request, const char *id)
{
	struct agent_task *task = task_find(set, id);
	if (task == NULL || task->joined_count == AGENT_JOINED_MAX)
		return false;
	if (task->request != NULL)
		task->joined[task->joined_count++] = request;
	else
		task->request = request;
	request_on_cancel(request, on_cancelled, task, goes_on);
	return true;
}

static bool task_load(void *data, const char *id, const struct json *value)
{
	struct agent_set *set = data;
	struct kept_task kept = {0};
	struct agent_task *task;
	struct agent *agent;
	if (!record_read(task_kind.rows, value, &kept))
		return false;
	agent = agent_get(set, kept.agent);
	if (agent == NULL) {
		record_finish(task_kind.rows, &kept);
		return false;
	}
	task =
	    task_new(agent, kept.task.text, strlen(kept.task.text), kept.task.stage != TASK_QUEUED);
	strcpy(task->id, id);
	queue_hold_id(set->parts->queue, id);
	task->stage = kept.task.stage;
	task->created_ms = kept.task.created_ms;
	task->due_ms = kept.task.due_ms;
	task->due_boot_ms = kept.task.due_boot_ms;
	strcpy(task->boot_id, kept.task.boot_id);
	task->max_bytes = kept.task.max_bytes;
	task->teller = kept.task.teller;
	task->is_resumed = task->stage != TASK_QUEUED;
	task->typed_ms = kept.task.typed_ms;
	boot_clock_align(set->parts->clock, task->boot_id, &task->typed_ms, &kept.typed_ms);
	if (task->stage == TASK_RUNNING) {
		submit_aim(agent->submit, &agent->pane, &task_policy);
		submit_keep(agent->submit);
	}
	task_place(task);
	record_finish(task_kind.rows, &kept);
	return true;
}

void agent_tasks_follow_clock(struct agent_set *set)
{
	if (set == NULL)
		return;
	queue_begin(set->parts->queue);
	list_each (struct agent, agent, &set->agents, link) {
		list_each (struct agent_task, task, &agent->tasks, link) {
			int64_t due_ms = task->due_ms;
			boot_clock_align(
			    set->parts->clock, task->boot_id, &task->due_boot_ms, &task->due_ms);
			if (due_ms != task->due_ms)
				task_store(task);
			loop_timer_arm(task->deadline, 0);
		}
	}
	(void)queue_commit(set->parts->queue);
}

/*
 * Loads the tasks from the store. A task that the earlier daemon was typing may have run, so it
 * ends as lost. The output of a running task has a gap.
 */
void agent_tasks_load(struct agent_set *set)
{
	queue_load(set->parts->queue, &task_kind, task_load, set);
	list_each (struct agent, agent, &set->agents, link) {
		list_each_safe (struct agent_task, task, &agent->tasks, link) {
			if (task->stage == TASK_TYPING)
				task_end(task, "lost",
				    "muxbusd ended while it was typed: look whether it ran", NULL);
		}
	}
	agent_tasks_follow_clock(set);
}
