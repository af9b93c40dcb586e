/* SPDX-License-Identifier: ISC */
#include "daemon/agent/agent.h"

#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_private.h"
#include "daemon/agent/agent_question.h"
#include "daemon/agent/agent_task.h"
#include "daemon/core/pattern.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "io/loop_timer.h"

enum { RESTART_MIN_MS = 500, RESTART_MAX_MS = 30000 };

static void on_changed(struct agent *agent)
{
	agent_publish(agent);
	list_each_safe (struct agent_listener, listener, &agent->set->listeners, link)
		listener->changed(listener, agent);
	agent_waiters_step(agent);
}

static void on_made(struct agent *agent, const struct pane_ref *pane)
{
	(void)agent_monitor_aim(agent->monitor, pane, true);
}

static void on_launched(struct agent *agent, const struct pane_ref *pane, const char *error)
{
	agent->launch = NULL;
	agent->is_crash_told = false;
	if (error != NULL) {
		agent->was_ready = false;
		agent_set_state(agent, AGENT_CRASHED, error);
		agent_tasks_end(agent, "crashed", true);
		return;
	}
	agent->pane = *pane;
	maker_note(agent->set->parts->makers, &agent->maker, pane, false);
	agent->started_ms = clock_real_ms();
	agent_store(agent);
	agent_monitor_set_process(agent->monitor, pane);
	agent_monitor_look(agent->monitor, true);
}

/*
 * Call this before setting another launch. The spec may change: a launch reads it at each step.
 */
static void drop_launch(struct agent *agent)
{
	if (agent->launch != NULL)
		agent_launch_cancel(agent->launch);
	agent->launch = NULL;
}

static void agent_launch_program(struct agent *agent)
{
	static const struct agent_launch_handlers handlers = {.made = on_made, .done = on_launched};
	drop_launch(agent);
	loop_timer_disarm(agent->timer);
	agent->is_restarting = false;
	agent->was_ready = false;
	agent->exit_status = -1;
	agent->exit_signal = 0;
	mem_free(agent->output);
	agent->output = NULL;
	submit_drop(agent->submit);
	agent_set_state(agent, AGENT_STARTING, "its program is being started");
	agent_monitor_drop(agent->monitor);
	if (!agent_launch_start(agent, agent_resume_command(agent), &handlers))
		agent_set_state(agent, AGENT_GONE, "tmux is not followed");
}

static void restart_later(struct agent *agent)
{
	unsigned before = agent->restarts > 0 ? agent->restarts - 1 : 0;
	int64_t backoff_ms = (int64_t)RESTART_MIN_MS << before;
	loop_timer_arm(agent->timer, backoff_ms < RESTART_MAX_MS ? backoff_ms : RESTART_MAX_MS);
}

/* Notifies that the program has ended, and restarts it if this is allowed and may help. */
static void end_program(struct agent *agent, const char *reason)
{
	struct queue *queue = agent->set->parts->queue;
	bool is_last;
	if (clock_real_ms() - agent->started_ms > AGENT_SETTLED_MS)
		agent->restarts = 0;
	/* If the program was never ready, another start would not help. */
	is_last = agent->is_adopted || !agent->was_ready || agent->restarts >= AGENT_RESTARTS_MAX ||
	    (agent_resume_is_needed(agent) && agent_resume_problem(agent) != NULL);
	agent->is_restarting = !is_last;
	agent_set_state(agent, AGENT_CRASHED, reason);
	agent_tasks_end(agent, "crashed", is_last);
	/* One transaction, so that the next daemon neither loses nor repeats the notification. */
	queue_begin(queue);
	agent_failure_notify(agent, is_last);
	if (agent->is_adopted)
		agent_adopt_forget(agent);
	agent->restarts += !is_last;
	agent->is_crash_told = true;
	agent_store(agent);
	(void)queue_commit(queue);
	if (!is_last)
		restart_later(agent);
}

/* Called when the last lines of the program have been read, or cannot be read. */
static void fail_start(struct agent *agent)
{
	char why[AGENT_REASON_SIZE];
	if (agent->ending != NULL || agent->state == AGENT_GONE)
		return;
	agent_failure_describe(agent, why, sizeof why);
	agent_failure_close(agent);
	end_program(agent, why);
}

static void crash(struct agent *agent, const char *reason)
{
	char why[AGENT_REASON_SIZE];
	if (agent->last_words != NULL)
		return;
	submit_drop(agent->submit);
	if (!agent_failure_is_known(agent)) {
		end_program(agent, reason);
	} else if (agent->was_ready || agent->is_adopted) {
		agent_failure_describe(agent, why, sizeof why);
		end_program(agent, why);
	} else if (!agent_failure_read(agent, fail_start)) {
		fail_start(agent);
	}
}

static void on_timer(void *data)
{
	struct agent *agent = data;
	if (agent->ending != NULL)
		agent_ending_step(agent);
	else if (agent->is_restarting)
		agent_launch_program(agent);
	else
		agent_monitor_look(agent->monitor, true); /* the look also types the next task */
}

static enum agent_state work_state(const struct agent *agent, enum agent_verdict_kind kind)
{
	if (!agent->was_ready && !agent->is_adopted)
		return AGENT_STARTING;
	return kind == VERDICT_DRAFT ? AGENT_DRAFT : AGENT_BUSY;
}

static void on_ready(struct agent *agent, const struct agent_verdict *verdict)
{
	bool is_first = !agent->was_ready;
	agent->was_ready = true;
	agent_set_state(agent, AGENT_READY, verdict->reason);
	if (is_first || agent->is_crash_told) {
		agent->is_crash_told = false; /* a person started it again */
		agent_store(agent);
	}
}

static void on_judged(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen)
{
	bool is_reached;
	if (agent->ending != NULL) {
		if (verdict->kind == VERDICT_CRASHED)
			loop_timer_arm(agent->timer, 0);
		return;
	}
	if (agent->launch != NULL || agent->state == AGENT_GONE ||
	    (agent->state == AGENT_CRASHED && verdict->kind == VERDICT_CRASHED))
		return;
	if (verdict->kind == VERDICT_QUESTION)
		agent_question_keep(agent, verdict, screen);
	is_reached = agent_tasks_judged(agent, verdict, screen);
	switch (verdict->kind) {
	case VERDICT_READY:
		if (is_reached)
			on_ready(agent, verdict);
		else
			agent_set_state(
			    agent, AGENT_BUSY, "its prompt may be that of before its task");
		break;
	case VERDICT_QUESTION:
		agent_set_state(agent, AGENT_BLOCKED, verdict->reason);
		break;
	case VERDICT_CRASHED:
		crash(agent, verdict->reason);
		break;
	case VERDICT_BUSY:
	case VERDICT_DRAFT:
		agent_set_state(agent, work_state(agent, verdict->kind), verdict->reason);
		break;
	case VERDICT_UNKNOWN:
		snprintf(agent->reason, sizeof agent->reason, "%s", verdict->reason);
		break;
	}
	if (screen != NULL)
		agent_question_look(agent, screen);
	agent_tasks_step(agent);
	agent_monitor_set_waiting(
	    agent->monitor, agent->task_count > 0 || !list_is_empty(&agent->waiters));
}

/* If the pane was closed, in most cases by a person, the program is not started again. */
static void on_closed(struct agent *agent)
{
	if (agent->ending != NULL) {
		loop_timer_arm(agent->timer, 0);
		return;
	}
	submit_drop(agent->submit);
	if (!tmux_is_live(agent->set->parts->tmux)) {
		snprintf(agent->reason, sizeof agent->reason, "tmux is not followed");
		return; /* the pane may still exist */
	}
	if (agent->is_adopted) {
		crash(agent, "its pane was closed");
		return;
	}
	drop_launch(agent);
	loop_timer_disarm(agent->timer);
	agent->is_restarting = false;
	agent_set_state(agent, AGENT_GONE, "its pane was closed");
	agent_tasks_end(agent, "crashed", true);
}

static void on_flows(struct agent *agent)
{
	if (agent->launch != NULL)
		agent_launch_flows(agent->launch);
}

static struct agent *agent_new(struct agent_set *set)
{
	static const struct agent_monitor_handlers handlers = {.judged = on_judged,
	    .asks = agent_question_expect,
	    .closed = on_closed,
	    .flows = on_flows,
	    .wrote = agent_tasks_wrote};
	struct agent *agent = xcalloc(1, sizeof *agent);
	*agent = (struct agent){.set = set, .state = AGENT_GONE, .exit_status = -1};
	pane_ref_clear(&agent->pane);
	pane_ref_clear(&agent->teller);
	pane_ref_clear(&agent->maker.pane);
	list_init(&agent->waiters);
	list_init(&agent->tasks);
	agent->monitor = agent_monitor_new(set->parts, &handlers, agent);
	agent_tasks_init(agent);
	agent->timer = loop_timer_new(set->parts->base, on_timer, agent);
	list_append(&set->agents, &agent->link);
	set->count++;
	return agent;
}

static void agent_free(struct agent *agent)
{
	list_remove(&agent->link);
	agent->set->count--;
	drop_launch(agent);
	agent_ending_free(agent->ending);
	agent_adopt_forget(agent);
	agent_failure_forget(agent);
	agent_monitor_free(agent->monitor);
	submit_free(agent->submit);
	loop_timer_free(agent->timer);
	pattern_free(agent->regex);
	agent_spec_finish(&agent->spec);
	agent_question_clear(&agent->question);
	mem_free(agent->place);
	mem_free(agent->output);
	mem_free(agent->conversation);
	mem_free(agent);
}

static void agent_remove(struct agent *agent, const char *reason)
{
	struct agent_set *set = agent->set;
	agent_tasks_end(agent, "crashed", true);
	agent_set_state(agent, AGENT_GONE, reason);
	agent_waiters_end(agent);
	list_each_safe (struct agent_listener, listener, &set->listeners, link)
		listener->stopped(listener, agent);
	record_delete(queue_store(set->parts->queue), &agent_kind, agent->spec.name);
	agent_free(agent);
}

static bool set_prompt(struct agent *agent, const char *prompt, char *reason, size_t size)
{
	struct pattern *regex = NULL;
	if (prompt != NULL) {
		regex = pattern_new(prompt, strlen(prompt), reason, size);
		if (regex == NULL)
			return false;
	}
	pattern_free(agent->regex);
	agent->regex = regex;
	agent_monitor_set_regex(agent->monitor, regex);
	return true;
}

static bool take_prompt(struct agent *agent, struct request *request, struct agent_spec *spec)
{
	char reason[200];
	if (!set_prompt(agent, spec->prompt, reason, sizeof reason))
		return request_fail_field(request, "prompt", "%s", reason);
	mem_free(agent->spec.prompt);
	agent->spec.prompt = spec->prompt;
	spec->prompt = NULL;
	return true;
}

static bool take_spec(struct agent *agent, struct request *request, struct agent_spec *spec)
{
	if (!take_prompt(agent, request, spec))
		return false;
	spec->prompt = agent->spec.prompt;
	agent->spec.prompt = NULL;
	agent_spec_finish(&agent->spec);
	agent->spec = *spec;
	*spec = (struct agent_spec){0};
	return true;
}

static void fail_count(struct request *request)
{
	request_fail(request, MESSAGE_LIMIT,
	    "there are %d agents already, the most there may be: stop_agent ends one", AGENTS_MAX);
}

static void ensure_new(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct pane_ref *teller)
{
	struct agent *agent;
	if (set->count >= AGENTS_MAX) {
		fail_count(request);
		return;
	}
	agent = agent_new(set);
	if (!take_spec(agent, request, spec)) {
		agent_free(agent);
		return;
	}
	agent->teller = *teller;
	requester_caller(request, &agent->maker);
	agent_store(agent);
	agent_wait_add(agent, request, true);
	agent_launch_program(agent);
}

void agent_ensure(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct pane_ref *teller)
{
	struct agent *agent = agent_get(set, spec->name);
	const char *difference;
	bool is_ended;
	if (agent == NULL) {
		ensure_new(set, request, spec, teller);
		return;
	}
	if (agent->ending != NULL) {
		request_fail(request, MESSAGE_BUSY, "agent \"%s\" is being stopped", spec->name);
		return;
	}
	is_ended = agent_has_ended(agent);
	if (!is_ended && !spec->has_cwd) {
		mem_free(spec->cwd);
		spec->cwd = xstrdup(agent->spec.cwd);
	}
	difference = is_ended ? NULL : agent_spec_difference(&agent->spec, spec);
	if (difference != NULL) {
		request_fail(request, MESSAGE_BUSY,
		    "agent \"%s\" runs with another %s: stop_agent it first, or take another name",
		    spec->name, difference);
		return;
	}
	if (!take_spec(agent, request, spec))
		return;
	if (pane_ref_is_set(teller))
		agent->teller = *teller;
	agent->is_adopted &= !is_ended; /* from now on the daemon starts the program */
	agent_store(agent);
	agent->restarts = 0;
	agent_wait_add(agent, request, is_ended);
	if (is_ended) {
		mem_free(agent->conversation);
		agent->conversation = NULL;
		requester_caller(request, &agent->maker);
		agent_launch_program(agent);
	} else {
		agent_waiters_step(agent);
	}
}

static void on_ended(struct agent *agent)
{
	char reason[AGENT_REASON_SIZE];
	if (agent->ending != NULL) {
		loop_timer_arm(agent->timer, 0);
		return;
	}
	snprintf(reason, sizeof reason, "its program %s has ended",
	    agent_monitor_profile(agent->monitor)->name);
	crash(agent, reason);
}

/*
 * The pane is not found. If its tmux server has ended, and this daemon saw the program run or a
 * restart was due, the program may be restarted in the present server.
 */
static void lose_pane(struct agent *agent)
{
	static const char gone[] = "its pane is not there any more";
	char reason[AGENT_REASON_SIZE];
	bool is_kept =
	    !agent->is_adopted && agent->state != AGENT_GONE && agent_resume_is_needed(agent);
	if (is_kept && agent->is_restarting) {
		restart_later(agent);
		return;
	}
	agent->is_restarting = false;
	if (is_kept && agent->state != AGENT_CRASHED) {
		agent_resume_describe(agent, reason, sizeof reason);
		end_program(agent, reason);
	} else if (agent->is_adopted && agent->state != AGENT_CRASHED)
		crash(agent, gone);
	else if (agent->state != AGENT_CRASHED)
		agent_set_state(agent, AGENT_GONE, gone);
	agent_tasks_end(agent, "crashed", true);
}

static void find_again(struct agent *agent)
{
	const struct daemon *parts = agent->set->parts;
	if (agent->launch != NULL || agent->ending != NULL)
		return;
	if (!agent_has_pane(agent) || !agent_monitor_aim(agent->monitor, &agent->pane, false)) {
		lose_pane(agent);
		return;
	}
	if (agent->is_adopted && !agent_adopt_watch(agent)) {
		on_ended(agent);
		return;
	}
	if (!agent->is_adopted)
		(void)muxbus_sync_adopt_pane(tmux_sync(parts->tmux), agent->pane.pane, true);
	if (agent->state == AGENT_GONE)
		agent_set_state(agent, work_state(agent, VERDICT_BUSY), "it was found running");
	if (agent->state == AGENT_CRASHED)
		(void)agent_failure_note(agent);
	if (agent->state == AGENT_CRASHED && agent->is_restarting)
		restart_later(agent);
	agent_monitor_look(agent->monitor, true);
}

void agent_join(struct request *request, const struct agent *found, struct agent_spec *spec,
    const struct pane_ref *teller)
{
	struct agent *agent = agent_get(found->set, found->spec.name);
	bool resumes = spec->resumes && agent->ending == NULL && agent_has_ended(agent);
	const char *problem = resumes ? agent_resume_problem(agent) : NULL;
	if (problem != NULL || (resumes && agent->is_adopted)) {
		request_fail(request, MESSAGE_REFUSED, "agent \"%s\" cannot go on: %s",
		    agent->spec.name, problem != NULL ? problem : "a person had started it");
		return;
	}
	if (!resumes && (agent->ending != NULL || agent_has_ended(agent))) {
		request_fail(request, agent->ending != NULL ? MESSAGE_BUSY : MESSAGE_GONE,
		    "agent \"%s\" %s", agent->spec.name,
		    agent->ending != NULL
			? "is being stopped"
			: "has ended: give its command, or the pane of one that runs");
		return;
	}
	if (spec->prompt != NULL && !take_prompt(agent, request, spec))
		return;
	if (pane_ref_is_set(teller))
		agent->teller = *teller;
	agent_store(agent);
	agent_wait_add(agent, request, resumes);
	if (resumes) {
		agent->restarts = 0;
		agent_launch_program(agent);
		return;
	}
	agent_waiters_step(agent);
	agent_monitor_look(agent->monitor, true);
}

static bool check_name(
    struct request *request, const struct agent *agent, const struct agent_spec *spec)
{
	if (spec->name[0] == '\0' || strcmp(spec->name, agent->spec.name) == 0)
		return true;
	return request_fail(request, MESSAGE_BUSY,
	    "pane %%%" PRIu32 " has the agent \"%s\" already: use that name", agent->pane.pane,
	    agent->spec.name);
}

static struct agent *make_free(
    struct agent_set *set, struct request *request, const struct agent_spec *spec)
{
	struct agent *agent = agent_get(set, spec->name);
	if (agent == NULL && set->count < AGENTS_MAX)
		return agent_new(set);
	if (agent == NULL)
		fail_count(request);
	else if (agent->ending != NULL || !agent_has_ended(agent) || agent_has_pane(agent))
		request_fail(request, MESSAGE_BUSY,
		    "agent \"%s\" is another one: stop_agent it first, or take another name",
		    spec->name);
	else
		return agent;
	return NULL;
}

void agent_adopt(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct muxbus_pane *pane, const struct pane_ref *teller)
{
	const struct agent *found = agent_of_pane(set, pane->id);
	struct agent_adoptee adoptee;
	struct agent *agent;
	if (found != NULL) {
		if (check_name(request, found, spec))
			agent_join(request, found, spec, teller);
		return;
	}
	if (!agent_adopt_look(set->parts, request, pane, &adoptee))
		return;
	if (spec->name[0] == '\0')
		agent_adopt_name(set, adoptee.name, spec->name);
	agent = make_free(set, request, spec);
	if (agent == NULL)
		return;
	agent_adopt_spec(&adoptee, pane, spec);
	if (!take_spec(agent, request, spec)) {
		if (agent->spec.name[0] == '\0')
			agent_free(agent);
		return;
	}
	agent->teller = *teller;
	agent_adopt_take(agent, &adoptee, pane->id);
	agent_set_state(agent, AGENT_STARTING, "it was adopted: its prompt is looked for");
	agent_store(agent);
	agent_wait_add(agent, request, false);
	find_again(agent);
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct agent_set *set = list_entry(listener, struct agent_set, listener);
	if (event->kind != EVENT_PANE_EXITED)
		return;
	list_each (struct agent, agent, &set->agents, link) {
		if (agent->pane.pane != event->scope.pane || agent->launch != NULL)
			continue;
		agent_adopt_note_exit(agent, event);
		agent_monitor_look(agent->monitor, true);
	}
}

static bool load(void *data, const char *name, const struct json *value)
{
	struct agent *agent = agent_new(data);
	char reason[200];
	if (!agent_record_read(agent, value) || strcmp(agent->spec.name, name) != 0 ||
	    !set_prompt(agent, agent->spec.prompt, reason, sizeof reason)) {
		agent_free(agent);
		return false;
	}
	agent->since_ms = clock_real_ms();
	if (agent->state != AGENT_CRASHED)
		snprintf(agent->reason, sizeof agent->reason, "tmux is not followed");
	return true;
}

static const struct agent_callbacks callbacks = {
    .changed = on_changed, .remove = agent_remove, .ended = on_ended};

struct agent_set *agent_set_new(const struct daemon *parts)
{
	struct agent_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	set->callbacks = &callbacks;
	list_init(&set->agents);
	list_init(&set->listeners);
	set->listener.event = on_event;
	event_log_listen(parts->events, &set->listener);
	agent_resume_listen(set);
	queue_load(parts->queue, &agent_kind, load, set);
	agent_tasks_load(set);
	return set;
}

void agent_set_free(struct agent_set *set)
{
	if (set == NULL)
		return;
	list_remove(&set->listener.link);
	list_remove(&set->reports.link);
	while (!list_is_empty(&set->agents)) {
		struct agent *agent = list_entry(set->agents.next, struct agent, link);
		agent_tasks_forget(agent);
		agent_waiters_end(agent);
		agent_free(agent);
	}
	mem_free(set);
}

void agent_set_wake(struct agent_set *set)
{
	list_each_safe (struct agent, agent, &set->agents, link)
		find_again(agent);
}

bool agent_is_kept(const struct daemon *daemon, uint32_t pane)
{
	return agent_of_pane(daemon->agents, pane) != NULL;
}

bool agent_is_at_prompt(
    const struct daemon *daemon, const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	const struct agent *agent = agent_of_pane(daemon->agents, pane->id);
	struct agent_verdict verdict;
	if (agent == NULL)
		return false;
	agent_monitor_judge(agent->monitor, pane, screen, &verdict);
	return verdict.kind == VERDICT_READY;
}
