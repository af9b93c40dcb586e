/* SPDX-License-Identifier: ISC */
/*
 * The service manager that started us, if any: the socket that it passes to us, and our
 * status reports. This is the protocol of sd_listen_fds(3) and sd_notify(3), which needs
 * only a few environment variables.
 */
#pragma once

#include <stddef.h>

/*
 * Reads the environment variables and removes them, since they are for this process alone
 * and not for its children. Call once, before any descriptor is opened or closed.
 * *ret_fd is a listening socket at that path, for its user alone; 0 if none was passed.
 * Returns 0, or -1 with a reason if the socket that was passed cannot be used.
 */
int sd_notify_take(const char *path, int *ret_fd, char *ret_reason, size_t reason_size);

/* Reports to the service manager, if any: "READY=1", "STATUS=…", "STOPPING=1". */
void sd_notify_tell(const char *state);
