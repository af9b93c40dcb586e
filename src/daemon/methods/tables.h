/* SPDX-License-Identifier: ISC */
/* The tables of methods, one for each file here; other rooms declare theirs. Keep alphabetized. */
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

/* All tables with their groups. Ended by a table whose rows are NULL. */
extern const struct method_table method_tables[];

/* Registers the tables of methods and conditions. Call before any other use of them. */
void tables_register(void);

/* Fails a request whose parameter "method" names none, with the nearest name. Returns false. */
bool methods_fail_unknown(struct request *request, const char *name);

/* Writes the tables as the reference section of muxbus-protocol(7). */
void methods_describe_mdoc(struct buf *out);

/* Prints the tables: as JSON, as describe answers, or as mdoc. Returns false if writing failed. */
bool methods_print(bool as_mdoc);
