/* SPDX-License-Identifier: ISC */
/* The table of the daemon's kinds of events, and functions that find these and published kinds. */
#include <fnmatch.h>

#include "daemon/event/published.h"

enum { EVENT_MEMBER_SIZE = 32 };

#define PANE_MEMBERS                                                                   \
	"pane window session session_name window_name window_index "                   \
	"pane_index width height left top active title command path "                  \
	"pid tty dead exit_status signal signal_name mode alternate_screen input_off " \
	"synchronized mouse floating last_output human"
#define CLIENT_MEMBERS "client pid session control readonly activity"
#define SESSION_MEMBERS "session name windows attached created activity current_window group"
#define WINDOW_MEMBERS                                             \
	"window index name width height layout active_pane panes " \
	"zoomed bell activity silence"
#define WINDOW_LISTS "sessions links"

/* In the order of the enum. */
static const struct event_kind_info kinds[EVENT_KIND_COUNT_] = {
    [EVENT_ACTIVE_PANE_CHANGED] = {"active_pane_changed",
	"the active pane of a window, or the current window of a session, changed",
	"session window pane previous_window previous_pane"},
    [EVENT_AGENT_REPORTED] = {"agent_reported",
	"an agent reported, by its hooks or its bridge, that it started, or its state: idle, busy, "
	"asking, gone",
	"pane agent session state before by question"},
    [EVENT_AGENT_STATE] = {"agent_state",
	"an agent became starting, ready, draft, busy, blocked, crashed or gone, with the evidence",
	"agent state reason since pane window session pid command command_cut program_started "
	"restarts restarting adopted question question_id secret output",
	"choices evidence tasks"},
    [EVENT_BELL] = {"bell", "a program rang the terminal's bell", "pane window offset count"},
    [EVENT_CLIENT_ATTACHED] = {"client_attached",
	"a tmux client of a person, or a foreign control client, attached to a session",
	CLIENT_MEMBERS},
    [EVENT_CLIENT_DETACHED] = {"client_detached", "a tmux client detached", CLIENT_MEMBERS},
    [EVENT_COMMAND_CHANGED] = {"command_changed",
	"another program runs in the foreground of a pane", "pane window command previous pid"},
    [EVENT_COMMAND_FINISHED] = {"command_finished",
	"a shell with OSC 133 marks reported that a command ended, with its exit status",
	"pane exit_status from to duration_ms"},
    [EVENT_COMMAND_STARTED] = {"command_started",
	"a shell with OSC 133 marks reported that a command began; command_line is null if it does "
	"not say",
	"pane offset command_line"},
    [EVENT_DELIVERY] = {"delivery", "the result of typing a notification into a pane",
	"notification id pane thread", "delivery"},
    [EVENT_GAP] = {"gap",
	"events from..to did not reach this subscription, or bytes of a pane are missing; reason "
	"says why",
	"from to pane offset reason count error"},
    [EVENT_HOST_STATE] = {"host_state",
	"of a fleet: a host is up, connecting or down now, and why; seq: its events follow behind "
	"this number",
	"host server state reason"},
    [EVENT_LAYOUT_CHANGED] = {"layout_changed",
	"panes of a window were resized, moved or zoomed; with the layout as a tree",
	"window width height zoomed layout visible_layout", "tree"},
    [EVENT_LINE] = {"line",
	"a program ended a line of its output: plain text without escape sequences; only where the "
	"kind is named; never kept; offset is behind its end; part: more of the same line follows",
	"pane offset text lossy part"},
    [EVENT_MODE_CHANGED] = {"mode_changed", "a pane entered or left a mode such as copy mode",
	"pane window mode previous"},
    [EVENT_NOTIFICATION] = {"notification", "an entry was added to the queue",
	"source id pane thread text state redelivered key count urgency durable", "data delivery"},
    [EVENT_PANE_CLOSED] = {"pane_closed", "a pane was closed", "pane window"},
    [EVENT_PANE_CREATED] = {"pane_created", "a pane was created", PANE_MEMBERS, "sessions"},
    [EVENT_PANE_EXITED] = {"pane_exited",
	"the program of a pane ended, with its exit status or signal where tmux knows it",
	"pane window exit_status signal signal_name"},
    [EVENT_PANE_MOVED] = {"pane_moved", "a pane went to another window or index",
	PANE_MEMBERS " previous_window", "sessions"},
    [EVENT_PANE_OUTPUT] = {"pane_output",
	"bytes that a pane's program wrote, with their offset; by its name or output:true; never "
	"kept",
	"pane offset to text lossy"},
    [EVENT_PANE_QUIET] = {"pane_quiet", "a pane that wrote something has been quiet for a while",
	"pane offset quiet_ms"},
    [EVENT_PATH_CHANGED] = {"path_changed",
	"the directory of the foreground program of a pane changed", "pane window path previous"},
    [EVENT_PROGRAM_NOTIFIED] = {"program_notified",
	"a program notified its terminal (OSC 9, 99 or 777); with osc, which of them, title and "
	"text: untrusted",
	"pane window offset osc title text"},
    [EVENT_PROGRESS_CHANGED] = {"progress_changed",
	"a program reported its progress (OSC 9;4): state none, normal, error, indeterminate or "
	"paused, and percent",
	"pane window offset state percent"},
    [EVENT_SERVER_FOUND] = {"server_found", "the daemon follows the tmux server from now on",
	"version pid socket"},
    [EVENT_SERVER_LOST] = {"server_lost",
	"the tmux server has ended or does not answer; all its ids are invalid",
	"reason error pid"},
    [EVENT_SESSION_CLOSED] = {"session_closed", "a session was closed", "session"},
    [EVENT_SESSION_CREATED] = {"session_created", "a session was created", SESSION_MEMBERS},
    [EVENT_SESSION_RENAMED] = {"session_renamed", "a session was renamed",
	SESSION_MEMBERS " previous"},
    [EVENT_TITLE_CHANGED] = {"title_changed", "a program changed the title of its pane",
	"pane window title previous"},
    [EVENT_WAY_CHANGED] = {"way_changed",
	"the last way to an agent with something pending was lost, with the reason, or there is a "
	"way again; way is none, or shown or on_notify if a person gets the notification; before "
	"is null for a way that the daemon found lost when it started",
	"pane thread way reason before"},
    [EVENT_WINDOW_CLOSED] = {"window_closed", "a window was closed, or left a session", "window"},
    [EVENT_WINDOW_CREATED] = {"window_created",
	"a window was created, or was linked into a session", WINDOW_MEMBERS, WINDOW_LISTS},
    [EVENT_WINDOW_RENAMED] = {"window_renamed", "a window was renamed", WINDOW_MEMBERS " previous",
	WINDOW_LISTS},
};

_Static_assert(EVENT_KINDS_MAX <= 64, "filters are sets of bits");

const struct event_kind_info *event_kind_info(enum event_kind kind)
{
	return kind < EVENT_KIND_COUNT_ ? &kinds[kind] : published_info((int)kind);
}

static int find_published(const char *name)
{
	for (int kind = EVENT_KIND_COUNT_; kind < EVENT_KINDS_MAX; kind++) {
		const struct event_kind_info *info = published_info(kind);
		if (info != NULL && strcmp(info->name, name) == 0)
			return kind;
	}
	return -1;
}

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct event_kind_info *)row)->name);
}

int event_kind_find(const char *name)
{
	const struct event_kind_info *row =
	    bsearch(name, kinds, EVENT_KIND_COUNT_, sizeof *kinds, compare_name);
	return row != NULL ? (int)(row - kinds) : find_published(name);
}

const char *event_kind_nearest(const char *name)
{
	const char *names[EVENT_KINDS_MAX + 1] = {NULL};
	size_t count = 0;
	for (int kind = 0; kind < EVENT_KINDS_MAX; kind++) {
		const struct event_kind_info *info = event_kind_info((enum event_kind)kind);
		if (info != NULL)
			names[count++] = info->name;
	}
	return str_nearest(name, names);
}

uint64_t event_kinds_find(const char *pattern)
{
	int exact = event_kind_find(pattern);
	uint64_t found = 0;
	if (exact >= 0)
		return UINT64_C(1) << exact;
	for (int kind = 0; kind < EVENT_KINDS_MAX; kind++) {
		const struct event_kind_info *info = event_kind_info((enum event_kind)kind);
		if (kind != EVENT_PANE_OUTPUT && kind != EVENT_LINE && info != NULL &&
		    fnmatch(pattern, info->name, 0) == 0)
			found |= UINT64_C(1) << kind;
	}
	return found;
}

/* Adds the words of text that are not in names yet. Returns the new number of names. */
static size_t add_members(
    const char *text, char words[][EVENT_MEMBER_SIZE], const char **names, size_t count)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " "), at = 0;
		while (
		    at < count && (strlen(names[at]) != len || strncmp(names[at], text, len) != 0))
			at++;
		if (at == count && count < EVENT_MEMBERS_MAX && len < EVENT_MEMBER_SIZE) {
			memcpy(words[count], text, len);
			words[count][len] = '\0';
			names[count] = words[count];
			count++;
		}
		text += len + strspn(text + len, " ");
	}
	return count;
}

const char *const *event_kinds_members(uint64_t wanted, bool lists)
{
	static char words[EVENT_MEMBERS_MAX][EVENT_MEMBER_SIZE];
	static const char *names[EVENT_MEMBERS_MAX + 1];
	size_t count = 0;
	for (int kind = 0; kind < EVENT_KINDS_MAX; kind++) {
		const struct event_kind_info *info = event_kind_info((enum event_kind)kind);
		const char *text = info == NULL || !(wanted >> kind & 1) ? NULL
		    : lists                                              ? info->lists
									 : info->members;
		if (text != NULL)
			count = add_members(text, words, names, count);
	}
	names[count] = NULL;
	return names;
}
