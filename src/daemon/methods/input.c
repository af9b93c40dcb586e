/* SPDX-License-Identifier: ISC */
/* Methods that type: send_keys, send_text, send_mouse. */
#include "daemon/input/keys.h"
#include "daemon/input/person_guard.h"
#include "daemon/input/submit.h"
#include "daemon/input/typing.h"
#include "daemon/methods/tables.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/server/handler.h"
#include "daemon/tmux/pane_input.h"
#include "daemon/tmux/tmux_command.h"

#define TEXT_BYTES_MAX (1024 * 1024)
/*
 * A longer text is pasted, if it has no NUL. Up to this length keys are as fast as a paste, and
 * they leave no buffer that others can see.
 */
#define TYPED_BYTES_MAX 256

enum { NOTE_SIZE = 160, NOTE_WORD_MAX = 40, CONDITION_SIZE = 128 };
enum { GUARD_MS = 100 }; /* how long a check by person_guard() counts */

static const struct field_result input_results[] = {
    {"pane", "string", "the id of the pane it was typed into"},
    {"synchronized", "boolean", "true if tmux gave keys to the window's other panes as well"},
    PERSON_GUARD_RESULT,
    {0},
};

static const struct field_result keys_results[] = {
    {"pane", "string", "the id of the pane it was typed into"},
    {"synchronized", "boolean", "true if tmux gave keys to the window's other panes as well"},
    PERSON_GUARD_RESULT,
    {"note", "string", "a key's name that was typed as text"},
    {0},
};

static void answer(struct request *request, uint32_t id, const char *sign, const char *note)
{
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(request_daemon(request)->tmux), id);
	struct json_writer *writer = request_result(request);
	json_put_id(writer, "pane", '%', id);
	if (pane != NULL && pane->is_synchronized)
		json_put_bool(writer, "synchronized", true);
	json_put_given(writer, "sign", sign);
	if (note != NULL && note[0] != '\0')
		json_put_str(writer, "note", note);
	request_done(request);
}

struct keying {
	struct request *request;
	struct typing typing;
	const char *sign;
	char note[NOTE_SIZE];
	char condition[CONDITION_SIZE]; /* condition for the mouse, as a tmux format */
};

static void keying_free(struct keying *keying)
{
	typing_finish(&keying->typing);
	mem_free(keying);
}

static void on_typed(
    struct request *request, const struct muxbus_reply *replies, size_t count, void *context)
{
	const struct keying *keying = context;
	if (typing_check(request, keying->typing.pane, &replies[count - 1], "nothing"))
		answer(request, keying->typing.pane, keying->sign, keying->note);
}

static void run_typing(struct keying *keying)
{
	const struct daemon *daemon = request_daemon(keying->request);
	struct muxbus_command *command = tmux_command_new();
	typing_add(&keying->typing, command, NULL);
	typing_note(&keying->typing, daemon->streams,
	    muxbus_model_pane(tmux_model(daemon->tmux), keying->typing.pane));
	typing_finish(&keying->typing);
	tmux_call_judged(keying->request, command, typing_error, on_typed, keying);
}

static void on_guarded_keys(void *data, bool may, const char *sign)
{
	struct keying *keying = data;
	keying->sign = sign;
	if (!may) {
		keying_free(keying);
		return;
	}
	run_typing(keying);
}

static bool decode(struct request *request, const char *text, struct buf *out)
{
	if (base64_decode(out, text, strlen(text)) == 0)
		return true;
	return request_fail_field(
	    request, "base64", "invalid base64, or more than %zu bytes", out->max);
}

#define FORCE_FIELD(args_struct)                                                                  \
	{                                                                                         \
		FIELD_ROW(BOOL, struct args_struct, force, "force"),                              \
		    .flags = FIELD_RARE, .preset = "false",                                       \
		    .help =                                                                       \
			"Type also where a draft stands or a person types, and end a mode, such " \
			"as copy mode, first."                                                    \
	}

struct send_keys_args {
	const char *pane;
	struct field_strings keys;
	const char *base64;
	bool force;
};

static const struct field send_keys_fields[] = {
    {FIELD_ROW(STRING, struct send_keys_args, base64, "base64"),
	.flags = FIELD_RARE | FIELD_CONFIDENTIAL, .max = 2 * TYPING_BYTES_MAX,
	.help = "Exact bytes to type instead of keys."},
    FORCE_FIELD(send_keys_args),
    {FIELD_ROW(KEYS, struct send_keys_args, keys, "keys"), .flags = FIELD_CONFIDENTIAL, .max = 4096,
	.help = "A string or an array. A string that names a key (Enter, C-c, Ctrl+C, F5) is "
		"that key; else it is typed as it is."},
    PANE_FIELD(send_keys_args),
    {0},
};

static void write_note(char note[NOTE_SIZE], const char *text, size_t len)
{
	struct key_spelling found;
	if (note[0] != '\0' || !key_spelling_find(text, len, &found))
		return;
	snprintf(note, NOTE_SIZE, "\"%.*s\" was typed as text; the key is %s, %s",
	    (int)(found.len < NOTE_WORD_MAX ? found.len : NOTE_WORD_MAX), found.word, found.name,
	    "in an element of its own");
}

static bool add_element(
    struct request *request, struct typing *typing, const char *text, char note[NOTE_SIZE])
{
	size_t len = strlen(text);
	char name[KEY_SPELLING_SIZE];
	switch (key_spelling_read(text, len, name)) {
	case KEYS_TEXT:
		typing_bytes(typing, text, len);
		write_note(note, text, len);
		return true;
	case KEYS_NAME:
		typing_key(typing, name);
		return true;
	case KEYS_UNSENDABLE:
		break;
	}
	return request_fail_field(request, "keys",
	    "%.40s is a key that a terminal has no bytes for; the nearest keys are the same "
	    "without Ctrl or Shift",
	    text);
}

static bool read_keys(struct request *request, const struct send_keys_args *args,
    struct typing *typing, char note[NOTE_SIZE])
{
	size_t bytes = 0;
	for (size_t i = 0; i < args->keys.count; i++)
		bytes += strlen(args->keys.strings[i]);
	if (bytes > TYPING_BYTES_MAX)
		return request_fail_field(
		    request, "keys", "more than 65536 bytes; send them in parts");
	for (size_t i = 0; i < args->keys.count; i++)
		if (!add_element(request, typing, args->keys.strings[i], note))
			return false;
	if (args->base64 != NULL) {
		struct buf raw = BUF(TYPING_BYTES_MAX - bytes);
		bool is_right = decode(request, args->base64, &raw);
		if (is_right)
			typing_bytes(typing, raw.data, raw.len);
		buf_finish(&raw);
		if (!is_right)
			return false;
	}
	if (typing->commands.len == 0)
		return request_fail_field(request, "keys", "there is nothing to type");
	return true;
}

static void handle_send_keys(struct request *request, const void *data)
{
	const struct send_keys_args *args = data;
	const struct muxbus_pane *pane;
	struct keying *keying;
	if (!target_pane(request, args->pane, &pane))
		return;
	keying = xcalloc(1, sizeof *keying);
	keying->request = request;
	typing_init(&keying->typing, pane->id, args->force);
	role_find_only(request, pane, &keying->typing.only);
	if (read_keys(request, args, &keying->typing, keying->note))
		person_guard(
		    request, pane, args->force, &keying->typing.only, on_guarded_keys, keying);
	else
		keying_free(keying);
}

struct send_text_args {
	const char *pane;
	const char *text;
	const char *base64;
	bool enter;
	bool paste;
	bool has_paste;
	bool force;
};

static const struct field send_text_fields[] = {
    {FIELD_ROW(STRING, struct send_text_args, base64, "base64"), .flags = FIELD_CONFIDENTIAL,
	.max = 2 * TEXT_BYTES_MAX, .help = "Exact bytes to type instead of text."},
    {FIELD_ROW(BOOL, struct send_text_args, enter, "enter"), .preset = "false",
	.help = "Press Enter behind it, as a step of its own a moment later."},
    FORCE_FIELD(send_text_args),
    PANE_FIELD(send_text_args),
    {FIELD_ROW(BOOL, struct send_text_args, paste, "paste"),
	.given_offset = offsetof(struct send_text_args, has_paste),
	.help = "Give it as a bracketed paste, if the program asked for such: left out, text of "
		"more than one line. As keys \"?\" and \"!\" may be shortcuts of an agent."},
    {FIELD_ROW(STRING, struct send_text_args, text, "text"), .flags = FIELD_CONFIDENTIAL,
	.max = TEXT_BYTES_MAX, .help = "The text, byte for byte; no name of a key is special."},
    {0},
};

struct texting {
	struct request *request;
	struct submit *submit;
	struct submit_policy policy;
	struct submit_text text;
	uint32_t pane;
	const char *sign;
	int64_t guarded_ms; /* CLOCK_MONOTONIC of the last check of the pane */
};

static void guard_text(struct texting *texting);

/*
 * Gives the text. Returns false to repeat the check if the last one is older than GUARD_MS: a
 * person may have come.
 */
static bool on_compose(void *data, struct submit_text *text)
{
	struct texting *texting = data;
	if (clock_mono_ms() - texting->guarded_ms > GUARD_MS)
		return false;
	buf_finish(&text->bytes);
	*text = texting->text;
	buf_init(&texting->text.bytes, 0); /* moved to *text */
	return true;
}

static void on_text_ended(void *data, const struct submit_end *end)
{
	struct texting *texting = data;
	struct request *request = texting->request;
	const char *typed = end->result == SUBMIT_TYPED ? "the text, but not Enter" : "nothing";
	if (end->result == SUBMIT_NOTHING) {
		submit_free(texting->submit);
		guard_text(texting);
		return;
	}
	if (end->result == SUBMIT_SUBMITTED)
		answer(request, texting->pane, texting->sign, NULL);
	else if (end->count == 0 ||
	    (end->error < 0 &&
		!typing_fail_gone(request, texting->pane, &end->replies[end->count - 1], typed)))
		tmux_call_fail_reply(request, end->error, end->replies, end->count);
	else if (end->error == 0)
		typing_check(request, texting->pane, &end->replies[end->count - 1], typed);
	submit_free(texting->submit);
	mem_free(texting);
}

static void on_guarded_text(void *data, bool may, const char *sign)
{
	static const struct submit_handlers handlers = {
	    .compose = on_compose, .ended = on_text_ended};
	struct texting *texting = data;
	const struct daemon *daemon;
	struct pane_ref ref;
	if (!may) {
		buf_finish(&texting->text.bytes);
		mem_free(texting);
		return;
	}
	daemon = request_daemon(texting->request);
	texting->sign = sign;
	texting->guarded_ms = clock_mono_ms();
	pane_ref_of(daemon->tmux, texting->pane, &ref);
	texting->submit = submit_new(daemon->submits, &ref, &texting->policy, &handlers, texting);
	submit_wake(texting->submit);
}

static void guard_text(struct texting *texting)
{
	const struct tmux *tmux = request_daemon(texting->request)->tmux;
	const struct muxbus_pane *pane = muxbus_model_pane(tmux_model(tmux), texting->pane);
	if (pane != NULL)
		person_guard(texting->request, pane, texting->policy.leaves_mode,
		    &texting->policy.only, on_guarded_text, texting);
	else
		/* the pane has closed, which tmux will report */
		on_guarded_text(texting, true, texting->sign);
}

/* Types a text, after a check of the pane by person_guard(). */
static void run_text(struct request *request, const struct submit_text *text,
    const struct muxbus_pane *pane, bool force)
{
	struct texting *texting = xcalloc(1, sizeof *texting);
	texting->request = request;
	texting->policy =
	    (struct submit_policy){.is_once = true, .is_raw = true, .leaves_mode = force};
	role_find_only(request, pane, &texting->policy.only);
	texting->text = *text;
	texting->pane = pane->id;
	guard_text(texting);
}

static bool holds(const struct buf *text, const char *sequence)
{
	return memmem(text->data, text->len, sequence, strlen(sequence)) != NULL;
}

static bool choose_bracket(struct request *request, const struct send_text_args *args,
    const struct buf *text, bool *ret_bracket)
{
	bool is_lines = holds(text, "\n") || holds(text, "\r");
	*ret_bracket = args->has_paste ? args->paste : is_lines;
	/* The program would read what follows the end of a paste as keys, perhaps as commands. */
	if (*ret_bracket && (holds(text, "\033[201~") || holds(text, "\302\233201~")))
		return request_fail_field(request, args->text != NULL ? "text" : "base64",
		    "holds the sequence that ends a bracketed paste; without it, or with "
		    "\"paste\": false, it can be typed");
	return true;
}

static bool check_lines(
    struct request *request, const struct muxbus_pane *pane, const struct buf *bytes)
{
	struct pane_tty tty;
	pane_tty_read(pane->tty, pane->pid, &tty);
	if (pane_tty_keeps(&tty, (const char *)bytes->data, bytes->len))
		return true;
	return request_fail(request, MESSAGE_REFUSED,
	    "pane %%%u: its terminal keeps %d bytes of a line, and the text has a longer one: "
	    "nothing was typed; send shorter lines",
	    pane->id, PANE_TTY_LINE_MAX);
}

static void start_text(struct request *request, const struct send_text_args *args,
    const struct muxbus_pane *pane, struct buf *bytes)
{
	bool has_nul = memchr(bytes->data, '\0', bytes->len) != NULL;
	struct submit_text text = {.has_no_enter = !args->enter};
	if (!choose_bracket(request, args, bytes, &text.is_bracketed) ||
	    !check_lines(request, pane, bytes))
		return;
	if (has_nul && bytes->len > TYPING_BYTES_MAX) {
		request_fail_field(
		    request, "base64", "more than 65536 bytes with a NUL among them");
		return;
	}
	text.is_paste = !has_nul && (text.is_bracketed || bytes->len > TYPED_BYTES_MAX);
	text.bytes = *bytes;
	buf_init(bytes, 0); /* moved to text */
	run_text(request, &text, pane, args->force);
}

static void handle_send_text(struct request *request, const void *data)
{
	const struct send_text_args *args = data;
	const struct muxbus_pane *pane;
	struct buf text = BUF(TEXT_BYTES_MAX);
	buf_append_str(&text, args->text != NULL ? args->text : "");
	if (args->text != NULL && args->base64 != NULL)
		request_fail_field(request, "base64", "either text or base64, not both");
	else if (args->base64 != NULL && !decode(request, args->base64, &text))
		; /* nothing to do: the request has failed */
	else if (text.len == 0)
		request_fail_field(request, "text",
		    "there is nothing to type; Enter alone is send_keys with \"keys\": \"Enter\"");
	else if (target_pane(request, args->pane, &pane))
		start_text(request, args, pane, &text);
	buf_finish(&text);
}

enum action {
	ACTION_PRESS,
	ACTION_RELEASE,
	ACTION_CLICK,
	ACTION_MOVE,
	ACTION_DRAG,
	ACTION_SCROLL_UP,
	ACTION_SCROLL_DOWN,
};

static const char *const action_names[] = {
    [ACTION_PRESS] = "press",
    [ACTION_RELEASE] = "release",
    [ACTION_CLICK] = "click",
    [ACTION_MOVE] = "move",
    [ACTION_DRAG] = "drag",
    [ACTION_SCROLL_UP] = "scroll_up",
    [ACTION_SCROLL_DOWN] = "scroll_down",
    NULL,
};

static const char *const button_names[] = {"left", "middle", "right", NULL};

#define BUTTON_NONE 3
#define BUTTON_MOTION 32
#define BUTTON_WHEEL_UP 64
#define BUTTON_WHEEL_DOWN 65

struct send_mouse_args {
	const char *pane;
	int64_t x;
	int64_t y;
	int action;
	int button;
	bool force;
};

static const struct field send_mouse_fields[] = {
    {FIELD_ROW(CHOICE, struct send_mouse_args, action, "action"), .choices = action_names,
	.preset = "\"click\"", .help = "The action of the mouse."},
    {FIELD_ROW(CHOICE, struct send_mouse_args, button, "button"), .choices = button_names,
	.preset = "\"left\"", .help = "With which button."},
    FORCE_FIELD(send_mouse_args),
    PANE_FIELD(send_mouse_args),
    {FIELD_ROW(INT, struct send_mouse_args, x, "x"), .flags = FIELD_REQUIRED, .max = 10000,
	.help = "The column in the pane, from 0."},
    {FIELD_ROW(INT, struct send_mouse_args, y, "y"), .flags = FIELD_REQUIRED, .max = 10000,
	.help = "The row in the pane, from 0."},
    {0},
};

enum typed_encoding { ENCODING_SGR, ENCODING_UTF8, ENCODING_NORMAL };

/*
 * The highest column or row that can be reported in each encoding, counted from 1. SGR has no limit
 * but that of the parameters x and y.
 */
static const int64_t encoding_max[] = {
    [ENCODING_SGR] = 10001,
    [ENCODING_UTF8] = 2015,
    [ENCODING_NORMAL] = 223,
};

static void put_coordinate(struct buf *out, enum typed_encoding encoding, int64_t cell)
{
	unsigned value = (unsigned)cell + 33;
	if (encoding == ENCODING_UTF8 && value > 0x7f) {
		buf_append_byte(out, (uint8_t)(0xc0 | value >> 6));
		buf_append_byte(out, (uint8_t)(0x80 | (value & 0x3f)));
	} else {
		buf_append_byte(out, (uint8_t)value);
	}
}

static void put_report(struct buf *out, enum typed_encoding encoding, unsigned button,
    bool is_release, const struct send_mouse_args *args)
{
	if (encoding == ENCODING_SGR) {
		buf_printf(out, "\033[<%u;%d;%d%c", button, (int)args->x + 1, (int)args->y + 1,
		    is_release ? 'm' : 'M');
		return;
	}
	buf_append_str(out, "\033[M");
	put_coordinate(out, encoding, (is_release ? BUTTON_NONE : button) - 1);
	put_coordinate(out, encoding, args->x);
	put_coordinate(out, encoding, args->y);
}

/* The number that an action adds to that of its button, or its own number if it has no button. */
static const uint8_t action_numbers[] = {
    [ACTION_MOVE] = BUTTON_MOTION + BUTTON_NONE,
    [ACTION_DRAG] = BUTTON_MOTION,
    [ACTION_SCROLL_UP] = BUTTON_WHEEL_UP,
    [ACTION_SCROLL_DOWN] = BUTTON_WHEEL_DOWN,
};

static void put_reports(
    struct buf *out, enum typed_encoding encoding, const struct send_mouse_args *args)
{
	enum action action = (enum action)args->action;
	bool has_button = action <= ACTION_CLICK || action == ACTION_DRAG;
	unsigned button = action_numbers[action] + (has_button ? (unsigned)args->button : 0);
	if (action != ACTION_RELEASE)
		put_report(out, encoding, button, false, args);
	if (action == ACTION_RELEASE || action == ACTION_CLICK)
		put_report(out, encoding, button, true, args);
}

static void write_condition(
    char out[CONDITION_SIZE], enum typed_encoding encoding, enum action action)
{
	static const char *const encodings[] = {
	    [ENCODING_SGR] = "#{mouse_sgr_flag}",
	    [ENCODING_UTF8] = "#{==:#{mouse_sgr_flag}#{mouse_utf8_flag},01}",
	    [ENCODING_NORMAL] = "#{==:#{mouse_sgr_flag}#{mouse_utf8_flag},00}",
	};
	const char *mode = action == ACTION_MOVE ? "#{mouse_all_flag}"
	    : action == ACTION_DRAG              ? "#{||:#{mouse_button_flag},#{mouse_all_flag}}"
						 : "#{mouse_any_flag}";
	(void)snprintf(out, CONDITION_SIZE, "#{&&:%s,%s}", mode, encodings[encoding]);
}

/* A mouse event waits for a fresh model, since tmux does not announce mouse modes. */
struct pointing {
	struct request *request;
	struct send_mouse_args args;
	uint32_t pane;
	struct role_only only; /* the processes that may get the event */
};

static bool check_mouse(struct request *request, const struct muxbus_pane *pane,
    const struct send_mouse_args *args, enum typed_encoding *ret_encoding)
{
	int64_t max;
	*ret_encoding = pane->mouse_sgr ? ENCODING_SGR
	    : pane->mouse_utf8          ? ENCODING_UTF8
					: ENCODING_NORMAL;
	if (!pane->mouse_any) {
		char data[96];
		snprintf(data, sizeof data, "\"pane\":\"%%%u\",\"mouse\":false", pane->id);
		return request_fail_data(request, MESSAGE_NOT_READY, data,
		    "pane %%%u: its program did not ask for the mouse", pane->id);
	}
	if (args->x >= pane->width || args->y >= pane->height)
		return request_fail_field(request, args->x >= pane->width ? "x" : "y",
		    "lies outside of the pane, see get_pane");
	max = encoding_max[*ret_encoding];
	if (args->x >= max || args->y >= max)
		return request_fail_field(request, args->x >= max ? "x" : "y",
		    "is more than the program's mouse reports can say");
	return true;
}

static void press_mouse(struct pointing *pointing, const struct muxbus_pane *pane)
{
	struct keying *keying;
	enum typed_encoding encoding;
	struct buf reports;
	if (!check_mouse(pointing->request, pane, &pointing->args, &encoding))
		return;
	keying = xcalloc(1, sizeof *keying);
	keying->request = pointing->request;
	buf_init(&reports, 256);
	put_reports(&reports, encoding, &pointing->args);
	typing_init(&keying->typing, pane->id, pointing->args.force);
	keying->typing.only = pointing->only;
	write_condition(keying->condition, encoding, (enum action)pointing->args.action);
	keying->typing.condition = keying->condition;
	typing_bytes(&keying->typing, reports.data, reports.len);
	buf_finish(&reports);
	person_guard(pointing->request, pane, pointing->args.force, &keying->typing.only,
	    on_guarded_keys, keying);
}

static void on_mouse_fresh(void *data, int error)
{
	struct pointing *pointing = data;
	struct request *request = pointing->request;
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(request_daemon(request)->tmux), pointing->pane);
	if (error < 0 || pane == NULL)
		tmux_call_fail(request, error < 0 ? error : MUXBUS_ERR_GONE, NULL);
	else
		press_mouse(pointing, pane);
	mem_free(pointing);
}

static void handle_send_mouse(struct request *request, const void *data)
{
	const struct send_mouse_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	const struct muxbus_pane *pane;
	struct pointing *pointing;
	int error;
	if (!target_pane(request, args->pane, &pane))
		return;
	pointing = xalloc(sizeof *pointing);
	*pointing = (struct pointing){.request = request, .args = *args, .pane = pane->id};
	role_find_only(request, pane, &pointing->only);
	pointing->args.pane = NULL;
	error = muxbus_sync_refresh_window(
	    tmux_sync(daemon->tmux), pane->window, 0, on_mouse_fresh, pointing);
	if (error < 0)
		on_mouse_fresh(pointing, error);
}

const struct method methods_input[] = {
    {.name = METHOD("send_keys", METHOD_TYPES),
	.title = "Send keys",
	.summary = "Types keys and text into a pane, byte for byte.",
	.help = "Nothing is typed, and the answer is not_ready, where tmux would lose it: in copy "
		"mode, into a dead pane, or with input switched off. In a pane that is not the "
		"caller's own and was not made by it, it is refused without force where a draft "
		"stands at the prompt, or a person typed less than 5 seconds ago.",
	METHOD_CALL(handle_send_keys, send_keys_args, send_keys_fields, keys_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX | METHOD_TOOL,
	.recheck = "capture_pane",
	.affects = role_affects_pane,
	.example = "{\"pane_id\":\"%3\",\"keys\":[\"ls -l\",\"Enter\"]}"},
    {.name = METHOD("send_mouse", METHOD_TYPES),
	.title = "Send the mouse",
	.summary = "Reports the mouse to a program that asked for it.",
	.help = "not_ready says that the program did not ask for the mouse, or for this action.",
	METHOD_CALL(handle_send_mouse, send_mouse_args, send_mouse_fields, input_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX,
	.recheck = "capture_pane",
	.affects = role_affects_pane,
	.example = "{\"pane\":\"%3\",\"x\":10,\"y\":2,\"action\":\"click\",\"button\":\"left\"}"},
    {.name = METHOD("send_text", METHOD_TYPES),
	.title = "Send text",
	.summary = "Types a text into a pane as it is; several lines as one paste.",
	.help =
	    "No name of a key is special in it. Lines keep their LF. As send_keys, it types all "
	    "or nothing, and is refused in a pane of others with a draft or a person; a shell or a "
	    "question is no obstacle. While another text is typed there, it waits. A line "
	    "of more than 4095 bytes is refused where the kernel edits lines: the rest is lost. "
	    "So is an empty text: Enter alone is send_keys.",
	METHOD_CALL(handle_send_text, send_text_args, send_text_fields, input_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX,
	.recheck = "capture_pane",
	.affects = role_affects_pane,
	.example = "{\"pane\":\"%3\",\"text\":\"Enter is a word here\",\"enter\":true}"},
    {0},
};
