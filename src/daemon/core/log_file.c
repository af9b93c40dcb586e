/* SPDX-License-Identifier: ISC */
#include "daemon/core/log_file.h"

static struct {
	const char *path; /* NULL: no log file */
	const char *program;
	int fd;
} file = {.fd = -1};

static void on_full(void);

/* Opens the log file and logs to it from now on. Returns 0, or -1 with errno on failure. */
static int open_file(enum log_level level)
{
	int fd = open(file.path,
	    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0600);
	struct stat st;
	off_t has;
	int old_fd;
	if (fd < 0)
		return -1;
	has = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
	old_fd = file.fd;
	file.fd = fd;
	log_open(fd, file.program, level);
	if (old_fd >= 0)
		(void)close(old_fd);
	log_limit(
	    has < LOG_FILE_BYTES_MAX ? (unsigned long long)(LOG_FILE_BYTES_MAX - has) : 1, on_full);
	return 0;
}

static void on_full(void)
{
	char old[PATH_MAX];
	struct stat st;
	int len;
	log_limit(0, NULL); /* messages of this function must not call it again */
	len = snprintf(old, sizeof old, "%s.old", file.path);
	if (len < 0 || (size_t)len >= sizeof old || lstat(file.path, &st) < 0 ||
	    !S_ISREG(st.st_mode) || rename(file.path, old) < 0 || open_file(log_level()) < 0) {
		(void)!ftruncate(file.fd, 0);
		log_open(file.fd, file.program, log_level());
		log_limit(LOG_FILE_BYTES_MAX, on_full);
	}
}

int log_file_open(const char *path, const char *program, int level, char *ret_reason, size_t size)
{
	if (path[0] == '\0') {
		log_open(STDERR_FILENO, program, (enum log_level)level);
		return 0;
	}
	file.path = path;
	file.program = program;
	if (open_file((enum log_level)level) == 0)
		return 0;
	(void)snprintf(ret_reason, size, "%s: %s", path, strerror(errno));
	file.path = NULL;
	return -1;
}

void log_file_reopen(void)
{
	if (file.path != NULL && open_file(log_level()) < 0)
		log_error("%s: %s: the log stays where it was", file.path, strerror(errno));
}

void library_log_write(const char *about, enum muxbus_log_level level, const char *text)
{
	_Static_assert((int)LOG_LEVEL_DEBUG == (int)MUXBUS_LOG_DEBUG, "both have four levels");
	log_write((enum log_level)level, "%s%s", about, text);
}

static void on_library_log(void *data UNUSED, enum muxbus_log_level level, const char *text)
{
	library_log_write("", level, text);
}

void library_log_take(void)
{
	muxbus_set_log(on_library_log, NULL);
}
