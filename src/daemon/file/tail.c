/* SPDX-License-Identifier: ISC */
/* Follows what a path names. */
#include "daemon/file/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "daemon/file/rotated.h"

/* Changes of the file within one look; then the next look goes on. */
#define ROUNDS_MAX 16
/* Identities of closed files that may come back under the name. */
#define CLOSED_MAX 64
/*
 * How often what no event tells is looked at: room at the end of a file being filled through
 * memory, descriptors being free again.
 */
#define RETRY_MS 1000

struct follower {
	char *path;
	char *real_path; /* of the file that was opened last; else path */
	uint8_t *scratch;
	struct follower_handlers handlers;
	void *data;
	struct tail_file *current; /* NULL: none bears the name */
	struct list olds; /* those that lost it, oldest first */
	size_t old_count;
	struct tail_place closed[CLOSED_MAX]; /* a ring */
	size_t closed_count; /* ever */
	enum follower_state state;
	int error;
	int64_t now_ms;
	size_t budget;
	bool has_grown;
	bool is_suspect;
	/* The file that bore the name before, for telling those that came between. */
	bool was_renamed; /* it has another name now: it was rotated away */
	int64_t born_ns;
	uint8_t head[SIBLING_HEAD];
	size_t head_len;
};

const char *follower_change_name(enum follower_change change)
{
	static const char *const names[] = {
	    [FOLLOWER_GREW] = "grew",
	    [FOLLOWER_TRUNCATED] = "truncated",
	    [FOLLOWER_REWRITTEN] = "rewritten",
	    [FOLLOWER_APPEARED] = "appeared",
	    [FOLLOWER_REPLACED] = "replaced",
	    [FOLLOWER_GONE] = "gone",
	};
	return names[change];
}

const char *follower_state_name(enum follower_state state)
{
	static const char *const names[] = {
	    [FOLLOWER_READING] = "reading",
	    [FOLLOWER_ABSENT] = "absent",
	    [FOLLOWER_NOT_REGULAR] = "not_regular",
	    [FOLLOWER_UNREADABLE] = "unreadable",
	};
	return names[state];
}

struct follower *follower_new(
    const char *path, uint8_t *scratch, const struct follower_handlers *handlers, void *data)
{
	struct follower *follower = xcalloc(1, sizeof(*follower));
	follower->path = xstrdup(path);
	follower->real_path = xstrdup(path);
	follower->scratch = scratch;
	follower->handlers = *handlers;
	follower->data = data;
	follower->state = FOLLOWER_ABSENT;
	follower->born_ns = -1;
	list_init(&follower->olds);
	return follower;
}

static void close_file(struct follower *follower, struct tail_file *file)
{
	follower->handlers.closing(follower->data, file);
	tail_file_free(file);
}

void follower_free(struct follower *follower)
{
	if (!follower)
		return;
	if (follower->current)
		close_file(follower, follower->current);
	while (!list_is_empty(&follower->olds))
		close_file(follower, list_entry(follower->olds.next, struct tail_file, link));
	mem_free(follower->path);
	mem_free(follower->real_path);
	mem_free(follower);
}

static void tell(struct follower *follower, enum follower_change change)
{
	follower->handlers.changed(follower->data, change);
}

/* ---- opening --------------------------------------------------------------------------- */

/* Opens only if it is a regular file: a FIFO would be drained, a device might act. -errno. */
static int open_regular(const char *path, struct stat *ret_status)
{
	char link[64];
	int handle = open(path, O_PATH | O_CLOEXEC);
	if (handle < 0)
		return -errno;
	int fd = -EISDIR;
	if (fstat(handle, ret_status) < 0) {
		fd = -errno;
	} else if (S_ISREG(ret_status->st_mode)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", handle);
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			fd = -errno;
	}
	(void)close(handle); /* never read */
	return fd;
}

static void remember_real_path(struct follower *follower, int fd)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0 || path[0] != '/')
		return;
	path[len] = '\0';
	mem_free(follower->real_path);
	follower->real_path = xstrdup(path);
}

static struct tail_file *find_old(const struct follower *follower, dev_t dev, ino_t ino)
{
	struct list *link;
	list_for_each (link, &follower->olds) {
		struct tail_file *file = list_entry(link, struct tail_file, link);
		if (tail_file_is(file, dev, ino))
			return file;
	}
	return NULL;
}

/* Goes on where a file that was closed had been read to, if it is that. */
static bool recall(struct follower *follower, struct tail_file *file)
{
	size_t count = follower->closed_count < CLOSED_MAX ? follower->closed_count : CLOSED_MAX;
	for (size_t i = 0; i < count; i++) {
		const struct tail_place *place =
		    &follower->closed[(follower->closed_count - 1 - i) % CLOSED_MAX];
		if (!tail_file_is(file, place->dev, place->ino) || !tail_file_has(file, place))
			continue;
		tail_file_seek(file, place);
		return true;
	}
	return false;
}

static void remember_closed(struct follower *follower, const struct tail_place *place)
{
	follower->closed[follower->closed_count++ % CLOSED_MAX] = *place;
}

static struct tail_file *adopt(struct follower *follower, int fd, const struct stat *status)
{
	struct tail_file *file = tail_file_new(fd, status);
	file->grown_ms = follower->now_ms;
	follower->handlers.opened(follower->data, file);
	return file;
}

/* Adds a file that lost the name; of too many the oldest goes. */
static void add_old(struct follower *follower, struct tail_file *file)
{
	if (follower->old_count == FOLLOWER_OLD_MAX) {
		struct tail_file *oldest = list_entry(follower->olds.next, struct tail_file, link);
		remember_closed(follower, &oldest->told);
		close_file(follower, oldest);
		follower->old_count--;
	}
	list_append(&follower->olds, &file->link);
	follower->old_count++;
	file->grown_ms = follower->now_ms;
}

/* ---- reading ----------------------------------------------------------------------------- */

static int64_t file_end(const struct tail_file *file)
{
	return file->told.offset + (int64_t)file->carry.len;
}

/* Reads one to its end, through truncations. False if a handler stopped it. */
static bool read_file(struct follower *follower, struct tail_file *file)
{
	while (follower->budget > 0) {
		int64_t before = file_end(file);
		enum tail_result result = tail_file_read(file, follower->scratch, &follower->budget,
		    follower->handlers.block, follower->data);
		if (file_end(file) != before) {
			file->grown_ms = follower->now_ms;
			follower->has_grown = true;
		}
		if (result == TAIL_STOPPED)
			return false;
		if (result != TAIL_TRUNCATED && result != TAIL_REWRITTEN)
			return true;
		if (file != follower->current) {
			/* What is done to one that lost the name is none of ours. */
			(void)tail_file_seek_end(file);
			return true;
		}
		tail_file_flush(file, follower->handlers.block, follower->data);
		tell(follower, result == TAIL_TRUNCATED ? FOLLOWER_TRUNCATED : FOLLOWER_REWRITTEN);
		tail_file_restart(file);
	}
	return true;
}

static bool read_all(struct follower *follower)
{
	struct list *link, *after;
	list_for_each_safe (link, after, &follower->olds) {
		if (!read_file(follower, list_entry(link, struct tail_file, link)))
			return false;
	}
	return !follower->current || read_file(follower, follower->current);
}

/* ---- files that were there between two looks -------------------------------------------- */

/* Opens a file that bore the name while nobody looked, from its first byte on. */
static struct tail_file *open_missed(struct follower *follower, const char *path)
{
	struct stat status;
	int fd = open_regular(path, &status);
	if (fd < 0)
		return NULL;
	if ((follower->current && tail_file_is(follower->current, status.st_dev, status.st_ino)) ||
	    find_old(follower, status.st_dev, status.st_ino)) {
		(void)close(fd); /* never read */
		return NULL;
	}
	struct tail_file *file = adopt(follower, fd, &status);
	(void)recall(follower, file);
	add_old(follower, file);
	return file;
}

void follower_moved(struct follower *follower, const char *path)
{
	(void)open_missed(follower, path);
}

void follower_suspect(struct follower *follower)
{
	follower->is_suspect = true;
}

static void sibling_path(
    const struct follower *follower, const struct sibling *sibling, char out[PATH_MAX])
{
	const char *slash = strrchr(follower->real_path, '/');
	size_t dir_len = (size_t)(slash + 1 - follower->real_path);
	size_t name_len = strlen(sibling->name);
	out[0] = '\0';
	if (dir_len + name_len >= PATH_MAX)
		return; /* opening it fails */
	memcpy(out, follower->real_path, dir_len);
	memcpy(out + dir_len, sibling->name, name_len + 1);
}

/* A copy of the file that is known (cp, copytruncate) has the same first bytes. */
static bool is_copy(const struct follower *follower, int fd)
{
	uint8_t head[SIBLING_HEAD];
	size_t len = sibling_head(fd, head);
	if (len > follower->head_len)
		len = follower->head_len;
	return len > 0 && memcmp(head, follower->head, len) == 0;
}

/*
 * Finds files that came after the one that was read last and before the one that is there
 * now, and were renamed too: by their times of birth. Only where the file itself was
 * rotated away by a rename, for else its siblings are somebody's copies.
 */
static void find_missed(struct follower *follower, int64_t until_ns)
{
	struct sibling siblings[SIBLINGS_MAX];
	char path[PATH_MAX];
	size_t count;
	if (follower->born_ns < 0 || !follower->was_renamed)
		return;
	count = sibling_list(follower->real_path, siblings);
	for (size_t i = 0; i < count; i++) {
		struct stat status;
		if (siblings[i].born_ns < follower->born_ns ||
		    (until_ns >= 0 && siblings[i].born_ns > until_ns))
			continue;
		sibling_path(follower, &siblings[i], path);
		int fd = open_regular(path, &status);
		if (fd < 0)
			continue;
		bool is_new = !is_copy(follower, fd);
		(void)close(fd); /* only read */
		if (is_new)
			(void)open_missed(follower, path);
	}
}

/* ---- whose name it is ---------------------------------------------------------------------- */

/* The current file has lost the name. */
static void retire(struct follower *follower)
{
	struct tail_file *file = follower->current;
	struct stat status;
	if (!file)
		return;
	follower->current = NULL;
	follower->was_renamed = fstat(file->fd, &status) == 0 && status.st_nlink > 0;
	follower->head_len = sibling_head(file->fd, follower->head);
	add_old(follower, file);
}

/* Takes up a file that bears the name now. */
static void take_up(struct follower *follower, int fd, const struct stat *status)
{
	int64_t born_ns = sibling_born_ns(fd);
	remember_real_path(follower, fd);
	if (follower->is_suspect)
		find_missed(follower, born_ns);
	struct tail_file *file = find_old(follower, status->st_dev, status->st_ino);
	if (file) {
		(void)close(fd); /* it is open already */
		list_remove(&file->link);
		follower->old_count--;
	} else {
		file = adopt(follower, fd, status);
		(void)recall(follower, file);
	}
	follower->current = file;
	follower->born_ns = born_ns;
	follower->state = FOLLOWER_READING;
}

static void set_absent(struct follower *follower, int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case ENAMETOOLONG:
		follower->state = FOLLOWER_ABSENT;
		break;
	case EISDIR:
		follower->state = FOLLOWER_NOT_REGULAR;
		break;
	default:
		follower->state = FOLLOWER_UNREADABLE;
		break;
	}
	follower->error = error;
}

/* Sees which file bears the name. Returns whether it is another than before. */
static bool identify(struct follower *follower)
{
	struct tail_file *current = follower->current;
	struct stat status;
	if (current && stat(follower->path, &status) == 0 &&
	    tail_file_is(current, status.st_dev, status.st_ino)) {
		follower->state = FOLLOWER_READING;
		return false;
	}
	int fd = open_regular(follower->path, &status);
	if (fd < 0) {
		/* Unreadable now is not gone: what is open is read on. */
		bool is_gone = current && fd != -EACCES && fd != -EMFILE && fd != -ENFILE;
		set_absent(follower, -fd);
		if (!is_gone)
			return false;
		retire(follower);
		if (follower->is_suspect)
			find_missed(follower, -1);
		tell(follower, FOLLOWER_GONE);
		return true;
	}
	if (current && tail_file_is(current, status.st_dev, status.st_ino)) {
		(void)close(fd); /* it came back in between */
		return false;
	}
	retire(follower);
	take_up(follower, fd, &status);
	tell(follower, current ? FOLLOWER_REPLACED : FOLLOWER_APPEARED);
	return true;
}

/* Closes those that lost the name and grow no more. Returns when the next is due, or -1. */
static int64_t close_olds(struct follower *follower)
{
	struct list *link, *after;
	int64_t again_ms = -1;
	list_for_each_safe (link, after, &follower->olds) {
		struct tail_file *file = list_entry(link, struct tail_file, link);
		int64_t left_ms = file->grown_ms + FOLLOWER_LINGER_MS - follower->now_ms;
		if (left_ms > 0) {
			if (again_ms < 0 || left_ms < again_ms)
				again_ms = left_ms;
			continue;
		}
		tail_file_flush(file, follower->handlers.block, follower->data);
		remember_closed(follower, &file->told);
		follower->old_count--;
		close_file(follower, file);
	}
	return again_ms;
}

static void tell_growth(struct follower *follower)
{
	if (follower->has_grown)
		tell(follower, FOLLOWER_GREW);
	follower->has_grown = false;
}

bool follower_look(
    struct follower *follower, int64_t now_ms, bool *ret_has_more, int64_t *ret_again_ms)
{
	follower->now_ms = now_ms;
	follower->budget = FOLLOWER_BUDGET;
	*ret_has_more = true;
	*ret_again_ms = -1;
	bool goes_on = read_all(follower);
	for (unsigned round = 0; goes_on && follower->budget > 0; round++) {
		if (!identify(follower)) {
			*ret_has_more = false;
			break;
		}
		if (round == ROUNDS_MAX)
			break;
		goes_on = read_all(follower);
	}
	tell_growth(follower);
	if (!goes_on)
		return false;
	if (*ret_has_more)
		return true;
	follower->is_suspect = false;
	*ret_again_ms = close_olds(follower);
	bool must_retry = (follower->current && follower->current->has_room) ||
	    (follower->state == FOLLOWER_UNREADABLE && follower->error != EACCES);
	if (must_retry && (*ret_again_ms < 0 || *ret_again_ms > RETRY_MS))
		*ret_again_ms = RETRY_MS;
	return true;
}

/* ---- where it begins ------------------------------------------------------------------------ */

static bool discard(void *data, const struct tail_block *block)
{
	(void)data;
	(void)block;
	return true;
}

void follower_start(struct follower *follower, int64_t now_ms)
{
	struct stat status;
	int fd = open_regular(follower->path, &status);
	size_t budget = FOLLOWER_BUDGET;
	follower->now_ms = now_ms;
	follower->was_renamed = true; /* whatever is born from now on is ours */
	follower->born_ns = sibling_now_ns();
	if (fd < 0) {
		set_absent(follower, -fd);
		return;
	}
	take_up(follower, fd, &status);
	struct tail_file *file = follower->current;
	/* Files of the kernel have contents and no size. */
	if (tail_file_seek_end(file) == 0 && file->told.offset == 0)
		(void)tail_file_read(file, follower->scratch, &budget, discard, NULL);
	buf_clear(&file->carry);
}

/* What came behind the file that lost the name last is told by its birth and beginning. */
static void remember_last(struct follower *follower)
{
	const struct tail_file *file = list_entry(follower->olds.prev, struct tail_file, link);
	follower->born_ns = sibling_born_ns(file->fd);
	follower->head_len = sibling_head(file->fd, follower->head);
	follower->was_renamed = true;
}

/* Opens the file of a place, wherever beside the path it is now; false if it is not there. */
static bool resume_one(struct follower *follower, const struct tail_place *place,
    const struct sibling *siblings, size_t count)
{
	char path[PATH_MAX];
	struct stat status;
	for (size_t i = 0; i < count; i++) {
		if (siblings[i].ino != place->ino || siblings[i].dev != place->dev)
			continue;
		sibling_path(follower, &siblings[i], path);
		int fd = open_regular(path, &status);
		if (fd < 0)
			return false;
		struct tail_file *file = adopt(follower, fd, &status);
		if (!tail_file_has(file, place)) {
			close_file(follower, file);
			return false;
		}
		tail_file_seek(file, place);
		add_old(follower, file);
		return true;
	}
	return false;
}

void follower_resume(
    struct follower *follower, const struct tail_place *places, size_t count, int64_t now_ms)
{
	struct sibling siblings[SIBLINGS_MAX];
	struct stat status;
	bool is_found = false;
	follower->now_ms = now_ms;
	follower->was_renamed = true;
	follower->born_ns = sibling_now_ns();
	int fd = open_regular(follower->path, &status);
	if (fd >= 0)
		remember_real_path(follower, fd);
	else
		set_absent(follower, -fd);
	size_t sibling_count = count > 0 ? sibling_list(follower->real_path, siblings) : 0;
	for (size_t i = 0; i < count; i++) {
		if (fd >= 0 && places[i].dev == status.st_dev && places[i].ino == status.st_ino) {
			take_up(follower, fd, &status);
			tail_file_seek(follower->current, &places[i]);
			fd = -1;
		} else if (!resume_one(follower, &places[i], siblings, sibling_count)) {
			/* It may come back, from wherever it is. */
			remember_closed(follower, &places[i]);
		} else if (!is_found) {
			/* The first is the newest: what was born behind it has not been read. */
			remember_last(follower);
			is_found = true;
		}
	}
	if (fd < 0)
		return;
	follower->is_suspect = is_found;
	take_up(follower, fd, &status);
	follower->is_suspect = false;
}

/* ---- what is known ------------------------------------------------------------------------- */

enum follower_state follower_state(const struct follower *follower)
{
	return follower->state;
}

int follower_error(const struct follower *follower)
{
	return follower->error;
}

struct tail_file *follower_file(const struct follower *follower)
{
	return follower->current;
}

size_t follower_places(
    const struct follower *follower, struct tail_place ret_places[FOLLOWER_PLACES_MAX])
{
	const struct list *link;
	size_t count = 0;
	if (follower->current)
		ret_places[count++] = follower->current->told;
	/* The newest of them: they are the likeliest to grow. */
	for (link = follower->olds.prev; link != &follower->olds; link = link->prev) {
		if (count == FOLLOWER_PLACES_MAX)
			break;
		ret_places[count++] = list_entry(link, const struct tail_file, link)->told;
	}
	for (size_t i = 0; i < CLOSED_MAX && i < follower->closed_count; i++) {
		if (count == FOLLOWER_PLACES_MAX)
			break;
		ret_places[count++] =
		    follower->closed[(follower->closed_count - 1 - i) % CLOSED_MAX];
	}
	return count;
}
