/* SPDX-License-Identifier: ISC */
/* The table of verbs, also of those that are shorter names of methods: one row each, sorted. */
#include "cli/verbs.h"

#include <stddef.h>
#include <string.h>

#include "cli/call.h"

const struct verb verbs[] = {
    {"capture", VERB_LIVE, "", "print the screen of a pane as text", NULL, call_run, "capture_pane",
	NULL, NULL},
    {"go", VERB_LIVE, "pane", "jump to a pane: show it on this terminal", NULL, go_run, NULL, NULL,
	NULL},
    {"ls", VERB_LIVE, "", "list the panes", NULL, call_run, "list_panes", NULL, NULL},
    {"record", VERB_LIVE, "[pane] [-f] [-o file] [-t time] [--title text]",
	"record the output of a pane for asciinema", "--follow --output --timeout --title",
	record_run, NULL, NULL, NULL},
    {"screenshot", VERB_LIVE,
	"[pane] [-o file] [-f svg|html|png] [-n lines] [--theme dark|light] [-t title]",
	"save a picture of a pane as SVG, PNG or HTML", "--output --format --lines --theme --title",
	screenshot_run, NULL, NULL, NULL},
    {"tail", VERB_LIVE, "[-n count] [-t time] pane", "follow a pane: print its lines as they come",
	"--count --timeout", tail_run, NULL, NULL, NULL},
    {"top", VERB_LIVE, "[--pick]", "a live screen of panes, jobs, timers, watches, queue, agents",
	"--pick", top_run, NULL, NULL, NULL},
    {"watch", VERB_LIVE,
	"[-p pane] ... [--session s] ... [-o] [--after seq] [-n count] [-t time] [-r] [kind ...]",
	"print events as they happen",
	"--pane --session --output --after --count --timeout --reconnect", watch_run, NULL, NULL,
	NULL},
    {"jobs", VERB_WORK, "", "list the jobs that run, and the last 200 that ran", NULL, call_run,
	"list_jobs", NULL, NULL},
    {"kill", VERB_WORK, "job [signal=name]", "stop a job", NULL, call_run, "stop_job", NULL, NULL},
    {"logs", VERB_WORK, "[-f] job", "print or follow the output of a job", "--follow", logs_run,
	NULL, NULL, NULL},
    {"ps", VERB_WORK, "", "the same as jobs", NULL, call_run, "list_jobs", NULL, NULL},
    {"remind", VERB_WORK, "[-r] [-p pane] time text", "notify a pane of a text after a time",
	"--pane --recurring", remind_run, NULL, NULL, NULL},
    {"restart", VERB_WORK, "job", "end a job if it runs, and start its command again", NULL,
	call_run, "restart_job", NULL, NULL},
    {"run", VERB_WORK, "[-dficq] [-n name] [-C dir] [-t time] [--] command [argument ...]",
	"run a command as a job, and exit with its status",
	"--detach --follow --stdin --shell --quiet --name --cwd --timeout", run_run, NULL, NULL,
	NULL},
    {"send", VERB_WORK, "[pane] text [enter=false]", "type a text into a pane, and press Enter",
	NULL, call_run, "send_text", "pane", "enter=true"},
    {"wait", VERB_WORK, "[--all] [-t time] [-n name] [-q] condition=value ...",
	"wait until a condition is true: a prompt, output, a job's end",
	"--all --any --timeout --name --quiet --event --agent-state --prompt --agent --pane "
	"--session "
	"--window",
	wait_run, NULL, NULL, NULL},
    {"follow", VERB_AGENT, "[--pane pane] [--agent name]",
	"print each notification of a pane as a line, instead of typing it", "--pane --agent",
	follow_run, NULL, NULL, NULL},
    {"hook", VERB_AGENT, "[agent] event",
	"report an agent's session or turn, and hand over notifications", NULL, hook_run, NULL,
	NULL, NULL},
    {"mark", VERB_AGENT,
	"[state] [--agent name] [--session s] [-q question] [-w text] [--to own|parent]",
	"report an agent's state through its terminal, also behind ssh",
	"asking busy gone idle ready --agent --session --question --wake --to", mark_run, NULL,
	NULL, NULL},
    {"mcp", VERB_AGENT, "[--tools=name,...] [--legacy] [--no-start]",
	"serve MCP to an agent on standard input and output",
	"--tools=all --tools=default --legacy --no-start", mcp_run, NULL, NULL, NULL},
    {"setup", VERB_AGENT, "[agent] [--print | --write | --remove] [--scope=user|project]",
	"add muxbus to agents: claude, codex, copilot, gemini, opencode",
	"claude codex copilot gemini opencode --print --write --remove --scope=user "
	"--scope=project",
	setup_run, NULL, NULL, NULL},
    {"complete", VERB_CARE, "-- word ...", NULL, NULL, complete_run, NULL, NULL, NULL},
    {"completion", VERB_CARE, "bash|fish|zsh", "print the completion script of a shell",
	"bash fish zsh", completion_run, NULL, NULL, NULL},
    {"doctor", VERB_CARE, "", "find problems and suggest remedies", NULL, doctor_run, NULL, NULL,
	NULL},
    {"help", VERB_CARE, "[verb | method | topic | word ...]",
	"list the verbs and methods, describe one, or search for words", NULL, help_run, NULL, NULL,
	NULL},
    {"hosts", VERB_CARE,
	"[add name [ssh=destination] [server=name] [muxbus=path] | remove name | retry [name]]",
	"list the hosts of the fleet, or change its list", "add remove retry", hosts_run, NULL,
	NULL, NULL},
    {"metrics", VERB_CARE, "", "print the counters of the daemon for Prometheus", NULL, metrics_run,
	NULL, NULL, NULL},
    {"on_notify", VERB_CARE, "[program [argument ...] | --remove]",
	"run a program for notifications that no agent gets, such as desktop",
	"desktop ntfy --remove", on_notify_run, NULL, NULL, NULL},
    {"relay", VERB_CARE, "", "carry requests from muxbus --host of another machine", NULL,
	relay_run, NULL, NULL, NULL},
    {"start", VERB_CARE, "", "start muxbusd for the tmux server, and wait until it is ready", NULL,
	start_run, NULL, NULL, NULL},
    {"status", VERB_CARE, "", "the state of the daemon in ten lines", NULL, call_run, "status",
	NULL, NULL},
    {"version", VERB_CARE, "", "print the versions of muxbus, muxbusd and tmux", NULL, version_run,
	NULL, NULL, NULL},
    {NULL, VERB_CARE, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

const struct verb *verb_find(const char *name)
{
	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		if (strcmp(verb->name, name) == 0)
			return verb;
	return NULL;
}

static const struct {
	const char *name;
	const char *text;
} texts[] = {
#include "verb_text.inc"
};

const char *verb_text(const char *name)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (strcmp(texts[i].name, name) == 0)
			return texts[i].text;
	return NULL;
}
