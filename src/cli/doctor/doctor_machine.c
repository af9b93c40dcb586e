/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for this machine: inotify limits, the state directory and its disk. */
#include "cli/doctor/doctor.h"

#include <sys/inotify.h>
#include <sys/statvfs.h>

#include "wire/address.h"

#define WATCHES_FEW 8192
#define INSTANCES_FEW 64
#define WATCHES_MORE 65536L /* suggested limit, or twice the present limit if that is higher */
#define INSTANCES_MORE 512L
#define DISK_LOW ((uint64_t)64 * 1024 * 1024)

static long read_number(const char *path)
{
	long number = -1;
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return -1;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1;
	(void)fclose(file);
	return number;
}

static void find_inotify(struct doctor_report *report)
{
	char more[128];
	long watches = read_number("/proc/sys/fs/inotify/max_user_watches");
	long instances = read_number("/proc/sys/fs/inotify/max_user_instances");
	int fd = inotify_init1(IN_CLOEXEC);
	int watch = fd < 0 ? -1 : inotify_add_watch(fd, "/", IN_DELETE_SELF);
	int saved_errno = errno;
	if (fd >= 0)
		(void)close(fd);
	(void)snprintf(more, sizeof more,
	    "sysctl fs.inotify.max_user_watches=%ld fs.inotify.max_user_instances=%ld",
	    watches < WATCHES_MORE / 2 ? WATCHES_MORE : 2 * watches,
	    instances < INSTANCES_MORE / 2 ? INSTANCES_MORE : 2 * instances);
	if (fd < 0 || watch < 0)
		doctor_find(report, FINDING_WRONG, "inotify", more,
		    "files are polled, since they cannot be watched: %s (%ld watches, %ld "
		    "instances allowed)",
		    strerror(saved_errno), watches, instances);
	else if ((watches >= 0 && watches < WATCHES_FEW) ||
	    (instances >= 0 && instances < INSTANCES_FEW))
		doctor_find(report, FINDING_NOTE, "inotify", more,
		    "few files can be watched at once: %ld watches, %ld instances", watches,
		    instances);
	else if (watches < 0 || instances < 0)
		doctor_find(report, FINDING_GOOD, "inotify", NULL,
		    "files can be watched; /proc does not say how many");
	else
		doctor_find(report, FINDING_GOOD, "inotify", NULL,
		    "%ld watches, %ld instances allowed", watches, instances);
}

/* Returns 0 if a path can be made, else an errno, with the path cut to the directory at fault. */
static int why_not_made(char *path)
{
	char whole[PATH_MAX], *slash;
	(void)snprintf(whole, sizeof whole, "%s", path);
	while ((slash = strrchr(path, '/')) != NULL && slash > path && access(path, F_OK) < 0 &&
	    errno == ENOENT)
		*slash = '\0';
	if (access(path, W_OK | X_OK) < 0)
		return errno;
	(void)memcpy(path, whole, sizeof whole);
	return 0;
}

static void find_state(struct doctor_report *report, const struct cli *cli)
{
	char path[PATH_MAX];
	struct stat st;
	struct statvfs disk;
	if (address_state(path, sizeof path, cli->tmux_socket) < 0) {
		doctor_find(report, FINDING_WRONG, "state", "set HOME or XDG_STATE_HOME",
		    "there is no directory for the state");
		return;
	}
	if (stat(path, &st) < 0) {
		int error = errno == ENOENT ? why_not_made(path) : errno;
		doctor_find(report, error == 0 ? FINDING_NOTE : FINDING_WRONG, "state",
		    error == 0 ? "muxbus start makes it"
			       : "make that writable, or set XDG_STATE_HOME to a folder that is",
		    "%s: %s", path, strerror(error != 0 ? error : ENOENT));
		return;
	}
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & (S_IRWXG | S_IRWXO))
		doctor_find(report, FINDING_WRONG, "state", "chown it to yourself, and chmod 700",
		    "%s is not yours alone", path);
	else if (statvfs(path, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < DISK_LOW)
		doctor_find(report, FINDING_WRONG, "state", "make room on that disk",
		    "%s: only %" PRIu64 " KiB are left on the disk", path,
		    (uint64_t)disk.f_bavail * disk.f_frsize / 1024);
	else
		doctor_find(report, FINDING_GOOD, "state", NULL, "%s", path);
}

void doctor_machine(struct doctor_report *report, const struct cli *cli)
{
	find_inotify(report);
	find_state(report, cli);
}
