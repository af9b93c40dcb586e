/* SPDX-License-Identifier: ISC */
/* Counters since the start, for status. */
#pragma once

#include "base/base.h"

struct counters {
	uint64_t accepted; /* connections of peers */
	uint64_t refused; /* connections refused: another user, too many peers or no descriptor */
	uint64_t disconnected; /* peers that the daemon has disconnected */
	uint64_t requests;
	uint64_t errors; /* responses that are errors */
	uint64_t events_sent; /* an event counts once for each subscription */
	uint64_t events_dropped;
	uint64_t reports; /* accepted reports that programs wrote into their output */
	uint64_t reports_refused; /* reports with a wrong token, or malformed */
	uint64_t reports_dropped; /* reports beyond a maximum */
};
