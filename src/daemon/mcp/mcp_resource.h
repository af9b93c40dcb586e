/* SPDX-License-Identifier: ISC */
/*
 * MCP resources: panes, jobs and notifications by URI. The content is the result of a method,
 * as text or as JSON.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

#define MCP_URI_MAX 256 /* bytes */

/* The events that mean that a resource has changed. */
struct mcp_change {
	uint64_t kinds; /* bit per enum event_kind */
	uint32_t pane; /* this pane only, MUXBUS_NO_ID: any */
	bool has_output; /* the pane's output too */
	bool has_jobs; /* the beginning and the end of jobs too */
};

/* False if no resource has this form of URI; the resource need not exist now. */
bool mcp_resource_change(const char *uri, struct mcp_change *ret_change);
/* The same for the list of resources. */
void mcp_resource_list_change(struct mcp_change *ret_change);
