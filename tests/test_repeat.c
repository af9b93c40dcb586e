/* SPDX-License-Identifier: ISC */
/* Requests with a key over a socket: done once, and refused under the key of another one. */
#include "served.h"

#include <string.h>

#include "tap.h"

static struct guest guest;

/* Whether the answer to count with these parameters has a text. */
static void answers(const char *params, const char *want, const char *what)
{
	const char *line = NULL;
	if (guest_say(&guest, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":%s}", params))
		line = guest_line(&guest, SERVED_TIMEOUT_MS);
	if (!ok(line != NULL && strstr(line, want) != NULL, "%s", what))
		diag("%s", line != NULL ? line : "no answer");
}

int main(void)
{
	struct served served;
	char reason[512];
	served_init(&served, NULL);
	if (!ok(served_start(&served, 0, reason, sizeof reason), "the server starts: %s", reason) ||
	    !guest_connect(&guest, &served))
		return done_testing();
	answers("\"count\",\"params\":{\"key\":\"k\",\"count\":2,\"ms\":1}", "\"counted\":2",
	    "a request with a key is done");
	answers("\"count\",\"params\":{\"ms\":1,\"key\":\"k\",\"count\":2}",
	    "\"counted\":2,\"repeated\":true", "again, in another order, it is answered as before");
	answers("\"count\",\"params\":{\"key\":\"k\",\"count\":3,\"ms\":1}",
	    "it was used for count, with other parameters", "with another value it is refused");
	answers("\"count\",\"params\":{\"key\":\"k\",\"count\":2}",
	    "it was used for count, with other parameters", "and without one of them");
	answers("\"count\",\"params\":{\"key\":\"l\"}", "\"counted\":3",
	    "of what was refused nothing was done");
	guest_close(&guest);
	served_finish(&served);
	return done_testing();
}
