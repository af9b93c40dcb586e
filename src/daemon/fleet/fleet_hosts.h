/* SPDX-License-Identifier: ISC */
/* The fleet about itself: its hosts, and its state. */
#ifndef DAEMON_FLEET_FLEET_HOSTS_H
#define DAEMON_FLEET_FLEET_HOSTS_H

struct fleet_notices;
struct host;
struct host_set;
struct hosts_file;
struct request;

/* Answers list_hosts, after asking those that are up for what they have. */
void fleet_hosts_list(struct request *request, const struct host_set *hosts,
    const struct hosts_file *file, const struct fleet_notices *notices);

/* Answers retry_hosts in the same way, after trying those that are down; only NULL: all. */
void fleet_hosts_retry(struct request *request, const struct host_set *hosts,
    const struct hosts_file *file, const struct fleet_notices *notices, const struct host *only);

/* Frees what is kept with a host that is removed. */
void fleet_hosts_forget(struct host *host);

/* Answers status. */
void fleet_hosts_status(struct request *request, const struct host_set *hosts);

#endif
