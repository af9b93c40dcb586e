/* SPDX-License-Identifier: ISC */
/*
 * muxbus metrics: prints what status tells, mostly numbers, and whether the daemon answers, in the
 * text format of Prometheus.
 */
#include "cli/verb.h"

#define OUT_MAX ((size_t)1024 * 1024)

/* The metrics, sorted by name. path leads to a number in the result of status. */
static const struct {
	const char *name;
	bool is_counter; /* counts from the start of the daemon; else a gauge */
	const char *path[3];
	const char *help; /* without backslash and newline, since it is not escaped */
} metrics[] = {
    {"muxbus_errors_total", true, {"counters", "errors"}, "Requests answered with an error."},
    {"muxbus_events_dropped_total", true, {"counters", "events_dropped"},
	"Events that a slow peer did not get."},
    {"muxbus_events_sent_total", true, {"counters", "events_sent"}, "Events sent to peers."},
    {"muxbus_jobs", false, {"jobs"}, "Jobs that run."},
    {"muxbus_journal_bytes", false, {"queue", "journal", "bytes"}, "Size of the journal."},
    {"muxbus_last_event_number", false, {"queue", "last"}, "Number of the last event."},
    {"muxbus_model_drift_total", true, {"model", "drift"},
	"Differences that audits found between the model and tmux."},
    {"muxbus_output_bytes_total", true, {"streams", "bytes"}, "Output of panes that was read."},
    {"muxbus_panes", false, {"panes"}, "Panes of the tmux server."},
    {"muxbus_peers", false, {"peers"}, "Programs that are connected."},
    {"muxbus_peers_accepted_total", true, {"counters", "accepted"}, "Connections accepted."},
    {"muxbus_peers_disconnected_total", true, {"counters", "disconnected"},
	"Connections ended because their program did not read."},
    {"muxbus_peers_refused_total", true, {"counters", "refused"}, "Connections refused."},
    {"muxbus_reports_dropped_total", true, {"counters", "reports_dropped"},
	"Reports of programs beyond a maximum."},
    {"muxbus_reports_refused_total", true, {"counters", "reports_refused"},
	"Reports of programs that were not believed."},
    {"muxbus_reports_total", true, {"counters", "reports"}, "Reports of programs by marks."},
    {"muxbus_requests_total", true, {"counters", "requests"}, "Requests of peers."},
    {"muxbus_resident_memory_bytes", false, {"memory", "rss_bytes"}, "Memory of the daemon."},
    {"muxbus_sessions", false, {"sessions"}, "Sessions of the tmux server."},
    {"muxbus_subscriptions", false, {"subscriptions"}, "Subscriptions of peers to events."},
    {"muxbus_timers", false, {"timers"}, "Timers that are set."},
    {"muxbus_undelivered_notifications", false, {"queue", "undelivered"},
	"Notifications that nothing has taken yet."},
    {"muxbus_uptime_seconds", false, {"uptime_sec"}, "Time since the start of the daemon."},
    {"muxbus_waits", false, {"waits"}, "Requests that wait."},
    {"muxbus_watches", false, {"watches"}, "Files and panes that are watched."},
    {"muxbus_windows", false, {"windows"}, "Windows of the tmux server."},
};

static void put_head(struct buf *out, const char *name, const char *type, const char *help)
{
	(void)buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_label(struct buf *out, const char *value)
{
	for (; *value; value++)
		if (*value == '\n')
			(void)buf_append_str(out, "\\n");
		else if (*value == '"' || *value == '\\')
			(void)buf_printf(out, "\\%c", *value);
		else
			(void)buf_append_byte(out, (uint8_t)*value);
}

static void put_states(struct buf *out, const struct json *status)
{
	const struct json *tmux = json_member(status, "tmux");
	bool is_live = strcmp(json_get_str(tmux, "state", ""), "live") == 0;
	put_head(out, "muxbus_build_info", "gauge", "Versions of the daemon and of tmux.");
	(void)buf_append_str(out, "muxbus_build_info{version=\"");
	put_label(out, json_get_str(status, "version", ""));
	(void)buf_append_str(out, "\",tmux=\"");
	put_label(out, json_get_str(tmux, "version", ""));
	(void)buf_append_str(out, "\"} 1\n");
	put_head(out, "muxbus_tmux_up", "gauge", "Whether the tmux server is followed.");
	(void)buf_printf(out, "muxbus_tmux_up %d\n", is_live);
}

static void put_numbers(struct buf *out, const struct json *status)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
		const struct json *value = status;
		for (size_t step = 0; step < 3 && metrics[i].path[step] != NULL; step++)
			value = json_member(value, metrics[i].path[step]);
		if (value == NULL || value->type != JSON_NUMBER)
			continue; /* the daemon does not report this number */
		put_head(out, metrics[i].name, metrics[i].is_counter ? "counter" : "gauge",
		    metrics[i].help);
		(void)buf_printf(out, "%s %.*s\n", metrics[i].name, (int)value->len, value->text);
	}
}

enum cli_status metrics_run(struct cli *cli, int argc, char **argv)
{
	enum cli_status end;
	const struct json *status;
	struct link *link;
	struct buf out = BUF(OUT_MAX);
	if (!option_read(cli, argc, argv, NULL, NULL, NULL, &end))
		return end;
	status = ask_quietly(cli, "status", ASK_MUTE_MS, &link);
	if (status != NULL) {
		put_states(&out, status);
		put_numbers(&out, status);
	}
	put_head(&out, "muxbus_up", "gauge", "Whether the daemon answers.");
	(void)buf_printf(&out, "muxbus_up %d\n", status != NULL);
	cli_print(&out);
	link_close(link);
	return cli_flush(status != NULL ? CLI_DONE : CLI_UNREACHABLE);
}
