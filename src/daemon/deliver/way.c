/* SPDX-License-Identifier: ISC */
/* The way to an address, as it is now. */
#include "daemon/deliver/way.h"

#include <muxbus.h>

#include <stdio.h>

#include "daemon/core/config.h"
#include "daemon/deliver/person.h"
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
	    [WAY_SHOWN] = "shown",
	    [WAY_ON_NOTIFY] = "on_notify",
	};
	return names[way];
}

bool way_wakes(enum way way)
{
	return way != WAY_NONE && way != WAY_SHOWN && way != WAY_ON_NOTIFY;
}

/* The way to a person, in whose pane no agent lives. */
static void find_person(
    const struct way_parts *parts, const struct pane_ref *address, struct way_found *found)
{
	const char *clients[PERSON_CLIENTS_MAX];
	const char *also = parts->runs_on_notify ? ", and on_notify runs" : "";
	size_t count = person_clients(parts->person, address, clients);
	bool shows = !parts->config->shows_nothing;
	if (shows && count > 0) {
		found->way = WAY_SHOWN;
		snprintf(found->text, WAY_TEXT_SIZE, "shown in the status line of %s%s",
		    count == 1 ? clients[0] : "all attached clients", also);
	} else if (parts->runs_on_notify) {
		found->way = WAY_ON_NOTIFY;
		snprintf(found->text, WAY_TEXT_SIZE, "%s on_notify",
		    shows ? "given, as no client is attached, to the program of"
			  : "given to the program of");
	} else if (shows) {
		found->way = WAY_SHOWN;
		snprintf(found->text, WAY_TEXT_SIZE,
		    "shown in the status line when a client attaches: now none is");
	} else {
		found->way = WAY_NONE;
		found->is_final = true;
		snprintf(found->text, WAY_TEXT_SIZE, "pane %%%u: no agent is there, and show=none",
		    (unsigned)address->pane);
	}
}

void way_find(
    const struct way_parts *parts, const struct pane_ref *address, struct way_found *ret_found)
{
	char reason[QUEUE_REASON_SIZE] = "", guard[SUBMIT_REASON_SIZE];
	unsigned pane = (unsigned)address->pane;
	struct queue_target target;
	ret_found->is_final = false;
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
	} else if (person_has_pane(parts->person, address)) {
		find_person(parts, address, ret_found);
	} else if (!submit_can_type(parts->submits, address, guard)) {
		ret_found->way = WAY_NONE;
		snprintf(ret_found->text, WAY_TEXT_SIZE, "pane %%%u: %s", pane, guard);
	} else {
		ret_found->way = WAY_TYPED;
		snprintf(ret_found->text, WAY_TEXT_SIZE, "typed into pane %%%u", pane);
	}
}
