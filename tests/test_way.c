/* SPDX-License-Identifier: ISC */
/*
 * The ways: the rows of the table, and for each situation the promise, the way that starts, and its
 * receipt. The engine and the rows are real. Agents, clients and typing are fakes.
 */
#include "daemon/deliver/way.h"

#include <muxbus.h>

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "daemon/core/config.h"
#include "daemon/deliver/delivery.h"
#include "daemon/deliver/on_notify.h"
#include "daemon/deliver/person.h"
#include "daemon/deliver/puller.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/event/event_log.h"
#include "daemon/input/submit.h"
#include "daemon/pane/expected.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/pane/thread_seat.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/tmux/tmux.h"
#include "tap.h"
#include "torn_disk.h"

enum { TURNS_MAX = 500, TURN_US = 10000, KEEP_EVENTS = 1000, KEEP_BYTES = 1 << 20 };

struct situation {
	const char *name;
	bool has_follower, has_hook;
	bool has_session; /* an agent with a queue command has reported itself */
	bool is_thread; /* the address is a thread in no pane */
	bool is_person, has_client;
	bool shows_nothing, runs_on_notify;
	bool is_guarded; /* typing is not possible for now */
	/* Expected results. */
	const struct way *promised;
	const struct way *by;
	const char *result; /* of the last receipt */
	enum notification_state state;
};

static const struct situation situations[] = {
    {"an agent at its prompt", .promised = &way_typed, .by = &way_typed, .result = "submitted",
	.state = NOTE_DELIVERED},
    {"a shell in front", .is_guarded = true, .promised = &way_none, .by = &way_typed,
	.result = "deferred", .state = NOTE_QUEUED},
    {"a follower", .has_follower = true, .has_hook = true, .has_session = true,
	.promised = &way_follow, .by = &way_follow, .result = "handed_over",
	.state = NOTE_DELIVERING},
    {"a hook that waits", .has_hook = true, .has_session = true, .promised = &way_hook,
	.by = &way_hook, .result = "handed_over", .state = NOTE_DELIVERING},
    {"a session", .has_session = true, .promised = &way_queue_command, .by = &way_queue_command,
	.result = "handed_over", .state = NOTE_DELIVERED},
    {"a session behind a shell", .has_session = true, .is_guarded = true,
	.promised = &way_queue_command, .by = &way_queue_command, .result = "handed_over",
	.state = NOTE_DELIVERED},
    {"a thread in no pane", .is_thread = true, .has_session = true, .promised = &way_queue_command,
	.by = &way_queue_command, .result = "handed_over", .state = NOTE_DELIVERED},
    {"a thread that is not loaded", .is_thread = true, .promised = &way_none,
	.by = &way_queue_command, .result = "deferred", .state = NOTE_QUEUED},
    {"a person who looks", .is_person = true, .has_client = true, .promised = &way_shown,
	.by = &way_shown, .result = "shown", .state = NOTE_DELIVERED},
    {"a person who looks, and a program", .is_person = true, .has_client = true,
	.runs_on_notify = true, .promised = &way_shown, .by = &way_shown, .result = "shown",
	.state = NOTE_DELIVERED},
    {"a person who is away", .is_person = true, .promised = &way_shown, .by = &way_shown,
	.result = "deferred", .state = NOTE_QUEUED},
    {"a person's program", .is_person = true, .runs_on_notify = true, .promised = &way_on_notify,
	.by = &way_on_notify, .result = "handed_over", .state = NOTE_DELIVERED},
    {"a person's program alone", .is_person = true, .has_client = true, .shows_nothing = true,
	.runs_on_notify = true, .promised = &way_on_notify, .by = &way_on_notify,
	.result = "handed_over", .state = NOTE_DELIVERED},
    {"a person without both", .is_person = true, .has_client = true, .shows_nothing = true,
	.promised = &way_none, .by = &way_on_notify, .result = "refused", .state = NOTE_FAILED},
    {"a follower in a person's pane", .has_follower = true, .is_person = true, .has_client = true,
	.promised = &way_follow, .by = &way_follow, .result = "handed_over",
	.state = NOTE_DELIVERING},
};

static const struct situation *now;
static struct event_base *base;
static char dir[] = "/tmp/test_way.XXXXXX";

/* The fakes. A submit types at once, in a turn of its own. */

struct submit {
	const struct submit_handlers *handlers;
	void *data;
	bool is_woken;
	unsigned wakes;
};
static bool dies; /* muxbusd ends before it types the composed line */
static struct submit *submits; /* NULL: none; there is one pane */
static muxbus_reply_fn *shown;
static void *shown_data;
static struct presence presence;

struct submit *submit_new(struct submit_set *set, const struct pane_ref *pane,
    const struct submit_policy *policy, const struct submit_handlers *handlers, void *data)
{
	(void)set;
	(void)pane;
	(void)policy;
	submits = calloc(1, sizeof *submits);
	*submits = (struct submit){.handlers = handlers, .data = data};
	return submits;
}

void submit_free(struct submit *submit)
{
	free(submit);
	submits = NULL;
}

void submit_wake(struct submit *submit)
{
	submit->is_woken = true;
	submit->wakes++;
}

void submit_drop(struct submit *submit)
{
	submit->is_woken = false;
}

bool submit_is_at_work(const struct submit *submit)
{
	(void)submit;
	return false;
}

void submit_resume(struct submit *submit, const struct submit_past *past)
{
	(void)submit;
	(void)past;
}

void submit_read_past(const struct submit *submit, struct submit_past *ret_past)
{
	(void)submit;
	*ret_past = (struct submit_past){.line = (char *)"hello"};
}

void submit_write_evidence(
    const struct submit *submit, enum submit_result result, struct json_writer *writer)
{
	(void)submit;
	(void)result;
	(void)writer;
}

bool submit_can_type(
    const struct submit_set *set, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE])
{
	(void)set;
	(void)ref;
	snprintf(ret_reason, SUBMIT_REASON_SIZE, "%s", now->is_guarded ? "a shell" : "");
	return !now->is_guarded;
}

bool person_has_pane(const struct daemon *parts, const struct pane_ref *pane)
{
	(void)parts;
	(void)pane;
	return now->is_person;
}

size_t person_clients(const struct daemon *parts, const struct pane_ref *pane,
    const char *ret_names[PERSON_CLIENTS_MAX])
{
	(void)parts;
	(void)pane;
	ret_names[0] = "/dev/pts/7";
	return now->has_client;
}

const struct presence *presence_of_pane(struct presence_set *set, const struct pane_ref *pane)
{
	(void)set;
	return now->has_session && pane->pane != MUXBUS_NO_ID ? &presence : NULL;
}

const struct presence *presence_of_session(
    struct presence_set *set, const char *agent, const char *session)
{
	(void)set;
	(void)agent;
	(void)session;
	return now->has_session ? &presence : NULL;
}

bool presence_split(const char *thread, char agent[PRESENCE_NAME_MAX + 1], const char **ret_session)
{
	snprintf(agent, PRESENCE_NAME_MAX + 1, "codex");
	*ret_session = strchr(thread, ':') + 1;
	return true;
}

void presence_listen(struct presence_set *set, struct presence_listener *listener)
{
	(void)set;
	list_init(&listener->link);
}

bool wake_policy_holds(struct wake_policy_set *set, const struct pane_ref *pane)
{
	(void)set;
	(void)pane;
	return false;
}

void wake_policy_listen(struct wake_policy_set *set, struct wake_policy_listener *listener)
{
	(void)set;
	list_init(&listener->link);
}

bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected)
{
	(void)store;
	(void)pane;
	(void)ret_expected;
	return false;
}

void thread_seat_look(struct presence_set *presences, const struct pane_ref *pane)
{
	(void)presences;
	(void)pane;
}

bool foreground_lives(pid_t pid, uint64_t start)
{
	(void)start;
	return pid > 0;
}

void foreground_leader(pid_t pane_pid, struct foreground_program *ret_program)
{
	*ret_program = (struct foreground_program){.pid = pane_pid, .start = 1};
}

struct muxbus_sync *tmux_sync(struct tmux *tmux)
{
	(void)tmux;
	return NULL;
}

void muxbus_sync_info(const struct muxbus_sync *sync, struct muxbus_sync_info *ret_info)
{
	(void)sync;
	*ret_info = (struct muxbus_sync_info){.version = {.major = 3, .minor = 6}};
}

int muxbus_sync_run(struct muxbus_sync *sync, struct muxbus_command *command, bool read_back,
    muxbus_reply_fn *reply, void *data)
{
	(void)sync;
	(void)read_back;
	muxbus_command_free(command);
	shown = reply;
	shown_data = data;
	return 0;
}

/* The work of a submit that has been woken. */
static void type(struct submit *submit)
{
	struct submit_end end = {.result = SUBMIT_SUBMITTED};
	struct submit_text text = {0};
	submit->is_woken = false;
	if (now->is_guarded) {
		submit->handlers->deferred(submit->data, "a shell", true);
		return;
	}
	buf_init(&text.bytes, SUBMIT_LINE_MAX);
	if (!submit->handlers->is_wanted(submit->data) ||
	    !submit->handlers->compose(submit->data, &text))
		end.result = SUBMIT_NOTHING;
	buf_finish(&text.bytes);
	if (!dies)
		submit->handlers->ended(submit->data, &end);
}

/* A turn of the loop, and of tmux. */
static void turn(void)
{
	static const struct muxbus_reply sees = {
	    .body = (const uint8_t *)"attached", .body_len = 8};
	muxbus_reply_fn *reply;
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	if (submits != NULL && submits->is_woken)
		type(submits);
	reply = shown;
	shown = NULL;
	if (reply != NULL)
		reply(shown_data, 0, &sees, 1);
	(void)usleep(TURN_US);
}

/* The daemon around the engine. */

struct world {
	struct torn_disk disk;
	struct config config;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct puller_set *pullers;
	struct puller *follower, *hook;
	struct on_notify *on_notify;
	struct delivery_set *deliveries;
	struct daemon daemon;
	struct pane_ref address;
};

static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[sizeof dir + 64];
	FILE *file;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	(void)unlink(path);
	if (text == NULL)
		return;
	file = fopen(path, "w");
	if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0 || chmod(path, mode) != 0)
		abort();
}

static void world_load(struct world *world)
{
	world->store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	if (world->store == NULL)
		abort();
	world->queue = queue_new(world->store, world->events);
	world->daemon = (struct daemon){
	    .base = base, .config = &world->config, .events = world->events, .queue = world->queue};
	world->pullers = world->daemon.pullers = puller_set_new(&world->daemon);
	world->on_notify = world->daemon.on_notify = on_notify_new(&world->daemon);
	world->deliveries = delivery_set_new(&world->daemon);
}

static void world_unload(struct world *world)
{
	delivery_set_free(world->deliveries);
	on_notify_free(world->on_notify);
	puller_set_free(world->pullers);
	queue_free(world->queue);
	store_close(world->store);
}

static void world_open(struct world *world)
{
	char reason[128];
	memset(world, 0, sizeof *world);
	torn_disk_init(&world->disk, 5);
	config_limits_init(&world->config.limits);
	world->config.shows_nothing = now->shows_nothing;
	/* The program takes longer than a message, which comes first. */
	write_file("muxbus/on_notify", now->runs_on_notify ? "sleep\n0.2\n" : NULL, 0600);
	world->events = event_log_new(NULL, KEEP_EVENTS, KEEP_BYTES, reason, sizeof reason);
	world_load(world);
	pane_ref_clear(&world->address);
	if (now->is_thread)
		strcpy(world->address.thread, "codex:one");
	else
		world->address = (struct pane_ref){.pane = 4, .pane_pid = 1, .server_pid = 1};
	if (now->has_follower)
		world->follower = puller_begin(world->pullers, &world->address, PULLER_FOLLOW);
	if (now->has_hook)
		world->hook = puller_begin(world->pullers, &world->address, PULLER_HOOK);
}

static void world_finish(struct world *world)
{
	world_unload(world);
	event_log_free(world->events);
	torn_disk_finish(&world->disk);
}

/* Whether a notification has the receipt of its last state. */
static bool is_settled(const struct notification *note)
{
	char result[64];
	snprintf(result, sizeof result, "\"result\":\"%s\"", now->result);
	return note->state == now->state && note->delivery != NULL &&
	    strstr(note->delivery, result) != NULL;
}

/* Whether a receipt names a way. */
static bool names(const char *receipt, const struct way *way)
{
	char text[64];
	snprintf(text, sizeof text, "\"way\":\"%s\"", way->name);
	return receipt != NULL && strstr(receipt, text) != NULL;
}

static void test_situation(void)
{
	struct notification_draft draft = {.source = SOURCE_POST, .text = "hello"};
	const struct notification *note;
	struct way_found found;
	struct world world;
	uint64_t seq;
	world_open(&world);
	delivery_way(world.deliveries, &world.address, &found);
	is_str(found.way->name, now->promised->name, "%s: the promise", now->name);
	is_str(found.by->name, now->by->name, "%s: by this row", now->name);
	ok(found.text[0] != '\0', "%s: %s", now->name, found.text);
	ok(found.is_final == (now->state == NOTE_FAILED), "%s: or for ever", now->name);
	draft.pane = &world.address;
	seq = queue_post(world.queue, &draft);
	/* The requests of pullers take it in this turn: a follower first, as it has begun first. */
	if (world.follower != NULL || world.hook != NULL)
		(void)puller_take(world.follower != NULL ? world.follower : world.hook);
	for (int at = 0; at < TURNS_MAX && !is_settled(queue_find(world.queue, seq)); at++)
		turn();
	note = queue_find(world.queue, seq);
	if (!ok(is_settled(note), "%s: it is %s", now->name, now->result))
		diag("%s", note->delivery != NULL ? note->delivery : "no receipt");
	ok(names(note->delivery, found.way), "%s: by the promised way", now->name);
	if (found.way != &way_none && note->state != NOTE_QUEUED)
		is_str(now->result, found.way->result, "%s: its receipt", now->name);
	for (int at = 0; at < 3; at++)
		turn();
	ok(is_settled(queue_find(world.queue, seq)), "%s: that stays", now->name);
	world_finish(&world);
}

static void pass(int turns)
{
	while (turns-- > 0)
		turn();
}

/* A line that an earlier daemon may have typed, where no agent lives any more. */
static void test_left_line(void)
{
	static const struct situation agent = {.name = "an agent"};
	static const struct situation shell = {
	    .name = "a shell", .is_person = true, .is_guarded = true};
	struct notification_draft draft = {.source = SOURCE_POST, .text = "hello"};
	struct world world;
	now = &agent;
	world_open(&world);
	draft.pane = &world.address;
	(void)queue_post(world.queue, &draft);
	dies = true;
	pass(3);
	dies = false;
	world_unload(&world);
	now = &shell;
	world_load(&world);
	delivery_set_wake(world.deliveries);
	pass(50);
	ok(submits != NULL && submits->wakes > 0, "the line is looked for at the prompt");
	ok(submits != NULL && submits->wakes < 5, "and not again at once");
	world_finish(&world);
}

/* A thread's notification that a request took before it was delivered. */
static void test_taken_first(void)
{
	static const struct situation thread = {.name = "a thread", .is_thread = true};
	struct notification_draft draft = {.source = SOURCE_POST, .text = "hello"};
	struct world world;
	uint64_t seq;
	now = &thread;
	world_open(&world);
	draft.pane = &world.address;
	seq = queue_post(world.queue, &draft);
	ok(!delivery_set_is_idle(world.deliveries), "a notification is on its way");
	(void)queue_set_state(world.queue, seq, NOTE_ACKNOWLEDGED, NULL);
	pass(3);
	ok(delivery_set_is_idle(world.deliveries), "a request took it, and none is on its way");
	world_finish(&world);
}

static void test_rows(void)
{
	size_t pullers = 0;
	for (size_t at = 0; ways[at] != NULL; at++) {
		const struct way *way = ways[at];
		bool is_puller = false, is_tried = false;
		for (size_t other = 0; puller_ways[other] != NULL; other++)
			is_puller |= strcmp(puller_ways[other], way->name) == 0;
		for (size_t row = 0; row < sizeof situations / sizeof *situations; row++)
			is_tried |= situations[row].promised == way;
		for (size_t other = 0; other < at; other++)
			ok(strcmp(ways[other]->name, way->name) != 0, "%s is not %s", way->name,
			    ways[other]->name);
		ok(way->name != NULL && way->result != NULL && way->use != NULL,
		    "%s has a name, a result, and says when it takes", way->name);
		ok(strcmp(way->name, way_none.name) != 0, "%s is a way", way->name);
		ok((way->start == NULL) == is_puller, "%s starts, or is a puller's", way->name);
		ok(way->cancel == NULL || way->start != NULL, "%s: what starts ends", way->name);
		ok(way->program == NULL || !way->is_for_person, "%s: agents end", way->name);
		ok(way_wakes(way) == !way->is_for_person, "%s wakes agents", way->name);
		ok(is_tried, "%s has a situation here", way->name);
		pullers += is_puller;
	}
	is_int((long long)pullers, 2, "the rows of pullers have their names");
	ok(!way_wakes(&way_none), "none does not wake");
}

int main(void)
{
	char path[sizeof dir + 300];
	if (mkdtemp(dir) == NULL)
		abort();
	snprintf(path, sizeof path, "%s/muxbus", dir);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof path, "%s:/usr/bin:/bin", dir);
	(void)setenv("PATH", path, 1);
	(void)setenv("XDG_CONFIG_HOME", dir, 1);
	write_file("codex", "#!/bin/sh\nexit 0\n", 0700);
	strcpy(presence.agent, "codex");
	strcpy(presence.session, "one");
	base = event_base_new();
	test_rows();
	for (size_t at = 0; at < sizeof situations / sizeof *situations; at++) {
		now = &situations[at];
		test_situation();
	}
	test_left_line();
	test_taken_first();
	event_base_free(base);
	write_file("codex", NULL, 0);
	write_file("muxbus/on_notify", NULL, 0);
	snprintf(path, sizeof path, "%s/muxbus", dir);
	(void)rmdir(path);
	(void)rmdir(dir);
	return done_testing();
}
