/* SPDX-License-Identifier: ISC */
#include "cli/verbs/restore_program.h"

#include <poll.h>

#include "base/conversation.h"
#include "cli/program.h"
#include "cli/verb.h"

/* Scripts for panes that do not just run tmux's default shell. Their arguments follow. */
static const char cd_script[] = "d=$(printf '%b.' \"$1\"); cd -- \"${d%.}\"; shift; ";
static const char agent_script[] = "trap : INT; \"$@\"; trap - INT; exec \"${SHELL:-/bin/sh}\"";
static const char note_script[] = "printf '%s\\n' \"$1\"; exec \"${SHELL:-/bin/sh}\"";
static const char shell_script[] = "exec \"${SHELL:-/bin/sh}\"";

/*
 * Returns the words that resume a pane's agent. Returns NULL if the words or a valid conversation
 * are not known, if the agent is not in PATH, or if muxbusd starts the agent.
 */
static const char *const *resume_of(const struct json *pane)
{
	char path[PATH_MAX];
	const char *agent = json_get_str(pane, "agent", "");
	const char *const *words = conversation_words(agent);
	const char *conversation = json_get_str(pane, "conversation", "");
	if (words == NULL || *conversation == '\0' || *conversation == '-' ||
	    json_get_bool(pane, "kept", false) || !program_find_in_path(agent, path, sizeof path))
		return NULL;
	return words;
}

bool restore_can_resume(const struct json *pane)
{
	return resume_of(pane) != NULL;
}

static bool read_directory(const struct json *pane, struct buf *out)
{
	const char *cwd = json_get_str(pane, "cwd", "");
	const char *base64 = json_get_str(pane, "cwd_base64", NULL);
	if ((base64 != NULL ? base64_decode(out, base64, strlen(base64))
			    : buf_append_str(out, cwd)) < 0 ||
	    buf_append_byte(out, '\0') < 0)
		return false;
	return buf_text(out)[0] == '/' && access(buf_text(out), X_OK) == 0;
}

static void put_escaped(struct json_writer *writer, const char *directory)
{
	struct buf word = BUF(8 * PATH_MAX);
	char octal[8];
	for (; *directory != '\0'; directory++) {
		(void)snprintf(octal, sizeof octal, "\\0%03o", (unsigned char)*directory);
		(void)buf_append_str(&word, octal);
	}
	json_put_str(writer, NULL, buf_text(&word));
	buf_finish(&word);
}

static void put_agent(struct json_writer *writer, const char *const *words, const struct json *pane)
{
	bool is_kept = json_get_bool(pane, "kept", false), is_resumed = words != NULL;
	const char *conversation = json_get_str(pane, "conversation", NULL);
	struct buf note;
	char text[512];
	if (is_resumed)
		json_put_str(writer, NULL, json_get_str(pane, "agent", ""));
	for (; words != NULL && *words != NULL; words++)
		json_put_str(writer, NULL, strcmp(*words, "@") == 0 ? conversation : *words);
	if (is_resumed)
		return;
	if (is_kept)
		(void)snprintf(text, sizeof text,
		    "muxbus: %.64s was here; muxbusd keeps it, in a session of its own",
		    json_get_str(pane, "name", json_get_str(pane, "agent", "")));
	else
		(void)snprintf(text, sizeof text,
		    "muxbus: %.64s was here; %s%.128s, so it was not started again",
		    json_get_str(pane, "agent", ""),
		    conversation == NULL ? "its conversation is not known"
					 : "it cannot go on with ",
		    conversation == NULL ? "" : conversation);
	buf_init(&note, 8 * sizeof text);
	(void)str_append_visible(&note, text, strlen(text));
	json_put_str(writer, NULL, buf_text(&note));
	buf_finish(&note);
}

static void put_command(
    struct json_writer *writer, const struct json *pane, const char *escaped_directory)
{
	const char *const *resume = resume_of(pane);
	bool has_agent = json_get_str(pane, "agent", NULL) != NULL;
	char script[sizeof cd_script + sizeof agent_script];
	if (!has_agent && escaped_directory == NULL)
		return;
	(void)snprintf(script, sizeof script, "%s%s", escaped_directory != NULL ? cd_script : "",
	    resume != NULL  ? agent_script
		: has_agent ? note_script
			    : shell_script);
	json_array_begin(writer, "command");
	json_put_str(writer, NULL, "/bin/sh");
	json_put_str(writer, NULL, "-c");
	json_put_str(writer, NULL, script);
	json_put_str(writer, NULL, "sh");
	if (escaped_directory != NULL)
		put_escaped(writer, escaped_directory);
	if (has_agent)
		put_agent(writer, resume, pane);
	json_array_end(writer);
}

bool restore_put_program(struct json_writer *writer, const struct json *pane)
{
	struct buf directory = BUF(PATH_MAX);
	const char *home = address_home();
	bool is_there, is_text;
	is_there = read_directory(pane, &directory);
	is_text = !is_there || utf8_is_valid(buf_text(&directory), strlen(buf_text(&directory)));
	if (is_there && is_text)
		json_put_str(writer, "cwd", buf_text(&directory));
	else if (home != NULL)
		json_put_str(writer, "cwd", home);
	put_command(writer, pane, is_text ? NULL : buf_text(&directory));
	buf_finish(&directory);
	return is_there;
}

static size_t decode(const char *text, char *ret_byte)
{
	static const char letters[] = "abtnvfr\\$", bytes[] = "\a\b\t\n\v\f\r\\$";
	const char *letter = text[0] == '\\' && text[1] != '\0' ? strchr(letters, text[1]) : NULL;
	if (letter != NULL) {
		*ret_byte = bytes[letter - letters];
		return 2;
	}
	if (text[0] != '\\' || text[1] < '0' || text[1] > '3' || strspn(text + 1, "01234567") < 3)
		return 0;
	*ret_byte = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
	return *ret_byte != '\0' ? 4 : 0;
}

char *restore_name_literal(const char *name, bool is_encoded)
{
	struct buf out = BUF(2 * strlen(name) + 1);
	while (*name != '\0') {
		char byte = *name;
		size_t len = is_encoded ? decode(name, &byte) : 0;
		if (*name == '#' && name[strspn(name, "#")] != '[')
			(void)buf_append_byte(&out, '#');
		(void)buf_append_byte(&out, (uint8_t)byte);
		name += len > 0 ? len : 1;
	}
	(void)buf_append_byte(&out, '\0');
	return (char *)buf_steal(&out, NULL);
}

enum {
	LIVE_MS = 10000, /* time until the daemon must follow a new server */
	SERVER_MS = 10000, /* time until a new server must run */
};

/* Starts a tmux server, with a session that keeps it alive and is closed at the end. */
static bool start(const struct cli *cli)
{
	char *const argv[] = {(char *)"tmux", (char *)"-S", (char *)cli->tmux_socket,
	    (char *)"new-session", (char *)"-d", (char *)"-s", (char *)TMUX_SERVER_SESSION,
	    (char *)"cat", NULL};
	char path[PATH_MAX];
	const char *text;
	struct buf said = BUF(1024);
	int r;
	if (!program_find_in_path("tmux", path, sizeof path)) {
		cli_error("tmux is not in PATH");
		return false;
	}
	r = program_run(path, argv, PROGRAM_STDERR, SERVER_MS, &said);
	text = said.len > 0 ? buf_text(&said) : strerror(errno);
	if (r != 0)
		cli_error("tmux: %.*s", (int)strcspn(text, "\n"), text);
	buf_finish(&said);
	return r == 0;
}

bool tmux_server_find(const struct cli *cli, struct link *link, bool *ret_is_new)
{
	int64_t deadline = clock_deadline_ms(LIVE_MS);
	const struct json *status;
	while (ask_method(link, "status", ASK_PARAMS({0}), &status) == CLI_DONE) {
		if (strcmp(json_get_str(json_member(status, "tmux"), "state", ""), "live") == 0)
			return true;
		/* Check each time: at first, a killed server may still accept connections. */
		if (!*ret_is_new && !locate_tmux_runs(cli)) {
			if (!start(cli))
				return false;
			*ret_is_new = true;
		}
		if (clock_left_ms(deadline) == 0) {
			cli_error("muxbusd does not follow the tmux server; see: muxbus doctor");
			return false;
		}
		(void)poll(NULL, 0, 20);
	}
	return false;
}
