/* SPDX-License-Identifier: ISC */
/* The turn that a task begins: reported by the agent, or shown by its screen. */
#include "daemon/agent/agent_private.h"

#include "daemon/agent/agent_report.h"

enum {
	TURN_MS = 20000, /* time after typing in which a prompt may be older than the task */
	FIRST_TURN_MS = 5000, /* the same without reported turns; longer if the program computes */
	COMMAND_MS = 1500, /* the same after a command with '/' */
};

uint64_t agent_turns(const struct agent *agent)
{
	const struct presence *presence =
	    presence_of_pane(agent->set->parts->presences, &agent->pane);
	return presence != NULL && !presence->is_by_mark ? presence->turns : 0;
}

/*
 * Returns true while work must still be seen. A busy machine may show the old prompt for long, and
 * most commands with '/' begin no turn.
 */
static bool is_work_due(struct agent_task *task, const struct agent_verdict *verdict,
    const struct pane_screen *screen, int64_t since_ms)
{
	struct foreground front;
	if (task->is_response || !verdict->is_by_sign || since_ms >= TURN_MS)
		return false;
	task->has_worked |= agent_report_shows_work(task, screen);
	if (task->has_worked || since_ms < (task->text[0] == '/' ? COMMAND_MS : FIRST_TURN_MS))
		return !task->has_worked;
	foreground_read(task->agent->pane.pane_pid, &front);
	return front.is_known && front.is_computing;
}

bool agent_turn_is_due(
    struct agent_task *task, const struct agent_verdict *verdict, const struct pane_screen *screen)
{
	const struct agent *agent = task->agent;
	const struct presence *presence =
	    presence_of_pane(agent->set->parts->presences, &agent->pane);
	int64_t since_ms = clock_boot_ms() - task->typed_ms;
	bool still_asks;
	if (task->reply != NULL)
		return false;
	if (presence == NULL || presence->is_by_mark || presence->session[0] == '\0')
		return is_work_due(task, verdict, screen, since_ms);
	still_asks = task->is_response && presence->state == PRESENCE_ASKING;
	return (presence->state == PRESENCE_BUSY || still_asks ||
		   (!task->is_response && presence->turns == task->turns)) &&
	    since_ms < (presence->has_turns && !still_asks ? TURN_MS : FIRST_TURN_MS);
}
