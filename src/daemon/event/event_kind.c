/* SPDX-License-Identifier: ISC */
/* The table of the kinds of events. */
#include <string.h>

#include "daemon/event/event_log.h"

/* One row a kind, in the order of the enum, which is alphabetical. */
static const struct event_kind_info kinds[EVENT_KIND_COUNT_] = {
    [EVENT_ACTIVE_PANE_CHANGED] = {"active_pane_changed",
	"the active pane of a window, or the current window of a session, changed"},
    [EVENT_AGENT_REPORTED] = {"agent_reported",
	"an agent reported, by its hooks or its bridge, that it started, or its state: idle, busy, "
	"asking, gone"},
    [EVENT_AGENT_STATE] = {"agent_state",
	"an agent became starting, ready, busy, blocked, crashed or gone, with the evidence"},
    [EVENT_BELL] = {"bell", "a program rang the terminal's bell"},
    [EVENT_CLIENT_ATTACHED] = {"client_attached",
	"a tmux client of a person, or a foreign control client, attached to a session"},
    [EVENT_CLIENT_DETACHED] = {"client_detached", "a tmux client detached"},
    [EVENT_COMMAND_CHANGED] = {"command_changed",
	"another program runs in the foreground of a pane"},
    [EVENT_COMMAND_FINISHED] = {"command_finished",
	"a shell with OSC 133 marks reported that a command ended, with its exit status"},
    [EVENT_COMMAND_STARTED] = {"command_started",
	"a shell with OSC 133 marks reported that a command began"},
    [EVENT_DELIVERY] = {"delivery", "the result of typing a notification into a pane"},
    [EVENT_GAP] = {"gap",
	"events from..to did not reach this subscription, or bytes of a pane are missing; reason "
	"says why"},
    [EVENT_LAYOUT_CHANGED] = {"layout_changed",
	"panes of a window were resized, moved or zoomed; with the layout as a tree"},
    [EVENT_MODE_CHANGED] = {"mode_changed", "a pane entered or left a mode such as copy mode"},
    [EVENT_NOTIFICATION] = {"notification", "an entry was added to the queue"},
    [EVENT_PANE_CLOSED] = {"pane_closed", "a pane was closed"},
    [EVENT_PANE_CREATED] = {"pane_created", "a pane was created"},
    [EVENT_PANE_EXITED] = {"pane_exited",
	"the program of a pane ended, with its exit status or signal where tmux knows it"},
    [EVENT_PANE_MOVED] = {"pane_moved", "a pane went to another window or index"},
    [EVENT_PANE_OUTPUT] = {"pane_output",
	"bytes that a pane's program wrote, with their offset; only with output:true; never kept"},
    [EVENT_PANE_QUIET] = {"pane_quiet", "a pane that wrote something has been quiet for a while"},
    [EVENT_PATH_CHANGED] = {"path_changed",
	"the directory of the foreground program of a pane changed"},
    [EVENT_SERVER_FOUND] = {"server_found", "the daemon follows the tmux server from now on"},
    [EVENT_SERVER_LOST] = {"server_lost",
	"the tmux server has ended or does not answer; all its ids are invalid"},
    [EVENT_SESSION_CLOSED] = {"session_closed", "a session was closed"},
    [EVENT_SESSION_CREATED] = {"session_created", "a session was created"},
    [EVENT_SESSION_RENAMED] = {"session_renamed", "a session was renamed"},
    [EVENT_TITLE_CHANGED] = {"title_changed", "a program changed the title of its pane"},
    [EVENT_WINDOW_CLOSED] = {"window_closed", "a window was closed, or left a session"},
    [EVENT_WINDOW_CREATED] = {"window_created",
	"a window was created, or was linked into a session"},
    [EVENT_WINDOW_RENAMED] = {"window_renamed", "a window was renamed"},
};

_Static_assert(EVENT_KIND_COUNT_ <= 64, "filters are sets of bits");

const struct event_kind_info *event_kind_info(enum event_kind kind)
{
	return &kinds[kind];
}

int event_kind_find(const char *name)
{
	int low = 0;
	int high = EVENT_KIND_COUNT_;
	while (low < high) {
		int middle = (low + high) / 2;
		int order = strcmp(name, kinds[middle].name);
		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}
