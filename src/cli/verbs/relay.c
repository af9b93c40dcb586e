/* SPDX-License-Identifier: ISC */
/* muxbus relay: the remote side of muxbus --host. Prints a hello, then copies bytes both ways. */
#include <poll.h>
#include <sys/socket.h>

#include "cli/verb.h"
#include "config.h"
#include "wire/relay.h"

#define FLOW_SIZE ((size_t)64 * 1024)

struct relay_flow {
	int from, to;
	size_t at; /* bytes already written */
	size_t len;
	bool has_ended; /* the input has ended */
	bool is_over; /* the end was passed on, or the output is gone */
	char bytes[FLOW_SIZE];
};

static void read_flow(struct relay_flow *flow)
{
	ssize_t n = read(flow->from, flow->bytes, sizeof flow->bytes);
	if (n > 0) {
		flow->at = 0;
		flow->len = (size_t)n;
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		flow->has_ended = true;
	}
}

static void write_flow(struct relay_flow *flow)
{
	ssize_t n = write(flow->to, flow->bytes + flow->at, flow->len - flow->at);
	if (n > 0) {
		flow->at += (size_t)n;
	} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
		cli_keep_error(flow->to != STDOUT_FILENO || errno == EPIPE);
		flow->is_over = true;
	}
}

static struct pollfd wanted(const struct relay_flow *flow)
{
	if (flow->is_over || (flow->has_ended && flow->at == flow->len))
		return (struct pollfd){.fd = -1};
	if (flow->at < flow->len)
		return (struct pollfd){.fd = flow->to, .events = POLLOUT};
	return (struct pollfd){.fd = flow->from, .events = POLLIN};
}

static void turn(struct relay_flow *flow, short revents)
{
	if (revents != 0 && flow->at < flow->len)
		write_flow(flow);
	else if (revents != 0)
		read_flow(flow);
}

/* Copies both ways until the daemon ends the connection, or standard output has no reader. */
static void carry(int fd)
{
	static struct relay_flow in, out;
	in = (struct relay_flow){.from = STDIN_FILENO, .to = fd};
	out = (struct relay_flow){.from = fd, .to = STDOUT_FILENO};
	while (!out.is_over && !(out.has_ended && out.at == out.len)) {
		struct pollfd fds[] = {wanted(&in), wanted(&out),
		    /* Notices the end of ssh while nothing is written. */
		    {.fd = STDOUT_FILENO, .events = 0}};
		if (poll(fds, 3, -1) < 0)
			continue;
		turn(&in, fds[0].revents);
		turn(&out, fds[1].revents);
		if (in.has_ended && in.at == in.len && !in.is_over) {
			(void)shutdown(fd, SHUT_WR);
			in.is_over = true;
		}
		/* A pipe without a reader reports an error, a closed socket a hangup. */
		if (fds[2].revents & (POLLERR | POLLHUP | POLLNVAL))
			out.is_over = true;
	}
}

enum cli_status relay_run(struct cli *cli, int argc, char **argv)
{
	struct link *link;
	char hello[128];
	int len;
	bool is_read_only = argc == 2 && strcmp(argv[1], "--read-only") == 0;
	if (argc > 1 && !is_read_only)
		return cli_help("relay", argv[1])
		    ? CLI_DONE
		    : cli_usage("relay", "unexpected argument \"%s\"", argv[argc > 2 ? 2 : 1]);
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	if (is_read_only && !ask_narrow(link, "read_only", NULL)) {
		cli_error("muxbusd did not give this relay the role read_only");
		link_close(link);
		return CLI_NO;
	}
	len = snprintf(hello, sizeof hello, RELAY_HELLO "%d %s\n", RELAY_PROTOCOL, PACKAGE_VERSION);
	if (write(STDOUT_FILENO, hello, (size_t)len) == len)
		carry(link_fd(link));
	else
		cli_keep_error(errno == EPIPE);
	link_close(link);
	return cli_flush(CLI_DONE);
}
