/* SPDX-License-Identifier: ISC */
/*
 * Agents that a shell waits for: each way to start one is woken at its prompt, and nothing is
 * typed when a shell could read the line instead. The shells here have the prompt "> ", as agents
 * have, so that no screen tells them apart, and log each command that they run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { RECEIPT_MS = 20000, KILLS = 12 };

static const char arguments[] = "-o deliver_quiet_ms=200";

/* Files in the directory of the test: shells, and ways to start the agent. */
static const struct {
	const char *name;
	const char *text;
} files[] = {
    {"rc",
	"stty sane\nPS1='> '\necho the shell is here\n"
	"trap 'echo \"$BASH_COMMAND\" >>$HOME/ran.log' DEBUG\n"},
    {"person", "#!/bin/sh\nexec bash --rcfile $HOME/rc -i\n"},
    {"reader",
	"#!/bin/sh\nstty sane\nprintf 'the shell is here\\n> '\nwhile read -r line </dev/tty; do\n"
	"echo \"$line\" >>$HOME/ran.log; eval \"$line\"; done\n"},
    {"waits", "#!/bin/sh\ncd /\n$HOME/agent\necho over\nexec $HOME/person\n"},
    {"start.js",
	"require('child_process').spawn(process.env.HOME + '/agent', {stdio: 'inherit'})\n"},
    {"deep", "#!/bin/sh\n[ $1 = 0 ] && exec $HOME/agent\n$HOME/deep $(($1 - 1))\ntrue\n"},
    {"thread.py",
	"import os, subprocess, threading\nthreading.Thread(target=subprocess.call, "
	"args=[os.environ['HOME'] + '/agent'], kwargs={'stdin': open('/dev/tty')}).start()\n"},
    {"package.json", "{\"name\":\"fake\",\"version\":\"1.0.0\",\"bin\":\"agent\"}\n"},
    {"odd",
	"#!/bin/sh\necho $$ >$HOME/agent.pid\nexec $HOME/stranger --above 'the agent is here' "
	"--ask $HOME/socket $HOME/agent.log\n"},
    {"within", "#!/bin/sh\nexec python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \"$@\"\n"},
    {"hook",
	"#!/bin/sh\nuntil echo "
	"'{\"id\":1,\"method\":\"report_agent\",\"params\":{\"agent\":\"fake\"}}' "
	"| socat -t 10 - UNIX-CONNECT:$HOME/socket | grep -q '\"pane\":\"%'; do sleep 0.05; "
	"done\n"},
    {"background",
	"#!/bin/sh\nuntil [ -e $HOME/go ]; do sleep 0.05; done\n"
	"echo '{\"id\":1,\"method\":\"yield_turn\"}' "
	"| socat -t 10 - UNIX-CONNECT:$HOME/socket >$HOME/answer\nmv $HOME/answer $HOME/went\n"},
};

static const char *fake_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/tests/fake_agent", dir);
	return path;
}

static void write_files(struct live *live)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		(void)live_run(live, "cat >%s <<'END'\n%sEND\nchmod +x %s", files[i].name,
		    files[i].text, files[i].name);
	(void)live_run(live,
	    "ln -sf %s socket; mkdir -p node_modules/.bin; ln -sf ../../agent "
	    "node_modules/.bin/fake; ln -sf %s stranger",
	    live->socket, fake_path());
}

/* The agent, with options of tests/fake_agent.c. Its process writes its number. */
static void write_agent(struct live *live, const char *name, const char *options)
{
	(void)live_run(live,
	    "cat >%s <<'END'\n#!/bin/sh\necho $$ >$HOME/%s.pid\n"
	    "exec %s --above 'the agent is here' %s $HOME/%s.log\nEND\n"
	    "chmod +x %s; : >%s.log; : >ran.log; rm -f go went",
	    name, name, fake_path(), options, name, name, name);
}

/* Until a pane shows a text, with a prompt below. */
static void until_shown(struct live *live, const char *pane, const char *text)
{
	const char *screen = "", *found = NULL;
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10)) {
		screen = live_tmux(live, "capture-pane -p -t %s", pane);
		found = strstr(screen, text);
		if (found != NULL && strstr(found, "\n>") != NULL)
			return;
	}
	live_bail("%s does not show \"%s\":\n%s", pane, text, screen);
}

/* A window in the test's directory, with the agent at its prompt; the caller frees the id. */
static char *start_pane(struct live *live, const char *command, const char *typed)
{
	char *pane =
	    xstrdup(live_tmux(live, "new-window -dP -c %s -e HOME=%s -F '#{pane_id}' \"%s\"",
		live->dir, live->dir, command));
	if (typed != NULL) {
		until_shown(live, pane, "the shell is here");
		live_tmux(live, "send-keys -t %s -l \"clear; %s\"", pane, typed);
		live_tmux(live, "send-keys -t %s Enter", pane);
	}
	until_shown(live, pane, "the agent is here");
	(void)live_run(live, ": >ran.log");
	return pane;
}

static void end_pane(struct live *live, char *pane)
{
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
}

static char *post(struct talk *talk, const char *pane)
{
	const struct json *response = talk_call(
	    talk, "post_notification", "{\"pane\":\"%s\",\"text\":\"all is well\"}", pane);
	const char *id = at_str(response, "result.id");
	if (id == NULL)
		live_bail("nothing was posted: %s", talk_text(talk));
	return xstrdup(id);
}

/* The result of the next receipt that is (not) a deferral, and its reason; "" if none. */
static const char *receipt(struct talk *talk, const char *id, bool is_final, char ret_reason[200])
{
	static char result[32];
	int64_t end_ms = live_now_ms() + RECEIPT_MS;
	const struct json *event;
	ret_reason[0] = result[0] = '\0';
	while (live_now_ms() < end_ms &&
	    (event = talk_event(talk, (int)(end_ms - live_now_ms()), "delivery", "id", id)) !=
		NULL) {
		(void)snprintf(result, sizeof result, "%s", at_str(event, "delivery.result") ?: "");
		(void)snprintf(ret_reason, 200, "%s", at_str(event, "delivery.reason") ?: "");
		if (!is_final || strcmp(result, "deferred") != 0)
			return result;
	}
	return "";
}

/* Posts to a pane, and whether its agent got it once. */
static bool is_woken(struct live *live, struct talk *talk, const char *pane, const char *agent)
{
	char reason[200], *id = post(talk, pane);
	bool is_good = strcmp(receipt(talk, id, true, reason), "submitted") == 0 &&
	    atoi(live_run(live, "grep -c 'muxbus %s ' %s.log", id, agent)) == 1;
	if (!is_good)
		diag("%s\n%s\n%s", reason, live_run(live, "cat %s.log", agent),
		    live_tmux(live, "capture-pane -p -t %s", pane));
	mem_free(id);
	return is_good;
}

static bool has_program(struct live *live, const char *name)
{
	(void)live_run(live, "command -v %s", name);
	if (live->status != 0)
		diag("skipped: there is no %s", name);
	return live->status == 0;
}

#define ASKS "--ask $HOME/socket"
#define REPORTS "--run $HOME/hook"
#define PERSON "exec ~/person"

static const struct {
	const char *name;
	const char *needs;
	const char *options; /* of the agent */
	const char *window; /* its command */
	const char *typed; /* into the shell of a person; NULL: nothing */
} forms[] = {
    {"exec", "sh", ASKS, "exec ~/agent", NULL},
    {"a window's command that goes on", "sh", ASKS, "~/agent; exec ~/person", NULL},
    {"the same, known by its hook", "socat", REPORTS, "~/agent; exec ~/person", NULL},
    {"bash -c", "bash", ASKS, "exec bash -c '~/agent; true'", NULL},
    {"zsh -c", "zsh", ASKS, "exec zsh -c '~/agent; true'", NULL},
    {"a folder first", "sh", ASKS, "exec sh -c 'cd / && ~/agent'", NULL},
    {"a start script", "sh", ASKS, "exec ~/waits", NULL},
    {"a loop", "bash", ASKS, "exec bash -c 'while true; do ~/agent; done'", NULL},
    {"a person's shell", "bash", ASKS, PERSON, "~/agent"},
    {"a start script in a person's shell", "bash", ASKS, PERSON, "~/waits"},
    {"a subshell in a person's shell", "bash", ASKS, PERSON, "(cd /; ~/agent; true)"},
    {"script", "script", ASKS, "exec script -qc ~/agent /dev/null", NULL},
    {"script between two shells", "script", ASKS,
	"script -qc '~/agent; ~/person' /dev/null; exec ~/person", NULL},
    {"a terminal within that of python", "python3", ASKS, "exec ~/within ~/agent", NULL},
    {"a person's shell within it", "python3", ASKS, "exec ~/within ~/person", "~/agent"},
    {"node", "node", ASKS, "exec node start.js", NULL},
    {"node in a waiting shell", "node", ASKS, "node start.js; exec ~/person", NULL},
    {"npx", "npx", ASKS, "exec npx --offline fake", NULL},
    {"npx in a waiting shell", "npx", ASKS, "npx --offline fake; exec ~/person", NULL},
    {"timeout", "timeout", ASKS, "timeout --foreground 600 ~/agent; exec ~/person", NULL},
};

static void check_forms(struct live *live, struct talk *talk)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		char *pane;
		if (!has_program(live, forms[i].needs))
			continue;
		write_agent(live, "agent", forms[i].options);
		pane = start_pane(live, forms[i].window, forms[i].typed);
		ok(is_woken(live, talk, pane, "agent"), "tmux %s: %s: woken, once", live->version,
		    forms[i].name);
		end_pane(live, pane);
	}
}

/* The process ids that an agent sees of itself are others than ours. */
static void check_namespace(struct live *live, struct talk *talk)
{
	static const char *const ways[] = {"unshare -pf", "unshare -Urpf"};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		char *command, *pane;
		(void)live_run(live, "%s true", ways[i]);
		if (live->status != 0) {
			diag("skipped: %s is not allowed", ways[i]);
			continue;
		}
		write_agent(live, "agent", ASKS);
		command = xasprintf("%s ~/agent; exec ~/person", ways[i]);
		pane = start_pane(live, command, NULL);
		ok(is_woken(live, talk, pane, "agent"), "tmux %s: %s: woken, once", live->version,
		    ways[i]);
		end_pane(live, pane);
		mem_free(command);
	}
}

/* Two agents in one window: each gets its own. */
static void check_two(struct live *live, struct talk *talk)
{
	char reason[200], *first, *second, *ids[2];
	/* Either receipt may come first: each is awaited on a connection of its own. */
	struct talk *other = talk_new(live);
	(void)talk_call(other, "subscribe", "{\"kinds\":[\"delivery\"]}");
	write_agent(live, "other", ASKS);
	write_agent(live, "agent", ASKS);
	first = start_pane(live, "~/agent; exec ~/person", NULL);
	second = xstrdup(live_tmux(live,
	    "split-window -dP -t %s -e HOME=%s -F '#{pane_id}' \"~/other; exec ~/person\"", first,
	    live->dir));
	until_shown(live, second, "the agent is here");
	ids[0] = post(talk, first);
	ids[1] = post(talk, second);
	is_str(receipt(talk, ids[0], true, reason), "submitted", "tmux %s: two in a window: one",
	    live->version);
	is_str(receipt(other, ids[1], true, reason), "submitted", "and the other");
	talk_free(other);
	is_str(live_run(live, "grep -c 'muxbus %s ' agent.log; grep -c muxbus agent.log", ids[0]),
	    "1\n1", "the one has its own, once");
	is_str(live_run(live, "grep -c 'muxbus %s ' other.log; grep -c muxbus other.log", ids[1]),
	    "1\n1", "and so has the other");
	mem_free(ids[0]);
	mem_free(ids[1]);
	end_pane(live, second);
	end_pane(live, first);
}

static const struct {
	const char *name;
	const char *options;
	const char *window;
	const char *typed;
	const char *change; /* run in the directory; P is the agent's process */
	const char *seen; /* when it has happened; NULL: at once */
	const char *reason; /* part of it */
} refusals[] = {
    {"the agent has ended", ASKS, "~/agent; exec ~/person", NULL, "kill -9 $P", "the shell is here",
	"has ended"},
    {"it has ended in a person's shell", ASKS, PERSON, "~/agent", "kill -9 $P", "Killed",
	"has ended"},
    {"the next command reads", ASKS, "~/agent; exec ~/reader", NULL, "kill -9 $P",
	"the shell is here", "has ended"},
    {"suspended", ASKS, PERSON, "~/agent", "kill -TSTP $P", "Stopped", "in front, not"},
    {"stopped in a waiting shell", ASKS, "exec bash -c '~/agent; true'", NULL,
	"kill -STOP $P; until grep -q 'State:.T' /proc/$P/status; do sleep 0.02; done", NULL,
	"is stopped"},
    {"its child, which reads, is stopped", ASKS, "exec node start.js", NULL,
	"kill -STOP $P; until grep -q 'State:.T' /proc/$P/status; do sleep 0.02; done", NULL,
	"is stopped"},
    {"the same of an agent that never asked", "", "exec node start.js", NULL,
	"kill -STOP $P; until grep -q 'State:.T' /proc/$P/status; do sleep 0.02; done", NULL,
	"is stopped"},
    {"stopped below many shells", ASKS, "exec ~/deep 10", NULL,
	"kill -STOP $P; until grep -q 'State:.T' /proc/$P/status; do sleep 0.02; done", NULL,
	"is stopped"},
    {"stopped below a launcher's thread", ASKS, "exec bash -c 'python3 thread.py </dev/null; true'",
	NULL, "kill -STOP $P; until grep -q 'State:.T' /proc/$P/status; do sleep 0.02; done", NULL,
	"is stopped"},
    {"stopped, the child of a thread of the program", ASKS, "exec python3 thread.py", NULL,
	"kill -STOP $P; until grep -q 'State:.T' /proc/$P/status; do sleep 0.02; done", NULL,
	"is stopped"},
    {"a shell that the agent starts", ASKS " --nest $HOME/person", "exec bash -c '~/agent; true'",
	NULL, "kill -USR2 $P", "the shell is here", "in front, not"},
    {"the same without a waiting shell", ASKS " --nest $HOME/person", "exec ~/agent", NULL,
	"kill -USR2 $P", "the shell is here", "in front, not"},
    {"a shell without job control that it starts", ASKS " --nest $HOME/reader",
	"exec bash -c '~/agent; true'", NULL, "kill -USR2 $P", "the shell is here",
	"another program beside"},
    {"an editor that it starts", ASKS " --nest '$HOME/vim 1000'", "exec ~/agent", NULL,
	"ln -sf $(command -v sleep) vim; kill -USR2 $P; "
	"until pgrep -f '/[v]im 1000' >/dev/null; do sleep 0.02; done",
	NULL, "another program beside"},
    {"a program that it starts and that reads", ASKS " --nest cat", "exec ~/agent", NULL,
	"kill -USR2 $P; until pgrep -P $P >/dev/null; do sleep 0.02; done", NULL,
	"another program beside"},
    {"the agent becomes a shell", ASKS " --exec $HOME/person", "exec bash -c '~/agent; true'", NULL,
	"kill -USR1 $P", "the shell is here", "has ended"},
    {"it becomes one without job control", ASKS " --exec $HOME/reader",
	"exec bash -c '~/agent; true'", NULL, "kill -USR1 $P", "the shell is here", "has ended"},
    {"a shell that does not wait", ASKS, "~/agent </dev/tty & exec ~/reader", NULL, ":", NULL,
	"another program beside"},
    {"a program whose lines the kernel edits", ASKS " --cooked", "~/agent; exec ~/person", NULL,
	":", NULL, "the shell behind it"},
    {"the same in script", ASKS " --cooked", "exec script -qc '~/agent; ~/person' /dev/null", NULL,
	":", NULL, "the shell behind it"},
    {"script: the agent has ended", ASKS, "exec script -qc '~/agent; ~/person' /dev/null", NULL,
	"kill -9 $P", "the shell is here", "has ended"},
    {"script: a shell that the agent starts", ASKS " --nest $HOME/person",
	"exec script -qc ~/agent /dev/null", NULL, "kill -USR2 $P", "the shell is here",
	"in front, not"},
    {"the agent has ended within python", ASKS, "exec ~/within ~/person", "~/agent", "kill -9 $P",
	"Killed", "in front, not"},
    {"an unknown agent has ended within python", "", "exec ~/within ~/person", "~/odd",
	"kill -9 $P", "Killed", "in front, not"},
    {"a person's command within python asked", "", "exec ~/within ~/person",
	"echo the agent is here; ~/background &",
	"touch go; until [ -e went ]; do sleep 0.02; done", NULL, "when a client attaches"},
    {"a program within python whose lines the kernel edits", ASKS " --cooked",
	"exec ~/within ~/agent", NULL, ":", NULL, "the shell behind it"},
    {"it never asked", "", "~/agent; exec ~/person", NULL, ":", NULL, "has asked"},
    {"another in the background asked", "", PERSON,
	"~/background & ~/stranger --above 'the agent is here'",
	"touch go; until [ -e went ]; do sleep 0.02; done", NULL, "when a client attaches"},
};

/* Whether a pane stays as it is for a while. */
static bool stays(struct live *live, const char *pane)
{
	char *before = xstrdup(live_tmux(live, "capture-pane -p -t %s", pane));
	bool is_same = true;
	for (int64_t end_ms = live_now_ms() + 700; is_same && live_now_ms() < end_ms;
	     live_sleep_ms(50))
		is_same = strcmp(before, live_tmux(live, "capture-pane -p -t %s", pane)) == 0;
	mem_free(before);
	return is_same;
}

static void check_refusals(struct live *live, struct talk *talk)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		char reason[200], *pane, *id;
		const char *result;
		if (((strstr(refusals[i].window, "within") != NULL ||
			 strstr(refusals[i].window, "python3") != NULL) &&
			!has_program(live, "python3")) ||
		    (strstr(refusals[i].window, "node") != NULL && !has_program(live, "node")))
			continue;
		write_agent(live, "agent", refusals[i].options);
		pane = start_pane(live, refusals[i].window, refusals[i].typed);
		(void)live_run(live, "P=$(cat agent.pid); %s", refusals[i].change);
		if (refusals[i].seen != NULL)
			until_shown(live, pane, refusals[i].seen);
		(void)live_run(live, ": >ran.log");
		id = post(talk, pane);
		result = receipt(talk, id, false, reason);
		if (!ok(strcmp(result, "deferred") == 0 &&
			    strstr(reason, refusals[i].reason) != NULL,
			"tmux %s: %s: deferred", live->version, refusals[i].name))
			diag("%s: %s\n%s", result, reason,
			    live_tmux(live, "capture-pane -p -t %s", pane));
		ok(stays(live, pane) && *live_run(live, "cat ran.log") == '\0',
		    "nothing is typed: %s", reason);
		talk_call(talk, "cancel_notification", "{\"id\":\"%s\"}", id);
		mem_free(id);
		end_pane(live, pane);
	}
}

/* The agent is killed at any instant of a delivery: the shell behind it runs nothing. */
static void check_kills(struct live *live, struct talk *talk)
{
	static const char *const windows[][2] = {{"~/agent; exec ~/person", NULL},
	    {PERSON, "~/agent"}, {"~/agent; exec ~/reader", NULL}};
	int ran = 0, submitted = 0;
	srandom((unsigned)getpid());
	for (int round = 0; round < KILLS; round++) {
		char reason[200], *pane, *id;
		write_agent(live, "agent", ASKS);
		pane = start_pane(live, windows[round % 3][0], windows[round % 3][1]);
		id = post(talk, pane);
		live_sleep_ms((int)(random() % 700 + 150));
		(void)live_run(live, "kill -9 $(cat agent.pid)");
		until_shown(live, pane, round % 3 == 1 ? "Killed" : "the shell is here");
		submitted += strcmp(receipt(talk, id, false, reason), "submitted") == 0;
		if (!stays(live, pane) || strstr(live_run(live, "cat ran.log"), "muxbus") != NULL) {
			diag("%s\n%s\n%s", reason, live_run(live, "cat ran.log"),
			    live_tmux(live, "capture-pane -p -t %s", pane));
			ran++;
		}
		talk_call(talk, "cancel_notification", "{\"id\":\"%s\"}", id);
		mem_free(id);
		end_pane(live, pane);
	}
	is_int(ran, 0, "tmux %s: of %d agents that are killed (%d told before) 0 shells run a line",
	    live->version, KILLS, submitted);
}

/* The agent dies with a line unread: the shell that reads the line gets no Enter. */
static void check_unread(struct live *live, struct talk *talk)
{
	static const char *const windows[][2] = {
	    {"~/agent; exec ~/person", NULL}, {PERSON, "~/agent"}};
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		char reason[200], *pane, *id;
		write_agent(live, "agent", ASKS " --deaf 60000");
		pane = start_pane(live, windows[i][0], windows[i][1]);
		id = post(talk, pane);
		ok(live_tmux_until(live, "deaf", "display-message -p -t %s '#{pane_title}'", pane),
		    "tmux %s: a line comes that is not read", live->version);
		(void)live_run(live, "kill -9 $(cat agent.pid)");
		is_str(receipt(talk, id, true, reason), "typed", "then the agent dies: no Enter");
		ok(strstr(live_tmux(live, "capture-pane -p -t %s", pane), "> [muxbus") != NULL,
		    "the shell behind it shows the line");
		ok(stays(live, pane) && strstr(live_run(live, "cat ran.log"), "muxbus") == NULL,
		    "and does not run it: %s", reason);
		mem_free(id);
		end_pane(live, pane);
	}
}

/* A command for the agent itself ends with its prompt, not with the shell that waits. */
static void check_command(struct live *live, struct talk *talk)
{
	const struct json *response;
	char *pane, *id;
	write_agent(live, "agent", ASKS);
	pane = start_pane(live, "~/agent; exec ~/person", NULL);
	response =
	    talk_call(talk, "self_command", "{\"command\":\"/compress\",\"pane\":\"%s\"}", pane);
	id = xstrdup(at_str(response, "result.id") ?: "none");
	response = talk_call(
	    talk, "next_notification", "{\"timeout_sec\":20,\"filter\":{\"id\":\"%s\"}}", id);
	is_str(at_str(response, "result.notifications.0.data.outcome"), "done",
	    "tmux %s: a command for the agent itself is done", live->version);
	is_str(live_run(live, "grep -c /compress agent.log"), "1", "and was typed once");
	mem_free(id);
	end_pane(live, pane);
}

/* An agent reports: the report ends with the agent, not with the shell that starts another. */
static void check_report(struct live *live, struct talk *talk)
{
	const struct json *response;
	char *pane, *first;
	write_agent(live, "agent", ASKS);
	pane = start_pane(live, "exec bash -c 'while true; do ~/agent; done'", NULL);
	first = xstrdup(live_run(live, "cat agent.pid"));
	response = talk_call(
	    talk, "report_agent", "{\"agent\":\"fake\",\"pane\":\"%s\",\"state\":\"busy\"}", pane);
	is_str(
	    at_str(response, "result.state"), "busy", "tmux %s: an agent reports", live->version);
	(void)live_run(
	    live, "kill -9 %s; while [ $(cat agent.pid) = %s ]; do sleep 0.02; done", first, first);
	response = talk_call(talk, "report_agent", "{\"agent\":\"fake\",\"pane\":\"%s\"}", pane);
	is_str(at_str(response, "result.state"), "unknown", "the next one is not busy for it");
	mem_free(first);
	end_pane(live, pane);
}

/* A daemon that was killed still knows which program asked. */
static struct talk *check_restart(struct live *live, struct talk *talk)
{
	char *pane;
	write_agent(live, "agent", ASKS);
	pane = start_pane(live, "~/agent; exec ~/person", NULL);
	(void)live_stop_daemon(live, SIGKILL);
	talk_free(talk);
	live_start_daemon(live, arguments);
	talk = talk_new(live);
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	ok(is_woken(live, talk, pane, "agent"), "tmux %s: after kill -9 of muxbusd: woken, once",
	    live->version);
	end_pane(live, pane);
	return talk;
}

/*
 * Sends a signal to the programs of windows that still run, but for that of the first pane; how
 * many. They keep HOME and TMUX_PANE, wherever they are.
 */
static int signal_programs(struct live *live, int number)
{
	return atoi(live_run(live,
	    "count=0; for process in $(grep -lsz '^HOME=%s$' /proc/[0-9]*/environ); do\n"
	    "grep -qsz '^TMUX_PANE=%%[1-9]' $process || continue\n"
	    "process=${process%%/environ}\n"
	    "kill -%d ${process#/proc/} && count=$((count + 1)); done 2>/dev/null; echo $count",
	    live->dir, number));
}

/*
 * No program outlives the test. Those behind script(1), or of a shell that was killed, do not end,
 * and when their agent ends, the shell behind it goes on.
 */
static void end_programs(struct live *live)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (signal_programs(live, SIGKILL) > 0 && live_now_ms() < end_ms)
		live_sleep_ms(20);
	is_int(signal_programs(live, 0), 0, "tmux %s: no program is left", live->version);
}

static void check_version(const char *tmux, bool is_first)
{
	struct live *live = live_new(tmux);
	struct talk *talk;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, arguments);
	write_files(live);
	talk = talk_new(live);
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	check_refusals(live, talk);
	check_forms(live, talk);
	check_namespace(live, talk);
	check_two(live, talk);
	check_command(live, talk);
	check_report(live, talk);
	check_unread(live, talk);
	if (is_first)
		check_kills(live, talk);
	talk_free(check_restart(live, talk));
	end_programs(live);
	live_free(live);
}

int main(int argc, char **argv)
{
	const char *const *paths = live_tmux_paths();
	(void)argc;
	(void)argv;
	if (access(fake_path(), X_OK) != 0)
		skip_all("the fake agent is not built");
	for (size_t i = 0; paths[i] != NULL; i++)
		check_version(paths[i], i == 0);
	return done_testing();
}
