/* SPDX-License-Identifier: ISC */
#include "nats/name.h"

#include "wire/address.h"

static const char token_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

bool name_is_token(const char *text)
{
	size_t len = strlen(text);
	return len > 0 && len <= NAME_MAX_BYTES && strspn(text, token_characters) == len;
}

void name_make_token(char out[NAME_SIZE], const char *text)
{
	size_t len = 0;
	for (; text[len] != '\0' && len < NAME_MAX_BYTES; len++)
		out[len] = strchr(token_characters, text[len]) != NULL ? text[len] : '-';
	if (len == 0)
		out[len++] = '-';
	out[len] = '\0';
}

void name_of_host(char out[NAME_SIZE])
{
	char host[256] = "";
	(void)gethostname(host, sizeof host - 1);
	host[strcspn(host, ".")] = '\0';
	name_make_token(out, host[0] != '\0' ? host : "localhost");
}

void name_of_server(char out[NAME_SIZE], const char *socket)
{
	char name[PATH_MAX];
	(void)address_without_suffix(name, sizeof name, str_last_part(socket));
	name_make_token(out, name);
}

void name_subject(
    char out[NAME_SUBJECT_SIZE], const struct names *names, const char *rest, const char *kind)
{
	(void)snprintf(out, NAME_SUBJECT_SIZE, "muxbus.%s.%s.%s.%s%s%s", names->fleet, names->host,
	    names->server, rest, kind != NULL ? "." : "", kind != NULL ? kind : "");
}
