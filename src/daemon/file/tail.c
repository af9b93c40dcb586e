/* SPDX-License-Identifier: ISC */
#include "daemon/file/tail.h"

/* A path that names new files more often than this in one look is looked at again soon. */
#define ROUNDS_MAX 16
/* maximum places of closed files; a file that gets the name again is read on from its place */
#define CLOSED_MAX 64
#define CLOSED_STEP 8
/* for changes without an event: NULs overwritten through a mapping, free descriptors */
#define RETRY_MS 1000
#define NS_PER_MS 1000000

struct tail {
	char *path;
	char *real_path; /* real path of the file opened last; at the start a copy of path */
	uint8_t *scratch;
	struct tail_handlers handlers;
	void *data;
	struct tail_file *current; /* the file that has the name; NULL: none */
	struct list olds; /* open files that lost the name, oldest first */
	struct tail_place *closed; /* places of closed files; a ring when it has CLOSED_MAX */
	size_t closed_size;
	size_t closed_count; /* files closed so far */
	enum tail_state state;
	int error;
	int64_t now_ms;
	size_t budget;
	bool has_grown;
	bool is_suspect;
	/* Facts about the previous file of the name, to find files that came after it. */
	bool was_renamed; /* the previous file was rotated by a rename */
	int64_t born_ns;
	uint8_t head[SIBLING_HEAD];
	size_t head_len;
};

const char *const tail_change_names[TAIL_CHANGE_COUNT_] = {
    [TAIL_FILE_GREW] = "grew",
    [TAIL_FILE_TRUNCATED] = "truncated",
    [TAIL_FILE_REWRITTEN] = "rewritten",
    [TAIL_FILE_APPEARED] = "appeared",
    [TAIL_FILE_REPLACED] = "replaced",
    [TAIL_FILE_GONE] = "gone",
};

const char *const tail_state_names[TAIL_STATE_COUNT_] = {
    [TAIL_READING] = "reading",
    [TAIL_ABSENT] = "absent",
    [TAIL_NOT_REGULAR] = "not_regular",
    [TAIL_UNREADABLE] = "unreadable",
};

struct tail *tail_new(
    const char *path, uint8_t *scratch, const struct tail_handlers *handlers, void *data)
{
	struct tail *tail = xcalloc(1, sizeof *tail);
	tail->path = xstrdup(path);
	tail->real_path = xstrdup(path);
	tail->scratch = scratch;
	tail->handlers = *handlers;
	tail->data = data;
	tail->state = TAIL_ABSENT;
	tail->born_ns = -1;
	list_init(&tail->olds);
	return tail;
}

static void close_file(struct tail *tail, struct tail_file *file)
{
	tail->handlers.closing(tail->data, file);
	tail_file_free(file);
}

void tail_free(struct tail *tail)
{
	if (tail == NULL)
		return;
	if (tail->current != NULL)
		close_file(tail, tail->current);
	while (!list_is_empty(&tail->olds))
		close_file(tail, list_entry(tail->olds.next, struct tail_file, link));
	mem_free(tail->closed);
	mem_free(tail->path);
	mem_free(tail->real_path);
	mem_free(tail);
}

/* Opens a path if it is a regular file: a device may have effects. Returns -errno on failure. */
static int open_regular(const char *path, struct stat *ret_status)
{
	char link[64];
	int handle = open(path, O_PATH | O_CLOEXEC);
	int fd;
	if (handle < 0)
		return -errno;
	fd = -EISDIR;
	if (fstat(handle, ret_status) < 0) {
		fd = -errno;
	} else if (S_ISREG(ret_status->st_mode)) {
		snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			fd = -errno;
	}
	(void)close(handle);
	return fd;
}

static void remember_real_path(struct tail *tail, int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t len;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof path - 1);
	if (len <= 0 || path[0] != '/')
		return;
	path[len] = '\0';
	mem_free(tail->real_path);
	tail->real_path = xstrdup(path);
}

static struct tail_file *find_old(const struct tail *tail, dev_t dev, ino_t ino)
{
	list_each (struct tail_file, file, &tail->olds, link)
		if (tail_file_is(file, dev, ino))
			return file;
	return NULL;
}

/* Continues a file at the place where it was closed. Returns false if no place is remembered. */
static bool recall(struct tail *tail, struct tail_file *file)
{
	size_t count = tail->closed_count < CLOSED_MAX ? tail->closed_count : CLOSED_MAX;
	for (size_t i = 0; i < count; i++) {
		const struct tail_place *place =
		    &tail->closed[(tail->closed_count - 1 - i) % CLOSED_MAX];
		if (!tail_file_is(file, place->dev, place->ino) || !tail_file_has(file, place))
			continue;
		tail_file_seek(file, place);
		return true;
	}
	return false;
}

static void remember_closed(struct tail *tail, const struct tail_place *place)
{
	if (tail->closed_count == tail->closed_size && tail->closed_size < CLOSED_MAX) {
		tail->closed_size += CLOSED_STEP;
		tail->closed = xrealloc(tail->closed, tail->closed_size * sizeof *tail->closed);
	}
	tail->closed[tail->closed_count++ % CLOSED_MAX] = *place;
}

static struct tail_file *adopt(struct tail *tail, int fd, const struct stat *status)
{
	struct tail_file *file = tail_file_new(fd, status);
	file->grown_ms = tail->now_ms;
	tail->handlers.opened(tail->data, file);
	return file;
}

/* Adds an old file. With TAIL_OLD_MAX files, the oldest is closed. */
static void add_old(struct tail *tail, struct tail_file *file)
{
	if (list_count(&tail->olds) == TAIL_OLD_MAX) {
		struct tail_file *oldest = list_entry(tail->olds.next, struct tail_file, link);
		remember_closed(tail, &oldest->told);
		close_file(tail, oldest);
	}
	list_append(&tail->olds, &file->link);
	file->grown_ms = tail->now_ms;
}

/*
 * Reads a file. A truncated or rewritten current file is read from its start; such an old file is
 * closed. Returns false if a handler stopped reading.
 */
static bool read_file(struct tail *tail, struct tail_file *file)
{
	while (tail->budget > 0) {
		int64_t before = tail_file_end(file);
		enum tail_result result = tail_file_read(
		    file, tail->scratch, &tail->budget, tail->handlers.block, tail->data);
		if (tail_file_end(file) != before) {
			file->grown_ms = tail->now_ms;
			tail->has_grown = true;
		}
		if (result == TAIL_STOPPED)
			return false;
		if (result != TAIL_TRUNCATED && result != TAIL_REWRITTEN)
			return true;
		if (file != tail->current) {
			/* A new text in an old file does not belong to the watched name. */
			tail_file_flush(file, tail->handlers.block, tail->data);
			close_file(tail, file);
			return true;
		}
		tail_file_flush(file, tail->handlers.block, tail->data);
		tail->handlers.changed(tail->data,
		    result == TAIL_TRUNCATED ? TAIL_FILE_TRUNCATED : TAIL_FILE_REWRITTEN);
		tail_file_restart(file);
	}
	return true;
}

static bool read_all(struct tail *tail)
{
	list_each_safe (struct tail_file, tail_file, &tail->olds, link)
		if (!read_file(tail, tail_file))
			return false;
	return tail->current == NULL || read_file(tail, tail->current);
}

static struct tail_file *open_missed(struct tail *tail, const char *path)
{
	struct stat status;
	int fd = open_regular(path, &status);
	struct tail_file *file;
	if (fd < 0)
		return NULL;
	if ((tail->current != NULL && tail_file_is(tail->current, status.st_dev, status.st_ino)) ||
	    find_old(tail, status.st_dev, status.st_ino) != NULL) {
		(void)close(fd);
		return NULL;
	}
	file = adopt(tail, fd, &status);
	(void)recall(tail, file);
	add_old(tail, file);
	return file;
}

void tail_moved(struct tail *tail, const char *path)
{
	(void)open_missed(tail, path);
}

void tail_suspect(struct tail *tail)
{
	tail->is_suspect = true;
}

static void sibling_path(const struct tail *tail, const struct sibling *sibling, char out[PATH_MAX])
{
	const char *slash = strrchr(tail->real_path, '/');
	size_t dir_len = (size_t)(slash + 1 - tail->real_path);
	size_t name_len = strlen(sibling->name);
	out[0] = '\0';
	if (dir_len + name_len >= PATH_MAX)
		return; /* the path is empty, and opening it fails */
	memcpy(out, tail->real_path, dir_len);
	memcpy(out + dir_len, sibling->name, name_len + 1);
}

/*
 * Returns true for a copy of a file (cp, copytruncate): its first bytes are head. Another log with
 * the same first bytes counts as a copy too.
 */
static bool is_copy(int fd, const uint8_t *head, size_t head_len)
{
	uint8_t bytes[SIBLING_HEAD];
	size_t len = sibling_head(fd, bytes);
	if (len > head_len)
		len = head_len;
	return len > 0 && memcmp(bytes, head, len) == 0;
}

/*
 * Opens rotated files that had the name between the previous file and the current one, by their
 * times of birth. If the previous file was not rotated by a rename, its siblings are copies. A
 * sibling as old as the current file may be a copy: a clock's tick is some milliseconds.
 */
static void find_missed(struct tail *tail, int64_t until_ns, int current)
{
	struct sibling siblings[SIBLINGS_MAX];
	uint8_t head[SIBLING_HEAD];
	size_t head_len = current >= 0 ? sibling_head(current, head) : 0;
	char path[PATH_MAX];
	size_t count;
	if (tail->born_ns < 0 || !tail->was_renamed)
		return;
	count = sibling_list(tail->real_path, siblings);
	for (size_t i = 0; i < count; i++) {
		struct stat status;
		bool is_new;
		int fd;
		if (siblings[i].born_ns < tail->born_ns ||
		    (until_ns >= 0 && siblings[i].born_ns > until_ns))
			continue;
		sibling_path(tail, &siblings[i], path);
		fd = open_regular(path, &status);
		if (fd < 0)
			continue;
		is_new = !is_copy(fd, tail->head, tail->head_len) &&
		    (siblings[i].born_ns != until_ns || !is_copy(fd, head, head_len));
		(void)close(fd);
		if (is_new)
			(void)open_missed(tail, path);
	}
}

/* Makes the current file, which has lost the name, an old file. */
static void retire(struct tail *tail)
{
	struct tail_file *file = tail->current;
	struct stat status;
	if (file == NULL)
		return;
	tail->current = NULL;
	tail->was_renamed = fstat(file->fd, &status) == 0 && status.st_nlink > 0;
	tail->head_len = sibling_head(file->fd, tail->head);
	add_old(tail, file);
}

static void take_up(struct tail *tail, int fd, const struct stat *status)
{
	int64_t born_ns = sibling_born_ns(fd);
	struct tail_file *file;
	remember_real_path(tail, fd);
	if (tail->is_suspect)
		find_missed(tail, born_ns, fd);
	file = find_old(tail, status->st_dev, status->st_ino);
	if (file != NULL) {
		(void)close(fd);
		list_remove(&file->link);
	} else {
		file = adopt(tail, fd, status);
		(void)recall(tail, file);
	}
	tail->current = file;
	tail->born_ns = born_ns;
	tail->state = TAIL_READING;
}

static void set_absent(struct tail *tail, int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case ENAMETOOLONG:
		tail->state = TAIL_ABSENT;
		break;
	case EISDIR:
		tail->state = TAIL_NOT_REGULAR;
		break;
	default:
		tail->state = TAIL_UNREADABLE;
		break;
	}
	tail->error = error;
}

/* Finds the file of the name. Returns true if it is another file now, or none any more. */
static bool identify(struct tail *tail)
{
	struct tail_file *current = tail->current;
	struct stat status;
	int fd;
	if (current != NULL && stat(tail->path, &status) == 0 &&
	    tail_file_is(current, status.st_dev, status.st_ino)) {
		tail->state = TAIL_READING;
		return false;
	}
	fd = open_regular(tail->path, &status);
	if (fd < 0) {
		/* A file at the path that cannot be opened may still be the current one. */
		bool is_gone = current != NULL && fd != -EACCES && fd != -EMFILE && fd != -ENFILE;
		set_absent(tail, -fd);
		if (!is_gone)
			return false;
		retire(tail);
		if (tail->is_suspect)
			find_missed(tail, -1, -1);
		tail->handlers.changed(tail->data, TAIL_FILE_GONE);
		return true;
	}
	if (current != NULL && tail_file_is(current, status.st_dev, status.st_ino)) {
		(void)close(fd);
		return false;
	}
	retire(tail);
	take_up(tail, fd, &status);
	tail->handlers.changed(
	    tail->data, current != NULL ? TAIL_FILE_REPLACED : TAIL_FILE_APPEARED);
	return true;
}

/* Closes old files that stopped growing. Returns ms until the next one may be closed, or -1. */
static int64_t close_olds(struct tail *tail)
{
	int64_t again_ms = -1;
	list_each_safe (struct tail_file, file, &tail->olds, link) {
		int64_t left_ms = file->grown_ms + TAIL_LINGER_MS - tail->now_ms;
		if (left_ms > 0) {
			if (again_ms < 0 || left_ms < again_ms)
				again_ms = left_ms;
			continue;
		}
		tail_file_flush(file, tail->handlers.block, tail->data);
		remember_closed(tail, &file->told);
		close_file(tail, file);
	}
	return again_ms;
}

static void tell_growth(struct tail *tail)
{
	if (tail->has_grown)
		tail->handlers.changed(tail->data, TAIL_FILE_GREW);
	tail->has_grown = false;
}

bool tail_look(struct tail *tail, int64_t now_ms, bool *ret_has_more, int64_t *ret_again_ms)
{
	bool must_retry, goes_on;
	tail->now_ms = now_ms;
	tail->budget = TAIL_BUDGET;
	*ret_has_more = true;
	*ret_again_ms = -1;
	goes_on = read_all(tail);
	for (unsigned round = 0; goes_on && tail->budget > 0; round++) {
		if (!identify(tail)) {
			*ret_has_more = false;
			break;
		}
		if (round == ROUNDS_MAX)
			break;
		goes_on = read_all(tail);
	}
	tell_growth(tail);
	if (!goes_on)
		return false;
	if (*ret_has_more)
		return true;
	tail->is_suspect = false;
	*ret_again_ms = close_olds(tail);
	must_retry = (tail->current != NULL && tail->current->has_room) ||
	    (tail->state == TAIL_UNREADABLE && tail->error != EACCES);
	if (must_retry && (*ret_again_ms < 0 || *ret_again_ms > RETRY_MS))
		*ret_again_ms = RETRY_MS;
	return true;
}

static bool discard(void *data UNUSED, const struct tail_block *block UNUSED)
{
	return true;
}

void tail_start(struct tail *tail, int64_t now_ms)
{
	struct stat status;
	int fd = open_regular(tail->path, &status);
	size_t budget = TAIL_BUDGET;
	struct tail_file *file;
	tail->now_ms = now_ms;
	tail->was_renamed = true; /* as if renamed, so that files created from now on are read */
	tail->born_ns = sibling_now_ns();
	if (fd < 0) {
		set_absent(tail, -fd);
		if (tail->state == TAIL_UNREADABLE && stat(tail->path, &status) == 0)
			remember_closed(tail,
			    &(struct tail_place){.dev = status.st_dev,
				.ino = status.st_ino,
				.offset = status.st_size});
		return;
	}
	take_up(tail, fd, &status);
	file = tail->current;
	/* Files in /proc have contents but no size. */
	if (tail_file_seek_end(file) == 0 && file->told.offset == 0)
		(void)tail_file_read(file, tail->scratch, &budget, discard, NULL);
	buf_clear(&file->carry);
}

/* Remembers the birth and first bytes of the newest old file, to find files that came after it. */
static void remember_last(struct tail *tail)
{
	const struct tail_file *file = list_entry(tail->olds.prev, struct tail_file, link);
	tail->born_ns = sibling_born_ns(file->fd);
	tail->head_len = sibling_head(file->fd, tail->head);
	tail->was_renamed = true;
}

/* Opens the file of a place under its present name. Returns false if it is gone or has changed. */
static bool resume_one(
    struct tail *tail, const struct tail_place *place, const struct sibling *siblings, size_t count)
{
	char path[PATH_MAX];
	struct stat status;
	for (size_t i = 0; i < count; i++) {
		struct tail_file *file;
		int fd;
		if (siblings[i].ino != place->ino || siblings[i].dev != place->dev)
			continue;
		sibling_path(tail, &siblings[i], path);
		fd = open_regular(path, &status);
		if (fd < 0)
			return false;
		file = adopt(tail, fd, &status);
		if (!tail_file_has(file, place)) {
			close_file(tail, file);
			return false;
		}
		tail_file_seek(file, place);
		add_old(tail, file);
		return true;
	}
	return false;
}

void tail_resume(struct tail *tail, const struct tail_place *places, size_t count, int64_t now_ms)
{
	struct sibling siblings[SIBLINGS_MAX];
	struct stat status;
	bool is_found = false, is_current = false;
	size_t sibling_count;
	int fd;
	tail->now_ms = now_ms;
	tail->was_renamed = true;
	tail->born_ns = sibling_now_ns();
	fd = open_regular(tail->path, &status);
	if (fd >= 0)
		remember_real_path(tail, fd);
	else
		set_absent(tail, -fd);
	sibling_count = count > 0 ? sibling_list(tail->real_path, siblings) : 0;
	for (size_t i = 0; i < count; i++) {
		if (places[i].ino == 0) {
			tail->born_ns = places[i].offset * NS_PER_MS;
			is_found = true;
		} else if (fd >= 0 && places[i].dev == status.st_dev &&
		    places[i].ino == status.st_ino) {
			take_up(tail, fd, &status);
			tail_file_seek(tail->current, &places[i]);
			is_current = true;
			fd = -1;
		} else if (!resume_one(tail, &places[i], siblings, sibling_count)) {
			/* The file may yet get the name again. */
			remember_closed(tail, &places[i]);
		} else if (!is_found) {
			/* Files newer than the first one that was found are still to be read. */
			remember_last(tail);
			is_found = true;
		}
	}
	tail->is_suspect = is_found;
	if (fd >= 0)
		take_up(tail, fd, &status);
	else if (is_found && !is_current)
		find_missed(tail, -1, -1);
	tail->is_suspect = false;
}

enum tail_state tail_state(const struct tail *tail)
{
	return tail->state;
}

int tail_error(const struct tail *tail)
{
	return tail->error;
}

struct tail_file *tail_file(const struct tail *tail)
{
	return tail->current;
}

bool tail_is_at_end(const struct tail *tail)
{
	const struct tail_file *file = tail->current;
	struct stat status;
	bool is_there = stat(tail->path, &status) == 0;
	if (!list_is_empty(&tail->olds))
		return false;
	if (file == NULL)
		return is_there ? tail->state == TAIL_NOT_REGULAR && !S_ISREG(status.st_mode)
				: tail->state == TAIL_ABSENT && errno == tail->error;
	return is_there && tail_file_is(file, status.st_dev, status.st_ino) &&
	    status.st_size == file->told.offset && file->carry.len == 0 &&
	    !file->told.is_skipping && tail_file_has(file, &file->told) &&
	    tail_file_is_as_read(file);
}

bool tail_is_with(const struct tail *tail, const struct tail *other)
{
	const struct tail_file *file = tail->current, *its = other->current;
	return file != NULL && its != NULL && list_is_empty(&tail->olds) &&
	    list_is_empty(&other->olds) && !tail->is_suspect && !other->is_suspect &&
	    tail_file_is(file, its->told.dev, its->told.ino) &&
	    file->told.offset == its->told.offset && file->carry.len == 0 && its->carry.len == 0 &&
	    file->told.is_skipping == its->told.is_skipping &&
	    file->may_be_hole == its->may_be_hole;
}

static const struct tail_place *find_closed(const struct tail *tail, const struct tail_place *place)
{
	for (size_t i = 0; i < tail->closed_count && i < CLOSED_MAX; i++)
		if (tail->closed[i].dev == place->dev && tail->closed[i].ino == place->ino)
			return &tail->closed[i];
	return NULL;
}

void tail_take(struct tail *tail, const struct tail *other)
{
	if (tail->current != NULL && other->current != NULL && tail->current->told.line == 0)
		tail->current->told.line = other->current->told.line;
	for (size_t i = 0; i < other->closed_count && i < CLOSED_MAX; i++)
		if (find_closed(tail, &other->closed[i]) == NULL)
			remember_closed(tail, &other->closed[i]);
}

size_t tail_places(const struct tail *tail, struct tail_place ret_places[TAIL_PLACES_MAX])
{
	const struct list *link;
	size_t count = 0;
	if (tail->current != NULL)
		ret_places[count++] = tail->current->told;
	/* The newest files are the most likely to grow. */
	for (link = tail->olds.prev; link != &tail->olds; link = link->prev) {
		if (count == TAIL_PLACES_MAX)
			break;
		ret_places[count++] = list_entry(link, const struct tail_file, link)->told;
	}
	for (size_t i = 0; i < CLOSED_MAX && i < tail->closed_count; i++) {
		if (count == TAIL_PLACES_MAX)
			break;
		ret_places[count++] = tail->closed[(tail->closed_count - 1 - i) % CLOSED_MAX];
	}
	if (count == 0)
		ret_places[count++] = (struct tail_place){.offset = tail->born_ns / NS_PER_MS};
	return count;
}
