/* SPDX-License-Identifier: ISC */
#include "wire/relay.h"

#include "config.h"
#include "wire/shell_word.h"

static bool append(struct buf *out, const char *option, const char *word)
{
	return buf_append_str(out, option) == 0 && shell_word(out, word) == 0;
}

bool relay_append_command(
    struct buf *out, const char *program, const char *tmux_name, const char *tmux_path)
{
	if (program == NULL)
		program = getenv("MUXBUS_REMOTE");
	return append(out, " ", program != NULL && *program ? program : "muxbus") &&
	    (tmux_name == NULL || append(out, " -L ", tmux_name)) &&
	    (tmux_path == NULL || append(out, " -S ", tmux_path)) &&
	    buf_append_str(out, " relay") == 0;
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

void relay_keep_noise(const char *line, char noise[STR_SHOWN_SIZE])
{
	struct buf text = BUF(RELAY_LINE_MAX * 4);
	char shown[STR_SHOWN_SIZE];
	size_t len = strcspn(line, "\r\n");
	if (len > 0 && str_append_visible(&text, line, len) == 0)
		(void)snprintf(noise, STR_SHOWN_SIZE, "%s",
		    str_shown((const char *)text.data, text.len, shown));
	buf_finish(&text);
}

/* Returns advice about an end, to which the caller appends the host; NULL: no advice is known. */
static const char *find_advice(const struct relay_end *end)
{
	static const struct {
		const char *words; /* of ssh or a shell on standard error; "": any */
		const char *how; /* NULL: any */
		const char *advice;
	} rows[] = {
	    {"IDENTIFICATION HAS CHANGED", NULL,
		"its host key has changed; if you know why, forget the old one as this says: ssh "},
	    {"Host key verification failed", NULL,
		"its host key is not known here; look at the key and accept it: ssh "},
	    {"Permission denied (", NULL, "give it a key of yours: ssh-copy-id "},
	    {"relay", "exit status 2",
		"its muxbus has another version; install the same version on "},
	    {"", "exit status 127",
		"install Muxbus there, or set MUXBUS_REMOTE, or muxbus= in the hosts file, to its "
		"path on "},
	};
	char words[RELAY_SSH_SIZE];
	const char *argv[RELAY_SSH_MAX];
	size_t len;
	(void)relay_ssh_words(words, argv);
	len = strlen(argv[0]);
	if (strcmp(end->how, "exit status 127") == 0 && end->said_len > len &&
	    memcmp(end->said, argv[0], len) == 0 && end->said[len] == ':')
		return "install an ssh client here, or name one in MUXBUS_SSH, to reach ";
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
		if ((rows[at].how == NULL || strcmp(rows[at].how, end->how) == 0) &&
		    memmem(end->said, end->said_len, rows[at].words, strlen(rows[at].words)) !=
			NULL)
			return rows[at].advice;
	return NULL;
}

void relay_explain(const struct relay_end *end, char *ret_reason, size_t size)
{
	static const char ours[] = "muxbus: ";
	const char *advice = find_advice(end);
	char remark[STR_REMARK_SIZE];
	size_t len;
	str_remark(end->said, end->said_len, remark);
	len = strlen(remark);
	if (advice != NULL && len > 0)
		(void)snprintf(ret_reason, size, "%.*s: %s%s",
		    (int)(remark[len - 1] == '.' ? len - 1 : len), remark, advice, end->host);
	else if (strncmp(remark, ours, sizeof ours - 1) == 0)
		(void)snprintf(
		    ret_reason, size, "muxbus on %s: %s", end->host, remark + sizeof ours - 1);
	else if (advice == NULL && end->noise[0] != '\0' &&
	    strcmp(end->how, "exit status 255") != 0)
		(void)snprintf(ret_reason, size,
		    "ssh has ended: %s, and said \"%s\": the login shell must run commands on %s",
		    end->how, end->noise, end->host);
	else if (len > 0)
		(void)snprintf(ret_reason, size, "%s", remark);
	else
		(void)snprintf(ret_reason, size, "ssh has ended: %s%s%s%s", end->how,
		    advice != NULL ? ": " : "", advice != NULL ? advice : "",
		    advice != NULL ? end->host : "");
}

bool relay_read_hello(
    const char *line, unsigned *ret_protocol, char *ret_version, size_t version_size)
{
	static const char characters[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-_~";
	const char *hello = strstr(line, RELAY_HELLO); /* text before the hello may lack a '\n' */
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
