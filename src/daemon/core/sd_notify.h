/* SPDX-License-Identifier: ISC */
/*
 * The service manager that started us, if one did: the socket that it hands over, and what
 * it is told. This is the protocol of sd_listen_fds(3) and sd_notify(3), which needs nothing
 * but a few variables of the environment.
 */
#ifndef DAEMON_CORE_SD_NOTIFY_H
#define DAEMON_CORE_SD_NOTIFY_H

#include <stddef.h>

/*
 * Takes what the environment says, and removes it there: it was meant for this process
 * alone, not for those that it starts. Call once, before any descriptor is opened or closed.
 * *ret_fd is a listening socket at that path, for its user alone; 0 if none was handed over.
 * Returns 0, or -1 with a reason if what was handed over cannot be used.
 */
int sd_notify_take(const char *path, int *ret_fd, char *ret_reason, size_t reason_size);

/* Tells the service manager, if there is one: "READY=1", "STATUS=…", "STOPPING=1". */
void sd_notify_tell(const char *state);

#endif
