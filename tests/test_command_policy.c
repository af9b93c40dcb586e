/* SPDX-License-Identifier: ISC */
/* The commands that run_tmux allows, by their words. */
#include <muxbus.h>
#include <string.h>

#include "daemon/tmux/command_policy.h"
#include "tap.h"

#define WORDS 6

static const struct row {
	const char *words[WORDS];
	enum command_verdict verdict;
	const char *name; /* NULL: no known command */
} rows[] = {
    {{"kill-server"}, COMMAND_CLOSES, "kill-server"},
    {{"kill-ser"}, COMMAND_CLOSES, "kill-server"},
    {{"kill-s"}, COMMAND_NEEDS_FORCE, NULL},
    {{"kill-session", "-t", "work"}, COMMAND_CLOSES, "kill-session"},
    {{"kill-sess", "-twork"}, COMMAND_CLOSES, "kill-session"},
    {{"kill-session", "-at", "work"}, COMMAND_NEEDS_FORCE, "kill-session"},
    {{"kill-session", "-gt", "work"}, COMMAND_NEEDS_FORCE, "kill-session"},
    {{"killp", "-t", "%1"}, COMMAND_CLOSES, "kill-pane"},
    {{"kill-pane", "-t", "%1", "-f", "1", "-a"}, COMMAND_NEEDS_FORCE, "kill-pane"},
    {{"server-access", "-t", "x", "-a", "root"}, COMMAND_NEEDS_FORCE, "server-access"},
    {{"show-buf"}, COMMAND_ALLOWED, "show-buffer"},
    {{"newp", "-t", "%1"}, COMMAND_ALLOWED, "new-pane"},
    {{"switch-mode", "kill-pane"}, COMMAND_NEEDS_FORCE, "switch-mode"},
    {{"no-such-command"}, COMMAND_NEEDS_FORCE, NULL},
    {{"killw"}, COMMAND_CLOSES, "kill-window"},
    {{"display-message", "-p", "x"}, COMMAND_ALLOWED, "display-message"},
    {{"display", "-p", "x"}, COMMAND_ALLOWED, "display-message"},
    {{"display", "-p", "#(touch x)"}, COMMAND_NEEDS_FORCE, "display-message"},
    {{"display", "-p", "##(touch x)"}, COMMAND_NEEDS_FORCE, "display-message"},
    {{"list-panes", "-F", "#{E:#(x)}"}, COMMAND_NEEDS_FORCE, "list-panes"},
    {{"send-keys", "-l", "#(touch x)"}, COMMAND_ALLOWED, "send-keys"},
    {{"send-keys", "-F", "#(touch x)"}, COMMAND_NEEDS_FORCE, "send-keys"},
    {{"send-keys", "-K", "x"}, COMMAND_NEEDS_FORCE, "send-keys"},
    {{"set-buffer", "--", "#(x)"}, COMMAND_ALLOWED, "set-buffer"},
    {{"confirm-before", "kill-pane"}, COMMAND_REFUSED, "confirm-before"},
    {{"command-p"}, COMMAND_REFUSED, "command-prompt"},
    {{"menu"}, COMMAND_REFUSED, "display-menu"},
    {{"display-panes"}, COMMAND_REFUSED, "display-panes"},
    {{"display-p"}, COMMAND_NEEDS_FORCE, NULL},
    {{"run", "ls"}, COMMAND_REFUSED, "run-shell"},
    {{"if-shell", "-F", "1", "kill-server"}, COMMAND_NEEDS_FORCE, "if-shell"},
    {{"source", "x"}, COMMAND_NEEDS_FORCE, "source-file"},
    {{"save-buffer", "/tmp/fifo"}, COMMAND_REFUSED, "save-buffer"},
    {{"loadb", "x"}, COMMAND_REFUSED, "load-buffer"},
    {{"wait-for", "x"}, COMMAND_REFUSED, "wait-for"},
    {{"wait-for", "-L", "x"}, COMMAND_REFUSED, "wait-for"},
    {{"wait-for", "-S", "x"}, COMMAND_ALLOWED, "wait-for"},
    {{"wait", "-U", "x"}, COMMAND_ALLOWED, "wait-for"},
    {{"detach"}, COMMAND_REFUSED, "detach-client"},
    {{"detach", "-t", "/dev/pts/1"}, COMMAND_ALLOWED, "detach-client"},
    {{"detach", "-a", "-t", "x"}, COMMAND_NEEDS_FORCE, "detach-client"},
    {{"attach"}, COMMAND_REFUSED, "attach-session"},
    {{"switch-client", "-t", "work"}, COMMAND_REFUSED, "switch-client"},
    {{"switch-client", "-c", "/dev/pts/1"}, COMMAND_ALLOWED, "switch-client"},
    {{"new-session", "-s", "x"}, COMMAND_REFUSED, "new-session"},
    {{"new-session", "-ds", "x"}, COMMAND_ALLOWED, "new-session"},
    {{"new-session", "-s", "-d"}, COMMAND_REFUSED, "new-session"},
    {{"new", "-dA"}, COMMAND_NEEDS_FORCE, "new-session"},
    {{"respawn-pane", "-t", "%1"}, COMMAND_ALLOWED, "respawn-pane"},
    {{"respawn-pane", "-kt", "%1"}, COMMAND_NEEDS_FORCE, "respawn-pane"},
    {{"rename-window", "--", "-k"}, COMMAND_ALLOWED, "rename-window"},
    {{"link-window", "-k"}, COMMAND_NEEDS_FORCE, "link-window"},
    {{"refresh-client", "-C", "80x24"}, COMMAND_REFUSED, "refresh-client"},
    {{"suspend-client"}, COMMAND_REFUSED, "suspend-client"},
    {{"lock"}, COMMAND_REFUSED, "lock-server"},
    {{"copy-mode"}, COMMAND_NEEDS_FORCE, "copy-mode"},
    {{"copy-mode", "-q", "-t", "%1"}, COMMAND_ALLOWED, "copy-mode"},
    {{"pipe-pane", "-ot", "%1", "cat"}, COMMAND_NEEDS_FORCE, "pipe-pane"},
    {{"pipep", "-t", "%1"}, COMMAND_ALLOWED, "pipe-pane"},
    {{"set", "-t", "w", "destroy-unattached", "on"}, COMMAND_NEEDS_FORCE, "set-option"},
    {{"setw", "-g", "des", "keep-last"}, COMMAND_NEEDS_FORCE, "set-window-option"},
    {{"set", "-s", "exit-unattached"}, COMMAND_NEEDS_FORCE, "set-option"},
    {{"set", "-s", "exit-unattached", "off"}, COMMAND_ALLOWED, "set-option"},
    {{"set", "-gu", "destroy-unattached"}, COMMAND_ALLOWED, "set-option"},
    {{"choose-tree"}, COMMAND_NEEDS_FORCE, "choose-tree"},
    {{"nonsense"}, COMMAND_NEEDS_FORCE, NULL},
    {{"set", "-g", "status", "off"}, COMMAND_ALLOWED, "set-option"},
    {{"splitw", "-h"}, COMMAND_ALLOWED, "split-window"},
    {{"bind", "x", "kill-server"}, COMMAND_ALLOWED, "bind-key"},
    {{"set-hook", "-R", "alert-bell"}, COMMAND_NEEDS_FORCE, "set-hook"},
    {{"select-layout"}, COMMAND_ALLOWED, "select-layout"},
    {{"selectl", "-t", "%1", "-E"}, COMMAND_ALLOWED, "select-layout"},
    {{"selectl", "-t", "%1", "main-v"}, COMMAND_ALLOWED, "select-layout"},
    {{"selectl", "tiled"}, COMMAND_ALLOWED, "select-layout"},
    {{"selectl", "main-vertical-mirrored"}, COMMAND_ALLOWED, "select-layout"},
    {{"selectl", "--", "b25d,80x24,0,0,0"}, COMMAND_ALLOWED, "select-layout"},
    {{"selectl", "main"}, COMMAND_REFUSED, "select-layout"},
    {{"selectl", ""}, COMMAND_REFUSED, "select-layout"},
    {{"selectl", "-t", "%1", "main-verticle"}, COMMAND_REFUSED, "select-layout"},
    {{"selectl", "b25e,80x24,0,0,0"}, COMMAND_REFUSED, "select-layout"},
    {{"selectl", "5a63,4294967295x4294967295,0,0,0"}, COMMAND_REFUSED, "select-layout"},
    {{"neww", "tmux kill-server"}, COMMAND_ALLOWED, "new-window"},
};

static void test_targets(void)
{
	static const char *const apart[] = {"kill-pane", "-t", "%7"};
	static const char *const joined[] = {"kill-pane", "-t%7"};
	static const char *const late[] = {"kill-pane", "x", "-t", "%7"};
	struct command_judgement judgement;
	static const char *const wrong[] = {"list-pane-s"};
	command_judge(apart, 3, &judgement);
	is_str(judgement.target_text, "%7", "a target");
	is_int(judgement.target, COMMAND_TARGET_PANE, "a pane as the target");
	command_judge(joined, 2, &judgement);
	is_str(judgement.target_text, "%7", "a target in the same word");
	command_judge(late, 4, &judgement);
	ok(!judgement.target_text, "after the flags there is none");
	command_judge(apart, 3, &judgement);
	ok(!judgement.only_looks, "a command that closes a pane is not read-only");
	command_judge((const char *const[]){"lsp", "-a"}, 2, &judgement);
	ok(judgement.only_looks, "a command that lists panes is");
	command_judge((const char *const[]){"display", "-p", "x"}, 3, &judgement);
	ok(judgement.only_looks, "and so is one that prints a format");

	command_judge((const char *const[]){"selectl", "main-verticle"}, 2, &judgement);
	is_str(judgement.nearest, "main-vertical", "the nearest layout");
	is_int(judgement.needs_caps, 0, "which all tmux have");
	command_judge((const char *const[]){"selectl", "main-vertical-mirrored"}, 2, &judgement);
	ok(judgement.needs_caps != 0, "but not the mirrored one");
	is_int(judgement.fatal_caps, 0, "of which no tmux dies");
	command_judge((const char *const[]){"respawnw", "-t", "%1"}, 3, &judgement);
	ok(judgement.fatal_caps & MUXBUS_CAP_NEW_LAYOUTS, "but 3.8 of respawn-window");
	ok(judgement.fatal_caps & MUXBUS_CAP_PASTE_DEAD_CRASH, "and 3.3a too");
	command_judge((const char *const[]){"respawnp", "-kt", "%1"}, 3, &judgement);
	is_int(judgement.fatal_caps, 0, "and none of respawn-pane");

	command_judge(wrong, 1, &judgement);
	is_str(judgement.nearest, "list-panes", "the nearest name");
}

int main(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *row = &rows[i];
		struct command_judgement judgement;
		size_t count = 0;
		while (count < WORDS && row->words[count])
			count++;
		command_judge(row->words, count, &judgement);
		is_int(judgement.verdict, row->verdict, "%s %s", row->words[0],
		    count > 1 ? row->words[1] : "");
		is_str(judgement.name ? judgement.name : "", row->name ? row->name : "", "%s is",
		    row->words[0]);
		ok(judgement.verdict == COMMAND_ALLOWED || judgement.reason || judgement.name,
		    "%s: has a reason", row->words[0]);
	}
	test_targets();
	return done_testing();
}
