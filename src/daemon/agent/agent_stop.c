/* SPDX-License-Identifier: ISC */
/*
 * Stops an agent, or releases an adopted one. A stopped agent's program gets SIGHUP, as when a
 * terminal is closed, and SIGKILL after the grace time. Then its pane is closed. If the agent runs
 * in a person's shell, the agent's process group gets the signals, and the pane stays.
 */
#include "daemon/agent/agent_private.h"

#include <sys/syscall.h>

#include "base/process.h"
#include "daemon/agent/agent_task.h"
#include "daemon/server/handler.h"
#include "daemon/tmux/tmux_command.h"
#include "io/loop_timer.h"

enum { KILL_MS = 2000 }; /* time from SIGKILL until the agent counts as ended in any case */

/* The agent may be freed before tmux replies. */
struct closing {
	struct agent *agent; /* NULL: it was freed */
};

struct agent_ending {
	struct request *request; /* NULL: no request waits */
	int pidfd; /* of the process that gets signals; -1: ended or unknown */
	struct foreground_program program; /* an agent in a person's shell; pid 0: none */
	pid_t shell_group; /* process group of the pane's first process */
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	bool is_killed;
	bool is_closing;
	struct closing *closing; /* while a reply of tmux is pending; or NULL */
	uint32_t pane;
};

static void signal_process(const struct agent_ending *ending, int number)
{
	const struct foreground_program *program = &ending->program;
	pid_t group = program->pid != 0 ? getpgid(program->pid) : 0;
	if (group > 1 && group != ending->shell_group &&
	    foreground_lives(program->pid, program->start))
		(void)kill(-group, number);
	else if (ending->pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, ending->pidfd, number, NULL, 0);
}

void agent_ending_free(struct agent_ending *ending)
{
	if (ending == NULL)
		return;
	if (ending->closing != NULL)
		ending->closing->agent = NULL;
	if (ending->pidfd >= 0)
		(void)close(ending->pidfd);
	mem_free(ending);
}

static void on_cancelled(void *data)
{
	((struct agent_ending *)data)->request = NULL;
}

static struct json_writer *begin_result(
    struct request *request, const struct agent *agent, uint32_t pane, bool is_released)
{
	struct json_writer *writer = request_result(request);
	json_put_str(writer, "agent", agent->spec.name);
	json_put_id(writer, "pane", '%', pane);
	json_put_bool(writer, "released", is_released);
	return writer;
}

static void finish(struct agent *agent)
{
	struct agent_ending *ending = agent->ending;
	struct request *request = ending->request;
	struct json_writer *writer;
	if (request != NULL) {
		writer = begin_result(request, agent, ending->pane, false);
		json_put_bool(writer, "killed", ending->is_killed);
		if (agent->exit_status >= 0)
			json_put_int(writer, "exit_status", agent->exit_status);
		if (agent->exit_signal > 0)
			json_put_int(writer, "signal", agent->exit_signal);
		request_note_durable(request);
		request_done(request);
	}
	agent->set->callbacks->remove(agent, "it was stopped");
}

static void release(struct agent *agent, struct request *request)
{
	static const char reason[] = "it was released: its program goes on";
	struct json_writer *writer = begin_result(request, agent, agent->pane.pane, true);
	json_put_bool(writer, "killed", false);
	snprintf(agent->reason, sizeof agent->reason, "%s", reason);
	agent_tasks_end(agent, "released", true);
	agent->set->callbacks->remove(agent, reason);
	request_done(request);
}

static void on_pane_closed(
    void *data, int error UNUSED, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct closing *closing = data;
	struct agent *agent = closing->agent;
	mem_free(closing);
	if (agent == NULL)
		return;
	agent->ending->closing = NULL;
	finish(agent);
}

static void close_pane(struct agent *agent)
{
	struct tmux *tmux = agent->set->parts->tmux;
	struct muxbus_command *command;
	struct closing *closing;
	agent->ending->is_closing = true;
	if (!agent_has_pane(agent)) {
		finish(agent);
		return;
	}
	command = tmux_command("kill-pane", "-t", TMUX_ID('%', agent->pane.pane), NULL);
	closing = xcalloc(1, sizeof *closing);
	closing->agent = agent;
	if (muxbus_sync_run(tmux_sync(tmux), command, true, on_pane_closed, closing) < 0) {
		mem_free(closing);
		finish(agent);
	} else {
		agent->ending->closing = closing;
	}
}

/* Chooses the process that gets the signals: the pane's first, or the agent in a person's shell. */
static void aim(struct agent_ending *ending, const struct agent *agent)
{
	pid_t pane_pid = agent->pane.pane_pid;
	if (agent->is_adopted && agent->program.pid != 0 && agent->program.pid != pane_pid) {
		ending->program = agent->program;
		ending->shell_group = getpgid(pane_pid);
		ending->pidfd = process_open(agent->program.pid, agent->program.start);
	} else if (agent_has_pane(agent)) {
		ending->pidfd = process_open(pane_pid, process_start_ticks(pane_pid));
	}
}

static bool has_left_pane(const struct agent_ending *ending, int64_t left_ms)
{
	return ending->program.pid != 0 &&
	    (!foreground_lives(ending->program.pid, ending->program.start) ||
		(left_ms <= 0 && ending->is_killed));
}

void agent_ending_step(struct agent *agent)
{
	struct agent_ending *ending = agent->ending;
	const struct muxbus_pane *pane = NULL;
	int64_t left_ms = ending->deadline_ms - clock_mono_ms();
	if (ending->is_closing)
		return;
	if (has_left_pane(ending, left_ms)) {
		finish(agent);
		return;
	}
	if (agent_has_pane(agent))
		pane = muxbus_model_pane(tmux_model(agent->set->parts->tmux), agent->pane.pane);
	if (pane != NULL && pane->is_dead) {
		agent->exit_status = pane->exit_status;
		agent->exit_signal = pane->exit_signal;
	}
	if (pane == NULL || pane->is_dead || (left_ms <= 0 && ending->is_killed)) {
		close_pane(agent);
		return;
	}
	if (left_ms <= 0) {
		signal_process(ending, SIGKILL);
		ending->is_killed = true;
		ending->deadline_ms += KILL_MS;
		left_ms = KILL_MS;
	}
	loop_timer_arm(agent->timer, left_ms);
}

void agent_stop(
    struct agent_set *set, struct request *request, const char *name, int64_t grace_ms, bool force)
{
	struct agent *agent = agent_get(set, name);
	struct agent_ending *ending;
	if (agent == NULL) {
		request_fail(request, MESSAGE_NO_SUCH_AGENT,
		    "there is no agent \"%s\": see list_agents", name);
		return;
	}
	if (agent->ending != NULL) {
		request_fail(request, MESSAGE_BUSY, "agent \"%s\" is being stopped", name);
		return;
	}
	if (agent->is_adopted && agent->program.pid != 0 && !force) {
		release(agent, request);
		return;
	}
	ending = xcalloc(1, sizeof *ending);
	ending->request = request;
	ending->pidfd = -1;
	ending->pane = agent->pane.pane;
	ending->deadline_ms = clock_mono_ms() + grace_ms;
	aim(ending, agent);
	agent->ending = ending;
	agent->is_restarting = false;
	submit_drop(agent->submit);
	agent_tasks_end(agent, "crashed", true);
	agent_waiters_end(agent);
	request_on_cancel(request, on_cancelled, ending, "the peer has gone; the agent is stopped");
	signal_process(ending, SIGHUP);
	signal_process(ending, SIGCONT); /* a stopped process must run to handle SIGHUP */
	loop_timer_arm(agent->timer, 0);
}
