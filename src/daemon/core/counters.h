/* SPDX-License-Identifier: ISC */
/* Counters since the start, for status. */
#pragma once

#include "base/base.h"

struct counters {
	uint64_t accepted; /* peers */
	uint64_t refused; /* of another user, or too many */
	uint64_t disconnected; /* for not reading */
	uint64_t requests;
	uint64_t errors; /* among the responses */
	uint64_t events_sent; /* counted for each subscription */
	uint64_t events_dropped;
	uint64_t reports; /* of programs by marks, that were believed */
	uint64_t reports_refused; /* with a wrong token, or not of their form */
	uint64_t reports_dropped; /* beyond a maximum */
};
