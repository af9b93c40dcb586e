/* SPDX-License-Identifier: ISC */
/*
 * Starts a program as a service manager does: with a listening socket as descriptor 3, once
 * a client has connected to it. The messages from the program go to standard output, one a line.
 *
 *	activate [-c count] [-m mode] [-n] [-p pid] socket command...
 *
 * -c: the number of descriptors that it announces; -m: the socket's mode; -n: at once; -p: the
 * process id that it announces. Exit status: that of the command.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_un address_of(const char *path, const char *suffix)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s%s", path, suffix) >=
	    sizeof address.sun_path)
		errx(99, "%s: too long", path);
	return address;
}

static int bind_socket(int type, const char *path, const char *suffix, mode_t mode)
{
	struct sockaddr_un address = address_of(path, suffix);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	(void)unlink(address.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
	    chmod(address.sun_path, mode) < 0)
		err(99, "%s", address.sun_path);
	return fd;
}

static void __attribute__((noreturn))
run(char **command, int listener, const char *count, const char *pid, const char *notify)
{
	char self[32];
	(void)snprintf(self, sizeof self, "%ld", (long)getpid());
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (dup2(listener, 3) != 3 || fcntl(3, F_SETFD, 0) < 0 ||
	    setenv("LISTEN_FDS", count, 1) < 0 ||
	    setenv("LISTEN_PID", pid != NULL ? pid : self, 1) < 0 ||
	    setenv("NOTIFY_SOCKET", notify, 1) < 0)
		err(99, "setenv");
	(void)execvp(command[0], command);
	err(99, "%s", command[0]);
}

/* Passes on the messages until the child has ended and every message was read. */
static int listen_to(int notify, pid_t child)
{
	int status = 0;
	bool is_over = false;
	while (!is_over) {
		char text[512];
		struct pollfd wanted = {.fd = notify, .events = POLLIN};
		is_over = waitpid(child, &status, WNOHANG) == child;
		while (poll(&wanted, 1, is_over ? 0 : 20) > 0) {
			ssize_t len = recv(notify, text, sizeof text, 0);
			if (len > 0)
				(void)printf("%.*s\n", (int)len, text);
			(void)fflush(stdout);
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *count = "1";
	const char *pid = NULL;
	mode_t mode = 0600;
	bool waits = true;
	int option, listener, notify;
	pid_t child;
	struct pollfd wanted;
	const char *path;
	struct sockaddr_un told;
	while ((option = getopt(argc, argv, "+c:m:np:")) != -1) {
		if (option == 'c')
			count = optarg;
		else if (option == 'm')
			mode = (mode_t)strtoul(optarg, NULL, 8);
		else if (option == 'n')
			waits = false;
		else if (option == 'p')
			pid = optarg;
		else
			return 99;
	}
	if (argc - optind < 2)
		errx(99, "usage: activate [-c count] [-m mode] [-n] [-p pid] socket command...");
	path = argv[optind];
	listener = bind_socket(SOCK_STREAM, path, "", mode);
	notify = bind_socket(SOCK_DGRAM, path, ".notify", 0600);
	told = address_of(path, ".notify");
	if (listen(listener, 16) < 0)
		err(99, "listen");
	wanted = (struct pollfd){.fd = listener, .events = POLLIN};
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* the script's end is ours */
	if (waits && poll(&wanted, 1, 60000) <= 0)
		errx(99, "nobody connects");
	child = fork();
	if (child == 0)
		run(argv + optind + 1, listener, count, pid, told.sun_path);
	return listen_to(notify, child);
}
