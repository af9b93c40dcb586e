/* SPDX-License-Identifier: ISC */
/* A connection under test. */
#include "trial.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Answers. */

void answer_note(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct answer *answer = data;
	answer->calls++;
	answer->error = error;
	answer->count = count;
	for (size_t i = 0; i < count && i < 8; i++) {
		size_t len = replies[i].body_len < 255 ? replies[i].body_len : 255;
		answer->errors[i] = replies[i].error;
		answer->blocks[i] = replies[i].blocks;
		memcpy(answer->bodies[i], replies[i].body, len);
		answer->bodies[i][len] = '\0';
	}
}

/* The trial. */

static void on_ready(void *data, const struct muxbus_version *version, uint32_t session)
{
	struct trial *trial = data;
	trial->ready++;
	trial->version = *version;
	trial->session = session;
}

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms)
{
	struct trial *trial = data;
	(void)pane;
	(void)age_ms;
	(void)buf_append(&trial->output, bytes, len);
}

static void on_event(void *data, const struct muxbus_event *event)
{
	struct trial *trial = data;
	(void)event;
	trial->events++;
}

static void on_closed(void *data, int error, const char *reason)
{
	struct trial *trial = data;
	trial->closed++;
	trial->error = error;
	(void)snprintf(trial->reason, sizeof trial->reason, "%s", reason);
	muxbus_connection_free(trial->connection);
	trial->connection = NULL;
}

void trial_open(struct trial *trial, const struct muxbus_connection_options *options)
{
	static const struct muxbus_connection_handlers handlers = {
	    .ready = on_ready, .output = on_output, .event = on_event, .closed = on_closed};
	memset(trial, 0, sizeof *trial);
	buf_init(&trial->output, 64 * 1024 * 1024);
	trial->open_error = muxbus_loop_new(&trial->loop);
	if (trial->open_error == 0)
		trial->open_error = muxbus_connection_open(
		    trial->loop, options, &handlers, trial, &trial->connection);
	if (trial->open_error == 0)
		trial->pid = muxbus_connection_pid(trial->connection);
}

void trial_finish(struct trial *trial)
{
	muxbus_connection_free(trial->connection);
	muxbus_loop_free(trial->loop);
	trial->connection = NULL;
	trial->loop = NULL;
	buf_finish(&trial->output);
}

bool trial_until(struct trial *trial, const unsigned *flag)
{
	int64_t end = clock_mono_ms() + TRIAL_TIMEOUT_MS;
	while (*flag == 0 && clock_mono_ms() < end) {
		if (muxbus_loop_dispatch(trial->loop, 100) < 0)
			return false;
	}
	return *flag != 0;
}

struct muxbus_command *command_of(const char *word, ...)
{
	struct muxbus_command *command;
	va_list words;
	if (muxbus_command_new(&command) != 0)
		return NULL;
	va_start(words, word);
	for (; word != NULL; word = va_arg(words, const char *)) {
		if (strcmp(word, ";") == 0)
			muxbus_command_next(command);
		else
			muxbus_command_arg(command, word, strlen(word));
	}
	va_end(words);
	return command;
}

bool is_gone(pid_t pid)
{
	return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH);
}
