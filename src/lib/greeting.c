/* SPDX-License-Identifier: ISC */
/* How a conversation with tmux begins: who it is, and what its refusals mean. */
#include "lib/greeting.h"

#include <muxbus.h>

#include <stdio.h>
#include <string.h>

/* None of these fields can hold text of anybody's choice. */
const char greeting_question[] =
    "display-message -p \"M #{version} #{session_id} #{client_pid} #{client_flags}\"";

bool greeting_read_answer(const char *text, struct greeting_answer *ret_answer)
{
	const char *dollar = strchr(text, '$');
	int used = 0;

	/* tmux 3.4 may write "\$0". */
	if (sscanf(text, "M %31s %n", ret_answer->version, &used) != 1 || dollar == NULL ||
	    dollar - text > used + 1)
		return false;
	return sscanf(dollar, "$%u %ld %159s", &ret_answer->session, &ret_answer->pid,
		   ret_answer->flags) == 3;
}

bool greeting_has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *place = flags; (place = strstr(place, flag)) != NULL; place += len) {
		if ((place == flags || place[-1] == ',') &&
		    (place[len] == '\0' || place[len] == ','))
			return true;
	}
	return false;
}

bool greeting_is_probe_answered(const char *text, const struct nonce *probe)
{
	char want[sizeof PARSER_SENTINEL_PREFIX + MUXBUS_NONCE_LEN + 1];

	(void)snprintf(want, sizeof want, "%s%s\n", PARSER_SENTINEL_PREFIX, probe->text);
	return strstr(text, want) != NULL;
}

/* What tmux's words mean; the first that is found in them. */
int greeting_error(const char *text, int otherwise)
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

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strstr(text, known[i].text) != NULL)
			return known[i].error;
	}
	return otherwise;
}
