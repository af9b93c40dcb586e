/* SPDX-License-Identifier: ISC */
#include "base/job_file.h"

#include <sys/file.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"

#define SPEC_VERSION "muxbus-job=1"

enum {
	SMALL_MAX = 4096, /* bytes of a started or status file */
	STATUS_SIZE = 640, /* bytes of a status file with the largest numbers */
};

static const char *const suffixes[] = {
    [JOB_FILE_ERR] = "err",
    [JOB_FILE_ERR_TAIL] = "err_tail",
    [JOB_FILE_INPUT] = "in",
    [JOB_FILE_LOCK] = "lock",
    [JOB_FILE_OUT] = "out",
    [JOB_FILE_SPEC] = "spec",
    [JOB_FILE_STARTED] = "started",
    [JOB_FILE_STATUS] = "status",
    [JOB_FILE_TAIL] = "tail",
};

void job_file_name(char out[JOB_NAME_SIZE], const char *id, enum job_file file)
{
	snprintf(out, JOB_NAME_SIZE, "%.40s.%s", id, suffixes[file]);
}

static int write_all(int fd, const void *bytes, size_t len)
{
	return file_write_all(fd, bytes, len) < 0 ? -errno : 0;
}

static int write_file(int dir_fd, const char *id, enum job_file file, const struct buf *content)
{
	char name[JOB_NAME_SIZE], fresh[JOB_NAME_SIZE + 8];
	int error, fd;
	job_file_name(name, id, file);
	snprintf(fresh, sizeof fresh, "%s.new", name);
	fd = openat(dir_fd, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	error = write_all(fd, content->data, content->len);
	close(fd);
	if (error == 0 && renameat(dir_fd, fresh, dir_fd, name) < 0)
		error = -errno;
	if (error != 0)
		(void)unlinkat(dir_fd, fresh, 0);
	return error;
}

/* Reads a whole file of less than max bytes. Returns 0 or -errno; -EFBIG if the file is larger. */
static int read_file(int dir_fd, const char *id, enum job_file file, size_t max, struct buf *out)
{
	char name[JOB_NAME_SIZE];
	int error = 0, fd;
	job_file_name(name, id, file);
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	buf_init(out, max - 1);
	if (file_read_all(fd, out) < 0)
		error = -errno;
	close(fd);
	if (error != 0)
		buf_finish(out);
	return error;
}

/* Returns whether there was room. */
static bool put_string(struct buf *out, const char *key, const char *value)
{
	return buf_printf(out, "%s=%s%c", key, value, '\0') == 0;
}

static bool put_number(struct buf *out, const char *key, int64_t value)
{
	return buf_printf(out, "%s=%" PRId64 "%c", key, value, '\0') == 0;
}

int job_spec_write(int dir_fd, const char *id, const struct job_spec *spec)
{
	struct buf out = BUF(JOB_SPEC_MAX);
	bool is_whole = buf_append(&out, SPEC_VERSION, sizeof SPEC_VERSION) == 0 &&
	    put_string(&out, "cwd", spec->cwd);
	int error = -E2BIG;
	if (spec->input != NULL)
		is_whole = is_whole && put_string(&out, "stdin", spec->input);
	is_whole = is_whole && put_number(&out, "timeout_ms", spec->timeout_ms) &&
	    put_number(&out, "out_max", spec->out_max) && put_number(&out, "umask", spec->umask) &&
	    put_number(&out, "has_err", spec->has_err);
	for (size_t at = 0; spec->argv[at] != NULL; at++)
		is_whole = is_whole && put_string(&out, "arg", spec->argv[at]);
	for (size_t at = 0; spec->env[at] != NULL; at++)
		is_whole = is_whole && put_string(&out, "env", spec->env[at]);
	if (is_whole && put_string(&out, "end", "1"))
		error = write_file(dir_fd, id, JOB_FILE_SPEC, &out);
	buf_finish(&out);
	return error;
}

static int add_string(char ***array, size_t *count, const char *value)
{
	char **longer = mem_realloc(*array, (*count + 2) * sizeof *longer);
	if (longer == NULL)
		return -ENOMEM;
	*array = longer;
	longer[*count] = mem_strdup(value);
	if (longer[*count] == NULL)
		return -ENOMEM;
	longer[++*count] = NULL;
	return 0;
}

static int set_string(char **place, const char *value)
{
	mem_free(*place);
	*place = mem_strdup(value);
	return *place == NULL ? -ENOMEM : 0;
}

/* Stores one "key=value" of a spec. Ignores unknown keys, which a later version may write. */
static int spec_take(struct job_spec *spec, size_t counts[2], const char *key, const char *value)
{
	if (strcmp(key, "arg") == 0)
		return add_string(&spec->argv, &counts[0], value);
	if (strcmp(key, "env") == 0)
		return add_string(&spec->env, &counts[1], value);
	if (strcmp(key, "cwd") == 0)
		return set_string(&spec->cwd, value);
	if (strcmp(key, "input") == 0)
		return set_string(&spec->input_path, value);
	if (strcmp(key, "stdin") == 0)
		return set_string(&spec->input, value);
	if (strcmp(key, "timeout_ms") == 0)
		spec->timeout_ms = strtoll(value, NULL, 10);
	else if (strcmp(key, "out_max") == 0)
		spec->out_max = strtoll(value, NULL, 10);
	else if (strcmp(key, "umask") == 0)
		spec->umask = (unsigned)strtoul(value, NULL, 10);
	else if (strcmp(key, "has_err") == 0)
		spec->has_err = value[0] == '1';
	return 0;
}

static int spec_parse(char *at, const char *end, struct job_spec *spec)
{
	size_t counts[2] = {0, 0};
	bool has_end = false;
	int error = 0;
	if ((size_t)(end - at) < sizeof SPEC_VERSION || strcmp(at, SPEC_VERSION) != 0)
		return -EINVAL;
	for (at += sizeof SPEC_VERSION; at < end && error == 0;) {
		char *next = at + strlen(at) + 1, *value = strchr(at, '=');
		if (value == NULL)
			return -EINVAL;
		*value++ = '\0';
		has_end = strcmp(at, "end") == 0;
		error = spec_take(spec, counts, at, value);
		at = next;
	}
	if (error != 0)
		return error;
	if (!has_end || spec->argv == NULL || spec->cwd == NULL || spec->out_max <= 0)
		return -EINVAL;
	if (spec->env == NULL)
		spec->env = mem_calloc(1, sizeof *spec->env);
	return spec->env == NULL ? -ENOMEM : 0;
}

int job_spec_read(int dir_fd, const char *id, struct job_spec *ret_spec)
{
	struct job_spec spec = {0};
	struct buf content;
	int error = read_file(dir_fd, id, JOB_FILE_SPEC, JOB_SPEC_MAX + 1, &content);
	if (error != 0)
		return error;
	error = content.len == 0
	    ? -EINVAL
	    : spec_parse((char *)content.data, (char *)content.data + content.len, &spec);
	buf_finish(&content);
	if (error != 0)
		job_spec_finish(&spec);
	else
		*ret_spec = spec;
	return error;
}

void job_spec_finish(struct job_spec *spec)
{
	mem_free(spec->cwd);
	mem_free(spec->input);
	mem_free(spec->input_path);
	mem_free_strings(spec->argv);
	mem_free_strings(spec->env);
	*spec = (struct job_spec){0};
}

void job_secrets_remove(int dir_fd, const char *id)
{
	static const enum job_file files[] = {JOB_FILE_INPUT, JOB_FILE_SPEC};
	char name[JOB_NAME_SIZE];
	for (size_t at = 0; at < sizeof files / sizeof *files; at++) {
		job_file_name(name, id, files[at]);
		(void)unlinkat(dir_fd, name, 0);
	}
}

static int start_format(const struct job_start *start, char *out, size_t size)
{
	return snprintf(out, size, "pid=%d\npid_start=%" PRIu64 "\nreal_ms=%" PRId64 "\n",
	    (int)start->pid, start->pid_start, start->real_ms);
}

int job_start_write(int fd, const struct job_start *start)
{
	char text[128];
	return write_all(fd, text, (size_t)start_format(start, text, sizeof text));
}

int job_start_tell(int fd, const struct job_start *start)
{
	char text[160];
	int len = start_format(start, text, sizeof text);
	len += snprintf(text + len, sizeof text - (size_t)len, "started=1\n");
	return write_all(fd, text, (size_t)len);
}

static int64_t find_number(const char *text, const char *key)
{
	size_t len = strlen(key);
	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, key, len) == 0 && line[len] == '=')
			return strtoll(line + len + 1, NULL, 10);
	}
	return 0;
}

static void start_parse(const char *text, struct job_start *ret_start)
{
	*ret_start = (struct job_start){.pid = (pid_t)find_number(text, "pid"),
	    .pid_start = (uint64_t)find_number(text, "pid_start"),
	    .real_ms = find_number(text, "real_ms")};
}

int job_start_read(int dir_fd, const char *id, struct job_start *ret_start)
{
	struct buf content;
	int error = read_file(dir_fd, id, JOB_FILE_STARTED, SMALL_MAX, &content);
	if (error != 0)
		return error;
	if (content.len == 0) {
		buf_finish(&content);
		return -EAGAIN; /* the supervisor has made the file, but not written to it yet */
	}
	start_parse((char *)content.data, ret_start);
	buf_finish(&content);
	return 0;
}

static int status_format(const struct job_status *status, char *out, size_t size)
{
	return snprintf(out, size,
	    "exit_code=%d\nsignal=%d\nexec_errno=%d\nstart_ms=%" PRId64 "\nend_ms=%" PRId64
	    "\nelapsed_ms=%" PRId64 "\nout_bytes=%" PRId64 "\nerr_bytes=%" PRId64
	    "\ntail_bytes=%" PRId64 "\nmax_rss_kb=%" PRId64
	    "\nis_timed_out=%d\nis_stopped=%d\nis_held=%d\nend=1\n",
	    status->exit_code, status->signal, status->exec_errno, status->start_ms, status->end_ms,
	    status->elapsed_ms, status->out_bytes, status->err_bytes, status->tail_bytes,
	    status->max_rss_kb, status->is_timed_out, status->is_stopped, status->is_held);
}

int job_status_write(int dir_fd, const char *id, const struct job_status *status)
{
	char text[STATUS_SIZE];
	struct buf content = {.data = (uint8_t *)text};
	content.len = (size_t)status_format(status, text, sizeof text);
	return write_file(dir_fd, id, JOB_FILE_STATUS, &content);
}

int job_status_tell(int fd, const struct job_status *status)
{
	char text[STATUS_SIZE];
	return write_all(fd, text, (size_t)status_format(status, text, sizeof text));
}

int job_status_sync(int dir_fd, const char *id)
{
	char name[JOB_NAME_SIZE];
	int error = 0, fd;
	job_file_name(name, id, JOB_FILE_STATUS);
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fdatasync(fd) < 0 || fsync(dir_fd) < 0)
		error = -errno;
	close(fd);
	return error;
}

static void status_parse(const char *text, struct job_status *ret_status)
{
	*ret_status = (struct job_status){
	    .exit_code = (int)find_number(text, "exit_code"),
	    .signal = (int)find_number(text, "signal"),
	    .exec_errno = (int)find_number(text, "exec_errno"),
	    .start_ms = find_number(text, "start_ms"),
	    .end_ms = find_number(text, "end_ms"),
	    .elapsed_ms = find_number(text, "elapsed_ms"),
	    .out_bytes = find_number(text, "out_bytes"),
	    .err_bytes = find_number(text, "err_bytes"),
	    .tail_bytes = find_number(text, "tail_bytes"),
	    .max_rss_kb = find_number(text, "max_rss_kb"),
	    .is_timed_out = find_number(text, "is_timed_out") != 0,
	    .is_stopped = find_number(text, "is_stopped") != 0,
	    .is_held = find_number(text, "is_held") != 0,
	};
}

int job_status_read(int dir_fd, const char *id, struct job_status *ret_status)
{
	struct buf content;
	int error = read_file(dir_fd, id, JOB_FILE_STATUS, SMALL_MAX, &content);
	if (error != 0)
		return error;
	if (find_number(buf_text(&content), "end") == 1)
		status_parse(buf_text(&content), ret_status);
	else
		error = -EINVAL;
	buf_finish(&content);
	return error;
}

void job_news_read(const char *text, struct job_news *ret_news)
{
	*ret_news = (struct job_news){.has_started = find_number(text, "started") == 1,
	    .has_ended = find_number(text, "end") == 1};
	if (ret_news->has_started)
		start_parse(text, &ret_news->start);
	if (ret_news->has_ended)
		status_parse(text, &ret_news->status);
}

pid_t job_supervisor_open(int dir_fd, const char *id, int *ret_pidfd)
{
	char name[JOB_NAME_SIZE], text[64] = "";
	int pid = 0, fd;
	job_file_name(name, id, JOB_FILE_LOCK);
	*ret_pidfd = -1;
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof text - 1) > 0)
		(void)sscanf(text, "%d", &pid);
	errno = ESRCH;
	*ret_pidfd = process_open((pid_t)pid, process_start_ticks(pid));
	if (*ret_pidfd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		close(*ret_pidfd);
		*ret_pidfd = -1;
		errno = ESRCH;
	}
	close(fd);
	return *ret_pidfd >= 0 ? pid : 0;
}

int job_file_read(
    int dir_fd, const char *id, enum job_file file, int64_t offset, size_t max, struct buf *out)
{
	char name[JOB_NAME_SIZE];
	ssize_t got;
	int fd;
	job_file_name(name, id, file);
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (buf_reserve(out, max) != 0) {
		close(fd);
		return -ENOMEM;
	}
	got = pread(fd, out->data + out->len, max, offset);
	close(fd);
	if (got < 0)
		return -errno;
	out->len += (size_t)got;
	out->data[out->len] = '\0';
	return 0;
}
