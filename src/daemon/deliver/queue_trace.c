/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/queue_trace.h"

#include "base/process.h"

static const char script[] = "umask 077; echo $$ >\"$0\"; said=$(\"$@\" 2>&1); status=$?; "
			     "printf '%s\\n' \"$said\"; "
			     "printf '%s\\n%s\\nend\\n' $status \"$said\" >>\"$0\"; exit $status";
static const char end[] = "\nend\n";

void queue_trace_new(const char *dir, char out[PATH_MAX])
{
	static unsigned number;
	(void)snprintf(out, PATH_MAX, "%s/queued.%d.%u", dir, (int)getpid(), ++number);
}

void queue_trace_words(const char *path, char *argv[QUEUE_TRACE_WORDS])
{
	const char *words[QUEUE_TRACE_WORDS] = {"sh", "-c", script, path};
	for (size_t at = 0; at < QUEUE_TRACE_WORDS; at++)
		argv[at] = (char *)(uintptr_t)words[at];
}

/* Returns true if the process is still the shell that writes this trace. */
static bool is_running(pid_t pid, const char *path)
{
	char words[sizeof script + PATH_MAX + 16];
	ssize_t len = process_read(pid, "cmdline", words, sizeof words);
	return len > 0 && memmem(words, (size_t)len, path, strlen(path)) != NULL;
}

void queue_trace_read(const char *path, struct queue_trace *ret_trace)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[sizeof ret_trace->said + 32] = "", last[sizeof end] = "";
	struct stat info;
	int used = 0;
	*ret_trace = (struct queue_trace){0};
	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && pread(fd, text, sizeof text - 1, 0) > 0 &&
	    sscanf(text, "%d\n%d\n%n", &ret_trace->pid, &ret_trace->status, &used) > 0) {
		ret_trace->is_ended = used > 0 &&
		    pread(fd, last, sizeof end - 1, info.st_size - (off_t)sizeof end + 1) > 0 &&
		    strcmp(last, end) == 0;
		ret_trace->is_running =
		    !ret_trace->is_ended && ret_trace->pid > 1 && is_running(ret_trace->pid, path);
		(void)snprintf(ret_trace->said, sizeof ret_trace->said, "%s", text + used);
	}
	(void)close(fd);
}

void queue_trace_remove(const char *path)
{
	(void)unlink(path); /* fails if it was never written */
}
