/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/command_policy.h"

#include <muxbus.h>

/*
 * The facts about one tmux command. The flags that take a value are needed to find the value of -t
 * and the first argument after the flags.
 */
struct policy_row {
	const char *name;
	const char *alias; /* tmux's short name; or NULL */
	const char *valued; /* letters of the flags that take a value */
	const char *needs; /* letters of flags of which one must be given; NULL: none */
	const char *forced; /* letters of flags that need "force"; NULL: none */
	enum command_verdict verdict; /* the verdict if the command's words do not change it */
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

/* Commands of tmux, sorted by name. A command without a row needs "force". */
static const struct policy_row rows[] = {
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
    FORCE("customize-mode", NULL, "Fft", opens_mode),
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
    {"kill-pane", "killp", "ft", NULL, "a", COMMAND_CLOSES, COMMAND_TARGET_PANE,
	"-a closes all panes but one"},
    {"kill-server", NULL, "", NULL, NULL, COMMAND_CLOSES, COMMAND_TARGET_SERVER, NULL},
    {"kill-session", NULL, "ft", NULL, "ag", COMMAND_CLOSES, COMMAND_TARGET_SESSION,
	"-a closes all sessions but one, and -g all of a group"},
    {"kill-window", "killw", "ft", NULL, "a", COMMAND_CLOSES, COMMAND_TARGET_WINDOW,
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
    ALLOW("new-pane", "newp", "BceFlmpRsStTxXyY"),
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
    {"server-access", NULL, "t", NULL, "ad", COMMAND_ALLOWED, 0, "it decides who gets in"},
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
    FORCE("switch-mode", NULL, "Ft", opens_mode),
    ALLOW("unbind-key", "unbind", "T"),
    {"unlink-window", "unlinkw", "t", NULL, "k", COMMAND_ALLOWED, 0, "-k closes the window"},
    {"wait-for", "wait", "", "SU", NULL, COMMAND_ALLOWED, 0, wedges},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* Aliases in the default value of tmux's option command-alias. */
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

static const struct policy_row *find_row(const char *name)
{
	const struct policy_row *found = NULL;
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

struct flags {
	bool is_given[128];
	const char *target;
	const char *operand; /* the first word that is not a flag */
};

static void read_flags(
    const struct policy_row *row, const char *const *words, size_t count, struct flags *ret_flags)
{
	*ret_flags = (struct flags){0};
	for (size_t i = 1; i < count; i++) {
		const char *word = words[i];
		if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0) {
			i += strcmp(word, "--") == 0;
			ret_flags->operand = i < count ? words[i] : NULL;
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

/* Returns true if a word has "#(", and the command may expand it as a format: this runs a shell. */
static bool runs_shell(
    const struct policy_row *row, const char *const *words, size_t count, const struct flags *flags)
{
	static const char *const literal[] = {"send-keys", "set-buffer", "set-environment", NULL};
	if (str_is_in(row->name, literal) && !flags->is_given['F'])
		return false;
	for (size_t i = 1; i < count; i++)
		if (strstr(words[i], "#(") != NULL)
			return true;
	return false;
}

/*
 * Returns true if a command may switch on an option that ends unattached sessions. The word may be
 * the beginning of the option's name, which tmux accepts.
 */
static bool ends_unattached(
    const struct policy_row *row, const char *const *words, size_t count, const struct flags *flags)
{
	static const char *const names[] = {"destroy-unattached", "exit-unattached", NULL};
	const char *option = flags->operand;
	bool is_one = false;
	if ((strcmp(row->name, "set-option") != 0 && strcmp(row->name, "set-window-option") != 0) ||
	    option == NULL || option[0] == '\0')
		return false;
	for (const char *const *name = names; *name != NULL; name++)
		is_one |= strncmp(*name, option, strlen(option)) == 0;
	return is_one && strcmp(words[count - 1], "off") != 0 && !flags->is_given['u'];
}

static const char *find_harm(
    const struct policy_row *row, const char *const *words, size_t count, const struct flags *flags)
{
	if (runs_shell(row, words, count, flags))
		return "#(...) in it may run a shell";
	if (ends_unattached(row, words, count, flags))
		return "it ends sessions that no person is attached to";
	if (strcmp(row->name, "pipe-pane") == 0 && flags->operand != NULL)
		return "it runs a shell beside the pane";
	if (strcmp(row->name, "copy-mode") == 0 && !flags->is_given['q'])
		return opens_mode;
	return NULL;
}

static bool only_looks(const char *name)
{
	static const char *const names[] = {"capture-pane", "display-message", "has-session", NULL};
	return str_is_in(name, names) || strncmp(name, "list-", 5) == 0 ||
	    strncmp(name, "show-", 5) == 0;
}

static bool types(const char *name, const struct flags *flags)
{
	return (strcmp(name, "send-keys") == 0 && !flags->is_given['X']) ||
	    strcmp(name, "send-prefix") == 0 || strcmp(name, "paste-buffer") == 0 ||
	    (strcmp(name, "pipe-pane") == 0 && flags->is_given['I']);
}

/* tmux's names of layouts. tmux 3.5 added the names after the first LAYOUTS_3_3. */
static const char *const layouts[] = {"even-horizontal", "even-vertical", "main-horizontal",
    "main-vertical", "tiled", "main-horizontal-mirrored", "main-vertical-mirrored", NULL};
enum { LAYOUTS_3_3 = 5, LAYOUT_SIDE_MAX = 10000 };

static bool is_layout(const char *text)
{
	struct muxbus_layout *layout;
	bool is_small = true;
	if (muxbus_layout_parse(text, strlen(text), &layout) < 0)
		return false;
	for (uint32_t i = 0; i < layout->count; i++)
		is_small &= layout->cells[i].width <= LAYOUT_SIDE_MAX &&
		    layout->cells[i].height <= LAYOUT_SIDE_MAX;
	muxbus_layout_free(layout);
	return is_small;
}

/*
 * Judges a layout: an invalid one can end tmux 3.3a, and a huge one can end or hang tmux up to
 * 3.5a.
 */
static void judge_layout(const char *text, struct command_judgement *judgement)
{
	size_t found = 0;
	for (size_t i = 0; i < LAYOUTS_3_3; i++)
		found += strncmp(layouts[i], text, strlen(text)) == 0;
	if (found == 1 || is_layout(text))
		return;
	if (str_is_in(text, layouts)) {
		judgement->needs_caps = MUXBUS_CAP_EXTENDED_KEYS;
		return;
	}
	judgement->verdict = COMMAND_REFUSED;
	judgement->nearest = str_nearest(text, layouts);
	judgement->reason = "the layout is invalid, which can end tmux; a layout is a name such as "
			    "tiled, or what #{window_layout} prints";
}

void command_judge(const char *const *words, size_t count, struct command_judgement *ret_judgement)
{
	struct command_judgement judgement = {0};
	struct flags flags;
	const struct policy_row *row = find_row(words[0]);
	const char *harm;
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
	} else if (row->verdict == COMMAND_ALLOWED &&
	    (harm = find_harm(row, words, count, &flags)) != NULL) {
		judgement.verdict = COMMAND_NEEDS_FORCE;
		judgement.reason = harm;
	}
	if (strcmp(row->name, "select-layout") == 0 && flags.operand != NULL)
		judge_layout(flags.operand, &judgement);
	/*
	 * respawn-window crashes tmux 3.8 if a client shows the window and the window has several
	 * panes, even without -k if their programs have ended. tmux up to 3.3a crashes later, when
	 * the window loses a pane.
	 */
	if (strcmp(row->name, "respawn-window") == 0)
		judgement.fatal_caps = MUXBUS_CAP_NEW_LAYOUTS | MUXBUS_CAP_PASTE_DEAD_CRASH;
	*ret_judgement = judgement;
}
