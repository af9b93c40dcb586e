/* SPDX-License-Identifier: ISC */
/* muxbus-nats: makes all parts, runs the event loop, and frees the parts in reverse order. */
#include <errno.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <nats/nats.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "client/loop_link.h"
#include "nats/broker.h"
#include "nats/cursor.h"
#include "nats/feed.h"
#include "nats/grant.h"
#include "nats/options.h"
#include "nats/posts.h"
#include "nats/presence.h"
#include "nats/publisher.h"
#include "nats/service.h"
#include "nats/stores.h"

enum { EXIT_USAGE = 2, CLOSE_MS = 2000, END_MS = 1000 };

struct nats_main {
	struct options options;
	struct event_base *base;
	struct cursor *cursor;
	struct broker *broker;
	struct stores *stores;
	struct feed *feed;
	struct loop_link *daemon; /* for requests, posts and presence: never paused */
	struct grant *grant;
	struct service *service; /* NULL: no requests */
	struct posts *posts; /* NULL: no posts */
	struct nats_presence *presence;
	struct event *signals[2];
	bool is_ending;
	char broker_reason[BROKER_REASON_SIZE + 128]; /* the last one that was logged */
};

/* Publishing needs the stores; posts need the daemon too. */
static void run_parts(struct nats_main *main)
{
	bool is_ready = broker_is_up(main->broker) && stores_are_ready(main->stores);
	publisher_run(feed_publisher(main->feed), is_ready);
	presence_run(main->presence, is_ready);
	if (main->posts != NULL)
		posts_run(main->posts, is_ready && loop_link_is_up(main->daemon));
}

/* Logs a reason once, not with each try. */
static void say_broker(struct nats_main *main, const char *reason)
{
	if (strcmp(main->broker_reason, reason) != 0)
		log_warning("NATS: %s", reason);
	(void)snprintf(main->broker_reason, sizeof main->broker_reason, "%s", reason);
}

static void on_stores_ready(void *data)
{
	struct nats_main *main = data;
	main->broker_reason[0] = '\0';
	log_info("publishing to stream %s as %s.%s.%s", main->options.stores.stream,
	    main->options.names.fleet, main->options.names.host, main->options.names.server);
	run_parts(main);
}

static void on_stores_failed(void *data, const char *reason)
{
	say_broker(data, reason);
}

static void on_broker_up(void *data)
{
	struct nats_main *main = data;
	log_info("connected to NATS");
	stores_check(main->stores);
}

static void on_broker_down(void *data, const char *reason)
{
	struct nats_main *main = data;
	say_broker(main, reason);
	stores_reset(main->stores);
	run_parts(main);
}

/* A stream may have been deleted; or a cluster elects its leader. */
static void on_unheard(void *data)
{
	struct nats_main *main = data;
	stores_look(main->stores);
}

static void on_described(void *data, const struct json *response)
{
	struct nats_main *main = data;
	const struct json *methods = json_member(json_member(response, "result"), "methods");
	if (methods != NULL)
		grant_learn(main->grant, methods);
}

static void on_daemon_up(void *data)
{
	struct nats_main *main = data;
	(void)loop_link_ask(main->daemon, "describe", NULL, on_described, main);
	if (main->posts != NULL)
		posts_run(
		    main->posts, broker_is_up(main->broker) && stores_are_ready(main->stores));
	presence_renew(main->presence);
}

static void on_daemon_down(void *data, int error)
{
	struct nats_main *main = data;
	log_debug("muxbusd: %s: %s", main->options.socket, loop_link_reason(error));
	grant_learn(main->grant, NULL);
	if (main->posts != NULL)
		posts_run(main->posts, false);
	presence_renew(main->presence);
}

static void on_end(evutil_socket_t number, short what, void *data)
{
	struct nats_main *main = data;
	(void)number;
	(void)what;
	main->is_ending = true;
}

/* The directory of the cursor: muxbusd makes the same one. */
static bool make_directory(const char *file)
{
	char path[sizeof((struct options *)0)->cursor];
	(void)snprintf(path, sizeof path, "%s", file);
	for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST) {
			log_error("%s: %s", path, strerror(errno));
			return false;
		}
		*at = '/';
	}
	return true;
}

static bool make_broker(struct nats_main *main)
{
	const struct broker_handlers broker = {on_broker_up, on_broker_down, on_unheard, main};
	const struct stores_handlers stores = {on_stores_ready, on_stores_failed, main};
	char reason[PATH_MAX + 256];
	main->broker =
	    broker_new(main->base, &main->options.broker, &broker, reason, sizeof reason);
	if (main->broker == NULL) {
		log_error("%s", reason);
		return false;
	}
	main->stores = stores_new(main->base, main->broker, &main->options.stores, &stores);
	return true;
}

static bool make_parts(struct nats_main *main)
{
	const struct options *options = &main->options;
	const struct loop_link_options daemon = {
	    .path = options->socket, .line_max = LINK_LINE_MAX};
	const struct loop_link_handlers handlers = {
	    .up = on_daemon_up, .down = on_daemon_down, .data = main};
	const struct feed_options feed = {
	    options->socket, &options->names, options->kinds, options->consumer};
	struct presence_parts parts = {.names = &options->names};
	char reason[PATH_MAX + 256];
	if (!make_directory(options->cursor) || !make_broker(main))
		return false;
	main->cursor = cursor_open(options->cursor, reason, sizeof reason);
	main->grant = grant_new(options->allow, reason, sizeof reason);
	if (main->cursor == NULL || main->grant == NULL) {
		log_error("%s", reason);
		return false;
	}
	main->feed = feed_new(main->base, &feed, main->cursor, main->broker);
	main->daemon = loop_link_new(main->base, &daemon, &handlers);
	if (options->takes_requests)
		main->service =
		    service_new(main->broker, main->daemon, main->grant, &options->names);
	if (options->takes_posts)
		main->posts = posts_new(main->base, main->broker, main->daemon, &options->names);
	parts.broker = main->broker;
	parts.daemon = main->daemon;
	parts.publisher = feed_publisher(main->feed);
	parts.posts = main->posts;
	main->presence = presence_new(main->base, &parts);
	return true;
}

static void free_parts(struct nats_main *main)
{
	loop_link_free(main->daemon);
	service_free(main->service);
	posts_free(main->posts);
	presence_free(main->presence);
	broker_free(main->broker);
	feed_free(main->feed);
	stores_free(main->stores);
	grant_free(main->grant);
	cursor_close(main->cursor);
}

static void turn(struct nats_main *main, int flags)
{
	(void)event_base_loop(main->base, flags);
	broker_turn(main->broker);
	feed_turn(main->feed);
}

/* Another start would publish again all that is not acknowledged. */
static void end_feed(struct nats_main *main)
{
	static const struct timeval wait = {.tv_usec = END_MS * 1000};
	int64_t end_ms = clock_mono_ms() + END_MS;
	while (feed_end(main->feed) && clock_mono_ms() < end_ms) {
		(void)event_base_loopexit(main->base, &wait);
		turn(main, EVLOOP_ONCE);
	}
}

static int run(struct nats_main *main)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
		main->signals[at] = evsignal_new(main->base, numbers[at], on_end, main);
		(void)event_add(main->signals[at], NULL);
	}
	(void)signal(SIGPIPE, SIG_IGN);
	broker_start(main->broker);
	feed_start(main->feed);
	loop_link_start(main->daemon);
	while (!main->is_ending)
		turn(main, EVLOOP_ONCE);
	presence_end(main->presence);
	turn(main, EVLOOP_NONBLOCK);
	end_feed(main);
	for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++)
		event_free(main->signals[at]);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct nats_main *main = xcalloc(1, sizeof *main);
	int status = EXIT_FAILURE;
	switch (options_read(&main->options, argc, argv)) {
	case OPTIONS_DONE:
		mem_free(main);
		return EXIT_SUCCESS;
	case OPTIONS_WRONG:
		mem_free(main);
		return EXIT_USAGE;
	case OPTIONS_RUN:
		break;
	}
	log_open(STDERR_FILENO, "muxbus-nats",
	    main->options.verbosity > 0       ? LOG_LEVEL_DEBUG
		: main->options.verbosity < 0 ? LOG_LEVEL_ERROR
					      : LOG_LEVEL_INFO);
	/* libnats asks for writing from threads of its own. */
	if (evthread_use_pthreads() == 0)
		main->base = event_base_new();
	if (main->base == NULL)
		log_error("no event loop");
	else if (make_parts(main))
		status = run(main);
	free_parts(main);
	if (main->base != NULL)
		event_base_free(main->base);
	(void)nats_CloseAndWait(CLOSE_MS);
	mem_free(main);
	return status;
}
