/* SPDX-License-Identifier: ISC */
#include "lib/connection/handshake.h"

/*
 * Programs in panes cannot influence these fields, and so cannot forge the answer. No hook of a
 * user runs after these commands, as one may after display-message.
 */
const char handshake_question[] =
    "run-shell -C \"" LIST_COMMANDS
    " -F 'M #{version} #{session_id} #{client_pid} #{client_flags}' " LIST_ONE "\"";

bool handshake_read_answer(const char *text, struct handshake_answer *ret_answer)
{
	const char *dollar = strchr(text, '$');
	int used = 0;
	/* The session id begins at the '$', since tmux 3.4 may write "\$0". */
	if (sscanf(text, "M %31s %n", ret_answer->version, &used) != 1 || dollar == NULL ||
	    dollar - text > used + 1)
		return false;
	return sscanf(dollar, "$%u %ld %159s", &ret_answer->session, &ret_answer->pid,
		   ret_answer->flags) == 3;
}

bool handshake_has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);
	for (const char *place = flags; (place = strstr(place, flag)) != NULL; place += len)
		if ((place == flags || place[-1] == ',') &&
		    (place[len] == '\0' || place[len] == ','))
			return true;
	return false;
}

bool handshake_is_probe_answered(const char *text, const struct nonce *probe)
{
	char want[sizeof PARSER_SENTINEL_PREFIX + MUXBUS_NONCE_LEN + 1];
	(void)snprintf(want, sizeof want, "%s%s\n", PARSER_SENTINEL_PREFIX, probe->text);
	return strstr(text, want) != NULL;
}

int handshake_error(const char *text, int otherwise)
{
	static const struct {
		const char *text;
		int error;
	} known[] = {
	    {"no server running", MUXBUS_ERR_NO_SERVER},
	    {"error connecting", MUXBUS_ERR_NO_SERVER},
	    {"no sessions", MUXBUS_ERR_NO_SESSION},
	    {"can't find session", MUXBUS_ERR_NO_SESSION},
	    {"session not found", MUXBUS_ERR_NO_SESSION},
	    {"version is too old", MUXBUS_ERR_VERSION},
	    {"protocol version mismatch", MUXBUS_ERR_VERSION},
	    {"unknown flag", MUXBUS_ERR_VERSION},
	    {"unknown option", MUXBUS_ERR_VERSION},
	    {"usage:", MUXBUS_ERR_VERSION},
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strstr(text, known[i].text) != NULL)
			return known[i].error;
	return otherwise;
}

void ending_copy_line(char out[ENDING_TEXT_SIZE], const char *text, size_t len)
{
	if (len >= ENDING_TEXT_SIZE)
		len = ENDING_TEXT_SIZE - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
	while (len > 0 && out[len - 1] == ' ')
		len--;
	out[len] = '\0';
}

bool ending_read_errors(struct ending *ending, const struct client *client)
{
	char bytes[ENDING_TEXT_SIZE];
	ssize_t got;
	while ((got = read(client->errors, bytes, sizeof bytes)) > 0) {
		size_t room = sizeof ending->errors - 1 - ending->errors_len;
		size_t take = (size_t)got < room ? (size_t)got : room;
		memcpy(ending->errors + ending->errors_len, bytes, take);
		ending->errors_len += take;
		ending->errors[ending->errors_len] = '\0';
	}
	return got != 0;
}

int ending_explain(const struct ending *ending, const struct client *client, bool was_greeted,
    const char **ret_reason)
{
	const char *said = ending->exit_reason;
	if (*said == '\0')
		said = ending->errors;
	if (*said != '\0') {
		*ret_reason = said;
		/* After the greeting the text may come from a command, so it proves no error. */
		return was_greeted ? MUXBUS_ERR_CLOSED : handshake_error(said, MUXBUS_ERR_CLOSED);
	}
	if (!was_greeted && ending->stray[0] != '\0') {
		*ret_reason = ending->stray;
		return handshake_error(ending->stray, MUXBUS_ERR_PROTOCOL);
	}
	if (client->way == MUXBUS_WAY_PROCESS && client->process.exit_signal != 0)
		*ret_reason = "the control client was killed";
	else if (!was_greeted)
		*ret_reason = "tmux ended without a greeting";
	else
		*ret_reason = "tmux detached the control client";
	return MUXBUS_ERR_CLOSED;
}
