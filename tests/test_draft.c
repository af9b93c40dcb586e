/* SPDX-License-Identifier: ISC */
/* Drafts on screens as capture-pane -p -e gives them. */
#include "daemon/pane/draft.h"

#include <string.h>

#include "base/clock.h"
#include "base/tokenizer.h"
#include "daemon/input/submit_guard.h"
#include "daemon/input/submit_line.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/tmux/pane_input.h"

#include "tap.h"

static const struct {
	const char *name;
	const char *screen;
	unsigned row, column;
	const char *lead, *typed, *ended, *cwd;
	bool is_agent, is_other_form, is_untouched, is_editing;
	enum draft_sign sign;
	const char *draft; /* NULL: none is there */
} screens[] = {
    {"an empty prompt", "me@host:~$\n", 0, 11, .sign = DRAFT_BY_PROMPT},
    {"a draft", "me@host:~$ rm -rf ./a\n", 0, 22, .sign = DRAFT_BY_PROMPT, .draft = "rm -rf ./a"},
    {"a prompt of root", "root@host:/# ls\n", 0, 15, .sign = DRAFT_BY_PROMPT, .draft = "ls"},
    {"of zsh, with one at the right margin", "host% ls                [right]\n", 0, 8,
	.sign = DRAFT_BY_PROMPT, .draft = "ls"},
    {"alone, it is no draft", "host%                   [right]\n", 0, 6, .sign = DRAFT_BY_PROMPT},
    {"the cursor was moved back", "$ rm -rf\n", 0, 2, .sign = DRAFT_BY_PROMPT, .draft = "rm -rf"},
    {"into the middle", "$ rm -rf ./a\n", 0, 4, .sign = DRAFT_BY_PROMPT, .draft = "rm -rf ./a"},
    {"a suggestion is none", "$ \033[90mmake check\033[0m\n", 0, 2, .sign = DRAFT_BY_PROMPT},
    {"nor behind a draft", "$ m\033[2make check\033[0m\n", 0, 3, .sign = DRAFT_BY_PROMPT,
	.draft = "m"},
    {"that ends as a prompt does", "$ cat a > \n", 0, 10, .sign = DRAFT_BY_PROMPT,
	.draft = "cat a >"},
    {"in a comment", "host% grep # \n", 0, 13, .sign = DRAFT_BY_PROMPT, .draft = "grep #"},
    {"with a dollar", "host> echo $ \n", 0, 13, .sign = DRAFT_BY_PROMPT, .draft = "echo $"},
    {"behind one of root", "# seq 5 % \n", 0, 10, .sign = DRAFT_BY_PROMPT, .draft = "seq 5 %"},
    {"of Python", ">>> 1 > \n", 0, 8, .sign = DRAFT_BY_PROMPT, .draft = "1 >"},
    {"of an agent", "\xe2\x9d\xaf from a -> \n", 0, 12, .is_agent = true, .sign = DRAFT_BY_PROMPT,
	.draft = "from a ->"},
    {"wrapped, with a sign at its end", "$ cat ./a-long-name-of-a-file >\n b > \n", 1, 5,
	.sign = DRAFT_BY_PROMPT, .draft = "cat ./a-long-name-of-a-file > b >"},
    {"wrapped to a sign", "$ rm -rf ./a-long-name-of-a-fol\n/e > \n", 1, 5, .sign = DRAFT_BY_PROMPT,
	.draft = "rm -rf ./a-long-name-of-a-fol/e >"},
    {"below a full row", "$ touch ./a-long-name-of-a-file\n$ \n", 1, 2, .sign = DRAFT_BY_PROMPT},
    {"of an agent, in its second row", "\xe2\x9d\xaf go from here to\n  there -> \n", 1, 11,
	.is_agent = true, .sign = DRAFT_BY_PROMPT, .draft = "go from here to  there ->"},
    {"of an agent, with a blank row", "\xe2\x9d\xaf one\n\n\n", 2, 0, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = "one"},
    {"of an agent, in many rows",
	"\xe2\x9d\xaf one\n a\n b\n c\n d\n e\n f\n g\n h\n i\n j\n k\n l\n m\n\n", 14, 0,
	.is_agent = true, .sign = DRAFT_BY_PROMPT, .draft = "one a b c d e f g h i j k l m"},
    {"of Python, in its second row", ">>> for i in 1,2:\n...   i > \n", 1, 10, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = "for i in 1,2:  i >"},
    {"in a directory of that name", "$ cat a > b > \n", 0, 14, .cwd = "/tmp/a > b",
	.sign = DRAFT_BY_PROMPT, .draft = "cat a > b >"},
    {"in one of a sign", "$ cat $ > \n", 0, 10, .cwd = "/tmp/$", .sign = DRAFT_BY_PROMPT,
	.draft = "cat $ >"},
    {"after brackets", "$ (cat a > b) > \n", 0, 16, .sign = DRAFT_BY_PROMPT,
	.draft = "(cat a > b) >"},
    {"a prompt of two ends is in doubt", "me > src > \n", 0, 11, .sign = DRAFT_BY_PROMPT,
	.draft = "src >"},
    {"with an arrow at its end it is none", "me > src \xe2\x9d\xaf \n", 0, 11,
	.sign = DRAFT_BY_PROMPT},
    {"of segments", " me \xee\x82\xb0 ~/src \xee\x82\xb0 \n", 0, 14, .is_editing = true,
	.sign = DRAFT_BY_PROMPT},
    {"and a draft behind them", " me \xee\x82\xb0 ls \n", 0, 8, .sign = DRAFT_BY_PROMPT,
	.draft = "ls"},
    {"of a letter", "src \xce\xbb \n", 0, 6, .is_editing = true, .sign = DRAFT_BY_PROMPT},
    {"of an editor's other mode", "\xe2\x9d\xae \n", 0, 2, .is_editing = true,
	.sign = DRAFT_BY_PROMPT},
    {"with the directory in it", "me@h:~/a > b $ \n", 0, 15, .cwd = "/home/me/a > b",
	.sign = DRAFT_BY_PROMPT},
    {"with one above it", "me@h:~/a # b/c > d% \n", 0, 20, .cwd = "/home/me/a # b/c > d",
	.sign = DRAFT_BY_PROMPT},
    {"with its last name", "[me@h \xc3\xa4 > $ ]$ \n", 0, 15, .cwd = "/home/\xc3\xa4 > $ ",
	.sign = DRAFT_BY_PROMPT},
    {"of a sign alone", "me@h:/tmp/$ $ \n", 0, 14, .cwd = "/tmp/$", .sign = DRAFT_BY_PROMPT},
    {"and a draft behind it", "me@h:~/a > b $ x > \n", 0, 19, .cwd = "/home/me/a > b",
	.sign = DRAFT_BY_PROMPT, .draft = "x >"},
    {"with the state of a branch", "me@h:~ (main $ u=)$ \n", 0, 20, .sign = DRAFT_BY_PROMPT},
    {"and a draft", "me@h:~ (main $ u=)$ x # \n", 0, 24, .sign = DRAFT_BY_PROMPT, .draft = "x #"},
    {"with the time", "[12:00] # \n", 0, 10, .sign = DRAFT_BY_PROMPT},
    {"of two rows", "# me in ~ > a\n$ \n", 1, 2, .sign = DRAFT_BY_PROMPT},
    {"of a debugger", "(gdb) \n", 0, 6, .is_agent = true, .sign = DRAFT_BY_PROMPT},
    {"and a draft behind it", "(gdb) call kill(0 > \n", 0, 20, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = "call kill(0 >"},
    {"of Python's", "(Pdb++) !rm\n", 0, 11, .is_agent = true, .sign = DRAFT_BY_PROMPT,
	.draft = "!rm"},
    {"which is empty", "> a.py(1)<module>()\n-> import os\n(Pdb) \n", 2, 6, .is_agent = true,
	.sign = DRAFT_BY_PROMPT},
    {"of IPython", "In [12]: \n", 0, 9, .is_agent = true, .sign = DRAFT_BY_PROMPT},
    {"and a draft behind that", "In [12]: rm\n", 0, 11, .is_agent = true, .sign = DRAFT_BY_PROMPT,
	.draft = "rm"},
    {"in its second row", "In [1]: if x:\n   ...:     rm\n", 1, 13, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = "if x:    rm"},
    {"brackets of another form", "(42%) done\n", 0, 10, .is_agent = true, .sign = DRAFT_BY_KEYS},
    {"text of a program", "Copying files: 45% done\n", 0, 23, .sign = DRAFT_BY_KEYS},
    {"a prompt that looks like none", "what now? ls\n", 0, 12, .sign = DRAFT_BY_KEYS},
    {"but is marked", "what now? ls\n", 0, 12, .lead = "what now? ", .sign = DRAFT_BY_MARK,
	.draft = "ls"},
    {"and empty", "what now?\n", 0, 10, .lead = "what now? ", .sign = DRAFT_BY_MARK},
    {"the mark of another line", "$ ls\n", 0, 4, .lead = "what now? ", .sign = DRAFT_BY_PROMPT,
	.draft = "ls"},
    {"a marked prompt without a text", "ls\n", 0, 2, .lead = "", .sign = DRAFT_BY_MARK,
	.draft = "ls"},
    {"a wrapped draft", "$ rm -rf ./a-long-name-of-a-fil\ne\n", 1, 1, .sign = DRAFT_BY_PROMPT,
	.draft = "rm -rf ./a-long-name-of-a-file"},
    {"wrapped at a blank", "$ rm -rf ./a-long-name-of-fil\nes\n", 1, 2, .sign = DRAFT_BY_KEYS},
    {"of wide characters", "$ \xe4\xb8\xad\xe6\x96\x87\n", 0, 6, .sign = DRAFT_BY_PROMPT,
	.draft = ".."},
    {"what Muxbus typed", "$ echo one\n", 0, 10, .typed = "echo one", .sign = DRAFT_BY_PROMPT},
    {"wrapped", "$ rm -rf ./a-long-name-of-a-fil\ne\n", 1, 1,
	.typed = "rm -rf ./a-long-name-of-a-file", .sign = DRAFT_BY_PROMPT},
    {"and a person went on", "$ echo one two\n", 0, 14, .typed = "echo one",
	.sign = DRAFT_BY_PROMPT, .draft = "echo one two"},
    {"and a person took back", "$ echo\n", 0, 6, .typed = "echo one", .sign = DRAFT_BY_PROMPT,
	.draft = "echo"},
    {"a command that goes on", "$ echo rm -rf \\\n> \n", 1, 2, .sign = DRAFT_BY_PROMPT,
	.draft = "echo rm -rf \\"},
    {"in its third row", "me@host:~$ for i in 1\n> do\n> \n", 2, 2, .sign = DRAFT_BY_PROMPT,
	.draft = "for i in 1"},
    {"of zsh", "host% git commit -m 'one\nquote> \n", 1, 7, .sign = DRAFT_BY_PROMPT,
	.draft = "git commit -m 'one"},
    {"that Muxbus has begun", "$ for i in 1\n> \n", 1, 2, .ended = "for i in 1\n",
	.is_untouched = true, .sign = DRAFT_BY_PROMPT},
    {"a prompt of that form", "> ls\nfile\n> \n", 2, 2, .sign = DRAFT_BY_PROMPT},
    {"below another one", "> ls\n> \n", 1, 2, .sign = DRAFT_BY_PROMPT},
    {"what is shown of it by now", "$ echo\n", 0, 6, .typed = "echo one", .is_untouched = true,
	.sign = DRAFT_BY_PROMPT},
    {"a line that was ended and not read yet", "\xe2\x9d\xaf text 2\n", 0, 8, .is_agent = true,
	.ended = "text 1\ntext 2\n", .is_untouched = true, .sign = DRAFT_BY_PROMPT},
    {"the beginning of one", "\xe2\x9d\xaf te\n", 0, 4, .is_agent = true,
	.ended = "text 1\ntext 2\n", .is_untouched = true, .sign = DRAFT_BY_PROMPT},
    {"more than was ended", "\xe2\x9d\xaf text 12\n", 0, 9, .is_agent = true,
	.ended = "text 1\ntext 2\n", .is_untouched = true, .sign = DRAFT_BY_PROMPT,
	.draft = "text 12"},
    {"the same text, after a person's key", "\xe2\x9d\xaf text 2\n", 0, 8, .is_agent = true,
	.ended = "text 1\ntext 2\n", .sign = DRAFT_BY_PROMPT, .draft = "text 2"},
    {"completed with Tab", "$ echo onerous\n", 0, 14, .typed = "echo one", .is_other_form = true,
	.sign = DRAFT_BY_PROMPT},
    {"of two rows, as pasted", "$ rm -rf a\nrm -rf b\n", 1, 8, .is_editing = true,
	.sign = DRAFT_BY_PROMPT, .draft = "rm -rf b"},
    {"with a sign in the second", "$ rm -rf a\ncat b > \n", 1, 8, .is_editing = true,
	.sign = DRAFT_BY_PROMPT, .draft = "rm -rf acat b >"},
    {"with an empty one", "$ rm -rf a\n\n", 1, 0, .is_editing = true, .sign = DRAFT_BY_PROMPT,
	.draft = "rm -rf a"},
    {"of fish", "~> begin\n       rm -rf a\n       \n", 2, 7, .is_editing = true,
	.sign = DRAFT_BY_PROMPT, .draft = "begin       rm -rf a"},
    {"below an empty prompt", "~/src $\n\n", 1, 0, .is_editing = true, .sign = DRAFT_BY_KEYS},
    {"no prompt yet", "\n", 0, 0, .is_editing = true, .sign = DRAFT_BY_KEYS},
    {"a prompt of another form", "what now?\n", 0, 10, .is_editing = true, .sign = DRAFT_BY_PROMPT,
	.draft = "what now?"},
    {"a prompt of a theme", "\xe2\x9e\x9c  src\n", 0, 7, .is_editing = true, .cwd = "/home/me/src",
	.sign = DRAFT_BY_KEYS},
    {"with a branch", "\xe2\x9e\x9c  src git:(main)\n", 0, 18, .is_editing = true,
	.cwd = "/home/me/src", .sign = DRAFT_BY_KEYS},
    {"that is changed", "\xe2\x9e\x9c  ~ git:(main) \xe2\x9c\x97\n", 0, 18, .is_editing = true,
	.cwd = "/home/me", .sign = DRAFT_BY_KEYS},
    {"a draft behind it", "\xe2\x9e\x9c  src git:(main) ls\n", 0, 20, .is_editing = true,
	.cwd = "/home/me/src", .sign = DRAFT_BY_PROMPT, .draft = ".  src git:(main) ls"},
    {"another directory", "host src # cd a\nhost a # \n", 1, 9, .is_editing = true, .cwd = "/a",
	.sign = DRAFT_BY_PROMPT},
    {"output above a prompt", "$ cat a\nx > y\n[12:00] # \n", 2, 10, .is_editing = true,
	.sign = DRAFT_BY_PROMPT},
    {"a search", "(reverse-i-search)`>': cat a > \n", 0, 31, .is_editing = true,
	.sign = DRAFT_BY_PROMPT, .draft = "`>': cat a >"},
    {"an empty one", "(reverse-i-search)`': \n", 0, 22, .sign = DRAFT_BY_PROMPT, .draft = "`':"},
    {"a block of Python", ">>> for i in 1,2:\n...   print(i)\n... \n", 2, 4, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = "for i in 1,2:  print(i)"},
    {"the end of a long one", "...   print(i)\n... \n", 1, 4, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = ""},
    {"that Muxbus began", ">>> for i in 1,2:\n...   print(i)\n... \n", 2, 4, .is_agent = true,
	.is_untouched = true, .ended = "for i in 1,2:\n  print(i)\n", .sign = DRAFT_BY_PROMPT},
    {"a statement of SQL", "mysql> drop table a\n    -> \n", 1, 7, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = ""},
    {"a text of many rows",
	"$ cat <<a\n> 1\n> 2\n> 3\n> 4\n> 5\n> 6\n> 7\n> 8\n> 9\n> 10\n> 11\n> 12\n> 13\n> \n", 14,
	2, .sign = DRAFT_BY_PROMPT, .draft = "cat <<a"},
    {"an agent's prompt", "said > this\n\n\xe2\x9d\xaf \n", 2, 2, .is_agent = true,
	.sign = DRAFT_BY_PROMPT},
    {"a draft of two rows at it", "\xe2\x9d\xaf fix the\n  tests\n", 1, 7, .is_agent = true,
	.sign = DRAFT_BY_PROMPT, .draft = "fix the  tests"},
    {"text of an agent", "said > this\nand that\n", 1, 8, .is_agent = true, .sign = DRAFT_BY_KEYS},
};

static void check_screens(void)
{
	for (size_t at = 0; at < sizeof screens / sizeof *screens; at++) {
		struct prompt_view view = {
		    .text = screens[at].screen,
		    .len = strlen(screens[at].screen),
		    .columns = 31,
		    .cursor_row = screens[at].row,
		    .cursor_column = screens[at].column,
		};
		struct draft_facts facts = {
		    .view = &view,
		    .lead = screens[at].lead,
		    .cwd = screens[at].cwd,
		    .is_shell = !screens[at].is_agent,
		    .typed = screens[at].typed != NULL ? screens[at].typed : "",
		    .typed_len = screens[at].typed != NULL ? strlen(screens[at].typed) : 0,
		    .ended = screens[at].ended != NULL ? screens[at].ended : "",
		    .ended_len = screens[at].ended != NULL ? strlen(screens[at].ended) : 0,
		    .is_other_form = screens[at].is_other_form,
		    .is_untouched = screens[at].is_untouched,
		    .is_editing = screens[at].is_editing,
		};
		struct draft draft;
		draft_read(&facts, &draft);
		is_str(draft_sign_name(draft.sign), draft_sign_name(screens[at].sign), "%s: sign",
		    screens[at].name);
		is_str(draft.is_there ? draft.text : "none",
		    screens[at].draft != NULL ? screens[at].draft : "none", "%s", screens[at].name);
	}
}

static void type(struct pane_input *input, const char *text)
{
	pane_input_type(input, (const uint8_t *)text, strlen(text), false, ECHO_BY_EDITOR);
}

static void is_line(const struct pane_input *input, const char *want, const char *name)
{
	char line[PANE_INPUT_LINE_MAX + 1] = "";
	memcpy(line, input->line.len > 0 ? input->line.data : (const uint8_t *)"", input->line.len);
	line[input->line.len] = '\0';
	is_str(line, want, "%s", name);
}

static void check_keys(void)
{
	struct pane_input input;
	pane_input_init(&input);
	type(&input, "ls -\xc3\xa9\x7fl");
	is_line(&input, "ls -l", "keys are a line, BSpace takes one back");
	type(&input, "\025make");
	is_line(&input, "make", "C-u takes it all");
	type(&input, "\033[A");
	ok(input.is_other_form, "a key of several bytes may change the line in any way");
	type(&input, "\r");
	is_line(&input, "", "Enter ends it");
	ok(!input.is_other_form, "and all that was changed");
	ok(input.has_ended_other, "which may still be shown");
	type(&input, "one\rtwo\003three\r");
	is_mem(input.ended.data, input.ended.len, "one\nthree\n", 10, "as lines that Enter ended");
	for (int at = 0; at < PANE_INPUT_ENDED_MAX; at++)
		type(&input, "four\r");
	ok(input.ended.len <= PANE_INPUT_ENDED_MAX && input.ended.len >= 5,
	    "as many as there is room for");
	pane_input_age(&input);
	ok(input.ended.len > 0, "for a while");
	input.typed_ms -= PANE_INPUT_ENDED_MS + 1;
	pane_input_age(&input);
	ok(input.ended.len == 0 && !input.has_ended_other, "and not for ever");
	pane_input_type(&input, (const uint8_t *)"a\nb", 3, true, ECHO_BY_EDITOR);
	ok(input.is_other_form, "a paste of lines is shown in any form");
	type(&input, "\003");
	for (int at = 0; at < 2 * PANE_INPUT_LINE_MAX; at++)
		type(&input, "x");
	ok(input.line.len == PANE_INPUT_LINE_MAX && input.is_other_form, "a line has a limit");
	pane_input_finish(&input);
}

static void on_token(void *data, const struct token *token)
{
	(void)pane_input_token(data, token);
}

/* The prompt between the marks, split at every byte. */
static void check_marks(void)
{
	static const char output[] =
	    "x\033]133;D;0\007\033]133;A\007one\r\n\033[1mtwo\033[0m? \033]133;B\007ls";
	size_t len = sizeof output - 1, failed = 0;
	for (size_t cut = 0; cut <= len; cut++) {
		struct tokenizer tokenizer;
		struct pane_input input;
		tokenizer_init(&tokenizer, true);
		pane_input_init(&input);
		tokenizer_feed(&tokenizer, 0, output, cut, on_token, &input);
		tokenizer_feed(&tokenizer, cut, output + cut, len - cut, on_token, &input);
		failed += !input.has_lead || strcmp(input.lead, "two? ") != 0;
		tokenizer_feed(&tokenizer, len, "\033]133;C\007", 8, on_token, &input);
		failed += input.has_lead;
		pane_input_finish(&input);
		tokenizer_finish(&tokenizer);
	}
	is_int((intmax_t)failed, 0, "a marked prompt, split at every byte");
}

static void check_recent(void)
{
	uint64_t now = (uint64_t)clock_real_ms() / 1000;
	struct pane_input input = {0};
	ok(!submit_guard_is_recent(0), "no key");
	ok(submit_guard_is_recent(now), "a key of now");
	ok(!submit_guard_is_recent(now - SUBMIT_HUMAN_MS / 1000 - 1), "one of before");
	ok(submit_guard_is_recent(now + 3), "the clock went back by a little");
	ok(!submit_guard_is_recent(now + 7200), "the clock was set back since");
	input.typed_ms = clock_real_ms() + 7200000;
	pane_input_age(&input);
	ok(input.typed_ms == 0, "a text typed before that: a person may have typed behind it");
}

/* tmux gives the time of the last key in whole seconds. */
static void test_note(void)
{
	static const struct pane_screen screen;
	static const struct pane_tty tty;
	struct submit_line line;
	submit_line_init(&line);
	line.activity = 10;
	submit_line_begin(&line, &screen, &tty);
	submit_line_note(&line, 11, false);
	ok(line.is_sole, "a person types in other panes");
	submit_line_note(&line, 11, true);
	submit_line_note(&line, 12, false);
	ok(!line.is_sole, "one who came in the second of a key, and left, may have typed");
	submit_line_finish(&line);
}

int main(void)
{
	check_recent();
	check_screens();
	check_keys();
	check_marks();
	test_note();
	return done_testing();
}
