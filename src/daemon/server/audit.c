/* SPDX-License-Identifier: ISC */
#include "daemon/server/audit.h"

#include <endian.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/hash.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "wire/redaction.h"

enum {
	CHAIN_SIZE = 2 * SHA256_SIZE, /* length of a hash as text */
	PARAMS_MAX = 300, /* longer parameters are cut in a line without texts */
	TEXTS_MAX = 4096, /* longer parameters are cut in a line with texts (-o audit=full) */
	TARGET_MAX = 64,
	KEPT_BYTES = 4096, /* bytes of memory that are kept for the next parameters */
	/* maximum number of pairs of user and role whose refusals are counted separately */
	REFUSERS_MAX = 32,
	REFUSED_PART = 8, /* refusals may fill audit_bytes / REFUSED_PART of each file */
	MINUTE_MS = 60000,
	DAY_MS = 86400000,
};

static const char chain_member[] = ",\"chain\":\"";

struct refuser {
	int64_t since_ms; /* begin of the counted minute (CLOCK_MONOTONIC); 0: never used */
	uint32_t uid; /* UINT32_MAX: several users that share this place */
	enum role role;
	unsigned lines; /* lines in this minute */
	uint64_t unwritten; /* refusals without a line, of which no line has the count yet */
};

struct audit_log {
	struct audit_options options;
	char path[PATH_MAX], old_path[PATH_MAX];
	int fd;
	ino_t inode;
	dev_t device;
	off_t bytes;
	bool is_torn; /* the file was removed, replaced or changed: the next head says so */
	int64_t first_ms; /* the age of the file counts from this time (CLOCK_REALTIME) */
	uint64_t last;
	uint64_t missed; /* lines that could not be written since the last line of a request */
	char chain[CHAIN_SIZE + 1];
	struct buf line;
	struct buf params;
	struct hash_key key; /* secret: without it, a hash does not help to guess the parameters */
	struct refuser refusers[REFUSERS_MAX];
	bool has_unwritten;
	size_t refused_bytes; /* bytes of refusals in the newer file */
	struct list listeners;
};

/* Computes the hash of a line from the hash of the line before it and the text of the line. */
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
	json_restart(writer, text, AUDIT_LINE_MAX);
	json_object_begin(writer, NULL);
	json_put_int(writer, number, (int64_t)value);
	json_put_int(writer, "time", clock_real_ms());
}

static int append(struct audit_log *audit, struct buf *text)
{
	char chain[CHAIN_SIZE + 1];
	ssize_t written;
	int saved_errno;
	hash_line(audit->chain, (const char *)text->data, text->len, chain);
	text->max += sizeof chain_member + CHAIN_SIZE + 4;
	(void)buf_append_str(text, chain_member);
	(void)buf_append_str(text, chain);
	(void)buf_append_str(text, "\"}\n");
	written = write(audit->fd, text->data, text->len);
	if (written == (ssize_t)text->len) {
		audit->bytes += written;
		memcpy(audit->chain, chain, sizeof chain);
		return 0;
	}
	saved_errno = written < 0 ? errno : ENOSPC;
	if (written > 0)
		(void)!ftruncate(audit->fd, audit->bytes);
	errno = saved_errno;
	return -1;
}

static int add_head(struct audit_log *audit)
{
	struct json_writer writer;
	struct buf text = BUF(0);
	int error;
	begin(&writer, &text, "head", audit->last);
	json_put_str(&writer, "before", audit->chain);
	if (audit->is_torn)
		json_put_bool(&writer, "torn", true);
	error = append(audit, &text);
	buf_finish(&text);
	if (audit->bytes == 0 || error == 0)
		audit->first_ms = clock_real_ms();
	audit->is_torn = audit->is_torn && error < 0;
	return error;
}

static int open_file(struct audit_log *audit)
{
	struct stat status;
	audit->fd = open(
	    audit->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	audit->bytes = 0;
	if (audit->fd < 0 || fstat(audit->fd, &status) < 0)
		return -1;
	audit->inode = status.st_ino;
	audit->device = status.st_dev;
	return 0;
}

/*
 * Opens the file again if another program has removed, replaced or changed it. The lines of that
 * program stay. The next line is then a head with the hash of our last line and "torn": true.
 */
static int look_again(struct audit_log *audit)
{
	struct stat status;
	char last = '\0';
	int error = lstat(audit->path, &status);
	off_t bytes;
	if (error == 0 && audit->fd >= 0 && status.st_ino == audit->inode &&
	    status.st_dev == audit->device && status.st_size == audit->bytes)
		return 0;
	if (!audit->is_torn)
		log_warning("%s was removed or changed: its chain is broken", audit->path);
	audit->is_torn = true;
	if (audit->fd >= 0)
		(void)close(audit->fd);
	if (open_file(audit) < 0)
		return -1;
	bytes = lseek(audit->fd, 0, SEEK_END);
	if (bytes > 0 && (pread(audit->fd, &last, 1, bytes - 1) != 1 || last != '\n'))
		bytes += write(audit->fd, "\n", 1) == 1;
	audit->bytes = bytes > 0 ? bytes : 0;
	return 0;
}

/* Begins a new file if the newer file is full or old. If this fails, the newer file grows. */
static void turn_over(struct audit_log *audit)
{
	bool is_full = audit->bytes > (off_t)audit->options.bytes / 2;
	int64_t now_ms = clock_real_ms();
	bool is_old = now_ms - audit->first_ms > audit->options.days * DAY_MS / 2;
	char made_path[PATH_MAX + 4];
	int fd = audit->fd, made;
	off_t bytes = audit->bytes;
	if (now_ms < audit->first_ms)
		audit->first_ms = now_ms; /* the clock was set back */
	if (!is_full && !is_old)
		return;
	/* Make the new file before the older file is lost. */
	(void)snprintf(made_path, sizeof made_path, "%s.new", audit->path);
	(void)unlink(made_path);
	made = open(made_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (made < 0)
		return;
	(void)close(made);
	if (rename(audit->path, audit->old_path) < 0)
		return;
	if (rename(made_path, audit->path) < 0 || open_file(audit) < 0) {
		/* if this rename fails, look_again() notices the wrong file */
		(void)rename(audit->old_path, audit->path);
		audit->fd = fd;
		audit->bytes = bytes;
		return;
	}
	audit->refused_bytes = 0;
	(void)close(fd);
}

static int add(struct audit_log *audit)
{
	int error = look_again(audit);
	if (error == 0) {
		turn_over(audit);
		error = audit->bytes == 0 || audit->is_torn ? add_head(audit) : 0;
	}
	if (error == 0)
		error = append(audit, &audit->line);
	if (error < 0 && audit->missed++ == 0)
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
static size_t take_up(struct audit_log *audit, struct buf *text)
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
		next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
		if (memmem(at, (size_t)(next - at), refusal, sizeof refusal - 1) != NULL)
			audit->refused_bytes += (size_t)(next - at);
		number = number > head ? number : head;
		audit->last = number > audit->last ? number : audit->last;
	}
	for (line = end > begin ? end - 1 : begin; line > begin && line[-1] != '\n'; line--)
		;
	if (end > begin)
		chain = find_chain(line, (size_t)(end - 1 - line));
	if (chain != NULL)
		memcpy(audit->chain, chain + sizeof chain_member - 1, CHAIN_SIZE);
	line = end > begin ? strstr(begin, "\"time\":") : NULL;
	if (line != NULL)
		(void)str_parse_i64(line + 7, strspn(line + 7, "0123456789"), &audit->first_ms);
	return (size_t)(end - begin);
}

/*
 * Continues the chain of the older file. The newer file is empty, for example, if a daemon was
 * killed before it wrote the head.
 */
static void take_up_old(struct audit_log *audit)
{
	struct buf text = BUF(AUDIT_FILE_MAX);
	if (file_read(audit->old_path, O_NOFOLLOW | O_NONBLOCK, &text) == 0)
		(void)take_up(audit, &text);
	audit->refused_bytes = 0;
	buf_finish(&text);
}

/* Reads the key, or makes and stores one. A key that is not stored is lost at the next restart. */
static void read_key(struct audit_log *audit, const char *state_dir)
{
	char path[PATH_MAX];
	ssize_t len = -1;
	int fd;
	(void)snprintf(path, sizeof path, "%s/audit.key", state_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		len = read(fd, &audit->key, sizeof audit->key);
		(void)close(fd);
	}
	if (len == sizeof audit->key)
		return;
	if (getrandom(&audit->key, sizeof audit->key, 0) != sizeof audit->key)
		audit->key.words[0] = (uint64_t)clock_mono_us();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0 || file_write_all(fd, &audit->key, sizeof audit->key) < 0)
		log_warning("%s: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
}

struct audit_log *audit_new(
    const char *state_dir, const struct audit_options *options, char *ret_reason, size_t size)
{
	struct audit_log *audit = xcalloc(1, sizeof *audit);
	struct buf text = BUF(AUDIT_FILE_MAX);
	audit->options = *options;
	list_init(&audit->listeners);
	memset(audit->chain, '0', CHAIN_SIZE);
	(void)snprintf(audit->path, sizeof audit->path, "%s/audit", state_dir);
	(void)snprintf(audit->old_path, sizeof audit->old_path, "%s/audit.old", state_dir);
	if (open_file(audit) < 0 || file_read_all(audit->fd, &text) < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", audit->path, strerror(errno));
		buf_finish(&text);
		audit_free(audit);
		return NULL;
	}
	read_key(audit, state_dir);
	audit->bytes = (off_t)take_up(audit, &text);
	if ((size_t)audit->bytes < text.len && ftruncate(audit->fd, audit->bytes) < 0)
		log_warning("%s: its end cannot be cut off: %s", audit->path, strerror(errno));
	buf_finish(&text);
	if (audit->bytes == 0) {
		take_up_old(audit);
		(void)add_head(audit);
	}
	return audit;
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

/* Returns the parameter by which a reading method stores or takes something; NULL: none. */
static const struct json *find_kept(const struct method *method, const struct json *params)
{
	const struct json *found = NULL;
	for (const struct field *field = method->fields;
	     found == NULL && field != NULL && field->name != NULL; field++) {
		const struct json *value = json_given(params, field->name);
		if (value == NULL)
			continue;
		if (field->flags & FIELD_SETTLES)
			found = find_settled(value);
		else if (field->flags & FIELD_KEPT)
			found = value;
	}
	return found;
}

bool audit_wants(const struct method *method, const struct json *params)
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

/* Writes the parameters, with size and hash; without the texts of methods that are not built in. */
static void put_params(struct audit_log *audit, struct json_writer *writer,
    const struct method *method, const struct json *params)
{
	bool is_full = audit->options.is_full && method->group == NULL;
	/* Conditions may contain patterns: without is_full, only their sizes are written. */
	bool is_named = method->group == NULL && !method_is_read_only(method);
	struct buf *text = &audit->params;
	struct json_writer own;
	uint64_t number;
	char hash[2 * sizeof number + 1];
	if (params == NULL || params->count == 0)
		return;
	json_restart(&own, text, AUDIT_FILE_MAX);
	json_put_value(&own, NULL, params);
	number = htobe64(hash_with_key(&audit->key, text->data, text->len));
	str_put_hex(hash, &number, sizeof number);
	json_put_int(writer, "bytes", (int64_t)text->len);
	json_put_str(writer, "hash", hash);
	if (!is_full) {
		json_restart(&own, text, PARAMS_MAX + JSON_SPARE);
		(void)redaction_write(&own, is_named ? method->fields : NULL, params);
	} else if (text->len > TEXTS_MAX) {
		text->len = TEXTS_MAX;
	}
	(void)json_put_text(writer, "params", text->data, text->len);
	buf_shrink(text, KEPT_BYTES);
}

static void put_caller(struct json_writer *writer, const struct audit_action *action)
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

void audit_listen(struct audit_log *audit, struct audit_listener *listener)
{
	list_append(&audit->listeners, &listener->link);
}

static void tell(struct audit_log *audit, uint64_t number)
{
	audit->last = number;
	list_each (struct audit_listener, listener, &audit->listeners, link)
		listener->written(listener);
}

/* Returns true if refusals may take more room in the file. */
static bool has_room_for_refusal(const struct audit_log *audit)
{
	return audit->refused_bytes < audit->options.bytes / REFUSED_PART;
}

static int add_refusal(struct audit_log *audit)
{
	size_t len = audit->line.len + sizeof chain_member + CHAIN_SIZE;
	if (add(audit) < 0)
		return -1;
	audit->refused_bytes += len;
	tell(audit, audit->last + 1);
	return 0;
}

/* Writes the counts of refusals that had no line, for minutes that began at until_ms or earlier. */
static void sum_up(struct audit_log *audit, int64_t until_ms)
{
	bool is_left = false;
	if (!audit->has_unwritten)
		return;
	for (size_t at = 0; at < REFUSERS_MAX; at++) {
		struct refuser *refuser = &audit->refusers[at];
		struct json_writer writer;
		if (refuser->since_ms > until_ms || refuser->unwritten == 0 ||
		    !has_room_for_refusal(audit)) {
			is_left |= refuser->unwritten > 0;
			continue;
		}
		begin(&writer, &audit->line, "n", audit->last + 1);
		if (refuser->uid != UINT32_MAX) {
			json_put_int(&writer, "uid", refuser->uid);
			json_put_str(&writer, "role", role_names[refuser->role]);
		}
		json_put_str(&writer, "outcome", "forbidden");
		json_put_int(&writer, "unwritten", (int64_t)refuser->unwritten);
		if (add_refusal(audit) == 0)
			refuser->unwritten = 0;
		else
			is_left = true;
	}
	audit->has_unwritten = is_left;
}

uint64_t audit_begin(struct audit_log *audit, const struct audit_action *action)
{
	struct json_writer writer;
	uint64_t number;
	sum_up(audit, clock_mono_ms() - MINUTE_MS);
	number = audit->last + 1;
	begin(&writer, &audit->line, "n", number);
	put_caller(&writer, action);
	put_target(&writer, action->method, action->params);
	put_params(audit, &writer, action->method, action->params);
	if (audit->missed > 0)
		json_put_int(&writer, "missed", (int64_t)audit->missed);
	if (add(audit) < 0)
		return 0;
	audit->missed = 0;
	tell(audit, number);
	return number;
}

void audit_end(struct audit_log *audit, uint64_t number, const char *outcome, int64_t elapsed_ms)
{
	struct json_writer writer;
	begin(&writer, &audit->line, "of", number);
	json_put_str(&writer, "outcome", outcome);
	json_put_int(&writer, "ms", elapsed_ms);
	(void)add(audit);
}

/* Finds the place of a user and a role. If no place is free, users share the last place. */
static struct refuser *find_refuser(struct audit_log *audit, uint32_t uid, enum role role)
{
	struct refuser *place = NULL;
	int64_t now_ms = clock_mono_ms();
	for (size_t at = 0; at < REFUSERS_MAX; at++) {
		struct refuser *refuser = &audit->refusers[at];
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
		place = &audit->refusers[REFUSERS_MAX - 1];
		place->uid = UINT32_MAX;
		return place;
	}
	*place = (struct refuser){.since_ms = now_ms, .uid = uid, .role = role};
	return place;
}

void audit_refuse(struct audit_log *audit, const struct audit_action *action)
{
	uint32_t uid = action->peer != NULL ? (uint32_t)peer_uid(action->peer) : 0;
	struct refuser *refuser;
	struct json_writer writer;
	sum_up(audit, clock_mono_ms() - MINUTE_MS);
	refuser = find_refuser(audit, uid, action->role);
	if (refuser->lines >= AUDIT_REFUSALS || !has_room_for_refusal(audit)) {
		refuser->unwritten++;
		audit->has_unwritten = true;
		return;
	}
	begin(&writer, &audit->line, "n", audit->last + 1);
	put_caller(&writer, action);
	json_put_str(&writer, "outcome", "forbidden");
	if (++refuser->lines == AUDIT_REFUSALS)
		json_put_bool(&writer, "counted", true);
	(void)add_refusal(audit);
}

void audit_free(struct audit_log *audit)
{
	if (audit == NULL)
		return;
	if (audit->fd >= 0) {
		sum_up(audit, clock_mono_ms());
		(void)close(audit->fd);
	}
	buf_finish(&audit->line);
	buf_finish(&audit->params);
	mem_free(audit);
}

uint64_t audit_last(const struct audit_log *audit)
{
	return audit->last;
}

int audit_read(const struct audit_log *audit, struct buf *out)
{
	const char *const paths[] = {audit->old_path, audit->path};
	for (size_t at = 0; at < 2; at++)
		if (file_read(paths[at], O_NOFOLLOW | O_NONBLOCK, out) < 0 && errno != ENOENT)
			return -1;
	return 0;
}

/* Returns true for a head with "torn", before which lines may be missing. */
static bool is_torn(const char *line, size_t len)
{
	static const char torn[] = "\"torn\":true";
	return strncmp(line, "{\"head\":", 8) == 0 && memmem(line, len, torn, sizeof torn - 1);
}

size_t audit_verify(const struct audit_log *audit, const char *text, size_t len)
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
		/* the first line is a head, which has the hash of the line before it */
		if (chain[0] == '\0') {
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
	if (len == 0 && audit->bytes == 0)
		return 0;
	return memcmp(chain, audit->chain, CHAIN_SIZE) == 0 ? 0 : number + 1;
}
