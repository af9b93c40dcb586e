/* SPDX-License-Identifier: ISC */
/*
 * The foreground of panes as read from /proc, against the answers of every tmux to the same
 * question, byte by byte: shells, pipelines, scripts, programs that rename themselves or belong to
 * another user, directories with any name, processes that are gone.
 */
#include <muxbus.h>

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness.h"
#include "lib/sync/pane_proc.h"

enum {
	BOTH = PANE_PROC_COMMAND | PANE_PROC_PATH,
	START = PANE_PROC_START | PANE_PROC_PATH,
	PATH = PANE_PROC_PATH,
	USER = 65534,
};

struct asked {
	struct live *live;
	struct muxbus_loop *loop;
	struct muxbus_connection *connection;
	struct muxbus_version version;
	bool is_ready;
	bool is_answered;
	struct buf body; /* of the last reply */
	struct pane_proc proc;
};

/* The pane as tmux has it. */
struct answer {
	int pid;
	bool is_dead;
	char tty[64];
	char command[2 * MUXBUS_NAME_MAX];
	char path[2 * MUXBUS_NAME_MAX];
};

static void on_ready(void *data, const struct muxbus_version *version, uint32_t session)
{
	struct asked *asked = data;
	(void)session;
	asked->version = *version;
	asked->is_ready = true;
}

static void on_closed(void *data, int error, const char *reason)
{
	(void)data;
	live_bail("closed: %d %s", error, reason);
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct asked *asked = data;
	asked->is_answered = true;
	buf_clear(&asked->body);
	if (error == 0 && count == 1)
		(void)buf_append(&asked->body, replies[0].body, replies[0].body_len);
}

static void wait_for(struct asked *asked, const bool *fact)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (!*fact && live_now_ms() < end_ms)
		(void)muxbus_loop_dispatch(asked->loop, 100);
	if (!*fact)
		live_bail("tmux does not answer");
}

static void run(struct asked *asked, struct muxbus_command *command)
{
	asked->is_answered = false;
	if (muxbus_connection_run(asked->connection, command, on_reply, asked) != 0)
		live_bail("the command is not taken");
	wait_for(asked, &asked->is_answered);
}

static struct muxbus_command *command_of(const char *name)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		live_bail("out of memory");
	muxbus_command_args(command, name, NULL);
	return command;
}

/* Decodes one field of the reply, which ends at a TAB or newline. Returns the next. */
static char *read_field(struct asked *asked, char *field, char *out, size_t size)
{
	size_t len = strcspn(field, "\t\n");
	char *next = field + len + 1;
	ssize_t decoded = muxbus_field_decode(field, len, asked->version.caps);
	if (decoded < 0 || (size_t)decoded >= size)
		live_bail("a field of tmux that cannot be read");
	memcpy(out, field, (size_t)decoded);
	out[decoded] = '\0';
	return next;
}

/* Asks tmux for the pane of the window named case. */
static bool ask(struct asked *asked, struct answer *ret_answer)
{
	static const char *const variables[] = {
	    "pane_tty", "pane_current_command", "pane_current_path"};
	struct muxbus_command *command = command_of("list-panes");
	char format[512] = "#{pane_dead} #{pane_pid}"; /* 3.8: a dead pane has no pid */
	char *field;
	size_t len = strlen(format);
	int dead;
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
		format[len++] = '\t';
		len += (size_t)muxbus_field_format(format + len, sizeof format - len, variables[i]);
	}
	muxbus_command_args(command, "-t", "main:case", "-F", format, NULL);
	run(asked, command);
	(void)buf_append_byte(&asked->body, '\0');
	field = (char *)asked->body.data;
	ret_answer->pid = 0;
	if (sscanf(field, "%d %d\t", &dead, &ret_answer->pid) < 1)
		return false;
	ret_answer->is_dead = dead != 0;
	field = strchr(field, '\t') + 1;
	field = read_field(asked, field, ret_answer->tty, sizeof ret_answer->tty);
	field = read_field(asked, field, ret_answer->command, sizeof ret_answer->command);
	(void)read_field(asked, field, ret_answer->path, sizeof ret_answer->path);
	return true;
}

/* Whether the fields that are known are those of tmux. */
static bool agrees(unsigned known, const struct pane_foreground *own, const struct answer *answer)
{
	return ((known & PANE_PROC_COMMAND) == 0 || strcmp(own->command, answer->command) == 0) &&
	    ((known & PANE_PROC_PATH) == 0 || strcmp(own->path, answer->path) == 0);
}

struct row {
	const char *what;
	const char *script; /* of a new window: for bash, or for perl if is_perl */
	unsigned known; /* what is known here once the program is ready */
	const char *command; /* the answer of tmux then; NULL: differs by version */
	const char *path; /* the end of tmux's answer; NULL: any */
	bool is_perl;
	const char *key; /* typed when the command of tmux is first; NULL: none */
	const char *first;
};

/* Waits until tmux answers as wanted, and compares. */
static bool compare(struct asked *asked, const struct row *row, const char *command)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	struct answer answer = {0};
	struct pane_foreground own = {0};
	unsigned known = 0;
	while (live_now_ms() < end_ms) {
		bool is_same = ask(asked, &answer);
		size_t len = strlen(answer.path), end = row->path != NULL ? strlen(row->path) : 0;
		known = pane_proc_read(&asked->proc, answer.pid, answer.tty, &own);
		if (is_same && known == row->known && agrees(known, &own, &answer) &&
		    (command == NULL || strcmp(answer.command, command) == 0) && len >= end &&
		    (row->path == NULL || strcmp(answer.path + len - end, row->path) == 0))
			return true;
		live_sleep_ms(10);
	}
	diag("tmux: pid %d, %s, \"%s\" in \"%s\"", answer.pid, answer.tty, answer.command,
	    answer.path);
	diag("here: %x, group %d, \"%s\" in \"%s\"", known, (int)own.group, own.command, own.path);
	return false;
}

static void start_window(struct asked *asked, const struct row *row)
{
	struct muxbus_command *command = command_of("new-window");
	muxbus_command_args(
	    command, "-d", "-n", "case", "-c", asked->live->dir, "-t", "main:", NULL);
	if (row->is_perl)
		muxbus_command_args(command, "perl", "-e", row->script, NULL);
	else if (row->script != NULL)
		muxbus_command_args(command, "bash", "-c", row->script, NULL);
	run(asked, command);
}

static void end_window(struct asked *asked)
{
	struct muxbus_command *command = command_of("kill-window");
	muxbus_command_args(command, "-t", "main:case", NULL);
	run(asked, command);
}

static void test_row(struct asked *asked, const struct row *row)
{
	struct row first = {.known = BOTH, .command = row->first};
	start_window(asked, row);
	if (row->key != NULL && compare(asked, &first, row->first)) {
		struct muxbus_command *command = command_of("send-keys");
		muxbus_command_args(command, "-t", "main:case", row->key, NULL);
		run(asked, command);
	}
	ok(compare(asked, row, row->command), "tmux %s: %s", asked->live->version, row->what);
	end_window(asked);
}

/* clang-format off */
static const struct row commands[] = {
    {"a login shell", NULL, BOTH, "sh", NULL, false, NULL, NULL},
    {"a program", "exec sleep 600", BOTH, "sleep", NULL, false, NULL, NULL},
    {"bash as a login shell", "exec -a -bash bash --norc --noprofile -i", BOTH, "bash", NULL, false, NULL, NULL},
    {"a program in a shell without job control", "sleep 600; true", BOTH, "bash", NULL, false, NULL, NULL},
    {"a program in the foreground", "set -m; sleep 600; true", BOTH, "sleep", NULL, false, NULL, NULL},
    {"a pipeline", "set -m; sleep 600 | cat; true", BOTH, "sleep", NULL, false, NULL, NULL},
    {"a pipeline whose leader has exited", "set -m; true | sleep 600; true", START, "bash", NULL, false, NULL, NULL},
    {"a job in the background", "set -m; sleep 600 & read x", BOTH, "bash", NULL, false, NULL, NULL},
    {"a script", "printf '#!/bin/sh\\nread x\\n' >script; chmod 700 script; exec ./script", BOTH, "sh", NULL, false, NULL, NULL},
    {"a name with ')'", "ln -s \"$(command -v sleep)\" 'x) S 1 1 (y'; exec './x) S 1 1 (y' 600", BOTH, "./x)", NULL, false, NULL, NULL},
    {"another name", "exec -a '/opt/x y/z' sleep 600", BOTH, "x", NULL, false, NULL, NULL},
    {"a name with exec", "exec -a 'exec vi' sleep 600", BOTH, "vi", NULL, false, NULL, NULL},
    {"a name in quotes", "exec -a '\"a b\" c' sleep 600", BOTH, "a", NULL, false, NULL, NULL},
    {"an empty name", "exec -a '' sleep 600", START, "bash", NULL, false, NULL, NULL},
    {"a name of hyphens", "exec -a --- sleep 600", BOTH, "", NULL, false, NULL, NULL},
    {"a name of slashes", "exec -a /// sleep 600", BOTH, "/", NULL, false, NULL, NULL},
    {"a name with a slash at the end", "exec -a /a/b/ sleep 600", BOTH, "b", NULL, false, NULL, NULL},
    {"a relative name", "exec -a a/b sleep 600", BOTH, "a/b", NULL, false, NULL, NULL},
    {"formats in a name", "exec -a '#{pane_id}%41#[x]' sleep 600", BOTH, "#{pane_id}%41#[x]", NULL, false, NULL, NULL},
    {"a name that ends with a letter outside ASCII", "exec -a $'caf\\303\\251' sleep 600", BOTH, "caf", NULL, false, NULL, NULL},
    {"a name that ends with a control character", "exec -a $'a\\001' sleep 600", BOTH, "a", NULL, false, NULL, NULL},
    {"a name outside ASCII", "exec -a $'\\303\\251t\\303\\251s' sleep 600", PATH, NULL, NULL, false, NULL, NULL},
    {"a name of invalid UTF-8", "exec -a $'a\\377b' sleep 600", PATH, NULL, NULL, false, NULL, NULL},
    {"a name with a TAB", "exec -a $'a\\tb' sleep 600", PATH, NULL, NULL, false, NULL, NULL},
    {"a name with a backslash", "exec -a 'a\\b' sleep 600", PATH, NULL, NULL, false, NULL, NULL},
    {"a long name", "exec -a $(printf '%04000d' 7) sleep 600", BOTH, NULL, NULL, false, NULL, NULL},
    {"a name that is too long", "exec -a $(printf '%05000d' 7) sleep 600", PATH, NULL, NULL, false, NULL, NULL},
    {"a program that renames itself", "$0 = 'named: now'; sleep 600", BOTH, "named:", NULL, true, NULL, NULL},
    {"a program that gives itself a long name", "$0 = 'x' x 3000; sleep 600", BOTH, NULL, NULL, true, NULL, NULL},
    {"a program that erases its name", "$0 = ''; sleep 600", START, "perl", NULL, true, NULL, NULL},
    {"python", "exec python3 -c 'import time; time.sleep(600)'", BOTH, "python3", NULL, false, NULL, NULL},
    {"a program of another group", "set -m; (cd /usr; exec sleep 600); true", BOTH, "sleep", "/usr", false, NULL, NULL},
    {"a stopped program", "set -m; sleep 600; cd /usr; read x", BOTH, "bash", "/usr", false, "C-z", "sleep"},
    {"a zombie in the foreground", "use POSIX; $SIG{TTOU} = 'IGNORE'; my $child = fork; sleep 600 if !$child; "
	"setpgrp $child, $child; POSIX::tcsetpgrp(0, $child); kill 'KILL', $child; sleep 600 while 1", START, "perl", NULL, true, NULL, NULL},
};

static const struct row directories[] = {
    {"a directory with blanks", "mkdir -p 'd/a b '; cd 'd/a b '; exec sleep 600", BOTH, "sleep", "/d/a b ", false, NULL, NULL},
    {"a directory with a newline and a TAB", "mkdir -p $'d/a\\nb\\tc'; cd $'d/a\\nb\\tc'; exec sleep 600", BOTH, "sleep", "/d/a\nb\tc", false, NULL, NULL},
    {"a directory with control characters", "mkdir -p $'d/\\001\\033[1m\\177'; cd d/$'\\001\\033[1m\\177'; exec sleep 600", BOTH, "sleep", "/d/\001\033[1m\177", false, NULL, NULL},
    {"a directory of formats", "mkdir -p 'd/#{pane_id}%0A\\n\\\\#[x]'; cd 'd/#{pane_id}%0A\\n\\\\#[x]'; exec sleep 600", BOTH, "sleep", "/d/#{pane_id}%0A\\n\\\\#[x]", false, NULL, NULL},
    {"a directory outside ASCII", "mkdir -p $'d/\\303\\251\\346\\227\\245'; cd $'d/\\303\\251\\346\\227\\245'; exec sleep 600", BOTH, "sleep", "/d/\303\251\346\227\245", false, NULL, NULL},
    {"a directory of invalid UTF-8", "mkdir -p $'d/a\\377\\200\\303b'; cd $'d/a\\377\\200\\303b'; exec sleep 600", BOTH, "sleep", "/d/a\377\200\303b", false, NULL, NULL},
    {"a removed directory", "mkdir -p d/gone; cd d/gone; rmdir ../gone; exec sleep 600", BOTH, "sleep", "/d/gone (deleted)", false, NULL, NULL},
    {"a long directory", "for (1..15) { mkdir 'x' x 200; chdir 'x' x 200 } exec 'sleep', '600'", BOTH, "sleep", NULL, true, NULL, NULL},
    {"a directory too long for the kernel", "for (1..22) { mkdir 'y' x 200; chdir 'y' x 200 } exec 'sleep', '600'", BOTH, "sleep", "", true, NULL, NULL},
};

/* For root. */
static const struct row root_rows[] = {
    {"another root directory", "mkdir 'r'; chroot 'r'; chdir '/'; $0 = 'caged'; sleep 600", BOTH, "caged", "/r", true, NULL, NULL},
    {"a program of another user", "use POSIX; setuid(65534); $0 = 'other'; sleep 600", BOTH, "other", NULL, true, NULL, NULL},
};

/* For a user: ./theirs belongs to root and runs as root. */
static const struct row user_rows[] = {
    {"a program of root, whose directory is unreadable", "set -m; (cd /usr; exec $MUXBUS_THEIRS 600); true", BOTH, "theirs", NULL, false, NULL, NULL},
    {"a pane that root has", "cd /usr; exec $MUXBUS_THEIRS 600", BOTH, "theirs", "", false, NULL, NULL},
};
/* clang-format on */

#define ROWS(table) (sizeof table / sizeof table[0])

static void test_rows(struct asked *asked, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		test_row(asked, &rows[i]);
}

/* A pane that outlives its process, and its next process. */
static void test_dead(struct asked *asked)
{
	struct row row = {.what = "a dead pane", .script = "true", .known = 0, .path = ""};
	struct muxbus_command *command = command_of("set-option");
	struct answer answer = {0};
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	muxbus_command_args(command, "-g", "remain-on-exit", "on", NULL);
	run(asked, command);
	start_window(asked, &row);
	while ((!ask(asked, &answer) || !answer.is_dead) && live_now_ms() < end_ms)
		live_sleep_ms(10);
	ok(answer.is_dead && compare(asked, &row, NULL), "tmux %s: a dead pane",
	    asked->live->version);
	is_str(answer.path, "", "has no directory in tmux");
	command = command_of("respawn-pane");
	muxbus_command_args(command, "-t", "main:case", "-c", "/usr", "exec sleep 600", NULL);
	run(asked, command);
	row = (struct row){.known = BOTH, .path = "/usr"};
	ok(compare(asked, &row, "sleep"), "tmux %s: its next process", asked->live->version);
	end_window(asked);
	command = command_of("set-option");
	muxbus_command_args(command, "-g", "remain-on-exit", "off", NULL);
	run(asked, command);
}

static void test_tmux(const char *tmux, bool is_user)
{
	static const struct muxbus_connection_handlers handlers = {
	    .ready = on_ready, .closed = on_closed};
	struct asked asked = {.live = live_new(tmux)};
	struct muxbus_connection_options options = {.socket_path = asked.live->tmux_socket,
	    .session = MUXBUS_NO_ID,
	    .flags = MUXBUS_CONNECTION_NO_OUTPUT};
	live_start_tmux(asked.live, "exec sleep 600");
	buf_init(&asked.body, 1 << 24);
	if (muxbus_loop_new(&asked.loop) != 0 ||
	    muxbus_connection_open(asked.loop, &options, &handlers, &asked, &asked.connection) != 0)
		live_bail("no connection");
	wait_for(&asked, &asked.is_ready);
	ok(pane_proc_open(&asked.proc, "/proc", asked.live->server_pid), "the server's /proc");
	if (is_user) {
		test_rows(&asked, user_rows, ROWS(user_rows));
	} else {
		test_rows(&asked, commands, ROWS(commands));
		test_rows(&asked, directories, ROWS(directories));
		test_dead(&asked);
	}
	if (geteuid() == 0)
		test_rows(&asked, root_rows, ROWS(root_rows));
	pane_proc_close(&asked.proc);
	muxbus_connection_free(asked.connection);
	muxbus_loop_free(asked.loop);
	buf_finish(&asked.body);
	live_free(asked.live);
}

/* A set-user-ID copy of sleep: a program of root that any user can run. */
static void make_theirs(struct live *live)
{
	char path[128];
	(void)snprintf(path, sizeof path, "%s/theirs", live->dir);
	(void)live_run(
	    live, "cp \"$(command -v sleep)\" theirs && chmod 4755 theirs && chmod 755 .");
	setenv("MUXBUS_THEIRS", path, 1);
}

/* The same test by a user, whose tmux may not see directories of root. */
static void test_as_user(const char *tmux)
{
	struct live *live = live_new(tmux);
	int status = -1;
	pid_t pid;
	make_theirs(live);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)dup2(2, 1); /* the checks of this test count as one */
		if (setgroups(0, NULL) != 0 || setresgid(USER, USER, USER) != 0 ||
		    setresuid(USER, USER, USER) != 0)
			_exit(99);
		test_tmux(tmux, true);
		exit(done_testing());
	}
	(void)waitpid(pid, &status, 0);
	is_int(status, 0, "tmux %s as a user, with programs of root", live->version);
	live_free(live);
}

/* Servers that see other processes, files or rights than this process. */

/* The byte, and the process that sent it. */
static void receive_byte(int fd, char *ret_byte, struct ucred *ret_sender)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec piece = {.iov_base = ret_byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &piece,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof control};
	if (recvmsg(fd, &message, 0) == 1 && CMSG_FIRSTHDR(&message) != NULL)
		memcpy(ret_sender, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof *ret_sender);
}

static bool stay(const char *dir)
{
	(void)dir;
	return true;
}

static bool become_user(const char *dir)
{
	(void)dir;
	return setresuid(USER, USER, USER) == 0;
}

static bool change_root(const char *dir)
{
	return chroot(dir) == 0;
}

static bool leave_files(const char *dir)
{
	(void)dir;
	return unshare(CLONE_NEWNS) == 0;
}

static bool leave_processes(const char *dir)
{
	pid_t pid;
	(void)dir;
	if (unshare(CLONE_NEWPID) != 0)
		return false;
	pid = fork();
	if (pid > 0)
		_exit(0);
	return pid == 0;
}

static const struct {
	const char *what;
	bool (*change)(const char *dir);
	bool is_same;
} servers[] = {
    {"as this process", stay, true},
    {"of another user", become_user, false},
    {"in another root directory", change_root, false},
    {"in another mount namespace", leave_files, false},
    {"in another pid namespace", leave_processes, false},
};

static void test_servers(void)
{
	struct live *live = live_new(NULL);
	for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
		struct pane_proc proc;
		struct ucred peer = {0};
		char byte = 0;
		int fds[2], yes = 1;
		pid_t pid;
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 ||
		    setsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0)
			live_bail("no socket");
		pid = fork();
		if (pid == 0) {
			close(fds[0]);
			byte = servers[i].change(live->dir) ? 'y' : 'n';
			(void)!write(fds[1], &byte, 1);
			(void)!read(fds[1], &byte, 1);
			_exit(0);
		}
		close(fds[1]);
		receive_byte(fds[0], &byte, &peer);
		if (byte == 'y')
			is_int(pane_proc_open(&proc, "/proc", peer.pid), servers[i].is_same,
			    "a server %s", servers[i].what);
		else
			skip(servers[i].what);
		pane_proc_close(&proc);
		close(fds[0]);
		(void)waitpid(pid, NULL, 0);
	}
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	struct statvfs tmp;
	bool is_root = geteuid() == 0;
	bool has_suid = statvfs("/tmp", &tmp) == 0 && (tmp.f_flag & ST_NOSUID) == 0;
	for (size_t i = 0; paths[i] != NULL; i++) {
		test_tmux(paths[i], false);
		if (is_root && has_suid)
			test_as_user(paths[i]);
		else
			skip("programs of root need root and a /tmp with set-user-ID");
	}
	if (is_root)
		test_servers();
	else
		skip("other servers need root");
	return done_testing();
}
