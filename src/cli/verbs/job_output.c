/* SPDX-License-Identifier: ISC */
#include "cli/verbs/job_output.h"

#include <sys/inotify.h>

#include "cli/verb.h"

#define READ_BYTES 262144
#define TAIL_MAX 128 /* bytes of an incomplete character or sequence */
#define TAIL_BYTES 512 /* bytes to search for the last line */
#define LINE_MAX_BYTES 65536
#define EXIT_TIME_UP 124 /* as timeout(1) returns */
#define WAIT_MAX_SEC 316224000 /* limit of wait_for: ten years of 366 days */

void job_output_init(struct job_output *output, struct cli *cli, const char *job)
{
	struct stat status;
	*output = (struct job_output){.cli = cli, .job = job, .started_ms = clock_mono_ms()};
	/* Progress would mix with output on the terminal: ours, or that of a reader of our pipe. */
	output->has_progress = screen_has_cursor(STDERR_FILENO) && !cli->is_terminal &&
	    fstat(STDOUT_FILENO, &status) == 0 &&
	    (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode));
	buf_init(&output->bytes, (size_t)READ_BYTES * 8);
	buf_init(&output->tail, TAIL_MAX);
}

void job_output_finish(struct job_output *output)
{
	struct buf rest = BUF(TAIL_MAX * 16);
	if (output->tail.len > 0)
		(void)screen_text_block(&rest, output->tail.data, output->tail.len);
	cli_print(&rest);
	if (output->is_styled)
		(void)fputs(screen_style(true, SCREEN_PLAIN), stdout); /* cli_flush() checks it */
	buf_finish(&output->bytes);
	buf_finish(&output->tail);
}

static enum cli_status read_piece(struct job_output *output, struct link *link, int64_t offset,
    int max_bytes, const struct json **ret_result)
{
	const char *text;
	enum cli_status status = ask_alive(link, "read_job",
	    ASK_PARAMS({"job", .text = output->job}, {"offset", .number = offset},
		{"max_bytes", .number = max_bytes}, {"encoding", .text = "base64"}),
	    ret_result);
	if (status != CLI_DONE)
		return status;
	text = json_get_str(*ret_result, "base64", "");
	buf_clear(&output->bytes);
	if (base64_decode(&output->bytes, text, strlen(text)) < 0)
		return cli_fail(CLI_NO, "the output of job %s cannot be read", output->job);
	return CLI_DONE;
}

enum cli_status job_output_skip(struct job_output *output, struct link *link, uint32_t lines)
{
	int64_t at = -READ_BYTES, end = -1;
	int size = READ_BYTES;
	output->offset = INT64_MAX;
	while (size > 0) {
		const struct json *result;
		enum cli_status status = read_piece(output, link, at, size, &result);
		int64_t from;
		if (status != CLI_DONE)
			return status;
		from = json_get_int(result, "from", 0);
		if (from >= output->offset) {
			cli_error("the output right before these lines is lost");
			return CLI_DONE;
		}
		end = end < 0 ? json_get_int(result, "to", 0) : end;
		for (size_t len = output->bytes.len; len > 0; len--) {
			int64_t behind = from + (int64_t)len;
			/* The newline at the end begins no further line. */
			if (output->bytes.data[len - 1] == '\n' && behind < end &&
			    behind <= output->offset && --lines == 0) {
				output->offset = behind;
				return CLI_DONE;
			}
		}
		output->offset = from;
		size = from < READ_BYTES ? (int)from : READ_BYTES;
		at = from - size;
	}
	return CLI_DONE;
}

/* Prints to a terminal. A character or sequence that is incomplete waits for the next part. */
static void print_visible(struct job_output *output)
{
	struct buf all, shown;
	size_t kept = 0;
	buf_init(&all, output->tail.len + output->bytes.len + 1);
	(void)buf_append(&all, output->tail.data, output->tail.len);
	(void)buf_append(&all, output->bytes.data, output->bytes.len);
	buf_clear(&output->tail);
	buf_init(&shown, all.len * 16 + 16);
	if (all.len > 0 && output->cli->has_color)
		kept = screen_text_colors(&shown, all.data, all.len);
	else if (all.len > 0)
		kept = utf8_incomplete_tail(all.data, all.len);
	if (!output->cli->has_color && all.len > kept)
		(void)screen_text_block(&shown, all.data, all.len - kept);
	if (kept > 0)
		(void)buf_append(&output->tail, all.data + all.len - kept, kept);
	output->is_styled |= strchr(buf_text(&shown), '\033') != NULL;
	cli_print(&shown);
	buf_finish(&all);
}

enum cli_status job_output_print(struct job_output *output, struct link *link)
{
	int64_t wanted = -1; /* the end when first read: a job may write faster than we print */
	for (;;) {
		const struct json *result;
		enum cli_status status =
		    read_piece(output, link, output->offset, READ_BYTES, &result);
		bool is_stuck;
		int64_t from, to, end;
		if (status != CLI_DONE)
			return status;
		from = json_get_int(result, "from", output->offset);
		to = json_get_int(result, "to", output->offset);
		end = json_get_int(result, "end", to);
		output->is_running = json_get_bool(result, "running", false);
		job_output_erase(output);
		if (from > output->offset)
			cli_error(
			    "%" PRId64 " bytes of the output are lost", from - output->offset);
		if (output->cli->is_terminal)
			print_visible(output);
		else
			cli_write(output->bytes.data, output->bytes.len);
		is_stuck = to <= output->offset;
		output->offset = to > output->offset ? to : output->offset;
		wanted = wanted < 0 ? end : wanted;
		if (to >= wanted || is_stuck || ferror(stdout))
			break;
	}
	cli_write(NULL, 0);
	return CLI_DONE;
}

static void find_last_line(const struct buf *bytes, const char **ret_line, size_t *ret_len)
{
	const char *text = buf_text(bytes);
	size_t end = bytes->len, start;
	while (end > 0 && strchr("\r\n \t", text[end - 1]) != NULL && text[end - 1])
		end--;
	start = end;
	while (start > 0 && text[start - 1] != '\n' && text[start - 1] != '\r')
		start--;
	*ret_line = text + start;
	*ret_len = end - start;
}

enum cli_status job_output_progress(struct job_output *output, struct link *link)
{
	const struct json *result;
	struct buf line, shown;
	const char *last;
	size_t len, columns;
	enum cli_status status;
	if (!output->has_progress || !screen_is_ours(STDERR_FILENO))
		return CLI_DONE;
	status = read_piece(output, link, -TAIL_BYTES, TAIL_BYTES, &result);
	if (status != CLI_DONE)
		return status;
	buf_init(&line, LINE_MAX_BYTES);
	buf_init(&shown, LINE_MAX_BYTES);
	(void)buf_printf(&line, "%s  ", output->job);
	show_duration(&line, clock_mono_ms() - output->started_ms);
	(void)buf_append_str(&line, "  ");
	show_bytes(&line, json_get_int(result, "end", 0));
	find_last_line(&output->bytes, &last, &len);
	(void)buf_append_str(&line, "  ");
	(void)buf_append(&line, last, len);
	columns = (size_t)screen_columns(STDERR_FILENO) - 1;
	(void)screen_text_cut(&shown, line.data, line.len, columns);
	(void)fprintf(stderr, "\r\033[K%s", buf_text(&shown));
	(void)fflush(stderr);
	output->is_drawn = true;
	buf_finish(&shown);
	buf_finish(&line);
	return CLI_DONE;
}

void job_output_erase(struct job_output *output)
{
	if (!output->is_drawn)
		return;
	output->is_drawn = false;
	if (!screen_is_ours(STDERR_FILENO))
		return;
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
}

static void on_other(
    void *data, const struct json *message, const char *line UNUSED, size_t len UNUSED)
{
	struct job_output *output = data;
	if (json_get_int(message, "id", 0) == (int64_t)output->wait_id)
		output->wait_id = 0;
}

bool job_output_ask_for_end(struct job_output *output, struct link *link)
{
	char params[CLI_ID_SIZE + 96];
	(void)snprintf(params, sizeof params, "{\"any\":[{\"job\":\"%s\"}],\"timeout_sec\":%d}",
	    output->job, WAIT_MAX_SEC);
	link_set_other(link, on_other, output);
	output->wait_id = link_request(link, "wait_for", params);
	return output->wait_id != 0;
}

enum cli_status job_output_look_for_end(struct job_output *output, struct link *link)
{
	struct link_answer answer;
	enum link_read read = LINK_LATE;
	link_receive(link);
	if (output->wait_id != 0)
		read = link_await(link, output->wait_id, 0, &answer);
	if (read == LINK_LINE) {
		output->wait_id = 0;
		return answer.error != NULL ? ask_say_error(answer.error) : CLI_DONE;
	}
	return link_is_lost(read) ? CLI_UNREACHABLE : CLI_DONE;
}

int job_output_watch(const struct cli *cli, const char *log)
{
	bool is_here = !remote_is(cli) && !cli->is_fleet;
	int fd = is_here ? inotify_init1(IN_CLOEXEC | IN_NONBLOCK) : -1;
	if (fd >= 0 && inotify_add_watch(fd, log, IN_MODIFY) < 0) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

int job_output_status(const struct json *job)
{
	int64_t number = json_get_int(job, "signal", -1);
	if (json_get_bool(job, "timed_out", false))
		return EXIT_TIME_UP;
	return number > 0 ? CLI_SIGNAL + (int)number : (int)json_get_int(job, "exit_code", CLI_NO);
}
