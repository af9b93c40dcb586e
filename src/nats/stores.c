/* SPDX-License-Identifier: ISC */
#include "nats/stores.h"

#include "io/loop_timer.h"
#include "wire/json.h"

enum {
	INFO_MIN_MS = 1000, /* shortest timeout of INFO, which grows with retries */
	ASK_MS = 5000,
	RETRY_MIN_MS = 250, /* first delay; it doubles with each retry up to RETRY_MAX_MS */
	RETRY_MAX_MS = 10000, /* longest delay; wrong settings of an account often stay for long */
	CALM_MS = 60000, /* after so long without a retry, the next delay is RETRY_MIN_MS */
	DUPLICATES_SEC = 600, /* period in which JetStream drops a repeated message id */
	STORES_COUNT = 3,
};

#define SEC_NS INT64_C(1000000000)

struct stores {
	struct broker *broker;
	struct stores_options options;
	struct stores_handlers handlers;
	struct loop_timer *retry;
	int64_t retry_ms; /* the last delay */
	int64_t retried_ms; /* time of the last arm_retry() */
	unsigned at; /* index of the store being checked; STORES_COUNT if all exist */
};

static void check_next(struct stores *stores);

static void retry(void *data)
{
	struct stores *stores = data;
	if (broker_is_up(stores->broker))
		stores_check(stores);
}

struct stores *stores_new(struct event_base *base, struct broker *broker,
    const struct stores_options *options, const struct stores_handlers *handlers)
{
	struct stores *stores = xcalloc(1, sizeof *stores);
	stores->broker = broker;
	stores->options = *options;
	stores->handlers = *handlers;
	stores->retry = loop_timer_new(base, retry, stores);
	return stores;
}

void stores_free(struct stores *stores)
{
	if (stores == NULL)
		return;
	loop_timer_free(stores->retry);
	mem_free(stores);
}

static void write_stream(struct json_writer *writer, const struct stores_options *options)
{
	json_array_begin(writer, "subjects");
	json_put_str(writer, NULL, "muxbus.*.*.*.event.*");
	json_put_str(writer, NULL, "muxbus.*.*.*.notification.*");
	json_array_end(writer);
	json_put_str(writer, "retention", "limits");
	json_put_str(writer, "discard", options->drops_old ? "old" : "new");
	json_put_int(writer, "max_age", options->max_age_sec * SEC_NS);
	json_put_int(writer, "max_bytes", options->max_bytes > 0 ? options->max_bytes : -1);
	json_put_int(writer, "duplicate_window",
	    SEC_NS *
		(options->max_age_sec < DUPLICATES_SEC ? options->max_age_sec : DUPLICATES_SEC));
}

/* Configures the stream of posts. A post stays until it is acknowledged, or is too old. */
static void write_posts(struct json_writer *writer, const struct stores_options *options)
{
	json_array_begin(writer, "subjects");
	json_put_str(writer, NULL, "muxbus.*.*.*.post");
	json_array_end(writer);
	json_put_str(writer, "retention", "workqueue");
	json_put_str(writer, "discard", "new");
	json_put_int(writer, "max_age", options->max_age_sec * SEC_NS);
	json_put_int(writer, "max_bytes", -1);
}

static void write_bucket(struct json_writer *writer, const struct stores_options *options UNUSED)
{
	json_array_begin(writer, "subjects");
	json_put_str(writer, NULL, "$KV." STORES_BUCKET ".>");
	json_array_end(writer);
	json_put_str(writer, "retention", "limits");
	json_put_str(writer, "discard", "new");
	json_put_int(writer, "max_age", STORES_TTL_SEC * SEC_NS);
	json_put_int(writer, "max_bytes", -1);
	json_put_int(writer, "max_msgs_per_subject", 1);
	json_put_bool(writer, "allow_rollup_hdrs", true);
	json_put_bool(writer, "deny_delete", true);
	json_put_bool(writer, "allow_direct", true);
}

static const struct {
	const char *name; /* NULL: the name is an option */
	void (*write)(struct json_writer *writer, const struct stores_options *options);
} tables[STORES_COUNT] = {
    {NULL, write_stream},
    {STORES_POSTS, write_posts},
    {"KV_" STORES_BUCKET, write_bucket},
};

static const char *store_name(const struct stores *stores)
{
	const char *name = tables[stores->at].name;
	return name != NULL ? name : stores->options.stream;
}

static void arm_retry(struct stores *stores)
{
	int64_t now_ms = clock_mono_ms();
	bool is_calm = stores->retry_ms == 0 || now_ms - stores->retried_ms > CALM_MS;
	stores->retry_ms = is_calm                ? RETRY_MIN_MS
	    : stores->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS
						  : stores->retry_ms * 2;
	stores->retried_ms = now_ms;
	loop_timer_arm(stores->retry, stores->retry_ms);
}

static void store_failed(struct stores *stores, const char *reason)
{
	char text[BROKER_REASON_SIZE + 128];
	(void)snprintf(text, sizeof text, "stream %s: %s", store_name(stores), reason);
	arm_retry(stores);
	stores->handlers.failed(stores->handlers.data, text);
}

static void on_created(void *data, const struct broker_message *reply, const char *reason)
{
	struct stores *stores = data;
	struct js_reply result;
	js_reply_read(&result, reply, reason);
	if (result.is_error && result.err_code != JS_ERROR_NAME_IN_USE) {
		store_failed(stores, result.text);
		return;
	}
	stores->at++;
	check_next(stores);
}

static void create(struct stores *stores)
{
	struct json_writer writer;
	struct buf config;
	char verb[128];
	json_start_object(&writer, &config, 4096);
	json_put_str(&writer, "name", store_name(stores));
	tables[stores->at].write(&writer, &stores->options);
	json_put_str(&writer, "storage", "file");
	json_put_int(&writer, "num_replicas", stores->options.replicas);
	json_put_int(&writer, "max_msgs", -1);
	json_put_int(&writer, "max_msg_size", -1);
	json_put_int(&writer, "max_consumers", -1);
	json_object_end(&writer);
	(void)snprintf(verb, sizeof verb, "STREAM.CREATE.%s", store_name(stores));
	if (!broker_ask_js(stores->broker, verb, buf_text(&config), ASK_MS, on_created, stores))
		store_failed(stores, "the request cannot be sent");
	else
		log_info("making stream %s", store_name(stores));
	buf_finish(&config);
}

static void on_info(void *data, const struct broker_message *reply, const char *reason)
{
	struct stores *stores = data;
	struct js_reply result;
	js_reply_read(&result, reply, reason);
	if (result.is_error && result.err_code == JS_ERROR_NO_STREAM) {
		create(stores);
	} else if (result.is_error) {
		store_failed(stores, result.text);
	} else {
		stores->at++;
		check_next(stores);
	}
}

/* Returns the timeout of INFO. It grows with retries, since a server may be busy. */
static int64_t info_ms(const struct stores *stores)
{
	int64_t ms = 4 * stores->retry_ms;
	return ms < INFO_MIN_MS ? INFO_MIN_MS : ms > ASK_MS ? ASK_MS : ms;
}

static void check_next(struct stores *stores)
{
	char verb[128];
	if (stores->at < STORES_COUNT && tables[stores->at].write == write_posts &&
	    !stores->options.has_posts)
		stores->at++;
	if (stores->at == STORES_COUNT) {
		stores->handlers.ready(stores->handlers.data);
		return;
	}
	(void)snprintf(verb, sizeof verb, "STREAM.INFO.%s", store_name(stores));
	if (!broker_ask_js(stores->broker, verb, "", info_ms(stores), on_info, stores))
		store_failed(stores, "the request cannot be sent");
}

void stores_check(struct stores *stores)
{
	loop_timer_disarm(stores->retry);
	stores->at = 0;
	check_next(stores);
}

void stores_look(struct stores *stores)
{
	if (stores->at == STORES_COUNT && !loop_timer_is_armed(stores->retry))
		arm_retry(stores);
}

bool stores_are_ready(const struct stores *stores)
{
	return stores->at == STORES_COUNT;
}

void stores_reset(struct stores *stores)
{
	loop_timer_disarm(stores->retry);
	stores->retry_ms = 0;
	stores->at = 0;
}
