/* SPDX-License-Identifier: ISC */
#include "daemon/queue/journal_disk.h"

#include <pthread.h>
#include <sys/eventfd.h>

#include "daemon/core/state_dir.h"

struct journal_disk_dir {
	char path[PATH_MAX];
	int fd;
	ino_t inode;
	dev_t device;
	char names[2][64]; /* the names that can be written: [0] opened first, [1] made first */
};

/* Opens the directory at the path, also in place of an open one. Returns 0 or -errno. */
static int dir_find(struct journal_disk_dir *dir)
{
	char reason[64];
	struct stat status;
	int fd;
	errno = EPERM; /* state_dir_open() may refuse without setting errno */
	fd = state_dir_open(dir->path, reason, sizeof reason);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0) {
		int error = -errno;
		close(fd);
		return error;
	}
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = fd;
	dir->inode = status.st_ino;
	dir->device = status.st_dev;
	return 0;
}

static bool dir_is_there(const struct journal_disk_dir *dir)
{
	struct stat status;
	return lstat(dir->path, &status) == 0 && status.st_ino == dir->inode &&
	    status.st_dev == dir->device;
}

static bool has_name(const struct journal_disk_dir *dir, const char *name, const struct stat *file)
{
	struct stat status;
	return fstatat(dir->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    status.st_ino == file->st_ino && status.st_dev == file->st_dev;
}

static int dir_open_file(void *data, const char *name, int create)
{
	struct journal_disk_dir *dir = data;
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int error = create && !dir_is_there(dir) ? dir_find(dir) : 0, fd;
	struct stat status;
	if (error < 0)
		return error;
	if (dir->names[create][0] == '\0')
		snprintf(dir->names[create], sizeof dir->names[create], "%s", name);
	fd = openat(dir->fd, name, create ? flags | O_CREAT | O_TRUNC : flags, 0600);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static ssize_t dir_read(void *data UNUSED, int file, void *bytes, size_t len, uint64_t offset)
{
	ssize_t got;
	do
		got = pread(file, bytes, len, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/*
 * Writes. Fails if another program has removed, moved, replaced or cut the file, since the next
 * daemon would not read these bytes. The helper thread may just be renaming the file from names[1]
 * to names[0], so names[1] must be checked first.
 */
static ssize_t dir_write(void *data, int file, const void *bytes, size_t len, uint64_t offset)
{
	const struct journal_disk_dir *dir = data;
	struct stat status;
	ssize_t put;
	if (fstat(file, &status) < 0)
		return -errno;
	if (status.st_size < (off_t)offset || !dir_is_there(dir) ||
	    !(has_name(dir, dir->names[1], &status) || has_name(dir, dir->names[0], &status)))
		return -ENOENT;
	do
		put = pwrite(file, bytes, len, (off_t)offset);
	while (put < 0 && errno == EINTR);
	return put < 0 ? -errno : put;
}

static int dir_truncate(void *data UNUSED, int file, uint64_t len)
{
	return ftruncate(file, (off_t)len) < 0 ? -errno : 0;
}

/*
 * Reserves room, but not by posix_fallocate(), which may write zeros. This changes the size of the
 * file, so that syncs of later records need not write the size.
 */
static int dir_reserve(void *data UNUSED, int file, uint64_t len)
{
	return fallocate(file, 0, 0, (off_t)len) < 0 ? -errno : 0;
}

static int dir_sync(void *data UNUSED, int file)
{
	return fdatasync(file) < 0 ? -errno : 0;
}

static int dir_install(void *data, const char *from, const char *to)
{
	struct journal_disk_dir *dir = data;
	if (renameat(dir->fd, from, dir->fd, to) < 0)
		return -errno;
	return fsync(dir->fd) < 0 ? -errno : 0;
}

static int dir_unlink(void *data, const char *name)
{
	struct journal_disk_dir *dir = data;
	return unlinkat(dir->fd, name, 0) < 0 ? -errno : 0;
}

static void dir_close_file(void *data UNUSED, int file)
{
	close(file);
}

const struct journal_disk journal_disk_dir_table = {.open = dir_open_file,
    .read = dir_read,
    .write = dir_write,
    .truncate = dir_truncate,
    .reserve = dir_reserve,
    .sync = dir_sync,
    .install = dir_install,
    .unlink = dir_unlink,
    .close = dir_close_file};

struct journal_disk_dir *journal_disk_dir_open(const char *path)
{
	struct journal_disk_dir *dir = mem_calloc(1, sizeof *dir);
	int error;
	if (dir == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	dir->fd = -1;
	snprintf(dir->path, sizeof dir->path, "%s", path);
	error = dir_find(dir);
	if (error == 0)
		return dir;
	mem_free(dir);
	errno = -error;
	return NULL;
}

void journal_disk_dir_close(struct journal_disk_dir *dir)
{
	if (dir == NULL)
		return;
	close(dir->fd);
	mem_free(dir);
}

enum syncer_state { STATE_IDLE, STATE_SUBMITTED, STATE_ENDED, STATE_QUIT };

struct journal_syncer {
	const struct journal_disk *disk;
	void *disk_data;
	int event_fd;
	pthread_t thread;
	pthread_mutex_t mutex; /* protects the members below */
	pthread_cond_t changed;
	enum syncer_state state;
	struct syncer_job job;
	struct syncer_result result;
};

void syncer_run(const struct journal_disk *disk, void *disk_data, const struct syncer_job *job,
    struct syncer_result *ret_result)
{
	int64_t begin_us = clock_mono_us();
	ret_result->error = 0;
	if (job->is_to_close)
		disk->close(disk_data, job->file);
	else
		ret_result->error = disk->sync(disk_data, job->file);
	if (ret_result->error == 0 && job->install_from != NULL)
		ret_result->error = disk->install(disk_data, job->install_from, job->install_to);
	ret_result->elapsed_us = clock_mono_us() - begin_us;
}

static void *syncer_loop(void *data)
{
	struct journal_syncer *syncer = data;
	struct syncer_result result;
	struct syncer_job job;
	pthread_mutex_lock(&syncer->mutex);
	while (syncer->state != STATE_QUIT) {
		if (syncer->state != STATE_SUBMITTED) {
			pthread_cond_wait(&syncer->changed, &syncer->mutex);
			continue;
		}
		job = syncer->job;
		pthread_mutex_unlock(&syncer->mutex);
		syncer_run(syncer->disk, syncer->disk_data, &job, &result);
		pthread_mutex_lock(&syncer->mutex);
		syncer->result = result;
		syncer->state = STATE_ENDED;
		pthread_cond_broadcast(&syncer->changed);
		/* fails only if event_fd is readable already */
		(void)eventfd_write(syncer->event_fd, 1);
	}
	pthread_mutex_unlock(&syncer->mutex);
	return NULL;
}

/* Starts the thread with all signals blocked: the main loop takes them. Returns 0 or an errno. */
static int syncer_start(struct journal_syncer *syncer)
{
	sigset_t all, before;
	int error;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&syncer->thread, NULL, syncer_loop, syncer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

struct journal_syncer *syncer_new(const struct journal_disk *disk, void *disk_data)
{
	struct journal_syncer *syncer = mem_calloc(1, sizeof *syncer);
	if (syncer == NULL)
		return NULL;
	syncer->disk = disk;
	syncer->disk_data = disk_data;
	syncer->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (syncer->event_fd < 0) {
		mem_free(syncer);
		return NULL;
	}
	pthread_mutex_init(&syncer->mutex, NULL);
	pthread_cond_init(&syncer->changed, NULL);
	errno = syncer_start(syncer);
	if (errno != 0) {
		pthread_cond_destroy(&syncer->changed);
		pthread_mutex_destroy(&syncer->mutex);
		close(syncer->event_fd);
		mem_free(syncer);
		return NULL;
	}
	return syncer;
}

void syncer_free(struct journal_syncer *syncer)
{
	if (syncer == NULL)
		return;
	syncer_wait(syncer);
	pthread_mutex_lock(&syncer->mutex);
	syncer->state = STATE_QUIT;
	pthread_cond_broadcast(&syncer->changed);
	pthread_mutex_unlock(&syncer->mutex);
	pthread_join(syncer->thread, NULL);
	pthread_cond_destroy(&syncer->changed);
	pthread_mutex_destroy(&syncer->mutex);
	close(syncer->event_fd);
	mem_free(syncer);
}

int syncer_fd(const struct journal_syncer *syncer)
{
	return syncer->event_fd;
}

void syncer_submit(struct journal_syncer *syncer, const struct syncer_job *job)
{
	pthread_mutex_lock(&syncer->mutex);
	syncer->job = *job;
	syncer->state = STATE_SUBMITTED;
	pthread_cond_broadcast(&syncer->changed);
	pthread_mutex_unlock(&syncer->mutex);
}

bool syncer_take(struct journal_syncer *syncer, struct syncer_result *ret_result)
{
	eventfd_t count;
	bool has_ended;
	(void)eventfd_read(syncer->event_fd, &count);
	pthread_mutex_lock(&syncer->mutex);
	has_ended = syncer->state == STATE_ENDED;
	if (has_ended) {
		*ret_result = syncer->result;
		syncer->state = STATE_IDLE;
	}
	pthread_mutex_unlock(&syncer->mutex);
	return has_ended;
}

void syncer_wait(struct journal_syncer *syncer)
{
	pthread_mutex_lock(&syncer->mutex);
	while (syncer->state == STATE_SUBMITTED)
		pthread_cond_wait(&syncer->changed, &syncer->mutex);
	pthread_mutex_unlock(&syncer->mutex);
}
