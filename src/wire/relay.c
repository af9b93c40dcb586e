/* SPDX-License-Identifier: ISC */
#include "wire/relay.h"

#include "config.h"

/* Appends a word, quoted for a shell. Returns false if out is full. */
static bool append_quoted(struct buf *out, const char *word)
{
	bool is_whole = buf_append_str(out, " '") == 0;
	for (; *word; word++)
		is_whole = (*word == '\'' ? buf_append_str(out, "'\\''")
					  : buf_append_byte(out, (uint8_t)*word)) == 0 &&
		    is_whole;
	return buf_append_byte(out, '\'') == 0 && is_whole;
}

bool relay_append_command(
    struct buf *out, const char *program, const char *tmux_name, const char *tmux_path)
{
	bool is_whole;
	if (program == NULL)
		program = getenv("MUXBUS_REMOTE");
	is_whole = append_quoted(out, program != NULL && *program ? program : "muxbus");
	if (tmux_name != NULL)
		is_whole =
		    is_whole && buf_append_str(out, " -L") == 0 && append_quoted(out, tmux_name);
	if (tmux_path != NULL)
		is_whole =
		    is_whole && buf_append_str(out, " -S") == 0 && append_quoted(out, tmux_path);
	return is_whole && buf_append_str(out, " relay") == 0;
}

size_t relay_ssh_words(char *words, const char **argv)
{
	static const char *const options[] = {
	    "-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no"};
	const size_t option_count = sizeof options / sizeof *options;
	const char *ssh = getenv("MUXBUS_SSH");
	size_t count = 0;
	char *next;
	(void)snprintf(words, RELAY_SSH_SIZE, "%s", ssh != NULL && *ssh ? ssh : "ssh");
	for (char *word = strtok_r(words, " ", &next);
	     word != NULL && count < RELAY_SSH_MAX - option_count;
	     word = strtok_r(NULL, " ", &next))
		argv[count++] = word;
	memcpy(argv + count, options, sizeof options);
	count += option_count;
	return count;
}

bool relay_read_hello(
    const char *line, unsigned *ret_protocol, char *ret_version, size_t version_size)
{
	static const char characters[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-_~";
	const char *hello = strstr(line, RELAY_HELLO); /* noise before the hello may lack a '\n' */
	int used = 0;
	if (hello == NULL || sscanf(hello, RELAY_HELLO "%u %n", ret_protocol, &used) < 1 ||
	    used == 0)
		return false;
	(void)snprintf(ret_version, version_size, "%s", hello + used);
	ret_version[strspn(ret_version, characters)] = '\0'; /* the version is shown on terminals */
	return true;
}

void relay_refuse(
    const char *host, const char *far_version, unsigned far_protocol, char *ret_reason, size_t size)
{
	(void)snprintf(ret_reason, size,
	    "muxbus %s on %s and muxbus %s here do not understand each other (relay "
	    "protocols %u and %u): install the same version on both",
	    far_version, host, PACKAGE_VERSION, far_protocol, RELAY_PROTOCOL);
}
