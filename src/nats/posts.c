/* SPDX-License-Identifier: ISC */
/* Reads posts by a pull consumer of JetStream, a batch at a time. */
#include "nats/posts.h"

#include "io/loop_timer.h"
#include "nats/stores.h"
#include "wire/message.h"

enum {
	BATCH = 16, /* posts per pull request */
	PULL_MS = 60000, /* how long a pull request waits at JetStream */
	RETRY_MS = 5000,
	ASK_MS = 5000,
	POST_MAX = 1024 * 1024, /* bytes */
};

#define ACK_WAIT_NS INT64_C(30000000000) /* without an acknowledgement, a post comes again then */

/* Makes JetStream deliver a post again in a second, since the daemon may take it later. */
static const char again[] = "-NAK {\"delay\": 1000000000}";

struct posts {
	struct broker *broker;
	struct loop_link *daemon;
	struct json_reader *reader;
	struct loop_timer *next; /* sends the next pull request */
	struct list open; /* struct post: posts that the daemon has not answered */
	char durable[3 * NAME_SIZE]; /* the name of the consumer */
	char filter[NAME_SUBJECT_SIZE], inbox[NAME_SUBJECT_SIZE];
	size_t left; /* posts of the current batch still to arrive */
	bool is_running, has_consumer;
	struct posts_status status;
};

struct post {
	struct list link;
	struct posts *posts;
	char *reply; /* subject of the acknowledgement */
};

static void acknowledge(struct posts *posts, const char *reply, const char *text)
{
	(void)broker_publish(posts->broker, reply, NULL, text, strlen(text));
}

static void post_free(struct post *post)
{
	list_remove(&post->link);
	mem_free(post->reply);
	mem_free(post);
}

static bool is_final(const struct json *error)
{
	static const enum message_error finals[] = {MESSAGE_PARSE, MESSAGE_REQUEST, MESSAGE_PARAMS,
	    MESSAGE_NO_SUCH_PANE, MESSAGE_AMBIGUOUS_TARGET, MESSAGE_REFUSED};
	enum message_error code = message_error_of(json_member(error, "code"));
	for (size_t at = 0; at < sizeof finals / sizeof *finals; at++)
		if (finals[at] == code)
			return true;
	return false;
}

static void refuse(struct posts *posts, const char *reply, const char *reason)
{
	posts->status.refused++;
	log_warning("a post is given up: %s", reason);
	acknowledge(posts, reply, "+TERM");
}

static void on_posted(void *data, const struct json *response)
{
	struct post *post = data;
	struct posts *posts = post->posts;
	const struct json *error = json_member(response, "error");
	if (json_member(response, "result") != NULL) {
		posts->status.taken++;
		acknowledge(posts, post->reply, "+ACK");
	} else if (error != NULL && is_final(error)) {
		refuse(posts, post->reply, json_get_str(error, "message", "an error"));
	} else {
		acknowledge(posts, post->reply, again);
	}
	post_free(post);
	if (posts->left == 0 && list_is_empty(&posts->open))
		loop_timer_arm(posts->next, 0);
}

static bool read_number(const char *reply, uint64_t *ret_number)
{
	/* $JS.ACK.stream.consumer.tries.NUMBER.…, or with domain and account before the stream. */
	static const unsigned short_at = 5, long_at = 7, long_tokens = 11;
	const char *tokens[16];
	unsigned count = 0;
	size_t len;
	for (const char *at = reply; at != NULL && count < 16; count++) {
		tokens[count] = at;
		at = strchr(at, '.');
		at = at != NULL ? at + 1 : NULL;
	}
	if (count < 9 || strncmp(reply, "$JS.ACK.", 8) != 0)
		return false;
	len = strcspn(tokens[count >= long_tokens ? long_at : short_at], ".");
	return str_parse_u64(tokens[count >= long_tokens ? long_at : short_at], len, ret_number);
}

/* Writes the parameters of post_notification. A post without a key gets one from its number. */
static void write_params(struct buf *out, const struct json *value, uint64_t number)
{
	struct json_writer writer;
	char key[64];
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_each_member (member, value)
		json_put_value(&writer, member->name, member);
	if (json_member(value, "key") == NULL) {
		(void)snprintf(key, sizeof key, "nats:" STORES_POSTS ":%" PRIu64, number);
		json_put_str(&writer, "key", key);
	}
	json_object_end(&writer);
}

static void take_post(struct posts *posts, const struct broker_message *from, uint64_t number)
{
	struct json_error error;
	const struct json *value = json_read(posts->reader, from->payload, from->len, &error);
	struct post *post;
	struct buf params = BUF(POST_MAX * JSON_GROWTH + JSON_SPARE);
	char reason[sizeof error.text + 32];
	if (value == NULL || value->type != JSON_OBJECT) {
		(void)snprintf(reason, sizeof reason, "not a JSON object: %s",
		    value == NULL ? error.text : json_type_name(value->type));
		refuse(posts, from->reply, reason);
		return;
	}
	write_params(&params, value, number);
	post = xcalloc(1, sizeof *post);
	post->posts = posts;
	post->reply = xstrdup(from->reply);
	list_append(&posts->open, &post->link);
	if (!loop_link_ask(
		posts->daemon, "post_notification", buf_text(&params), on_posted, post)) {
		acknowledge(posts, post->reply, again);
		post_free(post);
	}
	buf_finish(&params);
}

static void on_message(void *data, const struct broker_message *from)
{
	struct posts *posts = data;
	uint64_t number;
	if (from->status != NULL) {
		posts->left = 0;
		/* 408 ends a pull request; another status may mean that the consumer is deleted. */
		posts->has_consumer = strcmp(from->status, "408") == 0;
		if (!posts->has_consumer)
			log_debug("posts: %s %s", from->status,
			    from->description != NULL ? from->description : "");
		loop_timer_arm(posts->next, posts->has_consumer ? 0 : RETRY_MS);
		return;
	}
	if (from->reply == NULL || !read_number(from->reply, &number))
		return; /* the message is not from JetStream */
	posts->left -= posts->left > 0;
	take_post(posts, from, number);
	if (posts->left == 0 && list_is_empty(&posts->open))
		loop_timer_arm(posts->next, 0);
}

static void on_created(void *data, const struct broker_message *reply, const char *reason)
{
	struct posts *posts = data;
	struct js_reply result;
	js_reply_read(&result, reply, reason);
	posts->has_consumer = !result.is_error;
	if (result.is_error)
		log_warning("posts: %s", result.text);
	loop_timer_arm(posts->next, result.is_error ? RETRY_MS : 0);
}

static void create(struct posts *posts)
{
	struct json_writer writer;
	struct buf config;
	char verb[256];
	json_start_object(&writer, &config, 4096);
	json_put_str(&writer, "stream_name", STORES_POSTS);
	json_object_begin(&writer, "config");
	json_put_str(&writer, "durable_name", posts->durable);
	json_put_str(&writer, "filter_subject", posts->filter);
	json_put_str(&writer, "deliver_policy", "all");
	json_put_str(&writer, "ack_policy", "explicit");
	json_put_int(&writer, "ack_wait", ACK_WAIT_NS);
	json_put_int(&writer, "max_deliver", -1);
	json_put_int(&writer, "max_ack_pending", 4 * BATCH);
	json_object_end(&writer);
	json_object_end(&writer);
	(void)snprintf(
	    verb, sizeof verb, "CONSUMER.DURABLE.CREATE." STORES_POSTS ".%s", posts->durable);
	if (!broker_ask_js(posts->broker, verb, buf_text(&config), ASK_MS, on_created, posts))
		loop_timer_arm(posts->next, RETRY_MS);
	buf_finish(&config);
}

static void ask_next(void *data)
{
	struct posts *posts = data;
	char verb[256], pull[128];
	if (!posts->is_running || !loop_link_is_up(posts->daemon))
		return;
	if (!posts->has_consumer) {
		create(posts);
		return;
	}
	(void)snprintf(verb, sizeof verb, "CONSUMER.MSG.NEXT." STORES_POSTS ".%s", posts->durable);
	(void)snprintf(pull, sizeof pull, "{\"batch\":%d,\"expires\":%" PRId64 "}", BATCH,
	    (int64_t)PULL_MS * 1000000);
	if (broker_request(posts->broker, verb, posts->inbox, pull))
		posts->left = BATCH;
	/* The status at the end of this request may get lost, so try again later. */
	loop_timer_arm(posts->next, PULL_MS + RETRY_MS);
}

struct posts *posts_new(struct event_base *base, struct broker *broker, struct loop_link *daemon,
    const struct names *names)
{
	struct posts *posts = xcalloc(1, sizeof *posts);
	posts->broker = broker;
	posts->daemon = daemon;
	posts->reader = json_reader_new(POST_MAX);
	json_reader_limit_depth(posts->reader); /* muxbusd accepts no deeper nesting */
	posts->next = loop_timer_new(base, ask_next, posts);
	list_init(&posts->open);
	(void)snprintf(posts->durable, sizeof posts->durable, "%s=%s=%s", names->fleet, names->host,
	    names->server);
	name_subject(posts->filter, names, "post", NULL);
	broker_new_inbox(posts->inbox, sizeof posts->inbox);
	broker_listen(broker, posts->inbox, NULL, on_message, posts);
	return posts;
}

void posts_free(struct posts *posts)
{
	if (posts == NULL)
		return;
	while (!list_is_empty(&posts->open))
		post_free(list_entry(posts->open.next, struct post, link));
	loop_timer_free(posts->next);
	json_reader_free(posts->reader);
	mem_free(posts);
}

void posts_run(struct posts *posts, bool is_running)
{
	posts->is_running = is_running;
	posts->left = 0;
	if (!is_running) {
		posts->has_consumer = false;
		loop_timer_disarm(posts->next);
	} else {
		loop_timer_arm(posts->next, 0);
	}
}

void posts_status(const struct posts *posts, struct posts_status *out)
{
	*out = posts->status;
}
