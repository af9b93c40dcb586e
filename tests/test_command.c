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
	is_line(command, 3, "a ; list-comman -F " A " lscm ; b x ; list-comman -F " B " lscm ; c");

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
	static const char want[] = "\x16\0\0\0a\0x\\;\0\\;\0\0;\0list-comman\0-F\0" A
				   "\0lscm\0;\0set-b\0y;z\0;\0list-comman\0-F\0" B
				   "\0lscm\0;\0list-comman\0-F\0" B "\0lscm";
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
	is_int(command_pack(command, nonces, 2, &out), 0, "a list is packed");
	ok(out.len == sizeof want && memcmp(out.data, want, sizeof want) == 0,
	    "... as its arguments");
	buf_clear(&out);
	out.max = 20;
	is_int(command_pack(command, nonces, 2, &out), MUXBUS_ERR_LIMIT, "a list without room");
	buf_finish(&out);
	muxbus_command_free(command);
}

static int pack_words(size_t count, unsigned sentinels)
{
	struct muxbus_command *command = new_command();
	static const struct nonce nonces[1];
	struct buf out = BUF(65536);
	int error;
	for (size_t i = 0; i < count; i++)
		muxbus_command_args(command, "x", NULL);
	error = command_pack(command, nonces, sentinels, &out);
	buf_finish(&out);
	muxbus_command_free(command);
	return error;
}

static void test_many_words(void)
{
	is_int(pack_words(1000, 0), 0, "as many words as tmux 3.7 takes");
	is_int(pack_words(1001, 0), MUXBUS_ERR_LIMIT, "... not one more");
	is_int(pack_words(990, 2), 0, "as many words with sentinels");
	is_int(pack_words(991, 2), MUXBUS_ERR_LIMIT, "... not one more");
}

/* Abbreviations and aliases count as unknown. */
static void test_classes(void)
{
	static const struct {
		const char *words[2];
		bool is_quick;
		unsigned sentinels;
	} rows[] = {
	    {{"show-options"}, true, 1},
	    {{"show-op"}, false, 0},
	    {{"show"}, false, 0},
	    {{"show-buffer"}, false, 2},
	    {{"show-buf"}, false, 0},
	    {{"showb"}, false, 0},
	    {{"list-panes"}, true, 1},
	    {{"lsp"}, false, 0},
	    {{"capture-pane"}, true, 1},
	    {{"capturep"}, false, 0},
	    {{"pipe-pane"}, true, 2},
	    {{"load-buffer"}, true, 0},
	    {{"pipep"}, false, 0},
	    {{"new-window", "-P"}, false, 2},
	    {{"respawn-pane"}, false, 2},
	    {{"respawnp"}, false, 0},
	    {{"set-option"}, true, 2},
	    {{"set-hook", "-R"}, false, 0},
	    {{"display-message", "-p"}, true, 1},
	    {{"display-message", "x"}, false, 1},
	    {{"display", "-p"}, false, 0},
	    {{"if-shell"}, false, 0},
	    {{"save-buffer"}, false, 0},
	    {{"if"}, false, 0},
	    {{"i"}, false, 0},
	    {{"run-shell"}, false, 0},
	    {{"run"}, false, 0},
	    {{"ru"}, false, 0},
	    {{"source"}, false, 0},
	    {{"so"}, false, 0},
	    {{"info"}, false, 0},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct muxbus_command *command = new_command();
		const char *const *words = rows[at].words;
		muxbus_command_args(command, words[0], words[1], NULL);
		ok(command_is_quick(command) == rows[at].is_quick, "quick: %s", words[0]);
		is_int((int)command_sentinels(command), (int)rows[at].sentinels, "sentinels: %s",
		    words[0]);
		ok(command_is_synchronous(command) == (rows[at].sentinels != 0), "alone: %s",
		    words[0]);
		muxbus_command_next(command);
		muxbus_command_args(command, "list-panes", NULL);
		ok(command_is_synchronous(command) == (rows[at].sentinels != 0), "first: %s",
		    words[0]);
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
	test_many_words();
	test_classes();
	return done_testing();
}
