/* SPDX-License-Identifier: ISC */
/*
 * Changes to one table of configuration files in TOML: all other lines stay as they were written.
 */
#include "cli/setup/config_toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
	buf_finish(&config->text);
	return text;
}

static const char *set_as(const char *text, const char *key, const char *value, bool only_new)
{
	struct config_toml config;
	bool is_done = config_toml_init(&config, "servers.us", text, strlen(text)) &&
	    config_toml_set(&config, key, value, only_new);
	return result(&config, is_done);
}

static const char *set(const char *text, const char *key, const char *value)
{
	return set_as(text, key, value, false);
}

static const char *without(const char *text)
{
	struct config_toml config;
	bool is_done = config_toml_init(&config, "servers.us", text, strlen(text)) &&
	    config_toml_remove(&config);
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

/* Texts that stay as they are before the table that is added. */
static const char *const valid[] = {
    "a = 'x' # \u00e4\n",
    "a = \"\\b\\t\\\"\\\\\\u00e4\\U0001F600\"\n",
    "a = \"\"\"x \\\n  y\"\"\"\"\"\n",
    "a = ''''x'''''\n",
    "a = \"\"\nb = ''\n",
    "a = 1979-05-27 00:32:00.999-07:00\nb = +inf\n",
    "a = [ [1, 2,], ['x'], # y ]\n ]\nb = []\n",
    "a = { b.c = 1, b.d = [\n1 ], \"e f\" = { } }\n",
    "\"\" . x = 1\n'x y' = 2\n1 = 3\n",
    "a.b = 1\n[d.e]\n[[f]]\n[f.g]\n[[f]]\n",
    "\r\n[a]\r\nb = 1\r\n",
    "[projects.\"C:\\\\\"]\n\"x\\\"y\" = 1\n",
    "[projects.\"/home/u/a.b]=c\"]\ntrust = true\n",
    "a = [\n[servers.us]\n]\n",
    "# [servers.us]\n",
};

static const char *const invalid[] = {
    "a = \"x\ny\"\n",
    "a = 'x\ny'\n",
    "a = \"\"\"x\n",
    "a = '''x\n",
    "a = [1\n",
    "a = [1, # ]\n",
    "a = 1]\n",
    "a\n= 1\n",
    "\"a = 1\n",
    "[]\n",
    "[a.\n]\n",
    "[[a] ]\n",
    "[a]]\n",
    "[a] [b]\n",
};

static void test_grammar(void)
{
	for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
		const char *got = set(valid[i], "a", "1");
		size_t len = strlen(valid[i]);
		ok(strncmp(got, valid[i], len) == 0 &&
			strcmp(got + len, "\n[servers.us]\na = 1\n") == 0,
		    "valid: %s%s", valid[i], got);
	}
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
		ok(strncmp(set(invalid[i], "x", "1"), "refused: ", 9) == 0, "invalid: %s",
		    invalid[i]);
}

static void test_quoted_keys(void)
{
	char key[2048];
	is_str(set("[\"servers\".'us']\n\"a\" = 1\n", "a", "2"), "[\"servers\".'us']\n\"a\" = 2\n",
	    "a quoted key is the same key");
	ok(strncmp(set("\"servers\" = {}\n", "a", "1"), "refused: ", 9) == 0,
	    "a quoted parent in another form is refused");
	ok(strncmp(set("[[servers]]\nx = 1\n", "a", "1"), "refused: ", 9) == 0,
	    "an array of parents is refused");
	memset(key, 'k', sizeof key);
	memcpy(key + sizeof key - 6, " = 1\n", 6);
	ok(strncmp(set(key, "a", "1"), key, sizeof key - 1) == 0, "a long key is another one");
}

static void test_remove(void)
{
	is_str(without("a = 1\n\n[servers.us]\nb = 2\n# c\nd = 3\n\n[x]\n"), "a = 1\n\n[x]\n",
	    "from the middle");
	is_str(without("[servers.us]\nb = 2\n\n[servers.us.env]\nX = 1\n# of x\n[x]\n"),
	    "\n# of x\n[x]\n", "with the tables below it");
	is_str(without("[servers.they]\nus = 1\n"), "[servers.they]\nus = 1\n", "a missing table");
	ok(strncmp(without("servers = {}"), "refused: ", 9) == 0, "not if it has another form");
	is_str(without("[\"servers.us\".x]\na=1\n[servers.us]\n"), "[\"servers.us\".x]\na=1\n",
	    "a quoted name with a dot is another name");
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

/* A text for which there is no room ends the process; otherwise its end would be lost. */
static void test_too_large(void)
{
	static const char table[] = "[servers.us]\na = 1\n";
	size_t len = (size_t)64 * 1024 * 1024 - 2;
	char *text = malloc(len + 1);
	int status = -1;
	pid_t pid;
	memset(text, '#', len);
	text[len] = '\0';
	memcpy(text, table, sizeof table - 1);
	pid = fork();
	if (pid == 0) {
		struct config_toml config;
		if (config_toml_init(&config, "servers.us", text, len))
			(void)config_toml_set(&config, "a", "12345", false);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1, "a text that becomes too large");
	free(text);
}

int main(void)
{
	test_set();
	test_too_large();
	test_refused();
	test_grammar();
	test_quoted_keys();
	test_remove();
	test_round();
	return done_testing();
}
