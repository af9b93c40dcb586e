/* SPDX-License-Identifier: ISC */
/* The program that is expected in a pane. */
#include "daemon/pane/expected.h"

#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "daemon/pane/foreground.h"
#include "daemon/queue/store.h"

#define PREFIX "expect/"

enum { KEY_SIZE = sizeof PREFIX + PANE_REF_TEXT_SIZE, IDENTITY_MAX = 200 };

static void expected_key(const struct pane_ref *pane, char out[KEY_SIZE])
{
	char text[PANE_REF_TEXT_SIZE];
	pane_ref_format(pane, text);
	snprintf(out, KEY_SIZE, PREFIX "%s", text);
}

const char *expected_find(const struct store *store, const struct pane_ref *pane)
{
	char key[KEY_SIZE];
	expected_key(pane, key);
	return store_get(store, key, NULL);
}

void expected_set(struct store *store, const struct pane_ref *pane, const char *identity)
{
	const char *known;
	char key[KEY_SIZE];
	if (pane->pane == MUXBUS_NO_ID || identity[0] == '\0' || foreground_is_shell(identity) ||
	    strlen(identity) > IDENTITY_MAX)
		return;
	known = expected_find(store, pane);
	if (known != NULL && strcmp(known, identity) == 0)
		return;
	expected_key(pane, key);
	store_put(store, key, identity, strlen(identity));
}
