/* SPDX-License-Identifier: ISC */
/* MCP resources: panes, jobs and notifications by URI. Their content is the result of a method. */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

#define MCP_URI_MAX 256 /* bytes of a URI */

/* The events after which a resource may have changed. */
struct mcp_change {
	uint64_t kinds; /* bit per enum event_kind */
	uint32_t pane; /* events of this pane only; MUXBUS_NO_ID: of any */
	bool has_output; /* also output of the pane */
	bool has_jobs; /* also starts and ends of jobs */
};

/* Gets the events for a URI, whose resource need not exist. Returns false if no form fits it. */
bool mcp_resource_change(const char *uri, struct mcp_change *ret_change);
/* Returns the events for the list of resources. */
void mcp_resource_list_change(struct mcp_change *ret_change);

/* The parameters of each method that names a resource. */
struct mcp_uri_args {
	const char *uri;
};
extern const struct field mcp_uri_fields[];
/* Fails the request, since no resource has this URI. */
void mcp_resource_refuse(struct mcp_exchange *exchange, const char *uri);
