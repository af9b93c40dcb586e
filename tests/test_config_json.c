/* SPDX-License-Identifier: ISC */
/* Changes to configuration files in JSON: the requested member changes, every other byte stays. */
#include "cli/setup/config_json.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define PATH(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* The edited text, or "refused: " and the reason. */
static const char *result(struct config_json *config, bool is_done)
{
	static char text[4096];
	if (is_done)
		(void)snprintf(text, sizeof text, "%s", (const char *)config->text.data);
	else
		(void)snprintf(text, sizeof text, "refused: %s", config->reason);
	buf_finish(&config->text);
	return text;
}

static const char *set_as(
    const char *text, const char *const *path, const char *value, bool only_new)
{
	struct config_json config;
	bool is_done = config_json_init(&config, text, strlen(text)) &&
	    config_json_set(&config, path, value, only_new);
	return result(&config, is_done);
}

static const char *set(const char *text, const char *const *path, const char *value)
{
	return set_as(text, path, value, false);
}

static const char *set_element(
    const char *text, const char *const *path, const char *mark, const char *value)
{
	struct config_json config;
	bool is_done = config_json_init(&config, text, strlen(text)) &&
	    config_json_set_element(&config, path, mark, value);
	return result(&config, is_done);
}

static const char *without(const char *text, const char *const *path)
{
	struct config_json config;
	bool is_done =
	    config_json_init(&config, text, strlen(text)) && config_json_remove(&config, path);
	return result(&config, is_done);
}

static const char *without_elements(const char *text, const char *const *path, const char *mark)
{
	struct config_json config;
	bool is_done = config_json_init(&config, text, strlen(text)) &&
	    config_json_remove_elements(&config, path, mark);
	return result(&config, is_done);
}

static void test_set(void)
{
	is_str(set("", PATH("a"), "1"), "{\n  \"a\": 1\n}\n", "an empty file");
	is_str(set("{}", PATH("a", "b", "c"), "{\"x\":[1,2],\"y\":{}}"),
	    "{\n  \"a\": {\n    \"b\": {\n      \"c\": {\n        \"x\": [1, 2],\n        \"y\": "
	    "{}\n"
	    "      }\n    }\n  }\n}",
	    "missing objects are created");
	is_str(set("{\n\t\"z\": 1.50\n}\n", PATH("a", "b"), "true"),
	    "{\n\t\"z\": 1.50,\n\t\"a\": {\n\t\t\"b\": true\n\t}\n}\n",
	    "its own indentation is kept");
	is_str(set("{\"z\":1,\"a\":{\"b\":[ 1,2 ]}}", PATH("a", "c"), "{\"d\":1}"),
	    "{\"z\":1,\"a\":{\"b\":[ 1,2 ], \"c\": {\"d\":1}}}",
	    "an object on one line stays on one line");
	is_str(set("{\n  \"a\": {\n    \"b\": \"}\\\"]\" , \"c\" :1e5 },\n  \"d\": 2\n}",
		   PATH("a", "c"), "7"),
	    "{\n  \"a\": {\n    \"b\": \"}\\\"]\" , \"c\" :7 },\n  \"d\": 2\n}",
	    "a value is replaced in its place");
	is_str(set("{\"a\": [ 1,\n2 ]}", PATH("a"), "[1,2]"), "{\"a\": [ 1,\n2 ]}",
	    "an equal value is not touched");
	is_str(set_as("{\"a\": 1}", PATH("a"), "2", true), "{\"a\": 1}",
	    "an existing member can stay");
	is_str(set_as("{\"b\": 1}", PATH("a"), "2", true), "{\"b\": 1, \"a\": 2}", "or be added");
}

static void test_refused(void)
{
	ok(strstr(
	       set("{\"a\":1,}", PATH("b"), "1"), "refused: it is not plain JSON (extra comma") &&
		strstr(set("{\"a\":1,}", PATH("b"), "1"), "offset 7"),
	    "extra comma");
	ok(strstr(set("// me\n{}", PATH("b"), "1"), "refused: it is not plain JSON"), "comments");
	ok(strstr(set("{\"a\":1,\"a\":2}", PATH("b"), "1"), "refused: "), "a duplicate name");
	is_str(set("[]", PATH("b"), "1"), "refused: it is an array, not an object", "an array");
	is_str(set("{\"a\":[]}", PATH("a", "b"), "1"), "refused: \"a\" in it is not an object",
	    "an array on the way");
	is_str(set_element("{\"a\":{}}", PATH("a"), "m", "1"),
	    "refused: \"a\" in it is not an array", "an object where an array belongs");
	ok(strstr(set("{\"\\u0061\":1}", PATH("a"), "2"), "refused: "),
	    "a name in another spelling");
}

static void test_elements(void)
{
	is_str(set_element("{}", PATH("h", "Stop"), "us", "{\"c\":\"us\"}"),
	    "{\n  \"h\": {\n    \"Stop\": [\n      {\n        \"c\": \"us\"\n      }\n    ]\n  "
	    "}\n}",
	    "a missing array is created");
	is_str(set_element("{\"h\":[{\"c\":\"they\"}]}", PATH("h"), "us", "{\"c\":\"us\"}"),
	    "{\"h\":[{\"c\":\"they\"}, {\"c\":\"us\"}]}", "an element is appended");
	is_str(set_element(
		   "{\"h\":[\"us 1\",\"they\",\"us 2\" , \"us 3\"]}", PATH("h"), "us", "\"us\""),
	    "{\"h\":[\"us\",\"they\" ]}", "our element is there once");
	is_str(set_element("{\n  \"h\": [\n  ]\n}", PATH("h"), "us", "\"us\""),
	    "{\n  \"h\": [\n    \"us\"\n  ]\n}", "an empty array");
	is_str(without_elements(
		   "{\"h\":{\"S\":[\"us\"],\"T\":[\"they\",\"us\"]}}", PATH("h", "S"), "us"),
	    "{\"h\":{\"T\":[\"they\",\"us\"]}}", "the last element removes its array");
	is_str(without_elements("{\"h\":{\"T\":[\"us\", \"they\" ,\"us\"]}}", PATH("h", "T"), "us"),
	    "{\"h\":{\"T\":[\"they\" ]}}", "others stay");
	is_str(
	    without_elements("{\"h\":[]}", PATH("h"), "us"), "{\"h\":[]}", "an empty array stays");
}

static void test_remove(void)
{
	is_str(without("{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}\n", PATH("b", "c")),
	    "{\n  \"a\": 1\n}\n", "an object is removed with its last member");
	is_str(without("{\"a\":1,\"b\":2,\"c\":3}", PATH("b")), "{\"a\":1,\"c\":3}",
	    "from the middle");
	is_str(without("{ \"a\": 1, \"b\": 2}", PATH("a")), "{ \"b\": 2}", "from the front");
	is_str(without("{\"a\":{\"b\":{}}}", PATH("a", "b")), "{}", "the whole file");
	is_str(without("{\"a\":{\"b\":{}}}", PATH("a", "c")), "{\"a\":{\"b\":{}}}",
	    "what is not there");
	is_str(without("{\"a\":1}", PATH("a", "c")), "refused: \"a\" in it is not an object",
	    "a wrong way");
}

/* Setting a member and removing it again leaves every byte unchanged. */
static void test_round(void)
{
	static const char *const texts[] = {"{\"x\":[{\"y\":\"\\u00e9\"}]}",
	    "{\n\t\"x\": 1.0 ,\n\n\t\"y\" : null}\n", "{ \"mcp\": {\"other\": {\"a\": 1}} }\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char with[4096];
		(void)snprintf(with, sizeof with, "%s",
		    set(texts[i], PATH("mcp", "us"),
			"{\"command\":\"muxbus\",\"args\":[\"mcp\"]}"));
		is_str(set(with, PATH("mcp", "us", "command"), "\"muxbus\""), with,
		    "set twice is set once");
		is_str(without(with, PATH("mcp", "us")), texts[i], "set and removed");
	}
}

int main(void)
{
	test_set();
	test_refused();
	test_elements();
	test_remove();
	test_round();
	return done_testing();
}
