/* SPDX-License-Identifier: ISC */
#include "daemon/agent/agent_report.h"

#include "base/stripper.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_question.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/rest.h"
#include "daemon/tmux/stream.h"

/* Programs pad prompts with spaces, which the screen may not have. */
static void trim(const char **text, size_t *len)
{
	while (*len > 0 && (*text)[*len - 1] == ' ')
		(*len)--;
	while (*len > 0 && (*text)[0] == ' ') {
		(*text)++;
		(*len)--;
	}
}

static size_t prompt_len(const char *line, size_t len, const char *prompt)
{
	const char *end = line + len;
	size_t line_len = len, part_len = strlen(prompt);
	trim(&line, &line_len);
	trim(&prompt, &part_len);
	if (line_len < part_len || memcmp(line + line_len - part_len, prompt, part_len) != 0)
		return 0;
	return (size_t)(end - line) - (line_len - part_len);
}

static bool is_end(const char *text, size_t len, const char *prompt)
{
	size_t part_len = strlen(prompt);
	trim(&text, &len);
	trim(&prompt, &part_len);
	return len > 0 && part_len >= len && memcmp(prompt + part_len - len, text, len) == 0;
}

/*
 * Returns the length of the output without the prompt at its end. The prompt is looked for where a
 * line editor last switched bracketed paste on; if the prompt is not there, nothing is cut.
 */
static size_t cut_prompt(const char *bytes, size_t len, const char *prompt)
{
	static const char sign[] = "\033[?2004h";
	const size_t size = sizeof sign - 1;
	struct buf text;
	for (size_t at = len; at >= size; at--) {
		const char *place = bytes + at - size;
		bool is_prompt;
		if (*place != sign[0] || memcmp(place, sign, size) != 0)
			continue;
		buf_init(&text, len + 1);
		(void)stripper_lines(&text, place, len - (size_t)(place - bytes));
		is_prompt = text.len > 0 && is_end((const char *)text.data, text.len, prompt);
		buf_finish(&text);
		return is_prompt ? (size_t)(place - bytes) : len;
	}
	return len;
}

void reply_text(
    struct buf *out, const void *bytes, size_t len, const struct reply_text_options *options)
{
	const char *newline;
	size_t first = 0;
	/* An incomplete escape sequence at the end is no text, so the result is ignored. */
	(void)stripper_lines(
	    out, bytes, options->prompt != NULL ? cut_prompt(bytes, len, options->prompt) : len);
	if (options->prompt != NULL && out->len > 0) {
		const char *text = (const char *)out->data;
		size_t begin;
		newline = memrchr(text, '\n', out->len);
		begin = newline == NULL ? 0 : (size_t)(newline + 1 - text);
		out->len -= prompt_len(text + begin, out->len - begin, options->prompt);
	}
	if (out->len == 0)
		return;
	newline = memchr(out->data, '\n', out->len);
	if (options->is_cut)
		first = newline == NULL ? 0 : (size_t)(newline + 1 - (const char *)out->data);
	else if (out->data[0] == '\n')
		first = 1;
	if (first > 0)
		buf_consume(out, first);
	if (options->pasted != NULL && !options->is_cut && out->len > options->pasted_len &&
	    memcmp(out->data, options->pasted, options->pasted_len) == 0 &&
	    out->data[options->pasted_len] == '\n')
		buf_consume(out, options->pasted_len + 1);
	if (out->data != NULL && out->len < out->cap)
		out->data[out->len] = '\0';
}

enum {
	NOTE_OUTPUT_MAX = 16 * 1024, /* bytes of a task's output in a notification */
	NOTE_MAX = NOTIFICATION_DATA_MAX,
	PROGRESS_BYTES = 16 * 1024, /* bytes of output in one report */
	PROGRESS_MAX = 8 * PROGRESS_BYTES,
	SCREEN_MAX = 64 * 1024,
	SCREEN_ROWS = 200,
	TEXT_SIZE = 160,
};

struct task_output {
	struct buf text;
	uint64_t from, to; /* output offsets of the task */
	uint64_t text_from; /* output offset of the text */
	bool is_truncated, has_gap;
};

/* Finds begin and end of the task's output. Marks of the shell (OSC 133) are exact. */
static void find_bounds(
    const struct agent_task *task, const struct pane_screen *screen, struct task_output *output)
{
	const struct agent_monitor *monitor = task->agent->monitor;
	uint64_t begin = agent_monitor_mark(monitor, 'C'), end = agent_monitor_mark(monitor, 'A');
	output->from = task->from;
	output->to = screen != NULL ? screen->offset : agent_monitor_end(monitor);
	if (task->is_resumed)
		return;
	if (begin > output->from && begin <= output->to)
		output->from = begin;
	if (screen != NULL && end >= output->from && end <= output->to && end > task->from)
		output->to = end;
}

static bool read_ring(
    const struct agent_task *task, uint64_t from, uint64_t to, struct buf *out, uint64_t *ret_from)
{
	struct stream_set *streams = task->agent->set->parts->streams;
	struct stream_slice slice;
	bool has_gap = false, is_first = true;
	*ret_from = to;
	while (from < to) {
		stream_read(
		    streams, task->agent->pane.pane, from, (size_t)(to - from), out, &slice);
		has_gap |= slice.has_gap;
		if (slice.from >= to || slice.to <= from)
			return true; /* no byte before "to" is left */
		if (is_first)
			*ret_from = slice.from;
		is_first = false;
		from = slice.to;
	}
	return has_gap;
}

static void take_reply(const char *reply, size_t max, struct task_output *output)
{
	size_t len = strlen(reply), from = len > max ? len - max : 0;
	while (((unsigned char)reply[from] & 0xc0) == 0x80)
		from++;
	output->is_truncated = from > 0;
	output->has_gap = false;
	output->text_from = output->from;
	buf_clear(&output->text);
	(void)buf_append(&output->text, reply + from, len - from);
}

static void read_output(const struct agent_task *task, const struct pane_screen *screen,
    bool has_prompt, size_t max, struct task_output *output)
{
	struct reply_text_options options = {0};
	char row[AGENT_ROW_SIZE];
	uint64_t from;
	struct buf raw = BUF(AGENT_OUTPUT_MAX);
	*output = (struct task_output){0};
	find_bounds(task, screen, output);
	buf_init(&output->text, AGENT_OUTPUT_MAX);
	if (task->stage != TASK_RUNNING || output->to < output->from) {
		output->to = output->text_from = output->from;
		return;
	}
	from = output->to - output->from > max ? output->to - max : output->from;
	output->has_gap = read_ring(task, from, output->to, &raw, &output->text_from);
	output->has_gap |= task->is_resumed;
	output->is_truncated = output->text_from > output->from;
	options.is_cut = output->is_truncated;
	if (task->is_pasted) {
		options.pasted = task->text;
		options.pasted_len = task->len;
	}
	if (has_prompt && screen != NULL) {
		struct agent_facts facts;
		agent_facts_read_screen(&screen->view, &facts);
		snprintf(row, sizeof row, "%s", facts.row);
		options.prompt =
		    agent_prompt_part(row, agent_monitor_profile(task->agent->monitor));
	}
	reply_text(&output->text, raw.data, raw.len, &options);
	buf_finish(&raw);
	if (has_prompt && task->reply != NULL)
		take_reply(task->reply, max, output);
}

bool agent_report_shows_work(const struct agent_task *task, const struct pane_screen *screen)
{
	struct task_output output;
	bool shows;
	read_output(task, screen, false, AGENT_OUTPUT_MAX, &output);
	shows = screen_sign_shows(task->agent->set->parts->signs, NULL, SIGN_BUSY,
	    (const char *)output.text.data, output.text.len);
	buf_finish(&output.text);
	return shows;
}

static void write_screen(struct json_writer *writer, const struct pane_screen *screen)
{
	struct buf text = BUF(SCREEN_MAX);
	agent_screen_text(&screen->view, SCREEN_ROWS, &text);
	(void)json_put_text(writer, "screen", text.data, text.len);
	buf_finish(&text);
}

/* The object is empty if the task was not typed. */
static void write_typing(struct json_writer *writer, const struct submit_typing *typing)
{
	json_object_begin(writer, "typing");
	if (typing->is_typed) {
		json_put_bool(writer, "echo_seen", typing->is_echo_seen);
		json_put_int(writer, "enters", typing->enters);
		json_put_int(writer, "typing_ms", typing->typing_ms);
	}
	json_object_end(writer);
}

/* Stores the whole reply, as far as it is known, and writes the call that reads it. */
static void write_rest(struct json_writer *writer, const struct agent_task *task,
    const struct pane_screen *screen, bool has_prompt)
{
	struct task_output whole;
	read_output(task, screen, has_prompt, AGENT_OUTPUT_MAX, &whole);
	rest_write(writer, task->agent->set->parts->rests, whole.text.data, whole.text.len, 0,
	    "all that it said");
	buf_finish(&whole.text);
}

static void write_result(struct json_writer *writer, const struct agent_task *task,
    const char *outcome, const char *reason, const struct pane_screen *screen, size_t max)
{
	const struct agent *agent = task->agent;
	struct task_output output;
	read_output(task, screen, strcmp(outcome, "ready") == 0, max, &output);
	json_put_str(writer, "agent", agent->spec.name);
	json_put_str(writer, "task", task->id);
	json_put_str(writer, "outcome", outcome);
	(void)json_put_text(writer, "reason", reason, strlen(reason));
	if (json_put_text(writer, "text", output.text.data, output.text.len))
		json_put_bool(writer, "lossy", true);
	json_put_str(writer, "source",
	    strcmp(outcome, "ready") == 0 && task->reply != NULL ? "hook" : "screen");
	if (agent->pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', agent->pane.pane);
	json_put_int(writer, "from", (int64_t)output.from);
	json_put_int(writer, "to", (int64_t)output.to);
	json_put_int(writer, "text_from", (int64_t)output.text_from);
	json_put_bool(writer, "truncated", output.is_truncated);
	if (output.is_truncated)
		write_rest(writer, task, screen, strcmp(outcome, "ready") == 0);
	json_put_bool(writer, "gap", output.has_gap);
	if (strcmp(outcome, "question") == 0)
		agent_question_write(writer, agent);
	if (strcmp(outcome, "crashed") == 0 && agent->exit_status >= 0)
		json_put_int(writer, "exit_status", agent->exit_status);
	if (strcmp(outcome, "crashed") == 0 && agent->exit_signal > 0)
		json_put_int(writer, "signal", agent->exit_signal);
	if (screen != NULL && screen->is_alternate)
		write_screen(writer, screen);
	if (task->stage == TASK_QUEUED && (task->held[0] != '\0' || agent->state == AGENT_BUSY))
		json_put_str(writer, "held", task->held[0] != '\0' ? task->held : agent->reason);
	json_put_double(writer, "elapsed_sec", (double)clock_since_ms(task->created_ms) / 1000);
	write_typing(writer, &task->typing);
	agent_write_evidence(writer, agent);
	buf_finish(&output.text);
}

static const struct {
	const char *outcome;
	enum message_error error;
} errors[] = {
    {"not_asked", MESSAGE_NOT_READY},
    {"refused", MESSAGE_REFUSED},
    {"stuck", MESSAGE_NOT_READY},
};

void agent_report_refuse(const struct agent *agent, struct request *request,
    enum message_error error, const char *advice, const struct agent_task *task)
{
	struct json_writer writer;
	struct buf data;
	json_start(&writer, &data, SCREEN_MAX);
	agent_write(&writer, agent);
	if (task != NULL)
		write_typing(&writer, &task->typing);
	request_fail_data(request, error, (const char *)data.data, "agent \"%s\" is %s (%s): %s",
	    agent->spec.name, agent_state_names[agent->state], agent->reason, advice);
	buf_finish(&data);
}

void agent_report_answer(const struct agent_task *task, struct request *request,
    const char *outcome, const char *reason, const struct pane_screen *screen)
{
	const struct config_limits *limits = &task->agent->set->parts->config->limits;
	int64_t max = limits->result_bytes / 8; /* escaping makes the JSON longer */
	if (str_row(errors, outcome) != NULL) {
		/* a repeated request must type the task again */
		once_forget(request_once(request));
		agent_report_refuse(
		    task->agent, request, str_row(errors, outcome)->error, reason, task);
		return;
	}
	if (max > task->max_bytes)
		max = task->max_bytes;
	write_result(request_result(request), task, outcome, reason, screen, (size_t)max);
	request_done(request);
}

void agent_report_notify(const struct agent_task *task, const char *outcome, const char *reason,
    const struct pane_screen *screen)
{
	struct queue *queue = task->agent->set->parts->queue;
	struct notification_draft draft = {
	    .source = SOURCE_COMMAND, .id = task->id, .pane = &task->teller};
	size_t max = (size_t)task->max_bytes;
	char text[TEXT_SIZE];
	struct json_writer writer;
	struct buf data;
	snprintf(text, sizeof text, "the task of agent %s ended after %.1f s: %s",
	    task->agent->spec.name, (double)clock_since_ms(task->created_ms) / 1000, outcome);
	for (max = max < NOTE_OUTPUT_MAX ? max : NOTE_OUTPUT_MAX;; max /= 4) {
		json_start_object(&writer, &data, NOTE_MAX);
		write_result(&writer, task, outcome, reason, screen, max);
		json_object_end(&writer);
		if (!writer.is_cut || max == 0)
			break;
		buf_finish(&data);
	}
	draft.text = text;
	draft.data = (const char *)data.data;
	(void)queue_post(queue, &draft);
	buf_finish(&data);
}

void agent_report_accepted(const struct agent_task *task, struct request *request)
{
	struct json_writer *writer = request_result(request);
	char message[TEXT_SIZE];
	snprintf(message, sizeof message, "The task is %s; its end is notification %s.",
	    task->agent->state == AGENT_READY && task->agent->task_count == 1 ? "about to be typed"
									      : "queued",
	    task->id);
	json_put_str(writer, "agent", task->agent->spec.name);
	json_put_str(writer, "task", task->id);
	json_put_str(writer, "id", task->id);
	json_put_int(writer, "position", (int64_t)task->agent->task_count);
	request_note_durable(request);
	json_put_str(writer, "message", message);
	request_done(request);
}

void agent_report_progress(void *data)
{
	struct agent_task *task = data;
	bool is_wanted = task->request != NULL && !request_is_formatted(task->request);
	struct peer *peer = is_wanted ? request_peer(task->request) : NULL;
	uint64_t end = agent_monitor_end(task->agent->monitor), from = task->told;
	const char *id = is_wanted ? request_id(task->request) : NULL;
	struct json_writer writer;
	struct buf raw, text, line;
	size_t used;
	if (peer == NULL || id == NULL || end <= from)
		return;
	if (end - from > PROGRESS_BYTES)
		from = end - PROGRESS_BYTES;
	buf_init(&raw, PROGRESS_BYTES);
	buf_init(&text, PROGRESS_BYTES);
	(void)read_ring(task, from, end, &raw, &from);
	used = stripper_lines(&text, raw.data, raw.len);
	if (text.len > 0) {
		json_start(&writer, &line, PROGRESS_MAX);
		message_begin_notice(&writer, "progress");
		json_put_raw(&writer, "request", id, strlen(id));
		json_put_str(&writer, "agent", task->agent->spec.name);
		json_put_str(&writer, "task", task->id);
		json_put_int(&writer, "from", (int64_t)from);
		json_put_int(&writer, "to", (int64_t)(from + used));
		if (json_put_text(&writer, "text", text.data, text.len))
			json_put_bool(&writer, "lossy", true);
		message_end_notice(&writer);
		/* If the peer does not read, the next report may have this text again. */
		if (peer_send_line(peer, (const char *)line.data, line.len))
			task->told = from + used;
		buf_finish(&line);
	} else {
		task->told = from + used;
	}
	buf_finish(&raw);
	buf_finish(&text);
}
