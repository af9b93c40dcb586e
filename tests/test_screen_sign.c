/* SPDX-License-Identifier: ISC */
/* Signs on the screens of known agents: the built-in ones, and a file of one's own. */
#include "daemon/pane/screen_sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static const struct {
	const char *agent;
	enum screen_sign_kind kind;
	const char *text;
	bool shows;
} rows[] = {
    {"claude", SIGN_BUSY, "* Thinking... (12s, esc to interrupt)\n> \n", true},
    {"claude", SIGN_BUSY, "> \n  ? for shortcuts\n", false},
    {"claude", SIGN_ASKING, "| Do you want to proceed?\n| > 1. Yes\n", true},
    {"claude", SIGN_ASKING, "I asked whether you want to proceed.\n> \n", false},
    {"codex", SIGN_BUSY, "Working (3s * esc to interrupt)\n", true},
    {"codex", SIGN_ASKING, "  Would you like to run the following command?\n", true},
    {"gemini", SIGN_BUSY, "Thinking (esc to cancel, 4s)\n", true},
    {"gemini", SIGN_READY, " *   ", true},
    {"gemini", SIGN_READY, "| *   ", true},
    {"gemini", SIGN_READY, " * x ", false},
    {"gemini", SIGN_READY, " !   ", false},
    {"gemini", SIGN_DIALOG, "▄▄▄▄▄▄▄▄▄▄\n !   Type your shell command\n▀▀▀▀▀▀▀▀▀▀\n /tmp\n", true},
    {"gemini", SIGN_DIALOG, "▄▄▄▄▄▄▄▄▄▄\n ! make\n▀▀▀▀▀▀▀▀▀▀\n /tmp\n", false},
    {"gemini", SIGN_DIALOG, "▄▄▄▄▄▄▄▄▄▄\n *\n▀▀▀▀▀▀▀▀▀▀\n dir\n [NORMAL] /tmp\n", true},
    {"gemini", SIGN_DIALOG, "▄▄▄▄▄▄▄▄▄▄\n *\n▀▀▀▀▀▀▀▀▀▀\n dir\n [INSERT] /tmp\n", false},
    {"gemini", SIGN_IDLE, "▄▄▄▄▄▄▄▄▄▄\n *   Type your message or @x\n▀▀▀▀▀▀▀▀▀▀\n", true},
    {"gemini", SIGN_DRAFT, "▄▄▄▄▄▄▄▄▄▄\n *   Type your message or @x\n▀▀▀▀▀▀▀▀▀▀\n", false},
    {"opencode", SIGN_DIALOG, "\n  ┃\n  ┃\n  ┃\n  ┃  Shell\n  ╹▀▀▀▀▀▀▀▀▀▀\n", true},
    {"qwen", SIGN_IDLE,
	"──────────\n> Type your messag\ne\n   or @path/to/file\n\n──────────\n  dir\n", true},
    {"qwen", SIGN_DRAFT,
	"──────────\n> Type your messag\ne\n   or @path/to/file\n\n──────────\n  dir\n", false},
    {"qwen", SIGN_DRAFT,
	"──────────\n> Type your message or @path\n  /to/file, please\n──────────\n  dir\n", true},
    {"qwen", SIGN_IDLE,
	"──────────\n> Type your message or @path\n  /to/file, please\n──────────\n  dir\n", false},
    {"opencode", SIGN_WORK,
	"  ┃  hello\n  ┃\n\n\n\n     ▣  Build · model · 1.4s\n\n  ┃\n  ┃\n  ┃\n  ┃  Build\n  "
	"╹▀▀▀▀▀▀▀▀▀▀\n",
	true},
    {"opencode", SIGN_WORK,
	"  ┃  hello\n  ┃\n\n     A reply.\n\n     ▣  Build · model · 1.4s\n\n  ┃\n  ┃\n  ┃\n  ┃  "
	"Build\n  ╹▀▀▀▀▀▀▀▀▀▀\n",
	false},
    {"opencode", SIGN_WORK,
	"  ┃  hello\n  ┃\n\n     A reply.\n\n\n\n     ▣  Build · model · 1.4s\n\n  ┃\n  ┃\n  ┃\n  "
	"┃  Build\n  ╹▀▀▀▀▀▀▀▀▀▀\n",
	false},
    {"claude", SIGN_READY, " *   ", false},
    {"opencode", SIGN_BUSY, "working  esc interrupt\n", true},
    {"opencode", SIGN_IDLE, "\n  ┃\n  ┃\n  ┃\n  ┃  Build\n  ╹▀▀▀▀▀▀▀▀▀▀\n", true},
    {"opencode", SIGN_IDLE, "\n  ┃\n  ┃  a line\n  ┃\n  ┃\n  ┃  Build\n  ╹▀▀▀▀▀▀▀▀▀▀\n", false},
    {"opencode", SIGN_DRAFT, "\n  ┃\n  ┃  a line\n  ┃\n  ┃\n  ┃  Build\n  ╹▀▀▀▀▀▀▀▀▀▀\n", true},
    {"claude", SIGN_DIALOG, " ❯ 1. Yes\n   2. No\n\n Esc to cancel\n", true},
    {"claude", SIGN_DIALOG, "Esc to cancel\n──────────\n❯\n──────────\n  1 monitor\n", false},
    {"claude", SIGN_IDLE, "──────────\n❯\n──────────\n  1 monitor\n", true},
    {"claude", SIGN_IDLE, "──────────\n❯ x\n──────────\n  1 monitor\n", false},
    {"claude", SIGN_DRAFT, "──────────\n❯ ü\n  y\n──────────\n  1 monitor\n", true},
    {"claude", SIGN_DRAFT, "──────────\n❯\n\n  a line\n──────────\n  hint\n", true},
    {"claude", SIGN_DRAFT, "──────────\n❯\n\n──────────\n  hint\n", false},
    {"claude", SIGN_DRAFT, "──────────\n❯\n──────────\n  hint\n", false},
    {"gemini", SIGN_DRAFT, "▄▄▄▄▄▄▄▄▄▄\n >\n   a line\n▀▀▀▀▀▀▀▀▀▀\n", true},
    {"gemini", SIGN_DRAFT, "▄▄▄▄▄▄▄▄▄▄\n >\n▀▀▀▀▀▀▀▀▀▀\n", false},
    {"gemini", SIGN_IDLE, "──────────\n * Type your message or @x\n──────────\n", true},
    {"gemini", SIGN_DRAFT, "──────────\n *\n──────────\n", false},
    {"gemini", SIGN_IDLE, "──────────\n >   Type your message or @x\n", true},
    {"gemini", SIGN_IDLE, "──────────\n >   Type your message or @x\n\n\n", true},
    {"gemini", SIGN_IDLE, "──────────\n >\n", false},
    {"gemini", SIGN_IDLE, "──────────\n !   Type your message or @x\n", false},
    {"gemini", SIGN_IDLE, "──────────\n >   Type your message or @x\n   a line\n", false},
    {"qwen", SIGN_IDLE, "──────────\n>   Type your message or @path/to/file\n", true},
    {"qwen", SIGN_IDLE, "──────────\n>\n", false},
    {"gemini", SIGN_DRAFT, "──────────\n * a line\n──────────\n", true},
    {"codex", SIGN_DRAFT, "›\n  a line\n\n  model\n", true},
    {"codex", SIGN_DRAFT, "›\n\n  model\n", false},
    {"codex", SIGN_IDLE, "›\n\n  model\n", true},
    {"codex", SIGN_IDLE, "›\n  a line\n\n  model\n", false},
    {"codex", SIGN_DIALOG, "›\n\n  model\n  reverse-i-search: x  no match\n", true},
    {"codex", SIGN_DIALOG, "›\n\n  model\n  ? for shortcuts   Vim: Normal · 1 warning\n", true},
    {"codex", SIGN_DIALOG, "›\n\n  model\n  ? for shortcuts   Vim: Insert · 1 warning\n", false},
    {"codex", SIGN_WORK, "• Working (3s • esc to interrupt)\n\n› x\n\n  model\n", true},
    {"codex", SIGN_WORK, "• Working\n\n  Worked for 9s\n\n› x\n\n  model\n", false},
    {"copilot", SIGN_IDLE, "╻▄▄▄▄▄▄▄▄▄▄\n┃\n╹▀▀▀▀▀▀▀▀▀▀\n / commands\n", true},
    {"copilot", SIGN_IDLE, "╻▄▄▄▄▄▄▄▄▄▄\n┃ one\n┃\n╹▀▀▀▀▀▀▀▀▀▀\n / commands\n", false},
    {"copilot", SIGN_DRAFT, "╻▄▄▄▄▄▄▄▄▄▄\n┃ one\n┃\n╹▀▀▀▀▀▀▀▀▀▀\n / commands\n", true},
    {"copilot", SIGN_DRAFT, "╻▄▄▄▄▄▄▄▄▄▄\n┃\n╹▀▀▀▀▀▀▀▀▀▀\n / commands\n", false},
    {"copilot", SIGN_DIALOG, "╻▄▄▄▄▄▄▄▄▄▄\n┃\n╹▀▀▀▀▀▀▀▀▀▀\n Shell · Manual\n", true},
    {"copilot", SIGN_BUSY, "Thinking (Esc to cancel)\n", true},
    {"nobody", SIGN_BUSY, "esc to interrupt", false},
    {NULL, SIGN_BUSY, "* Thinking... (12s, esc to interrupt)\n> \n", true},
    {NULL, SIGN_BUSY, "(Press ESC to cancel)\n", true},
    {NULL, SIGN_BUSY, "  Escape to stop\n", true},
    {NULL, SIGN_BUSY, "building (ctrl+c to interrupt)\n", true},
    {NULL, SIGN_BUSY, "building (Ctrl-C again to abort)\n", true},
    {NULL, SIGN_BUSY, "^C to stop\n", true},
    {NULL, SIGN_BUSY, ". Working... 3s\n> \n", true},
    {NULL, SIGN_BUSY, "done\n. Generating.\n> \n", true},
    {NULL, SIGN_BUSY, ". Compacting (40 %)\n", true},
    {NULL, SIGN_BUSY, "> \n  ? for shortcuts\n", false},
    {NULL, SIGN_BUSY, "Ctrl+C to quit, Esc to clear\n> \n", false},
    {NULL, SIGN_BUSY, "I am working on it. It will be working.\n> \n", false},
    {NULL, SIGN_BUSY, "the description to interrupt\n> \n", false},
    {NULL, SIGN_BUSY, "Working directory: /tmp\n> \n", false},
};

static void test_rows(void)
{
	struct screen_sign_set *set = screen_sign_set_new(NULL);
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
		ok(screen_sign_shows(set, rows[at].agent, rows[at].kind, rows[at].text,
		       strlen(rows[at].text)) == rows[at].shows,
		    "%s %d: %s: %s", rows[at].agent != NULL ? rows[at].agent : "any program",
		    (int)rows[at].kind, rows[at].shows ? "shown" : "not shown", rows[at].text);
	screen_sign_set_free(set);
}

static void test_file(void)
{
	static const char text[] =
	    "\xef\xbb\xbfmine work ^compiling\n# mine\n\nmine busy ^\\[working\\]$\nclaude busy\n"
	    "bad\nmine sleepy x\nmine busy (\n";
	char path[] = "/tmp/screen-sign-XXXXXX";
	struct screen_sign_set *set;
	int fd = mkstemp(path);
	ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "a file is written");
	(void)close(fd); /* it is written */
	set = screen_sign_set_new(path);
	ok(screen_sign_shows(set, "mine", SIGN_BUSY, "a\n[working]\nb", 13), "a sign of a file");
	ok(!screen_sign_shows(set, "mine", SIGN_BUSY, "(", 1), "a bad line is ignored");
	ok(screen_sign_shows(set, "mine", SIGN_WORK, "compiling", 9),
	    "a mark of the byte order too");
	ok(screen_sign_is_named(set, "mine", SIGN_BUSY) &&
		screen_sign_is_named(set, "mine", SIGN_KIND_COUNT_) &&
		!screen_sign_is_named(set, "mine", SIGN_READY) &&
		!screen_sign_is_named(set, "codex", SIGN_KIND_COUNT_),
	    "the names of a file");
	ok(!screen_sign_shows(set, "claude", SIGN_BUSY, rows[0].text, strlen(rows[0].text)),
	    "a file removes a built-in sign");
	ok(screen_sign_has(set, "codex", SIGN_BUSY) && screen_sign_has(set, "mine", SIGN_BUSY) &&
		!screen_sign_has(set, "claude", SIGN_BUSY),
	    "so that the agent has none");
	ok(screen_sign_shows(set, "codex", SIGN_BUSY, rows[4].text, strlen(rows[4].text)),
	    "and keeps the others");
	screen_sign_set_free(set);
	(void)unlink(path);
	ok(mkfifo(path, 0600) == 0, "a pipe");
	(void)alarm(10);
	set = screen_sign_set_new(path);
	(void)alarm(0);
	ok(set != NULL, "is not waited for");
	screen_sign_set_free(set);
	(void)unlink(path);
	set = screen_sign_set_new("/nonexistent/agents");
	ok(screen_sign_shows(set, "codex", SIGN_BUSY, rows[4].text, strlen(rows[4].text)),
	    "a missing file is empty");
	screen_sign_set_free(set);
}

int main(void)
{
	test_rows();
	test_file();
	return done_testing();
}
