/* SPDX-License-Identifier: ISC */
#include "nats/broker.h"

#include <nats/adapters/libevent.h>
#include <nats/nats.h>

#include "io/loop_timer.h"
#include "nats/name.h"
#include "wire/json.h"

enum {
	SWEEP_MS = 500, /* interval of the search for expired requests */
	PING_MS = 20000,
	SERVERS_MAX = 16,
	SECRET_MAX = 4096, /* bytes read from a file with a password or token */
};

struct listener {
	char *subject, *group;
	broker_message_fn *take;
	void *data;
	natsSubscription *subscription; /* NULL while the connection is down */
};

struct broker_ask {
	struct list link; /* oldest first */
	uint64_t id;
	int64_t end_ms;
	broker_reply_fn *reply;
	void *data;
};

struct broker {
	struct event_base *base;
	struct broker_handlers handlers;
	natsOptions *options;
	natsConnection *connection; /* NULL while down */
	natsSubscription *replies;
	char inbox[128]; /* subject prefix of replies, with a dot at the end */
	char js_prefix[128];
	struct listener listeners[BROKER_LISTENERS_MAX];
	size_t listeners_count;
	struct list asks;
	struct map asks_by_id;
	uint64_t last_id;
	struct loop_timer *retry, *sweep;
	unsigned delay_ms;
};

static void connect_now(void *data);
static void sweep_asks(void *data);

/* libnats calls this in its own thread. check_connection() and sweep_asks() get the error. */
static void ignore_error(natsConnection *connection UNUSED, natsSubscription *subscription UNUSED,
    natsStatus status UNUSED, void *data UNUSED)
{
}

static bool read_secret(const char *path, char out[SECRET_MAX], char *ret_reason, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, out, SECRET_MAX - 1) : -1;
	if (fd >= 0)
		(void)close(fd);
	if (len < 0) {
		(void)str_refuse(ret_reason, size, "%s cannot be read: %s", path, strerror(errno));
		return false;
	}
	out[len] = '\0';
	out[strcspn(out, "\r\n")] = '\0';
	if (out[0] == '\0')
		(void)str_refuse(ret_reason, size, "%s is empty", path);
	return out[0] != '\0';
}

static natsStatus set_servers(natsOptions *to, const char *url)
{
	const char *servers[SERVERS_MAX];
	char *copy = xstrdup(url), *rest = copy, *one;
	int count = 0;
	natsStatus status;
	while ((one = strsep(&rest, ",")) != NULL && count < SERVERS_MAX)
		servers[count++] = one;
	status = natsOptions_SetServers(to, servers, count);
	mem_free(copy);
	return status;
}

static bool set_identity(
    natsOptions *to, const struct broker_options *options, char *ret_reason, size_t size)
{
	char secret[SECRET_MAX];
	natsStatus status = NATS_OK;
	/* libnats reads this file at each connection; a missing file would mean endless retries. */
	if (options->creds != NULL && access(options->creds, R_OK) < 0) {
		(void)str_refuse(
		    ret_reason, size, "%s cannot be read: %s", options->creds, strerror(errno));
		return false;
	}
	if (options->creds != NULL)
		status = natsOptions_SetUserCredentialsFromFiles(to, options->creds, NULL);
	if (status == NATS_OK && options->user != NULL) {
		secret[0] = '\0';
		if (options->password_file != NULL &&
		    !read_secret(options->password_file, secret, ret_reason, size))
			return false;
		status = natsOptions_SetUserInfo(to, options->user, secret);
	}
	if (status == NATS_OK && options->token_file != NULL) {
		if (!read_secret(options->token_file, secret, ret_reason, size))
			return false;
		status = natsOptions_SetToken(to, secret);
	}
	if (status == NATS_OK && options->tls_ca != NULL)
		status = natsOptions_LoadCATrustedCertificates(to, options->tls_ca);
	if (status == NATS_OK && options->tls_cert != NULL)
		status = natsOptions_LoadCertificatesChain(to, options->tls_cert, options->tls_key);
	if (status == NATS_OK && (options->tls_ca != NULL || options->tls_cert != NULL))
		status = natsOptions_SetSecure(to, true);
	if (status == NATS_OK)
		return true;
	(void)str_refuse(ret_reason, size, "%s", nats_GetLastError(NULL));
	return false;
}

static bool set_options(
    struct broker *broker, const struct broker_options *options, char *ret_reason, size_t size)
{
	natsOptions *to = broker->options;
	natsStatus status = set_servers(to, options->url);
	if (status == NATS_OK)
		status = natsOptions_SetName(to, options->name);
	if (status == NATS_OK)
		status = natsOptions_SetTimeout(to, BROKER_CONNECT_MS);
	if (status == NATS_OK)
		status = natsOptions_SetAllowReconnect(to, false);
	/* Otherwise a server could name thousands; each silent one costs BROKER_CONNECT_MS. */
	if (status == NATS_OK)
		status = natsOptions_SetIgnoreDiscoveredServers(to, true);
	if (status == NATS_OK)
		status = natsOptions_SetPingInterval(to, PING_MS);
	if (status == NATS_OK)
		status = natsOptions_SetSendAsap(to, true);
	if (status == NATS_OK)
		status = natsOptions_SetErrorHandler(to, ignore_error, NULL);
	if (status == NATS_OK)
		status = natsOptions_SetEventLoop(to, broker->base, natsLibevent_Attach,
		    natsLibevent_Read, natsLibevent_Write, natsLibevent_Detach);
	if (status == NATS_OK)
		return set_identity(to, options, ret_reason, size);
	(void)str_refuse(ret_reason, size, "%s", nats_GetLastError(NULL));
	return false;
}

struct broker *broker_new(struct event_base *base, const struct broker_options *options,
    const struct broker_handlers *handlers, char *ret_reason, size_t size)
{
	struct broker *broker = xcalloc(1, sizeof *broker);
	broker->base = base;
	broker->handlers = *handlers;
	list_init(&broker->asks);
	map_init(&broker->asks_by_id);
	broker->retry = loop_timer_new(base, connect_now, broker);
	broker->sweep = loop_timer_new(base, sweep_asks, broker);
	(void)snprintf(broker->js_prefix, sizeof broker->js_prefix, "$JS.%s%sAPI.",
	    options->js_domain != NULL ? options->js_domain : "",
	    options->js_domain != NULL ? "." : "");
	(void)snprintf(ret_reason, size, "%s", strerror(ENOMEM));
	if (natsOptions_Create(&broker->options) == NATS_OK &&
	    set_options(broker, options, ret_reason, size))
		return broker;
	broker_free(broker);
	return NULL;
}

static void fail_asks(struct broker *broker, const char *reason)
{
	struct list lost;
	list_init(&lost);
	list_add_after(&broker->asks, &lost);
	list_remove(&broker->asks);
	while (!list_is_empty(&lost)) {
		struct broker_ask *ask = list_entry(lost.next, struct broker_ask, link);
		list_remove(&ask->link);
		(void)map_remove(&broker->asks_by_id, ask->id);
		ask->reply(ask->data, NULL, reason);
		mem_free(ask);
	}
}

static void close_connection(struct broker *broker)
{
	natsSubscription_Destroy(broker->replies);
	broker->replies = NULL;
	for (size_t i = 0; i < broker->listeners_count; i++) {
		natsSubscription_Destroy(broker->listeners[i].subscription);
		broker->listeners[i].subscription = NULL;
	}
	natsConnection_Destroy(broker->connection);
	broker->connection = NULL;
}

void broker_free(struct broker *broker)
{
	if (broker == NULL)
		return;
	if (broker->connection != NULL)
		natsConnection_ProcessWriteEvent(broker->connection);
	close_connection(broker);
	while (!list_is_empty(&broker->asks)) {
		struct broker_ask *ask = list_entry(broker->asks.next, struct broker_ask, link);
		list_remove(&ask->link);
		mem_free(ask);
	}
	map_finish(&broker->asks_by_id);
	for (size_t i = 0; i < broker->listeners_count; i++) {
		mem_free(broker->listeners[i].subject);
		mem_free(broker->listeners[i].group);
	}
	loop_timer_free(broker->retry);
	loop_timer_free(broker->sweep);
	natsOptions_Destroy(broker->options);
	mem_free(broker);
}

static void broker_down(struct broker *broker, natsStatus status, const char *text)
{
	char reason[BROKER_REASON_SIZE];
	bool is_refused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED;
	(void)snprintf(reason, sizeof reason, "%s",
	    text != NULL && *text != '\0' ? text : natsStatus_GetText(status));
	close_connection(broker);
	fail_asks(broker, reason);
	broker->handlers.down(broker->handlers.data, reason);
	loop_timer_arm(broker->retry,
	    is_refused ? BROKER_REFUSED_MS : (int64_t)backoff_next_ms(&broker->delay_ms));
}

static natsStatus subscribe(natsSubscription **ret_subscription, natsConnection *connection,
    const char *subject, const char *group)
{
	return group != NULL
	    ? natsConnection_QueueSubscribeSync(ret_subscription, connection, subject, group)
	    : natsConnection_SubscribeSync(ret_subscription, connection, subject);
}

static void connect_now(void *data)
{
	struct broker *broker = data;
	natsInbox *inbox = NULL;
	char pattern[160];
	natsStatus status = natsConnection_Connect(&broker->connection, broker->options);
	if (status != NATS_OK) {
		broker->connection = NULL;
		broker_down(broker, status, nats_GetLastError(NULL));
		return;
	}
	status = natsInbox_Create(&inbox);
	if (status == NATS_OK) {
		(void)snprintf(broker->inbox, sizeof broker->inbox, "%s.", inbox);
		(void)snprintf(pattern, sizeof pattern, "%s*", broker->inbox);
		natsInbox_Destroy(inbox);
		status = subscribe(&broker->replies, broker->connection, pattern, NULL);
	}
	for (size_t i = 0; i < broker->listeners_count && status == NATS_OK; i++)
		status = subscribe(&broker->listeners[i].subscription, broker->connection,
		    broker->listeners[i].subject, broker->listeners[i].group);
	if (status != NATS_OK) {
		broker_down(broker, status, nats_GetLastError(NULL));
		return;
	}
	loop_timer_arm(broker->sweep, SWEEP_MS);
	broker->handlers.up(broker->handlers.data);
}

void broker_start(struct broker *broker)
{
	loop_timer_arm(broker->retry, 0);
}

bool broker_is_up(const struct broker *broker)
{
	return broker->connection != NULL;
}

static struct broker_message view(natsMsg *msg)
{
	struct broker_message message = {.subject = natsMsg_GetSubject(msg),
	    .reply = natsMsg_GetReply(msg),
	    .payload = natsMsg_GetData(msg),
	    .len = (size_t)natsMsg_GetDataLength(msg)};
	if (message.len == 0 && natsMsgHeader_Get(msg, "Status", &message.status) == NATS_OK)
		(void)natsMsgHeader_Get(msg, "Description", &message.description);
	return message;
}

/* Returns true if NATS itself answered that no program listens to the subject. */
static bool is_unheard(const struct broker_message *message)
{
	return message->status != NULL && strcmp(message->status, "503") == 0;
}

static void take_reply(struct broker *broker, natsMsg *msg)
{
	struct broker_message message = view(msg);
	const char *number = message.subject + strlen(broker->inbox);
	struct broker_ask *ask;
	uint64_t id;
	if (!str_parse_u64(number, strlen(number), &id))
		return;
	ask = map_remove(&broker->asks_by_id, id);
	if (ask == NULL)
		return; /* the request has timed out */
	list_remove(&ask->link);
	if (is_unheard(&message)) {
		ask->reply(ask->data, NULL,
		    "nothing listens: there is no such stream, or it has no leader, or JetStream "
		    "is off for this account");
		broker->handlers.unheard(broker->handlers.data);
	} else {
		ask->reply(ask->data, &message, NULL);
	}
	mem_free(ask);
}

static bool check_connection(struct broker *broker)
{
	const char *text = NULL;
	natsStatus status;
	char reason[BROKER_REASON_SIZE];
	if (broker->connection == NULL || !natsConnection_IsClosed(broker->connection))
		return broker->connection != NULL;
	status = natsConnection_GetLastError(broker->connection, &text);
	(void)snprintf(reason, sizeof reason, "%s", text != NULL ? text : "");
	loop_timer_disarm(broker->sweep);
	broker_down(broker, status, reason[0] != '\0' ? reason : "the connection was closed");
	return false;
}

void broker_turn(struct broker *broker)
{
	natsMsg *msg;
	while (broker->connection != NULL &&
	    natsSubscription_NextMsg(&msg, broker->replies, 0) == NATS_OK) {
		take_reply(broker, msg);
		natsMsg_Destroy(msg);
	}
	for (size_t i = 0; i < broker->listeners_count; i++) {
		struct listener *listener = &broker->listeners[i];
		while (listener->subscription != NULL &&
		    natsSubscription_NextMsg(&msg, listener->subscription, 0) == NATS_OK) {
			struct broker_message message = view(msg);
			listener->take(listener->data, &message);
			if (is_unheard(&message))
				broker->handlers.unheard(broker->handlers.data);
			natsMsg_Destroy(msg);
		}
	}
	(void)check_connection(broker);
}

static void sweep_asks(void *data)
{
	struct broker *broker = data;
	int64_t now_ms = clock_mono_ms();
	const char *text = NULL;
	char reason[BROKER_REASON_SIZE];
	(void)natsConnection_GetLastError(broker->connection, &text);
	(void)snprintf(reason, sizeof reason, "no reply%s%s", text != NULL && *text ? ": " : "",
	    text != NULL ? text : "");
	list_each_safe (struct broker_ask, ask, &broker->asks, link) {
		if (ask->end_ms > now_ms)
			continue;
		list_remove(&ask->link);
		(void)map_remove(&broker->asks_by_id, ask->id);
		ask->reply(ask->data, NULL, reason);
		mem_free(ask);
		if (broker->connection == NULL)
			return;
		broker->handlers.unheard(broker->handlers.data);
	}
	if (!list_is_empty(&broker->asks))
		loop_timer_arm(broker->sweep, SWEEP_MS);
}

void broker_listen(struct broker *broker, const char *subject, const char *group,
    broker_message_fn *take, void *data)
{
	struct listener *listener = &broker->listeners[broker->listeners_count++];
	listener->subject = xstrdup(subject);
	listener->group = group != NULL ? xstrdup(group) : NULL;
	listener->take = take;
	listener->data = data;
	if (broker->connection != NULL)
		(void)subscribe(
		    &listener->subscription, broker->connection, subject, listener->group);
}

size_t broker_payload_max(const struct broker *broker)
{
	int64_t max =
	    broker->connection != NULL ? natsConnection_GetMaxPayload(broker->connection) : 0;
	return max > 0 ? (size_t)max : 0;
}

/* libnats does not accept NULL as a reply subject. */
static natsStatus publish_plain(
    struct broker *broker, const char *subject, const char *reply, const void *payload, size_t len)
{
	return reply != NULL
	    ? natsConnection_PublishRequest(broker->connection, subject, reply, payload, (int)len)
	    : natsConnection_Publish(broker->connection, subject, payload, (int)len);
}

bool broker_publish(
    struct broker *broker, const char *subject, const char *reply, const void *payload, size_t len)
{
	return broker->connection != NULL && len <= broker_payload_max(broker) &&
	    publish_plain(broker, subject, reply, payload, len) == NATS_OK;
}

static natsStatus publish_with_header(struct broker *broker, const char *subject, const char *reply,
    const struct broker_header *header, const void *payload, size_t len)
{
	natsMsg *msg = NULL;
	natsStatus status = natsMsg_Create(&msg, subject, reply, payload, (int)len);
	if (status == NATS_OK)
		status = natsMsgHeader_Set(msg, header->name, header->value);
	if (status == NATS_OK)
		status = natsConnection_PublishMsg(broker->connection, msg);
	natsMsg_Destroy(msg);
	return status;
}

bool broker_ask(struct broker *broker, const char *subject, const struct broker_header *header,
    const void *payload, size_t len, int64_t timeout_ms, broker_reply_fn *reply, void *data)
{
	char inbox[160];
	natsStatus status;
	struct broker_ask *ask;
	uint64_t id = ++broker->last_id;
	if (broker->connection == NULL || broker->asks_by_id.count >= BROKER_ASKS_MAX ||
	    len > broker_payload_max(broker))
		return false;
	(void)snprintf(inbox, sizeof inbox, "%s%" PRIu64, broker->inbox, id);
	status = header != NULL ? publish_with_header(broker, subject, inbox, header, payload, len)
				: publish_plain(broker, subject, inbox, payload, len);
	if (status != NATS_OK)
		return false;
	ask = xcalloc(1, sizeof *ask);
	ask->id = id;
	ask->end_ms = clock_mono_ms() + timeout_ms;
	ask->reply = reply;
	ask->data = data;
	xmap_set(&broker->asks_by_id, id, ask);
	list_append(&broker->asks, &ask->link);
	if (!loop_timer_is_armed(broker->sweep))
		loop_timer_arm(broker->sweep, SWEEP_MS);
	return true;
}

bool broker_ask_js(struct broker *broker, const char *verb, const char *payload, int64_t timeout_ms,
    broker_reply_fn *reply, void *data)
{
	char subject[NAME_SUBJECT_SIZE];
	(void)snprintf(subject, sizeof subject, "%s%s", broker->js_prefix, verb);
	return broker_ask(broker, subject, NULL, payload, strlen(payload), timeout_ms, reply, data);
}

bool broker_request(struct broker *broker, const char *verb, const char *reply, const char *payload)
{
	char subject[NAME_SUBJECT_SIZE];
	(void)snprintf(subject, sizeof subject, "%s%s", broker->js_prefix, verb);
	return broker_publish(broker, subject, reply, payload, strlen(payload));
}

void broker_new_inbox(char *ret_subject, size_t size)
{
	natsInbox *inbox = NULL;
	(void)natsInbox_Create(&inbox);
	(void)snprintf(ret_subject, size, "%s", inbox != NULL ? inbox : "_INBOX.0");
	natsInbox_Destroy(inbox);
}

enum { REPLY_MAX = 1024 * 1024 }; /* bytes of a reply of JetStream */

static void fail(struct js_reply *out, const char *text)
{
	struct buf visible = BUF(sizeof out->text - 1);
	out->is_error = true;
	(void)str_append_visible(&visible, text, strlen(text));
	strcpy(out->text, buf_text(&visible));
	buf_finish(&visible);
}

void js_reply_read(struct js_reply *out, const struct broker_message *reply, const char *reason)
{
	static struct json_reader *reader;
	const struct json *value, *error;
	struct json_error parse_error;
	*out = (struct js_reply){0};
	if (reply == NULL) {
		fail(out, reason);
		return;
	}
	if (reader == NULL)
		reader = json_reader_new(REPLY_MAX);
	value = json_read(reader, reply->payload, reply->len, &parse_error);
	error = json_member(value, "error");
	if (value == NULL) {
		fail(out, "the reply is not JSON");
	} else if (error != NULL) {
		out->err_code = json_get_int(error, "err_code", 0);
		fail(out, json_get_str(error, "description", "an error"));
	} else {
		out->seq = json_get_int(value, "seq", 0);
	}
}
