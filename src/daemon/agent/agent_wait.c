/* SPDX-License-Identifier: ISC */
/* Requests of ensure_agent that wait until an agent is ready, asks something, or has failed. */
#include "daemon/agent/agent_private.h"

#include "daemon/server/request.h"
#include "io/loop_timer.h"

enum {
	EVIDENCE_MAX = 16 * 1024,
	ADOPTED_MS = 5000, /* longest wait for the prompt of an adopted agent, which may be busy */
};

struct agent_waiter {
	struct list link;
	struct agent *agent;
	struct request *request;
	struct loop_timer *deadline;
	bool is_started; /* the program was started for this request */
};

static void waiter_free(void *data)
{
	struct agent_waiter *waiter = data;
	list_remove(&waiter->link);
	loop_timer_free(waiter->deadline);
	mem_free(waiter);
}

static void waiter_answer(struct agent_waiter *waiter)
{
	struct request *request = waiter->request;
	struct json_writer *writer = request_result(request);
	const struct agent *agent = waiter->agent;
	char message[300];
	snprintf(message, sizeof message, "Agent %s is %s: %s.", agent->spec.name,
	    agent_state_names[agent->state], agent->reason);
	agent_write(writer, agent);
	json_put_bool(writer, "started", waiter->is_started);
	request_note_durable(request);
	(void)json_put_text(writer, "message", message, strlen(message));
	waiter_free(waiter);
	request_done(request);
}

static void put_output(const struct agent *agent, struct buf *out)
{
	(void)buf_append_str(out, agent->output != NULL ? "; its last lines: " : "");
	for (const char *at = agent->output; at != NULL && *at != '\0'; at++)
		if (*at == '\n')
			(void)buf_append_str(out, " | ");
		else
			(void)buf_append_byte(out, (uint8_t)*at);
}

static void waiter_fail(struct agent_waiter *waiter, enum message_error error, const char *what)
{
	const struct agent *agent = waiter->agent;
	struct request *request = waiter->request;
	struct json_writer writer;
	struct buf data, lines;
	buf_init(&lines, EVIDENCE_MAX);
	put_output(agent, &lines);
	json_start(&writer, &data, EVIDENCE_MAX);
	agent_write(&writer, agent);
	waiter_free(waiter);
	request_fail_data(request, error, (const char *)data.data, "agent \"%s\" %s: %s%.*s",
	    agent->spec.name, what, agent->reason, (int)lines.len, (const char *)lines.data);
	buf_finish(&data);
	buf_finish(&lines);
}

static void on_deadline(void *data)
{
	struct agent_waiter *waiter = data;
	if (waiter->agent->is_adopted)
		waiter_answer(waiter);
	else
		waiter_fail(waiter, MESSAGE_TIMEOUT,
		    "is not ready within startup_timeout_sec, and goes on starting");
}

static void waiter_step(struct agent_waiter *waiter)
{
	const struct agent *agent = waiter->agent;
	switch (agent->state) {
	case AGENT_BUSY:
		if (agent->is_adopted && !agent->was_ready)
			break; /* the prompt may come before the deadline */
		waiter_answer(waiter);
		break;
	case AGENT_READY:
	case AGENT_DRAFT:
	case AGENT_BLOCKED:
		waiter_answer(waiter);
		break;
	case AGENT_CRASHED:
		if (!agent->is_restarting)
			waiter_fail(waiter, MESSAGE_NOT_READY, "does not come up");
		break;
	case AGENT_GONE:
		waiter_fail(waiter, MESSAGE_GONE, "is gone");
		break;
	case AGENT_STARTING:
	case AGENT_STATE_COUNT_:
		break;
	}
}

void agent_waiters_step(struct agent *agent)
{
	list_each_safe (struct agent_waiter, agent_waiter, &agent->waiters, link)
		waiter_step(agent_waiter);
}

void agent_wait_add(struct agent *agent, struct request *request, bool is_started)
{
	struct agent_waiter *waiter = xcalloc(1, sizeof *waiter);
	int64_t limit_ms = agent->spec.startup_timeout_ms;
	if (agent->is_adopted && limit_ms > ADOPTED_MS)
		limit_ms = ADOPTED_MS;
	waiter->agent = agent;
	waiter->request = request;
	waiter->is_started = is_started;
	waiter->deadline = loop_timer_new(agent->set->parts->base, on_deadline, waiter);
	list_append(&agent->waiters, &waiter->link);
	request_on_cancel(request, waiter_free, waiter, NULL);
	loop_timer_arm(waiter->deadline, limit_ms);
}

void agent_waiters_end(struct agent *agent)
{
	while (!list_is_empty(&agent->waiters))
		waiter_fail(list_entry(agent->waiters.next, struct agent_waiter, link),
		    MESSAGE_GONE, "is gone");
}
