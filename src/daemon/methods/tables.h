/* SPDX-License-Identifier: ISC */
/* The tables of methods, one for each file here; other rooms declare theirs. */
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

/* A table whose rows are NULL is the last. */
extern const struct method_table method_tables[];

/* Call before any other use of the tables. */
void tables_register(void);

/* Returns false after failing the request with the nearest name. */
bool methods_fail_unknown(struct request *request, const char *name);

/* As the reference section of muxbus-protocol(7). */
void methods_describe_mdoc(struct buf *out);

/* as_mdoc false: as JSON, like describe. Returns false if writing failed. */
bool methods_print(bool as_mdoc);
