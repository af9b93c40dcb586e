/* SPDX-License-Identifier: ISC */
/* What to do about each tool's call when its answer was lost. */
#include "cli/mcp_advice.h"

#include <stddef.h>
#include <string.h>

struct row {
	const char *tool;
	const char *advice; /* NULL: it only reads */
};

#define CHECK_JOBS "Check with list_jobs before repeating it."
#define CHECK_PANES "Check with list_panes before repeating it."
#define CHECK_QUEUE "Check with list_notifications before repeating it."
#define CHECK_SCREEN "Check with capture_pane what is in the pane before repeating it."
#define CHECK_TIMERS "Check with list_timers before repeating it."
#define CHECK_WATCHES "Check with list_watches before repeating it."
#define CHECK_AGENTS "Check with list_agents before repeating it."
#define ASK_AGAIN "Nothing was changed by waiting: call it again."

/* Alphabetized. */
static const struct row rows[] = {
    {"ack_notification", "Acknowledging twice is harmless: call it again."},
    {"cancel_notification", CHECK_QUEUE},
    {"cancel_timer", CHECK_TIMERS},
    {"cancel_watch", CHECK_WATCHES},
    {"capture_pane", NULL},
    {"close_pane", CHECK_PANES},
    {"close_session", CHECK_PANES},
    {"close_window", CHECK_PANES},
    {"create_pane", CHECK_PANES},
    {"create_session", CHECK_PANES},
    {"create_window", CHECK_PANES},
    {"describe", NULL},
    {"ensure_agent", CHECK_AGENTS},
    {"find_text", NULL},
    {"focus_pane", CHECK_PANES},
    {"gemini_sleep", CHECK_TIMERS},
    {"get_action_history", NULL},
    {"get_job", NULL},
    {"get_pane", NULL},
    {"list_agents", NULL},
    {"list_events", NULL},
    {"list_jobs", NULL},
    {"list_notifications", NULL},
    {"list_panes", NULL},
    {"list_sessions", NULL},
    {"list_timers", NULL},
    {"list_watches", NULL},
    {"list_windows", NULL},
    {"next_notification", ASK_AGAIN},
    {"ping", NULL},
    {"post_notification", CHECK_QUEUE},
    {"read_job", NULL},
    {"read_output", NULL},
    {"resize_pane", CHECK_PANES},
    {"respond", CHECK_SCREEN},
    {"run_long_command", CHECK_JOBS},
    {"self_command", CHECK_QUEUE},
    {"send_keys", CHECK_SCREEN},
    {"send_mouse", CHECK_SCREEN},
    {"send_task", CHECK_AGENTS},
    {"send_text", CHECK_SCREEN},
    {"sleep", CHECK_TIMERS},
    {"status", NULL},
    {"stop_agent", CHECK_AGENTS},
    {"stop_job", CHECK_JOBS},
    {"wait_for", ASK_AGAIN},
    {"wait_for_idle", CHECK_QUEUE},
    {"watch_log", CHECK_WATCHES},
    {"watch_pane", CHECK_WATCHES},
    {"yield_turn", NULL},
};

static const struct row *find(const char *tool)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(rows[i].tool, tool) == 0)
			return &rows[i];
	}
	return NULL;
}

bool mcp_advice_only_reads(const char *tool)
{
	const struct row *row = find(tool);
	return row != NULL && row->advice == NULL;
}

const char *mcp_advice(const char *tool)
{
	const struct row *row = find(tool);
	if (row == NULL)
		return "Check what it may have done (list_panes, list_jobs) before repeating it.";
	return row->advice != NULL ? row->advice : "It only reads: call it again.";
}
