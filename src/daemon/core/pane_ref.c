/* SPDX-License-Identifier: ISC */
#include "daemon/core/pane_ref.h"

#include <muxbus.h>

#include "base/hash.h"

void pane_ref_clear(struct pane_ref *ref)
{
	*ref = (struct pane_ref){.pane = MUXBUS_NO_ID};
}

bool pane_ref_is_set(const struct pane_ref *ref)
{
	return ref->pane != MUXBUS_NO_ID || ref->thread[0] != '\0';
}

bool pane_ref_equal(const struct pane_ref *one, const struct pane_ref *other)
{
	if (one->thread[0] != '\0' || other->thread[0] != '\0')
		return strcmp(one->thread, other->thread) == 0;
	return pane_ref_same_pane(one, other);
}

bool pane_ref_same_pane(const struct pane_ref *one, const struct pane_ref *other)
{
	return one->pane == other->pane && one->pane_pid == other->pane_pid &&
	    one->server_pid == other->server_pid && one->server_start == other->server_start;
}

uint64_t pane_ref_key(const struct pane_ref *ref)
{
	/* Pane ids have 32 bits, so bit 63 marks the key of a thread. */
	return ref->thread[0] != '\0'
	    ? hash_bytes(ref->thread, strlen(ref->thread)) | (uint64_t)1 << 63
	    : ref->pane;
}

void pane_ref_name(const struct pane_ref *ref, char out[PANE_REF_NAME_SIZE])
{
	char pane[PANE_REF_TEXT_SIZE];
	pane_ref_format(ref, pane);
	snprintf(out, PANE_REF_NAME_SIZE, "%s%s%s", pane, ref->thread[0] != '\0' ? "/" : "",
	    ref->thread);
}

void pane_ref_format(const struct pane_ref *ref, char out[PANE_REF_TEXT_SIZE])
{
	const uint64_t numbers[] = {
	    ref->pane, (uint64_t)ref->pane_pid, (uint64_t)ref->server_pid, ref->server_start};
	for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
		*out++ = at == 0 ? '%' : '/';
		out += str_put_u64(out, numbers[at], 1);
	}
}

bool pane_ref_parse(const char *text, struct pane_ref *ret_ref)
{
	struct pane_ref ref = {0};
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
