/* SPDX-License-Identifier: ISC */
/*
 * libmuxbus: a library for clients of tmux's control mode.
 *
 * The parts. Each can be used without the parts that follow it in this list.
 *
 * quote        converts byte strings to tmux arguments and back; format fields
 * version      parses the version of tmux, and tells what that version can do
 * parser       turns the bytes of `tmux -C` into output, events and reply blocks
 * lines        turns the output of a pane into lines of plain text
 * layout       parses the layout strings of windows
 * command      builds a list of tmux commands, argument by argument
 * loop         one file descriptor and one dispatch function for the parts below
 * connection   one control client: runs commands, delivers replies and events
 * one_shot     runs a list of commands without a connection
 * model        the sessions, windows, panes and clients of a server, by id
 * sync         keeps a model up to date, with one connection per session
 *
 * Rules for the whole interface:
 *
 * - Functions that can fail return 0 or a positive count for success and a
 * negative enum muxbus_error otherwise. Results are returned through ret_...
 * parameters, which are written only on success.
 * - Out of memory is an error like others: MUXBUS_ERR_NOMEM.
 * - ..._free() accepts NULL. An object must not be freed inside its own callbacks, unless
 * the callback's comment allows it. NULL is allowed for a function that is called once with
 * an answer, and for the handlers of connections and syncs.
 * - Pointers passed to a callback are valid until it returns. Keep ids, not pointers.
 * - Ids are the numbers that tmux prints: pane %3 is 3, window @7 is 7, session $1
 * is 1. A tmux server does not use an id twice.
 * - Nothing here is thread-safe: use a loop and its objects in one thread. Several threads
 * may each have their own loop; set the allocator and the log before they start.
 * - After fork() only the parent may use the objects. The child must not even call
 * ..._free(), which would affect the parent; exec() closes the child's descriptors.
 * - Byte strings come from untrusted programs. They are bytes, not text, unless a
 * comment says that they are UTF-8.
 *
 * Everything in this file exists since 0.1, unless a comment names a later release.
 */
#ifndef MUXBUS_H
#define MUXBUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MUXBUS_API __attribute__((visibility("default")))
#define MUXBUS_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define MUXBUS_API
#define MUXBUS_PRINTF(f, a)
#endif

/*
 * The version of this header: a semantic version. Before 1.0 a new minor version may remove or
 * change interfaces; contrib/CHANGES.library lists them. Since 0.2.
 */
#define MUXBUS_VERSION_MAJOR 0
#define MUXBUS_VERSION_MINOR 3
#define MUXBUS_VERSION_PATCH 0

/* Makes one number of a version: #if MUXBUS_VERSION >= MUXBUS_VERSION_NUMBER(0, 2, 0) */
#define MUXBUS_VERSION_NUMBER(major, minor, patch) ((major)*0x10000 + (minor)*0x100 + (patch))
#define MUXBUS_VERSION \
	MUXBUS_VERSION_NUMBER(MUXBUS_VERSION_MAJOR, MUXBUS_VERSION_MINOR, MUXBUS_VERSION_PATCH)

/* Returns the version of the library at run time, in the form of MUXBUS_VERSION. Since 0.2. */
MUXBUS_API unsigned muxbus_version(void);

/* Stands for "no id". */
#define MUXBUS_NO_ID UINT32_MAX

/*
 * Errors.
 *
 * There are two kinds of errors. If the number is above MUXBUS_ERR_FATAL, one call or one command
 * failed, and the connection continues. (MUXBUS_ERR_COMMAND is such an error, with a text from tmux
 * in the reply.) If the number is below, the connection of the call, if any, has ended and can only
 * be freed. A connection that runs out of memory may end too: its handler closed then gets
 * MUXBUS_ERR_NOMEM.
 */
enum muxbus_error {
	MUXBUS_OK = 0,
	MUXBUS_ERR_NOMEM = -1, /* out of memory */
	MUXBUS_ERR_INVALID = -2, /* an argument is invalid, such as a string with a NUL */
	MUXBUS_ERR_SYNTAX = -3, /* invalid layout, field or version text */
	MUXBUS_ERR_LIMIT = -4, /* more than a stated maximum */
	MUXBUS_ERR_NOT_FOUND = -5, /* no such pane, or it lacks what the call needs */
	MUXBUS_ERR_COMMAND = -6, /* tmux refused the command; the reply's body is the reason */
	MUXBUS_ERR_SKIPPED = -7, /* not run, because an earlier command in the list failed */
	MUXBUS_ERR_CANCELLED = -8, /* a close, stop, free or detach came before the reply */
	MUXBUS_ERR_UNAVAILABLE = -9, /* no server is connected, or a stop is not done */
	MUXBUS_ERR_GONE = -10, /* the pane, window or session has closed meanwhile */

	MUXBUS_ERR_FATAL = -100, /* not an error: this and all lower numbers are fatal */
	MUXBUS_ERR_SYSTEM = -101, /* a system call failed; see errno */
	MUXBUS_ERR_NO_SERVER = -102, /* no server listens at the tmux socket */
	MUXBUS_ERR_NO_SESSION = -103, /* the server has no session, or not the requested one */
	MUXBUS_ERR_CLOSED = -104, /* tmux ended the connection, or it is closing */
	MUXBUS_ERR_TIMEOUT = -105, /* tmux did not answer in time */
	MUXBUS_ERR_VERSION = -106, /* tmux is older than 3.3, or is not tmux */
	MUXBUS_ERR_SPAWN = -107, /* tmux cannot be executed; see errno */
	MUXBUS_ERR_PROTOCOL = -108, /* the input is not what tmux sends */
};

/*
 * Returns the text of an error in English, without a newline; never NULL. For MUXBUS_ERR_SYSTEM
 * returns the text of errno, valid until the next call.
 */
MUXBUS_API const char *muxbus_strerror(int error);

/* Returns true if an error ends the connection from which the error came. */
MUXBUS_API bool muxbus_error_is_fatal(int error);

/*
 * Allocation and log.
 *
 * Both settings are for the whole process.
 */

/*
 * Sets the allocator of the library. realloc gets (data, NULL, n) to allocate and never (data, p,
 * 0); free gets a pointer that realloc returned. Call this function before any other. NULL restores
 * the allocator of the C library.
 */
struct muxbus_allocator {
	void *(*realloc)(void *data, void *ptr, size_t size);
	void (*free)(void *data, void *ptr);
	void *data;
};
MUXBUS_API void muxbus_set_allocator(const struct muxbus_allocator *allocator);

enum muxbus_log_level {
	MUXBUS_LOG_ERROR,
	MUXBUS_LOG_WARNING,
	MUXBUS_LOG_INFO,
	MUXBUS_LOG_DEBUG,
};

/*
 * Sets the log function. Without one, the library logs nothing. text is one line without its
 * newline; bytes from tmux are made printable.
 */
typedef void muxbus_log_fn(void *data, enum muxbus_log_level level, const char *text);
MUXBUS_API void muxbus_set_log(muxbus_log_fn *log, void *data);

/*
 * Quote.
 *
 * tmux parses a command line with its own grammar, and expands formats in many arguments. Never
 * assemble a command line by hand.
 */

/* Maximum length of n quoted bytes, without a NUL. */
#define MUXBUS_QUOTED_MAX(n) (4 * (n) + 2)

/*
 * Writes bytes to out as one double-quoted tmux argument, which every tmux since 3.3 reads as the
 * same bytes. The bytes must not contain a NUL. out has room for MUXBUS_QUOTED_MAX(len). Returns
 * the length written, without adding a NUL, or MUXBUS_ERR_INVALID for a NUL. The rules are those of
 * cmd-parse.y of tmux.
 */
MUXBUS_API ssize_t muxbus_quote(char *out, const void *bytes, size_t len);

/* Maximum length of n bytes that are protected from format expansion. */
#define MUXBUS_LITERAL_MAX(n) (2 * (n))

/*
 * Writes bytes to out so that tmux's format expansion yields the same bytes: each '#' is doubled,
 * except in a run right before a '[', which tmux keeps. Use this function for data in arguments
 * that tmux expands (names, titles, directories). Returns the length written. The result must still
 * be quoted.
 */
MUXBUS_API size_t muxbus_literal(char *out, const void *bytes, size_t len);

/*
 * A format that yields "1", a true condition, if tmux has expanded all formats before it. tmux 3.7
 * and later stops expanding after 100 ms, for example if the machine was suspended. The text is
 * then cut off or parts of it are empty, and a format that compares two empty parts finds them
 * equal. Since 0.3.
 */
#define MUXBUS_FORMAT_WHOLE "#{?version,1,}"

/*
 * Writes to out, with a NUL, a format that prints a variable (such as "pane_title") as one line
 * without TAB: '%', '\', LF and TAB become percent codes. Returns the length without the NUL, or
 * MUXBUS_ERR_LIMIT if size is too small.
 */
MUXBUS_API ssize_t muxbus_field_format(char *out, size_t size, const char *variable);

/*
 * Decodes in place the text that tmux printed for muxbus_field_format(). caps are the capabilities
 * of the server, since tmux 3.4 to 3.5a encodes printed text once more. Returns the new length, or
 * MUXBUS_ERR_SYNTAX.
 */
MUXBUS_API ssize_t muxbus_field_decode(char *field, size_t len, uint32_t caps);

/*
 * Version.
 */

/* Features and bugs of tmux, by version. */
enum muxbus_cap {
	MUXBUS_CAP_PRINT_ENCODED = 1 << 0, /* 3.4 to 3.5a: printed text is encoded as by vis(3) */
	MUXBUS_CAP_HOOK_MESSAGE = 1 << 1, /* since 3.4: %message, by display-message -c */
	MUXBUS_CAP_DEAD_SIGNAL = 1 << 2, /* since 3.3: pane_dead_signal */
	MUXBUS_CAP_SWAP_NOTIFIES = 1 << 3, /* since 3.3: swap-pane sends an event */
	MUXBUS_CAP_PASTE_VIS = 1 << 4, /* since 3.7: paste-buffer needs -S to keep control bytes */
	MUXBUS_CAP_FLOATING = 1 << 5, /* since 3.7: layouts may have floating panes */
	MUXBUS_CAP_FAST_OUTPUT = 1 << 6, /* since 3.7: an output reader costs tmux little */
	MUXBUS_CAP_NO_DETACH_ON_DESTROY = 1 << 7, /* since 3.6: clients have this flag */
	MUXBUS_CAP_EXTENDED_KEYS = 1 << 8, /* since 3.5: send-keys -l may lose control bytes */
	MUXBUS_CAP_PASTE_DEAD_CRASH = 1 << 9, /* to 3.3a: pasting to a dead pane crashes tmux */
	MUXBUS_CAP_OFF_CRASH = 1 << 10, /* to 3.6b: refresh-client -A :off crashes tmux */
	MUXBUS_CAP_WINDOW_CRASH = 1 << 11, /* to 3.7c: two windows that close at once crash tmux */
	MUXBUS_CAP_SUBSCRIPTION_CRASH = 1 << 12, /* to 3.6b: refresh-client -B may crash tmux */
	MUXBUS_CAP_NAMES_ENCODED = 1 << 13, /* to 3.6b: names are stored encoded as by vis(3) */
	MUXBUS_CAP_EVENTS_SYNC = 1 << 14, /* since 3.8: events are sent without delay */
	MUXBUS_CAP_START_CRASH = 1 << 15, /* to 3.6b: an event may crash tmux while -C starts */
	MUXBUS_CAP_NEW_LAYOUTS = 1 << 16, /* since 3.8: layouts in JSON, on request */
	MUXBUS_CAP_EMOJI_JOIN = 1 << 17, /* since 3.4: skin tones and U+FE0F add no width */
};

struct muxbus_version {
	unsigned major;
	unsigned minor;
	char letter; /* 'a' in 3.3a, else 0 */
	bool is_next; /* a development version: "next-3.8" is newer than every 3.7 */
	uint32_t caps; /* a set of enum muxbus_cap */
};

/*
 * Parses `#{version}`: "3.3a", "next-3.8", "3.4-rc2", "openbsd-7.5", "master". Returns 0,
 * MUXBUS_ERR_SYNTAX if text is not a version, or MUXBUS_ERR_VERSION if tmux is older than 3.3.
 */
MUXBUS_API int muxbus_version_parse(const char *text, struct muxbus_version *ret_version);

/* Returns the name of a capability, such as "hook_message"; NULL if bit is unknown. */
MUXBUS_API const char *muxbus_cap_name(uint32_t bit);

/*
 * Parser.
 *
 * Takes the bytes of a control-mode stream, split anywhere, and calls handlers. The parser does no
 * I/O, and fails only if out of memory.
 *
 * tmux does not escape replies, so a body may contain a line that looks like the end of the reply.
 * So send a sentinel behind each command: a command that prints a secret number, the nonce. The
 * parser stores the lines from the first block to the sentinel. Each body ends at the last line
 * that can end it.
 */
struct muxbus_parser;

#define MUXBUS_NONCE_LEN 32 /* hexadecimal digits */
#define MUXBUS_LINE_MAX (64 * 1024 * 1024) /* bytes of a line or a stored reply; more is cut */

/* The events that tmux is known to send; see muxbus_event_table(). */
enum muxbus_event_kind {
	MUXBUS_EVENT_UNKNOWN, /* a % line that is unknown to this library */
	MUXBUS_EVENT_CLIENT_DETACHED,
	MUXBUS_EVENT_CLIENT_SESSION_CHANGED,
	MUXBUS_EVENT_CONFIG_ERROR,
	MUXBUS_EVENT_CONTINUE,
	MUXBUS_EVENT_EXIT,
	MUXBUS_EVENT_LAYOUT_CHANGE,
	MUXBUS_EVENT_MESSAGE,
	MUXBUS_EVENT_PANE_MODE_CHANGED,
	MUXBUS_EVENT_PASTE_BUFFER_CHANGED,
	MUXBUS_EVENT_PASTE_BUFFER_DELETED,
	MUXBUS_EVENT_PAUSE,
	MUXBUS_EVENT_SESSION_CHANGED,
	MUXBUS_EVENT_SESSION_RENAMED,
	MUXBUS_EVENT_SESSION_WINDOW_CHANGED,
	MUXBUS_EVENT_SESSIONS_CHANGED,
	MUXBUS_EVENT_SUBSCRIPTION_CHANGED,
	MUXBUS_EVENT_UNLINKED_WINDOW_ADD,
	MUXBUS_EVENT_UNLINKED_WINDOW_CLOSE,
	MUXBUS_EVENT_UNLINKED_WINDOW_RENAMED,
	MUXBUS_EVENT_WINDOW_ADD,
	MUXBUS_EVENT_WINDOW_CLOSE,
	MUXBUS_EVENT_WINDOW_PANE_CHANGED,
	MUXBUS_EVENT_WINDOW_RENAMED,
};

/* A parsed % line. Members that its kind lacks are MUXBUS_NO_ID, NULL or 0. */
struct muxbus_event {
	enum muxbus_event_kind kind;
	const char *name; /* without the %, also if unknown; NUL-terminated */
	const char *line; /* the text behind the name and a space; NUL-terminated */
	size_t line_len;
	uint32_t session;
	uint32_t window;
	uint32_t pane;
	uint32_t index; /* of the window in its session, for %subscription-changed */
	const char *client; /* name of a client; NUL-terminated */
	const char *text; /* a name, message, reason, value or buffer; NUL-terminated */
	size_t text_len;
	const char *label; /* name of a subscription; NUL-terminated */
	const char *layout; /* %layout-change; NUL-terminated, may be empty */
	const char *visible_layout;
	const char *flags;
	/*
	 * No reply was awaited on the connection, so the line cannot be text in a reply that looks
	 * like an event. False if the parser is used without a connection.
	 */
	bool is_certain;
};

/* A row of the table of known events. */
struct muxbus_event_info {
	enum muxbus_event_kind kind;
	const char *name; /* such as "window-add" */
	const char *arguments; /* one letter each: s session, w window, p pane, c client,
				  l label, i index, L layout, V visible layout, F flags,
				  : text after " : ", t text to the end */
	const char *since; /* the first tmux version that sends the event */
};

/* Returns all known events, sorted by name. The last row has the name NULL. */
MUXBUS_API const struct muxbus_event_info *muxbus_event_table(void);

/* A reply block: the lines between %begin and its %end or %error. */
struct muxbus_block {
	uint64_t time; /* seconds since 1970, from tmux */
	uint64_t number; /* tmux's running number of its commands */
	bool is_ours; /* caused by a command of this client, not by a hook */
	bool is_error; /* the block ended with %error */
	const uint8_t *body; /* lines with their newlines; a NUL follows the last byte */
	size_t body_len;
};

struct muxbus_parser_handlers {
	/*
	 * Unescaped output of a pane's program. One %output line may be split into several calls.
	 * age_ms is how long tmux held the output back (%extended-output); 0: unknown. May be NULL.
	 */
	void (*output)(
	    void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms);
	/* A line, other than output, that starts with % outside of blocks. May be NULL. */
	void (*event)(void *data, const struct muxbus_event *event);
	/* A complete block. May be NULL. */
	void (*block)(void *data, const struct muxbus_block *block);
	/*
	 * The sentinel of muxbus_parser_expect() was read, and all blocks before it were delivered.
	 * The handler may announce the next sentinel. May be NULL.
	 */
	void (*sentinel)(void *data);
	/* A line outside of blocks that does not start with %. May be NULL. */
	void (*stray)(void *data, const char *line, size_t len);
};

/* handlers is copied. */
MUXBUS_API int muxbus_parser_new(
    const struct muxbus_parser_handlers *handlers, void *data, struct muxbus_parser **ret_parser);
MUXBUS_API void muxbus_parser_free(struct muxbus_parser *parser);

/*
 * Announces the nonce (MUXBUS_NONCE_LEN digits) of the next sentinel. NULL means that no reply is
 * pending, so that blocks end at their first matching line. Call this function before writing the
 * command, and again from the sentinel handler.
 */
MUXBUS_API void muxbus_parser_expect(struct muxbus_parser *parser, const char *nonce);

/*
 * Parses len bytes. Returns 0 or MUXBUS_ERR_NOMEM, after which the parser can only be freed. Must
 * not be called from a handler.
 */
MUXBUS_API int muxbus_parser_feed(struct muxbus_parser *parser, const void *bytes, size_t len);

struct muxbus_parser_stats {
	uint64_t bytes;
	uint64_t output_bytes; /* number of unescaped bytes passed to output */
	uint64_t lines; /* number of lines of any kind */
	uint64_t unknown_events;
	uint64_t stray_lines;
	uint64_t cut_lines; /* number of lines and replies cut at MUXBUS_LINE_MAX */
};
MUXBUS_API void muxbus_parser_stats(
    const struct muxbus_parser *parser, struct muxbus_parser_stats *ret_stats);

/*
 * Decodes %output: '\' and three octal digits become one byte; other bytes are unchanged. out has
 * room for len bytes and may equal in. Returns the length written.
 */
MUXBUS_API size_t muxbus_unescape(uint8_t *out, const uint8_t *in, size_t len);

/*
 * Lines. Since 0.2.
 *
 * Splits the output of one pane, cut anywhere, into lines of plain text, for programs that search
 * it for words. Escape sequences and control characters except TAB are removed. After a carriage
 * return, new text replaces the line, so only the last state of a progress bar stays; a backspace
 * removes a character. Cursor movements are ignored; for a full-screen program use
 * muxbus_sync_capture().
 */
struct muxbus_lines;

#define MUXBUS_LINES_MAX (64 * 1024) /* maximum bytes of a line; more is cut off */

/*
 * Called with a line, without its newline. text is NUL-terminated, and may contain any bytes except
 * control characters other than TAB. is_cut: the line was longer than MUXBUS_LINES_MAX, and its end
 * was dropped. The function must not feed or free the lines.
 */
typedef void muxbus_line_fn(void *data, const char *text, size_t len, bool is_cut);

MUXBUS_API int muxbus_lines_new(muxbus_line_fn *line, void *data, struct muxbus_lines **ret_lines);
MUXBUS_API void muxbus_lines_free(struct muxbus_lines *lines);

/*
 * Reads output, and calls the function line for each line that ends in these bytes. Returns 0, or
 * MUXBUS_ERR_NOMEM if some of the bytes were lost.
 */
MUXBUS_API int muxbus_lines_feed(struct muxbus_lines *lines, const void *bytes, size_t len);

/* Returns the text behind the last complete line, such as a prompt; valid until the next call. */
MUXBUS_API const char *muxbus_lines_rest(struct muxbus_lines *lines, size_t *ret_len);

/* Call this where output is missing. Drops the incomplete line and escape sequence. */
MUXBUS_API void muxbus_lines_gap(struct muxbus_lines *lines);

/*
 * Layout.
 *
 * tmux writes layouts as "020a,80x24,0,0{40x24,0,0,1,39x24,41,0,2}", in 3.7 also with floating
 * panes. Since 3.8 it writes JSON on request, with floating panes too:
 * {"V":2,"L":{"t":"p","w":80,"h":24,"x":0,"y":0,"i":0,"I":"%1"}}.
 */
enum muxbus_cell_kind {
	MUXBUS_CELL_PANE,
	MUXBUS_CELL_COLUMNS, /* children from left to right */
	MUXBUS_CELL_ROWS, /* children from top to bottom */
};

#define MUXBUS_LAYOUT_CELLS_MAX 4096

struct muxbus_cell {
	enum muxbus_cell_kind kind;
	uint32_t pane; /* MUXBUS_NO_ID for a container, and if an old string has no ids */
	unsigned width;
	unsigned height;
	int left;
	int top;
	uint32_t parent; /* index of the parent; MUXBUS_NO_ID for the root */
	uint32_t next; /* index of the next sibling; MUXBUS_NO_ID for the last */
	uint32_t child; /* index of the first child; MUXBUS_NO_ID for a pane */
	bool is_floating; /* lies above the other panes */
};

struct muxbus_layout {
	uint16_t checksum; /* 0 for JSON, which has no checksum */
	uint32_t count; /* number of cells, at least 1; cells[0] is the root */
	struct muxbus_cell *cells; /* in the order of the string */
	uint32_t floating_count;
	uint32_t *floating; /* ids of the floating panes, the top first */
};

/*
 * Parses a layout string. Returns 0, MUXBUS_ERR_SYNTAX for an invalid string or checksum,
 * MUXBUS_ERR_LIMIT for too many cells, or MUXBUS_ERR_NOMEM. The caller frees the result.
 */
MUXBUS_API int muxbus_layout_parse(const char *text, size_t len, struct muxbus_layout **ret_layout);
MUXBUS_API void muxbus_layout_free(struct muxbus_layout *layout);

/* Returns tmux's checksum of a layout string: text is the part after the first comma. */
MUXBUS_API uint16_t muxbus_layout_checksum(const char *text, size_t len);

/*
 * Command.
 *
 * A list of tmux commands. tmux runs the list in one tick of the server, unless a command waits. If
 * a command fails, the later commands are not run. Each command has its own reply.
 */
struct muxbus_command;

#define MUXBUS_COMMAND_MAX (16 * 1024 * 1024) /* maximum bytes of the quoted text of a list */

MUXBUS_API int muxbus_command_new(struct muxbus_command **ret_command);
MUXBUS_API void muxbus_command_free(struct muxbus_command *command);

/*
 * Adds an argument to the last command of the list. The first argument is the name of the command,
 * which may have letters, digits, '-' and '_'. Other arguments may have any bytes but NUL. An error
 * is stored, and returned when the list is run.
 */
MUXBUS_API void muxbus_command_arg(struct muxbus_command *command, const void *bytes, size_t len);

/* Adds an argument that is formatted as by printf(). */
MUXBUS_API void muxbus_command_argf(struct muxbus_command *command, const char *format, ...)
    MUXBUS_PRINTF(2, 3);

/* Adds string arguments; NULL ends them. */
MUXBUS_API void muxbus_command_args(struct muxbus_command *command, ...) __attribute__((sentinel));

/* Ends the last command of the list, so that the next argument begins another one. */
MUXBUS_API void muxbus_command_next(struct muxbus_command *command);

/*
 * Sets the pane that is the default target, as $TMUX_PANE is for the program tmux. Only for lists
 * that a sync runs. MUXBUS_NO_ID: tmux chooses. Since 0.3.
 */
MUXBUS_API void muxbus_command_set_pane(struct muxbus_command *command, uint32_t pane);

struct muxbus_reply {
	int error; /* 0, or an enum muxbus_error */
	/* The text of the command's blocks, in order, without blocks of hooks; a NUL follows. */
	const uint8_t *body;
	size_t body_len;
	unsigned blocks; /* number of blocks; 0 and more than 1 are possible */
	uint64_t number; /* tmux's running number of the first block; 0: unknown */
};

/*
 * Called once for each accepted list, with one reply per command, in order. error is 0 if all
 * commands succeeded, else the first error. If the connection ends before the last reply, error and
 * all replies have the error of the connection. If this program closed the connection, that error
 * is MUXBUS_ERR_CANCELLED, or MUXBUS_ERR_CLOSED if tmux had ended the client before. Even after
 * such an error, tmux may have run the commands. The function may run other commands. It must not
 * free the connection.
 */
typedef void muxbus_reply_fn(
    void *data, int error, const struct muxbus_reply *replies, size_t count);

/*
 * Loop.
 *
 * The event loop of all connections and timers. Watch its descriptor for reading in any event loop,
 * and call muxbus_loop_dispatch() when it is readable; or attach it to libevent; or run it alone.
 */
struct muxbus_loop;
struct event_base;

MUXBUS_API int muxbus_loop_new(struct muxbus_loop **ret_loop);

/* Frees the loop. First free everything that uses the loop. */
MUXBUS_API void muxbus_loop_free(struct muxbus_loop *loop);

/* Returns the descriptor to watch for reading. The loop owns it. */
MUXBUS_API int muxbus_loop_fd(const struct muxbus_loop *loop);

/*
 * Handles ready events; waits for them up to timeout_ms (-1: forever, 0: not at all). A signal ends
 * the wait. Returns the number of handled events, or an error. One call does a bounded amount of
 * work; the descriptor stays readable while more is ready. Do not call this function from a
 * callback.
 */
MUXBUS_API int muxbus_loop_dispatch(struct muxbus_loop *loop, int timeout_ms);

/*
 * Attaches the loop to a libevent base, which must exist until the loop is freed. The base then
 * watches all descriptors itself, so muxbus_loop_fd() and muxbus_loop_dispatch() are not needed.
 * Returns 0, MUXBUS_ERR_INVALID if the loop is already attached, or another error.
 */
MUXBUS_API int muxbus_loop_attach(struct muxbus_loop *loop, struct event_base *base);

/*
 * Connection.
 *
 * One control client of a tmux server. Usually this process itself is the client, by the protocol
 * of tmux clients. So tmux notices when this process dies, and attaching does not crash tmux up to
 * 3.6b as a starting `tmux -C` can.
 */
struct muxbus_connection;

enum muxbus_way {
	MUXBUS_WAY_DIRECT, /* this process is the client, for tmux up to 3.5a */
	MUXBUS_WAY_DIRECT_3_6, /* this process is the client, for tmux 3.6 and later */
	MUXBUS_WAY_PROCESS, /* a `tmux -C` process is the client; it dies with this process */
};

enum muxbus_connection_flag {
	MUXBUS_CONNECTION_NO_OUTPUT = 1 << 0, /* attach without pane output */
};

struct muxbus_connection_options {
	const char *socket_path; /* of the tmux server; required */
	/*
	 * The binary for MUXBUS_WAY_PROCESS; if it is set, that way is used. NULL: the server's own
	 * binary, else tmux from PATH.
	 */
	const char *tmux_path;
	/*
	 * The first way to try. If the server refuses it, the next way is tried. A server before
	 * 3.6 does not refuse MUXBUS_WAY_DIRECT_3_6, but does not answer, so begin with that way
	 * only if muxbus_connection_way() has returned it. $MUXBUS_ATTACH=process forces
	 * MUXBUS_WAY_PROCESS.
	 */
	enum muxbus_way way;
	uint32_t session; /* session to attach to; MUXBUS_NO_ID: tmux chooses */
	unsigned flags; /* a set of enum muxbus_connection_flag */
	unsigned greeting_timeout_ms; /* 0: 5,000 */
	/*
	 * Timeout of each list, without the time in which tmux answers earlier lists; 0: 5,000.
	 * Each KiB of a list adds a millisecond.
	 */
	unsigned command_timeout_ms;
};

struct muxbus_connection_handlers {
	/* tmux has answered; commands now run. May be NULL. */
	void (*ready)(void *data, const struct muxbus_version *version, uint32_t session);
	/* As in struct muxbus_parser_handlers. May be NULL. */
	void (*output)(
	    void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms);
	/* May be NULL. */
	void (*event)(void *data, const struct muxbus_event *event);
	/*
	 * A block of a reply was read. The reply function is called later, after the sentinel of
	 * the reply; output may arrive in between. So this handler learns the position of a reply
	 * in the stream. Must not run commands. May be NULL.
	 */
	void (*block)(void *data);
	/*
	 * The connection has ended; all pending reply functions were called with the error. error
	 * is 0 after muxbus_connection_close(); pending lists were then answered or cancelled.
	 * Called once, as the last handler. reason is text of tmux or of the library, never NULL.
	 * The handler may free the connection. May be NULL.
	 */
	void (*closed)(void *data, int error, const char *reason);
};

/*
 * Starts the client. Commands may be run at once; they wait until the client is ready. Returns 0,
 * MUXBUS_ERR_NO_SERVER, MUXBUS_ERR_SPAWN or another error; later errors are passed to the closed
 * handler. options and handlers are copied.
 */
MUXBUS_API int muxbus_connection_open(struct muxbus_loop *loop,
    const struct muxbus_connection_options *options,
    const struct muxbus_connection_handlers *handlers, void *data,
    struct muxbus_connection **ret_connection);

/* Waits briefly for pending replies, and detaches. closed is called within about a second. */
MUXBUS_API void muxbus_connection_close(struct muxbus_connection *connection);

/* Kills the client, cancels pending lists, and frees the connection. closed is not called. */
MUXBUS_API void muxbus_connection_free(struct muxbus_connection *connection);

/*
 * Runs a list of commands, and always frees the list. If this function returns 0, reply is called
 * exactly once, else never. Lists run in order.
 */
MUXBUS_API int muxbus_connection_run(struct muxbus_connection *connection,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* Returns the pid of the client as tmux sees it: this process, or a `tmux -C` process. */
MUXBUS_API pid_t muxbus_connection_pid(const struct muxbus_connection *connection);

/* Returns the way of the attached client, or the way that is being tried. */
MUXBUS_API enum muxbus_way muxbus_connection_way(const struct muxbus_connection *connection);

MUXBUS_API void muxbus_connection_stats(
    const struct muxbus_connection *connection, struct muxbus_parser_stats *ret_stats);

/*
 * One-shot commands. Since 0.3.
 *
 * A list of commands without a connection: this process talks to the server like the program `tmux`
 * running a command. There is no control client, so that tmux counts no client as attached,
 * list-clients shows none, and no output can be mistaken for a reply. A one-shot usually takes
 * about as long as a command on a connection, and much less time than starting tmux.
 *
 * tmux has no current client for such a command, so commands that need one fail, for example
 * attach-session, or switch-client without -c. Hooks such as after-list-panes run, and
 * show-messages shows the command.
 */
struct muxbus_one_shot;

enum muxbus_one_shot_flag {
	/*
	 * The commands may read and write files by name, with the rights of this process:
	 * load-buffer, save-buffer, source-file. Only regular files, and for reading only up to
	 * MUXBUS_COMMAND_MAX bytes. Without this flag they fail with "Permission denied".
	 */
	MUXBUS_ONE_SHOT_FILES = 1 << 0,
};

struct muxbus_one_shot_options {
	const char *socket_path; /* of the tmux server; required */
	const char *tmux_path; /* as in struct muxbus_connection_options */
	/*
	 * MUXBUS_WAY_DIRECT or MUXBUS_WAY_DIRECT_3_6, from muxbus_connection_way(). The two are the
	 * same on little-endian machines. If the server has another protocol version,
	 * MUXBUS_WAY_PROCESS is used automatically: a tmux process, which ignores directory, pane
	 * and flags, and cannot run show-buffer in a list.
	 */
	enum muxbus_way way;
	/*
	 * Where new panes start and relative paths begin: an absolute path. If it does not exist or
	 * is relative, tmux uses the home directory. NULL: the session's directory, as for a
	 * control client.
	 */
	const char *directory;
	/* As $TMUX_PANE: the default target. MUXBUS_NO_ID: tmux chooses. */
	uint32_t pane;
	unsigned flags; /* a set of enum muxbus_one_shot_flag */
	unsigned timeout_ms; /* 0: 5,000; each KiB of the list adds one millisecond */
};

/*
 * Runs a list of commands, and always frees the list. If this function returns 0, reply is called
 * once, from the loop, unless muxbus_one_shot_cancel() comes first; else never. If the list got no
 * answer, reply gets the same error for all commands: MUXBUS_ERR_CLOSED (the server ended),
 * MUXBUS_ERR_TIMEOUT, MUXBUS_ERR_PROTOCOL, MUXBUS_ERR_NOMEM, or an error of starting tmux.
 * Otherwise the replies are like those of a connection: a body is the output of the command, byte
 * for byte, then the text of an error; the number is 0. Lists of up to MUXBUS_COMMAND_MAX bytes can
 * be run.
 *
 * *ret_one_shot (may be NULL) is valid until reply returns. Returns 0, MUXBUS_ERR_NO_SERVER,
 * MUXBUS_ERR_TIMEOUT (the server accepts no connection), MUXBUS_ERR_SPAWN, MUXBUS_ERR_SYSTEM with
 * errno set, MUXBUS_ERR_NOMEM, or the error of the list. options are copied.
 */
MUXBUS_API int muxbus_one_shot_run(struct muxbus_loop *loop,
    const struct muxbus_one_shot_options *options, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data, struct muxbus_one_shot **ret_one_shot);

/*
 * Returns the exit status that the program tmux would have; -1 if unknown. May be called only in
 * the reply function. The status is 1 after an error; after run-shell, the status of the shell
 * command.
 */
MUXBUS_API int muxbus_one_shot_status(const struct muxbus_one_shot *one_shot);

/*
 * Ends and frees one_shot (or NULL); reply is not called. tmux may still run the commands. Do not
 * call this in the reply function.
 */
MUXBUS_API void muxbus_one_shot_cancel(struct muxbus_one_shot *one_shot);

/*
 * Finds the socket of a tmux server as tmux does: path (-S), else the server called name (-L), else
 * $TMUX, else the server "default", under $TMUX_TMPDIR or /tmp. name and path may be NULL. Writes
 * the path with its NUL to out. Returns 0, or MUXBUS_ERR_LIMIT if size is too small.
 */
MUXBUS_API int muxbus_socket_path(char *out, size_t size, const char *name, const char *path);

/*
 * Finds the process that listens on a tmux socket, with SO_PEERCRED. Returns 0,
 * MUXBUS_ERR_NO_SERVER if no process listens, MUXBUS_ERR_TIMEOUT if the server accepts no
 * connection, or MUXBUS_ERR_SYSTEM with errno set.
 */
MUXBUS_API int muxbus_server_pid(const char *socket_path, pid_t *ret_pid);

/*
 * Model.
 *
 * The sessions, windows, panes and clients of a server, by id. Only muxbus_sync changes the model.
 * Pointers are valid until control returns to the loop. Names, titles, commands and paths are cut
 * to MUXBUS_NAME_MAX bytes of whole characters; layouts are not cut.
 */
struct muxbus_model;

#define MUXBUS_NAME_MAX 4096

struct muxbus_session {
	uint32_t id;
	const char *name; /* usually UTF-8; NUL-terminated, like all strings here */
	uint64_t created; /* seconds since 1970 */
	uint64_t activity; /* seconds since 1970, of the last use: a key, or an attach */
	uint32_t windows; /* number of links to windows */
	uint32_t attached; /* number of clients that are not control clients */
	uint32_t current_window; /* MUXBUS_NO_ID if unknown */
	uint32_t group; /* the same for all sessions of a group; MUXBUS_NO_ID: no group */
	bool destroy_unattached;
};

/* A window in a session: tmux calls it a winlink. */
struct muxbus_link {
	uint32_t session;
	uint32_t window;
	int32_t index;
	bool is_current; /* the session's current window */
	bool has_bell; /* this and the next two: alerts of the window in this session */
	bool has_activity;
	bool has_silence;
};

struct muxbus_window {
	uint32_t id;
	const char *name;
	unsigned width;
	unsigned height;
	const char *layout; /* as tmux writes it; while zoomed, the layout without zoom */
	const char *visible_layout;
	uint32_t active_pane;
	uint32_t panes; /* number of panes */
	bool is_zoomed;
	bool has_bell; /* this and the next two: alerts of the window in any session */
	bool has_activity;
	bool has_silence;
};

struct muxbus_pane {
	uint32_t id;
	uint32_t window;
	int32_t index; /* in the window, counted from pane-base-index */
	unsigned width;
	unsigned height;
	int left;
	int top;
	pid_t pid; /* of the pane's first process; 0: no process */
	const char *tty; /* such as "/dev/pts/3" */
	const char *title;
	const char *command; /* name of the foreground program */
	const char *path; /* directory of the foreground program; any bytes but NUL */
	const char *mode; /* such as "copy-mode"; "" if not in a mode */
	bool is_active; /* the active pane of its window */
	bool is_dead; /* the program has ended, and remain-on-exit keeps the pane */
	bool in_mode;
	bool alternate_screen;
	bool input_off;
	bool is_synchronized;
	bool is_piped;
	bool is_floating;
	bool mouse_any; /* the program asked for mouse events */
	bool mouse_sgr; /* mouse events in the SGR form; false without mouse_any */
	bool mouse_utf8; /* mouse events in the UTF-8 form; false without mouse_any */
	int exit_status; /* -1: unknown, still running, or ended by a signal */
	int exit_signal; /* 0: no signal, or unknown */
	uint64_t dead_time; /* seconds since 1970; 0: unknown */
	uint64_t output_offset; /* bytes of output delivered so far */
	int64_t last_output_ms; /* CLOCK_REALTIME in ms; 0: no output was seen */
};

struct muxbus_client {
	const char *name; /* such as "/dev/pts/3" or "client-1234" */
	pid_t pid;
	uint32_t session; /* MUXBUS_NO_ID: no session */
	uint64_t activity; /* seconds since 1970, of the client's last key */
	bool is_control; /* a control client, of this or another program */
	bool is_ours;
	bool is_readonly;
	bool in_prefix; /* the prefix key was the last key */
};

/*
 * Return the next object: sessions and windows by id, links by session and index, panes by window
 * and index, clients by name. previous is NULL for the first. Return NULL at the end.
 */
MUXBUS_API const struct muxbus_session *muxbus_model_next_session(
    const struct muxbus_model *model, const struct muxbus_session *previous);
MUXBUS_API const struct muxbus_window *muxbus_model_next_window(
    const struct muxbus_model *model, const struct muxbus_window *previous);
MUXBUS_API const struct muxbus_link *muxbus_model_next_link(
    const struct muxbus_model *model, const struct muxbus_link *previous);
MUXBUS_API const struct muxbus_pane *muxbus_model_next_pane(
    const struct muxbus_model *model, const struct muxbus_pane *previous);
MUXBUS_API const struct muxbus_client *muxbus_model_next_client(
    const struct muxbus_model *model, const struct muxbus_client *previous);

/*
 * Return the number of links or panes of a window. *ret_first is an array of them, sorted as above;
 * NULL if the number is 0. Links are copies: do not pass them as previous to the functions above.
 * Since 0.3.
 */
MUXBUS_API size_t muxbus_model_window_links(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_link **ret_first);
MUXBUS_API size_t muxbus_model_window_panes(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_pane **ret_first);

/* Return the object with this id, or NULL. */
MUXBUS_API const struct muxbus_session *muxbus_model_session(
    const struct muxbus_model *model, uint32_t id);
MUXBUS_API const struct muxbus_window *muxbus_model_window(
    const struct muxbus_model *model, uint32_t id);
MUXBUS_API const struct muxbus_pane *muxbus_model_pane(
    const struct muxbus_model *model, uint32_t id);

struct muxbus_model_counts {
	uint32_t sessions;
	uint32_t links;
	uint32_t windows;
	uint32_t panes;
	uint32_t clients;
};
MUXBUS_API void muxbus_model_counts(
    const struct muxbus_model *model, struct muxbus_model_counts *ret_counts);

/*
 * Sync.
 *
 * Follows one tmux server: finds it, attaches one connection to each session, keeps the model up to
 * date, and reconnects when the server restarts.
 *
 * tmux announces most changes. An event that says enough changes the model; for another event, the
 * window or session that it names is listed. So the model is usually right within 50 ms; for a
 * large server, within twice the time of a listing. A new or lost connection and an audit, for
 * example, make the sync list the whole server.
 *
 * tmux does not announce changes of title, command or path, or the death of a kept pane. These are
 * as old as the last listing of the pane, unless muxbus_sync_want_details() is used. The end of a
 * pane's process is noticed at once, since the process is watched (at most 4,096 processes, and
 * half of the descriptor limit).
 *
 * Connections do not resize windows, do not change an option (but see muxbus_sync_adopt_pane()), a
 * hook, a key or a buffer, and read only wanted output. The sync leaves a session with the option
 * destroy-unattached when the last user has left the session. Up to 256 sessions have a connection;
 * other sessions are only in the model.
 */
struct muxbus_sync;

enum muxbus_sync_state {
	MUXBUS_SYNC_IDLE, /* not started, or stopped */
	MUXBUS_SYNC_SEARCHING, /* no server that can be used has answered; the sync retries */
	MUXBUS_SYNC_LIVE, /* the sync follows a server, and the model has its objects */
};

/*
 * Changes of the model. They are reported after the model has changed: first new objects, sessions
 * first; then exits and other changes; last closed objects, sessions last. When a server is found,
 * all its objects are reported as created; when the server is lost, as closed. A window or pane
 * that existed only between two listings is reported as created and closed, without its state, if
 * an event showed its id.
 */
enum muxbus_change_kind {
	MUXBUS_CHANGE_SESSION_CREATED,
	MUXBUS_CHANGE_SESSION_CLOSED,
	MUXBUS_CHANGE_SESSION_RENAMED,
	MUXBUS_CHANGE_SESSION_WINDOW_CHANGED, /* another window is current */
	MUXBUS_CHANGE_WINDOW_CREATED,
	MUXBUS_CHANGE_WINDOW_CLOSED,
	MUXBUS_CHANGE_WINDOW_RENAMED,
	MUXBUS_CHANGE_WINDOW_LINKED, /* a link was added, or has another index */
	MUXBUS_CHANGE_WINDOW_UNLINKED, /* a link was removed; the window may still exist */
	MUXBUS_CHANGE_LAYOUT_CHANGED, /* sizes or places of panes, or zoom */
	MUXBUS_CHANGE_WINDOW_ALERT, /* bell, activity or silence was set */
	MUXBUS_CHANGE_PANE_CREATED,
	MUXBUS_CHANGE_PANE_CLOSED, /* the pane was removed */
	MUXBUS_CHANGE_PANE_EXITED, /* the program has ended; at most once per process */
	MUXBUS_CHANGE_PANE_RESPAWNED, /* another process runs in the pane */
	MUXBUS_CHANGE_PANE_MOVED, /* to another window or index */
	MUXBUS_CHANGE_ACTIVE_PANE_CHANGED, /* another pane of a window is active */
	MUXBUS_CHANGE_TITLE_CHANGED,
	MUXBUS_CHANGE_COMMAND_CHANGED,
	MUXBUS_CHANGE_PATH_CHANGED,
	MUXBUS_CHANGE_MODE_CHANGED,
	MUXBUS_CHANGE_CLIENT_ATTACHED,
	MUXBUS_CHANGE_CLIENT_DETACHED,
	MUXBUS_CHANGE_COUNT_, /* the number of kinds */
};

struct muxbus_change {
	enum muxbus_change_kind kind;
	uint32_t session; /* this id and the next two: MUXBUS_NO_ID if the change concerns none */
	uint32_t window;
	uint32_t pane;
	/* The state after the change; NULL if unknown, and for an object that has closed. */
	const struct muxbus_session *session_now;
	const struct muxbus_window *window_now;
	const struct muxbus_pane *pane_now;
	const struct muxbus_link *link_now;
	const struct muxbus_client *client_now; /* after ..._CLIENT_DETACHED: the last state */
	const char *previous; /* the old name, title, command, path or mode; else NULL */
	uint32_t previous_window; /* PANE_MOVED, SESSION_WINDOW_CHANGED: the old window */
	uint32_t previous_pane; /* ACTIVE_PANE_CHANGED: the old pane */
	int exit_status; /* PANE_EXITED: -1 if unknown */
	int exit_signal; /* PANE_EXITED: 0 if no signal, or unknown */
};

/* Returns the name of a kind for users, such as "pane_created". Never NULL. */
MUXBUS_API const char *muxbus_change_name(enum muxbus_change_kind kind);

struct muxbus_sync_options {
	const char *socket_path; /* of the tmux server; required */
	const char *tmux_path; /* as in struct muxbus_connection_options */
	enum muxbus_way way; /* first way to try with each server; as for a connection */
	bool all_output; /* follow the output of every pane from the start */
	unsigned command_timeout_ms; /* 0: 5,000 */
};

struct muxbus_sync_handlers {
	/*
	 * The state, or the reason for SEARCHING, has changed (not by a start or stop). Called
	 * before the changes of the model that the new state brings; the model and
	 * muxbus_sync_run() already have the new state. reason is never NULL; error is 0 for LIVE.
	 */
	void (*state)(void *data, enum muxbus_sync_state state, int error, const char *reason);
	/* The model has changed. */
	void (*change)(void *data, const struct muxbus_change *change);
	/*
	 * Wanted output of a pane; each byte is delivered once. The pane's output_offset already
	 * includes these bytes: they are [output_offset - len, output_offset).
	 */
	void (*output)(void *data, uint32_t pane, const uint8_t *bytes, size_t len);
	/*
	 * Bytes of a pane are missing before its output_offset. reason is "not_watched" (the output
	 * was not wanted before), "reconnect" (the connection has ended, or the output now comes
	 * over another session's connection), "source_changed" (see muxbus_sync_own_output()),
	 * "capture" (see muxbus_sync_capture()) or "overflow" (more than 256 KiB had to be
	 * buffered). With all_output, a new pane of a connected session usually has no gap.
	 */
	void (*gap)(void *data, uint32_t pane, uint64_t offset, const char *reason);
	/* Each event of the primary connection, including unknown kinds. May be NULL. */
	void (*event)(void *data, const struct muxbus_event *event);
};

/* Creates a sync, which does nothing before muxbus_sync_start(). Copies options and handlers. */
MUXBUS_API int muxbus_sync_new(struct muxbus_loop *loop, const struct muxbus_sync_options *options,
    const struct muxbus_sync_handlers *handlers, void *data, struct muxbus_sync **ret_sync);

/*
 * Starts to follow the server, and reconnects whenever the server restarts. Returns 0, or
 * MUXBUS_ERR_UNAVAILABLE while muxbus_sync_stop() has not yet called done.
 */
MUXBUS_API int muxbus_sync_start(struct muxbus_sync *sync);

/*
 * Detaches from the server and does not reconnect. The model is empty from now on. done is called
 * within about a second, when all connections have ended and all waiting commands and reads were
 * answered, maybe with MUXBUS_ERR_CANCELLED. done may free the sync or start it again. A sync that
 * starts again keeps the setting of muxbus_sync_set_attached() and the subscriptions to all output
 * and to details. A second call replaces done. If done is NULL, all this happens before the
 * function returns; callbacks of the sync must not pass NULL.
 */
MUXBUS_API void muxbus_sync_stop(struct muxbus_sync *sync, void (*done)(void *data), void *data);

/*
 * Detaches, or attaches again; also before muxbus_sync_start(). A detached sync has no connection,
 * so that tmux has no client of this process. Commands, listings and captures run as one-shots. A
 * detached sync stays LIVE, and notices the end of the server at once. But it gets no output and no
 * events from tmux, so that the model is as old as the last listing. muxbus_sync_refresh() then
 * lists the server again, and reports the changes.
 *
 * done is called once when an attaching sync has its connections and has listed the server after
 * that, or when no session may be attached to. done is not called if the sync is detached or
 * stopped, or loses its server, before; another call replaces done. done may be NULL. Since 0.3.
 */
MUXBUS_API void muxbus_sync_set_attached(
    struct muxbus_sync *sync, bool is_attached, void (*done)(void *data), void *data);

/* Stops the sync like muxbus_sync_stop() with NULL, and frees it. */
MUXBUS_API void muxbus_sync_free(struct muxbus_sync *sync);

MUXBUS_API enum muxbus_sync_state muxbus_sync_state(const struct muxbus_sync *sync);

/* Returns the model: never NULL, and empty unless the state is LIVE. */
MUXBUS_API const struct muxbus_model *muxbus_sync_model(const struct muxbus_sync *sync);

/* Data of the server, valid while LIVE, and counters. */
struct muxbus_sync_info {
	struct muxbus_version version;
	const char *version_text; /* as tmux prints it */
	const char *socket_path;
	pid_t pid; /* of the tmux server */
	unsigned connections;
	unsigned output_connections; /* number of connections with output */
	unsigned process_connections; /* number of connections with a `tmux -C` process */
	enum muxbus_way way; /* the last way that worked with this server */
	uint64_t lists; /* how often the whole server was listed */
	uint64_t part_lists; /* how often parts of the server were listed */
	uint64_t audits;
	uint64_t drift; /* number of differences that audits have found */
	uint64_t output_bytes;
	uint64_t reconnects;
};
MUXBUS_API void muxbus_sync_info(const struct muxbus_sync *sync, struct muxbus_sync_info *ret_info);

/*
 * Runs a list of commands on the server and frees the list, like muxbus_connection_run(). Returns
 * 0, MUXBUS_ERR_UNAVAILABLE if the state is not LIVE, or another error. With read_back, the server
 * is listed before reply is called, so that the model includes the effect of the commands, unless
 * the listing fails.
 */
MUXBUS_API int muxbus_sync_run(struct muxbus_sync *sync, struct muxbus_command *command,
    bool read_back, muxbus_reply_fn *reply, void *data);

/* Like muxbus_sync_run() with read_back, but for commands that change only this window. */
MUXBUS_API int muxbus_sync_run_in_window(struct muxbus_sync *sync, struct muxbus_command *command,
    uint32_t window, muxbus_reply_fn *reply, void *data);

/* Bits of the parts of a model that can be refreshed separately. */
enum muxbus_part {
	MUXBUS_PART_PANES = 1 << 0, /* with title, command, path and is_dead */
	MUXBUS_PART_SESSIONS = 1 << 1, /* with links, indexes and alerts */
	MUXBUS_PART_CLIENTS = 1 << 2,
	/*
	 * Indexes of panes and windows. With it, max_age_ms counts as 0 for all parts. Since 0.3.
	 */
	MUXBUS_PART_INDEXES = 1 << 3,
	MUXBUS_PART_ALL = MUXBUS_PART_PANES | MUXBUS_PART_SESSIONS | MUXBUS_PART_CLIENTS,
};

/*
 * Calls done (may be NULL) from the loop when these parts of the model are at most max_age_ms old,
 * including what tmux does not announce, or with an error. If max_age_ms is 0, the server is asked
 * after this call. Callers that wait at the same time share one answer. If tmux has run nothing
 * since the last listing, a refresh usually costs one empty command. Returns 0; or an error, for
 * example if the state is not LIVE, and then done is not called.
 */
typedef void muxbus_done_fn(void *data, int error);
MUXBUS_API int muxbus_sync_refresh(struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms,
    muxbus_done_fn *done, void *data);

/*
 * Like muxbus_sync_refresh() with max_age_ms 0, for one window with its panes, and for other parts,
 * which may be 0. The window may be missing in the model.
 */
MUXBUS_API int muxbus_sync_refresh_window(
    struct muxbus_sync *sync, uint32_t window, unsigned parts, muxbus_done_fn *done, void *data);

/* Returns true if these parts are at most max_age_ms old, so that no refresh is needed. */
MUXBUS_API bool muxbus_sync_is_fresh(
    const struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms);

/* Returns true if a pane, its window and its links are at most max_age_ms old. Since 0.3. */
MUXBUS_API bool muxbus_sync_pane_is_fresh(
    const struct muxbus_sync *sync, uint32_t pane, unsigned max_age_ms);

/*
 * Compares the model with a new listing and corrects it. Fields that tmux does not announce,
 * changes that tmux announces meanwhile, and changes of sessions that lost their connection
 * meanwhile are not counted; if the server changes all the time, count is 0. difference is a
 * readable line about the first difference; NULL if count is 0.
 */
typedef void muxbus_audit_fn(void *data, int error, unsigned count, const char *difference);
MUXBUS_API int muxbus_sync_audit(struct muxbus_sync *sync, muxbus_audit_fn *done, void *data);

/*
 * Subscribes to the output of a pane, or unsubscribes. Calls are counted: each true needs a false;
 * closing a pane ends its subscriptions. Returns 0, or MUXBUS_ERR_NOT_FOUND if the pane does not
 * exist or, for false, has no subscription. Without a subscription, the pane is paused on its
 * connection, or the whole session is attached without output, which costs tmux nothing.
 */
MUXBUS_API int muxbus_sync_want_output(struct muxbus_sync *sync, uint32_t pane, bool is_wanted);

/*
 * Whether subscribers get the output of a pane. Flowing output is complete: what the pane writes
 * after the call is delivered, or a gap is reported instead.
 */
enum muxbus_output {
	MUXBUS_OUTPUT_NONE, /* no subscriber, no such pane, or no connection to its sessions */
	MUXBUS_OUTPUT_COMING, /* output will begin later, with a gap */
	MUXBUS_OUTPUT_FLOWING,
};
MUXBUS_API enum muxbus_output muxbus_sync_output(const struct muxbus_sync *sync, uint32_t pane);

/*
 * Tells the sync that the caller itself reads the output of a pane, for example with pipe-pane.
 * COMING: the caller will soon read. FLOWING: the caller reads from now on; a gap is reported.
 * NONE: the caller no longer reads. Until NONE or the end of the pane, no connection delivers the
 * pane's output. Returns 0, or MUXBUS_ERR_NOT_FOUND if the pane does not exist. Since 0.3.
 */
MUXBUS_API int muxbus_sync_own_output(
    struct muxbus_sync *sync, uint32_t pane, enum muxbus_output output);

/*
 * Counts bytes of a pane that the caller itself has read, and passes them to the handler output.
 * Returns 0, or MUXBUS_ERR_NOT_FOUND if the pane does not exist, or if the last
 * muxbus_sync_own_output() did not say FLOWING. Since 0.3.
 */
MUXBUS_API int muxbus_sync_add_output(
    struct muxbus_sync *sync, uint32_t pane, const uint8_t *bytes, size_t len);

/*
 * Subscribes to the output of every pane, including future panes, or unsubscribes. The output of a
 * pane that is created later, in a session with a connection, is usually delivered from its first
 * byte. Calls are counted. Subscriptions to single panes are not affected.
 */
MUXBUS_API void muxbus_sync_want_all_output(struct muxbus_sync *sync, bool is_wanted);

/*
 * Subscribes to changes that tmux does not announce (title, command, path, death), or unsubscribes.
 * Calls are counted. The server is then asked every second or, with more than 100 panes, every 10
 * ms times their number. That usually costs one empty command if tmux has run nothing since. With
 * more than 100 panes, command and path of a program that does not use its terminal are read only
 * every 30 s; a refresh does not wait for this.
 */
MUXBUS_API void muxbus_sync_want_details(struct muxbus_sync *sync, bool is_wanted);

/*
 * Controls the end of a pane, by its option remain-on-exit. When the program exits, the pane is
 * kept until PANE_EXITED was reported, then closed unless keep is true. Returns 0,
 * MUXBUS_ERR_UNAVAILABLE if no commands can be run now, MUXBUS_ERR_NOT_FOUND if the pane does not
 * exist, or another error.
 */
MUXBUS_API int muxbus_sync_adopt_pane(struct muxbus_sync *sync, uint32_t pane, bool keep);

enum muxbus_capture_flag {
	MUXBUS_CAPTURE_ESCAPES = 1 << 0, /* include colours and attributes as escape sequences */
	MUXBUS_CAPTURE_JOIN = 1 << 1, /* join wrapped lines, keep trailing blanks */
	MUXBUS_CAPTURE_ALTERNATE = 1 << 2, /* the screen behind the alternate screen */
	MUXBUS_CAPTURE_BLANKS = 1 << 3, /* keep trailing blanks, which may have colours */
};

/* The captured text of a pane, and its offset in the pane's output. */
struct muxbus_capture {
	uint32_t pane;
	const uint8_t *text; /* lines with their newlines */
	size_t text_len;
	unsigned rows; /* size of the pane */
	unsigned columns;
	unsigned cursor_row; /* counted from 0 */
	unsigned cursor_column;
	bool cursor_visible;
	uint32_t history_size; /* number of lines above the screen */
	bool alternate_screen;
	/*
	 * The number of bytes of output that the capture includes; later output is not included.
	 * Exact while the pane's output is wanted: see muxbus_sync_want_output(). If the caller
	 * itself reads the output (muxbus_sync_own_output()), the capture may include bytes behind
	 * the offset too.
	 */
	uint64_t offset;
};
typedef void muxbus_capture_fn(void *data, int error, const struct muxbus_capture *capture);

/*
 * Captures a pane: `history` lines above the screen (at most 10,000), and the screen.
 *
 * If other panes of the session produce much output, tmux may write later output before the
 * capture. The capture is then repeated until its offset is certain. After a quarter of a second,
 * or 100 tries, the pane is paused for the capture instead, and the missed bytes are reported as a
 * gap ("capture") before offset.
 *
 * Output that follows the capture is delivered after done was called. Returns 0; or an error, for
 * example MUXBUS_ERR_LIMIT for more than 1,000 captures at a time, and then done is not called.
 */
MUXBUS_API int muxbus_sync_capture(struct muxbus_sync *sync, uint32_t pane, uint32_t history,
    unsigned flags, muxbus_capture_fn *done, void *data);

#ifdef __cplusplus
}
#endif
#endif
