/* SPDX-License-Identifier: ISC */
/*
 * Turns and tokens of agents that wait for something (G24): 20 tasks, an agent for each. A polling
 * agent looks every 30 seconds until it sees the end, one turn for each look. An agent of muxbus
 * asks to be woken and ends its turn; the line that is typed at its prompt is a second turn, in
 * which it fetches the notification. There is no model: the agents only ask and count. Time runs
 * FACTOR times faster for both, but not within the daemon: a line still waits for a quiet prompt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum {
	FACTOR = 200,
	LOOK_SEC = 30,
	LOOK_MS = LOOK_SEC * 1000 / FACTOR,
	LOOKS_MAX = 400, /* for a task: more than 3 hours */
	TEXT_MAX = 2048
};

/*
 * In these texts @S stands for the seconds until the end, @P for the job, pane or file, @G for the
 * file at which the world begins, and @M for the command muxbus.
 */
struct kind {
	const char *name;
	const char *world; /* a shell command; NULL: the request that begins a task is all */
	bool is_pane; /* the world runs in a pane, else beside */
	const char *begin; /* a request of the polling agent, or NULL */
	const char *look;
	const char *sign; /* in the answer to a look: the task has ended */
	const char *arm;
};

#define REQUEST(method, params) "{\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define BUILD "\"command\":\"sleep @S; echo build finished\""
#define AT_START "until test -e @G; do sleep 0.02; done; sleep @S; "

enum { JOB, CHANGE, LINE, PROMPT, ALARM, KINDS };
static const struct kind kinds[KINDS] = {
    [JOB] = {"job", NULL, false, REQUEST("run_long_command", BUILD),
	REQUEST("read_job", "\"job\":\"@P\",\"offset\":-2000"), "\"running\":false",
	REQUEST("run_long_command", BUILD)},
    [CHANGE] = {"file", ": >>@P; " AT_START "echo build finished >>@P", false, NULL,
	REQUEST("execute_cli", "\"command\":\"tail -n 5 @P\""), "build finished",
	REQUEST("watch_log", "\"file_path\":\"@P\",\"regex\":\"build finished\"")},
    [LINE] = {"line", AT_START "echo build finished; exec sleep 3600", true, NULL,
	REQUEST("capture_pane", "\"pane\":\"@P\""), "build finished",
	REQUEST("watch_pane", "\"pane\":\"@P\",\"regex\":\"build finished\"")},
    [PROMPT] = {"prompt", AT_START "PS1=\"db> \" exec sh", true, NULL,
	REQUEST("capture_pane", "\"pane\":\"@P\""), "db>",
	REQUEST("run_long_command", "\"command\":\"@M wait -t 600 prompt=true pane=@P\"")},
    [ALARM] = {"timer", NULL, false, REQUEST("run_long_command", "\"command\":\"sleep @S\""),
	REQUEST("read_job", "\"job\":\"@P\",\"offset\":-2000"), "\"running\":false",
	REQUEST("sleep", "\"seconds\":@S")},
};

static const struct {
	int kind;
	int minutes;
} tasks[] = {{JOB, 3}, {JOB, 5}, {JOB, 8}, {JOB, 12}, {JOB, 20}, {JOB, 30}, {CHANGE, 4},
    {CHANGE, 10}, {CHANGE, 15}, {CHANGE, 25}, {LINE, 3}, {LINE, 6}, {LINE, 10}, {LINE, 18},
    {PROMPT, 5}, {PROMPT, 8}, {PROMPT, 15}, {ALARM, 5}, {ALARM, 10}, {ALARM, 30}};
enum { TASKS = sizeof tasks / sizeof *tasks };

struct cost {
	unsigned turns;
	unsigned calls; /* of the model: it reads something, and asks or ends its turn */
	size_t bytes;
};

/* One agent, its task, and what they cost. */
struct agent {
	const struct kind *kind;
	char seconds[16];
	char place[160];
	char go[96];
	char path[64]; /* of its files, which have names that begin so */
	bool is_over;
	int64_t look_ms; /* when the polling agent looks next */
	struct cost cost;
};

static const char *binary(const char *name)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

/* The text with its values; lent until the next call. */
static const char *fill_in(struct live *live, const struct agent *agent, const char *text)
{
	static char filled[TEXT_MAX];
	size_t len = 0;
	for (; *text != '\0' && len < sizeof filled; text++) {
		char *to = filled + len;
		size_t room = sizeof filled - len;
		int n = 1;
		if (*text != '@')
			*to = *text;
		else if (*++text == 'M')
			n = snprintf(to, room, "%s -s %s", binary("muxbus"), live->socket);
		else
			n = snprintf(to, room, "%s",
			    *text == 'S'       ? agent->seconds
				: *text == 'P' ? agent->place
					       : agent->go);
		len += (size_t)n;
	}
	if (len >= sizeof filled)
		live_bail("a text is too long");
	filled[len] = '\0';
	return filled;
}

/* Sends a request and counts its bytes, and those of its answer. */
static const struct json *ask(struct talk *talk, const char *request, struct cost *cost)
{
	const struct json *answer;
	(void)talk_send(talk, "%s", request);
	answer = talk_line(talk, LIVE_TIMEOUT_MS);
	if (at(answer, "result") == NULL)
		live_bail("%s: %s", request, answer == NULL ? "no answer" : talk_text(talk));
	cost->calls++;
	cost->bytes += strlen(request) + strlen(talk_text(talk)) + 2;
	return answer;
}

/* Prepares the world of each task; it waits for release(). */
static void prepare(struct live *live, struct agent *agents, const char *prefix)
{
	for (size_t i = 0; i < TASKS; i++) {
		struct agent *agent = &agents[i];
		const struct kind *kind = &kinds[tasks[i].kind];
		*agent = (struct agent){.kind = kind};
		(void)snprintf(agent->seconds, sizeof agent->seconds, "%.2f",
		    tasks[i].minutes * 60.0 / FACTOR);
		(void)snprintf(agent->path, sizeof agent->path, "%s/%s%zu", live->dir, prefix, i);
		(void)snprintf(agent->go, sizeof agent->go, "%s.go", agent->path);
		(void)snprintf(agent->place, sizeof agent->place, "%s.file", agent->path);
		if (kind->is_pane)
			(void)snprintf(agent->place, sizeof agent->place, "%s",
			    live_tmux(live, "new-window -dP -F '#{pane_id}' '%s'",
				fill_in(live, agent, kind->world)));
		else if (kind->world != NULL)
			(void)live_spawn(live, "%s", fill_in(live, agent, kind->world));
	}
}

static void release(const struct agent *agent)
{
	FILE *file = fopen(agent->go, "we");
	if (file == NULL || fclose(file) != 0)
		live_bail("%s cannot be written", agent->go);
}

static void look(struct live *live, struct talk *talk, struct agent *agent)
{
	(void)ask(talk, fill_in(live, agent, agent->kind->look), &agent->cost);
	agent->cost.turns++;
	agent->look_ms += LOOK_MS;
	agent->is_over = strstr(talk_text(talk), agent->kind->sign) != NULL;
	agent->cost.calls += agent->is_over;
	if (agent->cost.turns > LOOKS_MAX)
		live_bail("the %s of %s s does not end", agent->kind->name, agent->seconds);
}

static void run_polling(struct live *live, struct talk *talk, struct agent *agents)
{
	size_t left = TASKS;
	prepare(live, agents, "polling");
	for (struct agent *agent = agents; agent < agents + TASKS; agent++) {
		release(agent);
		agent->look_ms = live_now_ms() + LOOK_MS;
		if (agent->kind->begin == NULL)
			continue;
		(void)snprintf(agent->place, sizeof agent->place, "%s",
		    at_str(ask(talk, fill_in(live, agent, agent->kind->begin), &agent->cost),
			"result.id"));
		agent->cost.turns++;
	}
	for (; left > 0; live_sleep_ms(5)) {
		for (struct agent *agent = agents; agent < agents + TASKS; agent++) {
			if (agent->is_over || live_now_ms() < agent->look_ms)
				continue;
			look(live, talk, agent);
			left -= agent->is_over;
		}
	}
}

/* The first line of a file of the agent, once it has its end; lent until the next call. */
static const char *wait_for_line(const struct agent *agent, const char *suffix, int timeout_ms)
{
	static char line[TEXT_MAX * 2];
	char path[96];
	(void)snprintf(path, sizeof path, "%s.%s", agent->path, suffix);
	for (int64_t end_ms = live_now_ms() + timeout_ms; live_now_ms() < end_ms;
	     live_sleep_ms(50)) {
		FILE *file = fopen(path, "re");
		bool is_whole = file != NULL && fgets(line, sizeof line, file) != NULL &&
		    strchr(line, '\n') != NULL;
		if (file != NULL)
			(void)fclose(file);
		if (is_whole)
			return line;
	}
	live_bail("no %s of the %s of %s s", suffix, agent->kind->name, agent->seconds);
}

/* An agent in a pane of its own asks there to be woken, and comes to its prompt. */
static void start_agent(struct live *live, struct agent *agent)
{
	char path[96];
	const char *request = fill_in(live, agent, agent->kind->arm);
	FILE *file;
	(void)snprintf(path, sizeof path, "%s.arm", agent->path);
	file = fopen(path, "we");
	if (file == NULL || fprintf(file, "%s\n", request) < 0 || fclose(file) != 0)
		live_bail("%s cannot be written", path);
	agent->cost = (struct cost){.turns = 1, .calls = 2, .bytes = strlen(request) + 1};
	live_tmux(live, "new-window -d 'exec %s --run \"%s ask %s %s\" %s.log'",
	    binary("tests/fake_agent"), bench_self(), live->socket, agent->path, agent->path);
}

/* The main() of the process that asks in the pane: "bench_wake ask SOCKET PATH". */
static int ask_main(const char *socket, const char *path)
{
	struct live live = {0};
	struct talk *talk;
	struct cost cost = {0};
	char name[96], request[TEXT_MAX] = "";
	FILE *file;
	(void)snprintf(live.socket, sizeof live.socket, "%s", socket);
	(void)snprintf(name, sizeof name, "%s.arm", path);
	file = fopen(name, "re");
	talk = talk_new(&live);
	if (talk == NULL || file == NULL || fgets(request, sizeof request, file) == NULL)
		live_bail("nothing to ask");
	(void)fclose(file);
	request[strcspn(request, "\n")] = '\0';
	(void)ask(talk, request, &cost);
	(void)snprintf(name, sizeof name, "%s.armed", path);
	file = fopen(name, "we");
	if (file == NULL || fprintf(file, "%s\n", talk_text(talk)) < 0 || fclose(file) != 0)
		live_bail("%s cannot be written", name);
	talk_free(talk);
	return 0;
}

/* The agent reads the line that woke it, and fetches the notification of its request. */
static void wake_up(struct talk *talk, struct agent *agent, const char *id)
{
	const char *line = wait_for_line(agent, "log", LOOKS_MAX * LOOK_MS);
	char request[128], found[16] = "";
	const struct json *answer;
	const char *fetched;
	line += strcspn(line, " ");
	if (sscanf(line, " [muxbus %15[A-Z0-9]", found) != 1 || strcmp(found, id) != 0)
		live_bail("the %s %s woke with another line: %s", agent->kind->name, id, line);
	agent->cost.bytes += strlen(line) - 1;
	(void)snprintf(
	    request, sizeof request, REQUEST("next_notification", "\"id\":\"%s\""), found);
	answer = ask(talk, request, &agent->cost);
	fetched = at_str(answer, "result.notifications.0.id");
	if (fetched == NULL || strcmp(fetched, id) != 0)
		live_bail("the notification of %s was not fetched: %s", id, talk_text(talk));
}

static void run_woken(struct live *live, struct talk *talk, struct agent *agents)
{
	char ids[TASKS][16] = {{0}};
	prepare(live, agents, "woken");
	for (struct agent *agent = agents; agent < agents + TASKS; agent++)
		start_agent(live, agent);
	for (size_t i = 0; i < TASKS; i++) {
		const char *line = wait_for_line(&agents[i], "armed", LIVE_TIMEOUT_MS);
		const char *id = strstr(line, "\"id\":\"");
		if (id == NULL || sscanf(id, "\"id\":\"%15[A-Z0-9]", ids[i]) != 1)
			live_bail("%s: no id: %s", agents[i].kind->name, line);
		if (strstr(line, "\"way\":\"typed\"") == NULL)
			live_bail("%s: not to be woken: %s", agents[i].kind->name, line);
		agents[i].cost.bytes += strlen(line);
		release(&agents[i]);
	}
	for (size_t i = 0; i < TASKS; i++)
		wake_up(talk, &agents[i], ids[i]);
	/* Each line is a turn, a second one for the same task too. */
	for (size_t i = 0; i < TASKS; i++) {
		unsigned wakes = (unsigned)atoi(live_run(live, "wc -l <%s.log", agents[i].path));
		agents[i].cost.turns += wakes;
		agents[i].cost.calls += wakes;
	}
}

/* The sum for a kind, or for all of them (NULL). */
static struct cost sum(const struct agent *agents, const struct kind *kind)
{
	struct cost cost = {0};
	for (const struct agent *agent = agents; agent < agents + TASKS; agent++) {
		if (kind != NULL && agent->kind != kind)
			continue;
		cost.turns += agent->cost.turns;
		cost.calls += agent->cost.calls;
		cost.bytes += agent->cost.bytes;
	}
	return cost;
}

/* o200k takes a token for 4.14 bytes of JSON (tests/test_mcp_tool.c). */
static size_t tokens(struct cost cost)
{
	return cost.bytes * 100 / 414;
}

static void print_costs(const struct agent *polling, const struct agent *woken, int64_t wakes)
{
	struct cost a = sum(polling, NULL), b = sum(woken, NULL);
	int minutes = 0;
	for (size_t i = 0; i < TASKS; i++)
		minutes += tasks[i].minutes;
	(void)printf("# %-6s %21s %21s\n# %-6s %7s %5s %7s %7s %5s %7s\n", "", "polling", "woken",
	    "task", "turns", "calls", "tokens", "turns", "calls", "tokens");
	for (size_t i = 0; i <= KINDS; i++) {
		const struct kind *kind = i < KINDS ? &kinds[i] : NULL;
		struct cost p = sum(polling, kind), w = sum(woken, kind);
		(void)printf("# %-6s %7u %5u %7zu %7u %5u %7zu\n",
		    kind == NULL ? "all" : kind->name, p.turns, p.calls, tokens(p), w.turns,
		    w.calls, tokens(w));
	}
	bench_row("wake_turns", (double)a.turns / b.turns, "x",
	    "%u against %u, for %d tasks of %.1f minutes on average, a look every %d s; %lld wakes",
	    a.turns, b.turns, TASKS, (double)minutes / TASKS, LOOK_SEC, (long long)wakes);
	bench_row("wake_calls", (double)a.calls / b.calls, "x", "%u against %u", a.calls, b.calls);
	bench_row("wake_tokens", (double)a.bytes / (double)b.bytes, "x",
	    "%zu against %zu, new ones only: what is read again in each turn is not counted",
	    tokens(a), tokens(b));
}

int main(int argc, char **argv)
{
	static struct agent polling[TASKS], woken[TASKS];
	struct live *live;
	struct talk *talk;
	if (argc == 4 && strcmp(argv[1], "ask") == 0)
		return ask_main(argv[2], argv[3]);
	if (access(binary("tests/fake_agent"), X_OK) != 0)
		live_bail("make check builds the fake agent");
	live = live_start(bench_tmux(), "exec sleep 3600");
	talk = talk_new(live);
	run_polling(live, talk, polling);
	run_woken(live, talk, woken);
	print_costs(polling, woken, at_int(talk_call(talk, "meter", NULL), "result.wakes"));
	talk_free(talk);
	live_free(live);
	return 0;
}
