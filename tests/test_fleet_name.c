/* SPDX-License-Identifier: ISC */
/* Names of the fleet in requests and results, and the lines of the hosts file. */
#include "daemon/fleet/fleet_name.h"

#include <event2/event.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/fleet/host.h"
#include "tap.h"
#include "wire/host_line.h"

static struct json_reader *reader;
static struct host_set *hosts;

static void ignore_host(void *data, struct host *host)
{
	(void)data;
	(void)host;
}

static const struct json *read_json(const char *text)
{
	struct json_error error;
	return json_read(reader, text, strlen(text), &error);
}

/* The host, a blank, and the parameters without it; or the reason. */
static void is_stripped(const char *params, const char *want)
{
	char reason[FLEET_NAME_REASON_SIZE];
	struct host *host;
	struct buf out;
	char *got;
	buf_init(&out, 4096);
	if (!fleet_name_strip(FLEET_NAME_REQUEST, hosts, read_json(params), &host, &out, reason))
		got = xstrdup(reason);
	else
		got = xasprintf("%s %s", host != NULL ? host->label : "-", (char *)out.data);
	is_str(got, want, "%s", params);
	mem_free(got);
	buf_finish(&out);
}

static void test_requests(void)
{
	is_stripped("{}", "- {}");
	is_stripped("{\"pane\":\"%3\"}", "- {\"pane\":\"%3\"}");
	is_stripped("{\"pane\":\"b:%3\"}", "b {\"pane\":\"%3\"}");
	is_stripped("{\"pane\":\"b/default:%3\"}", "b {\"pane\":\"%3\"}");
	is_stripped("{\"pane\":\"b/work:s:1.0\"}", "b/work {\"pane\":\"s:1.0\"}");
	is_stripped("{\"pane\":\"work:1.0\"}", "- {\"pane\":\"work:1.0\"}");
	is_stripped("{\"host\":\"c\",\"pane\":\"%3\"}", "c {\"pane\":\"%3\"}");
	is_stripped("{\"host\":\"c\",\"pane\":\"c:%3\"}", "c {\"pane\":\"%3\"}");
	is_stripped("{\"panes\":[\"c:%1\",\"c:%2\"]}", "c {\"panes\":[\"%1\",\"%2\"]}");
	is_stripped("{\"seq\":\"c:12\"}", "c {\"seq\":12}");
	is_stripped("{\"ack\":[\"c:1\",\"c:2\"]}", "c {\"ack\":[1,2]}");
	is_stripped("{\"filter\":{\"seq\":\"c:1\"}}", "c {\"filter\":{\"seq\":1}}");
	is_stripped("{\"seq\":\"c:007\"}", "c {\"seq\":7}");
	is_stripped("{\"seq\":\"c:9999999999999999999\"}", "c {\"seq\":\"9999999999999999999\"}");
	is_stripped("{\"seq\":\"c:x\"}", "c {\"seq\":\"x\"}");
	is_stripped("{\"filter\":{\"pane\":\"c:%1\",\"x\":\"c:%1\"}}",
	    "c {\"filter\":{\"pane\":\"%1\",\"x\":\"c:%1\"}}");
	is_stripped(
	    "{\"text\":\"c:%3\",\"pane\":\"b:%1\"}", "b {\"text\":\"c:%3\",\"pane\":\"%1\"}");
	is_stripped(
	    "{\"notify\":\"c:%3\",\"pane\":\"b:%1\"}", "b {\"notify\":\"c:%3\",\"pane\":\"%1\"}");
	is_stripped("{\"agent\":\"c:%3\",\"pane\":\"b:%1\"}",
	    "the request names two hosts, c and b; ask each in a request of its own");
	is_stripped(
	    "{\"host\":null,\"key\":null,\"env\":{\"a\":null}}", "- {\"env\":{\"a\":null}}");
	is_stripped("{\"host\":\"d\"}", "host: there is none \"d\"; see list_hosts");
	is_stripped("{\"host\":3}", "host: must be a string, not a number");
}

/* A condition names what it is about by members that are texts in requests. */
static void test_condition(void)
{
	static const char text[] = "{\"exited\":\"c:%1\",\"id\":\"c:1\"}";
	char reason[FLEET_NAME_REASON_SIZE];
	struct host *host;
	struct buf out;
	buf_init(&out, 4096);
	ok(fleet_name_strip(FLEET_NAME_CONDITION, hosts, read_json(text), &host, &out, reason) &&
		host == host_set_find(hosts, "c", NULL),
	    "the host of a condition");
	is_str((const char *)out.data, "{\"exited\":\"%1\",\"id\":\"c:1\"}", "is left out");
	buf_finish(&out);
	is_stripped(text, "c {\"exited\":\"c:%1\",\"id\":\"1\"}");
}

static void is_qualified(const char *object, const char *want)
{
	struct json_writer writer;
	struct buf out;
	buf_init(&out, 4096);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	fleet_name_put_members(&writer, host_set_find(hosts, "b", "work"), read_json(object));
	json_object_end(&writer);
	is_str((const char *)out.data, want, "%s", object);
	buf_finish(&out);
}

static void test_results(void)
{
	is_qualified("{\"pane\":\"%3\",\"title\":\"%3\"}",
	    "{\"pane\":\"b/work:%3\",\"title\":\"%3\",\"host\":\"b\",\"server\":\"work\"}");
	is_qualified("{\"pane\":null,\"sessions\":[\"$0\",\"$2\"]}",
	    "{\"pane\":null,\"sessions\":[\"b/work:$0\",\"b/work:$2\"],\"host\":\"b\","
	    "\"server\":\"work\"}");
	is_qualified("{\"wake\":{\"pane\":\"%1\"},\"data\":{\"pane\":\"%1\"}}",
	    "{\"wake\":{\"pane\":\"b/work:%1\"},\"data\":{\"pane\":\"%1\"},\"host\":\"b\","
	    "\"server\":\"work\"}");
	is_qualified("{\"host\":\"x\",\"server\":\"y\"}", "{\"host\":\"b\",\"server\":\"work\"}");
	is_qualified("[1,{\"pane\":\"%1\"}]", "{\"host\":\"b\",\"server\":\"work\"}");
	is_qualified("7", "{\"host\":\"b\",\"server\":\"work\"}");
}

/* A value that is as deep as a line can be is passed on so that a peer can read it. */
static void test_depth(void)
{
	struct json_writer writer;
	struct json_error error;
	struct buf in, out;
	buf_init(&in, 4096);
	buf_init(&out, 4096);
	(void)buf_append_str(&in, "{\"a\":");
	for (unsigned at = 0; at < JSON_DEPTH_MAX - 2; at++)
		(void)buf_append_byte(&in, '[');
	for (unsigned at = 0; at < JSON_DEPTH_MAX - 2; at++)
		(void)buf_append_byte(&in, ']');
	(void)buf_append_byte(&in, '}');
	json_writer_init(&writer, &out);
	for (unsigned at = 0; at < 3; at++) /* as in the lists of all hosts */
		json_array_begin(&writer, NULL);
	json_object_begin(&writer, NULL);
	fleet_name_put_rest(
	    &writer, host_set_find(hosts, "c", NULL), read_json((const char *)in.data), NULL);
	json_object_end(&writer);
	for (unsigned at = 0; at < 3; at++)
		json_array_end(&writer);
	ok(json_read(reader, (const char *)out.data, out.len, &error) != NULL,
	    "a deep value can be read behind the fleet");
	buf_finish(&in);
	buf_finish(&out);
}

static void test_lists(void)
{
	ok(fleet_name_is_list(read_json("[]")) && fleet_name_is_list(read_json("[{},{\"a\":1}]")),
	    "an array of objects is a list");
	ok(!fleet_name_is_list(read_json("[{},1]")) && !fleet_name_is_list(read_json("[[]]")) &&
		!fleet_name_is_list(read_json("{}")) &&
		!fleet_name_is_list(read_json("{\"a\":{}}")) &&
		!fleet_name_is_list(read_json("\"x\"")) && !fleet_name_is_list(NULL),
	    "nothing else is one");
}

/* Name, server, destination, -L, -S, program and rights; or the result and the reason. */
static void is_line(const char *line, const char *want)
{
	char *copy = xstrdup(line), *got;
	char reason[256] = "";
	struct host_spec spec;
	int result = host_line_read(copy, &spec, reason, sizeof reason);
	if (result > 0)
		got = xasprintf("%s %s %s %s %s %s%s", spec.name, spec.server,
		    spec.ssh != NULL ? spec.ssh : "-",
		    spec.tmux_name != NULL ? spec.tmux_name : "-",
		    spec.tmux_path != NULL ? spec.tmux_path : "-",
		    spec.program != NULL ? spec.program : "-", spec.may_notify ? " may" : "");
	else
		got = xasprintf("%d %.40s", result, reason);
	is_str(got, want, "\"%s\"", line);
	mem_free(got);
	mem_free(copy);
}

static void test_lines(void)
{
	is_line("", "0 ");
	is_line("  # b", "0 ");
	is_line("b", "b default - - - -");
	is_line(" b\tssh=me@b:22 server=work # x\r", "b work me@b:22 work - -");
	is_line("b server=/tmp/x/s muxbus=/opt/muxbus", "b s - - /tmp/x/s /opt/muxbus");
	is_line("b may=notify", "b default - - - - may");
	is_line("b may=type", "-1 may: must be notify, not \"type\"");
	is_line("b server=x/s", "-1 server: must be a name as for tmux -L, o");
	is_line("-b", "-1 \"-b\" is not a host name: up to 64 letter");
	is_line("b:c", "-1 \"b:c\" is not a host name: up to 64 lette");
	is_line("b ssh=-oProxyCommand=id", "-1 ssh: a destination does not begin with \"");
	is_line("b ssh", "-1 \"ssh\" is not of the form name=value");
	is_line("b ssh=", "-1 \"ssh=\" is not of the form name=value");
	is_line("b colour=blue", "-1 there is no \"colour\"; a line is NAME [ss");
	is_line("12345678901234567890123456789012345678901234567890123456789012345",
	    "-1 \"123456789012345678901234567890123456789");
}

int main(void)
{
	static const struct host_handlers handlers = {.state = ignore_host, .removed = ignore_host};
	struct event_base *base = event_base_new();
	reader = json_reader_new(4096);
	hosts = host_set_new(&(struct host_set_parts){.base = base, .handlers = &handlers});
	(void)host_add(hosts, &(struct host_spec){.name = "b", .server = "default"});
	(void)host_add(hosts, &(struct host_spec){.name = "b", .server = "work"});
	(void)host_add(hosts, &(struct host_spec){.name = "c", .server = "play"});
	test_requests();
	test_condition();
	test_results();
	test_depth();
	test_lists();
	test_lines();
	host_set_free(hosts);
	json_reader_free(reader);
	event_base_free(base);
	return done_testing();
}
