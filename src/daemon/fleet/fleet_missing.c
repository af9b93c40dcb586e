/* SPDX-License-Identifier: ISC */
/* Hosts that do not answer now. */
#include "daemon/fleet/fleet_missing.h"

#include "daemon/fleet/host.h"
#include "wire/json.h"

void fleet_missing_put(struct json_writer *writer, const struct host *host)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "host", host_name(host));
	json_put_str(writer, "server", host_server(host));
	json_put_str(writer, "reason", host_reason(host));
	json_object_end(writer);
}
