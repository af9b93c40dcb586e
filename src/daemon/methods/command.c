/* SPDX-License-Identifier: ISC */
/* run_tmux: runs a tmux command that is given as words. */
#include "daemon/input/person_guard.h"
#include "daemon/methods/close_check.h"
#include "daemon/methods/tables.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/rest.h"
#include "daemon/tmux/command_policy.h"
#include "daemon/tmux/tmux_command.h"

#define WORDS_MAX 1000 /* maximum of tmux since 3.7 */
#define COMMAND_BYTES_MAX (128 * 1024)
#define RESULT_REST_BYTES 4096

struct run_tmux_args {
	struct field_strings command;
	bool force;
};

static const struct field run_tmux_fields[] = {
    {FIELD_ROW(STRINGS, struct run_tmux_args, command, "command"),
	.flags = FIELD_REQUIRED | FIELD_CONFIDENTIAL_REST, .min = 1, .max = WORDS_MAX,
	.help = "The command and its arguments, one string each; nothing needs quoting."},
    {FIELD_ROW(BOOL, struct run_tmux_args, force, "force"), .preset = "false",
	.help = "Also one that ends the server or what the caller is in, or types into a person's "
		"line."},
    {0},
};

static const struct field_result run_tmux_results[] = {
    {"output", "string", "what it printed"},
    {"blocks", "integer", "how many replies tmux gave: aliases and hooks make several"},
    {"lossy", "boolean", "true if U+FFFD stands for bytes that are no UTF-8"},
    {"truncated", "boolean", "whether there was more than a result may hold"},
    {"rest", "string", "if truncated: the call that reads on"},
    {0},
};

static bool refuse(struct request *request, const struct command_judgement *judgement,
    const char *word, const char *advice)
{
	char data[160] = "";
	if (judgement->nearest != NULL)
		snprintf(data, sizeof data, "\"nearest\":\"%s\"", judgement->nearest);
	return request_fail_data(request, MESSAGE_REFUSED, data, "%.100s: %s%s",
	    judgement->name != NULL ? judgement->name : word, judgement->reason, advice);
}

static bool check_closing(
    struct request *request, const struct command_judgement *judgement, const char *word)
{
	struct command_judgement refusal = *judgement;
	const struct muxbus_pane *pane;
	const struct muxbus_window *window;
	const struct muxbus_session *session;
	if (judgement->target == COMMAND_TARGET_SERVER) {
		refusal.reason = "it ends the tmux server with all that runs in it";
		return refuse(request, &refusal, word, "; say \"force\": true if you want that");
	}
	if (judgement->target_text == NULL) {
		refusal.reason = "say with -t which one is to be closed";
		return refuse(request, &refusal, word, "");
	}
	switch (judgement->target) {
	case COMMAND_TARGET_PANE:
		return target_pane(request, judgement->target_text, &pane) &&
		    close_check_pane(request, pane);
	case COMMAND_TARGET_WINDOW:
		return target_window(request, judgement->target_text, &window) &&
		    close_check_window(request, window);
	case COMMAND_TARGET_SESSION:
		return target_session(request, judgement->target_text, &session) &&
		    close_check_session(request, session);
	case COMMAND_TARGET_SERVER:
		break;
	}
	return true;
}

/* Checks the size: tmux stands still while it reads a long non-ASCII argument (1 MB: 12 s). */
static bool check_size(struct request *request, const struct field_strings *command)
{
	size_t size = 0;
	for (size_t i = 0; i < command->count; i++)
		size += strlen(command->strings[i]) + 1;
	if (size <= COMMAND_BYTES_MAX)
		return true;
	return request_fail_data(request, MESSAGE_LIMIT, "\"field\":\"command\"",
	    "command: has %zu bytes, more than %d; load-buffer and source-file read files", size,
	    COMMAND_BYTES_MAX);
}

struct running {
	struct request *request;
	struct muxbus_command *command;
	const struct muxbus_pane *pane; /* the pane that gets keys, and is checked; NULL: none */
	bool only_looks;
};

static bool check_typing(struct request *request, const struct command_judgement *judgement,
    const char *word, const struct muxbus_pane **ret_pane)
{
	struct command_judgement refusal = *judgement;
	if (judgement->target_text != NULL)
		return target_pane(request, judgement->target_text, ret_pane);
	refusal.reason = "say with -t which pane gets the keys";
	return refuse(request, &refusal, word, "");
}

/* Allows a command that can end tmux only if the window that -t names has one pane. */
static bool check_fatal(
    struct request *request, const struct command_judgement *judgement, const char *word)
{
	struct command_judgement refusal = *judgement;
	const struct muxbus_window *window;
	refusal.reason = "it can end this tmux, if the window that -t names has several panes; "
			 "respawn-pane does the same for a pane";
	if (judgement->target_text == NULL)
		return refuse(request, &refusal, word, "");
	return !dispatch_put_off(request) &&
	    target_window(request, judgement->target_text, &window) &&
	    (window->panes == 1 || refuse(request, &refusal, word, ""));
}

static bool check(
    struct request *request, const struct run_tmux_args *args, struct running *ret_running)
{
	const char *word = args->command.strings[0];
	struct command_judgement judgement;
	if (!check_size(request, &args->command))
		return false;
	command_judge(args->command.strings, args->command.count, &judgement);
	*ret_running = (struct running){.request = request, .only_looks = judgement.only_looks};
	if (judgement.needs_caps & ~tmux_caps(request_daemon(request)->tmux)) {
		judgement.reason = "this tmux is too old for it";
		return refuse(request, &judgement, word, "");
	}
	if (judgement.fatal_caps & tmux_caps(request_daemon(request)->tmux) &&
	    !check_fatal(request, &judgement, word))
		return false;
	if (!args->force && (judgement.types || judgement.verdict == COMMAND_CLOSES) &&
	    dispatch_look_first(request))
		return false;
	switch (judgement.verdict) {
	case COMMAND_ALLOWED:
		return args->force || !judgement.types ||
		    check_typing(request, &judgement, word, &ret_running->pane);
	case COMMAND_NEEDS_FORCE:
		return args->force ||
		    refuse(request, &judgement, word, "; say \"force\": true if you want that");
	case COMMAND_REFUSED:
		return refuse(request, &judgement, word, "");
	case COMMAND_CLOSES:
		return args->force || check_closing(request, &judgement, word);
	}
	return false;
}

static void on_run(
    struct request *request, const struct muxbus_reply *replies, size_t count, void *context UNUSED)
{
	const struct muxbus_reply *reply = &replies[0];
	size_t len = count > 0 ? reply->body_len : 0;
	size_t max = (size_t)request_daemon(request)->config->limits.result_bytes;
	struct json_writer *writer = request_result(request);
	bool is_cut;
	max = max > 2 * RESULT_REST_BYTES ? max - RESULT_REST_BYTES : max / 2;
	max /= JSON_GROWTH;
	is_cut = len > max;
	if (json_put_text(
		writer, "output", len > 0 ? reply->body : (const uint8_t *)"", is_cut ? max : len))
		json_put_bool(writer, "lossy", true);
	json_put_int(writer, "blocks", count > 0 ? reply->blocks : 0);
	if (is_cut) {
		json_put_bool(writer, "truncated", true);
		rest_write(writer, rest_set_of(request), reply->body, len, max, "on in output");
	}
	request_done(request);
}

static void on_guarded(void *data, bool may, const char *sign UNUSED)
{
	struct running *running = data;
	if (may)
		tmux_call(running->request, running->command, !running->only_looks, on_run, NULL);
	else
		muxbus_command_free(running->command);
	mem_free(running);
}

static void handle_run_tmux(struct request *request, const void *data)
{
	const struct run_tmux_args *args = data;
	struct running running;
	bool is_weak;
	if (args->command.strings[0][0] == '\0') {
		request_fail_field(
		    request, "command", "its first word, the name of a tmux command, is empty");
		return;
	}
	if (!check(request, args, &running))
		return;
	running.command = tmux_command_new();
	muxbus_command_set_pane(running.command, request_peer_pane(request, &is_weak));
	for (size_t i = 0; i < args->command.count; i++)
		muxbus_command_args(running.command, args->command.strings[i], NULL);
	if (running.pane == NULL)
		tmux_call(request, running.command, !running.only_looks, on_run, NULL);
	else
		person_guard(request, running.pane, false, NULL, on_guarded,
		    xmemdup(&running, sizeof running));
}

const struct method methods_command[] = {
    {.name = METHOD("run_tmux",
	 METHOD_READS | METHOD_SEES | METHOD_TYPES | METHOD_RUNS | METHOD_CLOSES |
	     METHOD_ADMINISTERS),
	.title = "Run a tmux command",
	.summary = "Runs any tmux command and returns its output.",
	.help = "Without a target it is about the caller's pane. Refused without force: "
		"commands that end the server or the caller's own pane, run a shell, or open a "
		"mode; keys for a pane, as send_keys refuses them. Commands in key bindings, "
		"hooks, options and shells are not checked. Refused always: commands that wait for "
		"a person, or are about the client that they come from, and layouts that are none.",
	METHOD_CALL(handle_run_tmux, run_tmux_args, run_tmux_fields, run_tmux_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.recheck = "list_panes",
	.example = "{\"command\":[\"display-message\",\"-p\",\"#{session_name}\"]}"},
    {0},
};
