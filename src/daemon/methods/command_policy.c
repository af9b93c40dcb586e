/* SPDX-License-Identifier: ISC */
/* Which tmux commands run_tmux lets through. */
#include "daemon/methods/command_policy.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "daemon/methods/command_text.h"

/* A row. The flags that take a value are needed to find -t and the others. */
struct row {
	const char *name;
	const char *alias; /* or NULL */
	const char *valued; /* letters of flags with a value */
	const char *needs; /* letters, at least one of which must be there; NULL: none */
	const char *forced; /* letters that need force; NULL: none */
	enum command_verdict verdict; /* without those */
	enum command_target target;
	const char *reason;
};

#define ALLOW(name, alias, valued)                                        \
	{                                                                 \
		name, alias, valued, NULL, NULL, COMMAND_ALLOWED, 0, NULL \
	}
#define REFUSE(name, alias, valued, reason)                                 \
	{                                                                   \
		name, alias, valued, NULL, NULL, COMMAND_REFUSED, 0, reason \
	}
#define FORCE(name, alias, valued, reason)                                      \
	{                                                                       \
		name, alias, valued, NULL, NULL, COMMAND_NEEDS_FORCE, 0, reason \
	}

static const char wedges[] =
    "it waits for a person at a terminal, and we have none: nothing could run any more";
static const char client_of_ours[] =
    "it is about the client it comes from, and that is this daemon's";
static const char opens_mode[] = "it puts a pane into a mode that waits for a person's keys";
static const char runs_file[] =
    "it goes through the tmux server's own files, which may block all of tmux; errors are lost";

/* All commands of tmux 3.3 to 3.8. Keep alphabetized. */
static const struct row rows[] = {
    REFUSE("attach-session", "attach", "cft", client_of_ours),
    ALLOW("bind-key", "bind", "NT"),
    ALLOW("break-pane", "breakp", "Fnst"),
    ALLOW("capture-pane", "capturep", "bESt"),
    FORCE("choose-buffer", NULL, "FfKOt", opens_mode),
    FORCE("choose-client", NULL, "FfKOt", opens_mode),
    FORCE("choose-tree", NULL, "FfKOt", opens_mode),
    ALLOW("clear-history", "clearhist", "t"),
    ALLOW("clear-prompt-history", "clearphist", "T"),
    FORCE("clock-mode", NULL, "t", opens_mode),
    REFUSE("command-prompt", NULL, "IpTt", wedges),
    REFUSE("confirm-before", "confirm", "cpt", wedges),
    ALLOW("copy-mode", NULL, "st"),
    FORCE("customize-mode", NULL, "FfT", opens_mode),
    ALLOW("delete-buffer", "deleteb", "b"),
    {"detach-client", "detach", "Est", "st", "aPE", COMMAND_ALLOWED, 0, client_of_ours},
    REFUSE("display-menu", "menu", "bcCHsStTxy", wedges),
    {"display-message", "display", "cdFt", NULL, "I", COMMAND_ALLOWED, 0,
	"-I reads input that never comes"},
    REFUSE("display-panes", "displayp", "dt", wedges),
    REFUSE("display-popup", "popup", "bcdehsStTwxy", "it needs a person's terminal"),
    FORCE("find-window", "findw", "t", opens_mode),
    ALLOW("has-session", "has", "t"),
    FORCE("if-shell", "if", "t", "it runs a shell, or commands that are not looked at"),
    ALLOW("join-pane", "joinp", "lst"),
    {"kill-pane", "killp", "t", NULL, "a", COMMAND_CLOSES, COMMAND_TARGET_PANE,
	"-a closes all panes but one"},
    {"kill-server", NULL, "", NULL, NULL, COMMAND_CLOSES, COMMAND_TARGET_SERVER, NULL},
    {"kill-session", NULL, "t", NULL, "a", COMMAND_CLOSES, COMMAND_TARGET_SESSION,
	"-a closes all sessions but one"},
    {"kill-window", "killw", "t", NULL, "a", COMMAND_CLOSES, COMMAND_TARGET_WINDOW,
	"-a closes all windows but one"},
    ALLOW("last-pane", "lastp", "t"),
    ALLOW("last-window", "last", "t"),
    {"link-window", "linkw", "st", NULL, "k", COMMAND_ALLOWED, 0,
	"-k closes the window that is there"},
    ALLOW("list-buffers", "lsb", "Ff"),
    ALLOW("list-clients", "lsc", "Fft"),
    ALLOW("list-commands", "lscm", "F"),
    ALLOW("list-keys", "lsk", "PT"),
    ALLOW("list-panes", "lsp", "Fft"),
    ALLOW("list-sessions", "ls", "Ff"),
    ALLOW("list-windows", "lsw", "Fft"),
    REFUSE("load-buffer", "loadb", "bt", runs_file),
    REFUSE("lock-client", "lockc", "t", "it locks people's terminals"),
    REFUSE("lock-server", "lock", "", "it locks people's terminals"),
    REFUSE("lock-session", "locks", "t", "it locks people's terminals"),
    {"move-pane", "movep", "lst", NULL, NULL, COMMAND_ALLOWED, 0, NULL},
    {"move-window", "movew", "st", NULL, "k", COMMAND_ALLOWED, 0,
	"-k closes the window that is there"},
    ALLOW("new-pane", NULL, "ceFltxyXY"),
    {"new-session", "new", "ceFfnstxy", "d", "A", COMMAND_ALLOWED, 0, client_of_ours},
    {"new-window", "neww", "ceFnt", NULL, "k", COMMAND_ALLOWED, 0,
	"-k closes the window that is there"},
    ALLOW("next-layout", "nextl", "t"),
    ALLOW("next-window", "next", "t"),
    ALLOW("paste-buffer", "pasteb", "bst"),
    ALLOW("pipe-pane", "pipep", "t"),
    ALLOW("previous-layout", "prevl", "t"),
    ALLOW("previous-window", "prev", "t"),
    {"refresh-client", "refresh", "ABCfFrt", "t", NULL, COMMAND_ALLOWED, 0, client_of_ours},
    ALLOW("rename-session", "rename", "t"),
    ALLOW("rename-window", "renamew", "t"),
    ALLOW("resize-pane", "resizep", "txy"),
    ALLOW("resize-window", "resizew", "txy"),
    {"respawn-pane", "respawnp", "cet", NULL, "k", COMMAND_ALLOWED, 0,
	"-k ends the program that runs there"},
    {"respawn-window", "respawnw", "cet", NULL, "k", COMMAND_ALLOWED, 0,
	"-k ends the program that runs there"},
    ALLOW("rotate-window", "rotatew", "t"),
    REFUSE("run-shell", "run", "cdt", "what it prints comes up in a user's pane"),
    REFUSE("save-buffer", "saveb", "b", runs_file),
    ALLOW("select-layout", "selectl", "t"),
    ALLOW("select-pane", "selectp", "PTt"),
    ALLOW("select-window", "selectw", "t"),
    {"send-keys", "send", "cNt", NULL, "K", COMMAND_ALLOWED, 0,
	"-K goes through a client's key bindings"},
    ALLOW("send-prefix", NULL, "t"),
    {"server-access", NULL, "", NULL, "ad", COMMAND_ALLOWED, 0, "it decides who gets in"},
    ALLOW("set-buffer", "setb", "bnt"),
    ALLOW("set-environment", "setenv", "t"),
    {"set-hook", NULL, "Bt", NULL, "R", COMMAND_ALLOWED, 0, "-R runs it at once"},
    ALLOW("set-option", "set", "t"),
    ALLOW("set-window-option", "setw", "t"),
    ALLOW("show-buffer", "showb", "b"),
    ALLOW("show-environment", "showenv", "t"),
    ALLOW("show-hooks", NULL, "t"),
    ALLOW("show-messages", "showmsgs", "t"),
    ALLOW("show-options", "show", "t"),
    ALLOW("show-prompt-history", "showphist", "T"),
    ALLOW("show-window-options", "showw", "t"),
    FORCE("source-file", "source", "t", "the commands in the file are not looked at"),
    ALLOW("split-window", "splitw", "ceFlt"),
    ALLOW("start-server", "start", ""),
    REFUSE("suspend-client", "suspendc", "t", client_of_ours),
    ALLOW("swap-pane", "swapp", "st"),
    ALLOW("swap-window", "swapw", "st"),
    {"switch-client", "switchc", "cOtT", "c", NULL, COMMAND_ALLOWED, 0, client_of_ours},
    ALLOW("unbind-key", "unbind", "T"),
    {"unlink-window", "unlinkw", "t", NULL, "k", COMMAND_ALLOWED, 0, "-k closes the window"},
    {"wait-for", "wait", "", "SU", NULL, COMMAND_ALLOWED, 0, wedges},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* Aliases that tmux has without the user's doing. */
static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
    {"choose-session", "choose-tree"},
    {"choose-window", "choose-tree"},
    {"info", "show-messages"},
    {"server-info", "show-messages"},
    {"split-pane", "split-window"},
    {"splitp", "split-window"},
};

/* The row of a name, of its alias, or of the beginning of one name only. */
static const struct row *find_row(const char *name)
{
	const struct row *found = NULL;
	bool is_ambiguous = false;
	size_t len;
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (aliases[i].alias[0] == name[0] && strcmp(aliases[i].alias, name) == 0)
			name = aliases[i].name;
	len = strlen(name);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const char *alias = rows[i].alias;
		if (alias != NULL && alias[0] == name[0] && strcmp(alias, name) == 0)
			return &rows[i];
		if (rows[i].name[0] != name[0] || strncmp(rows[i].name, name, len) != 0)
			continue;
		is_ambiguous = found != NULL && found->name[len] != '\0';
		if (found == NULL || rows[i].name[len] == '\0')
			found = &rows[i];
	}
	/* tmux refuses an ambiguous name too. */
	return is_ambiguous && found->name[len] != '\0' ? NULL : found;
}

static const char *find_nearest(const char *name)
{
	const char *names[ROW_COUNT + 1];
	for (size_t i = 0; i < ROW_COUNT; i++)
		names[i] = rows[i].name;
	names[ROW_COUNT] = NULL;
	return str_nearest(name, names);
}

/* The flags that are given, as getopt would read them. */
struct flags {
	bool is_given[128];
	const char *target; /* the value of -t */
	size_t end; /* the index of the first word behind them */
};

static void read_flags(
    const struct row *row, const char *const *words, size_t count, struct flags *ret_flags)
{
	*ret_flags = (struct flags){.end = count};
	for (size_t i = 1; i < count; i++) {
		const char *word = words[i];
		if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0) {
			ret_flags->end = i + (strcmp(word, "--") == 0);
			return;
		}
		for (const char *flag = word + 1; *flag; flag++) {
			const char *value;
			if ((unsigned char)*flag < 128)
				ret_flags->is_given[(unsigned char)*flag] = true;
			if (strchr(row->valued, *flag) == NULL)
				continue;
			value = flag[1] ? flag + 1 : i + 1 < count ? words[++i] : NULL;
			if (*flag == 't')
				ret_flags->target = value;
			break;
		}
	}
}

static bool has_one_of(const struct flags *flags, const char *letters)
{
	for (; letters != NULL && *letters; letters++)
		if (flags->is_given[(unsigned char)*letters])
			return true;
	return false;
}

/* In what is no format the two characters are nothing but themselves. */
static bool runs_shell(
    const struct row *row, const char *const *words, size_t count, const struct flags *flags)
{
	static const char *const literal[] = {"send-keys", "set-buffer", "set-environment", NULL};
	for (size_t i = 0; literal[i] != NULL; i++)
		if (strcmp(row->name, literal[i]) == 0 && !flags->is_given['F'])
			return false;
	for (size_t i = 1; i < count; i++)
		if (strstr(words[i], "#(") != NULL)
			return true;
	return false;
}

/* Whether a command, by its full name, leaves all that the model knows as it is. */
static bool only_looks(const char *name)
{
	static const char *const names[] = {"capture-pane", "display-message", "has-session", NULL};
	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return strncmp(name, "list-", 5) == 0 || strncmp(name, "show-", 5) == 0;
}

/* The words behind the flags that are commands, or text of commands, themselves. */
enum nesting {
	NESTING_NONE,
	NESTING_BINDING, /* from the second on: one is text, more are words */
	NESTING_EACH, /* each; words that are no command, as in a menu, are something else */
	NESTING_FIRST,
	NESTING_IF, /* behind the condition, a shell's or a format */
	NESTING_OPTION, /* the second, perhaps behind a name for it */
	NESTING_RUN, /* with -C, else it is a shell's */
	NESTING_SECOND,
	NESTING_SHELL, /* all words are a shell's */
	NESTING_SHELL_X, /* with -X, of send-keys */
};

static const struct {
	const char *name;
	enum nesting nesting;
} nestings[] = {
    {"bind-key", NESTING_BINDING},
    {"choose-buffer", NESTING_FIRST},
    {"choose-client", NESTING_FIRST},
    {"choose-tree", NESTING_FIRST},
    {"command-prompt", NESTING_FIRST},
    {"confirm-before", NESTING_FIRST},
    {"display-menu", NESTING_EACH},
    {"display-panes", NESTING_FIRST},
    {"display-popup", NESTING_SHELL},
    {"if-shell", NESTING_IF},
    {"new-pane", NESTING_SHELL},
    {"new-session", NESTING_SHELL},
    {"new-window", NESTING_SHELL},
    {"pipe-pane", NESTING_SHELL},
    {"respawn-pane", NESTING_SHELL},
    {"respawn-window", NESTING_SHELL},
    {"run-shell", NESTING_RUN},
    {"send-keys", NESTING_SHELL_X},
    {"set-hook", NESTING_SECOND},
    {"set-option", NESTING_OPTION},
    {"set-window-option", NESTING_OPTION},
    {"split-window", NESTING_SHELL},
};

static enum nesting nesting_of(const char *name)
{
	for (size_t i = 0; i < sizeof nestings / sizeof *nestings; i++)
		if (strcmp(nestings[i].name, name) == 0)
			return nestings[i].nesting;
	return NESTING_NONE;
}

#define NESTING_MAX 8
#define TEXT_MAX ((size_t)8 * 1024 * 1024) /* more than a request has */

/* A look into commands in commands. */
struct look {
	unsigned depth;
	bool is_lenient; /* a word that is no command is something else */
	const char *found; /* what needs force, by its full name if it has one */
	char name[32]; /* that, if it has none */
};

static bool look_at(void *data, const char *const *words, size_t count);

static void look_into(struct look *look, const char *text, bool is_lenient)
{
	bool was_lenient = look->is_lenient;
	if (look->found != NULL)
		return;
	if (look->depth == NESTING_MAX) {
		look->found = "a command deep within others";
		return;
	}
	look->depth++;
	look->is_lenient = is_lenient;
	(void)command_text_read(text, look_at, look); /* found tells */
	look->is_lenient = was_lenient;
	look->depth--;
}

/* Looks for a tmux command that closes in the text of a shell, or for tmux with kill. */
static void look_into_shell(struct look *look, const char *text)
{
	static const char characters[] =
	    "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
	const char *closing = NULL;
	bool has_tmux = false, has_kill = false;
	char word[32];
	for (text += strcspn(text, characters); *text; text += strcspn(text, characters)) {
		size_t len = strspn(text, characters);
		const struct row *row;
		(void)snprintf(word, sizeof word, "%.*s", (int)len, text);
		row = len < sizeof word && len > 4 ? find_row(word) : NULL;
		if (row != NULL && row->verdict == COMMAND_CLOSES)
			closing = row->name;
		has_tmux |= strcmp(word, "tmux") == 0;
		has_kill |= strcmp(word, "kill") == 0 || strcmp(word, "pkill") == 0 ||
		    strcmp(word, "killall") == 0;
		text += len;
	}
	if (has_tmux && look->found == NULL)
		look->found = closing != NULL ? closing : has_kill ? "kill" : NULL;
}

/* The same, of words that become one text. */
static void look_into_shell_words(struct look *look, const char *const *words, size_t count)
{
	struct buf text;
	buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < count; i++) {
		(void)buf_append_str(&text, words[i]); /* the beginning is enough */
		(void)buf_append_byte(&text, ' ');
	}
	if (text.len > 0)
		look_into_shell(look, (const char *)text.data);
	buf_finish(&text);
}

/* Options that close sessions or the server, by the shortest name that tmux takes. */
static bool is_closing_option(const char *name, const char *value)
{
	bool is_off = value != NULL && (strcmp(value, "off") == 0 || strcmp(value, "0") == 0);
	return !is_off && (strncmp(name, "destroy-u", 9) == 0 || strncmp(name, "exit-u", 6) == 0);
}

static void look_into_option(struct look *look, const char *const *words, size_t count)
{
	const char *value = count > 1 ? words[1] : NULL;
	if (count == 0 || words[0][0] == '@')
		return;
	if (is_closing_option(words[0], value))
		look->found = words[0][0] == 'd' ? "destroy-unattached" : "exit-unattached";
	if (value == NULL)
		return;
	if (strncmp(words[0], "command-a", 9) == 0 && strchr(value, '=') != NULL)
		value = strchr(value, '=') + 1;
	look_into(look, value, true);
	look_into_shell(look, value);
}

/* Looks at what a command has behind its flags. */
static void look_behind(struct look *look, const struct row *row, const struct flags *flags,
    const char *const *words, size_t count)
{
	enum nesting nesting = nesting_of(row->name);
	if (nesting == NESTING_RUN)
		nesting = flags->is_given['C'] ? NESTING_FIRST : NESTING_SHELL;
	if (nesting == NESTING_SHELL_X)
		nesting = flags->is_given['X'] ? NESTING_SHELL : NESTING_NONE;
	if (nesting == NESTING_OPTION)
		look_into_option(look, words, count);
	if (nesting == NESTING_BINDING && count > 2 && look->depth < NESTING_MAX) {
		look->depth++;
		(void)command_text_words(words + 1, count - 1, look_at, look);
		look->depth--;
	}
	if (nesting == NESTING_SHELL)
		look_into_shell_words(look, words, count);
	for (size_t i = 0; i < count; i++) {
		if (nesting == NESTING_IF && i == 0)
			look_into_shell(look, words[i]);
		else if (nesting == NESTING_EACH)
			look_into(look, words[i], true);
		else if ((nesting == NESTING_FIRST && i == 0) ||
		    (nesting == NESTING_SECOND && i == 1) ||
		    (nesting == NESTING_BINDING && i == 1 && count == 2) ||
		    (nesting == NESTING_IF && i > 0))
			look_into(look, words[i], look->is_lenient);
	}
}

/* Looks at a command in another one, which runs later, when nothing checks its target. */
static bool look_at(void *data, const char *const *words, size_t count)
{
	struct look *look = data;
	const struct row *row = find_row(words[0]);
	struct flags flags;
	if (row == NULL && look->is_lenient)
		return true;
	if (row == NULL) {
		(void)snprintf(look->name, sizeof look->name, "%s", words[0]);
		look->found = look->name;
		return false;
	}
	read_flags(row, words, count, &flags);
	if (row->verdict == COMMAND_CLOSES || strcmp(row->name, "source-file") == 0 ||
	    has_one_of(&flags, row->forced))
		look->found = row->name;
	else
		look_behind(look, row, &flags, words + flags.end, count - flags.end);
	return look->found == NULL;
}

/* Whether a command gives keys, or other input, to the program in its target. */
static bool types(const char *name, const struct flags *flags)
{
	return (strcmp(name, "send-keys") == 0 && !flags->is_given['X']) ||
	    strcmp(name, "send-prefix") == 0 || strcmp(name, "paste-buffer") == 0 ||
	    (strcmp(name, "pipe-pane") == 0 && flags->is_given['I']);
}

static void judge_nested(const struct row *row, const struct flags *flags, const char *const *words,
    size_t count, struct command_judgement *judgement)
{
	struct look look = {0};
	look_behind(&look, row, flags, words + flags->end, count - flags->end);
	if (look.found == NULL)
		return;
	judgement->verdict = COMMAND_NEEDS_FORCE;
	judgement->reason = "in it closes things, or is not known, and would run unchecked";
	(void)snprintf(judgement->inner, sizeof judgement->inner, "%s", look.found);
}

void command_judge(const char *const *words, size_t count, struct command_judgement *ret_judgement)
{
	struct command_judgement judgement = {0};
	struct flags flags;
	const struct row *row = find_row(words[0]);
	if (row == NULL) {
		*ret_judgement = (struct command_judgement){
		    .verdict = COMMAND_NEEDS_FORCE,
		    .nearest = find_nearest(words[0]),
		    .reason = "it is no command, or an ambiguous one, or an alias of the user's",
		};
		return;
	}
	read_flags(row, words, count, &flags);
	judgement.name = row->name;
	judgement.verdict = row->verdict;
	judgement.reason = row->reason;
	judgement.target = row->target;
	judgement.target_text = flags.target;
	judgement.only_looks = only_looks(row->name);
	judgement.types = types(row->name, &flags);
	if (row->needs != NULL && !has_one_of(&flags, row->needs)) {
		judgement.verdict = COMMAND_REFUSED;
	} else if (row->verdict != COMMAND_REFUSED && has_one_of(&flags, row->forced)) {
		judgement.verdict = COMMAND_NEEDS_FORCE;
	} else if (row->verdict == COMMAND_ALLOWED && runs_shell(row, words, count, &flags)) {
		judgement.verdict = COMMAND_NEEDS_FORCE;
		judgement.reason = "#(...) in it may run a shell";
	} else if (row->verdict == COMMAND_ALLOWED) {
		judge_nested(row, &flags, words, count, &judgement);
	}
	*ret_judgement = judgement;
}
