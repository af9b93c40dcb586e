/* SPDX-License-Identifier: ISC */
/* Lists of commands: the bytes that they become, and what is refused. */
#include <muxbus.h>

#include <stdlib.h>
#include <string.h>

#include "lib/connection/command.h"
#include "lib/connection/nonce.h"
#include "tap.h"

static struct muxbus_command *new_command(void)
{
	struct muxbus_command *command = NULL;
	if (muxbus_command_new(&command) != 0)
		abort();
	return command;
}

/* The line that a list becomes with nonces of 'a', 'b', 'c'; frees it. */
static void is_line(struct muxbus_command *command, size_t want_count, const char *want)
{
	struct nonce nonces[3];
	const struct buf *text;
	size_t count = 0;
	for (int i = 0; i < 3; i++) {
		memset(nonces[i].text, 'a' + i, MUXBUS_NONCE_LEN);
		nonces[i].text[MUXBUS_NONCE_LEN] = '\0';
	}
	is_int(command_check(command, &count), 0, "accepted: %s", want);
	is_int((long long)count, (long long)want_count, "... as so many commands");
	text = command_fill(command, nonces);
	is_str((const char *)text->data, want, "... and written so");
	muxbus_command_free(command);
}

static void is_refused(struct muxbus_command *command, int want, const char *name)
{
	size_t count = 77;
	is_int(command_check(command, &count), want, "refused: %s", name);
	is_int((long long)count, 77, "... and nothing is returned");
	muxbus_command_free(command);
}

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void test_lines(void)
{
	struct muxbus_command *command = new_command();
	muxbus_command_args(command, "list-panes", "-a", "-F", "#{pane_id}", NULL);
	is_line(command, 1, "list-panes -a -F \"#{pane_id}\"");

	command = new_command();
	muxbus_command_args(command, "send-keys", "-t", "%3", "--", "", "a;b", NULL);
	muxbus_command_argf(command, "%d $x", -4);
	is_line(command, 1, "send-keys -t \"%3\" -- \"\" \"a;b\" \"-4 \\044x\"");

	command = new_command();
	muxbus_command_args(command, "a", NULL);
	muxbus_command_next(command);
	muxbus_command_next(command);
	muxbus_command_args(command, "b", "x", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "c", NULL);
	muxbus_command_next(command);
	is_line(command, 3,
	    "a ; list-commands -F " A " list-commands ; b x ; list-commands -F " B
	    " list-commands ; c");

	command = new_command();
	muxbus_command_next(command);
	muxbus_command_args(command, "set-buffer", "a\nb\rc\"~\\", NULL);
	is_line(command, 1, "set-buffer \"a\\012b\\015c\\042\\176\\134\"");
}

/* No byte of any value can end a line, an argument or a command. */
static void test_all_bytes(void)
{
	struct muxbus_command *command = new_command();
	struct nonce none;
	char bytes[5000];
	const struct buf *text;
	size_t quotes = 0;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(1 + i % 255);
	muxbus_command_args(command, "set-buffer", NULL);
	muxbus_command_arg(command, bytes, sizeof bytes);
	text = command_fill(command, &none);
	for (size_t i = 0; i < text->len; i++) {
		quotes += text->data[i] == '"';
		if (text->data[i] < ' ' || text->data[i] == 0xff)
			quotes = 1000;
	}
	is_int((long long)quotes, 2, "all bytes: one argument, no control byte, no 0xff");
	muxbus_command_free(command);
}

static void test_refused(void)
{
	static const char *const names[] = {"", " ", "A=b", "#", "%if", "{", ";", "list panes",
	    "list\npanes", "$x", "~", "\"", "'", "list-panes\xc3\xa9"};
	struct muxbus_command *command;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		command = new_command();
		muxbus_command_arg(command, names[i], strlen(names[i]));
		is_refused(command, MUXBUS_ERR_INVALID, names[i]);
	}
	is_refused(new_command(), MUXBUS_ERR_INVALID, "no command");

	command = new_command();
	muxbus_command_args(command, "set-buffer", NULL);
	muxbus_command_arg(command, "a\0b", 3);
	muxbus_command_args(command, "more", NULL);
	is_refused(command, MUXBUS_ERR_INVALID, "a NUL, whatever comes after it");

	command = new_command();
	for (int i = 0; i <= COMMAND_COUNT_MAX; i++) {
		muxbus_command_args(command, "a", NULL);
		muxbus_command_next(command);
	}
	is_refused(command, MUXBUS_ERR_LIMIT, "too many commands");
}

static void test_limits(void)
{
	size_t len = MUXBUS_COMMAND_MAX - strlen("set-buffer \"\"");
	char *bytes = malloc(len + 1);
	struct muxbus_command *command = new_command();
	size_t count;
	memset(bytes, ' ', len + 1);
	muxbus_command_args(command, "set-buffer", NULL);
	muxbus_command_arg(command, bytes, len);
	is_int(command_check(command, &count), 0, "limit: a list of MUXBUS_COMMAND_MAX bytes");
	muxbus_command_free(command);
	command = new_command();
	muxbus_command_args(command, "set-buffer", NULL);
	muxbus_command_arg(command, bytes, len + 1);
	is_refused(command, MUXBUS_ERR_LIMIT, "one more byte");
	free(bytes);
	muxbus_command_free(NULL);
}

static int compare_nonces(const void *a, const void *b)
{
	return memcmp(a, b, MUXBUS_NONCE_LEN);
}

static void test_nonces(void)
{
	static struct nonce nonces[10000];
	static struct nonce_pool pool;
	static const struct nonce_pool empty;
	bool are_hex = true;
	size_t same = 0;
	for (size_t i = 0; i < 10000; i++) {
		if (nonce_make(&pool, &nonces[i]) != 0)
			abort();
		are_hex = are_hex && strlen(nonces[i].text) == MUXBUS_NONCE_LEN &&
		    strspn(nonces[i].text, "0123456789abcdef") == MUXBUS_NONCE_LEN;
	}
	ok(are_hex, "nonces: 32 digits each");
	qsort(nonces, 10000, sizeof nonces[0], compare_nonces);
	for (size_t i = 1; i < 10000; i++)
		same += compare_nonces(&nonces[i - 1], &nonces[i]) == 0;
	is_int((long long)same, 0, "nonces: no two are the same");
	while (pool.left > 0)
		(void)nonce_make(&pool, &nonces[0]);
	is_mem(pool.bytes, sizeof pool.bytes, empty.bytes, sizeof empty.bytes,
	    "nonces: what was given out is not kept");
}

/* As the arguments of a message: the separator of commands, and ';' at the end of an argument. */
static void test_pack(void)
{
	static const char want[] = "\x16\0\0\0a\0x\\;\0\\;\0\0;\0list-commands\0-F\0" A
				   "\0list-commands\0;\0set-b\0y;z\0;\0list-commands\0-F\0" B
				   "\0list-commands\0;\0list-commands\0-F\0" B "\0list-commands";
	struct muxbus_command *command = new_command();
	struct nonce nonces[2];
	struct buf out;
	for (int i = 0; i < 2; i++) {
		memset(nonces[i].text, 'a' + i, MUXBUS_NONCE_LEN);
		nonces[i].text[MUXBUS_NONCE_LEN] = '\0';
	}
	buf_init(&out, 1024);
	muxbus_command_args(command, "a", "x;", ";", "", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "set-b", "y;z", NULL);
	is_int(
	    command_pack(command, nonces, command_sentinels(command), &out), 0, "a list is packed");
	ok(out.len == sizeof want && memcmp(out.data, want, sizeof want) == 0,
	    "... as its arguments");
	buf_clear(&out);
	out.max = 20;
	is_int(command_pack(command, nonces, command_sentinels(command), &out), MUXBUS_ERR_LIMIT,
	    "a list without room");
	buf_finish(&out);
	muxbus_command_free(command);
}

/* Abbreviations and aliases count as unknown, unless they run other commands. */
static void test_classes(void)
{
	static const struct {
		const char *words[2];
		bool is_quick;
		unsigned sentinels;
		bool runs_others;
	} rows[] = {
	    {{"show-options"}, true, 1, false},
	    {{"show-op"}, false, 0, false},
	    {{"show"}, false, 0, false},
	    {{"show-buffer"}, false, 0, false},
	    {{"show-buf"}, false, 0, false},
	    {{"showb"}, false, 0, false},
	    {{"list-panes"}, true, 1, false},
	    {{"lsp"}, false, 0, false},
	    {{"capture-pane"}, true, 1, false},
	    {{"capturep"}, false, 0, false},
	    {{"pipe-pane"}, true, 2, false},
	    {{"load-buffer"}, true, 0, false},
	    {{"pipep"}, false, 0, false},
	    {{"new-window", "-P"}, false, 2, false},
	    {{"respawn-pane"}, false, 2, false},
	    {{"respawnp"}, false, 0, false},
	    {{"set-option"}, true, 2, false},
	    {{"set-hook", "-R"}, false, 2, false},
	    {{"display-message", "-p"}, true, 1, false},
	    {{"display-message", "x"}, false, 1, false},
	    {{"display", "-p"}, false, 0, false},
	    {{"if-shell"}, false, 0, true},
	    {{"if"}, false, 0, true},
	    {{"i"}, false, 0, true},
	    {{"run-shell"}, false, 0, true},
	    {{"run"}, false, 0, true},
	    {{"ru"}, false, 0, true},
	    {{"source"}, false, 0, true},
	    {{"so"}, false, 0, true},
	    {{"info"}, false, 0, false},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct muxbus_command *command = new_command();
		const char *const *words = rows[at].words;
		muxbus_command_args(command, words[0], words[1], NULL);
		ok(command_is_quick(command) == rows[at].is_quick, "quick: %s", words[0]);
		is_int((int)command_sentinels(command), (int)rows[at].sentinels, "sentinels: %s",
		    words[0]);
		ok(command_runs_others(command) == rows[at].runs_others, "others: %s", words[0]);
		muxbus_command_free(command);
	}
}

int main(void)
{
	test_lines();
	test_all_bytes();
	test_refused();
	test_limits();
	test_nonces();
	test_pack();
	test_classes();
	return done_testing();
}
