/* SPDX-License-Identifier: ISC */
/*
 * A plain client of NATS for tests, with the blocking calls of libnats:
 *	nats_probe URL read STREAM		each message: its subject, id and text, with tabs
 *	nats_probe URL request SUBJECT TEXT	the reply to a request
 *	nats_probe URL publish SUBJECT TEXT	a message that JetStream acknowledges
 *	nats_probe URL get BUCKET KEY		an entry of a key-value bucket
 */
#include <nats/nats.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 5000 };

static natsConnection *connection;
static jsCtx *js;

/*
 * Nothing is destroyed at the end: libnats 3.4 may free a subscription that its reading thread still
 * uses, and then joins that thread for ever.
 */
static void end(int status)
{
	_exit(fflush(stdout) == 0 ? status : 1);
}

static void check(natsStatus status, const char *text)
{
	if (status == NATS_OK)
		return;
	fprintf(stderr, "nats_probe: %s: %s\n", text, natsStatus_GetText(status));
	end(1);
}

static const char *header(natsMsg *msg, const char *name)
{
	const char *value = NULL;
	return natsMsgHeader_Get(msg, name, &value) == NATS_OK ? value : "";
}

static int read_stream(const char *stream, const char *unused)
{
	natsSubscription *subscription;
	jsSubOptions options;
	jsStreamInfo *info;
	uint64_t left;
	(void)unused;
	check(js_GetStreamInfo(&info, js, stream, NULL, NULL), stream);
	left = info->State.Msgs;
	jsStreamInfo_Destroy(info);
	check(jsSubOptions_Init(&options), "options");
	options.Stream = stream;
	options.Ordered = true;
	check(js_SubscribeSync(&subscription, js, ">", NULL, &options, NULL), "subscribe");
	for (; left > 0; left--) {
		natsMsg *msg;
		check(natsSubscription_NextMsg(&msg, subscription, TIMEOUT_MS), "read");
		printf("%s\t%s\t%.*s\n", natsMsg_GetSubject(msg), header(msg, "Nats-Msg-Id"),
		    natsMsg_GetDataLength(msg), natsMsg_GetData(msg));
		natsMsg_Destroy(msg);
	}
	return 0;
}

static int request(const char *subject, const char *text)
{
	natsMsg *reply;
	check(natsConnection_RequestString(&reply, connection, subject, text, TIMEOUT_MS), subject);
	printf("%.*s\n", natsMsg_GetDataLength(reply), natsMsg_GetData(reply));
	natsMsg_Destroy(reply);
	return 0;
}

static int publish(const char *subject, const char *text)
{
	check(js_Publish(NULL, js, subject, text, (int)strlen(text), NULL, NULL), subject);
	return 0;
}

static int get(const char *bucket, const char *key)
{
	kvStore *store;
	kvEntry *entry;
	check(js_KeyValue(&store, js, bucket), bucket);
	check(kvStore_Get(&entry, store, key), key);
	printf("%.*s\n", kvEntry_ValueLen(entry), (const char *)kvEntry_Value(entry));
	kvEntry_Destroy(entry);
	kvStore_Destroy(store);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int count; /* of arguments */
		int (*run)(const char *one, const char *other);
	} verbs[] = {{"get", 2, get}, {"publish", 2, publish}, {"read", 1, read_stream},
	    {"request", 2, request}};
	for (size_t at = 0; argc > 3 && at < sizeof verbs / sizeof *verbs; at++) {
		if (strcmp(argv[2], verbs[at].name) != 0 || argc != 3 + verbs[at].count)
			continue;
		check(natsConnection_ConnectTo(&connection, argv[1]), argv[1]);
		check(natsConnection_JetStream(&js, connection, NULL), "JetStream");
		end(verbs[at].run(argv[3], argc > 4 ? argv[4] : NULL));
	}
	fprintf(stderr, "usage: nats_probe URL read|request|publish|get …\n");
	return 2;
}
