/* SPDX-License-Identifier: ISC */
/* The tables of methods. */
#include "daemon/methods/tables.h"

#include <stddef.h>

#include "daemon/agent/agent.h"
#include "daemon/job/job.h"
#include "daemon/timer/timer.h"
#include "daemon/wait/wait.h"
#include "daemon/watch/watch.h"

/* Keep alphabetized. */
const struct method *const method_tables[] = {
    methods_agent,
    methods_capture,
    methods_command,
    methods_consumer,
    methods_daemon,
    methods_execute,
    methods_fleet,
    methods_history,
    methods_input,
    methods_job,
    methods_list,
    methods_meter,
    methods_pane,
    methods_presence,
    methods_provide,
    methods_puller,
    methods_queue,
    methods_rest,
    methods_self_command,
    methods_subscribe,
    methods_timer,
    methods_tool,
    methods_wait,
    methods_wake_policy,
    methods_watch,
    methods_watch_list,
    methods_window,
    NULL,
};
