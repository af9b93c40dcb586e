/* SPDX-License-Identifier: ISC */
/* muxbus-nats: reads its options, creates the parts, runs the event loop, and frees the parts. */
#include <event2/event.h>
#include <event2/thread.h>
#include <nats/nats.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "config.h"
#include "nats/feed.h"
#include "nats/presence.h"
#include "nats/service.h"
#include "nats/stores.h"
#include "wire/address.h"

#define CONSUMER_MAX 64 /* maximum bytes of a consumer's name in muxbusd */

struct options {
	struct broker_options broker;
	struct stores_options stores;
	struct names names;
	char socket[PATH_MAX]; /* path of muxbusd's socket */
	char cursor[PATH_MAX + NAME_SIZE + 16]; /* path of the cursor file */
	char consumer[NAME_SIZE + 8];
	const char *kinds; /* kinds of events; NULL: default of subscribe */
	const char *allow;
	bool takes_posts, refuses_requests, is_verbose, is_quiet, wants_help, wants_version;
	/* The words of options from which members above are made: */
	const char *fleet, *host, *server, *given_socket, *tmux_name, *tmux_path, *discard;
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE, /* printed help or the version */
	OPTIONS_WRONG, /* printed an error */
};

struct nats_option {
	char letter; /* 0 if none */
	const char *name;
	const char *value; /* name of its value for --help; NULL: the member is a bool */
	size_t offset; /* of the member in struct options */
	const char *help;
	int64_t max; /* the member is a number from 1 to max; 0: it is a text */
};

#define ROW(letter, name, value, member, help)                                 \
	{                                                                      \
		letter, name, value, offsetof(struct options, member), help, 0 \
	}
#define NUMBER(name, value, member, help, max)                              \
	{                                                                   \
		0, name, value, offsetof(struct options, member), help, max \
	}

static const struct nats_option rows[] = {
    ROW(0, "url", "URL,...", broker.url, "servers of NATS (nats://127.0.0.1:4222)"),
    ROW(0, "fleet", "NAME", fleet, "the fleet, a token of all subjects (default)"),
    ROW(0, "host", "NAME", host, "this host in subjects (its host name)"),
    ROW(0, "server", "NAME", server, "the tmux server in subjects (the name of its socket)"),
    ROW('L', "tmux-name", "NAME", tmux_name, "the tmux server of that name"),
    ROW('S', "tmux-path", "PATH", tmux_path, "the tmux server at that socket"),
    ROW('s', "socket", "PATH", given_socket, "the socket of muxbusd"),
    ROW(0, "events", "KINDS", kinds, "kinds of events, or none (all but output)"),
    ROW(0, "allow", "LIST", allow, "effects and methods that requests may have (reads,sees)"),
    ROW(0, "no-requests", NULL, refuses_requests, "answer no requests"),
    ROW(0, "posts", NULL, takes_posts, "take posts: they can be typed into panes"),
    ROW(0, "creds", "FILE", broker.creds, "credentials: a JWT and its seed"),
    ROW(0, "user", "NAME", broker.user, "user name"),
    ROW(0, "password-file", "FILE", broker.password_file, "file with the password"),
    ROW(0, "token-file", "FILE", broker.token_file, "file with a token"),
    ROW(0, "tls-ca", "FILE", broker.tls_ca, "certificates that are trusted"),
    ROW(0, "tls-cert", "FILE", broker.tls_cert, "our certificate"),
    ROW(0, "tls-key", "FILE", broker.tls_key, "its key"),
    ROW(0, "js-domain", "NAME", broker.js_domain, "domain of JetStream, behind a leaf node"),
    ROW(0, "stream", "NAME", stores.stream, "the stream (MUXBUS)"),
    NUMBER("replicas", "N", stores.replicas, "replicas of streams that are made: 1 to 5 (1)", 5),
    NUMBER("max-age", "SECONDS", stores.max_age_sec, "age of the stream's messages (604800)",
	3153600000),
    NUMBER("max-bytes", "BYTES", stores.max_bytes, "size of the stream (that of the account)",
	INT64_MAX),
    ROW(0, "discard", "new|old", discard, "what a full stream does not keep (new)"),
    ROW('v', "verbose", NULL, is_verbose, "log more"),
    ROW('q', "quiet", NULL, is_quiet, "log errors only"),
    ROW('h', "help", NULL, wants_help, "print this"),
    ROW('V', "version", NULL, wants_version, "print the version"),
};

#define ROWS_COUNT (sizeof rows / sizeof *rows)

static enum options_result wrong(const char *name, const char *text)
{
	(void)fprintf(stderr, "muxbus-nats: --%s: %s\n", name, text);
	return OPTIONS_WRONG;
}

static void print_help(void)
{
	(void)printf("usage: muxbus-nats [options]\n"
		     "Publishes events and notifications of muxbusd to NATS JetStream.\n\n");
	for (size_t at = 0; at < ROWS_COUNT; at++) {
		char text[64];
		(void)snprintf(text, sizeof text, "--%s%s%s", rows[at].name,
		    rows[at].value != NULL ? " " : "",
		    rows[at].value != NULL ? rows[at].value : "");
		if (rows[at].letter != 0)
			(void)printf("  -%c, %-24s %s\n", rows[at].letter, text, rows[at].help);
		else
			(void)printf("      %-24s %s\n", text, rows[at].help);
	}
}

static const struct nats_option *find_row(const char *word, const char **ret_value)
{
	const char *end = strchr(word, '=');
	size_t len = end != NULL ? (size_t)(end - word) : strlen(word);
	*ret_value = end != NULL ? end + 1 : NULL;
	for (size_t at = 0; at < ROWS_COUNT; at++) {
		if (len == 2 && rows[at].letter != 0 && word[1] == rows[at].letter)
			return &rows[at];
		if (len == strlen(rows[at].name) + 2 && memcmp(word, "--", 2) == 0 &&
		    memcmp(word + 2, rows[at].name, len - 2) == 0)
			return &rows[at];
	}
	return NULL;
}

static enum options_result put_value(
    struct options *out, const struct nats_option *row, const char *value)
{
	void *member = (char *)out + row->offset;
	int64_t *number = member;
	if (row->value == NULL)
		*(bool *)member = true;
	else if (row->max == 0)
		*(const char **)member = value;
	else if (!str_parse_i64(value, strlen(value), number) || *number < 1 || *number > row->max)
		return wrong(row->name, "is out of range: see muxbus-nats(8)");
	return OPTIONS_RUN;
}

static enum options_result read_words(struct options *out, int argc, char **argv)
{
	enum options_result result = OPTIONS_RUN;
	for (int at = 1; at < argc && result == OPTIONS_RUN; at++) {
		const char *value;
		const struct nats_option *row =
		    argv[at][0] == '-' ? find_row(argv[at], &value) : NULL;
		if (row == NULL) {
			(void)fprintf(
			    stderr, "muxbus-nats: unknown option %s: see --help\n", argv[at]);
			return OPTIONS_WRONG;
		}
		if (row->value != NULL && value == NULL && ++at < argc)
			value = argv[at];
		if ((row->value == NULL) != (value == NULL))
			return wrong(row->name, value != NULL ? "has no value" : "needs a value");
		result = put_value(out, row, value);
	}
	return result;
}

static enum options_result read_names(struct options *out)
{
	const struct {
		const char *option, *name;
		char *to;
	} names[] = {{"fleet", out->fleet, out->names.fleet}, {"host", out->host, out->names.host},
	    {"server", out->server, out->names.server}, {"stream", out->stores.stream, NULL},
	    {"js-domain", out->broker.js_domain, NULL}};
	name_of_host(out->names.host);
	name_of_server(out->names.server, out->socket);
	for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
		if (names[at].name == NULL)
			continue;
		if (!name_is_token(names[at].name))
			return wrong(names[at].option,
			    "must be 1 to 63 characters of A-Z a-z 0-9 _ -, as in subjects of "
			    "NATS");
		if (names[at].to != NULL)
			(void)snprintf(names[at].to, NAME_SIZE, "%s", names[at].name);
	}
	(void)snprintf(out->consumer, sizeof out->consumer, "nats:%s", out->names.fleet);
	if (strlen(out->consumer) > CONSUMER_MAX)
		(void)snprintf(out->consumer + CONSUMER_MAX - 9, 10, "-%08" PRIx32,
		    crc32c(0, out->names.fleet, strlen(out->names.fleet)));
	return OPTIONS_RUN;
}

static enum options_result read_paths(struct options *out)
{
	char tmux[PATH_MAX], absolute[PATH_MAX], state[PATH_MAX];
	enum options_result result;
	if (out->tmux_name != NULL && out->tmux_path != NULL)
		return wrong("tmux-name", "excludes --tmux-path");
	if (file_tmux_socket(tmux, sizeof tmux, out->tmux_name, out->tmux_path) < 0 ||
	    address_server(absolute, sizeof absolute, tmux) < 0 ||
	    (out->given_socket != NULL
		    ? address_absolute(out->socket, sizeof out->socket, out->given_socket)
		    : address_socket(out->socket, sizeof out->socket, absolute)) < 0)
		return wrong("socket", "the path is too long");
	(void)address_without_suffix(absolute, sizeof absolute, out->socket);
	if (address_state(state, sizeof state, absolute) < 0)
		return wrong("socket", "there is no state directory: HOME is not set");
	result = read_names(out);
	(void)snprintf(
	    out->cursor, sizeof out->cursor, "%s/nats-%s.cursor", state, out->names.fleet);
	return result;
}

/* Reads the command line. Strings in *out are lent from argv. */
static enum options_result options_read(struct options *out, int argc, char **argv)
{
	char reason[160];
	struct grant *grant;
	*out = (struct options){.broker = {.url = "nats://127.0.0.1:4222", .name = "muxbus-nats"},
	    .stores = {.stream = "MUXBUS", .replicas = 1, .max_age_sec = 604800},
	    .allow = GRANT_PRESET,
	    .fleet = "default",
	    .discard = "new"};
	if (read_words(out, argc, argv) != OPTIONS_RUN)
		return OPTIONS_WRONG;
	if (out->wants_help)
		print_help();
	else if (out->wants_version)
		(void)printf("muxbus-nats %s\n", PACKAGE_VERSION);
	if (out->wants_help || out->wants_version)
		return OPTIONS_DONE;
	out->stores.drops_old = strcmp(out->discard, "old") == 0;
	out->stores.has_posts = out->takes_posts;
	if (!out->stores.drops_old && strcmp(out->discard, "new") != 0)
		return wrong("discard", "must be new or old");
	if ((out->broker.tls_cert == NULL) != (out->broker.tls_key == NULL))
		return wrong("tls-cert", "goes with --tls-key");
	grant = grant_new(out->allow, reason, sizeof reason);
	if (grant == NULL)
		return wrong("allow", reason);
	grant_free(grant);
	return read_paths(out);
}

enum { EXIT_USAGE = 2, CLOSE_MS = 2000, END_MS = 1000 };

struct nats_main {
	struct options options;
	struct event_base *base;
	struct cursor *cursor;
	struct broker *broker;
	struct stores *stores;
	struct feed *feed;
	struct loop_link *daemon; /* for describe, posts and presence; never paused */
	struct grant *grant;
	struct service *service; /* NULL: requests are not answered */
	struct posts *posts; /* NULL: posts are not taken */
	struct nats_presence *presence;
	struct event *signals[2];
	bool is_ending;
	char broker_reason[BROKER_REASON_SIZE + 128]; /* the last reason logged */
};

/* Starts or stops publisher and presence, which need the stores, and posts with the daemon too. */
static void run_parts(struct nats_main *main)
{
	bool is_ready = broker_is_up(main->broker) && stores_are_ready(main->stores);
	publisher_run(feed_publisher(main->feed), is_ready);
	presence_run(main->presence, is_ready);
	if (main->posts != NULL)
		posts_run(main->posts, is_ready && loop_link_is_up(main->daemon));
}

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

/* A stream may have been deleted, or a cluster may be electing a leader, so check the stores. */
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

static void on_end(evutil_socket_t number UNUSED, short what UNUSED, void *data)
{
	struct nats_main *main = data;
	main->is_ending = true;
}

static bool make_directory(const char *file)
{
	char path[sizeof((struct options *)0)->cursor];
	(void)snprintf(path, sizeof path, "%s", file);
	if (file_make_folders(path, 0700, NULL) < 0) {
		log_error("%s: %s", path, strerror(errno));
		return false;
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
	if (!options->refuses_requests)
		main->service = service_new(
		    main->base, options->socket, main->broker, main->grant, &options->names);
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
	feed_free(main->feed);
	broker_free(main->broker);
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

/* Acknowledges stored notifications; otherwise the next start would publish them again. */
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
	process_begin(O_RDWR);
	switch (options_read(&main->options, argc, argv)) {
	case OPTIONS_DONE:
		mem_free(main);
		if (fflush(stdout) == 0)
			return EXIT_SUCCESS;
		(void)fprintf(stderr, "muxbus-nats: standard output: %s\n", strerror(errno));
		return EXIT_FAILURE;
	case OPTIONS_WRONG:
		mem_free(main);
		return EXIT_USAGE;
	case OPTIONS_RUN:
		break;
	}
	log_open(STDERR_FILENO, "muxbus-nats",
	    main->options.is_verbose     ? LOG_LEVEL_DEBUG
		: main->options.is_quiet ? LOG_LEVEL_ERROR
					 : LOG_LEVEL_INFO);
	/* Threads of libnats add write events to the loop. */
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
