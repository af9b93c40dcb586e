/* SPDX-License-Identifier: ISC */
/*
 * The guards of typing, for every caller: a notice, self_command, send_task, respond and
 * send_text, each while a person types, at a draft, at a question, in copy mode, and with a
 * shell where the agent was. Then, that one text at a time is typed into a pane, and that nothing
 * is typed into programs that are no agents, or show a sign of work, whatever they are called.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"
#include "person.h"

enum { HELD_MS = 1200, RECEIPT_MS = 15000 };

static struct live *live;
static struct talk *talk;

enum caller { NOTICE, SELF_COMMAND, SEND_TASK, RESPOND, SEND_TEXT, CALLERS };

static const char *const callers[CALLERS] = {
    [NOTICE] = "notice",
    [SELF_COMMAND] = "self_command",
    [SEND_TASK] = "send_task",
    [RESPOND] = "respond",
    [SEND_TEXT] = "send_text",
};

/* The result of a caller at a guard. */
enum outcome {
	HELD, /* nothing is typed, and the caller sees the reason where it can */
	REFUSED, /* nothing is typed, and the answer is an error of this kind */
	TYPED,
};

struct want {
	enum outcome outcome;
	const char *text; /* a part of the reason, or the kind of the error */
};

/* No agent is there, so that a person is to get a notice. */
static const char for_person[] = "when a client attaches";

static const struct guard {
	const char *name;
	struct want wants[CALLERS];
} guards[] = {
    {"a person",
	{{HELD, "a person is typing"}, {HELD, NULL}, {HELD, "a person is typing"},
	    {HELD, "a person is typing"}, {REFUSED, "refused"}}},
    {"a draft",
	{{HELD, "something on the prompt line"}, {HELD, NULL}, {HELD, NULL}, {REFUSED, "not_ready"},
	    {REFUSED, "refused"}}},
    {"a question",
	{{HELD, "a choice is offered"}, {HELD, NULL}, {REFUSED, "not_ready"}, {TYPED, NULL},
	    {TYPED, NULL}}},
    {"copy mode",
	{{HELD, "copy-mode"}, {HELD, NULL}, {HELD, "copy-mode"}, {HELD, "copy-mode"},
	    {REFUSED, "not_ready"}}},
    {"a shell", {{HELD, for_person}, {HELD, NULL}, {HELD, NULL}, {REFUSED, NULL}, {TYPED, NULL}}},
};

enum { PERSON, DRAFT, QUESTION, COPY_MODE, SHELL, GUARDS };

/* The program of a test: the fake agent, behind which a shell waits and keeps what it reads. */
struct program {
	char *pane;
	struct person person; /* pid 0: none */
	bool is_agent;
};

static void write_script(void)
{
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)live_run(live,
	    "cat >program.sh <<'END'\n"
	    "%s/tests/fake_agent %s/fake.log; stty sane\n"
	    "while read -r line; do echo \"$line\" >>%s/shell.log; done\n"
	    "END\n",
	    dir, live->dir, live->dir);
}

/* Whether a pane shows a text in time. */
static bool shows(const char *pane, const char *text, int ms)
{
	for (int64_t end_ms = live_now_ms() + ms; live_now_ms() < end_ms; live_sleep_ms(20)) {
		if (strstr(live_tmux(live, "capture-pane -p -t %s", pane), text) != NULL)
			return true;
	}
	return false;
}

static const char *submitted(void)
{
	return live_run(live, "cut -d ' ' -f 2- fake.log; cat shell.log");
}

/* Whether a line has been submitted in time. */
static bool is_submitted(const char *text)
{
	for (int64_t end_ms = live_now_ms() + RECEIPT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(20)) {
		if (strstr(submitted(), text) != NULL)
			return true;
	}
	return false;
}

static void start_agent(struct program *program, bool is_asking)
{
	const struct json *answer = talk_call(talk, "ensure_agent",
	    "{\"name\":\"fake\",\"command\":[\"bash\",\"-m\",\"%s/program.sh\"]}", live->dir);
	if (at_str(answer, "result.pane") == NULL)
		live_bail("there is no agent: %s", talk_text(talk));
	program->pane = xstrdup(at_str(answer, "result.pane"));
	if (!is_asking)
		return;
	answer = talk_call(talk, "send_task", "{\"agent\":\"fake\",\"text\":\"?\"}");
	if (strcmp(at_str(answer, "result.outcome") != NULL ? at_str(answer, "result.outcome") : "",
		"question") != 0)
		live_bail("the agent asks nothing: %s", talk_text(talk));
}

static void start_pane(struct program *program)
{
	program->pane = xstrdup(live_tmux(
	    live, "new-window -P -F '#{pane_id}' 'exec bash -m %s/program.sh'", live->dir));
	if (!shows(program->pane, ">", LIVE_TIMEOUT_MS))
		live_bail("the fake agent draws no prompt");
}

static struct program start_program(enum caller caller, bool is_asking)
{
	struct program program = {.is_agent = caller == SEND_TASK || caller == RESPOND};
	(void)live_run(live, ": >fake.log; : >shell.log");
	if (program.is_agent)
		start_agent(&program, is_asking || caller == RESPOND);
	else
		start_pane(&program);
	if (is_asking && !program.is_agent) {
		live_tmux(live, "send-keys -t %s '?' Enter", program.pane);
		if (!shows(program.pane, "1. Yes", LIVE_TIMEOUT_MS))
			live_bail("the fake agent offers no choice");
	}
	(void)live_run(live, ": >fake.log");
	return program;
}

static void end_program(struct program *program)
{
	if (program->person.pid != 0)
		person_leave(&program->person);
	if (program->is_agent)
		(void)talk_call(
		    talk, "stop_agent", "{\"agent\":\"fake\",\"grace_sec\":0.2,\"force\":true}");
	else
		live_tmux(live, "kill-pane -t %s", program->pane);
	mem_free(program->pane);
}

/* A person presses a key there, and takes it back. */
static void add_person(struct program *program)
{
	program->person = person_attach(live, program->is_agent ? "agent-fake" : "main");
	(void)live_tmux_until(live, "1",
	    "display-message -p -t %s '#{?#{==:#{session_attached},"
	    "0},0,1}'",
	    program->pane);
	(void)!write(program->person.terminal, "x\177", 2);
	for (int i = 0; i < 10; i++, live_sleep_ms(30))
		person_look(&program->person);
}

static void raise_guard(struct program *program, size_t guard)
{
	switch (guard) {
	case PERSON:
		add_person(program);
		break;
	case DRAFT:
		live_tmux(live, "send-keys -t %s -l draft", program->pane);
		(void)shows(program->pane, "> draft", LIVE_TIMEOUT_MS);
		break;
	case COPY_MODE:
		live_tmux(live, "copy-mode -t %s", program->pane);
		break;
	case SHELL:
		/* The leader of the group in front, but not the shell itself. */
		(void)live_run(live, "pkill -KILL -P %s fake_agent",
		    live_tmux(live, "display-message -p -t %s '#{pane_pid}'", program->pane));
		(void)live_tmux_until(live, "bash",
		    "display-message -p -t %s '#{pane_current_command}'", program->pane);
		break;
	default:
		break;
	}
}

/* Whether respond waits for its end, which a draft makes an error. */
static bool is_waited_for;

static const char *call(enum caller caller, const struct program *program)
{
	static char id[64];
	const struct json *answer = NULL;
	switch (caller) {
	case NOTICE:
		answer = talk_call(talk, "post_notification",
		    "{\"pane\":\"%s\",\"text\":\"typed\"}", program->pane);
		break;
	case SELF_COMMAND:
		answer = talk_call(
		    talk, "self_command", "{\"pane\":\"%s\",\"command\":\"typed\"}", program->pane);
		break;
	case SEND_TASK:
		answer = talk_call(
		    talk, "send_task", "{\"agent\":\"fake\",\"text\":\"typed\",\"wait\":false}");
		break;
	case RESPOND:
		answer = talk_call(talk, "respond",
		    "{\"agent\":\"fake\",\"text\":\"typed\",\"wait\":%s}",
		    is_waited_for ? "true" : "false");
		break;
	case SEND_TEXT:
		answer = talk_call(talk, "send_text",
		    "{\"pane\":\"%s\",\"text\":\"typed\",\"enter\":true}", program->pane);
		break;
	case CALLERS:
		break;
	}
	(void)snprintf(id, sizeof id, "%s",
	    at_str(answer, "error.data.kind") != NULL ? at_str(answer, "error.data.kind")
		: at_str(answer, "result.id") != NULL ? at_str(answer, "result.id")
						      : "");
	return id;
}

/* Why a text was not typed, as far as its caller can see that. */
static const char *find_reason(enum caller caller, const char *id)
{
	const struct json *found = NULL;
	const char *reason;
	if (caller == NOTICE) {
		found = at(talk_call(talk, "list_notifications", "{\"limit\":1000}"),
		    "result.notifications");
		reason = at_str(at_where(found, "id", id), "delivery.reason");
	} else {
		found = talk_call(talk, "list_agents", NULL);
		reason = at_str(found, "result.agents.0.tasks.0.held");
	}
	return reason != NULL ? reason : "";
}

static bool has_reason(enum caller caller, const char *id, const char *reason)
{
	for (int64_t end_ms = live_now_ms() + 4000; live_now_ms() < end_ms; live_sleep_ms(50)) {
		if (strstr(find_reason(caller, id), reason) != NULL)
			return true;
	}
	diag("the reason is: %s: %s", find_reason(caller, id), talk_text(talk));
	return false;
}

static void check(enum caller caller, size_t number)
{
	const struct guard *guard = &guards[number];
	const struct want *want = &guard->wants[caller];
	struct program program = start_program(caller, number == QUESTION);
	bool is_quiet;
	const char *id;
	raise_guard(&program, number);
	is_waited_for = number == DRAFT;
	id = call(caller, &program);
	if (want->outcome == TYPED) {
		ok(is_submitted("typed"), "%s, %s: typed", guard->name, callers[caller]);
		end_program(&program);
		return;
	}
	if (want->outcome == REFUSED && want->text != NULL)
		is_str(id, want->text, "%s, %s: refused", guard->name, callers[caller]);
	if (want->outcome == HELD && want->text != NULL)
		ok(has_reason(caller, id, want->text), "%s, %s: the reason is given", guard->name,
		    callers[caller]);
	live_sleep_ms(HELD_MS);
	/* A program that is started again after its shell was seen takes the task. */
	is_quiet = number == SHELL && caller == SEND_TASK
	    ? strcmp(live_run(live, "cat shell.log"), "") == 0
	    : strstr(submitted(), "typed") == NULL &&
		strstr(live_tmux(live, "capture-pane -p -t %s", program.pane), "typed") == NULL;
	if (!ok(is_quiet, "%s, %s: nothing is typed", guard->name, callers[caller]))
		diag("%s\n%s", submitted(), live_tmux(live, "capture-pane -p -t %s", program.pane));
	end_program(&program);
}

/* Two texts that are sent at once are two lines. */
static void check_order(void)
{
	struct program program = start_program(SEND_TEXT, false);
	for (int i = 1; i <= 3; i++)
		talk_send(talk,
		    "{\"id\":\"text%d\",\"method\":\"send_text\",\"params\":{\"pane\":\"%s\","
		    "\"text\":\"text %d\",\"enter\":true}}",
		    i, program.pane, i);
	for (int i = 1; i <= 3; i++) {
		char name[16];
		(void)snprintf(name, sizeof name, "text%d", i);
		ok(at(talk_response(talk, name, LIVE_TIMEOUT_MS), "result") != NULL,
		    "text %d is taken", i);
	}
	(void)is_submitted("text 3");
	is_str(live_run(live, "cut -d ' ' -f 2- fake.log"), "text 1\ntext 2\ntext 3",
	    "texts sent at once are typed one behind the other, each with its Enter");
	end_program(&program);
}

/* While a task is worked at, its pane is kept: a notice comes behind it, but send_text does not. */
static void check_kept(void)
{
	struct program program = start_program(SEND_TASK, false);
	const char *first;
	talk_send(talk,
	    "{\"id\":\"task\",\"method\":\"send_task\",\"params\":{\"agent\":\"fake\","
	    "\"text\":\"!quote\"}}");
	ok(is_submitted("!quote"), "a task is typed");
	(void)talk_call(
	    talk, "post_notification", "{\"pane\":\"%s\",\"text\":\"later\"}", program.pane);
	(void)talk_call(talk, "send_text",
	    "{\"pane\":\"%s\",\"text\":\"meanwhile\",\"enter\":true}", program.pane);
	ok(is_submitted("meanwhile"), "send_text is typed into what a task has started");
	ok(at(talk_response(talk, "task", RECEIPT_MS), "result") != NULL, "the task ends");
	ok(is_submitted("later"), "then a notice is typed");
	first = live_run(live, "cut -d ' ' -f 2 fake.log | tr '\\n' ' '");
	is_str(first, "!quote meanwhile [muxbus ", "in this order");
	end_program(&program);
}

/* A pane that is closed before the second notice is typed: only the first one was. */
static void check_second(void)
{
	struct program program = start_program(NOTICE, false);
	const char *id, *result = NULL;
	(void)call(NOTICE, &program);
	ok(is_submitted("typed"), "a first notice is typed");
	raise_guard(&program, DRAFT);
	id = call(NOTICE, &program);
	ok(has_reason(NOTICE, id, "something on the prompt line"), "a second one waits");
	live_tmux(live, "kill-pane -t %s", program.pane);
	for (int64_t end_ms = live_now_ms() + RECEIPT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(50)) {
		const struct json *found =
		    at(talk_call(talk, "list_notifications", "{\"limit\":1000}"),
			"result.notifications");
		result = at_str(at_where(found, "id", id), "delivery.result");
		if (result != NULL && strcmp(result, "deferred") != 0)
			break;
	}
	is_str(result, "refused", "when its pane is closed, it was not typed");
	mem_free(program.pane);
}

/* Lines that end as prompts do, of programs that are no agents: Enter there may do anything. */
static const char *const unknown_prompts[] = {"db=> ", "mysql> ", "PIN> ",
    "Type the name to delete > ", "PS> ", "PS C:/> ", "sftp> ", "> ", ">>> ", "irb(main):001> ",
    "\xe2\x9d\xaf ", "\xe2\x80\xba ", "\xc2\xbb ", "\xe2\x96\xb6 ", "(gdb) > "};

/* prompter.py PROMPT edits no lines; once.py asks the daemon, and ends. */
static void write_programs(void)
{
	(void)live_run(live,
	    "cat >prompter.py <<'END'\n"
	    "import os, sys, tty\n"
	    "tty.setraw(0)\n"
	    "sys.stdout.write(sys.argv[1])\n"
	    "sys.stdout.flush()\n"
	    "while True:\n"
	    "    byte = os.read(0, 1)\n"
	    "    os.write(1, b'\\r\\nRUN' if byte == b'\\r' else byte)\n"
	    "END\n"
	    "cat >once.py <<'END'\n"
	    "import socket\n"
	    "s = socket.socket(socket.AF_UNIX)\n"
	    "s.connect('once.socket')\n"
	    "s.sendall(b'{\"id\":1,\"method\":\"yield_turn\"}\\n')\n"
	    "s.recv(9999)\n"
	    "END\n"
	    "ln -sf %s once.socket",
	    live->socket);
}

/* A notice is not typed into a new pane with a command, for a reason; or is, without a reason. */
static void check_pane(const char *command, const char *drawn, const char *reason, const char *name)
{
	struct program program = {0};
	char *before;
	const char *id;
	(void)live_run(live, ": >fake.log; : >shell.log");
	program.pane = xstrdup(live_tmux(live, "new-window -P -F '#{pane_id}' \"%s\"", command));
	if (!shows(program.pane, drawn, LIVE_TIMEOUT_MS))
		live_bail("nothing is drawn by: %s", command);
	before = xstrdup(live_tmux(live, "capture-pane -p -t %s", program.pane));
	id = call(NOTICE, &program);
	if (reason == NULL) {
		ok(is_submitted("[muxbus "), "%s: typed", name);
	} else if (ok(has_reason(NOTICE, id, reason), "%s: the reason is given", name)) {
		live_sleep_ms(300);
		is_str(live_tmux(live, "capture-pane -p -t %s", program.pane), before,
		    "%s: nothing is typed", name);
	}
	end_program(&program);
	mem_free(before);
}

static void check_unknown(void)
{
	char command[512], drawn[64];
	write_programs();
	for (size_t i = 0; i < sizeof unknown_prompts / sizeof *unknown_prompts; i++) {
		(void)snprintf(command, sizeof command, "exec python3 %s/prompter.py '%s'",
		    live->dir, unknown_prompts[i]);
		(void)snprintf(drawn, sizeof drawn, "%s", unknown_prompts[i]);
		drawn[strlen(drawn) - 1] = '\0';
		check_pane(command, drawn, for_person, unknown_prompts[i]);
	}
	check_pane("LC_ALL=C.UTF-8 exec python3 -q", ">>>", for_person, "python's prompt");
	(void)snprintf(command, sizeof command,
	    "exec bash -mc 'cd %s; python3 once.py; exec python3 -q'", live->dir);
	check_pane(command, ">>>", "in front, not python3 once.py that asked",
	    "python's prompt, where another program asked");
}

/* Agents that are known by their command line alone, whatever the process is called. */
static const char *const known_names[] = {
    ".claude-unwrapped", "opencode.exe", "/nix/store/0-codex/bin/.codex-wrapped", "gemini"};

/* Signs of work, which count for any program. */
static const char *const busy_signs[] = {"* Thinking... (12s, esc to interrupt)", "(Esc to cancel)",
    "Working (3s, Ctrl+C to interrupt)", "  press ^C to stop", "Generating...", "esc interrupt"};

static void check_names(void)
{
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	char command[1024];
	for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
		(void)snprintf(command, sizeof command,
		    "exec bash -c 'exec -a %s %s/tests/fake_agent %s/fake.log'", known_names[i],
		    dir, live->dir);
		check_pane(command, ">", NULL, known_names[i]);
	}
	for (size_t i = 0; i < sizeof busy_signs / sizeof *busy_signs; i++) {
		(void)snprintf(command, sizeof command,
		    "exec bash -c 'exec -a %s %s/tests/fake_agent --above \\\"%s\\\" %s/fake.log'",
		    i % 2 == 0 ? "fake_agent" : known_names[i % 3], dir, busy_signs[i], live->dir);
		check_pane(command, ">", "busy", busy_signs[i]);
	}
}

int main(void)
{
	live = live_start(live_tmux_path(), "exec sleep 3600");
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, "-o deliver_quiet_ms=200");
	(void)live_run(live, "command -v bash && command -v pkill && command -v python3");
	if (live->status != 0)
		skip_all("bash, pkill or python3 is not installed");
	write_script();
	talk = talk_new(live);
	for (size_t guard = 0; guard < GUARDS; guard++) {
		for (int caller = 0; caller < CALLERS; caller++)
			check((enum caller)caller, guard);
	}
	check_order();
	check_kept();
	check_second();
	check_unknown();
	check_names();
	talk_free(talk);
	live_free(live);
	return done_testing();
}
