/* SPDX-License-Identifier: ISC */
/*
 * From the start of muxbusd until it answers ping and list_panes with all panes (G20), on servers
 * of 100 and 500 panes.
 */
#include <signal.h>
#include <stdio.h>

#include "bench.h"

enum { STARTS = 11 };

static const unsigned sizes[] = {100, 500};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void bench_starts(struct live *live, unsigned size, const char *name)
{
	double answers_ms[STARTS], ready_ms[STARTS];
	for (int i = -1; i < STARTS; i++) { /* one to warm up */
		const struct json *panes;
		struct talk *talk;
		double ready, answers;
		int64_t start_ns = live_now_ns();
		live_start_daemon(live, NULL);
		ready = (double)(live_now_ns() - start_ns) / 1e6;
		talk = talk_new(live);
		if (at(talk_call(talk, "ping", NULL), "result") == NULL)
			live_bail("ping: %s", talk_text(talk));
		panes = at(talk_call(talk, "list_panes", NULL), "result.panes");
		answers = (double)(live_now_ns() - start_ns) / 1e6;
		if (panes == NULL || panes->count != size)
			live_bail("list_panes: %s", talk_text(talk));
		talk_free(talk);
		(void)live_stop_daemon(live, SIGTERM);
		if (i < 0)
			continue;
		answers_ms[i] = answers;
		ready_ms[i] = ready;
	}
	bench_rounds(name, answers_ms, STARTS, "ms", "--ready-fd after %.3g ms; %u panes",
	    bench_median(ready_ms, STARTS), size);
}

int main(void)
{
	struct live *live = live_new(bench_tmux());
	live_start_tmux(live, "exec sleep 3600");
	for (size_t i = 0; i < SIZES; i++) {
		bench_fill(live, sizes[i], sizes[i]);
		bench_starts(live, sizes[i], i == 0 ? "start" : "start_500");
	}
	live_free(live);
	return 0;
}
