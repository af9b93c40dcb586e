/* SPDX-License-Identifier: ISC */
/* Which variables of an environment look like secrets. */
#include "base/secret.h"

#include <stddef.h>
#include <string.h>

#include "tap.h"

static const char *const secrets[] = {
    "GITHUB_TOKEN=x",
    "GITHUB_PAT=x",
    "PAT=x",
    "DB_PWD=x",
    "MYSQL_PWD=x",
    "DB_PASS=x",
    "SSHPASS=x",
    "PGPASSWORD=x",
    "db_password=x",
    "dbPassword=x",
    "RESTIC_PASSWORD2=x",
    "GPG_PASSPHRASE=x",
    "BORG_PASSPHRASE=x",
    "SENTRY_DSN=x",
    "SLACK_WEBHOOK_URL=x",
    "SLACK_WEBHOOKS=x",
    "AWS_ACCESS_KEY_ID=x",
    "AWS_SECRET_ACCESS_KEY=x",
    "API_KEYS=x",
    "KEY=x",
    "KEY_1=x",
    "MYAPIKEY=x",
    "npm_config__auth=x",
    "npm_config_//registry.npmjs.org/:_authToken=x",
    "CLIENT_CERT=x",
    "GOOGLE_APPLICATION_CREDENTIALS=/home/u/key.json",
    "CLIENTSECRET=x",
    "SECRETS=x",
    "TLS_PRIVATE=x",
    "TWINE_CREDS=x",
    "DATABASE_URL=postgres://user:pass@host/db",
    "DATABASE_URL=postgres://user:p/w@host/db",
    "DATABASE_URL=postgres://user:12@host:5432/db",
    "REDIS_URL=redis://:pass@host:6379",
    "http_proxy=http://me:word@proxy:3128",
    "INDEXES=https://a/simple https://u:p@b/simple",
    "DB=root:word@tcp(127.0.0.1:3306)/x",
    "CONNECTION=Server=x;Password=abc;",
    "RUN=a token=$T; b token=abc",
    "HEADERS=Authorization: Basic abc",
    "NOTIFY=https://hooks.slack.com/services/T0/B0/x",
    "NOTIFY=https://discord.com/api/webhooks/1/x",
    "X=ghp_0123456789abcdefghij0123456789abcdef",
    "X=github_pat_0123456789abcdef0123456789",
    "X=sk-ant-0123456789abcdef0123456789",
    "X=use xoxb-0123456789-0123456789-abcdef",
    "X=-----BEGIN OPENSSH PRIVATE KEY-----",
};

static const char *const settings[] = {
    "GIT_AUTHOR_NAME=Ann",
    "GIT_AUTHOR_EMAIL=ann@example.org",
    "SSL_CERT_FILE=/etc/ssl/cert.pem",
    "SSL_CERT_FILE=x",
    "SSL_CERT_DIR=/etc/ssl/certs",
    "PIP_CERT=/etc/ssl/cert.pem",
    "NODE_EXTRA_CA_CERTS=/etc/ssl/extra.pem",
    "REQUESTS_CA_BUNDLE=/etc/ssl/cert.pem",
    "KEYBOARD=us",
    "XKB_KEYMAP=us",
    "MONKEY=x",
    "COMPASS=x",
    "PATTERN=x",
    "PATH=/usr/bin:/bin",
    "PWD=/home/u/webhooks",
    "OLDPWD=/tmp",
    "PASSENGER_APP_ENV=test",
    "TOKENIZERS_PARALLELISM=false",
    "SECRETARY=x",
    "AUTHOR=x",
    "XAUTHORITY=/home/u/.Xauthority",
    "SSH_AUTH_SOCK=/run/agent",
    "SSH_ASKPASS=/usr/bin/ask",
    "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus",
    "http_proxy=http://proxy:3128",
    "no_proxy=localhost,127.0.0.1",
    "HUB=http://host:4444/wd@hub",
    "REMOTE=ssh://git@host:22/repo",
    "URL=https://user@host/",
    "URL=https://[::1]:80/a",
    "DIR=/src/webhooks/app",
    "LS_COLORS=di=01;34:*.pat=00",
    "EMPTY=",
    "",
};

/* The search of a value with n URLs takes n times as long, so that n is limited. */
static void test_many_urls(void)
{
	static char value[3 * 101 + 3] = "X=";
	for (size_t i = 0; i < 100; i++)
		strcat(value, "://");
	ok(!secret_is_variable(value), "no secret: a value with 100 URLs");
	strcat(value, "://");
	ok(secret_is_variable(value), "more URLs are not searched");
}

int main(void)
{
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		ok(secret_is_variable(secrets[i]), "a secret: %s", secrets[i]);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		ok(!secret_is_variable(settings[i]), "no secret: %s", settings[i]);
	test_many_urls();
	return done_testing();
}
