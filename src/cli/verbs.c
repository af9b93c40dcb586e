/* SPDX-License-Identifier: ISC */
/* The table of verbs, including short names of methods; sorted by name within each group. */
#include "cli/verbs.h"

const struct verb verbs[] = {
    {"capture", VERB_LIVE, "", "print the screen of a pane as text", .method = "capture_pane"},
    {"go", VERB_LIVE, "pane", "jump to a pane: show it on this terminal", .run = go_run},
    {"home", VERB_LIVE, "", "the home screen: who needs you, what runs, and all panes",
	.run = home_run},
    {"ls", VERB_LIVE, "", "list the panes", .method = "list_panes"},
    {"record", VERB_LIVE, "[pane] [-f] [-o file] [-t time] [--title text]",
	"record the output of a pane for asciinema",
	.options = "--follow --output --timeout --title", .run = record_run},
    {"screenshot", VERB_LIVE,
	"[pane] [-o file] [-f svg|html|png] [-n lines] [--theme dark|light] [-t title]",
	"save a picture of a pane as SVG, PNG or HTML",
	.options = "--output --format --lines --theme --title", .run = screenshot_run},
    {"tail", VERB_LIVE, "[-n count] [-t time] pane", "follow a pane: print its lines as they come",
	.options = "--count --timeout", .run = tail_run},
    {"top", VERB_LIVE, "[--pick]", "a live screen of panes, jobs, timers, watches, queue, agents",
	.options = "--pick", .run = top_run},
    {"watch", VERB_LIVE,
	"[-p pane] ... [--session session] ... [-o] [--after seq] [-n count] [-t time] [-r] [kind "
	"...]",
	"print events as they happen",
	.options = "--pane --session --output --after --count --timeout --reconnect",
	.run = watch_run},
    {"jobs", VERB_WORK, "", "list the jobs that run, and the last 200 that ran",
	.method = "list_jobs"},
    {"kill", VERB_WORK, "job [signal=name]", "stop a job", .method = "stop_job"},
    {"logs", VERB_WORK, "[-f] [-n lines] job", "print or follow the output of a job",
	.options = "--follow --lines", .run = logs_run},
    {"notify-when", VERB_WORK, "pane", "notify me when the command in a pane ends",
	.method = "watch_pane", .preset = "prompt=true timeout_sec=0"},
    {"ps", VERB_WORK, "", "the same as jobs", .method = "list_jobs"},
    {"remind", VERB_WORK, "[-r] [-p pane] time text",
	"notify a pane of a text after a time, or at a time of the clock",
	.options = "--pane --recurring", .run = remind_run},
    {"rerun", VERB_WORK, "[-qr] [-n runs] [-t quiet] pattern ... -- command [argument ...]",
	"run a command again when files change", .options = "--count --quiet --restart --settle",
	.run = rerun_run},
    {"restart", VERB_WORK, "job", "end a job if it runs, and start its command again",
	.method = "restart_job"},
    {"run", VERB_WORK, "[-dficq] [-n name] [-C dir] [-t time] [--] command [argument ...]",
	"run a command as a job, and exit with its status",
	.options = "--detach --follow --stdin --shell --quiet --name --cwd --timeout",
	.run = run_run},
    {"send", VERB_WORK, "[pane] text [enter=false]", "type a text into a pane, and press Enter",
	.method = "send_text", .first = "pane", .preset = "enter=true"},
    {"wait", VERB_WORK, "[--all] [-t time] [-n name] [-qx] condition=value ...",
	"wait until a condition is true: a prompt, output, a job's end",
	.options = "--all --any --timeout --name --quiet --exit-status --event --agent-state "
		   "--prompt --agent --pane --session --window",
	.run = wait_run},
    {"follow", VERB_AGENT, "[--pane pane] [--agent name] [--confirm] [--paced]",
	"print each notification of a pane as a line, instead of typing it",
	.options = "--pane --agent --confirm --paced", .run = follow_run},
    {"hook", VERB_AGENT, "[agent] [event]",
	"report an agent's session or turn, and hand over notifications", .run = hook_run},
    {"mark", VERB_AGENT,
	"[state] [--agent name] [--session s] [-q question] [-w text] [--to own|parent]",
	"report an agent's state through its terminal, also behind ssh",
	.options = "asking busy gone idle ready --agent --session --question --wake --to",
	.run = mark_run},
    {"mcp", VERB_AGENT, "[--tools=name,...] [--legacy] [--no-start] [--own-panes | --read-only]",
	"serve MCP to an agent on standard input and output",
	.options = "--tools=all --tools=default --tools=coding --tools=assistant --legacy "
		   "--no-start --own-panes --read-only",
	.run = mcp_run},
    {"setup", VERB_AGENT,
	"[agent] [--print | --write | --remove] [--scope=user|project] [--tools=coding|assistant] "
	"[--install[=group]] [--yes]",
	"add muxbus to agents: claude, codex, copilot, gemini, opencode",
	.options = "claude codex copilot gemini opencode --print --write --remove --scope=user "
		   "--scope=project --tools=coding --tools=assistant --install --yes",
	.run = setup_run},
    {"audit", VERB_CARE, "[--since=time] [-p pane] [--method=name] [-f] [--verify]",
	"print the requests that did more than read: who, what, and how it ended",
	.options = "--since --pane --method --follow --verify", .run = audit_run},
    {"complete", VERB_CARE, "-- word ...", NULL, .run = complete_run},
    {"completion", VERB_CARE, "bash|fish|zsh", "print the completion script of a shell",
	.options = "bash fish zsh", .run = completion_run},
    {"doctor", VERB_CARE, "", "find problems and suggest remedies", .run = doctor_run},
    {"help", VERB_CARE, "[verb | method | topic | word ...]",
	"list the verbs and methods, describe one, or search for words", .run = help_run},
    {"hosts", VERB_CARE,
	"[add name [ssh=destination] [server=name] [muxbus=path] [may=notify] | remove name | "
	"retry [name]]",
	"list the hosts of the fleet, or change its list", .options = "add remove retry",
	.run = hosts_run},
    {"metrics", VERB_CARE, "", "print the counters of the daemon for Prometheus",
	.run = metrics_run},
    {"on_notify", VERB_CARE, "[program [argument ...] | --remove]",
	"run a program for notifications that no agent gets, such as desktop",
	.options = "desktop ntfy --remove", .run = on_notify_run},
    {"relay", VERB_CARE, "[--read-only]", "carry requests from muxbus --host of another machine",
	.options = "--read-only", .run = relay_run},
    {"restore", VERB_CARE, "[--dry-run] [session ...]",
	"make sessions again, with layouts and directories, after a crash or reboot",
	.options = "--dry-run", .run = restore_run},
    {"shell-init", VERB_CARE, "bash|fish|zsh",
	"print what marks the commands of a shell (OSC 133), for its rc file",
	.options = "bash fish zsh", .run = shell_init_run},
    {"start", VERB_CARE, "", "start muxbusd for the tmux server, and wait until it is ready",
	.run = start_run},
    {"status", VERB_CARE, "", "the state of the daemon in ten lines", .method = "status"},
    {"version", VERB_CARE, "", "print the versions of muxbus, muxbusd and tmux",
	.run = version_run},
    {0},
};

const struct verb *verb_find(const char *name)
{
	return str_row(verbs, name);
}

static const struct {
	const char *name, *text;
} texts[] = {
#include "verb_text.inc"
};

const char *verb_text(const char *name)
{
	return str_row(texts, name) != NULL ? str_row(texts, name)->text : NULL;
}
