/* SPDX-License-Identifier: ISC */
/*
 * Changes to one table of configuration files in TOML: all other lines stay as they were written.
 */
#include "cli/config_toml.h"

#include <stdio.h>
#include <string.h>

#include "cli/toml.h"
#include "tap.h"

/* The edited text, or "refused: " and the reason. */
static const char *result(struct config_toml *config, bool is_done)
{
	static char text[8192];
	const char *got = config->text.data ? (const char *)config->text.data : "";
	if (is_done)
		(void)snprintf(text, sizeof text, "%s", got);
	else
		(void)snprintf(text, sizeof text, "refused: %s", config->reason);
	config_toml_finish(config);
	return text;
}

static const char *set_as(const char *text, const char *key, const char *value, bool only_new)
{
	struct config_toml config;
	bool is_done = config_toml_init(&config, text, strlen(text)) &&
	    config_toml_set(&config, "servers", "us", key, value, only_new);
	return result(&config, is_done);
}

static const char *set(const char *text, const char *key, const char *value)
{
	return set_as(text, key, value, false);
}

static const char *without(const char *text)
{
	struct config_toml config;
	bool is_done = config_toml_init(&config, text, strlen(text)) &&
	    config_toml_remove(&config, "servers", "us");
	return result(&config, is_done);
}

static void test_set(void)
{
	is_str(set("", "command", "\"x\""), "[servers.us]\ncommand = \"x\"\n", "an empty file");
	is_str(set("a = 1", "b", "2"), "a = 1\n\n[servers.us]\nb = 2\n",
	    "appended to the existing content");
	is_str(set("[servers.us]\na=1 # one\n\n# of they\n[servers.they]\na=2\n", "b", "[1]"),
	    "[servers.us]\na=1 # one\nb = [1]\n\n# of they\n[servers.they]\na=2\n",
	    "a key is added");
	is_str(set(" [ servers . \"us\" ] # here\r\n\ta = [1, # ]\n 2]\t# two\n", "a", "3"),
	    " [ servers . \"us\" ] # here\r\n\ta = 3\t# two\n", "a value is replaced in its place");
	is_str(set("[servers.us]\na = 1", "b", "2"), "[servers.us]\na = 1\nb = 2\n",
	    "no last newline");
	is_str(set_as("[servers.us]\na = 1\n", "a", "2", true), "[servers.us]\na = 1\n",
	    "an existing table can stay");
	is_str(set("t = \"\"\"\n[servers.us]\na = 1\n\"\"\"\"\nl = '''\n\\'''\n", "a", "2"),
	    "t = \"\"\"\n[servers.us]\na = 1\n\"\"\"\"\nl = '''\n\\'''\n\n[servers.us]\na = 2\n",
	    "a header inside a string is not a header");
	is_str(set("[servers.us.env]\nX = \"1\"\n[[list]]\nus = 1\n", "a", "2"),
	    "[servers.us.env]\nX = \"1\"\n[[list]]\nus = 1\n\n[servers.us]\na = 2\n",
	    "a table below it can stand first");
	is_str(set("[servers.us]\nenv.X = \"1\"\n", "env", "2"), "[servers.us]\nenv.X = \"1\"\n",
	    "a dotted key is not overwritten");
	is_str(set("[servers.\"us\\\"\"]\n[other]\nservers.us = 1\n", "a", "1"),
	    "[servers.\"us\\\"\"]\n[other]\nservers.us = 1\n\n[servers.us]\na = 1\n",
	    "similar names");
}

static void test_refused(void)
{
	static const char *const texts[] = {"servers = {}\n", "servers.us.a = 1\n",
	    "servers.us = { a = 1 }\n", "[servers]\nus = { a = 1 }\n", "[servers]\nus.a = 1\n",
	    "[[servers.us]]\n", "[[servers.us.x]]\n", "a = \"\n", "a = \"\"\"\n", "a = [1\n", "a\n",
	    "[a\n", "a = ]\n", "= 1\n", "[a] b\n", "a = 1 ] \n", "a =\n", "a = \"\xff\"\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		ok(strncmp(set(texts[i], "a", "1"), "refused: ", 9) == 0, "refused: %s", texts[i]);
	is_str(set("# one\na = \"\n", "a", "1"), "refused: line 2 is not plain TOML",
	    "the refusal names the line");
}

/* Texts that TOML 1.0 allows, and that it does not. */
static const char *const valid[] = {
    "a = 'x' # \u00e4\n",
    "a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00e4\\U0001F600\"\n",
    "a = \"\"\"x \\\n  y\"\"\"\"\"\n",
    "a = ''''x'''''\n",
    "a = +1_000\nb = -0\nc = 0xdead_BEEF\nd = 0o17\ne = 0b11\n",
    "a = 9223372036854775807\nb = -9223372036854775808\n",
    "a = 1.5e+10\nb = -0.0\nc = 6E-3\nd = +inf\ne = nan\nf = 1_0.0_1\n",
    "a = 1979-05-27T07:32:00Z\nb = 1979-05-27 00:32:00.999-07:00\nc = 1979-05-27\nd = "
    "07:32:00\ne = 2024-02-29t23:59:60\n",
    "a = [ [1, 2,], ['x'], # y\n ]\nb = []\n",
    "a = { b.c = 1, b.d = [\n1 ], \"e f\" = { } }\n",
    "\"\" = 1\n'x y' = 2\n1 = 3\n",
    "a.b = 1\na.c = 2\n[d.e]\n[d]\n[[f]]\n[f.g]\n[[f]]\n[f.g]\n[a.d]\n",
    "\r\n[a]\r\nb = 1\r\n",
    "[projects.\"/home/u/a.b\"]\ntrust = true\n",
};

static const char *const invalid[] = {
    "a = yes\n",
    "a = True\n",
    "a = truex\n",
    "a = 1 2\n",
    "a = 01\n",
    "a = 1__0\n",
    "a = 1_\n",
    "a = _1\n",
    "a = 1.\n",
    "a = .5\n",
    "a = 1e\n",
    "a = 0x\n",
    "a = +0x1\n",
    "a = 9223372036854775808\n",
    "a = infinity\n",
    "a = 1979-13-01\n",
    "a = 2023-02-29\n",
    "a = 1979-05-27T25:00:00\n",
    "a = 07:32\n",
    "a = \"\\x\"\n",
    "a = \"\\ud800\"\n",
    "a = \"\\U00110000\"\n",
    "a = \"\\u12\"\n",
    "a = \"x\ny\"\n",
    "a = 'x\ny'\n",
    "a = \"\x01\"\n",
    "a = \"\"\"x\"\"\"\"\"\"\n",
    "a = 'x'y\n",
    "a = x'y'\n",
    "a = [1 2]\n",
    "a = [1,,2]\n",
    "a = [,]\n",
    "a = [1}\n",
    "a = {b}\n",
    "a = {b = 1,}\n",
    "a = {b = 1\n}\n",
    "a = {b = 1 c = 2}\n",
    "a = {b = 1, b = 2}\n",
    "a = {b = {}, b.c = 2}\n",
    "a = 1 b = 2\n",
    "a b = 1\n",
    "a. = 1\n",
    ".a = 1\n",
    "a..b = 1\n",
    "a\n= 1\n",
    "\xc3\xa4 = 1\n",
    "\"\"\"a\"\"\" = 1\n",
    "\"a\\x\" = 1\n",
    "\"a = 1\n",
    "\"a\\u0000\" = 1\n",
    "a = 1\na = 2\n",
    "a = 1\n\"a\" = 2\n",
    "a = 1\n\"\\u0061\" = 2\n",
    "a = 1\na.b = 2\n",
    "a = {}\na.b = 2\n",
    "a = 1\n[a]\n",
    "a = {}\n[a.b]\n",
    "[a]\n[a]\n",
    "[a]\n[[a]]\n",
    "[[a]]\n[a]\n",
    "a = []\n[[a]]\n",
    "a.b = 1\n[a]\n",
    "[a.b]\n[a]\nb.c = 1\n",
    "[]\n",
    "[a.]\n",
    "[ [a] ]\n",
    "[[a] ]\n",
    "[a]]\n",
    "[a] [b]\n",
    "# \x01\n",
    "a = 1\rb = 2\n",
};

static void test_grammar(void)
{
	char deep[4096] = "a = ";
	for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
		const char *got = set(valid[i], "a", "1");
		ok(strncmp(got, valid[i], strlen(valid[i])) == 0, "valid: %s%s", valid[i], got);
	}
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
		ok(strncmp(set(invalid[i], "x", "1"), "refused: ", 9) == 0, "invalid: %s",
		    invalid[i]);
	memset(deep + 4, '[', 1000);
	memset(deep + 1004, ']', 1000);
	ok(strncmp(set(deep, "a", "1"), "refused: ", 9) == 0, "too deep");
}

/* Keys are compared as they are meant. */
static void test_quoted_keys(void)
{
	char key[TOML_KEY_BYTES + 16];
	is_str(set("[\"ser\\u0076ers\".'us']\n\"\\u0061\" = 1\n", "a", "2"),
	    "[\"ser\\u0076ers\".'us']\n\"\\u0061\" = 2\n", "an escaped key is the same key");
	is_str(without("[\"\\u0073ervers\".\"u\\U00000073\"]\na = 1\n"), "",
	    "and an escaped table the same table");
	ok(strncmp(set("[\"ser\\vers\".us]\n", "a", "1"), "refused: ", 9) == 0,
	    "a key that cannot be decoded is refused");
	ok(strncmp(set("\"\\u0073ervers\" = {}\n", "a", "1"), "refused: ", 9) == 0,
	    "an escaped parent in another form is refused");
	ok(strncmp(set("[[servers]]\nx = 1\n", "a", "1"), "refused: ", 9) == 0,
	    "an array of parents is refused");
	memset(key, 'k', sizeof key);
	memcpy(key + sizeof key - 6, " = 1\n", 6);
	ok(strncmp(set(key, "a", "1"), "refused: ", 9) == 0, "and so is a key that is too long");
	memcpy(key + 4000, " = 1\n", 6);
	ok(strncmp(set(key, "a", "1"), key, 4005) == 0, "but not a path");
}

static void test_remove(void)
{
	is_str(without("a = 1\n\n[servers.us]\nb = 2\n# c\nd = 3\n\n[x]\n"), "a = 1\n\n[x]\n",
	    "from the middle");
	is_str(without("[servers.us]\nb = 2\n\n[servers.us.env]\nX = 1\n# of x\n[x]\n"),
	    "\n# of x\n[x]\n", "with the tables below it");
	is_str(without("[servers.they]\nus = 1\n"), "[servers.they]\nus = 1\n", "a missing table");
	ok(strncmp(without("servers = {}"), "refused: ", 9) == 0, "not if it has another form");
}

/* Setting a table and removing it again leaves every byte unchanged. */
static void test_round(void)
{
	static const char *const texts[] = {
	    "", "a = 1\n", "# c\n\n[servers.they]\n\ta=1\n\n", "a = '''\n\n'''\n[x]\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char with[4096];
		(void)snprintf(with, sizeof with, "%s", set(texts[i], "a", "[\"x\"]"));
		is_str(set(with, "a", "[\"x\"]"), with, "set twice is set once");
		is_str(without(with), texts[i], "set and removed");
	}
}

int main(void)
{
	test_set();
	test_refused();
	test_grammar();
	test_quoted_keys();
	test_remove();
	test_round();
	return done_testing();
}
