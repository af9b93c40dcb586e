/* SPDX-License-Identifier: ISC */
/*
 * libmuxbus: a tmux control-mode client library.
 *
 * The pieces, from the bytes up. Each can be used without the one above it.
 *
 *   quote        any byte string to a tmux argument and back; format fields
 *   parser       bytes from `tmux -C` in; output, events and reply blocks out
 *   lines        the output of a pane as lines of plain text
 *   layout       the layout strings of windows
 *   command      a list of tmux commands, built argument by argument
 *   loop         one file descriptor and one dispatch function for everything below
 *   connection   one `tmux -C` process: commands go down, replies and events come up
 *   one_shot     a list of commands without a connection
 *   model        the sessions, windows, panes and clients of a server, by id
 *   sync         keeps a model true, with one connection per session
 *
 * Rules that hold everywhere:
 *
 *   - Functions that can fail return 0 or a positive count for success and a
 *     negative enum muxbus_error otherwise. Results come back through ret_...
 *     parameters, which are written only on success.
 *   - Out of memory is an error like another: MUXBUS_ERR_NOMEM.
 *   - ..._free() accepts NULL. Nothing may be freed from inside one of its own
 *     callbacks unless the callback's comment allows it. The functions that are called once,
 *     for an answer, and the handlers of connections and syncs may be NULL.
 *   - Pointers handed to a callback are lent until it returns. Keep ids, not pointers.
 *   - Ids are the numbers that tmux prints: pane %3 is 3, window @7 is 7, session $1
 *     is 1. tmux never uses one twice in the life of a server.
 *   - Nothing here is thread-safe, and nothing needs to be: one loop, one thread. Two threads
 *     may each have a loop, and the objects on it; allocator and log are set before they start.
 *   - A child of fork() leaves all objects to its parent, also their ..._free(): it would change
 *     them for both. exec() closes its copies of their descriptors.
 *   - Byte strings come from untrusted programs. They are bytes, not text, unless a
 *     comment says that they are UTF-8.
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
 * The version of the library that a program is compiled with: a semantic version. Before 1.0 a new
 * minor version may remove or change interfaces; contrib/CHANGES.library lists them. Since 0.2.
 */
#define MUXBUS_VERSION_MAJOR 0
#define MUXBUS_VERSION_MINOR 3
#define MUXBUS_VERSION_PATCH 0

/* A version as one number: #if MUXBUS_VERSION >= MUXBUS_VERSION_NUMBER(0, 2, 0) */
#define MUXBUS_VERSION_NUMBER(major, minor, patch) ((major)*0x10000 + (minor)*0x100 + (patch))
#define MUXBUS_VERSION \
	MUXBUS_VERSION_NUMBER(MUXBUS_VERSION_MAJOR, MUXBUS_VERSION_MINOR, MUXBUS_VERSION_PATCH)

/* The version of the library that the program runs with, as MUXBUS_VERSION. Since 0.2. */
MUXBUS_API unsigned muxbus_version(void);

/* An id that stands for "none". */
#define MUXBUS_NO_ID UINT32_MAX

/*
 * Errors.
 *
 * There are three kinds of errors. Above MUXBUS_ERR_FATAL one call or one command failed
 * and the connection continues. MUXBUS_ERR_COMMAND is a refusal by tmux; the reply holds
 * its text. At MUXBUS_ERR_FATAL and below the connection has ended and can only be freed.
 */
enum muxbus_error {
	MUXBUS_OK = 0,
	MUXBUS_ERR_NOMEM = -1, /* out of memory */
	MUXBUS_ERR_INVALID = -2, /* an argument cannot be used, such as a NUL in a string */
	MUXBUS_ERR_SYNTAX = -3, /* invalid layout, field or version text */
	MUXBUS_ERR_LIMIT = -4, /* more than a stated maximum */
	MUXBUS_ERR_NOT_FOUND = -5, /* no such pane, window, session or client */
	MUXBUS_ERR_COMMAND = -6, /* tmux answered %error; the reply's body says why */
	MUXBUS_ERR_SKIPPED = -7, /* not run, because a command before it in its list failed */
	MUXBUS_ERR_CANCELLED = -8, /* the connection was closed or freed first */
	MUXBUS_ERR_UNAVAILABLE = -9, /* no server is connected; try later */
	MUXBUS_ERR_GONE = -10, /* the pane, window or session closed meanwhile */

	MUXBUS_ERR_FATAL = -100, /* not an error itself: the floor */
	MUXBUS_ERR_SYSTEM = -101, /* a system call failed; errno says why */
	MUXBUS_ERR_NO_SERVER = -102, /* no server listens at the tmux socket */
	MUXBUS_ERR_NO_SESSION = -103, /* the server has no session, or not that one */
	MUXBUS_ERR_CLOSED = -104, /* tmux ended the connection (%exit or end of file) */
	MUXBUS_ERR_TIMEOUT = -105, /* tmux did not answer within the deadline */
	MUXBUS_ERR_VERSION = -106, /* tmux is older than 3.3, or is not tmux */
	MUXBUS_ERR_SPAWN = -107, /* tmux cannot be executed; errno says why */
	MUXBUS_ERR_PROTOCOL = -108, /* the stream cannot be from a control client */
};

/*
 * Returns the error in English, without a newline, never NULL. That of MUXBUS_ERR_SYSTEM is
 * errno's.
 */
MUXBUS_API const char *muxbus_strerror(int error);

/* Whether an error ends the connection that it came from. */
MUXBUS_API bool muxbus_error_is_fatal(int error);

/*
 * Allocation and log.
 *
 * Both are for the whole process, since the library holds no other global state.
 */

/*
 * Installs the allocator of the library. realloc gets (data, NULL, n) to allocate and
 * never (data, p, 0); free gets a pointer that realloc returned. Call this function
 * before any other. NULL restores the allocator of the C library.
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
 * Installs the log function. Without one the library logs nothing. The text is one line
 * without its newline; bytes from tmux are made printable.
 */
typedef void muxbus_log_fn(void *data, enum muxbus_log_level level, const char *text);
MUXBUS_API void muxbus_set_log(muxbus_log_fn *log, void *data);

/*
 * Quote.
 *
 * tmux reads a command line with its own grammar and expands formats in many
 * arguments. Never assemble a command line by hand.
 */

/* The longest quoted form of n bytes, without a terminating NUL. */
#define MUXBUS_QUOTED_MAX(n) (4 * (n) + 2)

/*
 * Writes bytes to out as one double-quoted tmux argument, any value but NUL, in a
 * form that every tmux since 3.3 reads back to the same bytes. out has room for
 * MUXBUS_QUOTED_MAX(len). Returns the length written (no NUL is added), or
 * MUXBUS_ERR_INVALID for a NUL. Source: cmd-parse.y; control-mode measurements.
 */
MUXBUS_API ssize_t muxbus_quote(char *out, const void *bytes, size_t len);

/* The longest form of n bytes that are protected from format expansion. */
#define MUXBUS_LITERAL_MAX(n) (2 * (n))

/*
 * Writes bytes to out so that tmux's format expansion gives the same bytes again: each '#' is
 * doubled, except right before a '[', where tmux keeps it. Use it for data in arguments that tmux
 * expands (names, titles, directories). Returns the length written. Quote the result as usual.
 */
MUXBUS_API size_t muxbus_literal(char *out, const void *bytes, size_t len);

/*
 * A format that is "1", and true as a condition, if tmux has expanded all before it. Since 3.7 tmux
 * gives a format up after 100 ms, as when the machine stops tmux for so long: the text is then cut
 * off, or parts of it are empty, and two empty texts compare as equal. Since 0.3.
 */
#define MUXBUS_FORMAT_WHOLE "#{?version,1,}"

/*
 * Writes to out, with its NUL, the format that prints a variable (such as "pane_title") as one
 * printable line without TAB: '%', '\', LF and TAB come as percent codes. Returns the length
 * without the NUL, or MUXBUS_ERR_LIMIT if it does not fit in size.
 */
MUXBUS_API ssize_t muxbus_field_format(char *out, size_t size, const char *variable);

/*
 * Decodes in place the text that tmux printed for muxbus_field_format(). caps are the
 * capabilities of the server: 3.4 to 3.5a encode printed text once more. Returns the new
 * length, or MUXBUS_ERR_SYNTAX.
 */
MUXBUS_API ssize_t muxbus_field_decode(char *field, size_t len, uint32_t caps);

/*
 * Version.
 *
 */

/* Features and bugs of tmux by version. */
enum muxbus_cap {
	MUXBUS_CAP_PRINT_ENCODED = 1 << 0, /* 3.4 to 3.5a: printed text is vis-encoded */
	MUXBUS_CAP_HOOK_MESSAGE = 1 << 1, /* since 3.4: display-message -c reaches a client */
	MUXBUS_CAP_DEAD_SIGNAL = 1 << 2, /* since 3.3: pane_dead_signal */
	MUXBUS_CAP_SWAP_NOTIFIES = 1 << 3, /* since 3.3: swap-pane sends an event */
	MUXBUS_CAP_PASTE_VIS = 1 << 4, /* since 3.7: paste-buffer filters unless -S */
	MUXBUS_CAP_FLOATING = 1 << 5, /* since 3.7: floating panes in layouts */
	MUXBUS_CAP_FAST_OUTPUT = 1 << 6, /* since 3.7: an output reader costs tmux little */
	MUXBUS_CAP_NO_DETACH_ON_DESTROY = 1 << 7, /* since 3.6 */
	MUXBUS_CAP_EXTENDED_KEYS = 1 << 8, /* since 3.5: C0 by -l is lost under modifyOtherKeys */
	MUXBUS_CAP_PASTE_DEAD_CRASH = 1 << 9, /* to 3.3a: pasting to a dead pane kills tmux */
	MUXBUS_CAP_OFF_CRASH = 1 << 10, /* to 3.6b: refresh-client -A :off kills tmux */
	MUXBUS_CAP_WINDOW_CRASH = 1 << 11, /* to 3.7c: current and last window dying together */
	MUXBUS_CAP_SUBSCRIPTION_CRASH = 1 << 12, /* to 3.6b: -B, slow reader, session killed */
	MUXBUS_CAP_NAMES_ENCODED = 1 << 13, /* to 3.6b: names are stored vis-encoded */
	MUXBUS_CAP_EVENTS_SYNC = 1 << 14, /* since 3.8: notifications come at once */
	MUXBUS_CAP_START_CRASH = 1 << 15, /* to 3.6b: an event while `tmux -C` starts kills tmux */
	MUXBUS_CAP_NEW_LAYOUTS = 1 << 16, /* since 3.8: layouts in JSON, on request */
	MUXBUS_CAP_EMOJI_JOIN = 1 << 17, /* since 3.4: skin tones and U+FE0F widen no text */
};

struct muxbus_version {
	unsigned major;
	unsigned minor;
	char letter; /* 'a' in 3.3a, 0 if there is none */
	bool is_next; /* "next-3.8": newer than all of 3.7 */
	uint32_t caps; /* enum muxbus_cap, joined by | */
};

/*
 * Reads the output of `#{version}`: "3.3a", "next-3.8", "3.4-rc2", "openbsd-7.5", "master". Returns
 * MUXBUS_ERR_SYNTAX if text is not a version, MUXBUS_ERR_VERSION if the version is older than 3.3.
 */
MUXBUS_API int muxbus_version_parse(const char *text, struct muxbus_version *ret_version);

/* The name of a capability, such as "hook_message", or NULL if bit is unknown. */
MUXBUS_API const char *muxbus_cap_name(uint32_t bit);

/*
 * Parser.
 *
 * Takes the bytes of a control-mode stream, split anywhere, and calls handlers. The parser
 * does no I/O, trusts no line inside a block, and fails only when out of memory.
 *
 * tmux does not escape replies, so a body may hold a line that looks like its own end.
 * So each reply is followed by a sentinel command that prints a secret number, the nonce.
 * The parser buffers the lines between the first block and the sentinel; each body ends at
 * the last line that can end it.
 */
struct muxbus_parser;

#define MUXBUS_NONCE_LEN 32 /* hexadecimal digits */
#define MUXBUS_LINE_MAX (64 * 1024 * 1024) /* a line or a held reply; more is cut */

/* The events that tmux is known to send; see muxbus_event_table(). */
enum muxbus_event_kind {
	MUXBUS_EVENT_UNKNOWN, /* a % line that this library does not know */
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

/* A parsed % line. Members that its kind does not have are MUXBUS_NO_ID, NULL or 0. */
struct muxbus_event {
	enum muxbus_event_kind kind;
	const char *name; /* without the %, also of unknown ones; NUL-terminated */
	const char *line; /* everything after the name and its space; NUL-terminated */
	size_t line_len;
	uint32_t session;
	uint32_t window;
	uint32_t pane;
	uint32_t index; /* of the window in the session: %subscription-changed */
	const char *client; /* a client's name; NUL-terminated */
	const char *text; /* name, message, reason, value or buffer; NUL-terminated */
	size_t text_len;
	const char *label; /* the name of a subscription; NUL-terminated */
	const char *layout; /* %layout-change; NUL-terminated, may be empty */
	const char *visible_layout;
	const char *flags;
	/*
	 * No reply was awaited on the connection, so this is no text of a reply that looks like an
	 * event. Always false from a parser alone.
	 */
	bool is_certain;
};

/* One row of the table of known events. */
struct muxbus_event_info {
	enum muxbus_event_kind kind;
	const char *name; /* "window-add" */
	const char *arguments; /* one letter each: s session, w window, p pane, c client,
				  l label, i index, L layout, V visible layout, F flags,
				  : text after " : ", t text to the end */
	const char *since; /* the first tmux version that sends it */
};

/* All known events, sorted by name. The last row has the name NULL. */
MUXBUS_API const struct muxbus_event_info *muxbus_event_table(void);

/* A reply block: the lines between %begin and its %end or %error. */
struct muxbus_block {
	uint64_t time; /* seconds since 1970, as tmux says */
	uint64_t number; /* tmux's own running number */
	bool is_ours; /* caused by a command of this client, not by a hook */
	bool is_error; /* ended by %error */
	const uint8_t *body; /* each line with its newline; NUL after the last byte */
	size_t body_len;
};

struct muxbus_parser_handlers {
	/*
	 * Unescaped output of a pane's program. One %output line may come in several
	 * pieces. age_ms is how long tmux held the output back (%extended-output), 0 if
	 * tmux did not say. May be NULL: output is then skipped.
	 */
	void (*output)(
	    void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms);
	/* A line that starts with % outside of blocks. May be NULL. */
	void (*event)(void *data, const struct muxbus_event *event);
	/* A whole block. May be NULL. */
	void (*block)(void *data, const struct muxbus_block *block);
	/*
	 * The sentinel that muxbus_parser_expect() announced was read, and all blocks before it
	 * were delivered. The handler may announce the next sentinel. May be NULL.
	 */
	void (*sentinel)(void *data);
	/* A line outside of blocks that does not start with %. May be NULL. */
	void (*stray)(void *data, const char *line, size_t len);
};

/* Makes a parser. handlers is copied. */
MUXBUS_API int muxbus_parser_new(
    const struct muxbus_parser_handlers *handlers, void *data, struct muxbus_parser **ret_parser);
MUXBUS_API void muxbus_parser_free(struct muxbus_parser *parser);

/*
 * Announces the nonce (MUXBUS_NONCE_LEN digits) of the next sentinel. NULL means that no
 * reply is pending: blocks then end at their first matching line. Call it before writing
 * the command, and again from the sentinel handler.
 */
MUXBUS_API void muxbus_parser_expect(struct muxbus_parser *parser, const char *nonce);

/*
 * Reads len bytes. Returns 0 or MUXBUS_ERR_NOMEM, after which the parser can only be
 * freed. Must not be called from a handler.
 */
MUXBUS_API int muxbus_parser_feed(struct muxbus_parser *parser, const void *bytes, size_t len);

struct muxbus_parser_stats {
	uint64_t bytes; /* read */
	uint64_t output_bytes; /* passed to output, unescaped */
	uint64_t lines; /* of any kind */
	uint64_t unknown_events;
	uint64_t stray_lines;
	uint64_t cut_lines; /* longer than MUXBUS_LINE_MAX */
};
MUXBUS_API void muxbus_parser_stats(
    const struct muxbus_parser *parser, struct muxbus_parser_stats *ret_stats);

/*
 * Decodes %output: '\' and three octal digits are one byte, all other bytes are literal.
 * out has room for len bytes and may equal in. Returns the length written.
 */
MUXBUS_API size_t muxbus_unescape(uint8_t *out, const uint8_t *in, size_t len);

/*
 * Lines. Since 0.2.
 *
 * Cuts the output of one pane, split anywhere, into lines of plain text, for programs that look for
 * words in it. Escape sequences and control characters other than TAB are removed. A carriage
 * return begins the line again, so of a progress bar only the last state stays; a backspace
 * removes a character. Cursor movements are ignored: muxbus_sync_capture() shows a full screen.
 */
struct muxbus_lines;

#define MUXBUS_LINES_MAX (64 * 1024) /* bytes of a line; more is cut off */

/*
 * A line, without its end. text is NUL-terminated, but may hold any bytes but controls. is_cut: the
 * line was longer. Must not feed or free the lines.
 */
typedef void muxbus_line_fn(void *data, const char *text, size_t len, bool is_cut);

MUXBUS_API int muxbus_lines_new(muxbus_line_fn *line, void *data, struct muxbus_lines **ret_lines);
MUXBUS_API void muxbus_lines_free(struct muxbus_lines *lines);

/*
 * Reads output and calls line for each line that it ends. Returns 0, or MUXBUS_ERR_NOMEM: some of
 * the bytes are lost.
 */
MUXBUS_API int muxbus_lines_feed(struct muxbus_lines *lines, const void *bytes, size_t len);

/* The text behind the last line, such as a prompt; lent until the next call. */
MUXBUS_API const char *muxbus_lines_rest(struct muxbus_lines *lines, size_t *ret_len);

/* Output is missing here: forgets the text and the escape sequence under way. */
MUXBUS_API void muxbus_lines_gap(struct muxbus_lines *lines);

/*
 * Layout.
 *
 * "020a,80x24,0,0{40x24,0,0,1,39x24,41,0,2}", with floating panes in 3.7; since 3.8 JSON,
 * which has them too: {"V":2,"L":{"t":"p","w":80,"h":24,"x":0,"y":0,"i":0,"I":"%1"}}.
 */
enum muxbus_cell_kind {
	MUXBUS_CELL_PANE,
	MUXBUS_CELL_COLUMNS, /* children from left to right */
	MUXBUS_CELL_ROWS, /* children from top to bottom */
};

/* The most cells a layout may have. */
#define MUXBUS_LAYOUT_CELLS_MAX 4096

struct muxbus_cell {
	enum muxbus_cell_kind kind;
	uint32_t pane; /* MUXBUS_NO_ID unless a pane; also for old strings without ids */
	unsigned width;
	unsigned height;
	int left;
	int top;
	uint32_t parent; /* index of the parent, MUXBUS_NO_ID for the root */
	uint32_t next; /* index of the next sibling, MUXBUS_NO_ID for the last */
	uint32_t child; /* index of the first child, MUXBUS_NO_ID for a pane */
	bool is_floating; /* lies above the others */
};

struct muxbus_layout {
	uint16_t checksum; /* 0 in JSON, which has none */
	uint32_t count; /* of cells, at least 1; cells[0] is the root */
	struct muxbus_cell *cells; /* in the order of the string */
	uint32_t floating_count; /* floating panes, top-most first */
	uint32_t *floating; /* their pane ids */
};

/*
 * Parses a layout string. Returns MUXBUS_ERR_SYNTAX for an invalid string or checksum,
 * MUXBUS_ERR_LIMIT for too many cells. The caller frees the result.
 */
MUXBUS_API int muxbus_layout_parse(const char *text, size_t len, struct muxbus_layout **ret_layout);
MUXBUS_API void muxbus_layout_free(struct muxbus_layout *layout);

/* tmux's checksum of the part of a layout string after the first comma. */
MUXBUS_API uint16_t muxbus_layout_checksum(const char *text, size_t len);

/*
 * Command.
 *
 * A list of tmux commands that run in one tick of the server, up to the first failure.
 * Each command has its own reply.
 */
struct muxbus_command;

#define MUXBUS_COMMAND_MAX (16 * 1024 * 1024) /* bytes of a list as it is written */

MUXBUS_API int muxbus_command_new(struct muxbus_command **ret_command);
MUXBUS_API void muxbus_command_free(struct muxbus_command *command);

/*
 * Adds an argument to the last command of the list: the command's name first, which
 * has letters, digits, '-' and '_'. Arguments have any bytes but NUL. An error is kept
 * and returned when the list is run.
 */
MUXBUS_API void muxbus_command_arg(struct muxbus_command *command, const void *bytes, size_t len);

/* Adds an argument made as by printf. */
MUXBUS_API void muxbus_command_argf(struct muxbus_command *command, const char *format, ...)
    MUXBUS_PRINTF(2, 3);

/* Adds string arguments up to NULL. */
MUXBUS_API void muxbus_command_args(struct muxbus_command *command, ...) __attribute__((sentinel));

/* Ends a command of the list; the next argument begins another. */
MUXBUS_API void muxbus_command_next(struct muxbus_command *command);

/* The result of one command of a list. */
struct muxbus_reply {
	int error; /* 0, or an enum muxbus_error */
	/* The text of its blocks, in order, without hooks; NUL after the last byte. */
	const uint8_t *body;
	size_t body_len;
	unsigned blocks; /* how many: 0 and many are possible */
	uint64_t number; /* of its first block: tmux numbers all that it runs; 0: no block */
};

/*
 * Called once for each accepted list, with one reply per command, in order. error is 0 if all
 * succeeded, else the first error, which may be MUXBUS_ERR_CANCELLED for commands that were not
 * run. May run other commands. Must not free the connection.
 */
typedef void muxbus_reply_fn(
    void *data, int error, const struct muxbus_reply *replies, size_t count);

/*
 * Loop.
 *
 * The event loop of all connections and timers. Watch its descriptor for reading in any event loop
 * and call dispatch when it is readable; or attach it to libevent; or run it alone.
 */
struct muxbus_loop;
struct event_base;

MUXBUS_API int muxbus_loop_new(struct muxbus_loop **ret_loop);

/* Frees the loop. Free everything that uses the loop first. */
MUXBUS_API void muxbus_loop_free(struct muxbus_loop *loop);

/* The descriptor to watch for reading. The loop keeps it. */
MUXBUS_API int muxbus_loop_fd(const struct muxbus_loop *loop);

/*
 * Handles ready events; waits for them up to timeout_ms (-1: for ever, 0: not at all).
 * Returns the number of events handled, or an error; a signal ends the wait. One call does a
 * bounded amount of work; the descriptor stays readable while there is more. Do not call it from a
 * callback.
 */
MUXBUS_API int muxbus_loop_dispatch(struct muxbus_loop *loop, int timeout_ms);

/*
 * Attaches the loop to a libevent base until the loop is freed. The base must live longer. It
 * watches all descriptors itself, so that of the loop and muxbus_loop_dispatch() have no work then.
 */
MUXBUS_API int muxbus_loop_attach(struct muxbus_loop *loop, struct event_base *base);

/*
 * Connection.
 *
 * One control client of a tmux server. As a rule this process is the client itself: it speaks the
 * protocol of tmux clients, so that tmux sees its death at once, and so that attaching cannot crash
 * tmux up to 3.6b (see muxbusd(8), BUGS). Its output is always read, and it ends by detaching.
 */
struct muxbus_connection;

/* How a control client attaches. */
enum muxbus_way {
	MUXBUS_WAY_DIRECT, /* by this process, as tmux 3.2 to 3.5a expects it */
	MUXBUS_WAY_DIRECT_3_6, /* by this process, as tmux 3.6 and later expects it */
	MUXBUS_WAY_PROCESS, /* by a `tmux -C` process, which dies with this process */
};

enum muxbus_connection_flag {
	MUXBUS_CONNECTION_NO_OUTPUT = 1 << 0, /* attach without pane output */
};

struct muxbus_connection_options {
	const char *socket_path; /* of the tmux server; required */
	/*
	 * The binary for MUXBUS_WAY_PROCESS, which a path demands. NULL: the server's own, else
	 * from PATH.
	 */
	const char *tmux_path;
	/*
	 * The first way to try. If the server refuses it, the next follows, which costs a
	 * millisecond. A server before 3.6 does not refuse MUXBUS_WAY_DIRECT_3_6, but says
	 * nothing: begin with that only where muxbus_connection_way() said so.
	 * $MUXBUS_ATTACH=process demands MUXBUS_WAY_PROCESS.
	 */
	enum muxbus_way way;
	uint32_t session; /* to attach to; MUXBUS_NO_ID: tmux chooses */
	unsigned flags; /* enum muxbus_connection_flag */
	unsigned greeting_timeout_ms; /* 0: 5,000 */
	/*
	 * For each list, from the moment when tmux has answered the list before; 0: 5,000.
	 * Each KiB of a list adds a millisecond.
	 */
	unsigned command_timeout_ms;
};

struct muxbus_connection_handlers {
	/* tmux has answered; commands run now. May be NULL. */
	void (*ready)(void *data, const struct muxbus_version *version, uint32_t session);
	/* As in struct muxbus_parser_handlers. May be NULL. */
	void (*output)(
	    void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms);
	/* May be NULL. */
	void (*event)(void *data, const struct muxbus_event *event);
	/*
	 * A block of a reply was read. The reply callback follows when its sentinel was
	 * read; output may come in between. The handler learns where in the stream a reply
	 * lies. Must not run commands. May be NULL.
	 */
	void (*block)(void *data);
	/*
	 * The connection has ended; all pending reply callbacks were called with the error.
	 * error is 0 after muxbus_connection_close(); pending lists were then answered or
	 * cancelled. Called once, last. reason is the text of tmux or of the library, never
	 * NULL. The handler may free the connection. May be NULL.
	 */
	void (*closed)(void *data, int error, const char *reason);
};

/*
 * Starts the client. Commands may be run at once; they wait for the greeting. Returns
 * MUXBUS_ERR_NO_SERVER or MUXBUS_ERR_SPAWN if that is clear at once; later errors go to
 * the closed handler. options and handlers are copied.
 */
MUXBUS_API int muxbus_connection_open(struct muxbus_loop *loop,
    const struct muxbus_connection_options *options,
    const struct muxbus_connection_handlers *handlers, void *data,
    struct muxbus_connection **ret_connection);

/* Waits for pending replies, then asks tmux to detach. closed is called within a second. */
MUXBUS_API void muxbus_connection_close(struct muxbus_connection *connection);

/*
 * Ends the client at once, cancels pending lists, and frees the connection. closed is not called.
 */
MUXBUS_API void muxbus_connection_free(struct muxbus_connection *connection);

/*
 * Runs a list of commands and always frees it. reply is called exactly once if this
 * function returns 0, and never otherwise. Lists run in order.
 */
MUXBUS_API int muxbus_connection_run(struct muxbus_connection *connection,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* The process id by which tmux knows the client: this process, or a `tmux -C` process. */
MUXBUS_API pid_t muxbus_connection_pid(const struct muxbus_connection *connection);

/* The way of the client that is attached, or that is tried now. */
MUXBUS_API enum muxbus_way muxbus_connection_way(const struct muxbus_connection *connection);

MUXBUS_API void muxbus_connection_stats(
    const struct muxbus_connection *connection, struct muxbus_parser_stats *ret_stats);

/*
 * One-shot commands. Since 0.3.
 *
 * A list of commands without a connection: this process speaks to the server as the program
 * `tmux` does, and leaves. It starts no process and makes no control client: tmux counts nothing
 * as attached, list-clients shows nothing, and no output can be mistaken for a reply. It takes
 * about as long as a command of a connection takes, and a hundredth of starting tmux.
 *
 * tmux has no current client for such a command: detach-client, switch-client, display-popup and
 * attach-session fail. Hooks such as after-list-panes run, and show-messages has the command.
 */
struct muxbus_one_shot;

enum muxbus_one_shot_flag {
	/*
	 * The commands may read and write the files that they name, with the rights of this process:
	 * load-buffer, save-buffer, source-file. Regular files only, to read up to
	 * MUXBUS_COMMAND_MAX bytes. Without the flag they fail with "Permission denied".
	 */
	MUXBUS_ONE_SHOT_FILES = 1 << 0,
};

struct muxbus_one_shot_options {
	const char *socket_path; /* of the tmux server; required */
	const char *tmux_path; /* as in struct muxbus_connection_options */
	/*
	 * MUXBUS_WAY_DIRECT or MUXBUS_WAY_DIRECT_3_6, as muxbus_connection_way() said; the same on
	 * little-endian machines. A server of another protocol version gets MUXBUS_WAY_PROCESS by
	 * itself: a started tmux, which ignores directory, pane and flags, and cannot run
	 * show-buffer in a list.
	 */
	enum muxbus_way way;
	/*
	 * Where new panes start and relative paths begin; an absolute path, or tmux takes the
	 * home directory, as for one that is missing. NULL: as for a control client, that of the
	 * session.
	 */
	const char *directory;
	/* As $TMUX_PANE for tmux: its session is the default target. MUXBUS_NO_ID: tmux chooses. */
	uint32_t pane;
	unsigned flags; /* enum muxbus_one_shot_flag */
	unsigned timeout_ms; /* 0: 5,000; each KiB of the list adds a millisecond */
};

/*
 * Runs a list of commands and always frees it. reply is called exactly once if this function
 * returns 0, and never otherwise: from the loop, with MUXBUS_ERR_CLOSED if the server ended,
 * MUXBUS_ERR_TIMEOUT, MUXBUS_ERR_PROTOCOL, MUXBUS_ERR_NOMEM, or the errors of starting tmux for all
 * commands, or with the replies as of a connection. Their bodies are what the commands printed,
 * byte for byte, and behind it the text of the error; their number is 0. A list of any length up to
 * MUXBUS_COMMAND_MAX runs.
 *
 * *ret_one_shot, which may be NULL, is valid until reply returns. Returns MUXBUS_ERR_NO_SERVER,
 * MUXBUS_ERR_TIMEOUT (the server accepts no connection), MUXBUS_ERR_SPAWN, MUXBUS_ERR_SYSTEM with
 * errno set, MUXBUS_ERR_NOMEM, or the error of the list. options are copied.
 */
MUXBUS_API int muxbus_one_shot_run(struct muxbus_loop *loop,
    const struct muxbus_one_shot_options *options, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data, struct muxbus_one_shot **ret_one_shot);

/*
 * The exit status that the program tmux would have; -1: not known. For the reply function. It is
 * 1 after an error, and that of the shell command after run-shell.
 */
MUXBUS_API int muxbus_one_shot_status(const struct muxbus_one_shot *one_shot);

/*
 * Hangs up and frees; reply is not called. tmux may run the commands all the same. Accepts NULL.
 * Not in the reply function.
 */
MUXBUS_API void muxbus_one_shot_cancel(struct muxbus_one_shot *one_shot);

/*
 * Finds the socket of a tmux server as tmux does: from -S path, else -L name, else
 * $TMUX, else the name "default", under $TMUX_TMPDIR or /tmp. Writes it to out with
 * its NUL. Returns MUXBUS_ERR_LIMIT if it does not fit.
 */
MUXBUS_API int muxbus_socket_path(char *out, size_t size, const char *name, const char *path);

/*
 * Finds the process that listens at a tmux socket, by SO_PEERCRED. Returns
 * MUXBUS_ERR_NO_SERVER if none does, else MUXBUS_ERR_SYSTEM with errno set.
 */
MUXBUS_API int muxbus_server_pid(const char *socket_path, pid_t *ret_pid);

/*
 * Model.
 *
 * The sessions, windows, panes and clients of a server, by id. Only muxbus_sync writes the
 * model. Pointers are valid until control returns to the loop. Names, titles, commands and
 * paths are cut to MUXBUS_NAME_MAX bytes, at a character; layouts are whole.
 */
struct muxbus_model;

#define MUXBUS_NAME_MAX 4096

struct muxbus_session {
	uint32_t id;
	const char *name; /* UTF-8 as a rule; NUL-terminated, as all strings here */
	uint64_t created; /* seconds since 1970 */
	uint64_t activity; /* seconds since 1970: the last key of a person */
	uint32_t windows; /* how many links it has */
	uint32_t attached; /* clients that are people, that is, not control clients */
	uint32_t current_window; /* MUXBUS_NO_ID if not known */
	uint32_t group; /* a number that sessions of one group share; MUXBUS_NO_ID: none */
	bool destroy_unattached;
};

/* A window in a session: tmux calls it a winlink. */
struct muxbus_link {
	uint32_t session;
	uint32_t window;
	int32_t index;
	bool is_current; /* the session's current window */
	bool has_bell; /* the alerts of the window in this session */
	bool has_activity;
	bool has_silence;
};

struct muxbus_window {
	uint32_t id;
	const char *name;
	unsigned width;
	unsigned height;
	const char *layout; /* as tmux writes it, ignoring zoom */
	const char *visible_layout;
	uint32_t active_pane;
	uint32_t panes; /* how many */
	bool is_zoomed;
	bool has_bell; /* the alerts of any link */
	bool has_activity;
	bool has_silence;
};

struct muxbus_pane {
	uint32_t id;
	uint32_t window;
	int32_t index; /* in the window, from pane-base-index */
	unsigned width;
	unsigned height;
	int left;
	int top;
	pid_t pid; /* of its first process; 0 if there is none */
	const char *tty; /* "/dev/pts/3" */
	const char *title;
	const char *command; /* name of the program in front */
	const char *path; /* directory of the program in front; any bytes but NUL */
	const char *mode; /* "copy-mode", or empty */
	bool is_active; /* of its window */
	bool is_dead; /* its program has ended and remain-on-exit keeps it */
	bool in_mode;
	bool alternate_screen;
	bool input_off;
	bool is_synchronized;
	bool is_piped;
	bool is_floating;
	bool mouse_any; /* its program asked for the mouse */
	bool mouse_sgr; /* how it wants it; false unless it asked */
	bool mouse_utf8; /* the same */
	int exit_status; /* -1: not known, or it still runs */
	int exit_signal; /* 0: none, or not known */
	uint64_t dead_time; /* seconds since 1970; 0: not known */
	uint64_t output_offset; /* bytes of its output delivered so far */
	int64_t last_output_ms; /* CLOCK_REALTIME in ms; 0: none seen */
};

struct muxbus_client {
	const char *name; /* "/dev/pts/3", "client-1234" */
	pid_t pid;
	uint32_t session; /* MUXBUS_NO_ID if none */
	uint64_t activity; /* seconds since 1970: its last key */
	bool is_control; /* a control client, ours or another's */
	bool is_ours;
	bool is_readonly;
	bool in_prefix; /* has typed the prefix key and nothing after it */
};

/*
 * Iteration in ascending order of ids (links: session, index; panes in one window:
 * index). Start with NULL; ends with NULL.
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
 * How many links, by session and index, and how many panes a window has. They stand one behind the
 * other, from the first; NULL if there is none. The links are copies: none is a previous one above.
 * Since 0.3.
 */
MUXBUS_API size_t muxbus_model_window_links(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_link **ret_first);
MUXBUS_API size_t muxbus_model_window_panes(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_pane **ret_first);

/* Look-up by id; NULL if there is none. */
MUXBUS_API const struct muxbus_session *muxbus_model_session(
    const struct muxbus_model *model, uint32_t id);
MUXBUS_API const struct muxbus_window *muxbus_model_window(
    const struct muxbus_model *model, uint32_t id);
MUXBUS_API const struct muxbus_pane *muxbus_model_pane(
    const struct muxbus_model *model, uint32_t id);

/* How many there are of each. */
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
 * Follows one tmux server: finds it, attaches one connection to each session, keeps the
 * model true, and reconnects when the server restarts.
 *
 * tmux announces most changes: an event that says enough changes the model by its text, and after
 * another one only its window or session is listed, so the model is true within 50 ms. The whole
 * server is listed when a connection is new or lost, and by audits. tmux does not announce title,
 * command or path changes, nor the death of a kept pane: these are as old as the last listing of
 * the pane or muxbus_sync_refresh(), unless muxbus_sync_want_details(). The
 * end of a pane's process is seen at once, since the process is watched (at most 4,096
 * processes, and half of the descriptor limit).
 *
 * Connections never resize windows, never change an option, a hook, a key or a buffer, and
 * read only wanted output. A session with the option destroy-unattached is left when its
 * last user leaves it. Up to 256 sessions are followed; the others are only in the model.
 */
struct muxbus_sync;

enum muxbus_sync_state {
	MUXBUS_SYNC_IDLE, /* not started */
	MUXBUS_SYNC_SEARCHING, /* no server, or no answer; the sync retries */
	MUXBUS_SYNC_LIVE, /* the model is true */
};

/*
 * Changes of the model. They are sent after the model has changed: first new objects, from the
 * outside in; then exits and other changes; last closed objects, from the inside out. When a server
 * is found, all its objects are reported as created; when it is lost, as closed. An object that
 * lived only between two readings is reported as created and closed, without a state.
 */
enum muxbus_change_kind {
	MUXBUS_CHANGE_SESSION_CREATED,
	MUXBUS_CHANGE_SESSION_CLOSED,
	MUXBUS_CHANGE_SESSION_RENAMED,
	MUXBUS_CHANGE_SESSION_WINDOW_CHANGED, /* its current window */
	MUXBUS_CHANGE_WINDOW_CREATED,
	MUXBUS_CHANGE_WINDOW_CLOSED,
	MUXBUS_CHANGE_WINDOW_RENAMED,
	MUXBUS_CHANGE_WINDOW_LINKED, /* a link was added or took another index */
	MUXBUS_CHANGE_WINDOW_UNLINKED, /* a link was removed; the window may live on */
	MUXBUS_CHANGE_LAYOUT_CHANGED, /* of a window: sizes, places or zoom */
	MUXBUS_CHANGE_WINDOW_ALERT, /* bell, activity or silence flag was raised */
	MUXBUS_CHANGE_PANE_CREATED,
	MUXBUS_CHANGE_PANE_CLOSED, /* it was removed */
	MUXBUS_CHANGE_PANE_EXITED, /* its program has ended; once, before CLOSED, if ever */
	MUXBUS_CHANGE_PANE_RESPAWNED, /* another process runs in it */
	MUXBUS_CHANGE_PANE_MOVED, /* into another window or to another index */
	MUXBUS_CHANGE_ACTIVE_PANE_CHANGED, /* of a window */
	MUXBUS_CHANGE_TITLE_CHANGED,
	MUXBUS_CHANGE_COMMAND_CHANGED,
	MUXBUS_CHANGE_PATH_CHANGED,
	MUXBUS_CHANGE_MODE_CHANGED,
	MUXBUS_CHANGE_CLIENT_ATTACHED,
	MUXBUS_CHANGE_CLIENT_DETACHED,
	MUXBUS_CHANGE_COUNT_, /* not a kind: how many there are */
};

struct muxbus_change {
	enum muxbus_change_kind kind;
	uint32_t session; /* MUXBUS_NO_ID where it does not apply */
	uint32_t window;
	uint32_t pane;
	/* The state after the change, lent; NULL after ..._CLOSED and if unknown. */
	const struct muxbus_session *session_now;
	const struct muxbus_window *window_now;
	const struct muxbus_pane *pane_now;
	const struct muxbus_link *link_now;
	const struct muxbus_client *client_now; /* also after DETACHED: as it was */
	const char *previous; /* the old name, title, command, path or mode; else NULL */
	uint32_t previous_window; /* PANE_MOVED, ACTIVE..., SESSION_WINDOW...: where it was */
	uint32_t previous_pane; /* ACTIVE_PANE_CHANGED */
	int exit_status; /* PANE_EXITED: -1 not known */
	int exit_signal; /* PANE_EXITED: 0 none or not known */
};

/* The name of a kind as users see it: "pane_created". Never NULL. */
MUXBUS_API const char *muxbus_change_name(enum muxbus_change_kind kind);

struct muxbus_sync_options {
	const char *socket_path; /* of the tmux server; required */
	const char *tmux_path; /* as in struct muxbus_connection_options */
	enum muxbus_way way; /* the first to try with each server; as for a connection */
	bool all_output; /* follow the output of every pane from the start */
	unsigned command_timeout_ms; /* 0: 5,000 */
};

struct muxbus_sync_handlers {
	/*
	 * The state has changed, or the reason for SEARCHING. Called before the changes that
	 * go with it; the model and muxbus_sync_run() are already in the new state. reason is
	 * never NULL; error is 0 for MUXBUS_SYNC_LIVE.
	 */
	void (*state)(void *data, enum muxbus_sync_state state, int error, const char *reason);
	/* The model has changed. */
	void (*change)(void *data, const struct muxbus_change *change);
	/*
	 * Wanted output of a pane, each byte once. The pane's output_offset already counts
	 * these bytes: they are [offset - len, offset).
	 */
	void (*output)(void *data, uint32_t pane, const uint8_t *bytes, size_t len);
	/*
	 * Bytes of a pane are missing before its output_offset. reason is "not_watched" (its output
	 * was not wanted before), "reconnect" (its connection has ended, or its output came through
	 * another session), "source_changed" (see muxbus_sync_own_output()), "capture" (see
	 * muxbus_sync_capture()) or "overflow" (more than 256 KiB had to be buffered). A pane that
	 * is created while all_output is set has no gap at offset 0.
	 */
	void (*gap)(void *data, uint32_t pane, uint64_t offset, const char *reason);
	/* Every % line of the first connection, also of unknown kinds. May be NULL. */
	void (*event)(void *data, const struct muxbus_event *event);
};

/* Creates a sync, which does nothing before muxbus_sync_start(). options are copied. */
MUXBUS_API int muxbus_sync_new(struct muxbus_loop *loop, const struct muxbus_sync_options *options,
    const struct muxbus_sync_handlers *handlers, void *data, struct muxbus_sync **ret_sync);

/*
 * Starts to follow the server, and reconnects whenever the server restarts. Returns
 * MUXBUS_ERR_UNAVAILABLE until muxbus_sync_stop() has called its done.
 */
MUXBUS_API int muxbus_sync_start(struct muxbus_sync *sync);

/*
 * Detaches from the server. The model is empty from now on. done is called within a second, when
 * all connections have ended, and all commands and reads that wait were answered, if need be with
 * MUXBUS_ERR_CANCELLED. The sync does not reconnect. done may free the sync, or start it again; it
 * is as new then, but for the subscriptions to all output and to details. A second call replaces
 * done. If done is NULL, all this happens before the return, so it is not for callbacks of the sync.
 */
MUXBUS_API void muxbus_sync_stop(struct muxbus_sync *sync, void (*done)(void *data), void *data);

/*
 * Detaches, or attaches again; also before muxbus_sync_start(). A detached sync has no connection,
 * so that tmux has no client of it: commands, listings and captures run as one-shots, one behind
 * the other. It stays LIVE, and sees the end of the server at once, but no output and no events:
 * the model is as old as the last listing. muxbus_sync_refresh() then lists the whole server, and
 * reports all that has changed.
 *
 * done is called once when an attaching sync has its connections, and the model is as these found
 * it; or when no session may be attached to. It is not called if the sync is detached, stopped or
 * loses its server before. done may be NULL. Since 0.3.
 */
MUXBUS_API void muxbus_sync_set_attached(
    struct muxbus_sync *sync, bool is_attached, void (*done)(void *data), void *data);

/* Stops the sync as with NULL, and frees it. */
MUXBUS_API void muxbus_sync_free(struct muxbus_sync *sync);

MUXBUS_API enum muxbus_sync_state muxbus_sync_state(const struct muxbus_sync *sync);

/* Never NULL; empty unless LIVE. */
MUXBUS_API const struct muxbus_model *muxbus_sync_model(const struct muxbus_sync *sync);

/* The server, while LIVE, and some counts. */
struct muxbus_sync_info {
	struct muxbus_version version;
	const char *version_text; /* as tmux prints it */
	const char *socket_path;
	pid_t pid; /* of the tmux server */
	unsigned connections;
	unsigned output_connections; /* of those, with output */
	unsigned process_connections; /* of those, by a `tmux -C` process */
	enum muxbus_way way; /* the way that the server took last */
	uint64_t lists; /* times that the whole server was listed */
	uint64_t part_lists; /* times that parts of the server were listed */
	uint64_t audits;
	uint64_t drift; /* differences that audits have found */
	uint64_t output_bytes;
	uint64_t reconnects;
};
MUXBUS_API void muxbus_sync_info(const struct muxbus_sync *sync, struct muxbus_sync_info *ret_info);

/*
 * Runs a list of commands on the server and frees it, as muxbus_connection_run().
 * Returns MUXBUS_ERR_UNAVAILABLE unless LIVE. With read_back, the model shows the effect of
 * the commands when reply is called.
 */
MUXBUS_API int muxbus_sync_run(struct muxbus_sync *sync, struct muxbus_command *command,
    bool read_back, muxbus_reply_fn *reply, void *data);

/* The same for commands that change nothing but one window: only the window is read again. */
MUXBUS_API int muxbus_sync_run_in_window(struct muxbus_sync *sync, struct muxbus_command *command,
    uint32_t window, muxbus_reply_fn *reply, void *data);

/* Parts of the model, which are refreshed one by one; bits. */
enum muxbus_part {
	MUXBUS_PART_PANES = 1 << 0, /* also title, command, path and dead */
	MUXBUS_PART_SESSIONS = 1 << 1, /* with their windows, indexes and alerts */
	MUXBUS_PART_CLIENTS = 1 << 2,
	MUXBUS_PART_INDEXES = 1 << 3, /* where panes and windows are; never by age. Since 0.3 */
	MUXBUS_PART_ALL = MUXBUS_PART_PANES | MUXBUS_PART_SESSIONS | MUXBUS_PART_CLIENTS,
};

/*
 * Calls done (NULL: nothing), from the loop, when these parts of the model are no older than
 * max_age_ms, including all that tmux does not announce. With 0 the server is asked after this
 * call. Callers that wait at the same time share one answer. A server that did nothing meanwhile
 * costs one empty command. Returns an error, and does not call done, unless LIVE.
 */
typedef void muxbus_done_fn(void *data, int error);
MUXBUS_API int muxbus_sync_refresh(struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms,
    muxbus_done_fn *done, void *data);

/*
 * The same for one window with its panes, after this call, and for other parts, which may be 0. The
 * window may be new. It costs tmux some 50 us.
 */
MUXBUS_API int muxbus_sync_refresh_window(
    struct muxbus_sync *sync, uint32_t window, unsigned parts, muxbus_done_fn *done, void *data);

/* Whether these parts of the model are no older than max_age_ms now: no refresh is needed. */
MUXBUS_API bool muxbus_sync_is_fresh(
    const struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms);

/* The same for all that the model has of one pane, its window, and the links of that. Since 0.3. */
MUXBUS_API bool muxbus_sync_pane_is_fresh(
    const struct muxbus_sync *sync, uint32_t pane, unsigned max_age_ms);

/*
 * Compares the model with a new listing and corrects it. Fields that tmux does not announce,
 * changes that tmux announces meanwhile, and changes of sessions whose connection was lost
 * meanwhile do not count. difference is a readable line about
 * the first difference, NULL if count is 0.
 */
typedef void muxbus_audit_fn(void *data, int error, unsigned count, const char *difference);
MUXBUS_API int muxbus_sync_audit(struct muxbus_sync *sync, muxbus_audit_fn *done, void *data);

/*
 * Subscribes to the output of a pane, or unsubscribes. Calls are counted: each true needs a
 * false; closing a pane ends its subscriptions. MUXBUS_ERR_NOT_FOUND if there is no such
 * pane. Without a subscription the pane is paused on its connection, or the whole session is
 * attached without output, and tmux has no cost.
 */
MUXBUS_API int muxbus_sync_want_output(struct muxbus_sync *sync, uint32_t pane, bool is_wanted);

/*
 * Whether the output of a pane comes to the subscribers. Flowing output is complete: what the
 * pane writes after this call is delivered, or a gap is reported in its place.
 */
enum muxbus_output {
	MUXBUS_OUTPUT_NONE, /* no subscriber, no such pane, or no connection to its sessions */
	MUXBUS_OUTPUT_COMING, /* later; the beginning is reported as a gap */
	MUXBUS_OUTPUT_FLOWING,
};
MUXBUS_API enum muxbus_output muxbus_sync_output(const struct muxbus_sync *sync, uint32_t pane);

/*
 * The program reads the output of a pane itself, as with pipe-pane: COMING: it is about to; FLOWING:
 * from now on, which is reported as a gap; NONE: no more. Until NONE no connection delivers the
 * pane's output. The end of the pane ends this. MUXBUS_ERR_NOT_FOUND if there is
 * no such pane. Since 0.3.
 */
MUXBUS_API int muxbus_sync_own_output(
    struct muxbus_sync *sync, uint32_t pane, enum muxbus_output output);

/*
 * Counts bytes that the program has read itself, and passes them to the handler output.
 * MUXBUS_ERR_NOT_FOUND unless the pane is there and its own output is FLOWING. Since 0.3.
 */
MUXBUS_API int muxbus_sync_add_output(
    struct muxbus_sync *sync, uint32_t pane, const uint8_t *bytes, size_t len);

/*
 * Subscribes to the output of every pane, now and in the future, or unsubscribes. The output
 * of a pane that is created later is delivered from its first byte. Calls are counted.
 * Subscriptions to single panes are not affected.
 */
MUXBUS_API void muxbus_sync_want_all_output(struct muxbus_sync *sync, bool is_wanted);

/*
 * Subscribes to changes that tmux does not announce (title, command, path, dead), or
 * unsubscribes. Calls are counted. The server is then asked each second, with more than 100 panes
 * each 10 ms for each of them, which costs tmux some 10 us per pane if it did anything meanwhile,
 * and else one empty command. With more than 100 panes, command and path of a program that neither
 * reads nor writes its terminal are read each 30 s; refreshed parts of the model never wait for this.
 */
MUXBUS_API void muxbus_sync_want_details(struct muxbus_sync *sync, bool is_wanted);

/*
 * Takes charge of the end of a pane: when its program exits, the pane is kept until its
 * status was read (PANE_EXITED), then closed unless keep.
 */
MUXBUS_API int muxbus_sync_adopt_pane(struct muxbus_sync *sync, uint32_t pane, bool keep);

enum muxbus_capture_flag {
	MUXBUS_CAPTURE_ESCAPES = 1 << 0, /* with colours and attributes as escape sequences */
	MUXBUS_CAPTURE_JOIN = 1 << 1, /* wrapped lines are joined, trailing blanks kept */
	MUXBUS_CAPTURE_ALTERNATE = 1 << 2, /* the screen behind the alternate one */
	MUXBUS_CAPTURE_BLANKS = 1 << 3, /* trailing blanks are kept: they have colours */
};

/* A picture of a pane and its place in the pane's output. */
struct muxbus_capture {
	uint32_t pane;
	const uint8_t *text; /* lines with their newline; lent */
	size_t text_len;
	unsigned rows; /* of the pane */
	unsigned columns;
	unsigned cursor_row; /* from 0 */
	unsigned cursor_column;
	bool cursor_visible;
	uint32_t history_size; /* lines above the screen */
	bool alternate_screen;
	/*
	 * The bytes of output that this picture shows; output from this offset on is not in
	 * it. Exact while the pane's output is wanted; see muxbus_sync_want_output(). Where the
	 * program reads the output itself, the picture shows all bytes before the offset, and
	 * perhaps some after it.
	 */
	uint64_t offset;
};
typedef void muxbus_capture_fn(void *data, int error, const struct muxbus_capture *capture);

/*
 * Takes a picture of a pane from history lines above the screen (0: the screen alone; at
 * most 10,000) to its last line. tmux does nothing else meanwhile, for some 2 us per line.
 *
 * If other panes of the session flood as well, tmux may write later output before the
 * picture. The picture is then taken again until its place is certain. After a quarter of a
 * second the pane is paused for the picture instead, and the missed bytes are reported as a
 * gap ("capture") before offset.
 *
 * Output after the picture is delivered after done was called.
 */
MUXBUS_API int muxbus_sync_capture(struct muxbus_sync *sync, uint32_t pane, uint32_t history,
    unsigned flags, muxbus_capture_fn *done, void *data);

#ifdef __cplusplus
}
#endif
#endif
