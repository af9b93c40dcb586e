/* SPDX-License-Identifier: ISC */
/* The way to an address, as it is now. */
#include "daemon/deliver/way.h"

#include <muxbus.h>

#include <stdio.h>

#include "daemon/deliver/puller.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/input/submit.h"

const char *way_name(enum way way)
{
	static const char *const names[] = {
	    [WAY_NONE] = "none",
	    [WAY_FOLLOW] = "follow",
	    [WAY_HOOK] = "hook",
	    [WAY_QUEUE_COMMAND] = "queue_command",
	    [WAY_TYPED] = "typed",
	};
	return names[way];
}

void way_find(
    const struct way_parts *parts, const struct pane_ref *address, struct way_found *ret_found)
{
	char reason[QUEUE_REASON_SIZE] = "", guard[SUBMIT_REASON_SIZE];
	unsigned pane = (unsigned)address->pane;
	struct queue_target target;
	if (puller_is_armed(parts->pullers, address)) {
		ret_found->way = WAY_FOLLOW;
		snprintf(
		    ret_found->text, WAY_TEXT_SIZE, "printed by the follower of pane %%%u", pane);
	} else if (puller_hook_waits(parts->pullers, address)) {
		ret_found->way = WAY_HOOK;
		snprintf(ret_found->text, WAY_TEXT_SIZE,
		    "handed over by the hook that waits in pane %%%u", pane);
	} else if (parts->queue_failure == NULL &&
	    queue_command_find(parts->presences, address, &target, reason)) {
		ret_found->way = WAY_QUEUE_COMMAND;
		snprintf(ret_found->text, WAY_TEXT_SIZE,
		    "handed over by %.32s queue, thread %.128s", target.agent, target.session);
	} else if (address->pane == MUXBUS_NO_ID) {
		ret_found->way = WAY_NONE;
		snprintf(ret_found->text, WAY_TEXT_SIZE, "%s",
		    parts->queue_failure != NULL ? parts->queue_failure
			: reason[0] != '\0'      ? reason
						 : "you are in no pane of this tmux server");
	} else if (!submit_can_type(parts->submits, address, guard)) {
		ret_found->way = WAY_NONE;
		snprintf(ret_found->text, WAY_TEXT_SIZE, "pane %%%u: %s", pane, guard);
	} else {
		ret_found->way = WAY_TYPED;
		snprintf(ret_found->text, WAY_TEXT_SIZE, "typed into pane %%%u", pane);
	}
}
