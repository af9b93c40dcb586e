/* SPDX-License-Identifier: ISC */
/*
 * The socket: its mode, its directory, the admitted peers, and the behaviour without descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "served.h"
#include "tap.h"

static bool start(struct served *served, unsigned files_max)
{
	char reason[512];
	bool is_started = served_start(served, files_max, reason, sizeof reason);
	if (!is_started)
		diag("%s", reason);
	return is_started;
}

static void test_mode(void)
{
	struct served served, second;
	struct stat st;
	mode_t old = umask(0);
	int other;
	char moved[96], reason[512];
	struct guest guest;
	served_init(&served, NULL);
	ok(start(&served, 0), "it starts");
	(void)umask(old);
	ok(stat(served.socket, &st) == 0 && (st.st_mode & 07777) == 0600,
	    "without a umask the socket's mode is 0600");
	second = served;
	ok(!served_start(&second, 0, reason, sizeof reason) && strstr(reason, "listens there"),
	    "a socket that is listened on is never taken: %s", reason);
	ok(access(served.socket, F_OK) == 0, "nor removed");
	(void)served_stop(&served, SIGKILL);
	ok(access(served.socket, F_OK) == 0, "kill -9 leaves a stale socket");
	ok(start(&served, 0), "which is replaced");
	ok(guest_connect(&guest, &served), "by one that answers");
	guest_close(&guest);

	(void)snprintf(moved, sizeof moved, "%s.moved", served.socket);
	(void)rename(served.socket, moved);
	other = open(served.socket, O_CREAT | O_WRONLY, 0600);
	(void)close(other);
	is_int(served_stop(&served, SIGTERM), 0, "SIGTERM ends it with 0");
	ok(access(served.socket, F_OK) == 0, "a socket of another program stays");
	ok(!served_start(&served, 0, reason, sizeof reason), "and is not taken for a stale one: %s",
	    reason);
	(void)unlink(moved);
	served_finish(&served);
}

/* A child of a killed server, which has its socket until it has started its program. */
static void leave_child(const struct served *served)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	pid_t server = fork();
	if (server == 0) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		memcpy(address.sun_path, served->socket, strlen(served->socket) + 1);
		if (bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
		    listen(fd, 16) < 0 || fork() != 0)
			(void)kill(getpid(), SIGKILL);
		(void)usleep(200000);
		_exit(0);
	}
	(void)waitpid(server, NULL, 0);
}

static void test_child(void)
{
	struct served served;
	served_init(&served, NULL);
	leave_child(&served);
	ok(start(&served, 0), "the socket of a server that was killed with a child is free soon");
	served_finish(&served);
}

static void test_directory(void)
{
	struct served served;
	char reason[512];
	served_init(&served, NULL);
	(void)chmod(served.dir, 0777);
	ok(!served_start(&served, 0, reason, sizeof reason),
	    "a directory that others can write to is refused: %s", reason);
	(void)chmod(served.dir, 0700);
	memset(served.config.socket, 'x', 200);
	served.config.socket[0] = '/';
	served.config.socket[200] = '\0';
	ok(!served_start(&served, 0, reason, sizeof reason) && strstr(reason, "200"),
	    "a path that is too long is refused by its length: %.60s", reason + 195);
	served_finish(&served);
}

/* The answer to a process of another user. */
static void test_other_user(void)
{
	struct guest guest;
	pid_t pid;
	struct served served;
	int status;
	if (getuid() != 0) {
		skip("another user: needs root");
		return;
	}
	status = -1;
	served_init(&served, NULL);
	(void)start(&served, 0);
	(void)chmod(served.dir, 0711);
	(void)chmod(served.socket, 0666);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(2);
		if (!guest_connect(&guest, &served))
			_exit(3);
		(void)guest_say(&guest, "{\"id\":1,\"method\":\"shutdown\"}");
		_exit(guest_line(&guest, SERVED_TIMEOUT_MS) != NULL || !guest.is_at_end);
	}
	(void)waitpid(pid, &status, 0);
	is_int(status, 0, "another user is disconnected without a word");
	ok(guest_connect(&guest, &served), "and none of its requests was read");
	guest_close(&guest);
	served_finish(&served);
}

/* Connects count peers and asks each; the number served and the number refused with a code. */
static void crowd(struct guest *guests, int count, const struct served *served, const char *code,
    int *ret_served, int *ret_refused)
{
	*ret_served = 0;
	*ret_refused = 0;
	for (int i = 0; i < count; i++)
		if (guest_connect(&guests[i], served))
			(void)guest_say(&guests[i], "{\"id\":1,\"method\":\"ping\"}");
	for (int i = 0; i < count; i++) {
		const char *line =
		    guests[i].fd < 0 ? NULL : guest_line(&guests[i], SERVED_TIMEOUT_MS);
		*ret_served += line != NULL && strstr(line, "\"result\"");
		*ret_refused += line != NULL && strstr(line, code);
	}
}

static void leave(struct guest *guests, int count)
{
	for (int i = 0; i < count; i++)
		guest_close(&guests[i]);
}

static void test_crowd(void)
{
	static const char *const settings[] = {"peers=20", NULL};
	static struct guest guests[60];
	struct served served;
	int admitted;
	int refused;
	served_init(&served, settings);
	(void)start(&served, 0);
	for (int round = 0; round < 3; round++) {
		crowd(guests, 60, &served, "\"code\":16", &admitted, &refused);
		is_int(admitted, 20, "the limit decides how many are served");
		is_int(refused, 40, "each of the others gets an error with the reason");
		leave(guests, 60);
	}
	served_finish(&served);
}

/* CPU time of a process in ms. */
static long cpu_ms(pid_t pid)
{
	char path[64];
	long long ns = -1;
	FILE *file;
	(void)snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	file = fopen(path, "r");
	if (file == NULL || fscanf(file, "%lld", &ns) != 1)
		ns = -1;
	if (file != NULL)
		(void)fclose(file);
	return (long)(ns / 1000000);
}

/* With hardly any descriptors it must neither spin nor die, and must serve on. */
static void test_descriptors(void)
{
	static struct guest guests[60];
	struct served served;
	int admitted;
	int refused;
	bool is_back;
	long spent_ms, before_ms;
	struct guest idle[10], guest;
	const char *line;
	served_init(&served, NULL);
	(void)start(&served, 24);
	crowd(guests, 60, &served, "\"error\"", &admitted, &refused);
	ok(admitted >= 8, "with 24 descriptors %d are served", admitted);
	is_int(admitted + refused, 60, "and each of the others gets an error with the reason");
	leave(guests, 60);
	served_finish(&served);

	/* Descriptors that go later. */
	served_init(&served, NULL);
	(void)start(&served, 0);
	(void)guest_connect(&guest, &served);
	(void)guest_say(&guest, "{\"id\":1,\"method\":\"starve\"}");
	line = guest_line(&guest, SERVED_TIMEOUT_MS);
	ok(line != NULL && strstr(line, "result"), "all descriptors are taken away");
	before_ms = cpu_ms(served.pid);
	crowd(guests, 40, &served, "\"code\":17", &admitted, &refused);
	is_int(refused, 40, "a new client gets the error busy");
	leave(guests, 40);
	/*
	 * No descriptor is free for an error either: the peers wait, and the listener stays ready.
	 */
	(void)guest_say(&guest, "{\"id\":1,\"method\":\"starve\",\"params\":{\"count\":0}}");
	(void)guest_line(&guest, SERVED_TIMEOUT_MS);
	for (int i = 0; i < 10; i++)
		(void)guest_connect(&idle[i], &served);
	(void)poll(NULL, 0, 500); /* the test measures the CPU cost meanwhile */
	spent_ms = cpu_ms(served.pid) - before_ms;
	ok(spent_ms >= 0 && spent_ms < 200, "that cost %ld ms of CPU time", spent_ms);
	(void)guest_say(&guest, "{\"id\":2,\"method\":\"ping\"}");
	line = guest_line(&guest, SERVED_TIMEOUT_MS);
	ok(line != NULL && strstr(line, "\"id\":2"), "an existing client is served");
	(void)guest_say(&guest, "{\"id\":3,\"method\":\"feed\"}");
	(void)guest_line(&guest, SERVED_TIMEOUT_MS);
	leave(idle, 10);
	is_back = false;
	for (int64_t end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS;
	     !is_back && clock_mono_ms() < end_ms;) {
		crowd(guests, 1, &served, "\"error\"", &admitted, &refused);
		is_back = admitted == 1;
		leave(guests, 1);
	}
	ok(is_back, "with descriptors there is room again");
	guest_close(&guest);
	served_finish(&served);
}

/* A socket left by kill -9 is dead, and is replaced. */
static void test_stale(void)
{
	int wrong = 0;
	for (int round = 0; round < 5; round++) {
		struct served served;
		struct guest guest;
		served_init(&served, NULL);
		(void)start(&served, 0);
		(void)served_stop(&served, SIGKILL);
		wrong += guest_connect(&guest, &served);
		(void)start(&served, 0);
		wrong += !guest_connect(&guest, &served);
		guest_close(&guest);
		served_finish(&served);
	}
	is_int(wrong, 0, "a stale socket does not answer, and its successor does");
}

/* Many who connect at once, and do not wait, find room while the daemon does something else. */
static void test_burst(void)
{
	static int fds[300];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct served served;
	int count = 0;
	served_init(&served, NULL);
	(void)start(&served, 0);
	memcpy(address.sun_path, served.socket, strlen(served.socket));
	(void)kill(served.pid, SIGSTOP);
	for (int i = 0; i < 300; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		count += connect(fds[i], (struct sockaddr *)&address, sizeof address) == 0;
	}
	(void)kill(served.pid, SIGCONT);
	for (int i = 0; i < 300; i++)
		(void)close(fds[i]);
	is_int(count, 300, "all of a burst of programs are connected");
	served_finish(&served);
}

int main(void)
{
	test_mode();
	test_child();
	test_directory();
	test_other_user();
	test_crowd();
	test_descriptors();
	test_burst();
	test_stale();
	return done_testing();
}
