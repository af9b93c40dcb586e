/* SPDX-License-Identifier: ISC */
#include "cli/top/top_feed.h"

#include "base/cpu_sample.h"
#include "base/process.h"
#include "cli/ask.h"
#include "cli/remote.h"
#include "cli/tmux_client.h"

#define TOP_CPU_PANES_MAX 256 /* panes that are measured; others show no CPU time */

/* CPU time of panes, from /proc. Zero at first. */
struct top_cpu {
	struct top_cpu_pane {
		pid_t pid; /* the pane's first process */
		struct cpu_sample sample;
		int percent; /* of one processor; -1 if unknown */
	} panes[TOP_CPU_PANES_MAX];
	size_t count;
};

#define TICKS_MIN 50 /* least ticks between samples, so that a percentage is not too coarse */

static const struct top_cpu_pane *find_pane(const struct top_cpu *cpu, pid_t pid)
{
	for (size_t i = 0; i < cpu->count; i++)
		if (cpu->panes[i].pid == pid)
			return &cpu->panes[i];
	return NULL;
}

static void measure_pane(const struct top_cpu *old, const struct cpu_sample *machine,
    const struct top_item *item, struct top_cpu_pane *ret_pane)
{
	const struct top_cpu_pane *before = find_pane(old, item->pid);
	*ret_pane = (struct top_cpu_pane){.pid = item->pid, .percent = -1, .sample = *machine};
	if (cpu_sample_tree(item->pid, &ret_pane->sample) < 0 || before == NULL)
		return;
	if (ret_pane->sample.total_ticks < before->sample.total_ticks + TICKS_MIN)
		*ret_pane = *before;
	else
		ret_pane->percent =
		    (int)(cpu_percent(&before->sample, &ret_pane->sample, item->pid) + 0.5);
}

static void measure_panes(struct top_cpu *cpu, struct top_items *panes)
{
	const struct top_cpu old = *cpu;
	struct cpu_sample machine;
	cpu->count = 0;
	if (cpu_sample_take(0, &machine) < 0)
		return;
	for (size_t i = 0; i < panes->count && cpu->count < TOP_CPU_PANES_MAX; i++) {
		struct top_item *item = &panes->items[i];
		if (item->pid <= 0)
			continue;
		measure_pane(&old, &machine, item, &cpu->panes[cpu->count]);
		item->cpu_percent = cpu->panes[cpu->count++].percent;
	}
}

enum {
	REFRESH_MS = 1000, /* minimum interval of requests for a list */
	SLOW_MS = 2000, /* interval of requests for changes without events */
	NONE_MS = 60000, /* interval for an empty list of agents, since new agents cause events */
	SHARE = 400, /* an interval grows by this for each ms that the last answer took */
	DUE_SHARE = 20, /* as SHARE, after an event */
	TOOK_MS = 30, /* longest time of an answer that counts for SHARE */
	CAPTURE_MS = 5000, /* longest interval of captures */
	DETAIL_MS = 30000, /* greatest age of details that events do not announce */
	RECONNECT_MS = 1000,
	SILENT_MS = 5000, /* time without an answer until a message is shown */
	QUEUE_LAST = 1000, /* notifications among so many last numbers are listed */
	QUEUE_LIMIT = 1000,
	LOG_BYTES = 64 * 1024, /* bytes that are read from the end of a job's output */
};

enum question {
	ASK_SUBSCRIBE,
	ASK_STATUS,
	ASK_LIST, /* plus enum top_list */
	ASK_OLD_QUEUE = ASK_LIST + TOP_LIST_COUNT_, /* older notifications that are not delivered */
	ASK_CAPTURE, /* the screen of a pane or the end of a job's output */
	ASK_CLIENTS, /* the clients of tmux, to choose one for ASK_GO */
	ASK_GO,
	ASK_STOP,
	ASK_COUNT_,
};

struct top_feed {
	const struct cli *cli;
	struct link *link; /* NULL while not connected */
	struct top_model *model;
	struct top_view *view;
	struct json_reader *reader;
	uint64_t asked[ASK_COUNT_]; /* id of each pending request; 0 if none */
	int64_t when[ASK_COUNT_]; /* time of each last attempt to ask; 0 if none */
	int64_t took_ms[ASK_COUNT_]; /* time that each last answer took, at most TOOK_MS */
	bool is_due[ASK_COUNT_]; /* an event has made the answer stale */
	char captured[TOP_ID_SIZE]; /* pane or job of the last capture */
	int64_t spared_ms; /* when a capture was last due, whether it was made or skipped */
	long tmux_runs; /* read_runs() at the last capture; 0 if unknown */
	char going[TOP_ID_SIZE]; /* the pane to show to the user */
	struct top_cpu cpu;
	int64_t queue_after; /* the first request asks for notifications after this number */
	int64_t reconnect_ms; /* time of the next attempt to connect */
	bool has_gone; /* the pane was shown to the user */
	bool has_no_agents; /* the daemon does not know list_agents */
};

/* Events that make the status and the lists of panes and agents stale; is_queue: all lists. */
static const struct {
	const char *kind;
	bool is_queue;
} interests[] = {
    {"active_pane_changed", false},
    {"agent_reported", false},
    {"client_attached", false},
    {"client_detached", false},
    {"command_changed", false},
    {"delivery", true},
    {"gap", true},
    {"host_state", true}, /* from a fleet only */
    {"mode_changed", false},
    {"notification", true},
    {"pane_closed", false},
    {"pane_created", false},
    {"pane_exited", false},
    {"pane_moved", false},
    {"pane_quiet", false},
    {"path_changed", false},
    {"server_found", true},
    {"server_lost", true},
    {"session_closed", false},
    {"session_created", false},
    {"session_renamed", false},
    {"title_changed", false},
    {"window_closed", false},
    {"window_created", false},
    {"window_renamed", false},
};

#define INTERESTS_COUNT (sizeof interests / sizeof interests[0])

static void lose(struct top_feed *feed, const char *reason)
{
	(void)snprintf(
	    feed->model->trouble, sizeof feed->model->trouble, "%s; trying again", reason);
	link_close(feed->link);
	feed->link = NULL;
	memset(feed->asked, 0, sizeof feed->asked);
	feed->reconnect_ms = clock_mono_ms() + RECONNECT_MS;
}

static void ask(
    struct top_feed *feed, enum question question, const char *method, const char *params)
{
	/* Set the time even if the request fails, so that the retry is not immediate. */
	feed->when[question] = clock_mono_ms();
	feed->is_due[question] = false;
	if (feed->link == NULL)
		return;
	feed->asked[question] = link_request(feed->link, method, params);
	if (feed->asked[question] == 0)
		lose(feed, "muxbusd does not read requests");
}

static void ask_with(struct top_feed *feed, enum question question, const char *method,
    const struct ask_param *params)
{
	char *text = ask_params(params);
	ask(feed, question, method, text);
	mem_free(text);
}

static void subscribe(struct top_feed *feed)
{
	struct json_writer writer;
	struct buf params;
	json_start_object(&writer, &params, 4096);
	json_array_begin(&writer, "kinds");
	for (size_t i = 0; i < INTERESTS_COUNT; i++)
		if (feed->cli->is_fleet || strcmp(interests[i].kind, "host_state") != 0)
			json_put_str(&writer, NULL, interests[i].kind);
	json_array_end(&writer);
	json_object_end(&writer);
	ask(feed, ASK_SUBSCRIBE, "subscribe", buf_text(&params));
	buf_finish(&params);
}

static void ask_queue(struct top_feed *feed)
{
	const struct ask_param *queued =
	    ASK_PARAMS({"state", .text = "queued"}, {"limit", .number = QUEUE_LIMIT});
	int64_t last = feed->model->status.last;
	/* Each host has its own numbers, so in a fleet list only undelivered notifications. */
	if (feed->cli->is_fleet) {
		ask_with(feed, ASK_LIST + TOP_QUEUE, "list_notifications", queued);
		return;
	}
	feed->queue_after = last > QUEUE_LAST ? last - QUEUE_LAST : 0;
	ask_with(feed, ASK_LIST + TOP_QUEUE, "list_notifications",
	    ASK_PARAMS({"after", .number = feed->queue_after}, {"limit", .number = QUEUE_LIMIT}));
	/* This answer comes last, and adds to the list that the other answer replaces. */
	ask_with(feed, ASK_OLD_QUEUE, "list_notifications", queued);
}

static void ask_list(struct top_feed *feed, enum top_list list)
{
	if (list == TOP_AGENTS && feed->has_no_agents)
		return;
	if (list == TOP_QUEUE)
		ask_queue(feed);
	else if (list == TOP_PANES && !feed->cli->is_fleet)
		ask_with(feed, ASK_LIST + TOP_PANES, "list_panes",
		    ASK_PARAMS({"max_age_ms", .number = DETAIL_MS}));
	else
		ask(feed, ASK_LIST + list, top_tables[list].method, NULL);
}

/* Returns how many times the tmux server was scheduled, or 0 if unknown or on another machine. */
static long read_runs(const struct top_feed *feed)
{
	pid_t pid = remote_is(feed->cli) ? 0 : (pid_t)feed->model->status.tmux_pid;
	char text[80];
	long runs = 0;
	if (pid <= 0 || process_read(pid, "schedstat", text, sizeof text) <= 0 ||
	    sscanf(text, "%*u %*u %ld", &runs) != 1)
		return 0;
	return runs;
}

static void ask_capture(struct top_feed *feed, const char *id, bool is_log)
{
	(void)snprintf(feed->captured, sizeof feed->captured, "%s", id);
	if (is_log)
		ask_with(feed, ASK_CAPTURE, "read_job",
		    ASK_PARAMS({"offset", .number = -LOG_BYTES}, {"job", .text = id}));
	else
		ask_with(feed, ASK_CAPTURE, "capture_pane",
		    ASK_PARAMS({"escapes", .is_true = true}, {"pane", .text = id}));
}

void top_feed_stop(struct top_feed *feed, enum top_list list, const char *id)
{
	const struct top_table *table = &top_tables[list];
	/* A notification's id is a number, except with the prefix of a fleet's host. */
	bool is_number = strcmp(table->stop_param, "seq") == 0 && strchr(id, ':') == NULL;
	ask_with(feed, ASK_STOP, table->stop_method,
	    ASK_PARAMS({table->stop_param, .text = is_number ? NULL : id,
		.number = is_number ? strtoll(id, NULL, 10) : 0}));
}

void top_feed_answer(struct top_feed *feed, const struct top_item *item, const char *text)
{
	struct json_error error;
	const struct json *json =
	    json_read(feed->model->reader, item->json, strlen(item->json), &error);
	struct json_writer writer;
	struct buf params;
	if (!json_get_bool(json, "kept", true)) {
		(void)snprintf(feed->view->message, sizeof feed->view->message,
		    "muxbusd does not keep this agent: Enter goes to its pane");
		return;
	}
	json_start_object(&writer, &params, 4096);
	json_put_str(&writer, "agent", json_get_str(json, "agent", ""));
	json_put_str(&writer, "text", text); /* respond takes the number of a choice */
	if (json_get_str(json, "question_id", NULL) != NULL)
		json_put_str(&writer, "question_id", json_get_str(json, "question_id", ""));
	json_put_bool(&writer, "wait", false);
	json_object_end(&writer);
	ask(feed, ASK_STOP, "respond", buf_text(&params));
	buf_finish(&params);
}

void top_feed_send(struct top_feed *feed, const char *pane, const char *text)
{
	ask_with(feed, ASK_STOP, "send_text",
	    ASK_PARAMS({"pane", .text = pane}, {"text", .text = text}, {"enter", .is_true = true}));
}

void top_feed_go(struct top_feed *feed, const char *pane)
{
	(void)snprintf(feed->going, sizeof feed->going, "%s", pane);
	ask(feed, ASK_CLIENTS, "run_tmux", tmux_client_list);
}

bool top_feed_has_gone(const struct top_feed *feed)
{
	return feed->has_gone;
}

static void take_clients(struct top_feed *feed, const char *text)
{
	char client[PATH_MAX];
	struct buf params = BUF(2 * PATH_MAX);
	if (!tmux_client_choose(text, feed->view->own_pane, client, sizeof client)) {
		ask_with(feed, ASK_GO, "focus_pane", ASK_PARAMS({"pane", .text = feed->going}));
		return;
	}
	tmux_client_put_go(&params, client, feed->going);
	ask(feed, ASK_GO, "run_tmux", buf_text(&params));
	buf_finish(&params);
}

void top_feed_refresh(struct top_feed *feed)
{
	for (size_t i = 0; i < ASK_COUNT_; i++)
		feed->is_due[i] = true;
}

static void take_error(struct top_feed *feed, enum question question, const struct json *error)
{
	bool is_unknown =
	    strcmp(json_get_str(json_member(error, "data"), "kind", ""), "no_such_method") == 0;
	if (question == ASK_LIST + TOP_AGENTS && is_unknown) {
		feed->has_no_agents = true;
		top_model_forget(feed->model, TOP_AGENTS);
	} else if (question == ASK_STOP || question == ASK_CLIENTS || question == ASK_GO) {
		(void)snprintf(feed->view->message, sizeof feed->view->message, "%s",
		    json_get_str(error, "message", "the request was refused"));
	} else if (question == ASK_CAPTURE) {
		const char *text = json_get_str(error, "message", "");
		top_view_preview(feed->view, feed->captured, text, strlen(text));
	} else if (question == ASK_LIST + TOP_PANES) {
		/* Without tmux there are no panes; show the reason. */
		top_model_forget(feed->model, TOP_PANES);
		(void)snprintf(feed->model->trouble, sizeof feed->model->trouble, "%s",
		    json_get_str(error, "message", ""));
	}
}

static void take_result(struct top_feed *feed, enum question question, const struct json *result)
{
	struct top_model *model = feed->model;
	if (question == ASK_STATUS) {
		top_model_load_status(model, result, clock_real_ms());
	} else if (question == ASK_OLD_QUEUE) {
		top_model_load(model, TOP_QUEUE, result, feed->queue_after);
	} else if (question == ASK_CAPTURE) {
		const struct json *text = json_member(result, "text");
		feed->tmux_runs = read_runs(feed);
		if (text != NULL && text->type == JSON_STRING)
			top_view_preview(feed->view, feed->captured, text->text, text->len);
	} else if (question == ASK_CLIENTS) {
		take_clients(feed, json_get_str(result, "output", ""));
	} else if (question == ASK_GO) {
		feed->has_gone = true;
	} else if (question == ASK_STOP) {
		(void)snprintf(feed->view->message, sizeof feed->view->message, "done");
		top_feed_refresh(feed);
	} else if (question >= ASK_LIST && question < ASK_LIST + TOP_LIST_COUNT_) {
		enum top_list list = (enum top_list)(question - ASK_LIST);
		top_model_load(model, list, result, -1);
		if (list == TOP_PANES) {
			model->trouble[0] = '\0';
			if (!remote_is(feed->cli))
				measure_panes(&feed->cpu, &model->lists[TOP_PANES]);
		}
	}
}

static void take_event(struct top_feed *feed, const struct json *params)
{
	const char *kind = json_get_str(params, "kind", "");
	/* Ignore our own pane, which changes every second. */
	if (strcmp(kind, "pane_quiet") == 0 && *feed->view->own_pane &&
	    strcmp(json_get_str(params, "pane", ""), feed->view->own_pane) == 0)
		return;
	for (size_t i = 0; i < INTERESTS_COUNT; i++) {
		if (strcmp(interests[i].kind, kind) != 0)
			continue;
		feed->is_due[ASK_STATUS] = true;
		feed->is_due[ASK_LIST + TOP_PANES] = true;
		feed->is_due[ASK_LIST + TOP_AGENTS] = true;
		if (!interests[i].is_queue)
			continue;
		feed->is_due[ASK_LIST + TOP_QUEUE] = true;
		feed->is_due[ASK_LIST + TOP_JOBS] = true;
		feed->is_due[ASK_LIST + TOP_TIMERS] = true;
		feed->is_due[ASK_LIST + TOP_WATCHES] = true;
	}
}

static bool take_line(struct top_feed *feed, const char *line, size_t len)
{
	struct json_error error;
	const struct json *message = json_read(feed->reader, line, len, &error);
	int64_t id = json_get_int(message, "id", 0);
	if (message == NULL) {
		lose(feed, error.text);
		return true;
	}
	if (strcmp(json_get_str(message, "method", ""), "event") == 0) {
		take_event(feed, json_member(message, "params"));
		return false;
	}
	for (int question = 0; question < ASK_COUNT_; question++) {
		if (feed->asked[question] == 0 || (int64_t)feed->asked[question] != id)
			continue;
		feed->asked[question] = 0;
		if (feed->view->is_paused && question < ASK_CLIENTS)
			return false;
		if (json_member(message, "error") != NULL)
			take_error(feed, (enum question)question, json_member(message, "error"));
		else
			take_result(feed, (enum question)question, json_member(message, "result"));
		feed->took_ms[question] = clock_mono_ms() - feed->when[question];
		if (feed->took_ms[question] > TOOK_MS)
			feed->took_ms[question] = TOOK_MS;
		return true;
	}
	return false;
}

static bool take_lines(struct top_feed *feed)
{
	const char *line;
	size_t len;
	bool is_new = false;
	while (feed->link != NULL) {
		enum link_read read = link_read_line(feed->link, 0, &line, &len);
		if (read == LINK_LINE) {
			is_new = take_line(feed, line, len) || is_new;
		} else if (link_is_lost(read)) {
			lose(feed, read == LINK_END ? "muxbusd has ended" : strerror(errno));
			return true;
		} else {
			break;
		}
	}
	return is_new;
}

static void greet(struct top_feed *feed)
{
	feed->model->trouble[0] = '\0';
	feed->has_no_agents = false;
	memset(feed->when, 0, sizeof feed->when);
	subscribe(feed);
	top_feed_refresh(feed);
}

struct top_feed *top_feed_new(
    const struct cli *cli, struct link *link, struct top_model *model, struct top_view *view)
{
	struct top_feed *feed = xcalloc(1, sizeof *feed);
	feed->cli = cli;
	feed->link = link;
	feed->model = model;
	feed->view = view;
	feed->reader = json_reader_new(LINK_LINE_MAX);
	greet(feed);
	return feed;
}

void top_feed_free(struct top_feed *feed)
{
	link_close(feed->link);
	json_reader_free(feed->reader);
	mem_free(feed);
}

int top_feed_fd(const struct top_feed *feed)
{
	return feed->link != NULL ? link_fd(feed->link) : -1;
}

/* Returns the time of the next request, or INT64_MAX if none is planned. */
static int64_t due_at(const struct top_feed *feed, enum question question)
{
	bool is_slow = question == ASK_STATUS ||
	    (question >= ASK_LIST && question < ASK_OLD_QUEUE && question != ASK_LIST + TOP_QUEUE);
	if (question != ASK_STATUS && !(question >= ASK_LIST && question < ASK_OLD_QUEUE))
		return INT64_MAX;
	if (feed->asked[question] != 0 || question == ASK_LIST + TOP_HOME)
		return INT64_MAX;
	if (feed->when[question] == 0)
		return 0;
	if (feed->is_due[question])
		return feed->when[question] + REFRESH_MS + DUE_SHARE * feed->took_ms[question];
	if (question == ASK_LIST + TOP_AGENTS && feed->model->lists[TOP_AGENTS].count == 0)
		return feed->when[question] + NONE_MS + SHARE * feed->took_ms[question];
	return is_slow ? feed->when[question] + SLOW_MS + SHARE * feed->took_ms[question]
		       : INT64_MAX;
}

static int64_t capture_at(const struct top_feed *feed, const char **ret_id, bool *ret_is_log)
{
	*ret_id = top_view_wants(feed->view, feed->model, ret_is_log);
	if (*ret_id == NULL || feed->asked[ASK_CAPTURE] != 0)
		return INT64_MAX;
	if (strcmp(*ret_id, feed->captured) != 0)
		return 0;
	return (feed->spared_ms > feed->when[ASK_CAPTURE] ? feed->spared_ms
							  : feed->when[ASK_CAPTURE]) +
	    REFRESH_MS;
}

/* Captures the job or pane. Within CAPTURE_MS, skips the same pane if tmux has not run since. */
static void capture(struct top_feed *feed, const char *id, bool is_log, int64_t now_ms)
{
	bool is_same = !is_log && strcmp(id, feed->captured) == 0 &&
	    now_ms < feed->when[ASK_CAPTURE] + CAPTURE_MS;
	feed->spared_ms = now_ms;
	if (!is_same || feed->tmux_runs == 0 || read_runs(feed) != feed->tmux_runs)
		ask_capture(feed, id, is_log);
}

int64_t top_feed_wait_ms(const struct top_feed *feed, int64_t now_ms)
{
	const char *id;
	bool is_log;
	int64_t at = feed->reconnect_ms, wait;
	if (feed->link != NULL && feed->view->is_paused)
		return INT32_MAX;
	if (feed->link != NULL) {
		at = capture_at(feed, &id, &is_log);
		for (int question = 0; question < ASK_COUNT_; question++) {
			int64_t due = due_at(feed, (enum question)question);
			at = due < at ? due : at;
		}
	}
	wait = at - now_ms;
	return wait < 0 ? 0 : wait > INT32_MAX ? INT32_MAX : wait;
}

/* Reports that the list of panes is late. A fleet may take longer, since it waits for hosts. */
static void note_silence(struct top_feed *feed, int64_t now_ms)
{
	int64_t most_ms = feed->cli->is_fleet ? 2 * SILENT_MS : SILENT_MS;
	/* The next list of panes clears the message. */
	if (feed->asked[ASK_LIST + TOP_PANES] != 0 &&
	    now_ms - feed->when[ASK_LIST + TOP_PANES] >= most_ms)
		(void)snprintf(
		    feed->model->trouble, sizeof feed->model->trouble, "muxbusd does not answer");
}

bool top_feed_step(struct top_feed *feed, int64_t now_ms)
{
	bool is_new = take_lines(feed);
	char reason[PATH_MAX + 512];
	const char *id;
	bool is_log;
	if (feed->link == NULL && now_ms >= feed->reconnect_ms) {
		if (ask_open(&feed->link, feed->cli->socket, reason, sizeof reason) == LINK_OK)
			greet(feed);
		else
			feed->reconnect_ms = now_ms + RECONNECT_MS;
	}
	if (feed->link == NULL || feed->view->is_paused)
		return is_new;
	for (int question = 0; question < ASK_COUNT_; question++) {
		if (due_at(feed, (enum question)question) > now_ms)
			continue;
		if (question == ASK_STATUS)
			ask(feed, ASK_STATUS, "status", NULL);
		else
			ask_list(feed, (enum top_list)(question - ASK_LIST));
	}
	note_silence(feed, now_ms);
	if (capture_at(feed, &id, &is_log) <= now_ms)
		capture(feed, id, is_log, now_ms);
	return is_new;
}
