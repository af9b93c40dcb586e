/* SPDX-License-Identifier: ISC */
/* The tables of methods of this room, by file; other rooms declare their own. And all tables. */
#pragma once

#include "daemon/server/method.h"

extern const struct method methods_audit[];
extern const struct method methods_capture[];
extern const struct method methods_command[];
extern const struct method methods_consumer[];
extern const struct method methods_daemon[];
extern const struct method methods_fleet[];
extern const struct method methods_input[];
extern const struct method methods_list[];
extern const struct method methods_pane[];
extern const struct method methods_presence[];
extern const struct method methods_provide[];
extern const struct method methods_puller[];
extern const struct method methods_queue[];
extern const struct method methods_rest[];
extern const struct method methods_subscribe[];
extern const struct method methods_tool[];

/* All tables; the last has NULL as its rows. */
extern const struct method_table method_tables[];

/* Registers the tables. Call this before they are used. */
void tables_register(void);

/* Fails a request for an unknown method, with the nearest name. Returns false. */
bool methods_fail_unknown(struct request *request, const char *name);

/* Appends the tables as the reference section of muxbus-protocol(7). */
void methods_describe_mdoc(struct buf *out);

/* Prints the tables to standard output, as mdoc or JSON (like describe); false on failure. */
bool methods_print(bool as_mdoc);
