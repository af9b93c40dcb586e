/* SPDX-License-Identifier: ISC */
/* Connections to a scripted tmux: order, errors, deadlines, and bad ends. */
#include <muxbus.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "fake.h"
#include "tap.h"

static struct fake fake;

#define SERVE_HANDSHAKE "greet\nanswer 3\n"

/* Opens a connection with a script and waits until it is ready, however slow the machine is. */
static void open_ready(struct trial *trial, const char *script, unsigned timeout_ms)
{
	fake_script(&fake, script);
	fake_open_within(&fake, trial, 0, timeout_ms);
	if (trial->open_error == 0)
		(void)trial_until(trial, &trial->ready);
}

static void run(struct trial *trial, struct answer *answer, struct muxbus_command *command)
{
	int error = muxbus_connection_run(trial->connection, command, answer_note, answer);
	if (error != 0)
		is_int(error, 0, "a list is accepted");
}

static void test_plain(void)
{
	struct trial trial;
	struct answer answer = {0};
	(void)setenv("TMUX", "/tmp/x,1,2", 1);
	(void)setenv("TMUX_PANE", "%1", 1);
	fake_script(&fake, NULL);
	fake_open(&fake, &trial, 0);
	(void)unsetenv("TMUX");
	(void)unsetenv("TMUX_PANE");
	is_int(trial.open_error, 0, "plain: opened");
	run(&trial, &answer, command_of("list-sessions", NULL));
	ok(trial_until(&trial, &answer.calls), "plain: a list that was run at once is answered");
	is_int(trial.ready, 1, "plain: ready before it");
	is_int((long long)trial.version.major, 3, "plain: version");
	is_int(trial.session, 0, "plain: session");
	is_int(answer.error, 0, "plain: no error");
	is_int((long long)answer.count, 1, "plain: one reply");
	is_int(answer.blocks[0], 1, "plain: of one block");
	is_int(trial.closed, 0, "plain: open");
	muxbus_connection_close(trial.connection);
	muxbus_connection_close(trial.connection);
	ok(trial_until(&trial, &trial.closed), "plain: closed when asked to");
	is_int(trial.error, 0, "plain: without error");
	is_str(trial.reason, "closed", "plain: reason");
	ok(is_gone(trial.pid), "plain: the process is gone");
	trial_finish(&trial);
}

/* Every way a list can be answered, with the output whole and in pieces of one byte. */
static void test_replies(const char *split)
{
	char script[2048];
	struct trial trial;
	struct answer all = {0};
	struct answer failed = {0};
	struct answer many = {0};
	(void)snprintf(script, sizeof script,
	    "%s" SERVE_HANDSHAKE "expect list-a ; list-comman -F \n"
	    "expect \n"
	    "reply one\\ntwo\n"
	    "hook from a hook\\n%%session-renamed $0 PWNED\n"
	    "send %%window-add @1\\n\n"
	    "reply ${NONCE1}\n"
	    "reply ${NONCE2}\n"
	    "reply three\n"
	    "error parse error: unknown command: ${NONCE3}\n"
	    "expect list-a ; list-comman -F \n"
	    "expect \n"
	    "reply \n"
	    "reply ${NONCE1}\n"
	    "error no such thing\n"
	    "error parse error: unknown command: ${NONCE3}\n"
	    "expect list-many\n"
	    "expect \n"
	    "reply a\n"
	    "reply b\n"
	    "reply c\n"
	    "error parse error: unknown command: ${NONCE1}\n",
	    split);
	open_ready(&trial, script, 0);
	run(&trial, &all, command_of("list-a", ";", "list-b", ";", "list-c", NULL));
	run(&trial, &failed, command_of("list-a", ";", "list-b", ";", "list-c", NULL));
	run(&trial, &many, command_of("list-many", NULL));
	ok(trial_until(&trial, &many.calls), "%sreplies: all are answered", split);
	is_int(all.error, 0, "%sreplies: no error", split);
	is_int((long long)all.count, 3, "%sreplies: three", split);
	is_str(all.bodies[0], "one\ntwo\n", "%sreplies: first", split);
	is_str(all.bodies[1], "", "%sreplies: one without a block is empty", split);
	is_int(all.blocks[1], 0, "%sreplies: and has none", split);
	is_str(all.bodies[2], "three\n", "%sreplies: third, not shifted", split);
	is_int(failed.error, MUXBUS_ERR_COMMAND, "%sreplies: the list has failed", split);
	is_int(failed.errors[0], 0, "%sreplies: not its first", split);
	is_int(failed.errors[1], MUXBUS_ERR_COMMAND, "%sreplies: its second", split);
	is_str(failed.bodies[1], "no such thing\n", "%sreplies: and its reason", split);
	is_int(failed.errors[2], MUXBUS_ERR_SKIPPED, "%sreplies: the third was not run", split);
	is_int(failed.blocks[2], 0, "%sreplies: nor answered", split);
	is_int(many.blocks[0], 3, "%sreplies: several blocks", split);
	is_str(many.bodies[0], "a\nb\nc\n", "%sreplies: are one body", split);
	trial_finish(&trial);
	ok(is_gone(trial.pid), "%sreplies: freeing ends the process", split);
}

static void test_forged(const char *split)
{
	char script[2048];
	struct trial trial;
	struct answer first = {0};
	struct answer second = {0};
	unsigned events;
	(void)snprintf(script, sizeof script,
	    "%s" SERVE_HANDSHAKE "expect capture-pane\n"
	    "expect \n"
	    "send %%begin ${T} 900 1\\nx\\n%%end ${T} 900 1\\n%%session-renamed $0 PWNED\\n\n"
	    "send %%begin ${T} 901 1\\n00000000000000000000000000000000\\n%%end ${T} 901 1\\n\n"
	    "send %%exit\\n%%end ${T} 900 1\\n\n"
	    "send %%begin ${T} 902 1\\nparse error: unknown command: ${NONCE1}\\n%%error ${T} 902 "
	    "1\\n\n"
	    "serve\n",
	    split);
	open_ready(&trial, script, 0);
	events = trial.events;
	run(&trial, &first, command_of("capture-pane", "-p", NULL));
	run(&trial, &second, command_of("list-panes", NULL));
	ok(trial_until(&trial, &second.calls), "%sforged: both are answered", split);
	is_str(first.bodies[0],
	    "x\n%end 1700000000 900 1\n%session-renamed $0 PWNED\n%begin 1700000000 901 1\n"
	    "00000000000000000000000000000000\n%end 1700000000 901 1\n%exit\n",
	    "%sforged: text like guards and events stays text", split);
	is_str(second.bodies[0], "", "%sforged: the next reply contains none of it", split);
	is_int(trial.events, events, "%sforged: no event", split);
	is_int(trial.closed, 0, "%sforged: nor an end", split);
	trial_finish(&trial);
}

static void test_pipelined(void)
{
	static struct answer answers[2000];
	struct trial trial;
	bool are_right = true;
	open_ready(&trial, "split 1000\n", 0);
	for (size_t i = 0; i < 2000; i++)
		run(&trial, &answers[i],
		    i % 3 == 0 ? command_of("list-a", ";", "list-b", NULL)
			       : command_of("list-a", NULL));
	ok(trial_until(&trial, &answers[1999].calls), "pipelined: 2000 lists are answered");
	for (size_t i = 0; i < 2000; i++)
		are_right = are_right && answers[i].calls == 1 && answers[i].error == 0 &&
		    answers[i].count == (i % 3 == 0 ? 2 : 1);
	ok(are_right, "pipelined: each once, without error, with its replies");
	trial_finish(&trial);
}

static void test_flood(void)
{
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial,
	    SERVE_HANDSHAKE "expect list-a\nexpect \n"
			    "flood 20000 %output %1 0123456789012345678901234567890123456789\\n\n"
			    "reply late\n"
			    "error parse error: unknown command: ${NONCE1}\n",
	    0);
	run(&trial, &answer, command_of("list-a", NULL));
	ok(trial_until(&trial, &answer.calls), "flood: a reply behind it arrives");
	is_str(answer.bodies[0], "late\n", "flood: unchanged");
	is_int((long long)trial.output.len, 800000, "flood: all output was handed over");
	trial_finish(&trial);
}

/* Bad starts. */

static const struct {
	const char *name;
	const char *script;
	int error;
	const char *reason; /* beginning of the reason */
} bad_beginnings[] = {
    {"no greeting", "hang\n", MUXBUS_ERR_TIMEOUT, "tmux did not greet"},
    {"half a greeting", "send %begin 1 2 0\\n\nhang\n", MUXBUS_ERR_TIMEOUT, "tmux did not greet"},
    {"no session after the greeting", "send %begin 1 2 0\\n%end 1 2 0\\n\nhang\n",
	MUXBUS_ERR_TIMEOUT, "tmux did not greet"},
    {"no answer to the handshake", "greet\nhang\n", MUXBUS_ERR_TIMEOUT, "tmux did not greet"},
    {"too old", "version 3.1c\n", MUXBUS_ERR_VERSION, "tmux version 3.1c"},
    {"no version", "version tmux?\n", MUXBUS_ERR_VERSION, "tmux version tmux?"},
    {"flags not taken", "flags attached,no-output\n", MUXBUS_ERR_VERSION, "tmux 3.3a took only"},
    {"no answer to the question",
	"greet\nexpect \nexpect \nexpect \nreply what?\nreply ${NONCE2}\n", MUXBUS_ERR_PROTOCOL,
	"unexpected answer: what?"},
    {"no sessions", "send %begin 1 2 0\\nno sessions\\n%error 1 2 0\\n%exit\\n\nexit 1\n",
	MUXBUS_ERR_NO_SESSION, "no sessions"},
    {"not that session", "send %begin 1 2 0\\ncan't find session: $9\\n%error 1 2 0\\n\nhang\n",
	MUXBUS_ERR_NO_SESSION, "can't find session: $9"},
    {"a tmux that knows no -f",
	"send %begin 1 2 0\\nusage: attach-session [-dErx]\\n%error 1 2 0\\n\n", MUXBUS_ERR_VERSION,
	"usage: attach-session"},
    {"no server", "stderr no server running on /tmp/x\\n\nexit 1\n", MUXBUS_ERR_NO_SERVER,
	"no server running on /tmp/x"},
    {"the socket went away", "stderr error connecting to /tmp/x (No such file)\\n\nexit 1\n",
	MUXBUS_ERR_NO_SERVER, "error connecting to"},
    {"a server of another side", "send %exit server exited unexpectedly\\n\nexit 1\n",
	MUXBUS_ERR_CLOSED, "server exited unexpectedly"},
    {"another program", "send Usage of frobnicate:\\n\nexit 2\n", MUXBUS_ERR_PROTOCOL,
	"Usage of frobnicate:"},
    {"a stream of something", "flood 20000 \\x00\\xff\\x01garbage garbage\\n\nhang\n",
	MUXBUS_ERR_PROTOCOL, "no greeting, but other text:"},
    {"a stream without an end of line", "flood 20000 garbage garbage garbage\nhang\n",
	MUXBUS_ERR_PROTOCOL, "no greeting, but other text:"},
    {"nothing at all", "exit 0\n", MUXBUS_ERR_CLOSED, "tmux ended without a greeting"},
    {"no output", "close-stdout\nhang\n", MUXBUS_ERR_CLOSED, "tmux ended without a greeting"},
    {"no input", "close-stdin\nhang\n", MUXBUS_ERR_TIMEOUT, "tmux did not greet"},
    {"no input after the greeting", "close-stdin\ngreet\nhang\n", MUXBUS_ERR_CLOSED,
	"tmux detached the control client"},
};

static void test_bad_beginnings(void)
{
	for (size_t i = 0; i < sizeof bad_beginnings / sizeof bad_beginnings[0]; i++) {
		const char *name = bad_beginnings[i].name;
		int64_t since = clock_mono_ms();
		struct trial trial;
		struct answer answer = {0};
		fake_script(&fake, bad_beginnings[i].script);
		fake_open(&fake, &trial, 300);
		is_int(trial.open_error, 0, "%s: starts", name);
		if (trial.open_error == 0)
			run(&trial, &answer, command_of("list-a", NULL));
		ok(trial_until(&trial, &trial.closed), "%s: ends", name);
		is_int(trial.error, bad_beginnings[i].error, "%s: with its error", name);
		ok(strncmp(trial.reason, bad_beginnings[i].reason,
		       strlen(bad_beginnings[i].reason)) == 0,
		    "%s: with its reason", name);
		if (strncmp(trial.reason, bad_beginnings[i].reason,
			strlen(bad_beginnings[i].reason)) != 0)
			diag("reason: %s", trial.reason);
		is_int(answer.calls, 1, "%s: the accepted list is answered", name);
		is_int(answer.error, bad_beginnings[i].error, "%s: with the same error", name);
		is_int(trial.ready, 0, "%s: the connection was never ready", name);
		ok(is_gone(trial.pid), "%s: the process is gone", name);
		ok(clock_mono_ms() - since < 3000, "%s: soon", name);
		trial_finish(&trial);
	}
}

static void test_cannot_start(void)
{
	struct fake other = fake;
	struct trial trial;
	(void)snprintf(other.program, sizeof other.program, "%s/none", fake.dir);
	fake_open(&other, &trial, 0);
	is_int(trial.open_error, MUXBUS_ERR_SPAWN, "a program that does not exist");
	trial_finish(&trial);
	(void)snprintf(other.program, sizeof other.program, "%s", fake.dir);
	fake_open(&other, &trial, 0);
	is_int(trial.open_error, MUXBUS_ERR_SPAWN, "a program that is a folder");
	trial_finish(&trial);
	other = fake;
	(void)snprintf(other.socket, sizeof other.socket, "%s/none", fake.dir);
	fake_open(&other, &trial, 0);
	is_int(trial.open_error, MUXBUS_ERR_NO_SERVER, "a socket that does not exist");
	trial_finish(&trial);
	is_int(trial.closed, 0, "an unopened connection is not closed");
}

/* Errors in the middle of a connection. */

static const struct {
	const char *name;
	const char *script; /* after the handshake */
	int error;
	const char *reason;
} bad_middles[] = {
    {"exit in a reply", "expect list-a\nexpect \nsend %begin 1 2 1\\nhalf of a li\nexit 1\n",
	MUXBUS_ERR_CLOSED, "tmux detached the control client"},
    {"exit with a reason", "expect list-a\nsend %exit too far behind\\n\nexit 0\n",
	MUXBUS_ERR_CLOSED, "too far behind"},
    {"exit with a word of ours", "expect list-a\nsend %exit no sessions\\n\nexit 0\n",
	MUXBUS_ERR_CLOSED, "no sessions"},
    {"no reply", "expect list-a\nhang\n", MUXBUS_ERR_TIMEOUT,
	"tmux did not answer a command within 300 ms"},
    {"output but no reply",
	"expect list-a\nflood 1000 %output %1 busy\\n\nsend %begin 1 2 1\\n\nhang\n",
	MUXBUS_ERR_TIMEOUT, "tmux did not answer a command within 300 ms"},
    {"a reply without its sentinel", "expect list-a\nexpect \nreply done\nhang\n",
	MUXBUS_ERR_TIMEOUT, "tmux did not answer a command within 300 ms"},
    {"the input is closed", "close-stdin\nclose-stdout\nhang\n", MUXBUS_ERR_CLOSED,
	"tmux detached the control client"},
};

static void test_bad_middles(void)
{
	for (size_t i = 0; i < sizeof bad_middles / sizeof bad_middles[0]; i++) {
		const char *name = bad_middles[i].name;
		char script[1024];
		struct trial trial;
		struct answer first = {0};
		struct answer second = {0};
		(void)snprintf(script, sizeof script, SERVE_HANDSHAKE "%s", bad_middles[i].script);
		open_ready(&trial, script, 300);
		is_int(trial.ready, 1, "%s: ready", name);
		run(&trial, &first, command_of("list-a", ";", "list-b", NULL));
		run(&trial, &second, command_of("list-c", NULL));
		ok(trial_until(&trial, &trial.closed), "%s: ends", name);
		is_int(trial.error, bad_middles[i].error, "%s: with its error", name);
		is_str(trial.reason, bad_middles[i].reason, "%s: with its reason", name);
		is_int(first.calls, 1, "%s: the first list is answered once", name);
		is_int(first.error, bad_middles[i].error, "%s: with the error", name);
		is_int((long long)first.count, 2, "%s: for each command", name);
		is_int(first.errors[1], bad_middles[i].error, "%s: the same", name);
		is_int(second.calls, 1, "%s: so is the second", name);
		is_int(second.error, bad_middles[i].error, "%s: with the error", name);
		ok(is_gone(trial.pid), "%s: the process is gone", name);
		trial_finish(&trial);
	}
}

static void test_killed(void)
{
	struct trial trial;
	struct answer answer = {0};
	char command[64];
	open_ready(&trial, SERVE_HANDSHAKE "hang\n", 0);
	run(&trial, &answer, command_of("list-a", NULL));
	(void)snprintf(command, sizeof command, "kill -9 %ld", (long)trial.pid);
	is_int(system(command), 0, "killed: it is");
	ok(trial_until(&trial, &trial.closed), "killed: noticed");
	is_int(trial.error, MUXBUS_ERR_CLOSED, "killed: error");
	is_str(trial.reason, "the control client was killed", "killed: reason");
	is_int(answer.error, MUXBUS_ERR_CLOSED, "killed: the accepted list is answered");
	trial_finish(&trial);
}

/* A program that waits for nothing is woken up at most once, by the time of an earlier deadline. */
static void test_idle(void)
{
	struct trial trial;
	struct answer answer = {0};
	struct pollfd pollfd = {.events = POLLIN};
	open_ready(&trial, NULL, 200);
	run(&trial, &answer, command_of("list-a", NULL));
	ok(trial_until(&trial, &answer.calls), "idle: answered");
	pollfd.fd = muxbus_loop_fd(trial.loop);
	if (poll(&pollfd, 1, 500) > 0)
		is_int(muxbus_loop_dispatch(trial.loop, 0), 0, "idle: no timer is due");
	is_int(poll(&pollfd, 1, 500), 0, "idle: the loop has no more work");
	trial_finish(&trial);
}

/* A deadline counts from when a list is the first, not from when it was run. */
static void test_later_deadline(void)
{
	struct trial trial;
	struct answer first = {0};
	struct answer second = {0};
	int64_t since;
	open_ready(&trial,
	    SERVE_HANDSHAKE "expect list-a\nexpect \nsleep 200\nreply x\n"
			    "error parse error: unknown command: ${NONCE1}\nhang\n",
	    400);
	since = clock_mono_ms();
	run(&trial, &first, command_of("list-a", NULL));
	run(&trial, &second, command_of("list-b", NULL));
	ok(trial_until(&trial, &trial.closed), "later: the second list times out");
	is_int(first.error, 0, "later: the first was answered");
	is_int(second.error, MUXBUS_ERR_TIMEOUT, "later: the second was not");
	ok(clock_mono_ms() - since >= 600, "later: but had its full time");
	trial_finish(&trial);
}

/* A program that was stopped for longer than a deadline gives tmux another. */
static void test_stopped(void)
{
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial,
	    SERVE_HANDSHAKE "expect list-a\nexpect \nsleep 1300\nreply late\n"
			    "error parse error: unknown command: ${NONCE1}\n",
	    300);
	run(&trial, &answer, command_of("list-a", NULL));
	(void)usleep(1100 * 1000);
	ok(trial_until(&trial, &answer.calls), "stopped: answered");
	is_str(answer.bodies[0], "late\n", "stopped: by tmux");
	trial_finish(&trial);
}

/* A sentinel that this tmux would not answer as expected is not used. */
static void test_no_probe(void)
{
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial,
	    "no-probe\n" SERVE_HANDSHAKE "expect list-a\nanswer\nexpect list-comman -F \nanswer\n",
	    0);
	run(&trial, &answer, command_of("list-a", NULL));
	ok(trial_until(&trial, &answer.calls), "no probe: answered through list-commands");
	is_int(answer.error, 0, "no probe: without error");
	trial_finish(&trial);
}

/* Ends by our own side. */

static void test_close_waits_for_replies(void)
{
	struct trial trial;
	struct answer answer = {0};
	struct answer late = {0};
	unsigned events;
	open_ready(&trial,
	    "ignore-term\n" SERVE_HANDSHAKE "expect list-a\nexpect \nreply x\n"
	    "error parse error: unknown command: ${NONCE1}\n",
	    0);
	events = trial.events;
	run(&trial, &answer, command_of("list-a", NULL));
	muxbus_connection_close(trial.connection);
	is_int(
	    muxbus_connection_run(trial.connection, command_of("list-b", NULL), answer_note, &late),
	    MUXBUS_ERR_CLOSED, "close: nothing more is accepted");
	ok(trial_until(&trial, &trial.closed), "close: closed");
	is_int(trial.error, 0, "close: in good order");
	is_str(answer.bodies[0], "x\n", "close: lists under way are answered");
	is_int(trial.events, events + 1, "close: tmux was asked, and said %%exit");
	is_int(late.calls, 0, "close: and refused lists are not");
	trial_finish(&trial);
}

static void test_close_stubborn(const char *script, unsigned timeout_ms, unsigned want_events)
{
	int64_t since;
	unsigned events;
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial, script, timeout_ms);
	run(&trial, &answer, command_of("list-a", NULL));
	events = trial.events;
	since = clock_mono_ms();
	muxbus_connection_close(trial.connection);
	ok(trial_until(&trial, &trial.closed), "stubborn: closed nevertheless");
	is_int(trial.events - events, want_events, "stubborn: as after SIGTERM");
	ok(clock_mono_ms() - since < 1500, "stubborn: within a second or so");
	is_int(trial.error, 0, "stubborn: as requested");
	is_int(answer.error, MUXBUS_ERR_CANCELLED, "stubborn: lists under way are cancelled");
	ok(is_gone(trial.pid), "stubborn: the process is gone");
	trial_finish(&trial);
}

static void test_close_early(void)
{
	struct trial trial;
	struct answer answer = {0};
	int64_t since = clock_mono_ms();
	fake_script(&fake, "hang\n");
	fake_open(&fake, &trial, 0);
	run(&trial, &answer, command_of("list-a", NULL));
	muxbus_connection_close(trial.connection);
	is_int(trial.closed, 0, "early: not called from within");
	ok(trial_until(&trial, &trial.closed) && clock_mono_ms() - since < 3000, "early: but soon");
	is_int(trial.error, 0, "early: as requested");
	is_int(answer.error, MUXBUS_ERR_CANCELLED, "early: the accepted list is cancelled");
	trial_finish(&trial);
}

static void test_free(void)
{
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial, SERVE_HANDSHAKE "hang\n", 0);
	run(&trial, &answer, command_of("list-a", ";", "list-b", NULL));
	muxbus_connection_free(trial.connection);
	trial.connection = NULL;
	is_int(answer.calls, 1, "free: the accepted list is answered");
	is_int(answer.error, MUXBUS_ERR_CANCELLED, "free: as cancelled");
	is_int(trial.closed, 0, "free: closed is not called");
	ok(is_gone(trial.pid), "free: the process is gone");
	trial_finish(&trial);
}

/* Handlers that call the library. */

struct chain {
	struct trial *trial;
	unsigned left;
	unsigned is_done;
	int last_error;
};

static void on_chain(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct chain *chain = data;
	(void)replies;
	(void)count;
	chain->last_error = error;
	if (error != 0 || chain->left-- == 0) {
		chain->is_done = 1;
		return;
	}
	chain->last_error = muxbus_connection_run(
	    chain->trial->connection, command_of("list-a", NULL), on_chain, chain);
}

static void test_run_in_reply(void)
{
	struct trial trial;
	struct chain chain = {.trial = &trial, .left = 100};
	open_ready(&trial, NULL, 0);
	(void)muxbus_connection_run(trial.connection, command_of("list-a", NULL), on_chain, &chain);
	ok(trial_until(&trial, &chain.is_done), "a reply runs the next list, 100 times");
	is_int(chain.last_error, 0, "without error");
	trial_finish(&trial);
}

static void test_run_in_last_reply(void)
{
	struct trial trial;
	struct chain chain = {.trial = &trial, .left = 100};
	struct answer answer = {0};
	open_ready(&trial, SERVE_HANDSHAKE "exit 0\n", 0);
	(void)muxbus_connection_run(trial.connection, command_of("list-a", NULL), on_chain, &chain);
	ok(trial_until(&trial, &trial.closed), "a reply with an error");
	is_int(chain.last_error, MUXBUS_ERR_CLOSED, "has it");
	is_int(answer.calls, 0, "and no other error");
	trial_finish(&trial);
}

static void on_reply_close(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct trial *trial = data;
	(void)error;
	(void)replies;
	(void)count;
	muxbus_connection_close(trial->connection);
}

static void test_close_in_reply(void)
{
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial, NULL, 0);
	(void)muxbus_connection_run(
	    trial.connection, command_of("list-a", NULL), on_reply_close, &trial);
	run(&trial, &answer, command_of("list-b", NULL));
	ok(trial_until(&trial, &trial.closed), "closed from a reply");
	is_int(trial.error, 0, "in good order");
	is_int(answer.calls, 1, "with the list behind it answered");
	is_int(answer.error, 0, "without error");
	trial_finish(&trial);
}

/* Refused calls. */

static void test_refused(void)
{
	struct trial trial;
	struct answer answer = {0};
	struct muxbus_command *command;
	open_ready(&trial, NULL, 0);
	command = command_of("set-buffer", NULL);
	muxbus_command_arg(command, "a\0b", 3);
	is_int(muxbus_connection_run(trial.connection, command, answer_note, &answer),
	    MUXBUS_ERR_INVALID, "refused: a NUL");
	is_int(
	    muxbus_connection_run(trial.connection, command_of("A=b", NULL), answer_note, &answer),
	    MUXBUS_ERR_INVALID, "refused: an assignment");
	command = command_of(";", NULL);
	is_int(muxbus_connection_run(trial.connection, command, answer_note, &answer),
	    MUXBUS_ERR_INVALID, "refused: an empty list");
	is_int(answer.calls, 0, "refused: no reply");
	run(&trial, &answer, command_of("list-a", NULL));
	ok(trial_until(&trial, &answer.calls), "refused: the connection continues");
	trial_finish(&trial);
}

static char megabyte[1024 * 1024];

/* tmux reads nothing: the waiting bytes are bounded, and the deadline holds. */
static void test_unread(void)
{
	struct trial trial;
	struct answer answer = {0};
	struct answer other = {0};
	int error = 0;
	size_t accepted = 0;
	memset(megabyte, 'x', sizeof megabyte);
	open_ready(&trial, SERVE_HANDSHAKE "hang\n", 300);
	run(&trial, &answer, command_of("list-a", NULL));
	while (error == 0 && accepted < 1000) {
		struct muxbus_command *command = command_of("set-buffer", NULL);
		muxbus_command_arg(command, megabyte, sizeof megabyte);
		error = muxbus_connection_run(trial.connection, command, answer_note, &other);
		accepted += error == 0;
	}
	is_int(error, MUXBUS_ERR_LIMIT, "unread: there is a limit");
	ok(accepted > 10 && accepted < 100, "unread: of some ten megabytes");
	ok(trial_until(&trial, &trial.closed), "unread: the deadline holds");
	is_int(trial.error, MUXBUS_ERR_TIMEOUT, "unread: error");
	is_int(other.calls, (long long)accepted, "unread: each accepted list is answered");
	trial_finish(&trial);
}

/* A list that is larger than any buffer arrives whole, in many writes. */
static void test_large(void)
{
	struct trial trial;
	struct answer answer = {0};
	struct answer behind = {0};
	struct muxbus_command *command = command_of("set-buffer", NULL);
	memset(megabyte, 'x', sizeof megabyte);
	open_ready(&trial, NULL, 0);
	for (int i = 0; i < 8; i++)
		muxbus_command_arg(command, megabyte, sizeof megabyte);
	run(&trial, &answer, command);
	run(&trial, &behind, command_of("list-a", NULL));
	ok(trial_until(&trial, &behind.calls), "large: eight megabytes are answered");
	is_int(answer.error, 0, "large: without error");
	is_int(answer.calls, 1, "large: once");
	trial_finish(&trial);
}

/* Bytes written long ago do not count towards the limit. */
static void test_steady(void)
{
	struct trial trial;
	struct answer answer = {0};
	unsigned refused = 0;
	memset(megabyte, 'x', sizeof megabyte);
	open_ready(&trial, NULL, 0);
	for (unsigned i = 1; i <= 100; i++) {
		struct muxbus_command *command = command_of("set-buffer", NULL);
		muxbus_command_arg(command, megabyte, sizeof megabyte);
		refused +=
		    muxbus_connection_run(trial.connection, command, answer_note, &answer) != 0;
		while (answer.calls + 5 < i && muxbus_loop_dispatch(trial.loop, 1000) >= 0)
			;
	}
	is_int(refused, 0, "steady: a hundred megabytes with five on their way at any time");
	trial_finish(&trial);
}

/* A pipe without a reader must not end the program. */
static void test_no_sigpipe(void)
{
	struct trial trial;
	struct answer answer = {0};
	open_ready(&trial, SERVE_HANDSHAKE "close-stdin\nhang\n", 300);
	for (int i = 0; i < 100 && trial.connection != NULL; i++) {
		if (muxbus_connection_run(
			trial.connection, command_of("list-a", NULL), answer_note, &answer) != 0)
			break;
		(void)muxbus_loop_dispatch(trial.loop, 10);
	}
	ok(trial_until(&trial, &trial.closed), "closed input: noticed, and no SIGPIPE");
	ok(trial.error == MUXBUS_ERR_CLOSED || trial.error == MUXBUS_ERR_TIMEOUT,
	    "closed input: error");
	trial_finish(&trial);
}

int main(void)
{
	fake_start(&fake);
	test_plain();
	test_replies("");
	test_replies("split 1\n");
	test_replies("split 7\n");
	test_forged("");
	test_forged("split 1\n");
	test_pipelined();
	test_flood();
	test_bad_beginnings();
	test_cannot_start();
	test_bad_middles();
	test_killed();
	test_idle();
	test_later_deadline();
	test_stopped();
	test_no_probe();
	test_close_waits_for_replies();
	test_close_stubborn(SERVE_HANDSHAKE "hang\n", 0, 1);
	test_close_stubborn(SERVE_HANDSHAKE "hang\n", 200, 1);
	test_close_stubborn("ignore-term\n" SERVE_HANDSHAKE "hang\n", 0, 0);
	test_close_early();
	test_free();
	test_run_in_reply();
	test_run_in_last_reply();
	test_close_in_reply();
	test_refused();
	test_unread();
	test_large();
	test_steady();
	test_no_sigpipe();
	fake_stop(&fake);
	return done_testing();
}
