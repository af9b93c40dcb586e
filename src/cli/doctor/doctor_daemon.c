/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for the daemon and what it reports about itself. */
#include "cli/doctor/doctor.h"

#include <poll.h>

#include "cli/program.h"
#include "cli/verb.h"
#include "config.h"

#define AUDIT_TIMEOUT_MS 15000
#define QUEUE_LONG 1000
#define SLOW_MS 1000
#define FOLLOW_TRIES 10
#define FOLLOW_TRY_MS 300

static void find_installed(struct doctor_report *report)
{
	char path[PATH_MAX];
	if (program_find("muxbusd", path, sizeof path))
		doctor_find(report, FINDING_GOOD, "muxbusd", NULL, "%s", path);
	else
		doctor_find(report, FINDING_WRONG, "muxbusd",
		    "install it, or put its directory into PATH",
		    "is neither beside muxbus nor in PATH");
}

static struct link *find_running(struct doctor_report *report, const struct cli *cli)
{
	char reason[PATH_MAX + 512];
	struct link *link;
	switch (ask_open(&link, cli->socket, reason, sizeof reason)) {
	case LINK_OK:
		return link;
	case LINK_NO_SOCKET:
	case LINK_DEAD:
		doctor_find(
		    report, FINDING_WRONG, "daemon", locate_remedy(cli), "not running: %s", reason);
		break;
	case LINK_NOT_OURS:
		doctor_find(report, FINDING_WRONG, "daemon",
		    "do not use that socket; name another tmux server with -L or -S", "%s", reason);
		break;
	case LINK_FAILED:
		doctor_find(report, FINDING_WRONG, "daemon",
		    remote_is(cli)
			? "check that ssh reaches that machine, and that Muxbus is installed there"
			: "check the file there and its permissions",
		    "%s", reason);
		break;
	}
	return NULL;
}

static void find_version(
    struct doctor_report *report, const struct cli *cli, const struct json *status)
{
	const char *version = json_get_str(status, "version", "?");
	int64_t pid = json_get_int(status, "pid", 0);
	char exe[64], target[PATH_MAX];
	bool is_replaced;
	ssize_t len;
	(void)snprintf(exe, sizeof exe, "/proc/%" PRId64 "/exe", pid);
	len = readlink(exe, target, sizeof target - 1);
	target[len > 0 ? len : 0] = '\0';
	is_replaced = !remote_is(cli) && strstr(target, " (deleted)") != NULL;
	if (strcmp(version, PACKAGE_VERSION) != 0)
		doctor_find(report, FINDING_WRONG, "daemon", ask_other_version(cli),
		    "runs version %s, and this is muxbus %s", version, PACKAGE_VERSION);
	else if (is_replaced)
		doctor_find(report, FINDING_NOTE, "daemon", "muxbus shutdown; muxbus start",
		    "its program was replaced after it had started (process %" PRId64 ")", pid);
	else
		doctor_find(report, FINDING_GOOD, "daemon", NULL,
		    "version %s, process %" PRId64 ", up %.0f s", version, pid,
		    json_get_double(status, "uptime_sec"));
}

static void find_follow(
    struct doctor_report *report, const struct cli *cli, const struct json *status)
{
	const struct json *tmux = json_member(status, "tmux");
	const char *version = json_get_str(tmux, "version", "?");
	const struct json *capabilities = json_member(tmux, "capabilities");
	bool runs = locate_tmux_runs(cli);
	if (strcmp(json_get_str(tmux, "state", ""), "live") != 0)
		doctor_find(report, runs ? FINDING_WRONG : FINDING_NOTE, "following",
		    runs ? "muxbusd needs tmux 3.3 or later; read its log" : "start tmux",
		    "tmux is not followed: %s", json_get_str(tmux, "reason", "it does not run"));
	else if (!json_get_bool(tmux, "attached", true))
		doctor_find(report, FINDING_GOOD, "following", NULL,
		    "tmux %s; no client of it until a program needs output or events", version);
	else if (ask_has(capabilities, "window_crash"))
		doctor_find(report, FINDING_NOTE, "following",
		    "update to tmux 3.8, or run the two commands separately; see BUGS in "
		    "muxbusd(8)",
		    "tmux %s crashes while any control client is attached if one command list "
		    "selects a window and kills its session, or kills the last two windows",
		    version);
	else
		doctor_find(report, FINDING_GOOD, "following", NULL, "tmux %s", version);
	if (strcmp(json_get_str(tmux, "attach", ""), "process") == 0 &&
	    ask_has(capabilities, "start_crash"))
		doctor_find(report, FINDING_NOTE, "attaching",
		    "unset MUXBUS_ATTACH and --tmux, and restart muxbusd",
		    "tmux %s can crash when a tmux -C process attaches while sessions change",
		    version);
}

static void find_audit(struct doctor_report *report, const struct json *status)
{
	const struct json *audit = json_member(status, "audit");
	int64_t differences = json_get_int(audit, "differences", -1);
	int64_t drift = json_get_int(json_member(status, "model"), "drift", 0);
	if (differences > 0)
		doctor_find(report, FINDING_WRONG, "model",
		    "the model is corrected now; please report this message",
		    "the daemon's model of tmux was wrong in %" PRId64 " places: %s", differences,
		    json_get_str(audit, "first", "?"));
	else if (drift > 0)
		doctor_find(report, FINDING_NOTE, "model",
		    "please report it, with the daemon's log",
		    "correct now; earlier comparisons found %" PRId64 " differences", drift);
	else if (differences == 0)
		doctor_find(
		    report, FINDING_GOOD, "model", NULL, "the daemon's model of tmux is correct");
}

static void find_queue(struct doctor_report *report, const struct json *status)
{
	const struct json *queue = json_member(status, "queue");
	const struct json *journal = json_member(queue, "journal");
	int64_t undelivered = json_get_int(queue, "undelivered", 0);
	if (strcmp(json_get_str(journal, "state", "sound"), "sound") != 0)
		doctor_find(report, FINDING_WRONG, "journal",
		    "make room on the disk, or fix its permissions, and leave muxbusd running: "
		    "it writes all then",
		    "degraded, notifications may not survive a crash: %s",
		    json_get_str(journal, "trouble", "?"));
	else
		doctor_find(report, FINDING_GOOD, "journal", NULL, "sound, %" PRId64 " bytes",
		    json_get_int(journal, "bytes", 0));
	if (undelivered >= QUEUE_LONG)
		doctor_find(report, FINDING_NOTE, "queue",
		    "list them with muxbus list_notifications state=queued",
		    "%" PRId64 " notifications wait to be read", undelivered);
}

static void find_on_notify(struct doctor_report *report, const struct json *status)
{
	const struct json *on_notify = json_member(status, "on_notify");
	const char *failure = json_get_str(on_notify, "failure", NULL);
	if (on_notify == NULL || on_notify->type != JSON_OBJECT)
		return;
	if (failure != NULL)
		doctor_find(report, FINDING_WRONG, "on_notify",
		    "correct that file: see People in muxbusd(8)", "%s failed last: %s",
		    json_get_str(on_notify, "file", "?"), failure);
	else
		doctor_find(report, FINDING_GOOD, "on_notify", NULL,
		    "%s, %" PRId64 " runs, %" PRId64 " failed",
		    json_get_str(on_notify, "file", "?"), json_get_int(on_notify, "runs", 0),
		    json_get_int(on_notify, "failures", 0));
}

static void find_round_trip(struct doctor_report *report, struct link *link)
{
	struct link_answer answer;
	int64_t start = clock_mono_ms();
	enum link_read read = link_ask(link, "run_tmux",
	    "{\"command\":[\"display-message\",\"-p\",\"muxbus doctor\"]}", AUDIT_TIMEOUT_MS,
	    &answer);
	int64_t took = clock_mono_ms() - start;
	if (read != LINK_LINE || answer.error != NULL)
		doctor_find(report, FINDING_WRONG, "round trip",
		    "check whether tmux hangs; the daemon's log may say more",
		    "tmux did not answer through the daemon: %s",
		    read == LINK_LINE ? json_get_str(answer.error, "message", "?") : "no answer");
	else
		doctor_find(report, took < SLOW_MS ? FINDING_GOOD : FINDING_NOTE, "round trip",
		    took < SLOW_MS ? NULL : "check what keeps the machine or tmux busy",
		    "tmux answered through the daemon in %" PRId64 " ms", took);
}

static void find_caller(struct doctor_report *report, struct link *link)
{
	const char *pane = getenv("TMUX_PANE");
	struct link_answer answer;
	const char *known;
	if (pane == NULL || !*pane)
		return;
	if (link_ask(link, "get_pane", NULL, DOCTOR_MUTE_MS, &answer) != LINK_LINE)
		return;
	known = json_get_str(answer.result, "pane", NULL);
	if (known == NULL)
		doctor_find(report, FINDING_WRONG, "own pane",
		    "this pane may belong to another tmux server: choose it with -L or -S",
		    "the daemon does not know this pane: %s",
		    json_get_str(answer.error, "message", "?"));
	else if (strcmp(known, pane) != 0)
		doctor_find(report, FINDING_NOTE, "own pane",
		    "nothing, if this shell runs inside another program's pane",
		    "TMUX_PANE is %s, but the daemon identifies this pane as %s", pane, known);
	else
		doctor_find(report, FINDING_GOOD, "own pane", NULL, "known as %s", known);
}

/* Asks for the status with an audit. Retries while the daemon looks for a new tmux server. */
static bool ask_status(struct link *link, const struct cli *cli, struct link_answer *ret_answer)
{
	enum link_read read = link_ask(link, "ping", NULL, DOCTOR_MUTE_MS, ret_answer);
	if (read != LINK_LINE)
		return false;
	for (int i = 0; i < FOLLOW_TRIES; i++) {
		read = link_ask(link, "status", "{\"audit\":true}", AUDIT_TIMEOUT_MS, ret_answer);
		if (read != LINK_LINE || ret_answer->result != NULL || !locate_tmux_runs(cli))
			break;
		(void)poll(NULL, 0, FOLLOW_TRY_MS);
	}
	if (read == LINK_LINE && ret_answer->error != NULL) /* without tmux there is no audit */
		read = link_ask(link, "status", NULL, AUDIT_TIMEOUT_MS, ret_answer);
	return read == LINK_LINE && ret_answer->result != NULL;
}

bool doctor_daemon(struct doctor_report *report, const struct cli *cli)
{
	struct link_answer answer;
	const struct json *tmux;
	bool is_live;
	struct link *link;
	if (!remote_is(cli))
		find_installed(report);
	link = find_running(report, cli);
	if (link == NULL)
		return false;
	if (!ask_status(link, cli, &answer)) {
		doctor_find(report, FINDING_WRONG, "daemon",
		    "read its log; end it with kill, then run muxbus start",
		    "muxbusd does not answer");
		link_close(link);
		return false;
	}
	tmux = json_member(answer.result, "tmux");
	is_live = strcmp(json_get_str(tmux, "state", ""), "live") == 0;
	find_version(report, cli, answer.result);
	find_follow(report, cli, answer.result);
	find_audit(report, answer.result);
	find_queue(report, answer.result);
	find_on_notify(report, answer.result);
	if (is_live) {
		find_round_trip(report, link);
		if (!remote_is(cli))
			find_caller(report, link);
	}
	link_close(link);
	return true;
}
