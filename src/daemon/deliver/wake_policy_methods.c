/* SPDX-License-Identifier: ISC */
/* set_wake_policy: which notifications wake an agent, and when. */

#include "daemon/deliver/wake_policy.h"
#include "daemon/server/handler.h"

struct policy_args {
	const char *agent, *pane, *quiet_hours;
	struct field_strings sources;
	int64_t window_ms;
};

static const struct field policy_fields[] = {
    {FIELD_ROW(STRING, struct policy_args, agent, "agent"), .min = 1, .max = PRESENCE_NAME_MAX,
	.help = "For all panes of the agent that reports itself by this name, such as claude."},
    {FIELD_ROW(STRING, struct policy_args, pane, "pane"),
	.help = "For this pane, before the policy of its agent; left out, and without agent, the "
		"caller's own."},
    {FIELD_ROW(STRING, struct policy_args, quiet_hours, "quiet_hours"),
	.help = "Nothing wakes in these hours of local time, such as 22:00-07:00; all that waits "
		"is delivered at their end."},
    {FIELD_ROW(STRINGS, struct policy_args, sources, "sources"), .max = SOURCE_COUNT_,
	.help = "Only notifications of these sources wake (command, condition, job, post, "
		"program, timer, tool, watch); others are delivered with the next that wakes. Left "
		"out: all wake."},
    {FIELD_ROW(INT, struct policy_args, window_ms, "window_ms"), .unit = "ms",
	.max = WAKE_WINDOW_MAX_MS, .preset = "0",
	.help = "Wait so long after the first that wakes, to deliver more in the same line."},
    {.name = NULL},
};

static const struct field_result policy_results[] = {
    {"pane", "string", "the pane, if it is the policy of a pane"},
    {"agent", "string", "the agent, if it is the policy of an agent"},
    {"sources", "array", "the sources that wake"},
    {"window_ms", "integer", "how long more are gathered"},
    {"quiet_hours", "string|null", "the hours in which nothing wakes"},
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

static bool read_sources(
    struct request *request, const struct field_strings *given, struct wake_policy *policy)
{
	if (!given->is_given)
		return true;
	memset(policy->wakes, 0, sizeof policy->wakes);
	for (size_t i = 0; i < given->count; i++) {
		size_t at = 0;
		while (at < SOURCE_COUNT_ &&
		    strcmp(given->strings[i], notification_source_names[at]) != 0)
			at++;
		if (at == SOURCE_COUNT_)
			return request_fail_field(request, "sources",
			    "must be names out of command, condition, job, post, program, "
			    "timer, tool, watch");
		policy->wakes[at] = true;
	}
	return true;
}

static bool read_owner(
    struct request *request, const struct policy_args *args, struct wake_policy *policy)
{
	const char *trouble = args->agent != NULL ? presence_check(args->agent, NULL) : NULL;
	if (args->agent != NULL && args->pane != NULL)
		trouble = "agent: give either agent or pane";
	if (trouble != NULL)
		return request_fail_data(
		    request, MESSAGE_PARAMS, "\"field\":\"agent\"", "%s", trouble);
	if (args->agent != NULL) {
		(void)snprintf(policy->agent, sizeof policy->agent, "%s", args->agent);
		return true;
	}
	if (!requester_pane(request, args->pane, &policy->pane))
		return false;
	policy->pane.thread[0] = '\0'; /* a policy is for the pane, whatever thread its agent has */
	if (policy->pane.pane == MUXBUS_NO_ID)
		return request_fail_field(request, "pane",
		    "you are in no pane of this tmux server: name one, or an agent");
	return true;
}

static void set_wake_policy(struct request *request, const void *data)
{
	const struct policy_args *args = data;
	struct wake_policy policy;
	wake_policy_init(&policy);
	policy.window_ms = args->window_ms;
	if (!read_owner(request, args, &policy) || !read_sources(request, &args->sources, &policy))
		return;
	if (args->quiet_hours != NULL && !wake_policy_read_quiet(&policy, args->quiet_hours)) {
		request_fail_field(request, "quiet_hours",
		    "must be two times such as 22:00-07:00, and not the same");
		return;
	}
	if (!wake_policy_put(request_daemon(request)->wake_policies, &policy)) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d wake policies already, the most there may be", WAKE_POLICIES_MAX);
		return;
	}
	wake_policy_write(request_result(request), &policy);
	request_note_durable(request);
	request_done(request);
}

/* Finds the pane that the request affects; a policy for an agent's name affects no single pane. */
static bool affects(struct request *request, const void *args, struct pane_ref *ret_pane)
{
	const struct policy_args *policy = args;
	if (policy->agent == NULL)
		return role_affects_pane(request, args, ret_pane);
	pane_ref_clear(ret_pane);
	return true;
}

const struct method methods_wake_policy[] = {
    {.name = METHOD("set_wake_policy", METHOD_TYPES | METHOD_SPEAKS_FOR | METHOD_WRITES),
	.title = "Set a wake policy",
	.summary = "Sets which notifications wake an agent, and when.",
	.help = "Replaces the policy of the pane or agent; without other parameters, removes it. "
		"A notification that does not wake stays queued, and is delivered with the next "
		"that wakes or at the end of the quiet hours. One of high urgency wakes at once. "
		"Kept over restarts; status lists the policies.",
	METHOD_CALL(set_wake_policy, policy_args, policy_fields, policy_results),
	.flags = METHOD_IDEMPOTENT | METHOD_NEEDS_TMUX,
	.recheck = "status",
	.affects = affects,
	.example = "{\"pane\":\"%3\",\"sources\":[\"job\"],\"window_ms\":2000}"},
    {.name = NULL},
};
