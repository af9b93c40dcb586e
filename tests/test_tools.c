/* SPDX-License-Identifier: ISC */
/* The program muxbus-tools, with a daemon that reads and goes, while the server's list changes. */
#define main muxbus_tools_main
int muxbus_tools_main(int argc, char **argv);
#include "tools/main.c"
#undef main

#include <sys/socket.h>
#include <sys/un.h>

#include "tap.h"

enum { WAIT_MS = 20000 };

static char folder[64] = "/tmp/muxbus-test-XXXXXX";
static char path[100];
static int listener, daemon_fd = -1;
static char got[65536]; /* all that the daemon has read */
static struct tools_main tools = {.name = "fake", .result_max = 1000000};

static void listen_at_path(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
	    listen(listener, 1) < 0)
		skip_all("no socket");
}

static void turn(void)
{
	const struct timeval tick = {.tv_usec = 5000};
	size_t len = strlen(got);
	ssize_t more;
	(void)event_base_loopexit(tools.base, &tick);
	(void)event_base_loop(tools.base, EVLOOP_ONCE);
	if (daemon_fd < 0)
		daemon_fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	more = daemon_fd < 0 ? -1 : recv(daemon_fd, got + len, sizeof got - 1 - len, MSG_DONTWAIT);
	got[len + (more > 0 ? (size_t)more : 0)] = '\0';
}

static bool arrives(const char *text)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (strstr(got, text) == NULL && clock_mono_ms() < end_ms)
		turn();
	return strstr(got, text) != NULL;
}

static void publish(const char *kind)
{
	const struct json member = {
	    .type = JSON_STRING, .text = kind, .len = strlen(kind), .name = "kind", .name_len = 4};
	const struct json params = {
	    .type = JSON_OBJECT, .child = (struct json *)(uintptr_t)&member, .count = 1};
	on_published(&tools, &params);
}

/* An event that the server publishes while its list is read again comes after the list. */
static void test_published(void)
{
	const char *list, *event;
	on_listed(&tools, "[{\"name\":\"one\"}]");
	ok(arrives("\"one\""), "the tools are provided");
	on_changing(&tools);
	publish("meanwhile");
	turn();
	ok(strstr(got, "meanwhile") == NULL, "an event waits for the new list");
	on_listed(&tools, "[{\"name\":\"two\"}]");
	ok(arrives("meanwhile"), "then it is published");
	list = strstr(got, "\"two\"");
	event = strstr(got, "meanwhile");
	ok(list != NULL && event != NULL && list < event, "behind the list");
}

/* The wait for the next muxbusd ends, also if the list was being read when the last one ended. */
static void test_alone(void)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	ok(!loop_timer_is_armed(tools.alone), "with muxbusd there is no limit");
	on_changing(&tools);
	(void)close(listener);
	(void)close(daemon_fd);
	while (loop_link_is_up(tools.link) && clock_mono_ms() < end_ms)
		(void)event_base_loop(tools.base, EVLOOP_ONCE);
	ok(!loop_link_is_up(tools.link) && loop_timer_is_armed(tools.alone),
	    "without it the wait has an end");
	publish("unheard");
	ok(tools.held.len == 0, "an event that no muxbusd can get is dropped");
}

int main(void)
{
	char *argv[] = {(char *)"muxbus-tools", (char *)"1000000", (char *)"fake", (char *)"sleep",
	    (char *)"60", NULL};
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	if (mkdtemp(folder) == NULL)
		skip_all("no folder");
	(void)snprintf(path, sizeof path, "%s/socket", folder);
	(void)setenv("MUXBUS", path, 1);
	listen_at_path();
	set_up(&tools, argv);
	while (!loop_link_is_up(tools.link) && clock_mono_ms() < end_ms)
		turn();
	test_published();
	test_alone();
	(void)unlink(path);
	(void)rmdir(folder);
	return done_testing();
}
