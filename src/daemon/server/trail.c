/* SPDX-License-Identifier: ISC */
#include "daemon/server/trail.h"

#include <endian.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/hash.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"

enum {
	CHAIN_SIZE = 2 * SHA256_SIZE, /* a hash as text */
	PARAMS_MAX = 300, /* bytes of parameters in a line; with texts TEXTS_MAX */
	TEXTS_MAX = 4096,
	TARGET_MAX = 64,
	KEPT_BYTES = 4096, /* memory that is kept for the next parameters */
	REFUSERS_MAX = 32, /* pairs of user and role whose refusals are counted separately */
	REFUSED_PART = 8, /* in each file, refusals have at most 1/8 of audit_bytes */
	MINUTE_MS = 60000,
	DAY_MS = 86400000,
};

static const char chain_member[] = ",\"chain\":\"";

struct refuser {
	int64_t since_ms; /* when its minute began; 0: free */
	uint32_t uid; /* UINT32_MAX: several users that share this place */
	enum role role;
	unsigned lines;
	uint64_t unwritten;
};

struct trail {
	struct trail_options options;
	char path[PATH_MAX], old_path[PATH_MAX];
	int fd;
	ino_t inode;
	dev_t device;
	off_t bytes;
	bool is_torn; /* the file was removed, replaced or changed: the next head says so */
	int64_t first_ms; /* time of the first line of the file */
	uint64_t last;
	uint64_t missed;
	char chain[CHAIN_SIZE + 1];
	struct buf line;
	struct buf params;
	struct hash_key key; /* keyed, so that parameters cannot be guessed from their hashes */
	struct refuser refusers[REFUSERS_MAX];
	bool has_unwritten;
	size_t refused_bytes; /* bytes of refusals in the file */
	struct list listeners;
};

/* Computes the hash of a line from that of the line before and its text before the member chain. */
static void hash_line(
    const char before[CHAIN_SIZE], const char *line, size_t len, char out[CHAIN_SIZE + 1])
{
	uint8_t bytes[SHA256_SIZE];
	struct sha256 sha;
	sha256_init(&sha);
	sha256_add(&sha, before, CHAIN_SIZE);
	sha256_add(&sha, line, len);
	sha256_finish(&sha, bytes);
	str_put_hex(out, bytes, sizeof bytes);
}

static const char *find_chain(const char *line, size_t len)
{
	const size_t tail = sizeof chain_member - 1 + CHAIN_SIZE + 2;
	const char *at = line + len - tail;
	return len > tail && memcmp(at, chain_member, sizeof chain_member - 1) == 0 ? at : NULL;
}

static void begin(struct json_writer *writer, struct buf *text, const char *number, uint64_t value)
{
	json_restart(writer, text, TRAIL_LINE_MAX);
	json_object_begin(writer, NULL);
	json_put_int(writer, number, (int64_t)value);
	json_put_int(writer, "time", clock_real_ms());
}

static int append(struct trail *trail, struct buf *text)
{
	char chain[CHAIN_SIZE + 1];
	ssize_t written;
	int saved_errno;
	hash_line(trail->chain, (const char *)text->data, text->len, chain);
	text->max += sizeof chain_member + CHAIN_SIZE + 4;
	(void)buf_append_str(text, chain_member);
	(void)buf_append_str(text, chain);
	(void)buf_append_str(text, "\"}\n");
	written = write(trail->fd, text->data, text->len);
	if (written == (ssize_t)text->len) {
		trail->bytes += written;
		memcpy(trail->chain, chain, sizeof chain);
		return 0;
	}
	saved_errno = written < 0 ? errno : ENOSPC;
	if (written > 0)
		(void)!ftruncate(trail->fd, trail->bytes);
	errno = saved_errno;
	return -1;
}

static int add_head(struct trail *trail)
{
	struct json_writer writer;
	struct buf text = BUF(0);
	int error;
	begin(&writer, &text, "head", trail->last);
	json_put_str(&writer, "before", trail->chain);
	if (trail->is_torn)
		json_put_bool(&writer, "torn", true);
	error = append(trail, &text);
	buf_finish(&text);
	if (trail->bytes == 0 || error == 0)
		trail->first_ms = clock_real_ms();
	trail->is_torn = trail->is_torn && error < 0;
	return error;
}

static int open_file(struct trail *trail)
{
	struct stat status;
	trail->fd = open(
	    trail->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	trail->bytes = 0;
	if (trail->fd < 0 || fstat(trail->fd, &status) < 0)
		return -1;
	trail->inode = status.st_ino;
	trail->device = status.st_dev;
	return 0;
}

/* Lines of another program stay: the next head has our last hash, and "torn": true. */
static int look_again(struct trail *trail)
{
	struct stat status;
	char last = '\0';
	int error = lstat(trail->path, &status);
	off_t bytes;
	if (error == 0 && trail->fd >= 0 && status.st_ino == trail->inode &&
	    status.st_dev == trail->device && status.st_size == trail->bytes)
		return 0;
	if (!trail->is_torn)
		log_warning("%s was removed or changed: its chain is broken", trail->path);
	trail->is_torn = true;
	if (trail->fd >= 0)
		(void)close(trail->fd);
	if (open_file(trail) < 0)
		return -1;
	bytes = lseek(trail->fd, 0, SEEK_END);
	if (bytes > 0 && (pread(trail->fd, &last, 1, bytes - 1) != 1 || last != '\n'))
		bytes += write(trail->fd, "\n", 1) == 1;
	trail->bytes = bytes > 0 ? bytes : 0;
	return 0;
}

/* Begins a new file if the present file is full or old. On failure the present file grows. */
static void turn_over(struct trail *trail)
{
	bool is_full = trail->bytes > (off_t)trail->options.bytes / 2;
	bool is_old = clock_real_ms() - trail->first_ms > trail->options.days * DAY_MS / 2;
	char made_path[PATH_MAX + 4];
	int fd = trail->fd, made;
	off_t bytes = trail->bytes;
	if (!is_full && !is_old)
		return;
	/* The older file is replaced only if a new one can be made and opened. */
	(void)snprintf(made_path, sizeof made_path, "%s.new", trail->path);
	(void)unlink(made_path);
	made = open(made_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (made < 0)
		return;
	(void)close(made);
	if (rename(trail->path, trail->old_path) < 0)
		return;
	if (rename(made_path, trail->path) < 0 || open_file(trail) < 0) {
		(void)rename(trail->old_path, trail->path); /* else the next head is torn */
		trail->fd = fd;
		trail->bytes = bytes;
		return;
	}
	trail->refused_bytes = 0;
	(void)close(fd);
}

static int add(struct trail *trail)
{
	int error = look_again(trail);
	if (error == 0) {
		turn_over(trail);
		error = trail->bytes == 0 || trail->is_torn ? add_head(trail) : 0;
	}
	if (error == 0)
		error = append(trail, &trail->line);
	if (error < 0 && trail->missed++ == 0)
		log_warning("the audit cannot be written: %s", strerror(errno));
	return error;
}

static uint64_t number_of(const char *line, const char *member)
{
	size_t len = strlen(member);
	uint64_t number = 0;
	if (strncmp(line, member, len) == 0)
		(void)str_parse_u64(line + len, strspn(line + len, "0123456789"), &number);
	return number;
}

/* Continues the chain and the numbers of a file. Returns the size of its complete lines. */
static size_t take_up(struct trail *trail, struct buf *text)
{
	static const char refusal[] = "\"outcome\":\"forbidden\"";
	const char *begin, *end, *line, *chain = NULL;
	if (text->len == 0 || buf_append_byte(text, '\0') < 0)
		return 0;
	begin = (const char *)text->data;
	end = begin + --text->len;
	while (end > begin && end[-1] != '\n')
		end--;
	for (const char *at = begin, *next; at < end; at = next) {
		uint64_t number = number_of(at, "{\"n\":");
		uint64_t head = number_of(at, "{\"head\":");
		next = strchr(at, '\n') + 1;
		if (memmem(at, (size_t)(next - at), refusal, sizeof refusal - 1) != NULL)
			trail->refused_bytes += (size_t)(next - at);
		number = number > head ? number : head;
		trail->last = number > trail->last ? number : trail->last;
	}
	for (line = end > begin ? end - 1 : begin; line > begin && line[-1] != '\n'; line--)
		;
	if (end > begin)
		chain = find_chain(line, (size_t)(end - 1 - line));
	if (chain != NULL)
		memcpy(trail->chain, chain + sizeof chain_member - 1, CHAIN_SIZE);
	line = end > begin ? strstr(begin, "\"time\":") : NULL;
	if (line != NULL)
		(void)str_parse_i64(line + 7, strspn(line + 7, "0123456789"), &trail->first_ms);
	return (size_t)(end - begin);
}

/* The daemon was killed before the new file had a line, so the chain of the old file continues. */
static void take_up_old(struct trail *trail)
{
	struct buf text = BUF(TRAIL_FILE_MAX);
	if (file_read(trail->old_path, O_NOFOLLOW | O_NONBLOCK, &text) == 0)
		(void)take_up(trail, &text);
	trail->refused_bytes = 0;
	buf_finish(&text);
}

/* Reads the key, or makes and stores one. If storing fails, hashes differ after each start. */
static void read_key(struct trail *trail, const char *state_dir)
{
	char path[PATH_MAX];
	ssize_t len = -1;
	int fd;
	(void)snprintf(path, sizeof path, "%s/audit.key", state_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		len = read(fd, &trail->key, sizeof trail->key);
		(void)close(fd);
	}
	if (len == sizeof trail->key)
		return;
	if (getrandom(&trail->key, sizeof trail->key, 0) != sizeof trail->key)
		trail->key.words[0] = (uint64_t)clock_mono_us();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0 || file_write_all(fd, &trail->key, sizeof trail->key) < 0)
		log_warning("%s: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
}

struct trail *trail_new(
    const char *state_dir, const struct trail_options *options, char *ret_reason, size_t size)
{
	struct trail *trail = xcalloc(1, sizeof *trail);
	struct buf text = BUF(TRAIL_FILE_MAX);
	trail->options = *options;
	list_init(&trail->listeners);
	memset(trail->chain, '0', CHAIN_SIZE);
	(void)snprintf(trail->path, sizeof trail->path, "%s/audit", state_dir);
	(void)snprintf(trail->old_path, sizeof trail->old_path, "%s/audit.old", state_dir);
	if (open_file(trail) < 0 || file_read_all(trail->fd, &text) < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", trail->path, strerror(errno));
		buf_finish(&text);
		trail_free(trail);
		return NULL;
	}
	read_key(trail, state_dir);
	trail->bytes = (off_t)take_up(trail, &text);
	if ((size_t)trail->bytes < text.len && ftruncate(trail->fd, trail->bytes) < 0)
		log_warning("%s: its end cannot be cut off: %s", trail->path, strerror(errno));
	buf_finish(&text);
	if (trail->bytes == 0) {
		take_up_old(trail);
		(void)add_head(trail);
	}
	return trail;
}

static const struct json *find_settled(const struct json *conditions)
{
	const struct json *found = NULL;
	if (conditions->type != JSON_ARRAY && conditions->type != JSON_OBJECT)
		return NULL;
	json_each (at, conditions) {
		const struct json *note = json_member(at, "notification");
		const struct json *id = json_member(note, "id");
		const struct json *job = json_member(at, "job");
		found = id != NULL ? id : note != NULL ? note : job;
		if (found != NULL || (found = find_settled(at)) != NULL)
			break;
	}
	return found;
}

/* A method that only reads may keep or take something by a parameter. */
static const struct json *find_kept(const struct method *method, const struct json *params)
{
	const struct json *found = NULL;
	for (const struct field *field = method->fields;
	     found == NULL && field != NULL && field->name != NULL; field++) {
		const struct json *value = json_member(params, field->name);
		if (value == NULL || value->type == JSON_NULL)
			continue;
		if (field->flags & FIELD_SETTLES)
			found = find_settled(value);
		else if (field->flags & FIELD_KEPT)
			found = value;
	}
	return found;
}

bool trail_wants(const struct method *method, const struct json *params)
{
	return !method_is_read_only(method) || find_kept(method, params) != NULL;
}

static bool put_as_target(struct json_writer *writer, const struct json *value)
{
	if (value == NULL || (value->type != JSON_STRING && value->type != JSON_NUMBER))
		return false;
	json_put_text(
	    writer, "target", value->text, value->len < TARGET_MAX ? value->len : TARGET_MAX);
	return true;
}

static void put_target(
    struct json_writer *writer, const struct method *method, const struct json *params)
{
	static const char *const names[] = {
	    "pane", "pane_id", "agent", "job", "window", "session", "timer", "id", "seq", NULL};
	if (method_is_read_only(method) && put_as_target(writer, find_kept(method, params)))
		return;
	for (const char *const *name = names; *name != NULL; name++)
		if (put_as_target(writer, json_member(params, *name)))
			return;
}

/* Texts for declared tools and providers are never written. */
static void put_params(struct trail *trail, struct json_writer *writer, const struct method *method,
    const struct json *params)
{
	bool is_full = trail->options.is_full && method->group == NULL;
	/* Conditions of methods that only read can hold patterns, so only the sizes are written. */
	bool is_named = method->group == NULL && !method_is_read_only(method);
	struct buf *text = &trail->params;
	struct json_writer own;
	uint64_t number;
	char hash[2 * sizeof number + 1];
	if (params == NULL || params->count == 0)
		return;
	json_restart(&own, text, TRAIL_FILE_MAX);
	json_put_value(&own, NULL, params);
	number = htobe64(hash_with_key(&trail->key, text->data, text->len));
	str_put_hex(hash, &number, sizeof number);
	json_put_int(writer, "bytes", (int64_t)text->len);
	json_put_str(writer, "hash", hash);
	if (!is_full) {
		json_restart(&own, text, PARAMS_MAX + JSON_SPARE);
		(void)field_write_record(&own, is_named ? method->fields : NULL, params);
	} else if (text->len > TEXTS_MAX) {
		text->len = TEXTS_MAX;
	}
	(void)json_put_text(writer, "params", text->data, text->len);
	buf_shrink(text, KEPT_BYTES);
}

static void put_caller(struct json_writer *writer, const struct trail_action *action)
{
	const struct peer *peer = action->peer;
	const struct peer_origin *origin = peer != NULL ? peer_origin(peer) : NULL;
	if (peer != NULL) {
		json_put_int(writer, "pid", peer_pid(peer));
		json_put_int(writer, "uid", peer_uid(peer));
	}
	if (origin != NULL && origin->count > 0) {
		json_put_int(writer, "start", (int64_t)origin->processes[0].start);
		(void)json_put_text(writer, "program", origin->program, strlen(origin->program));
	}
	if (action->pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', action->pane);
	json_put_str(writer, "role", role_names[action->role]);
	json_put_str(writer, "method", action->method->name);
}

void trail_listen(struct trail *trail, struct trail_listener *listener)
{
	list_append(&trail->listeners, &listener->link);
}

static void tell(struct trail *trail, uint64_t number)
{
	trail->last = number;
	list_each (struct trail_listener, listener, &trail->listeners, link)
		listener->written(listener);
}

/* Refusals may fill only their part of the file. */
static bool has_room_for_refusal(const struct trail *trail)
{
	return trail->refused_bytes < trail->options.bytes / REFUSED_PART;
}

static int add_refusal(struct trail *trail)
{
	size_t len = trail->line.len + sizeof chain_member + CHAIN_SIZE;
	if (add(trail) < 0)
		return -1;
	trail->refused_bytes += len;
	tell(trail, trail->last + 1);
	return 0;
}

/* For the minutes that began by until_ms. */
static void sum_up(struct trail *trail, int64_t until_ms)
{
	bool is_left = false;
	if (!trail->has_unwritten)
		return;
	for (size_t at = 0; at < REFUSERS_MAX; at++) {
		struct refuser *refuser = &trail->refusers[at];
		struct json_writer writer;
		if (refuser->since_ms > until_ms || refuser->unwritten == 0 ||
		    !has_room_for_refusal(trail)) {
			is_left |= refuser->unwritten > 0;
			continue;
		}
		begin(&writer, &trail->line, "n", trail->last + 1);
		if (refuser->uid != UINT32_MAX) {
			json_put_int(&writer, "uid", refuser->uid);
			json_put_str(&writer, "role", role_names[refuser->role]);
		}
		json_put_str(&writer, "outcome", "forbidden");
		json_put_int(&writer, "unwritten", (int64_t)refuser->unwritten);
		if (add_refusal(trail) == 0)
			refuser->unwritten = 0;
		else
			is_left = true;
	}
	trail->has_unwritten = is_left;
}

uint64_t trail_begin(struct trail *trail, const struct trail_action *action)
{
	struct json_writer writer;
	uint64_t number;
	sum_up(trail, clock_mono_ms() - MINUTE_MS);
	number = trail->last + 1;
	begin(&writer, &trail->line, "n", number);
	put_caller(&writer, action);
	put_target(&writer, action->method, action->params);
	put_params(trail, &writer, action->method, action->params);
	if (trail->missed > 0)
		json_put_int(&writer, "missed", (int64_t)trail->missed);
	if (add(trail) < 0)
		return 0;
	trail->missed = 0;
	tell(trail, number);
	return number;
}

void trail_end(struct trail *trail, uint64_t number, const char *outcome, int64_t elapsed_ms)
{
	struct json_writer writer;
	begin(&writer, &trail->line, "of", number);
	json_put_str(&writer, "outcome", outcome);
	json_put_int(&writer, "ms", elapsed_ms);
	(void)add(trail);
}

/* If no place is free, several users share the last one. */
static struct refuser *find_refuser(struct trail *trail, uint32_t uid, enum role role)
{
	struct refuser *place = NULL;
	int64_t now_ms = clock_mono_ms();
	for (size_t at = 0; at < REFUSERS_MAX; at++) {
		struct refuser *refuser = &trail->refusers[at];
		bool is_over = now_ms - refuser->since_ms >= MINUTE_MS && refuser->unwritten == 0;
		if (refuser->since_ms != 0 && refuser->uid == uid && refuser->role == role) {
			if (now_ms - refuser->since_ms >= MINUTE_MS) {
				refuser->since_ms = now_ms;
				refuser->lines = 0;
			}
			return refuser;
		}
		if (place == NULL && (refuser->since_ms == 0 || is_over))
			place = refuser;
	}
	if (place == NULL) {
		place = &trail->refusers[REFUSERS_MAX - 1];
		place->uid = UINT32_MAX;
		return place;
	}
	*place = (struct refuser){.since_ms = now_ms, .uid = uid, .role = role};
	return place;
}

void trail_refuse(struct trail *trail, const struct trail_action *action)
{
	uint32_t uid = action->peer != NULL ? (uint32_t)peer_uid(action->peer) : 0;
	struct refuser *refuser;
	struct json_writer writer;
	sum_up(trail, clock_mono_ms() - MINUTE_MS);
	refuser = find_refuser(trail, uid, action->role);
	if (refuser->lines >= TRAIL_REFUSALS || !has_room_for_refusal(trail)) {
		refuser->unwritten++;
		trail->has_unwritten = true;
		return;
	}
	begin(&writer, &trail->line, "n", trail->last + 1);
	put_caller(&writer, action);
	json_put_str(&writer, "outcome", "forbidden");
	if (++refuser->lines == TRAIL_REFUSALS)
		json_put_bool(&writer, "counted", true); /* further refusals have no line */
	(void)add_refusal(trail);
}

void trail_free(struct trail *trail)
{
	if (trail == NULL)
		return;
	if (trail->fd >= 0) {
		sum_up(trail, clock_mono_ms());
		(void)close(trail->fd);
	}
	buf_finish(&trail->line);
	buf_finish(&trail->params);
	mem_free(trail);
}

uint64_t trail_last(const struct trail *trail)
{
	return trail->last;
}

int trail_read(const struct trail *trail, struct buf *out)
{
	const char *const paths[] = {trail->old_path, trail->path};
	for (size_t at = 0; at < 2; at++)
		if (file_read(paths[at], O_NOFOLLOW | O_NONBLOCK, out) < 0 && errno != ENOENT)
			return -1;
	return 0;
}

/* A torn head says that lines before it are missing. */
static bool is_torn(const char *line, size_t len)
{
	static const char torn[] = "\"torn\":true";
	return strncmp(line, "{\"head\":", 8) == 0 && memmem(line, len, torn, sizeof torn - 1);
}

size_t trail_verify(const struct trail *trail, const char *text, size_t len)
{
	static const char before[] = "\"before\":\"";
	const char *end = text + len, *next;
	char chain[CHAIN_SIZE + 1] = "", right[CHAIN_SIZE + 1];
	size_t number = 0;
	for (const char *line = text; line < end; line = next + 1) {
		const char *at;
		number++;
		next = memchr(line, '\n', (size_t)(end - line));
		at = next != NULL ? find_chain(line, (size_t)(next - line)) : NULL;
		if (at == NULL)
			return number;
		if (chain[0] == '\0') { /* the first kept line names the hash before it */
			const char *first =
			    memmem(line, (size_t)(at - line), before, sizeof before - 1);
			if (first == NULL || is_torn(line, (size_t)(at - line)) ||
			    at - first < (ptrdiff_t)sizeof before + CHAIN_SIZE)
				return number;
			memcpy(chain, first + sizeof before - 1, CHAIN_SIZE);
		}
		hash_line(chain, line, (size_t)(at - line), right);
		memcpy(chain, at + sizeof chain_member - 1, CHAIN_SIZE);
		if (memcmp(chain, right, CHAIN_SIZE) != 0)
			return number;
	}
	if (len == 0 && trail->bytes == 0) /* nothing could be written yet */
		return 0;
	return memcmp(chain, trail->chain, CHAIN_SIZE) == 0 ? 0 : number + 1;
}
