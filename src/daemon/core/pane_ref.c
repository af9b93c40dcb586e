/* SPDX-License-Identifier: ISC */
/* A pane across servers and time. */
#include "daemon/core/pane_ref.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>

void pane_ref_clear(struct pane_ref *ref)
{
	*ref = (struct pane_ref){.pane = MUXBUS_NO_ID};
}

bool pane_ref_equal(const struct pane_ref *one, const struct pane_ref *other)
{
	return one->pane == other->pane && one->pane_pid == other->pane_pid &&
	    one->server_pid == other->server_pid && one->server_start == other->server_start;
}

void pane_ref_format(const struct pane_ref *ref, char out[PANE_REF_TEXT_SIZE])
{
	snprintf(out, PANE_REF_TEXT_SIZE, "%%%" PRIu32 "/%d/%d/%" PRIu64, ref->pane,
	    (int)ref->pane_pid, (int)ref->server_pid, ref->server_start);
}

bool pane_ref_parse(const char *text, struct pane_ref *ret_ref)
{
	struct pane_ref ref;
	int pane_pid, server_pid, end = 0;
	if (sscanf(text, "%%%" SCNu32 "/%d/%d/%" SCNu64 "%n", &ref.pane, &pane_pid, &server_pid,
		&ref.server_start, &end) != 4 ||
	    text[end] != '\0')
		return false;
	ref.pane_pid = pane_pid;
	ref.server_pid = server_pid;
	*ret_ref = ref;
	return true;
}
