/* SPDX-License-Identifier: ISC */
#include "daemon/core/rlimit.h"
#include "base/base.h"

static struct rlimit given;
static bool is_raised;

void rlimit_raise_files(void)
{
	struct rlimit limit;
	if (!is_raised && getrlimit(RLIMIT_NOFILE, &given) < 0)
		return;
	is_raised = true;
	limit = given;
	limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_cur != given.rlim_cur && setrlimit(RLIMIT_NOFILE, &limit) < 0)
		log_warning("the limit of descriptors cannot be raised: %s", strerror(errno));
}

const struct rlimit *rlimit_given_files(void)
{
	return is_raised ? &given : NULL;
}

size_t rlimit_file_room(void)
{
	enum { RESERVED = 40 }; /* for tmux, files of the daemon's state, and future needs */
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return files.rlim_cur > 2 * RESERVED ? files.rlim_cur - RESERVED : files.rlim_cur / 2;
}

const char *rlimit_text(int error)
{
	static const char *const texts[] = {
	    [EAGAIN] = "no more processes or memory: see ulimit -u, -v, and TasksMax of a service",
	    [EDQUOT] = "the disk quota is used up",
	    [EFBIG] = "files may not be that large: see ulimit -f",
	    [EMFILE] = "muxbusd may have no more open files: see ulimit -n",
	    [ENFILE] = "the machine may have no more open files: see sysctl fs.file-max",
	    [ENOMEM] = "memory is short",
	};
	return (size_t)error < sizeof texts / sizeof *texts ? texts[error] : NULL;
}
