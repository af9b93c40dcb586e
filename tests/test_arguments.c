/* SPDX-License-Identifier: ISC */
/* Arguments of the command line: each type of field, right and wrong, and words for a shell. */
#include "cli/arguments.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "wire/shell_word.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"text\":{\"type\":\"string\"},"
    "\"lines\":{\"type\":\"integer\"},"
    "\"seconds\":{\"type\":\"number\"},"
    "\"force\":{\"type\":\"boolean\"},"
    "\"kinds\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"keys\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\"}]},"
    "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"button\":{\"type\":\"string\",\"enum\":[\"left\",\"right\"]},"
    "\"base64\":{\"type\":\"string\"},"
    "\"data\":{}},"
    "\"required\":[\"text\"]}";

static struct json_reader *reader;
static const struct json *schema;
static char file_path[] = "/tmp/muxbus-test-XXXXXX";
static char reason[512];

/* The JSON of the words, or the reason after a "!". */
static const char *made(const struct json *of, int count, const char *const *words)
{
	static struct buf out;
	static char text[1024];
	buf_finish(&out);
	buf_init(&out, 65536);
	reason[0] = '\0';
	if (arguments_write(&out, of, count, words, reason, sizeof reason) < 0) {
		text[0] = '!';
		strncpy(text + 1, reason, sizeof text - 2);
		return text;
	}
	return (const char *)out.data;
}

#define MADE(...)                                                            \
	made(schema, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), \
	    (const char *[]){__VA_ARGS__})

static void test_types(void)
{
	is_str(made(schema, 0, NULL), "{}", "no words");
	is_str(MADE("text=5"), "{\"text\":\"5\"}", "a string stays one");
	is_str(MADE("text=true"), "{\"text\":\"true\"}", "for any text");
	is_str(MADE("text="), "{\"text\":\"\"}", "an empty string");
	is_str(MADE("text=a=b:=c"), "{\"text\":\"a=b:=c\"}", "a string with signs in it");
	is_str(MADE("lines=5"), "{\"lines\":5}", "an integer");
	is_str(MADE("lines=-5"), "{\"lines\":-5}", "a negative one");
	is_str(MADE("lines=1e3"), "{\"lines\":1e3}", "written otherwise");
	is_str(MADE("seconds=0.5"), "{\"seconds\":0.5}", "a number");
	is_str(MADE("force=yes"), "{\"force\":true}", "a truth value");
	is_str(MADE("force=0"), "{\"force\":false}", "in digits");
	is_str(MADE("kinds=a"), "{\"kinds\":[\"a\"]}", "an array of one");
	is_str(MADE("kinds=a", "lines=1", "kinds=b"), "{\"kinds\":[\"a\",\"b\"],\"lines\":1}",
	    "an array of two, separated");
	is_str(MADE("keys=a"), "{\"keys\":\"a\"}", "keys: one");
	is_str(MADE("keys=a", "keys=Enter"), "{\"keys\":[\"a\",\"Enter\"]}", "keys: two");
	is_str(MADE("env=A=1", "env=B=x=y"), "{\"env\":{\"A\":\"1\",\"B\":\"x=y\"}}", "a map");
	is_str(MADE("data=5"), "{\"data\":5}", "any value: a number stays a number");
	is_str(MADE("data=true"), "{\"data\":true}", "and so does a truth value");
	is_str(MADE("data=[1]"), "{\"data\":\"[1]\"}", "but no other text is converted");
	is_str(MADE("data=5x"), "{\"data\":\"5x\"}", "nor is this");
	is_str(MADE("unknown=5"), "{\"unknown\":\"5\"}", "an unknown member is left to the daemon");
	is_str(MADE("text=\303\251"), "{\"text\":\"\303\251\"}", "UTF-8");
}

static void test_json(void)
{
	is_str(MADE("data:={\"a\":[1,2]}"), "{\"data\":{\"a\":[1,2]}}", "JSON");
	is_str(MADE("text:=5"), "{\"text\":5}", "JSON is as it was given");
	is_str(MADE("kinds:=[\"a\",\"b\"]"), "{\"kinds\":[\"a\",\"b\"]}", "a whole array");
	is_str(MADE("env:={\"A\":\"1\"}"), "{\"env\":{\"A\":\"1\"}}", "a whole map");
	is_str(MADE("kinds=a", "kinds:=\"b\""), "{\"kinds\":[\"a\",\"b\"]}", "an element");
	is_int(MADE("data:={\"a\":1")[0], '!', "half a value");
	ok(strstr(reason, "data: not JSON"), "%s", reason);
	is_int(MADE("data:=1 2")[0], '!', "two values");
	is_int(MADE("data:=")[0], '!', "none");
	is_int(MADE("data:={\"a\":1,\"a\":2}")[0], '!', "a name twice");
	is_int(MADE("env=A=1", "env:={}")[0], '!', "a map in two ways");
}

static void test_wrong(void)
{
	is_str(MADE("lines=x"), "!lines: must be a whole number, not \"x\"", "no integer");
	is_str(MADE("lines=1.5"), "!lines: must be a whole number, not \"1.5\"", "not whole");
	is_str(MADE("lines="), "!lines: must be a whole number, not \"\"", "nothing");
	is_str(MADE("lines= 5 6"), "!lines: must be a whole number, not \" 5 6\"", "two");
	is_str(MADE("seconds=NaN"), "!seconds: must be a number, not \"NaN\"", "NaN is none");
	is_str(MADE("seconds=0x10"), "!seconds: must be a number, not \"0x10\"", "nor is hex");
	is_str(MADE("force=maybe"), "!force: must be true or false, not \"maybe\"", "neither");
	is_str(MADE("text=a", "text=b"), "!text: given 2 times", "twice");
	is_str(MADE("env=A"), "!env: must be env=NAME=value, not \"A\"", "a map without a name");
	is_str(MADE("env=A=1", "env=B=1", "env=A=2"), "!env: A is given twice", "a name twice");
	is_int(MADE("text=\377")[0], '!', "no UTF-8");
	ok(strstr(reason, "not valid UTF-8"), "%s", reason);
	is_int(MADE("env=A=\377")[0], '!', "nor in a map");
}

static void test_positional(void)
{
	const struct json *none = json_read(
	    reader, "{\"type\":\"object\",\"properties\":{}}", 33, &(struct json_error){0});
	is_str(made(none, 1, (const char *[]){"x"}), "!\"x\" is not of the form key=value",
	    "a word without a key, for a method without such a word");
	schema = json_read(reader, schema_text, strlen(schema_text), &(struct json_error){0});
	is_str(MADE("hello"), "{\"text\":\"hello\"}", "a word without a key");
	is_str(MADE("hello world=x"), "{\"text\":\"hello world=x\"}", "that is no key");
	is_str(MADE("=x"), "{\"text\":\"=x\"}", "nor is nothing");
	is_str(MADE("9=x"), "{\"text\":\"9=x\"}", "nor a number");
	is_str(MADE("--", "lines=5"), "{\"text\":\"lines=5\"}",
	    "after -- every word is taken as it is");
	is_str(MADE("lines=1", "--", "-"), "{\"lines\":1,\"text\":\"-\"}", "even -");
	is_str(MADE("a", "b"), "!text: given 2 times; what has blanks needs quotes",
	    "two are too many");
	is_str(MADE("--lines=5"), "!\"--lines=5\": write lines=..., without dashes",
	    "an option for a key is no text");
	is_str(MADE("--enter-it", "x"),
	    "!there is no option \"--enter-it\"; a text like that follows --", "nor is another");
	is_str(MADE("--", "--lines=5"), "{\"text\":\"--lines=5\"}", "but behind --");
	is_str(MADE("-x"), "{\"text\":\"-x\"}", "one dash is text");
	is_str(MADE("-x", "lines=5"), "{\"text\":\"-x\",\"lines\":5}", "with a key behind it");
	is_str(MADE("-x", "a"), "!there is no option \"-x\"; a text like that follows --",
	    "but no option");
	is_str(arguments_positional(schema)->name, "text", "the required one");
}

/* The pane is the first word without a key, if that can be one. */
static void test_pane(void)
{
	static const char keys_text[] =
	    "{\"type\":\"object\",\"properties\":{\"pane\":{\"type\":\"string\"},"
	    "\"keys\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\"}]}}}";
	static const char mouse_text[] =
	    "{\"type\":\"object\",\"properties\":{\"pane\":{\"type\":\"string\"},"
	    "\"x\":{\"type\":\"integer\"},\"y\":{\"type\":\"integer\"}},"
	    "\"required\":[\"x\",\"y\"]}";
	struct json_reader *other = json_reader_new(65536);
	const struct json *saved = schema;
	schema = json_read(other, keys_text, strlen(keys_text), &(struct json_error){0});
	is_str(MADE("%6", "x", "Enter"), "{\"pane\":\"%6\",\"keys\":[\"x\",\"Enter\"]}",
	    "a pane before its keys");
	is_str(MADE("%6"), "{\"pane\":\"%6\"}", "a pane alone");
	is_str(
	    MADE("%6", "keys=x"), "{\"pane\":\"%6\",\"keys\":\"x\"}", "a pane, and a key's word");
	is_str(
	    MADE("work:1.0", "x"), "{\"pane\":\"work:1.0\",\"keys\":\"x\"}", "a pane by its place");
	is_str(MADE("work:1", "x"), "{\"pane\":\"work:1\",\"keys\":\"x\"}", "or its window's");
	is_str(MADE("localhost:80"), "{\"keys\":\"localhost:80\"}", "which alone is text");
	is_str(MADE("a/b:1", "x"), "{\"keys\":[\"a/b:1\",\"x\"]}", "as is a path");
	is_str(MADE("x", "%6"), "{\"keys\":[\"x\",\"%6\"]}", "not behind another word");
	is_str(MADE("--", "%6"), "{\"keys\":\"%6\"}", "nor behind --");
	is_str(MADE("-t", "%6", "x", "Enter"),
	    "!\"-t\": a pane is named without an option, as %3 or pane=...", "tmux's option");
	is_str(MADE("%6", "-l", "x"), "!there is no option \"-l\"; a text like that follows --",
	    "nor is another typed");
	is_str(MADE("%6", "--", "-l", "x"), "{\"pane\":\"%6\",\"keys\":[\"-l\",\"x\"]}",
	    "but behind --");
	is_str(MADE("%6", "x", "-l"), "{\"pane\":\"%6\",\"keys\":[\"x\",\"-l\"]}",
	    "or behind another");
	is_str(MADE("%6", "-l"), "{\"pane\":\"%6\",\"keys\":\"-l\"}", "or alone");
	is_str(MADE("-5 or", "x"), "{\"keys\":[\"-5 or\",\"x\"]}", "or as a text");
	is_str(
	    MADE("pane=%1", "%6"), "{\"pane\":\"%1\",\"keys\":\"%6\"}", "nor if the pane is given");
	is_str(MADE("%6", "pane=%1"), "{\"keys\":\"%6\",\"pane\":\"%1\"}", "anywhere");
	is_str(MADE("%x", "%6a"), "{\"keys\":[\"%x\",\"%6a\"]}", "nor if it cannot be one");
	schema = json_read(other, mouse_text, strlen(mouse_text), &(struct json_error){0});
	is_str(MADE("%6", "x=1", "y=2"), "{\"pane\":\"%6\",\"x\":1,\"y\":2}",
	    "also where no other word may be without a key");
	is_int(MADE("nine", "x=1", "y=2")[0], '!', "but nothing else");
	json_reader_free(other);
	schema = saved;
}

static void write_file(const char *bytes, size_t len)
{
	int fd = open(file_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		diag("the file cannot be written");
	close(fd);
}

static void test_files(void)
{
	char from[64] = "text@=";
	char lines[64] = "lines@=";
	char encoded[64] = "base64@=";
	char plain[64] = "text=@";
	char want[128];
	int saved;
	strcat(from, file_path);
	strcat(lines, file_path);
	strcat(encoded, file_path);
	strcat(plain, file_path);
	write_file("a\nb\n", 4);
	is_str(MADE(from), "{\"text\":\"a\\nb\\n\"}", "text from a file, as it is");
	strcpy(want, "{\"text\":\"@");
	strcat(want, file_path);
	strcat(want, "\"}");
	is_str(MADE(plain), want,
	    "text that begins with @ names no file, because it may come from a stranger");
	is_str(MADE("text=-"), "{\"text\":\"-\"}", "and - is text");
	write_file("7", 1);
	is_str(MADE(lines), "{\"lines\":7}", "a number from a file");
	write_file("", 0);
	is_str(MADE(from), "{\"text\":\"\"}", "an empty file");
	write_file("\377\0", 2);
	is_int(MADE(from)[0], '!', "a file that is no text");
	is_str(MADE(encoded), "{\"base64\":\"/wA=\"}", "is sent as base64 where that is wanted");
	is_int(MADE("text@=/nowhere/at/all")[0], '!', "a missing file");
	ok(strstr(reason, "No such file"), "%s", reason);
	write_file("from input", 10);
	saved = dup(0);
	close(0);
	is_int(open(file_path, O_RDONLY), 0, "standard input");
	is_str(MADE("-"), "{\"text\":\"from input\"}", "is read for -");
	is_int(MADE("-", "data@=-")[0], '!', "but once only");
	dup2(saved, 0);
	close(saved);
}

static void test_usage(void)
{
	struct buf out;
	struct json_error error;
	static const char params[] = "{\"text\":\"it's\",\"kinds\":[\"a\",\"b "
				     "c\"],\"env\":{\"A\":\"$x\"},\"data\":{\"a\":1},"
				     "\"lines\":-3,\"force\":true}";
	struct json_reader *other;
	buf_init(&out, 4096);
	arguments_usage(&out, "do_it", schema);
	is_str((const char *)out.data,
	    "do_it text=text [lines=number] [seconds=number] [force=true|false] [kinds=text ...] "
	    "[keys=text ...] [env=NAME=text ...] [button=left|right] [base64=text] [data:=json]",
	    "a usage");
	other = json_reader_new(4096);
	buf_clear(&out);
	arguments_example(&out, "do_it", schema, json_read(other, params, strlen(params), &error));
	is_str((const char *)out.data,
	    "do_it text='it'\\''s' kinds=a kinds='b c' env=A='$x' data:='{\"a\":1}' lines=-3 "
	    "force=true",
	    "an example");
	json_reader_free(other);
	buf_finish(&out);
}

/* For any words, the request is one line of JSON, or nothing. */
static void test_random(void)
{
	static const char *const starts[] = {"", "text=", "lines=", "seconds=", "force=", "kinds=",
	    "keys=", "env=A=", "data=", "data:=", "kinds:=", "env:=", "x=", "--", "button="};
	static const char bytes[] = "0123456789.eE+-{}[]\",:\\ntrufalse \n\r\t\033=@'$\377\303\251";
	unsigned seed = 1;
	int bad = 0;
	struct json_reader *checker = json_reader_new(65536);
	for (int round = 0; round < 20000; round++) {
		char storage[4][40];
		const char *words[4], *got;
		int count = 1 + round % 4;
		const struct json *value;
		bool is_refused, is_bad;
		for (int i = 0; i < count; i++) {
			const char *start;
			size_t len;
			seed = seed * 1103515245u + 12345u;
			start = starts[(seed >> 16) % (sizeof starts / sizeof *starts)];
			len = strlen(start);
			memcpy(storage[i], start, len);
			for (unsigned left = (seed >> 8) % 12; left > 0; left--) {
				seed = seed * 1103515245u + 12345u;
				storage[i][len++] = bytes[(seed >> 16) % (sizeof bytes - 1)];
			}
			storage[i][len] = '\0';
			/* A text may name a file; no file is read here. */
			words[i] = strstr(storage[i], "@=") || strcmp(storage[i], "-") == 0
			    ? "text=x"
			    : storage[i];
		}
		got = made(schema, count, words);
		value = json_read(checker, got, strlen(got), &(struct json_error){0});
		is_refused = got[0] == '!' && reason[0];
		is_bad = !is_refused &&
		    (value == NULL || value->type != JSON_OBJECT || strchr(got, '\n'));
		if (is_bad)
			diag("%s", got);
		bad += is_bad;
	}
	json_reader_free(checker);
	is_int(bad, 0, "random words become one line of JSON, or are refused");
}

/* A real shell reads back what was quoted. */
static void test_shell(void)
{
	static const char *const words[] = {"plain", "", " ", "a b", "'", "''", "it's", "$HOME",
	    "`id`", "\\", "\"", "*", "~", "!x", "#x", "a=b", "-n", "--", "if", "\n", "a\nb", "&",
	    ";", "(x)", "{a,b}", "\303\251", "\001", "%3", "[x]", "<x", "time", "\t"};
	struct buf command;
	buf_init(&command, 65536);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char got[64] = "";
		FILE *file;
		size_t len;
		buf_clear(&command);
		(void)buf_append_str(&command, "exec printf '%s.' ");
		(void)shell_word(&command, words[i]);
		file = popen((const char *)command.data, "r");
		len = file != NULL ? fread(got, 1, sizeof got - 1, file) : 0;
		if (file != NULL)
			pclose(file);
		ok(len == strlen(words[i]) + 1 && memcmp(got, words[i], len - 1) == 0,
		    "a shell reads back word %zu: %s", i, words[i]);
	}
	buf_finish(&command);
}

int main(void)
{
	int fd = mkstemp(file_path);
	if (fd < 0)
		skip_all("no file to work with");
	close(fd);
	reader = json_reader_new(65536);
	schema = json_read(reader, schema_text, strlen(schema_text), &(struct json_error){0});
	test_types();
	test_json();
	test_wrong();
	test_positional();
	test_pane();
	test_files();
	test_usage();
	test_random();
	test_shell();
	json_reader_free(reader);
	unlink(file_path);
	return done_testing();
}
