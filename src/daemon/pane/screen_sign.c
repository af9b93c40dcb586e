/* SPDX-License-Identifier: ISC */
#include "daemon/pane/screen_sign.h"

#include "daemon/core/pattern.h"
#include "daemon/pane/prompt_row.h"

enum { AGENT_MAX = 32, LINE_SIZE = PATTERN_BYTES_MAX + 128 };

struct sign {
	struct list link;
	char agent[AGENT_MAX + 1];
	enum screen_sign_kind kind;
	bool is_built_in;
	/* pattern of a built-in sign that is not compiled yet; else NULL */
	const char *text;
	struct pattern *pattern; /* NULL: not compiled, or a line of the file that only removes */
};

struct screen_sign_set {
	struct list signs;
};

static const char *const kind_names[] = {
    [SIGN_ASKING] = "asking",
    [SIGN_BUSY] = "busy",
    [SIGN_READY] = "ready",
    [SIGN_DIALOG] = "dialog",
    [SIGN_WORK] = "work",
    [SIGN_DRAFT] = "draft",
    [SIGN_IDLE] = "idle",
    [SIGN_EDITS] = "edits",
};

/*
 * The built-in signs, by agent; "*": any program. Prompts that end with a sign such as '>' need no
 * row. Parts of several patterns come first.
 */
#define RULE "^─{10,}\\n"
#define ROWS "(?:(?!─{10}|▄{10}|▀{10}).*\\n){1,40}" /* rows up to the end of a prompt's box */
#define BELOW(rows) "(?:.*\\n){0," #rows "}\\z"
/* no other box follows up to the end of the screen */
#define LAST "(?:(?!─{10}|▄{10}).*\\n){0,24}\\z"
#define CLAUDE_BOX RULE "[❯!]" ROWS RULE
#define COPILOT_END "╹▀{10,}\\n" /* end of the box, if the terminal reports its background colour */
#define GEMINI_TOP "^[▄─]{10,}\\n" /* with ─ if there are no colours */
#define GEMINI_END "[▀─]{10,}\\n"
#define OPENCODE_BLANK "^ *┃(?: {12,}.*)?\\n" /* blank, except for the column at the right */
#define OPENCODE_END "^ *╹▀{10,}.*\\n"
#define OPENCODE_FOOT "^ *┃  [^\\s].*\\n(?:^ *┃.*\\n){0,9}" OPENCODE_END /* may wrap */
#define GEMINI_HINT "Type your message or @" /* not dim in a light theme, or without colours */
#define QWEN_HINT /* may wrap anywhere */                                              \
	"T\\s*y\\s*p\\s*e\\s*y\\s*o\\s*u\\s*r\\s*m\\s*e\\s*s\\s*s\\s*a\\s*g\\s*e\\s*o" \
	"\\s*r\\s*@\\s*p\\s*a\\s*t\\s*h\\s*/\\s*t\\s*o\\s*/\\s*f\\s*i\\s*l\\s*e"
static const struct {
	const char *agent;
	enum screen_sign_kind kind;
	const char *pattern;
} built_in[] = {
    {"*", SIGN_BUSY,
	"(?i)(?:\\besc(?:ape)?|\\bctrl ?[-+] ?c|\\^c|\\bc-c)\\b.{0,16}?\\b(?:to |again )*"
	"(?:interrupt|cancel|stop|abort)\\b"},
    {"*", SIGN_BUSY,
	"(?i)^\\W{0,6}(?:thinking|working|generating|processing|compacting|responding|waiting for "
	"(?:the )?(?:model|response))(?:\\.{3}|\\.$| *\\()"},
    {"claude", SIGN_BUSY, "\\besc to interrupt\\b"},
    {"claude", SIGN_ASKING, "^\\W*Do you want to .*\\?"},
    {"codex", SIGN_BUSY, "\\(\\d+\\w* .*\\besc to interrupt\\)"},
    {"codex", SIGN_ASKING, "^\\W*(?:Would you like to|Allow) .*\\?"},
    {"copilot", SIGN_BUSY, "\\(Esc to cancel\\b"},
    {"copilot", SIGN_ASKING, "^\\W*Do you want to .*\\?"},
    {"gemini", SIGN_BUSY, "\\(esc to cancel\\b"},
    {"gemini", SIGN_ASKING, "^\\W*(?:Apply this change|Allow execution).*\\?"},
    {"gemini", SIGN_READY, "^[ .|]*\\* +$"},
    {"opencode", SIGN_BUSY, "\\besc (?:again to )?interrupt\\b"},
    /* Signs of the whole screen; "\\z" is its end. */
    {"claude", SIGN_DIALOG, "^(?!.*\\besc to interrupt).*\\b[Ee]sc to .*\\n(?:.+\\n)?\\z"},
    {"claude", SIGN_WORK, CLAUDE_BOX "(?:.*\\n){0,3}?.*\\besc to interrupt\\b"},
    {"claude", SIGN_WORK, "^[^\\s\\w] [^\\s]+…(?: \\(.*)?\\n(?:.*\\n){0,8}?" CLAUDE_BOX BELOW(8)},
    {"claude", SIGN_WORK, "^● .*\\n(?:(?!  ⎿)(?:  .*)?\\n){0,60}?" CLAUDE_BOX BELOW(8)},
    {"claude", SIGN_DRAFT, RULE "[❯!]\\s*[^\\s─]" ROWS RULE LAST},
    {"claude", SIGN_IDLE, RULE "❯\\n" RULE BELOW(8)},
    {"claude", SIGN_EDITS, "yes"},
    {"codex", SIGN_DIALOG,
	"^(?!.*\\besc again).*(?:enter|trust|space).*\\besc\\b.*\\n(?:.+\\n)?\\z"},
    /* Search in the history; and vi mode, in which keys are commands. */
    {"codex", SIGN_DIALOG, "^  (?:reverse-i-search:|.* Vim: Normal\\b).*\\n(?:.*\\n)?\\z"},
    {"codex", SIGN_WORK,
	"^[•◦] .*\\(.*[•·] esc to interrupt\\).*\\n(?:(?:  .*)?\\n){1,30}›" BELOW(40)},
    {"codex", SIGN_WORK, "^• .*\\n(?:(?!  Worked for )(?:  .*)?\\n){1,60}›(?! *\\d\\.)" BELOW(40)},
    {"codex", SIGN_DRAFT, "^[›!](?: *|\\n  )[^\\s].*\\n(?:(?:  .*)?\\n){0,40}\\z"},
    {"codex", SIGN_IDLE, "^›\\n(?:\\n(?:(?:  .*)?\\n){0,4})?\\z"},
    {"copilot", SIGN_DIALOG, "^│.*\\besc\\b.*\\n╰─+╯.*\\n(?:.*\\n)?\\z"},
    {"copilot", SIGN_DIALOG, "\\besc (?:to )?cancel\\n" RULE "\\z"},
    {"copilot", SIGN_DIALOG, "^" COPILOT_END ".*(?: Shell ·|\\besc exit shell).*\\n\\z"},
    {"copilot", SIGN_WORK, "^ [^\\s]+ \\w+.*\\besc (?:esc )?(?:cancel|interrupt|edit)\\b.*\\n\\z"},
    {"copilot", SIGN_DRAFT, RULE "[❯!]\\s*[^\\s─]" ROWS RULE LAST},
    {"copilot", SIGN_DRAFT, "^╻▄{10,}\\n(?!┃\\n╹)(?:┃.*\\n){1,40}" COPILOT_END LAST},
    {"copilot", SIGN_IDLE, RULE "❯\\n" RULE BELOW(2)},
    {"copilot", SIGN_IDLE, "^╻▄{10,}\\n┃\\n" COPILOT_END BELOW(2)},
    {"gemini", SIGN_DIALOG, "^│.*\\n╰─+╯\\n(?:.*\\n)?\\z"},
    /* Shell mode; and vi mode, in which keys are commands. */
    {"gemini", SIGN_DIALOG, GEMINI_TOP " *! *(?:Type your shell command.*)?\\n" GEMINI_END LAST},
    {"gemini", SIGN_DIALOG, "^" GEMINI_END "(?:.*\\n){0,4}? \\[NORMAL\\]" LAST},
    {"gemini", SIGN_WORK, "\\(esc to cancel, \\d.*\\n(?:.*\\n){0,8}?[▄─]{10,}\\n"},
    {"gemini", SIGN_DRAFT,
	GEMINI_TOP " *[>!*]\\s*(?!" GEMINI_HINT ")[^\\s▀─]" ROWS GEMINI_END LAST},
    {"gemini", SIGN_IDLE, GEMINI_TOP " *[>*](?: +" GEMINI_HINT ".*)?\\n" GEMINI_END BELOW(6)},
    /* A pane that shrinks loses the rows below its cursor. Gemini does not draw them again. */
    {"gemini", SIGN_IDLE, GEMINI_TOP " *[>*] +" GEMINI_HINT ".*\\n{1,40}\\z"},
    {"opencode", SIGN_DIALOG,
	"^ *┃.*\\b(?:enter|esc)\\b.*\\b(?:confirm|dismiss|submit|select|toggle)\\b.*\\n(?: "
	"*┃?(?: {12,}.*)?\\n)*\\z"},
    {"opencode", SIGN_DIALOG, "^.* {2}[A-Z]\\w+(?: \\w+)* {6,}esc(?: {2,}.*)?$"},
    {"opencode", SIGN_DIALOG, "^ *┃  Shell\\n" OPENCODE_END}, /* its mode for shell commands */
    {"opencode", SIGN_WORK, OPENCODE_END ".*\\besc (?:again to )?interrupt\\b"},
    /* The end of a turn is drawn before its reply. */
    {"opencode", SIGN_WORK, "^ *┃\\n\\n{3,} +▣ .*\\n{2,}(?:^ *┃.*\\n){1,20}" OPENCODE_END},
    {"opencode", SIGN_DRAFT,
	"^ *┃  (?!Ask anything)[^\\s].*\\n(?:" OPENCODE_BLANK "){1,9}" OPENCODE_FOOT},
    {"opencode", SIGN_IDLE,
	"(?:^ *┃  Ask anything.*\\n|^(?! *┃).*\\n" OPENCODE_BLANK OPENCODE_BLANK
	")" OPENCODE_BLANK OPENCODE_FOOT},
    {"qwen", SIGN_DIALOG, "^ *[^\\s]* *Waiting for user confirmation.*\\n\\z"},
    {"qwen", SIGN_DIALOG, "^ *│.*\\n *╰─+╯\\n(?:.*\\n)?\\z"},
    {"qwen", SIGN_WORK, "\\besc to cancel\\).*\\n(?:.*\\n){0,8}?" RULE},
    {"qwen", SIGN_DRAFT, RULE "[>!*]\\s*(?!" QWEN_HINT "\\s*─)[^\\s─]" ROWS RULE LAST},
    {"qwen", SIGN_IDLE, RULE "[>*](?: +" QWEN_HINT "\\s*)?\\n" RULE BELOW(6)},
    {"qwen", SIGN_IDLE, RULE "[>*] +" QWEN_HINT "\\s*\\z"},
};

static void sign_free(struct sign *sign)
{
	list_remove(&sign->link);
	pattern_free(sign->pattern);
	mem_free(sign);
}

static struct sign *add(struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind)
{
	struct sign *sign = xcalloc(1, sizeof *sign);
	snprintf(sign->agent, sizeof sign->agent, "%s", agent);
	sign->kind = kind;
	list_append(&set->signs, &sign->link);
	return sign;
}

static bool add_own(struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind,
    const char *pattern, char *ret_reason, size_t size)
{
	struct pattern *compiled = NULL;
	if (*pattern != '\0') {
		compiled = pattern_new(pattern, strlen(pattern), ret_reason, size);
		if (compiled == NULL)
			return false;
	}
	add(set, agent, kind)->pattern = compiled;
	return true;
}

static void add_built_in(struct screen_sign_set *set)
{
	for (size_t at = 0; at < sizeof built_in / sizeof *built_in; at++) {
		struct sign *sign = add(set, built_in[at].agent, built_in[at].kind);
		sign->is_built_in = true;
		sign->text = built_in[at].pattern;
	}
}

static const struct pattern *pattern_of(struct sign *sign)
{
	char reason[256];
	if (sign->pattern == NULL && sign->text != NULL) {
		sign->pattern = pattern_new(sign->text, strlen(sign->text), reason, sizeof reason);
		if (sign->pattern == NULL)
			log_error("a pattern of %s: %s", sign->agent, reason);
		sign->text = NULL;
	}
	return sign->pattern;
}

static void remove_built_in(
    struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind)
{
	list_each_safe (struct sign, sign, &set->signs, link)
		if (sign->is_built_in && sign->kind == kind && strcmp(sign->agent, agent) == 0)
			sign_free(sign);
}

static bool read_line(struct screen_sign_set *set, char *line, char *ret_reason, size_t size)
{
	char agent[AGENT_MAX + 1], kind[16];
	int used = 0;
	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (*line == '\0' || *line == '#')
		return true;
	if (sscanf(line, "%32s %15s%n", agent, kind, &used) != 2) {
		snprintf(ret_reason, size, "it must be: agent, kind, pattern");
		return false;
	}
	line += used;
	line += strspn(line, " \t");
	for (int at = 0; at < SIGN_KIND_COUNT_; at++) {
		if (strcmp(kind_names[at], kind) != 0)
			continue;
		if (!add_own(set, agent, (enum screen_sign_kind)at, line, ret_reason, size))
			return false;
		remove_built_in(set, agent, (enum screen_sign_kind)at);
		return true;
	}
	snprintf(ret_reason, size,
	    "the kind must be asking, busy, ready, dialog, work, draft, idle or edits");
	return false;
}

static void read_file(struct screen_sign_set *set, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	char line[LINE_SIZE], reason[256];
	unsigned number = 0;
	struct stat info;
	if (file == NULL) {
		if (errno != ENOENT)
			log_warning("%s: %s", path, strerror(errno));
		return;
	}
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) { /* to read a pipe would block */
		log_warning("%s: is not a regular file", path);
		(void)fclose(file);
		return;
	}
	while (fgets(line, sizeof line, file) != NULL && number++ < SCREEN_SIGNS_MAX) {
		size_t mark = number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
		if (!read_line(set, line + mark, reason, sizeof reason))
			log_warning("%s: line %u: %s", path, number, reason);
	}
	if (number > SCREEN_SIGNS_MAX)
		log_warning("%s: the lines behind line %d are left out", path, SCREEN_SIGNS_MAX);
	(void)fclose(file);
}

struct screen_sign_set *screen_sign_set_new(const char *file)
{
	struct screen_sign_set *set = xcalloc(1, sizeof *set);
	list_init(&set->signs);
	add_built_in(set);
	if (file != NULL)
		read_file(set, file);
	return set;
}

void screen_sign_set_free(struct screen_sign_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->signs))
		sign_free(list_entry(set->signs.next, struct sign, link));
	mem_free(set);
}

bool screen_sign_shows(const struct screen_sign_set *set, const char *agent,
    enum screen_sign_kind kind, const char *text, size_t len)
{
	list_each (struct sign, sign, &set->signs, link)
		if (sign->kind == kind && (agent == NULL || strcmp(sign->agent, agent) == 0) &&
		    pattern_of(sign) != NULL &&
		    pattern_find(sign->pattern, text, len, 0, NULL) == PATTERN_MATCH)
			return true;
	return false;
}

bool screen_sign_has(
    const struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind)
{
	list_each (const struct sign, sign, &set->signs, link)
		if (sign->kind == kind && strcmp(sign->agent, agent) == 0 &&
		    (sign->pattern != NULL || sign->text != NULL))
			return true;
	return false;
}

bool screen_sign_is_named(
    const struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind)
{
	list_each (const struct sign, sign, &set->signs, link)
		if (!sign->is_built_in && strcmp(sign->agent, agent) == 0 &&
		    (kind == SIGN_KIND_COUNT_ || sign->kind == kind))
			return true;
	return false;
}

enum { ROWS_MAX = 60, ROW_SIZE = 2048, TEXT_MAX = 128 * 1024, NO_BREAK_SPACE = 0xa0 };

/*
 * Returns true if a cell has typed text, a frame or a prompt's sign, not a dim suggestion. A cell
 * under a drawn cursor is a suggestion if the next cell is one.
 */
static bool is_typed_cell(const struct prompt_row *row, size_t at)
{
	bool is_drawn =
	    prompt_row_is_frame(row->characters[at]) || prompt_is_end(row->characters[at]);
	bool is_cursor = row->is_reverse[at] && at + 1 < row->count && row->is_dim[at + 1] &&
	    !row->is_reverse[at + 1];
	return !is_cursor && (!row->is_dim[at] || is_drawn);
}

/* Appends the last rows, without blank rows at the end. is_typed: without suggestions. */
static void write_rows(const struct prompt_view *view, bool is_typed, struct buf *out)
{
	static struct prompt_row row;
	char text[ROW_SIZE];
	unsigned count = prompt_row_count(view->text, view->len);
	for (unsigned number = count > ROWS_MAX ? count - ROWS_MAX : 0; number < count; number++) {
		size_t len;
		prompt_row_read(view->text, view->len, number, &row);
		for (size_t at = 0; at < row.count; at++)
			if (row.characters[at] == NO_BREAK_SPACE ||
			    (is_typed && !is_typed_cell(&row, at)))
				row.characters[at] = ' ';
		prompt_row_text(&row, 0, row.count, text, sizeof text);
		for (len = strlen(text); len > 0 && text[len - 1] == ' '; len--)
			;
		(void)buf_append(out, text, len);
		(void)buf_append_byte(out, '\n');
	}
	while (out->len > 1 && out->data[out->len - 2] == '\n')
		out->len--;
}

enum screen_sign_kind screen_verdict(
    const struct screen_sign_set *signs, const char *agent, const struct prompt_view *view)
{
	static const struct {
		enum screen_sign_kind sign;
		bool is_typed;
	} steps[] = {
	    {SIGN_DIALOG, false}, {SIGN_WORK, false}, {SIGN_DRAFT, true}, {SIGN_IDLE, true}};
	enum screen_sign_kind verdict = SIGN_NONE;
	struct buf texts[2];
	for (size_t at = 0; at < 2; at++) {
		buf_init(&texts[at], TEXT_MAX);
		write_rows(view, at == 1, &texts[at]);
	}
	for (size_t at = 0; at < sizeof steps / sizeof *steps && verdict == SIGN_NONE; at++) {
		const struct buf *text = &texts[steps[at].is_typed];
		if (screen_sign_shows(
			signs, agent, steps[at].sign, (const char *)text->data, text->len))
			verdict = steps[at].sign;
	}
	buf_finish(&texts[0]);
	buf_finish(&texts[1]);
	return verdict;
}
