/* SPDX-License-Identifier: ISC */
/*
 * Following files through every operation on logs: no line missed, none invented, with inotify, by
 * polling, and with a restart in the middle. The list of written lines is the oracle.
 */
#include "daemon/file/tail_loop.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "followed_file.h"
#include "tap.h"

static void plain_append(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_add(place, "log", "two");
	place_turn(place);
	place_add(place, "log", "three");
}

static void file_not_there(struct place *place)
{
	place_follow(place);
	place_turn(place);
	place_add(place, "log", "one");
	place_add(place, "log", "two");
}

static void parent_not_there(struct place *place)
{
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "a/b/log"));
	place_follow(place);
	place_turn(place);
	mkdir(place_at(place, "a"), 0755);
	mkdir(place_at(place, "a/b"), 0755);
	place_add(place, "a/b/log", "one");
	place_turn(place);
	place_add(place, "a/b/log", "two");
}

static void rename_create(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "before");
	place_move(place, "log", "log.1");
	place_add(place, "log", "after");
	place_turn(place);
	place_add(place, "log", "more");
}

/* A path with more directories than are watched. */
static void deep_path(struct place *place)
{
	char path[512] = "d";
	mkdir(place_at(place, path), 0755);
	while (strlen(path) < 2 * 140) {
		strcat(path, "/d");
		mkdir(place_at(place, path), 0755);
	}
	strcat(path, "/log");
	snprintf(place->path, sizeof place->path, "%s", place_at(place, path));
	place_follow(place);
	place_turn(place);
	place_add(place, path, "one");
}

static void late_writer(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	place_say(place, fd, "before");
	place_move(place, "log", "log.1");
	place_add(place, "log", "new");
	place_turn(place);
	place_say(place, fd, "late");
	place_turn(place);
	place_say(place, fd, "later");
	close(fd);
}

static void rotate_thrice(struct place *place)
{
	for (int i = 1; i <= 3; i++) {
		char text[32], name[32];
		snprintf(text, sizeof text, "of file %d", i);
		snprintf(name, sizeof name, "log.%d", i);
		place_add(place, "log", text);
		place_move(place, "log", name);
	}
	place_add(place, "log", "last");
}

static void rotations_at_once(struct place *place)
{
	place_begin(place);
	rotate_thrice(place);
}

/* Rotates as logrotate does: each old file gets the next number. */
static void rotations_shifted(struct place *place)
{
	place_begin(place);
	for (int i = 1; i <= 4; i++) {
		char text[32];
		snprintf(text, sizeof text, "of file %d", i);
		place_add(place, "log", text);
		for (int from = i; from > 1; from--) {
			char older[32], newer[32];
			snprintf(older, sizeof older, "log.%d", from);
			snprintf(newer, sizeof newer, "log.%d", from - 1);
			place_move(place, newer, older);
		}
		place_move(place, "log", "log.1");
	}
	place_add(place, "log", "last");
}

static void rotations_with_turns(struct place *place)
{
	place_begin(place);
	for (int i = 1; i <= 3; i++) {
		char text[32], name[32];
		snprintf(text, sizeof text, "of file %d", i);
		snprintf(name, sizeof name, "log.%d", i);
		place_add(place, "log", text);
		place_turn(place);
		place_move(place, "log", name);
		place_turn(place);
	}
	place_add(place, "log", "last");
}

static void copy_file(const struct place *place, const char *from, const char *to)
{
	char bytes[65536];
	int in = open(place_at(place, from), O_RDONLY | O_CLOEXEC);
	int out = open(place_at(place, to), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;
	while ((n = read(in, bytes, sizeof bytes)) > 0)
		place_put(out, bytes, (size_t)n);
	close(in);
	close(out);
}

static void copytruncate(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "before the copy");
	place_turn(place);
	copy_file(place, "log", "log.1");
	if (truncate(place_at(place, "log"), 0) < 0)
		abort();
	place_add(place, "log", "after");
	place_turn(place);
	place_add(place, "log", "more");
}

/* A copy goes into the file that lost the name a moment ago. */
static void copied_over_rotated(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "first");
	place_turn(place);
	place_move(place, "log", "log.1");
	place_add(place, "log", "second");
	place_turn(place);
	if (truncate(place_at(place, "log.1"), 0) < 0)
		abort();
	place_turn(place);
	copy_file(place, "log", "log.1");
	place_turn(place);
	place_add(place, "log", "third");
}

static void regrown_unseen(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "short");
	place_turn(place);
	if (truncate(place_at(place, "log"), 0) < 0)
		abort();
	place_add(place, "log", "a first line that is longer than all there was before");
	place_add(place, "log", "a second");
}

static void rewritten_same_size(struct place *place)
{
	int fd;
	place_begin(place);
	place_add(place, "log", "ABCDEF");
	place_turn(place);
	fd = place_open_file(place, "log", O_TRUNC);
	place_say(place, fd, "AN OLD LINE");
	place_say(place, fd, "GHIJKL");
	place_say(place, fd, "and more");
	close(fd);
}

static void hole(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", 0);
	lseek(fd, 0, SEEK_END);
	for (int i = 0; i < 2000; i++) {
		char text[32];
		snprintf(text, sizeof text, "line %d", i);
		place_say(place, fd, text);
	}
	place_turn(place);
	copy_file(place, "log", "log.1");
	if (truncate(place_at(place, "log"), 0) < 0)
		abort();
	place_say(place, fd, "behind a hole");
	place_turn(place);
	place_say(place, fd, "and on");
	close(fd);
}

static void short_hole(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", 0);
	lseek(fd, 0, SEEK_END);
	place_say(place, fd, "one");
	place_turn(place);
	if (truncate(place_at(place, "log"), 0) < 0)
		abort();
	place_say(place, fd, "behind a hole of some bytes");
	close(fd);
}

/* Another writer was first in the truncated file. */
static void hole_behind_line(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", 0);
	(void)lseek(fd, 300000, SEEK_SET);
	if (truncate(place_at(place, "log"), 0) < 0)
		abort();
	place_add(place, "log", "of the other");
	place_turn(place);
	place_say(place, fd, "behind the hole");
	place_turn(place);
	place_say(place, fd, "more");
	close(fd);
}

static void editor_saves(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	for (int i = 0; i < 3; i++) {
		char text[32];
		snprintf(text, sizeof text, "saved %d", i);
		place_add(place, ".log.tmp", text);
		place_move(place, ".log.tmp", "log");
		place_turn(place);
	}
}

static void delete_recreate(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	unlink(place_at(place, "log"));
	place_turn(place);
	place_add(place, "log", "two");
}

static void append_delete_recreate(struct place *place)
{
	place_begin(place);
	place_turn(place);
	place_add(place, "log", "one");
	unlink(place_at(place, "log"));
	place_add(place, "log", "two");
}

static void same_inode(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	/* With our descriptor closed, as after an end, most file systems give the number again. */
	unlink(place_at(place, "log"));
	place_add(place, "log", "a new one, which is longer than the old one was");
	place_add(place, "log", "two");
}

static void symlink_retargeted(struct place *place)
{
	place_add_old(place, "old");
	if (symlink("old", place->path) < 0)
		abort();
	place_follow(place);
	place_add(place, "old", "through the link");
	place_add(place, "new", "whole new file");
	if (symlink("new", place_at(place, "link")) < 0)
		abort();
	place_move(place, "link", "log");
	place_turn(place);
	place_add(place, "new", "more");
	place_turn(place);
}

static void symlink_elsewhere(struct place *place)
{
	mkdir(place_at(place, "far"), 0755);
	place_add_old(place, "far/real");
	if (symlink("far/real", place->path) < 0)
		abort();
	place_follow(place);
	place_add(place, "far/real", "one");
	place_turn(place);
	place_add(place, "far/real", "two");
	place_move(place, "far/real", "far/real.1");
	place_add(place, "far/real", "three");
	place_turn(place);
	place_add(place, "far/real", "four");
}

static void symlink_dangling(struct place *place)
{
	mkdir(place_at(place, "far"), 0755);
	if (symlink("far/real", place->path) < 0)
		abort();
	place_follow(place);
	place_turn(place);
	place_add(place, "far/real", "one");
}

static void symlinked_directory(struct place *place)
{
	mkdir(place_at(place, "v1"), 0755);
	mkdir(place_at(place, "v2"), 0755);
	if (symlink("v1", place_at(place, "now")) < 0)
		abort();
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "now/log"));
	place_follow(place);
	place_add(place, "v1/log", "one");
	place_turn(place);
	place_add(place, "v2/log", "two");
	if (symlink("v2", place_at(place, "next")) < 0)
		abort();
	place_move(place, "next", "now");
	place_turn(place);
	place_add(place, "v2/log", "three");
}

static void parent_renamed(struct place *place)
{
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "dir/log"));
	mkdir(place_at(place, "dir"), 0755);
	place_follow(place);
	place_add(place, "dir/log", "one");
	place_turn(place);
	place_move(place, "dir", "dir.old");
	mkdir(place_at(place, "dir"), 0755);
	place_add(place, "dir/log", "two");
	place_turn(place);
	place_add(place, "dir/log", "three");
}

static void grandparent_renamed(struct place *place)
{
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "a/b/log"));
	mkdir(place_at(place, "a"), 0755);
	mkdir(place_at(place, "a/b"), 0755);
	place_follow(place);
	place_add(place, "a/b/log", "one");
	place_turn(place);
	place_move(place, "a", "z");
	mkdir(place_at(place, "a"), 0755);
	mkdir(place_at(place, "a/b"), 0755);
	place_add(place, "a/b/log", "two");
}

static void parent_remade(struct place *place)
{
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "dir/log"));
	mkdir(place_at(place, "dir"), 0755);
	place_follow(place);
	place_add(place, "dir/log", "one");
	place_turn(place);
	unlink(place->path);
	rmdir(place_at(place, "dir"));
	mkdir(place_at(place, "dir"), 0755);
	place_add(place, "dir/log", "two");
	place_turn(place);
	place_add(place, "dir/log", "three");
}

static void line_in_pieces(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	place_put(fd, "one ", 4);
	place_turn(place);
	place_put(fd, "two ", 4);
	place_turn(place);
	place_put(fd, "three\n", 6);
	place_expect(place, "one two three");
	close(fd);
}

static void bytes_of_characters(struct place *place)
{
	static const char text[] = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x9f";
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	for (size_t i = 0; i < sizeof text - 1; i++) {
		place_put(fd, text + i, 1);
		place_turn(place);
	}
	place_put(fd, "\n", 1);
	place_expect(place, text);
	close(fd);
}

static void crlf(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	place_put(fd, "one\r\ntwo\r", 9);
	place_turn(place);
	place_put(fd, "\n\r\n", 3);
	place_expect(place, "one");
	place_expect(place, "two");
	place_expect(place, "");
	close(fd);
}

static void partial_then_rotation(struct place *place)
{
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	place_put(fd, "no end", 6);
	close(fd);
	if (place->mode != PLACE_RESTART)
		place_turn(place);
	place_move(place, "log", "log.1");
	place_add(place, "log", "next file");
	place_expect(place, "no end");
}

static void long_line(struct place *place)
{
	char *text = xalloc(1 << 20);
	int fd;
	memset(text, 'x', 1 << 20);
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	place_put(fd, text, 1 << 20);
	place_turn(place);
	place_put(fd, "\n", 1);
	place_say(place, fd, "next");
	text[TAIL_LINE_MAX] = '\0';
	place_expect(place, text);
	close(fd);
	mem_free(text);
}

/* Lines of all lengths around the bound, and with their ends around those of chunks. */
static void lines_around_bounds(struct place *place)
{
	char *text = xalloc(TAIL_LINE_MAX + 8);
	int fd;
	place_begin(place);
	fd = place_open_file(place, "log", O_APPEND);
	for (int i = -4; i <= 4; i++) {
		size_t len = (size_t)(TAIL_LINE_MAX + i);
		memset(text, 'a' + i + 4, len);
		text[len] = '\n';
		place_put(fd, text, len + 1);
		text[len > TAIL_LINE_MAX ? TAIL_LINE_MAX : len] = '\0';
		place_expect(place, text);
		if (i % 2)
			place_turn(place);
	}
	place_say(place, fd, "end");
	close(fd);
	mem_free(text);
}

static void many_lines(struct place *place)
{
	struct buf bytes;
	int fd;
	buf_init(&bytes, 64 << 20);
	place_begin(place);
	for (int i = 0; i < 200000; i++) {
		char text[64];
		snprintf(text, sizeof text, "line %d, and more than three looks read at once", i);
		place_expect(place, text);
		(void)buf_printf(&bytes, "%s\n", text);
	}
	fd = place_open_file(place, "log", O_APPEND);
	place_put(fd, bytes.data, bytes.len);
	close(fd);
	buf_finish(&bytes);
	for (int turn = 0; turn < 10000 && place->told.count == 0; turn++)
		event_base_loop(place->base, EVLOOP_ONCE);
	ok(place->told.count > 0 && place->told.count < 200000,
	    "%s: other events have turns between two looks", place_mode_names[place->mode]);
}

static void many_rotations(struct place *place)
{
	place_begin(place);
	for (int i = 0; i < 20; i++) {
		char name[32];
		int fd = place_open_file(place, "log", O_APPEND);
		for (int j = 0; j < 1000; j++) {
			char text[32];
			snprintf(text, sizeof text, "%d in file %d", j, i);
			place_say(place, fd, text);
		}
		close(fd);
		if (i % 3 == 0)
			place_turn(place);
		snprintf(name, sizeof name, "log.%d", i);
		place_move(place, "log", name);
	}
	place_add(place, "log", "last");
}

static void written_by_memory(struct place *place)
{
	static const char text[] = "stored into memory\n";
	char *memory;
	int fd;
	place_begin(place);
	place_turn(place);
	fd = open(place->path, O_RDWR | O_CLOEXEC);
	if (ftruncate(fd, 4096) < 0)
		abort();
	place_turn(place);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(memory + 12, text, sizeof text - 1);
	msync(memory, 4096, MS_SYNC);
	munmap(memory, 4096);
	close(fd);
	place_expect(place, "stored into memory");
}

static void hard_link(struct place *place)
{
	place_begin(place);
	if (link(place->path, place_at(place, "other")) < 0)
		abort();
	place_turn(place);
	place_add(place, "other", "by another name");
}

static void away_and_back(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	place_move(place, "log", "aside");
	place_turn(place);
	place_move(place, "aside", "log");
	place_turn(place);
	place_add(place, "log", "two");
}

/* Back after it was closed. */
static void away_for_long(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	place_move(place, "log", "log.1");
	place_run(place, TAIL_LINGER_MS + 300);
	place_move(place, "log.1", "log");
	place_turn(place);
	place_add(place, "log", "two");
}

static void becomes_directory(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	unlink(place->path);
	mkdir(place->path, 0755);
	place_turn(place);
	ok(tail_state(tail_loop_tail(place->tail_loop)) == TAIL_NOT_REGULAR,
	    "a directory is called no file");
	rmdir(place->path);
	place_add(place, "log", "two");
}

static void becomes_fifo(struct place *place)
{
	if (mkfifo(place->path, 0644) < 0)
		abort();
	place_follow(place);
	place_turn(place);
	ok(tail_state(tail_loop_tail(place->tail_loop)) == TAIL_NOT_REGULAR,
	    "a FIFO does not block");
	unlink(place->path);
	place_add(place, "log", "one");
}

static void stopped_meanwhile(struct place *place)
{
	place_begin(place);
	place_turn(place);
	place_add(place, "log", "one");
	place_move(place, "log", "log.1");
	place_add(place, "log", "two");
}

static void stopped_for_three(struct place *place)
{
	place_begin(place);
	place_turn(place);
	rotate_thrice(place);
	place_turn(place);
	place_add(place, "log", "more");
}

static void restarted_and_rotated(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	place_add(place, "log", "written while down");
	place_move(place, "log", "log.1");
	place_add(place, "log", "in the second");
	place_move(place, "log", "log.2");
	place_add(place, "log", "in the third");
	if (place->mode == PLACE_INOTIFY)
		place_restart(place);
}

static void restarted_and_regrown(struct place *place)
{
	int fd;
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	fd = place_open_file(place, "log", O_TRUNC);
	place_say(place, fd, "written while down, and more of it than there was");
	close(fd);
	place_restart(place);
}

/* A neighbour with a longer name is another file. */
static void neighbours(struct place *place)
{
	place_follow(place);
	place_turn(place);
	for (int i = 0; i < 3; i++) {
		int fd = place_open_file(place, "log.err", O_APPEND);
		place_put(fd, "not ours\n", 9);
		close(fd);
		fd = place_open_file(place, "log2", O_APPEND);
		place_put(fd, "not ours\n", 9);
		close(fd);
		place_add(place, "log", "ours");
		place_turn(place);
		place_move(place, "log", i == 0 ? "log.1" : i == 1 ? "log.2" : "log.3");
	}
	copy_file(place, "log.3", "log.4");
	place_add(place, "log", "last");
}

/*
 * A status file that programs write again and again: whole, in place, by a rename. Only its first
 * line differs. After a restart only the last TAIL_MARK_MAX bytes say whether it has changed.
 */
static void status_file(struct place *place)
{
	int most = place->mode == PLACE_RESTART ? 6 : 2000;
	int same = 0;
	place_begin(place);
	srandom(1);
	for (int i = 10; i < 60; i++) {
		enum { WHOLE, BY_RENAME, IN_PLACE } way = i == 10 ? WHOLE : (int)(random() % 3);
		const char *name = way == BY_RENAME ? "log.new" : "log";
		int fd = place_open_file(place, name, way == IN_PLACE ? 0 : O_TRUNC);
		char text[16];
		if (way != IN_PLACE)
			same = (int)(random() % most);
		snprintf(text, sizeof text, "%d", i);
		place_say(place, fd, text);
		for (int line = 0; line < same; line++)
			place_say(place, fd, "the same");
		close(fd);
		if (way == BY_RENAME)
			place_move(place, name, "log");
		place_turn(place);
	}
}

static const struct scenario scenarios[] = {
    {"plain append", plain_append},
    {"the file is not there yet", file_not_there},
    {"its directory is not there yet", parent_not_there},
    {"rename and create", rename_create},
    {"a path of many directories", deep_path},
    {"a late writer to the renamed file", late_writer},
    {"three rotations at once", rotations_at_once},
    {"four rotations at once, numbers shifted", rotations_shifted},
    {"three rotations with time between", rotations_with_turns},
    {"copytruncate", copytruncate},
    {"a copy over the file that was rotated by a rename", copied_over_rotated},
    {"truncated and grown past the old size unseen", regrown_unseen},
    {"rewritten to the same size and more", rewritten_same_size},
    {"a status file, written again in each way", status_file},
    {"copytruncate, and the writer goes on behind a hole", hole},
    {"the same with a hole within a page", short_hole},
    {"a hole behind the line of another writer", hole_behind_line},
    {"an editor saves by rename", editor_saves},
    {"deleted, later made again", delete_recreate},
    {"appended, deleted, made again at once", append_delete_recreate},
    {"made again with the same inode number", same_inode},
    {"symbolic link to another file", symlink_retargeted},
    {"symbolic link into another directory, rotated there", symlink_elsewhere},
    {"dangling symbolic link", symlink_dangling},
    {"a linked directory is switched", symlinked_directory},
    {"directory renamed, a new one made", parent_renamed},
    {"a directory further up renamed", grandparent_renamed},
    {"directory deleted and made again", parent_remade},
    {"a line in three pieces", line_in_pieces},
    {"characters byte by byte", bytes_of_characters},
    {"CRLF", crlf},
    {"a last line without end, then rotation", partial_then_rotation},
    {"a line of 1 MiB", long_line},
    {"lines around the bound", lines_around_bounds},
    {"200,000 lines at once", many_lines},
    {"20 rotations of 1,000 lines", many_rotations},
    {"written through memory", written_by_memory},
    {"written through another hard link", hard_link},
    {"moved away and back", away_and_back},
    {"moved away for long, and back", away_for_long},
    {"becomes a directory", becomes_directory},
    {"is a FIFO", becomes_fifo},
    {"stopped during a rotation", stopped_meanwhile},
    {"stopped during three", stopped_for_three},
    {"started again after two rotations", restarted_and_rotated},
    {"started again after it was truncated and grew", restarted_and_regrown},
    {"neighbours with names like it", neighbours},
};

int main(int argc, char **argv)
{
	place_run_all(scenarios, sizeof scenarios / sizeof *scenarios, argc > 1 ? argv[1] : "");
	return done_testing();
}
