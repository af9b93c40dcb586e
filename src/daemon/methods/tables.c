/* SPDX-License-Identifier: ISC */
#include "daemon/methods/tables.h"

#include "daemon/agent/agent.h"
#include "daemon/deliver/self_command.h"
#include "daemon/deliver/wake_meter.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/job/job.h"
#include "daemon/saved/saved.h"
#include "daemon/timer/timer.h"
#include "daemon/wait/condition.h"
#include "daemon/wait/wait.h"
#include "daemon/watch/watch.h"

const struct method_table method_tables[] = {
    {methods_agent, "agents"},
    {methods_audit, "daemon"},
    {methods_capture, "panes"},
    {methods_command, "tmux"},
    {methods_consumer, "queue"},
    {methods_daemon, "daemon"},
    {methods_execute, "jobs"},
    {methods_fleet, "daemon"},
    {methods_input, "panes"},
    {methods_job, "jobs"},
    {methods_job_look, "jobs"},
    {methods_list, "panes"},
    {methods_meter, "daemon"},
    {methods_pane, "panes"},
    {methods_presence, "agents"},
    {methods_provide, "daemon"},
    {methods_puller, "queue"},
    {methods_queue, "queue"},
    {methods_rest, "daemon"},
    {methods_saved, "tmux"},
    {methods_self_command, "agents"},
    {methods_subscribe, "events"},
    {methods_timer, "waits"},
    {methods_tool, "daemon"},
    {methods_wait, "waits"},
    {methods_wake_policy, "queue"},
    {methods_watch, "waits"},
    {methods_watch_list, "waits"},
    {NULL, NULL},
};

static const struct condition_kind *const condition_tables[] = {
    condition_kinds_agent,
    condition_kinds_cpu,
    condition_kinds_event,
    condition_kinds_file,
    condition_kinds_job,
    condition_kinds_notification,
    condition_kinds_pane,
    condition_kinds_prompt,
    condition_kinds_sec,
    NULL,
};

void tables_register(void)
{
	method_set_tables(method_tables);
	condition_kind_set_tables(condition_tables);
}
