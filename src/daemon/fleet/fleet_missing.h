/* SPDX-License-Identifier: ISC */
/* Hosts that do not answer now, as answers of the fleet list them in "missing". */
#ifndef DAEMON_FLEET_FLEET_MISSING_H
#define DAEMON_FLEET_FLEET_MISSING_H

struct host;
struct json_writer;

/* Writes a host with the reason, as an element of an array. */
void fleet_missing_put(struct json_writer *writer, const struct host *host);

#endif
