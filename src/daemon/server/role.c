/* SPDX-License-Identifier: ISC */
/* Roles, and the methods of each. */
#include "daemon/server/role.h"

#include <stddef.h>

#include "daemon/server/method.h"

const char *const role_names[ROLE_COUNT_ + 1] = {
    [ROLE_FULL] = "full",
    [ROLE_OWN_PANES] = "own_panes",
    [ROLE_READ_ONLY] = "read_only",
};

const char *role_name(enum role role)
{
	return role_names[role];
}

bool role_has(enum role role, const struct method *method)
{
	if (role == ROLE_FULL)
		return true;
	if (method->group != NULL)
		return false;
	return method_is_read_only(method) || (role == ROLE_OWN_PANES && method->affects != NULL);
}
