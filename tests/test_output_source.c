/* SPDX-License-Identifier: ISC */
/* The source of a pane's output, with fakes of the pipes and of the library: which one, and when. */
#include "daemon/tmux/output_source.h"

#include <muxbus.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/core/config.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/tmux/pane_pipe.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"
#include "tap.h"

enum { PANES = 2 };

static struct {
	struct pane_pipe_handlers handlers;
	void *data[PANES]; /* data of the handlers of each pipe; NULL: no pipe */
	bool may_start;
	bool fails;
	bool has_pane; /* the model has the pane */
	bool is_dead; /* the pane is dead */
	int wanted[PANES]; /* wanted in control mode */
	int wanted_all;
	enum muxbus_output own[PANES];
	size_t added, late;
	muxbus_reply_fn *asked; /* the question that waits for tmux */
	void *asked_data;
	int followed; /* how often the followed panes have changed */
	bool is_resting; /* the daemon is not attached */
	bool is_cut; /* result of pane_pipe_finish() */
	int refreshes;
	void (*retry)(void *data); /* callback of the timer */
	void *retry_data;
	int64_t armed_ms; /* delay of the timer; 0: not armed */
} fake;

/* The timer for the children of tmux, and the watch of its terminals. */
static struct {
	void (*fn)(void *data);
	void *data;
	bool is_armed;
	bool has_inotify;
	struct inotify_watch *terminals;
} look;

struct loop_timer *loop_timer_new(struct event_base *base, void (*fn)(void *data), void *data)
{
	(void)base;
	if (fake.retry != NULL) {
		look.fn = fn; /* the second timer, which looks for children of tmux */
		look.data = data;
		return (struct loop_timer *)&look;
	}
	fake.retry = fn;
	fake.retry_data = data;
	return (struct loop_timer *)&fake;
}

void loop_timer_free(struct loop_timer *timer)
{
	if (timer == (struct loop_timer *)&look)
		look.is_armed = false;
	else
		fake.armed_ms = 0;
}

void loop_timer_arm(struct loop_timer *timer, int64_t ms)
{
	if (timer == (struct loop_timer *)&look)
		look.is_armed = true;
	else
		fake.armed_ms = ms;
}

bool loop_timer_is_armed(const struct loop_timer *timer)
{
	return timer == (const struct loop_timer *)&look ? look.is_armed : fake.armed_ms > 0;
}

struct pane_pipe_set *pane_pipe_set_new(struct event_base *base, const struct config *config,
    struct tmux *tmux, const struct pane_pipe_handlers *handlers)
{
	(void)base;
	(void)config;
	(void)tmux;
	fake.handlers = *handlers;
	return (struct pane_pipe_set *)&fake;
}

void pane_pipe_set_free(struct pane_pipe_set *pipes)
{
	(void)pipes;
}

bool pane_pipe_may_start(const struct pane_pipe_set *pipes)
{
	(void)pipes;
	return fake.may_start;
}

int pane_pipe_start(struct pane_pipe_set *pipes, uint32_t pane, void *data)
{
	(void)pipes;
	if (fake.fails)
		return -1;
	fake.data[pane] = data;
	return 0;
}

void pane_pipe_stop(struct pane_pipe_set *pipes, uint32_t pane)
{
	(void)pipes;
	fake.data[pane] = NULL;
}

void pane_pipe_drain(struct pane_pipe_set *pipes, uint32_t pane, size_t max)
{
	(void)pipes;
	(void)max;
	if (fake.data[pane] != NULL)
		fake.handlers.output(fake.data[pane], (const uint8_t *)"rest", 4);
}

bool pane_pipe_finish(struct pane_pipe_set *pipes, uint32_t pane)
{
	pane_pipe_drain(pipes, pane, 0);
	fake.data[pane] = NULL;
	return fake.is_cut;
}

uint32_t pane_pipe_count(const struct pane_pipe_set *pipes)
{
	(void)pipes;
	return (fake.data[0] != NULL) + (fake.data[1] != NULL);
}

const struct muxbus_model *tmux_model(const struct tmux *tmux)
{
	(void)tmux;
	return NULL;
}

const struct muxbus_pane *muxbus_model_pane(const struct muxbus_model *model, uint32_t id)
{
	static struct muxbus_pane pane;
	(void)model;
	pane = (struct muxbus_pane){.id = id, .is_dead = fake.is_dead};
	return fake.has_pane ? &pane : NULL;
}

struct muxbus_sync *tmux_sync(struct tmux *tmux)
{
	(void)tmux;
	return NULL;
}

pid_t tmux_server_pid(struct tmux *tmux)
{
	(void)tmux;
	return getpid(); /* a process whose children can be read */
}

struct inotify_hub *inotify_hub_new(struct event_base *base, void (*idle)(void *data), void *data)
{
	(void)base;
	(void)idle;
	(void)data;
	return (struct inotify_hub *)&look;
}

void inotify_hub_free(struct inotify_hub *hub)
{
	(void)hub;
}

void inotify_watch_init(struct inotify_watch *watch,
    void (*told)(struct inotify_watch *watch, const struct inotify_event *event))
{
	*watch = (struct inotify_watch){.wd = -1, .told = told};
}

int inotify_hub_add(
    struct inotify_hub *hub, struct inotify_watch *watch, const char *path, uint32_t mask)
{
	(void)hub;
	(void)path;
	(void)mask;
	look.terminals = watch;
	watch->wd = look.has_inotify ? 1 : -1;
	return look.has_inotify ? 0 : -EMFILE;
}

void inotify_hub_remove(struct inotify_hub *hub, struct inotify_watch *watch)
{
	(void)hub;
	watch->wd = -1;
}

void tmux_followed(struct tmux *tmux)
{
	(void)tmux;
	fake.followed++;
}

bool tmux_is_resting(const struct tmux *tmux)
{
	(void)tmux;
	return fake.is_resting;
}

int muxbus_sync_refresh(
    struct muxbus_sync *sync, unsigned parts, unsigned max_age_ms, muxbus_done_fn *done, void *data)
{
	(void)sync;
	(void)parts;
	(void)max_age_ms;
	fake.refreshes++;
	if (done != NULL)
		done(data, 0);
	return 0;
}

int muxbus_sync_want_output(struct muxbus_sync *sync, uint32_t pane, bool is_wanted)
{
	(void)sync;
	fake.wanted[pane] += is_wanted ? 1 : -1;
	return 0;
}

void muxbus_sync_want_all_output(struct muxbus_sync *sync, bool is_wanted)
{
	(void)sync;
	fake.wanted_all += is_wanted ? 1 : -1;
}

int muxbus_sync_own_output(struct muxbus_sync *sync, uint32_t pane, enum muxbus_output output)
{
	(void)sync;
	fake.own[pane] = output;
	return 0;
}

enum muxbus_output muxbus_sync_output(const struct muxbus_sync *sync, uint32_t pane)
{
	(void)sync;
	return fake.own[pane];
}

int muxbus_sync_add_output(
    struct muxbus_sync *sync, uint32_t pane, const uint8_t *bytes, size_t len)
{
	(void)sync;
	(void)pane;
	(void)bytes;
	if (!fake.has_pane)
		return MUXBUS_ERR_NOT_FOUND;
	fake.added += len;
	return 0;
}

int muxbus_sync_run(struct muxbus_sync *sync, struct muxbus_command *command, bool read_back,
    muxbus_reply_fn *reply, void *data)
{
	(void)sync;
	(void)read_back;
	muxbus_command_free(command);
	fake.asked = reply;
	fake.asked_data = data;
	return 0;
}

static void on_late(struct output_source *source, const uint8_t *bytes, size_t len)
{
	(void)source;
	(void)bytes;
	fake.late += len;
}

static struct output_source_set *sources;
static struct output_source panes[PANES];

static void begin(const struct config *config)
{
	memset(&fake, 0, sizeof fake);
	fake.may_start = fake.has_pane = true;
	sources = output_source_set_new(NULL, config, NULL, on_late);
	for (uint32_t pane = 0; pane < PANES; pane++)
		output_source_init(&panes[pane], sources, pane);
}

static void end(void)
{
	for (size_t at = 0; at < PANES; at++)
		output_source_finish(&panes[at]);
	output_source_set_free(sources);
	is_int(fake.wanted_all, 0, "at the end not all is wanted");
}

/* The pipe of %0 has ended, and tmux answers. */
static void end_pipe_with(const char *answer)
{
	struct muxbus_reply reply = {.body = (const uint8_t *)answer};
	void *data = fake.data[0];
	reply.body_len = strlen((const char *)reply.body);
	fake.data[0] = NULL;
	fake.handlers.ended(data, PANE_PIPE_CLOSED);
	is_int(fake.own[0], MUXBUS_OUTPUT_COMING, "the output is awaited meanwhile");
	fake.asked(fake.asked_data, 0, &reply, 1);
}

static void end_pipe(bool lives)
{
	char answer[64] = " 0 \n";
	if (lives)
		(void)snprintf(answer, sizeof answer, "%%0 0 %ld 1\n", (long)getpid());
	end_pipe_with(answer);
}

static void test_control(void)
{
	const struct config control = {.follows_by_control = 1};
	const struct config always = {.all_output = true};
	const struct config *configs[] = {&control, &always};
	for (size_t at = 0; at < 2; at++) {
		begin(configs[at]);
		output_source_want(&panes[0], true);
		output_source_want(&panes[0], true);
		is_int(fake.wanted[0], 1, "control mode where that is set, once");
		ok(output_source_needs_control(sources), "and needed");
		output_source_want(&panes[0], false);
		is_int(fake.wanted[0], 0, "until the pane is not wanted");
		ok(!output_source_needs_control(sources), "then not any more");
		is_int(output_source_piped(sources), 0, "no pane is piped");
		end();
	}
}

static void test_pipe(void)
{
	const struct config config = {0};
	begin(&config);
	output_source_want(&panes[0], true);
	ok(fake.data[0] != NULL && fake.wanted[0] == 0, "a wanted pane is piped");
	is_int(fake.own[0], MUXBUS_OUTPUT_COMING, "its output is coming");
	fake.handlers.begun(fake.data[0]);
	is_int(fake.own[0], MUXBUS_OUTPUT_FLOWING, "and then flows");
	fake.handlers.output(fake.data[0], (const uint8_t *)"abc", 3);
	is_int((long long)fake.added, 3, "and is counted by the library");
	is_int(output_source_piped(sources), 1, "one pane is piped");
	ok(!output_source_needs_control(sources), "control mode is not needed");
	(void)output_source_drain(&panes[0], 1);
	is_int((long long)fake.added, 7, "all output that is there comes");
	ok(output_source_drain(&panes[0], 1) && !output_source_drain(&panes[1], 1) &&
		fake.added == 11,
	    "some of it can be taken, from a pipe");
	fake.has_pane = false;
	ok(!output_source_finish(&panes[0]), "at the end nothing is lost");
	is_int((long long)fake.late, 4, "and the last, when the model has the pane no more");
	output_source_want(&panes[0], true);
	ok(fake.data[0] == NULL && fake.wanted[0] == 0, "a pane that has gone is not wanted again");
	end();
}

static void test_coming(void)
{
	const struct config config = {0};
	uint64_t begun;
	uint32_t found[PANES];
	begin(&config);
	output_source_want(&panes[0], true);
	begun = output_source_begun(sources);
	is_int((long long)output_source_coming(sources, begun, found, PANES), 0,
	    "nothing has begun since");
	output_source_want(&panes[1], true);
	output_source_want(&panes[0], true);
	is_int((long long)output_source_coming(sources, begun, found, PANES), 1, "one pane has");
	is_int(found[0], 1, "the later one");
	is_int((long long)output_source_coming(sources, 0, found, 1), 1, "never more than fit");
	fake.handlers.begun(fake.data[1]);
	is_int((long long)output_source_coming(sources, begun, found, PANES), 0,
	    "until its output flows");
	end();
}

static void test_all(void)
{
	const struct config config = {0};
	begin(&config);
	output_source_want(&panes[0], true);
	output_source_want_all(sources, true);
	output_source_want_all(sources, true);
	output_source_want(&panes[0], true);
	ok(fake.data[0] != NULL && fake.wanted_all == 1, "with the output of all it stays piped");
	ok(output_source_needs_control(sources), "control mode is needed");
	output_source_want(&panes[1], true);
	is_int(fake.wanted[1], 1, "another pane is not piped: its output comes already");
	output_source_want_all(sources, false);
	output_source_want(&panes[1], true);
	ok(fake.data[1] == NULL && fake.wanted[1] == 1,
	    "and so it stays when the others are not wanted: a change would lose output");
	output_source_want_all(sources, true);
	end();
}

static void test_ended(void)
{
	const struct config config = {0};
	begin(&config);
	output_source_want(&panes[0], true);
	end_pipe(true);
	is_int(
	    fake.wanted[0], 1, "when the pipe has ended and the pane lives, control mode begins");
	is_int(fake.followed, 1, "for which the daemon has to be a client");
	is_int(fake.own[0], MUXBUS_OUTPUT_NONE, "in place of the pipe");
	output_source_want(&panes[0], true);
	is_int(fake.wanted[0], 1, "and stays");
	output_source_want(&panes[0], false);
	output_source_want(&panes[0], true);
	ok(fake.data[0] != NULL, "when the pane is wanted again it is piped again");
	end_pipe(false);
	is_int(fake.wanted[0], 0, "a pane that is gone is not followed in control mode");
	is_int(fake.refreshes, 0, "tmux tells an attached daemon that the pane has ended");
	fake.is_resting = true;
	output_source_want(&panes[0], false);
	output_source_want(&panes[0], true);
	end_pipe(false);
	is_int(fake.refreshes, 1, "a daemon at rest lists tmux for it");
	is_int(fake.followed, 1, "and is still no client");
	output_source_want(&panes[0], false);
	output_source_want(&panes[0], true);
	fake.handlers.ended(fake.data[0], PANE_PIPE_TAKEN);
	is_int(fake.wanted[0], 1, "a pane with a pipe of the user is, at once");
	end();
}

/* A program that has ended is no reason to be a client, though its pane stays. */
static void test_over(void)
{
	static const char *const answers[] = {
	    "%0 1 7 1\n", "%0 1 0 1\n", "%0 0 0 1\n", "%0 0 999999999 1\n"};
	const struct config config = {0};
	begin(&config);
	for (size_t at = 0; at < sizeof answers / sizeof *answers; at++) {
		output_source_want(&panes[0], true);
		end_pipe_with(answers[at]);
		ok(fake.wanted[0] == 0 && fake.followed == 0, "over, by %.8s", answers[at]);
		ok(!output_source_needs_control(sources), "no client is needed");
		output_source_respawned(&panes[0]);
		ok(fake.data[0] != NULL, "another program gets another pipe");
	}
	output_source_respawned(&panes[0]);
	ok(fake.data[0] != NULL, "which it keeps");
	fake.is_dead = true;
	output_source_want(&panes[1], true);
	ok(fake.data[1] == NULL && fake.wanted[1] == 0, "a dead pane is not piped");
	fake.is_dead = false;
	output_source_respawned(&panes[1]);
	ok(fake.data[1] != NULL, "before it lives again");
	end_pipe_with(answers[0]);
	output_source_want(&panes[0], false);
	output_source_respawned(&panes[0]);
	ok(fake.data[0] == NULL, "nor is one whose output is not wanted");
	end();
}

/* Returns how often the children of tmux are read; 100 at most. */
static int count_looks(void)
{
	int count = 0;
	while (look.is_armed && count < 100) {
		look.is_armed = false;
		look.fn(look.data);
		count++;
	}
	return count;
}

/* A pane with a program that has ended costs nothing, until tmux makes a terminal for another one. */
static void test_at_rest(void)
{
	const struct config config = {0};
	struct inotify_event event = {.mask = IN_CREATE};
	for (int has_inotify = 0; has_inotify < 2; has_inotify++) {
		look.has_inotify = has_inotify;
		begin(&config);
		fake.is_dead = fake.has_pane = true;
		output_source_want(&panes[0], true);
		is_int(count_looks(), has_inotify ? 8 : 100,
		    has_inotify ? "the children are read a few times" : "without inotify for ever");
		if (has_inotify) {
			look.terminals->told(look.terminals, &event);
			is_int(count_looks(), 8, "and again when a terminal was made");
			output_source_want(&panes[0], false);
			look.terminals->told(look.terminals, &event);
			is_int(count_looks(), 1, "but not for a pane that is not followed");
			is_int(look.terminals->wd, -1, "whose terminals are not watched");
		}
		end();
	}
}

/* tmux gave up the format of its answer: the program may run, and its output is not to be lost. */
static void test_cut_off(void)
{
	static const char *const answers[] = {"%0 \n", "%0 0 \n", "%0 1 \n", "%0 0 0 \n"};
	const struct config config = {0};
	for (size_t at = 0; at < sizeof answers / sizeof *answers; at++) {
		begin(&config);
		output_source_want(&panes[0], true);
		end_pipe_with(answers[at]);
		is_int(fake.wanted[0], 1, "followed on, by %.5s", answers[at]);
		end();
	}
}

static void retry(void)
{
	fake.armed_ms = 0;
	fake.retry(fake.retry_data);
}

/* Without control mode a pane with a pipe of the user is tried again. */
static void test_deaf(void)
{
	const struct config never = {.attach = ATTACH_NEVER};
	begin(&never);
	for (size_t at = 0; at < PANES; at++) {
		output_source_want(&panes[at], true);
		ok(!output_source_is_deaf(&panes[at]), "a pane with a pipe is heard");
		fake.handlers.ended(fake.data[at], PANE_PIPE_TAKEN);
		fake.data[at] = NULL;
		ok(output_source_is_deaf(&panes[at]), "with one of the user it is not");
	}
	is_int(fake.armed_ms, 5000, "it is tried again");
	retry();
	ok(fake.data[0] != NULL && fake.data[1] != NULL, "each pane gets a pipe");
	ok(!output_source_is_deaf(&panes[0]) && fake.wanted[0] == 0, "and is heard");
	is_int(fake.armed_ms, 0, "then no timer runs");
	fake.handlers.ended(fake.data[0], PANE_PIPE_TAKEN);
	fake.data[0] = NULL;
	fake.may_start = false;
	retry();
	is_int(fake.armed_ms, 5000, "it is tried later where no pipe can be made now");
	output_source_want(&panes[0], false);
	retry();
	is_int(fake.armed_ms, 0, "but not when the pane is not wanted any more");
	end();
}

/* A pipe that was full at its end may have lost bytes. */
static void test_cut(void)
{
	const struct config config = {0};
	begin(&config);
	fake.is_cut = true;
	output_source_want(&panes[0], true);
	ok(output_source_finish(&panes[0]), "a pane ends, and then its pipe that was full");
	fake.is_cut = false;
	output_source_want(&panes[1], true);
	fake.has_pane = false;
	fake.handlers.ended(fake.data[1], PANE_PIPE_CUT);
	fake.asked(fake.asked_data, MUXBUS_ERR_GONE, NULL, 0);
	ok(output_source_finish(&panes[1]), "or the pipe first");
	end();
}

static void test_no_room(void)
{
	const struct config config = {0};
	begin(&config);
	fake.may_start = false;
	output_source_want(&panes[0], true);
	is_int(fake.wanted[0], 1, "without room for another pipe there is control mode");
	fake.may_start = true;
	output_source_want(&panes[0], true);
	is_int(fake.wanted[0], 1, "which stays");
	fake.fails = true;
	output_source_want(&panes[1], true);
	ok(fake.wanted[1] == 1 && fake.own[1] == MUXBUS_OUTPUT_NONE, "also where a pipe fails");
	end();
}

int main(void)
{
	test_control();
	test_pipe();
	test_coming();
	test_all();
	test_ended();
	test_cut();
	test_over();
	test_at_rest();
	test_cut_off();
	test_deaf();
	test_no_room();
	return done_testing();
}
