/* SPDX-License-Identifier: ISC */
#include "daemon/file/tail_file.h"

#include <dirent.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/hash.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct tail_file *tail_file_new(int fd, const struct stat *status)
{
	struct tail_file *file = xcalloc(1, sizeof *file);
	list_init(&file->link);
	buf_init(&file->carry, TAIL_LINE_MAX);
	file->fd = fd;
	file->told.dev = status->st_dev;
	file->told.ino = status->st_ino;
	tail_file_restart(file);
	return file;
}

void tail_file_free(struct tail_file *file)
{
	if (file == NULL)
		return;
	list_remove(&file->link);
	buf_finish(&file->carry);
	(void)close(file->fd);
	mem_free(file);
}

bool tail_file_is(const struct tail_file *file, dev_t dev, ino_t ino)
{
	return file->told.dev == dev && file->told.ino == ino;
}

static ssize_t read_at(int fd, void *bytes, size_t len, int64_t offset)
{
	ssize_t n;
	do
		n = pread(fd, bytes, len, offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int64_t tail_file_end(const struct tail_file *file)
{
	return file->told.offset + (int64_t)file->carry.len;
}

/* Returns false if the file ends before end, or cannot be read. */
static bool sum_up(const struct tail_file *file, int64_t offset, int64_t end, uint32_t *sum)
{
	uint8_t bytes[4096];
	while (offset < end) {
		int64_t left = end - offset;
		size_t len = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
		ssize_t n = read_at(file->fd, bytes, len, offset);
		if (n <= 0)
			return false;
		*sum = crc32c(*sum, bytes, (size_t)n);
		offset += n;
	}
	return true;
}

static void remember_sum(struct tail_file *file)
{
	struct tail_place *told = &file->told;
	int64_t end = tail_file_end(file);
	if (told->sum_end <= end && end <= TAIL_SUM_MAX &&
	    sum_up(file, told->sum_end, end, &told->sum))
		told->sum_end = end;
	else
		told->sum_end = told->sum = 0;
}

bool tail_file_is_as_read(const struct tail_file *file)
{
	int64_t end = file->told.sum_end;
	uint32_t sum = 0;
	/* If the file is shorter: fill() sees this, unless an earlier daemon had read further. */
	return sum_up(file, 0, end, &sum) ? sum == file->told.sum : end <= tail_file_end(file);
}

int tail_file_seek_end(struct tail_file *file)
{
	struct stat status;
	int64_t offset;
	size_t mark_len;
	ssize_t n;
	if (fstat(file->fd, &status) < 0)
		return -errno;
	offset = status.st_size;
	mark_len = offset < TAIL_MARK_MAX ? (size_t)offset : TAIL_MARK_MAX;
	n = read_at(file->fd, file->told.mark, mark_len, offset - (int64_t)mark_len);
	if (n < 0)
		return (int)n;
	buf_clear(&file->carry);
	file->told.offset = offset;
	file->told.line = offset == 0 ? 1 : 0;
	file->told.is_skipping = false;
	file->told.mark_len = (size_t)n == mark_len ? mark_len : 0;
	file->told.sum_end = file->told.sum = 0;
	file->may_be_hole = false;
	remember_sum(file);
	return 0;
}

void tail_file_seek(struct tail_file *file, const struct tail_place *place)
{
	file->told = *place;
	file->may_be_hole = false;
	file->has_room = false;
	buf_clear(&file->carry);
}

void tail_file_restart(struct tail_file *file)
{
	struct tail_place start = {.dev = file->told.dev, .ino = file->told.ino, .line = 1};
	tail_file_seek(file, &start);
	file->may_be_hole = true;
}

bool tail_file_has(const struct tail_file *file, const struct tail_place *place)
{
	uint8_t bytes[TAIL_MARK_MAX];
	ssize_t n =
	    read_at(file->fd, bytes, place->mark_len, place->offset - (int64_t)place->mark_len);
	return n == (ssize_t)place->mark_len && memcmp(bytes, place->mark, place->mark_len) == 0;
}

/* Moves the place over len bytes that end at end. at_hand: number of bytes in memory before end. */
static void advance(struct tail_file *file, const uint8_t *end, size_t len, size_t at_hand)
{
	struct tail_place *told = &file->told;
	told->offset += (int64_t)len;
	told->mark_len = at_hand < TAIL_MARK_MAX ? at_hand : TAIL_MARK_MAX;
	memcpy(told->mark, end - told->mark_len, told->mark_len);
}

#ifdef __SSE2__
/* Adds 1 to each of 16 sums whose byte of the text is a newline. */
static inline __m128i add_newlines(__m128i sums, const char *place)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)place);
	return _mm_sub_epi8(sums, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
}
#endif

/* Counts a block in one call: a call for each line would take most of the time. */
static int64_t count_lines(const char *text, size_t len)
{
	int64_t count = 0;
	size_t i = 0;
#ifdef __SSE2__
	while (i + 64 <= len) {
		__m128i sums = _mm_setzero_si128();
		/* A sum has one byte, and 64 bytes of text add at most 4 to it: 63 times 4 fit. */
		size_t end = len - i < (size_t)63 * 64 ? len : i + (size_t)63 * 64;
		for (; i + 64 <= end; i += 64) {
			sums = add_newlines(sums, text + i);
			sums = add_newlines(sums, text + i + 16);
			sums = add_newlines(sums, text + i + 32);
			sums = add_newlines(sums, text + i + 48);
		}
		sums = _mm_sad_epu8(sums, _mm_setzero_si128());
		count += _mm_extract_epi16(sums, 0) + _mm_extract_epi16(sums, 4);
	}
#endif
	for (; i < len; i++)
		count += text[i] == '\n';
	return count;
}

/* Bytes in memory: first the mark and the carry, then from fresh to end the new bytes. */
struct tail_chunk {
	struct tail_file *file;
	uint8_t *bytes;
	size_t from; /* first byte not reported yet */
	size_t fresh; /* first new byte */
	size_t end;
	tail_sink_fn *sink;
	void *data;
};

/* Reports the text up to end as one block, and passes over skip more bytes. */
static bool tell(struct tail_chunk *chunk, size_t end, size_t skip, unsigned flags)
{
	struct tail_file *file = chunk->file;
	const struct tail_block block = {
	    .file = file,
	    .text = (const char *)chunk->bytes + chunk->from,
	    .len = end - chunk->from,
	    .offset = file->told.offset,
	    .line = file->told.line,
	    .flags = flags,
	};
	size_t len = block.len + skip;
	bool goes_on = chunk->sink(chunk->data, &block);
	chunk->from += len;
	if (block.line > 0)
		file->told.line += count_lines(block.text, len);
	advance(file, chunk->bytes + chunk->from, len, chunk->from);
	return goes_on;
}

static void skip_cut(struct tail_chunk *chunk)
{
	struct tail_file *file = chunk->file;
	const uint8_t *start = chunk->bytes + chunk->from;
	const uint8_t *newline = memchr(start, '\n', chunk->end - chunk->from);
	size_t len = newline != NULL ? (size_t)(newline + 1 - start) : chunk->end - chunk->from;
	chunk->from += len;
	advance(file, chunk->bytes + chunk->from, len, chunk->from);
	if (newline != NULL) {
		file->told.is_skipping = false;
		file->told.line += file->told.line > 0;
	}
}

/*
 * Reports the lines of a chunk, keeps an incomplete last line. Returns false if the sink stopped.
 */
static bool split(struct tail_chunk *chunk)
{
	struct tail_file *file = chunk->file;
	bool goes_on = true;
	size_t new_from;
	const uint8_t *fresh, *last;
	if (file->told.is_skipping)
		skip_cut(chunk);
	new_from = chunk->from > chunk->fresh ? chunk->from : chunk->fresh;
	fresh = chunk->bytes + new_from;
	last = memrchr(fresh, '\n', chunk->end - new_from);
	if (last != NULL) {
		/* Only the first line can be too long: the others are within one chunk. */
		const uint8_t *first = memchr(fresh, '\n', (size_t)(last + 1 - fresh));
		const uint8_t *start = chunk->bytes + chunk->from;
		size_t len = (size_t)(first - start);
		size_t end;
		if (len > TAIL_LINE_MAX &&
		    !tell(chunk, chunk->from + TAIL_LINE_MAX, len + 1 - TAIL_LINE_MAX, TAIL_CUT))
			return false;
		end = (size_t)(last + 1 - chunk->bytes);
		if (end > chunk->from && !tell(chunk, end, 0, 0))
			return false;
	}
	if (chunk->end - chunk->from > TAIL_LINE_MAX) {
		size_t rest = chunk->end - chunk->from - TAIL_LINE_MAX;
		int64_t line = file->told.line;
		goes_on = tell(chunk, chunk->from + TAIL_LINE_MAX, rest, TAIL_CUT);
		file->told.line = line;
		file->told.is_skipping = true;
	}
	buf_clear(&file->carry);
	(void)buf_append(&file->carry, chunk->bytes + chunk->from, chunk->end - chunk->from);
	buf_shrink(&file->carry, 0);
	return goes_on;
}

/* Moves the place over a hole to the next data. Returns false if there is no data yet. */
static bool skip_hole(struct tail_file *file, bool *ret_has_moved)
{
	off_t data = lseek(file->fd, file->told.offset, SEEK_DATA);
	*ret_has_moved = false;
	if (data < 0) {
		file->has_room = errno == ENXIO;
		return errno != ENXIO;
	}
	if (data <= file->told.offset)
		return true;
	*ret_has_moved = true;
	file->may_be_hole = true;
	file->told.offset = data;
	file->told.mark_len = 0;
	return true;
}

static bool is_hole_to_end(const struct tail_file *file, int64_t offset)
{
	return lseek(file->fd, offset, SEEK_DATA) < 0 && errno == ENXIO;
}

/* Returns true if a hole follows: then the NULs before it only fill up the last block of data. */
static bool has_hole(const struct tail_file *file, size_t len)
{
	off_t hole = lseek(file->fd, file->told.offset, SEEK_HOLE);
	return hole >= 0 && hole < file->told.offset + (off_t)len;
}

static size_t leading_nuls(const uint8_t *bytes, size_t len)
{
	size_t count = 0;
	while (count < len && bytes[count] == 0)
		count++;
	return count;
}

/*
 * Passes over NULs that no program wrote: a hole, as before the old offset of a writer, and space
 * at the end that may be filled later. *ret_again: the place has moved, read again.
 */
static enum tail_result pass_nuls(struct tail_chunk *chunk, bool is_end, bool *ret_again)
{
	struct tail_file *file = chunk->file;
	const uint8_t *fresh = chunk->bytes + chunk->fresh;
	size_t nuls;
	*ret_again = false;
	if (is_end) {
		while (chunk->end > chunk->fresh && chunk->bytes[chunk->end - 1] == 0) {
			chunk->end--;
			file->has_room = true;
		}
	}
	if (chunk->end == chunk->fresh)
		return TAIL_END;
	if (*fresh != 0 || file->carry.len > 0) {
		file->may_be_hole = false;
		return TAIL_MORE;
	}
	if (!skip_hole(file, ret_again))
		return TAIL_END;
	nuls = leading_nuls(fresh, chunk->end - chunk->fresh);
	file->may_be_hole = file->may_be_hole || has_hole(file, nuls);
	if (*ret_again || !file->may_be_hole)
		return TAIL_MORE;
	advance(file, fresh + nuls, nuls, chunk->fresh + nuls);
	chunk->from = chunk->fresh + nuls;
	chunk->fresh = chunk->from;
	file->may_be_hole = chunk->from == chunk->end;
	return TAIL_MORE;
}

/* Reads new bytes after the mark and the carry, and checks that the bytes before are unchanged. */
static enum tail_result fill(
    struct tail_file *file, uint8_t *scratch, size_t *ret_have, size_t *ret_fresh)
{
	uint8_t before[TAIL_MARK_MAX];
	size_t have = file->told.mark_len + file->carry.len;
	size_t check = have < TAIL_MARK_MAX ? have : TAIL_MARK_MAX;
	int64_t offset = file->told.offset + (int64_t)file->carry.len;
	ssize_t n;
	memcpy(scratch, file->told.mark, file->told.mark_len);
	if (file->carry.len > 0)
		memcpy(scratch + file->told.mark_len, file->carry.data, file->carry.len);
	memcpy(before, scratch + have - check, check);
	n = read_at(file->fd, scratch + have - check, check + TAIL_CHUNK, offset - (int64_t)check);
	if (n < 0) {
		errno = (int)-n;
		return TAIL_FAILED;
	}
	if ((size_t)n < check)
		return TAIL_TRUNCATED;
	if (memcmp(before, scratch + have - check, check) != 0) {
		struct stat status;
		bool is_short = fstat(file->fd, &status) == 0 && status.st_size < offset;
		return is_short ? TAIL_TRUNCATED : TAIL_REWRITTEN;
	}
	*ret_have = have;
	*ret_fresh = (size_t)n - check;
	return TAIL_MORE;
}

static enum tail_result read_on(
    struct tail_file *file, uint8_t *scratch, size_t *budget, tail_sink_fn *sink, void *data)
{
	file->has_room = false;
	for (;;) {
		struct tail_chunk chunk = {
		    .file = file, .bytes = scratch, .sink = sink, .data = data};
		size_t fresh = 0;
		bool again, is_end;
		enum tail_result result = fill(file, scratch, &chunk.fresh, &fresh);
		int64_t end;
		if (result != TAIL_MORE)
			return result;
		if (fresh == 0)
			return TAIL_END;
		chunk.from = file->told.mark_len;
		chunk.end = chunk.fresh + fresh;
		end = file->told.offset + (int64_t)(chunk.end - chunk.from);
		is_end = fresh < TAIL_CHUNK ||
		    (scratch[chunk.end - 1] == 0 && is_hole_to_end(file, end));
		result = pass_nuls(&chunk, is_end, &again);
		if (result != TAIL_MORE)
			return result;
		if (!again && !split(&chunk))
			return TAIL_STOPPED;
		if (is_end && !again)
			return TAIL_END;
		*budget -= *budget < fresh ? *budget : fresh;
		if (*budget == 0)
			return TAIL_MORE;
	}
}

enum tail_result tail_file_read(
    struct tail_file *file, uint8_t *scratch, size_t *budget, tail_sink_fn *sink, void *data)
{
	enum tail_result result;
	/* A longer text that replaces the old text may have the same bytes at the mark. */
	if (!tail_file_is_as_read(file))
		return TAIL_REWRITTEN;
	result = read_on(file, scratch, budget, sink, data);
	if (result == TAIL_END && file->told.sum_end != tail_file_end(file))
		remember_sum(file);
	return result;
}

bool tail_file_peek(struct tail_file *file, struct tail_block *ret_block)
{
	if (file->carry.len == 0)
		return false;
	*ret_block = (struct tail_block){
	    .file = file,
	    .text = (const char *)file->carry.data,
	    .len = file->carry.len,
	    .offset = file->told.offset,
	    .line = file->told.line,
	    .flags = TAIL_PARTIAL,
	};
	return true;
}

void tail_file_flush(struct tail_file *file, tail_sink_fn *sink, void *data)
{
	struct tail_block block;
	if (!tail_file_peek(file, &block))
		return;
	(void)sink(data, &block); /* stopping does not matter: nothing follows */
	advance(file, file->carry.data + file->carry.len, file->carry.len, file->carry.len);
	buf_clear(&file->carry);
}

static int64_t born_ns(const struct statx *status)
{
	if (!(status->stx_mask & STATX_BTIME) || status->stx_btime.tv_sec == 0)
		return -1;
	return (int64_t)status->stx_btime.tv_sec * 1000000000 + status->stx_btime.tv_nsec;
}

int64_t sibling_born_ns(int fd)
{
	struct statx status;
	return statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) == 0 ? born_ns(&status) : -1;
}

int64_t sibling_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Suffixes of rotation: ".1", "-20240501", ".2024-05-01_12:00", ".old". */
static bool is_rotated(const char *suffix)
{
	if (strcmp(suffix, ".old") == 0)
		return true;
	return strchr("._-", suffix[0]) && strpbrk(suffix, "0123456789") &&
	    suffix[strspn(suffix, "0123456789._-:TZ+")] == '\0';
}

static bool read_sibling(int dir, const char *name, struct sibling *ret_sibling)
{
	struct statx status;
	if (strlen(name) >= sizeof ret_sibling->name ||
	    statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_INO | STATX_BTIME, &status) <
		0 ||
	    !S_ISREG(status.stx_mode))
		return false;
	strcpy(ret_sibling->name, name);
	ret_sibling->dev = makedev(status.stx_dev_major, status.stx_dev_minor);
	ret_sibling->ino = status.stx_ino;
	ret_sibling->born_ns = born_ns(&status);
	return true;
}

static int by_age(const void *one, const void *other)
{
	const struct sibling *a = one;
	const struct sibling *b = other;
	return a->born_ns < b->born_ns ? -1 : a->born_ns > b->born_ns;
}

static void replace_oldest(struct sibling siblings[SIBLINGS_MAX], const struct sibling *sibling)
{
	struct sibling *oldest = &siblings[0];
	for (size_t at = 1; at < SIBLINGS_MAX; at++)
		if (siblings[at].born_ns < oldest->born_ns)
			oldest = &siblings[at];
	if (oldest->born_ns < sibling->born_ns)
		*oldest = *sibling;
}

size_t sibling_list(const char *path, struct sibling ret_siblings[SIBLINGS_MAX])
{
	char dir_path[PATH_MAX];
	const char *base = strrchr(path, '/') + 1; /* path is absolute */
	size_t base_len = strlen(base);
	size_t count = 0, seen = 0;
	const struct dirent *entry;
	DIR *dir;
	snprintf(dir_path, sizeof dir_path, "%.*s", (int)(base - path), path);
	dir = opendir(dir_path);
	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL && seen < SIBLINGS_SEEN) {
		struct sibling sibling;
		if (strncmp(entry->d_name, base, base_len) != 0 ||
		    !is_rotated(entry->d_name + base_len) ||
		    !read_sibling(dirfd(dir), entry->d_name, &sibling))
			continue;
		seen++;
		if (count < SIBLINGS_MAX)
			ret_siblings[count++] = sibling;
		else
			replace_oldest(ret_siblings, &sibling);
	}
	(void)closedir(dir);
	qsort(ret_siblings, count, sizeof *ret_siblings, by_age);
	return count;
}

size_t sibling_head(int fd, uint8_t ret_head[SIBLING_HEAD])
{
	ssize_t n = pread(fd, ret_head, SIBLING_HEAD, 0);
	return n > 0 ? (size_t)n : 0;
}
