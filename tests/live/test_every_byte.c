/* SPDX-License-Identifier: ISC */
/*
 * Typed text arrives byte for byte: every character from U+0001 on that JSON can express, and all
 * characters that are special to shells and tmux, typed into a program in raw mode that records
 * its input. And the other way: every byte a program writes comes back exactly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { TEXT_MAX = 1024 * 1024 };

static const char *const awkward[] = {
    ";",
    "a;",
    ";;",
    "\\;",
    "a\\;b",
    "'",
    "\"",
    "'\"'\"'",
    "$HOME",
    "${HOME}",
    "$(id)",
    "`id`",
    "#{pane_id}",
    "#(id)",
    "##",
    "#",
    "%0",
    "%begin 1 2 1",
    "%end 1 2 1",
    "%exit",
    "~",
    "~root",
    "{",
    "}",
    "{}",
    "[",
    "]",
    "\\",
    "\\\\",
    "\\n",
    "\\033",
    "\n",
    "a\nb",
    "\r",
    "\t",
    "a\tb",
    " ",
    "  ",
    " a ",
    "-",
    "--",
    "-l",
    "-t",
    "-N 3",
    "Enter",
    "C-c",
    "Up",
    "Escape",
    "0x41",
    "F1",
    "!",
    "!!",
    "*",
    "?",
    "&",
    "&&",
    "|",
    "<",
    ">",
    "^",
    "^C",
    "\001",
    "\003",
    "\004",
    "\032",
    "\033",
    "\033[A",
    "\033[200~",
    "\033[201~",
    "\177",
    "é",
    "漢字",
    "🦊",
    "👩‍👩‍👧",
    "\xc2\x80",
    "\xef\xbf\xbd",
    "e\xcc\x81",
    "\xe2\x80\xae rtl",
    "a=b",
    "FOO=bar",
    "if-shell",
    "q\\",
    "\\\"",
    "a'b\"c$d;e#f\\g",
};

static void wait_for_file(struct live *live, const char *name)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		live_run(live, "test -e %s", name);
		if (live->status == 0)
			return;
		live_sleep_ms(10);
	}
	live_bail("%s is never made", name);
}

/* A program that records its input without the terminal's line discipline. */
static char *start_recorder(struct live *live)
{
	char *pane = xstrdup(live_tmux(
	    live, "new-window -dP -F '#{pane_id}' 'stty raw -echo; echo > ready; exec cat > got'"));
	wait_for_file(live, "ready");
	return pane;
}

/* Reads the file until it has len bytes. */
static size_t read_got(struct live *live, char *bytes, size_t len)
{
	char path[96];
	size_t n = 0;
	(void)snprintf(path, sizeof path, "%s/got", live->dir);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		FILE *file = fopen(path, "re");
		n = file == NULL ? 0 : fread(bytes, 1, TEXT_MAX, file);
		if (file != NULL)
			(void)fclose(file);
		if (n >= len)
			break;
		live_sleep_ms(5);
	}
	return n;
}

/* Sends text with a method and appends it to the expected bytes. */
static void type(struct talk *talk, const char *method, const char *pane, const char *member,
    const char *text, size_t len, struct buf *expected)
{
	struct buf params;
	struct json_writer writer;
	const struct json *response;
	buf_init(&params, 4 * TEXT_MAX);
	json_writer_init(&writer, &params);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "pane", pane);
	json_put_text(&writer, member, text, len);
	json_object_end(&writer);
	(void)buf_append_byte(&params, '\0');
	response = talk_call_json(talk, method, (char *)params.data);
	if (at(response, "result") == NULL)
		diag("%s %.200s: %.300s", method, (char *)params.data, talk_text(talk));
	(void)buf_append(expected, text, len);
	buf_finish(&params);
}

static void put_utf8(struct buf *out, unsigned code)
{
	if (code < 0x80) {
		(void)buf_append_byte(out, (uint8_t)code);
	} else if (code < 0x800) {
		(void)buf_append_byte(out, (uint8_t)(0xc0 | code >> 6));
		(void)buf_append_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		(void)buf_append_byte(out, (uint8_t)(0xe0 | code >> 12));
		(void)buf_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
		(void)buf_append_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
	} else {
		(void)buf_append_byte(out, (uint8_t)(0xf0 | code >> 18));
		(void)buf_append_byte(out, (uint8_t)(0x80 | (code >> 12 & 0x3f)));
		(void)buf_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
		(void)buf_append_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
	}
}

/* The first difference, for the diagnosis. */
static void show_difference(const char *got, size_t got_len, const struct buf *expected)
{
	size_t i = 0;
	while (i < got_len && i < expected->len && got[i] == (char)expected->data[i])
		i++;
	diag("%zu bytes of %zu; the first difference is at %zu: got \\%03o, want \\%03o", got_len,
	    expected->len, i, i < got_len ? (unsigned char)got[i] : 0,
	    i < expected->len ? expected->data[i] : 0);
}

static void expect_typed(struct live *live, const struct buf *expected, const char *what)
{
	static char got[TEXT_MAX];
	size_t len = read_got(live, got, expected->len);
	if (!ok(len == expected->len && memcmp(got, expected->data, len) == 0,
		"tmux %s: %s, %zu bytes", live->version, what, len))
		show_difference(got, len, expected);
}

static void check_typing(struct live *live, struct talk *talk)
{
	char *pane = start_recorder(live);
	struct buf expected;
	struct buf text;
	buf_init(&expected, TEXT_MAX);
	buf_init(&text, TEXT_MAX);
	for (unsigned code = 1; code < 0x300; code++) {
		buf_clear(&text);
		put_utf8(&text, code);
		type(talk, "send_text", pane, "text", (char *)text.data, text.len, &expected);
	}
	expect_typed(live, &expected, "send_text of U+0001 to U+02FF one by one");
	for (unsigned code = 0x301; code < 0x20000; code += 61) {
		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		buf_clear(&text);
		put_utf8(&text, code);
		type(talk, "send_text", pane, "text", (char *)text.data, text.len, &expected);
	}
	expect_typed(live, &expected, "send_text of every 61st character");
	for (size_t i = 0; i < sizeof awkward / sizeof awkward[0]; i++)
		type(talk, "send_text", pane, "text", awkward[i], strlen(awkward[i]), &expected);
	expect_typed(live, &expected, "send_text of what shells and tmux find special");

	buf_clear(&text);
	for (unsigned code = 1; code < 0x100; code++)
		put_utf8(&text, code);
	type(talk, "send_text", pane, "text", (char *)text.data, text.len, &expected);
	expect_typed(live, &expected, "send_text of all of them at once");
	buf_clear(&text);
	for (unsigned i = 0; i < 20000; i++)
		put_utf8(&text, 0x20 + i % 0x3000);
	type(talk, "send_text", pane, "text", (char *)text.data, text.len, &expected);
	expect_typed(live, &expected, "send_text of a long text");

	for (size_t i = 0; i < sizeof awkward / sizeof awkward[0]; i++) {
		static const char *const names[] = {
		    "Enter", "C-c", "Up", "Escape", "F1", "^C", "0x41"};
		bool is_key = false;
		for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
			is_key = is_key || strcmp(names[j], awkward[i]) == 0;
		if (!is_key)
			type(talk, "send_keys", pane, "keys", awkward[i], strlen(awkward[i]),
			    &expected);
	}
	expect_typed(live, &expected, "send_keys of what is no key's name");
	talk_call(talk, "send_keys",
	    "{\"pane\":\"%s\",\"keys\":[\"Enter\",\"C-c\",\"a\",\"Escape\",\"Tab\"]}", pane);
	(void)buf_append_str(&expected, "\r\003a\033\t");
	expect_typed(live, &expected, "send_keys of names of keys");
	buf_finish(&expected);
	buf_finish(&text);
	mem_free(pane);
}

/* The writer: "test_every_byte write" waits for a line and then writes every byte. */
static int write_bytes(void)
{
	char bytes[256 + 3];
	size_t n = 0;
	for (int i = 1; i < 256; i++)
		bytes[n++] = (char)i;
	memcpy(bytes + n, "end", 3);
	n += 3;
	if (system("stty raw -echo; echo > writing") != 0 || getchar() == EOF ||
	    write(1, bytes, n) != (ssize_t)n)
		return 1;
	live_sleep_ms(3600 * 1000);
	return 0;
}

static size_t decode_base64(const char *text, uint8_t *out, size_t max)
{
	static const char alphabet[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0;
	unsigned count = 0;
	size_t n = 0;
	for (; *text != '\0' && *text != '=' && n < max; text++) {
		const char *place = strchr(alphabet, *text);
		if (place == NULL)
			return 0;
		bits = bits << 6 | (unsigned)(place - alphabet);
		count += 6;
		if (count >= 8) {
			count -= 8;
			out[n++] = (uint8_t)(bits >> count);
		}
	}
	return n;
}

/* The pane's output from offset on, until the writer's last bytes. */
static size_t read_written(
    struct talk *talk, const char *pane, int64_t offset, uint8_t *got, size_t max)
{
	size_t n = 0;
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *response = talk_call(talk, "read_output",
		    "{\"pane\":\"%s\",\"after\":%lld,\"encoding\":\"base64\"}", pane,
		    (long long)offset);
		const char *base64 = at_str(response, "result.base64");
		if (base64 == NULL) {
			diag("%.300s", talk_text(talk));
			return 0;
		}
		n = decode_base64(base64, got, max);
		if (n >= 3 && memcmp(got + n - 3, "end", 3) == 0)
			break;
		live_sleep_ms(5);
	}
	return n;
}

/* Every byte from a program: read back as base64 from the pane's output. */
static void check_reading(struct live *live, struct talk *talk, const char *self)
{
	uint8_t expected[258];
	uint8_t got[4096];
	size_t n;
	const struct json *response;
	int64_t offset;
	char *pane;
	for (int i = 1; i < 256; i++)
		expected[i - 1] = (uint8_t)i;
	memcpy(expected + 255, "end", 3);
	pane = xstrdup(live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s write'", self));
	wait_for_file(live, "writing");
	response = talk_call(talk, "capture_pane", "{\"pane_id\":\"%s\"}", pane);
	offset = at_int(response, "result.offset");
	talk_call(talk, "read_output", "{\"pane\":\"%s\",\"after\":%lld}", pane, (long long)offset);
	live_tmux(live, "send-keys -t '%s' Enter", pane);
	n = read_written(talk, pane, offset, got, sizeof got);
	is_mem(got, n, expected, sizeof expected, "tmux %s: every byte that a program writes",
	    live->version);
	mem_free(pane);
}

static void test_version(const char *tmux, const char *self)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	struct talk *talk = talk_new(live);
	check_typing(live, talk);
	check_reading(live, talk, self);
	talk_free(talk);
	live_free(live);
}

int main(int argc, char **argv)
{
	static char self[4096];
	const char *const *paths;
	if (argc == 2 && strcmp(argv[1], "write") == 0)
		return write_bytes();
	if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
		live_bail("no /proc");
	paths = live_tmux_paths();
	(void)live_daemon_path();
	for (; *paths != NULL; paths++)
		test_version(*paths, self);
	return done_testing();
}
