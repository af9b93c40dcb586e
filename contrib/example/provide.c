/* SPDX-License-Identifier: ISC */
/* Provides the method load_average over muxbusd's socket, in plain C: cc provide.c */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static const char provide[] =
    "{\"id\":1,\"method\":\"provide\",\"params\":{\"methods\":[{\"name\":\"load_average\","
    "\"summary\":\"The load of the machine in the last minute.\",\"effects\":[\"reads\"],"
    "\"result\":{\"type\":\"object\",\"properties\":{\"load\":{\"type\":\"number\"}}}}]}}\n";

/* The id of a call; in JSON a quote within a text has a backslash before it. */
static const char *id_of(const char *line, int *len)
{
	const char *id = strstr(line, "\"id\":\"");
	const char *end = id != NULL ? strchr(id + 6, '"') : NULL;
	*len = end != NULL ? (int)(end - id - 6) : 0;
	return end != NULL && strstr(line, "\"method\":\"load_average\"") != NULL ? id + 6 : NULL;
}

int main(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("MUXBUS"), *id;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), len;
	char *line = NULL;
	size_t room = 0;
	FILE *in = fdopen(fd, "r+");

	if (path == NULL || in == NULL)
		return EXIT_FAILURE;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return EXIT_FAILURE;
	(void)dprintf(fd, "%s", provide);
	while (getline(&line, &room, in) > 0) {
		double load = 0;
		if ((id = id_of(line, &len)) != NULL && getloadavg(&load, 1) == 1)
			(void)dprintf(
			    fd, "{\"id\":\"%.*s\",\"result\":{\"load\":%.2f}}\n", len, id, load);
	}
	free(line);
	(void)fclose(in);
	return EXIT_SUCCESS;
}
