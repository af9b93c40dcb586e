/* SPDX-License-Identifier: ISC */
/*
 * A list of commands becomes one line:
 *
 * cmd "arg" ; list-comman -F NONCE lscm ; cmd "arg"
 *
 * In tmux's answer, the blocks between two nonces are the reply of one command. The name of a
 * command has only letters, digits, '-' and '_', so that it is no assignment, comment, %if or
 * brace, which have effects but no reply.
 */
#include "lib/connection/command.h"

#include "lib/connection/imsg.h"

static const char sentinel[] = " ; " LIST_COMMANDS " -F ";
static const char separator[] = " " LIST_ONE " ; ";

/* A long argument is quoted in pieces, because quoting enlarges it and the text has a limit. */
enum { PIECE_BYTES = 1024 };

/* tmux since 3.7 refuses a message with more words. */
enum { WORDS_MAX = 1000 };

struct muxbus_command {
	struct buf text;
	struct buf places; /* array of size_t: the offsets of the nonces in text */
	/* Words of a short list: a byte 1 if the word begins a command, else 0; the word; a NUL. */
	struct buf words;
	bool is_long; /* the list is too long for words, which is incomplete */
	size_t count;
	bool is_open; /* arguments can be added to the last command */
	int error; /* the first error, or 0 */
	uint32_t pane; /* the default target, or MUXBUS_NO_ID */
};

int muxbus_command_new(struct muxbus_command **ret_command)
{
	struct muxbus_command *command = mem_calloc(1, sizeof *command);
	if (command == NULL)
		return MUXBUS_ERR_NOMEM;
	buf_init(&command->text, MUXBUS_COMMAND_MAX);
	buf_init(&command->places, COMMAND_COUNT_MAX * sizeof(size_t));
	buf_init(&command->words, IMSG_MAX);
	command->pane = MUXBUS_NO_ID;
	*ret_command = command;
	return 0;
}

void muxbus_command_free(struct muxbus_command *command)
{
	if (command == NULL)
		return;
	buf_finish(&command->text);
	buf_finish(&command->places);
	buf_finish(&command->words);
	mem_free(command);
}

static void fail(struct muxbus_command *command, int error)
{
	if (command != NULL && command->error == 0)
		command->error = error;
}

static void append(struct muxbus_command *command, const void *bytes, size_t len)
{
	int error = command->error != 0 ? 0 : buf_append(&command->text, bytes, len);
	if (error != 0)
		fail(command, error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM);
}

static bool is_word(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char lower = (char)(bytes[i] | 0x20);
		if (!(lower >= 'a' && lower <= 'z') && !(bytes[i] >= '0' && bytes[i] <= '9') &&
		    bytes[i] != '-' && bytes[i] != '_')
			return false;
	}
	return len > 0;
}

static void append_pieces(struct muxbus_command *command, const char *bytes, size_t len)
{
	char piece[MUXBUS_QUOTED_MAX(PIECE_BYTES)];
	append(command, "\"", 1);
	while (len > 0) {
		size_t take = len < PIECE_BYTES ? len : PIECE_BYTES;
		ssize_t quoted = muxbus_quote(piece, bytes, take);
		if (quoted < 0) {
			fail(command, (int)quoted);
			return;
		}
		append(command, piece + 1, (size_t)quoted - 2); /* without the quotes */
		bytes += take;
		len -= take;
	}
	append(command, "\"", 1);
}

static void append_quoted(struct muxbus_command *command, const char *bytes, size_t len)
{
	struct buf *text = &command->text;
	ssize_t quoted;
	if (command->error != 0)
		return;
	if (len > PIECE_BYTES || buf_reserve(text, MUXBUS_QUOTED_MAX(len)) != 0) {
		append_pieces(command, bytes, len);
		return;
	}
	quoted = muxbus_quote((char *)text->data + text->len, bytes, len);
	if (quoted < 0)
		fail(command, (int)quoted);
	else
		text->len += (size_t)quoted;
	text->data[text->len] = '\0';
}

static void append_sentinel(struct muxbus_command *command)
{
	static const struct nonce blank;
	size_t place;
	int error;
	append(command, sentinel, sizeof sentinel - 1);
	place = command->text.len;
	append(command, blank.text, MUXBUS_NONCE_LEN);
	append(command, separator, sizeof separator - 1);
	error = buf_append(&command->places, &place, sizeof place);
	if (error != 0)
		fail(command, error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM);
}

static void begin(struct muxbus_command *command, const char *name, size_t len)
{
	if (!is_word(name, len)) {
		fail(command, MUXBUS_ERR_INVALID);
		return;
	}
	if (command->count == COMMAND_COUNT_MAX) {
		fail(command, MUXBUS_ERR_LIMIT);
		return;
	}
	if (command->count > 0)
		append_sentinel(command);
	append(command, name, len);
	command->count++;
	command->is_open = true;
}

static void keep_word(struct muxbus_command *command, const char *bytes, size_t len)
{
	struct buf *words = &command->words;
	int error = command->is_long ? BUF_FULL : buf_reserve(words, len + 2);
	if (error == BUF_NOMEM)
		fail(command, MUXBUS_ERR_NOMEM);
	if (error != 0) {
		command->is_long = true;
		return;
	}
	(void)buf_append_byte(words, command->is_open ? 0 : 1); /* cannot fail: room is reserved */
	(void)buf_append(words, bytes, len);
	(void)buf_append_byte(words, 0);
}

void muxbus_command_arg(struct muxbus_command *command, const void *bytes, size_t len)
{
	if (command == NULL || command->error != 0)
		return;
	keep_word(command, bytes, len);
	if (!command->is_open) {
		begin(command, bytes, len);
		return;
	}
	append(command, " ", 1);
	if (is_word(bytes, len))
		append(command, bytes, len);
	else
		append_quoted(command, bytes, len);
}

void muxbus_command_argf(struct muxbus_command *command, const char *format, ...)
{
	struct buf formatted = BUF(MUXBUS_COMMAND_MAX);
	va_list args;
	int error;
	va_start(args, format);
	error = buf_vprintf(&formatted, format, args);
	va_end(args);
	if (error != 0)
		fail(command, error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM);
	else
		muxbus_command_arg(command, buf_text(&formatted), formatted.len);
	buf_finish(&formatted);
}

void muxbus_command_args(struct muxbus_command *command, ...)
{
	const char *string;
	va_list args;
	va_start(args, command);
	while ((string = va_arg(args, const char *)) != NULL)
		muxbus_command_arg(command, string, strlen(string));
	va_end(args);
}

void muxbus_command_next(struct muxbus_command *command)
{
	if (command != NULL)
		command->is_open = false;
}

struct muxbus_command *command_new(void)
{
	struct muxbus_command *command;
	return muxbus_command_new(&command) == 0 ? command : NULL;
}

struct muxbus_command *command_with(const char *name, ...)
{
	struct muxbus_command *command = command_new();
	va_list args;
	va_start(args, name);
	for (const char *word = name; word != NULL; word = va_arg(args, const char *))
		muxbus_command_arg(command, word, strlen(word));
	va_end(args);
	return command;
}

int command_check(const struct muxbus_command *command, size_t *ret_count)
{
	if (command->error != 0)
		return command->error;
	if (command->count == 0)
		return MUXBUS_ERR_INVALID;
	*ret_count = command->count;
	return 0;
}

const struct buf *command_fill(struct muxbus_command *command, const struct nonce *nonces)
{
	size_t count = command->places.len / sizeof(size_t);
	for (size_t i = 0; i < count; i++) {
		size_t place;
		memcpy(&place, command->places.data + i * sizeof place, sizeof place);
		memcpy(command->text.data + place, nonces[i].text, MUXBUS_NONCE_LEN);
	}
	return &command->text;
}

/* For tmux, a ';' at the end of an argument ends the command, unless a '\' precedes it. */
static int pack_word(struct buf *out, const char *word)
{
	size_t len = strlen(word);
	bool ends_command = len > 0 && word[len - 1] == ';';
	int error = buf_append(out, word, ends_command ? len - 1 : len);
	if (error == 0)
		error = buf_append(out, ends_command ? "\\;" : "", ends_command ? 3 : 1);
	return error;
}

static int pack_sentinel(struct buf *out, const struct nonce *nonce)
{
	static const char words[] = ";\0" LIST_COMMANDS "\0-F"; /* includes the last NUL */
	int error = buf_append(out, words, sizeof words);
	if (error == 0)
		error = buf_append(out, nonce->text, MUXBUS_NONCE_LEN + 1);
	return error != 0 ? error : buf_append(out, LIST_ONE, sizeof LIST_ONE);
}

static bool begins_with_one(const char *name, const char *const *beginnings)
{
	while (*beginnings != NULL && strncmp(name, *beginnings, strlen(*beginnings)) != 0)
		beginnings++;
	return *beginnings != NULL;
}

/* Excludes show-buffer, as a connection gets its output escaped, and set-hook, as -R runs hooks. */
static bool is_quick(const char *name, const char *end)
{
	static const char *const names[] = {"capture-pane", "delete-buffer", "detach-client",
	    "has-session", "list-", "load-buffer", "paste-buffer", "pipe-pane", "refresh-client",
	    "send-keys", "set-buffer", "set-environment", "set-option", "set-window-option",
	    "show-environment", "show-hooks", "show-messages", "show-options",
	    "show-prompt-history", "show-window-options", "switch-client", NULL};
	static const char message[] = "display-message";
	return begins_with_one(name, names) ||
	    (strcmp(name, message) == 0 && name + sizeof message < end &&
		strcmp(name + sizeof message + 1, "-p") == 0);
}

static const char *last_name(const struct muxbus_command *command)
{
	const char *last = "";
	for (size_t at = 0; at < command->words.len;) {
		const char *word = (const char *)command->words.data + at + 1;
		if (command->words.data[at] == 1)
			last = word;
		at += strlen(word) + 2;
	}
	return last;
}

void muxbus_command_set_pane(struct muxbus_command *command, uint32_t pane)
{
	command->pane = pane;
}

uint32_t command_pane(const struct muxbus_command *command)
{
	return command->pane;
}

bool command_is_quick(const struct muxbus_command *command)
{
	const struct buf *words = &command->words;
	if (command->pane != MUXBUS_NO_ID)
		return false;
	for (size_t at = 0; !command->is_long && at < words->len;
	     at += strlen((const char *)words->data + at + 1) + 2)
		if (words->data[at] == 1 &&
		    !is_quick(
			(const char *)words->data + at + 1, (const char *)words->data + words->len))
			return false;
	return true;
}

bool command_reads_file(const struct muxbus_command *command)
{
	return !command->is_long && strncmp(last_name(command), "so", 2) == 0;
}

/* Returns how many sentinels command_sentinels() wants behind a command of this name. */
static unsigned sentinels_behind(const char *name)
{
	/*
	 * Full names, and our short ones, since other names may be aliases. Commands that wait for
	 * a file or a program are missing, and set-hook, since -R runs the hook.
	 */
	static const char *const printing[] = {"capture-pane", "display-message", "list-buffers",
	    "list-client", "list-clients", "list-commands", "list-keys", "list-pane", "list-panes",
	    "list-session", "list-sessions", "list-window", "list-windows", LIST_COMMANDS,
	    "show-environment", "show-hooks", "show-messages", "show-options",
	    "show-prompt-history", "show-window-options", NULL};
	static const char *const silent[] = {"bind-key", "break-pane", "clear-history",
	    "delete-buffer", "has-session", "join-pane", "kill-pane", "kill-session", "kill-window",
	    "last-pane", "last-window", "link-window", "move-pane", "move-window", "new-pane",
	    "new-session", "new-window", "next-layout", "next-window", "paste-buffer", "pipe-pane",
	    "previous-layout", "previous-window", "rename-session", "rename-window", "resize-pane",
	    "resize-window", "respawn-pane", "respawn-window", "rotate-window", "select-layout",
	    "select-pane", "select-window", "send-keys", "send-prefix", "set-buffer",
	    "set-environment", "set-option", "set-window-option", "show-buffer", "split-window",
	    "swap-pane", "swap-window", "unbind-key", "unlink-window", NULL};
	return str_is_in(name, printing) ? 1 : str_is_in(name, silent) ? 2 : 0;
}

unsigned command_sentinels(const struct muxbus_command *command)
{
	return command->is_long ? 0 : sentinels_behind(last_name(command));
}

bool command_is_synchronous(const struct muxbus_command *command)
{
	const struct buf *words = &command->words;
	for (size_t at = 0; at < words->len; at += strlen((const char *)words->data + at + 1) + 2)
		if (words->data[at] == 1 &&
		    sentinels_behind((const char *)words->data + at + 1) == 0)
			return false;
	return !command->is_long;
}

int command_pack(const struct muxbus_command *command, const struct nonce *nonces,
    unsigned sentinels, struct buf *ret_out)
{
	const struct buf *words = &command->words;
	size_t commands = 0;
	int count = 0;
	int error = command->is_long ? BUF_FULL : buf_append(ret_out, &count, sizeof count);
	for (size_t at = 0; error == 0 && at < words->len;) {
		const char *word = (const char *)words->data + at + 1;
		if (words->data[at] == 1 && commands++ > 0) {
			error = pack_sentinel(ret_out, &nonces[commands - 2]);
			if (error == 0)
				error = buf_append(ret_out, ";", 2);
			count += 6;
		}
		if (error == 0)
			error = pack_word(ret_out, word);
		count++;
		at += strlen(word) + 2;
	}
	for (; error == 0 && sentinels > 0; sentinels--) {
		error = pack_sentinel(ret_out, &nonces[commands - 1]);
		count += 5;
	}
	if (error == 0 && count > WORDS_MAX)
		error = BUF_FULL;
	if (error != 0)
		return error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM;
	memcpy(ret_out->data, &count, sizeof count);
	return 0;
}
