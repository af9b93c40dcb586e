/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for tmux, its server, our pane, and the directory of the socket. */
#include "cli/doctor/doctor.h"

#include <ctype.h>

#include "cli/locate.h"
#include "cli/program.h"
#include "wire/address.h"

#define VERSION_TIMEOUT_MS 5000

/* Returns the release in a text: 303 for "tmux 3.3a", or 0 if the text names none. */
static int release_of(const char *text)
{
	int major = 0, minor = 0;
	const char *at = text;
	while (*at && !isdigit((unsigned char)*at))
		at++;
	return sscanf(at, "%2d.%2d", &major, &minor) == 2 ? major * 100 + minor : 0;
}

static void find_program(struct doctor_report *report)
{
	static const char old[] = "install tmux 3.3 or later; 3.8 or later is best";
	char path[PATH_MAX], text[256];
	char *const argv[] = {(char *)"tmux", (char *)"-V", NULL};
	struct buf said = BUF(sizeof text - 1);
	int release, status;
	if (!program_find_in_path("tmux", path, sizeof path)) {
		doctor_find(report, FINDING_WRONG, "tmux", "install tmux 3.3 or later",
		    "tmux is not in PATH");
		return;
	}
	status = program_run(path, argv, PROGRAM_STDOUT, VERSION_TIMEOUT_MS, &said);
	(void)snprintf(
	    text, sizeof text, "%.*s", (int)strcspn(buf_text(&said), "\n"), buf_text(&said));
	release = status == 0 ? release_of(text) : 0;
	if (status != 0)
		doctor_find(report, FINDING_WRONG, "tmux", "reinstall tmux", "%s -V: %s", path,
		    status < 0 ? strerror(errno) : "failed");
	else if (release > 0 && release < 303)
		doctor_find(report, FINDING_WRONG, "tmux", old, "%s is too old (%s)", text, path);
	else
		doctor_find(report, FINDING_GOOD, "tmux", NULL, "%s (%s)", text, path);
	buf_finish(&said);
}

#define REMEDY_DENIED "run this as the user of that tmux server, or name one of yours with -L or -S"

static void find_server(struct doctor_report *report, const struct cli *cli)
{
	if (locate_tmux_runs(cli))
		doctor_find(
		    report, FINDING_GOOD, "tmux server", NULL, "runs at %s", cli->tmux_socket);
	else if (errno == ENOENT || errno == ECONNREFUSED)
		doctor_find(report, FINDING_NOTE, "tmux server",
		    "start tmux; muxbusd attaches as soon as it runs", "none runs at %s",
		    cli->tmux_socket);
	else
		doctor_find(report, FINDING_WRONG, "tmux server",
		    errno == EACCES ? REMEDY_DENIED
				    : "check which process listens there, and whether it hangs",
		    "%s: %s", cli->tmux_socket, strerror(errno));
}

static void find_address(struct doctor_report *report, const struct cli *cli)
{
	char reason[PATH_MAX + 512];
	errno = 0;
	if (address_check(cli->socket, reason, sizeof reason) == 0)
		doctor_find(
		    report, FINDING_GOOD, "socket", NULL, "%s is in a safe directory", cli->socket);
	else if (access(cli->socket, F_OK) < 0 && errno == ENOENT &&
	    strstr(reason, "No such file") != NULL)
		doctor_find(report, FINDING_NOTE, "socket",
		    "start tmux or muxbusd, which make it, or choose another with -s", "%s",
		    reason);
	else if (errno == EACCES)
		doctor_find(report, FINDING_WRONG, "socket", REMEDY_DENIED, "%s", reason);
	else
		doctor_find(report, FINDING_WRONG, "socket",
		    "make the directory yours alone (chmod go-w), or choose another socket with -s",
		    "%s", reason);
}

static void find_place(struct doctor_report *report, const struct cli *cli)
{
	const char *pane = getenv("TMUX_PANE");
	const char *tmux = getenv("TMUX");
	const char *muxbus = getenv("MUXBUS");
	if (tmux != NULL && *tmux && pane != NULL && *pane)
		doctor_find(report, FINDING_GOOD, "here", NULL, "in pane %s of tmux", pane);
	else
		doctor_find(report, FINDING_NOTE, "here",
		    "name a pane in each request, or run this inside tmux",
		    "not in a tmux pane: methods cannot know \"the caller's own pane\"");
	if (muxbus != NULL && *muxbus && strcmp(muxbus, cli->socket) != 0)
		doctor_find(report, FINDING_NOTE, "MUXBUS",
		    "unset MUXBUS, or open a new pane, which gets the right value",
		    "names %s, which is not the daemon checked here", muxbus);
}

void doctor_tmux(struct doctor_report *report, const struct cli *cli)
{
	find_place(report, cli);
	find_program(report);
	find_server(report, cli);
	find_address(report, cli);
}
