/* SPDX-License-Identifier: ISC */
#include "daemon/core/boot_clock.h"

#include <event2/event.h>
#include <sys/timerfd.h>
#include <time.h>

struct boot_alarm {
	struct boot_clock clock;
	char boot_id[BOOT_ID_SIZE];
	int fd, set_fd; /* set_fd is readable after the wall clock was set; -1: none */
	struct event *event, *set_event;
	void (*ring)(void *data);
	void *data;
};

void boot_clock_align(
    const struct boot_clock *clock, const char *boot_id, int64_t *boot_due_ms, int64_t *real_due_ms)
{
	int64_t between_ms = clock->real_ms(clock->data) - clock->boot_ms(clock->data);
	if (boot_id[0] == '\0' || strcmp(boot_id, clock->boot_id) != 0)
		*boot_due_ms = *real_due_ms - between_ms;
	else if (llabs(*boot_due_ms + between_ms - *real_due_ms) >= BOOT_CLOCK_STEP_MS)
		*real_due_ms = *boot_due_ms + between_ms;
}

static int64_t alarm_boot_ms(void *data UNUSED)
{
	return clock_boot_ms();
}

static int64_t alarm_real_ms(void *data UNUSED)
{
	return clock_real_ms();
}

static void alarm_arm(void *data, int64_t boot_ms)
{
	struct boot_alarm *alarm = data;
	struct itimerspec when = {0};
	if (boot_ms >= 0) {
		/* The time 0 would disarm the timer. The time 1 is past, and so rings at once. */
		if (boot_ms == 0)
			boot_ms = 1;
		when.it_value.tv_sec = boot_ms / 1000;
		when.it_value.tv_nsec = boot_ms % 1000 * 1000000;
	}
	(void)timerfd_settime(
	    alarm->fd, TFD_TIMER_ABSTIME, &when, NULL); /* cannot fail: the time is valid */
}

static void alarm_readable(evutil_socket_t fd, short what UNUSED, void *data)
{
	struct boot_alarm *alarm = data;
	uint64_t times;
	if (read(fd, &times, sizeof times) == sizeof times || errno == ECANCELED)
		alarm->ring(alarm->data);
}

/*
 * Makes set_fd, a timer that is due in the far future. When the wall clock is set, the kernel
 * cancels the timer, and set_fd becomes readable.
 */
static void listen_to_set(struct boot_alarm *alarm, struct event_base *base)
{
	const struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
	alarm->set_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (alarm->set_fd < 0 ||
	    timerfd_settime(
		alarm->set_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0)
		return;
	alarm->set_event =
	    event_new(base, alarm->set_fd, EV_READ | EV_PERSIST, alarm_readable, alarm);
	if (alarm->set_event != NULL)
		(void)event_add(
		    alarm->set_event, NULL); /* if this fails, the next alarm notices the change */
}

/*
 * Reads the random id that Linux gives each boot. "": the id cannot be read, so each start of the
 * daemon counts as a boot.
 */
static void read_boot_id(char out[BOOT_ID_SIZE])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (file == NULL || fgets(out, BOOT_ID_SIZE, file) == NULL)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
}

struct boot_alarm *boot_alarm_new(struct event_base *base, void (*ring)(void *data), void *data)
{
	struct boot_alarm *alarm = xcalloc(1, sizeof *alarm);
	alarm->set_fd = -1;
	alarm->ring = ring;
	alarm->data = data;
	read_boot_id(alarm->boot_id);
	alarm->fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (alarm->fd < 0) {
		mem_free(alarm);
		return NULL;
	}
	alarm->event = event_new(base, alarm->fd, EV_READ | EV_PERSIST, alarm_readable, alarm);
	if (alarm->event == NULL || event_add(alarm->event, NULL) < 0) {
		boot_alarm_free(alarm);
		return NULL;
	}
	listen_to_set(alarm, base);
	alarm->clock = (struct boot_clock){
	    .boot_ms = alarm_boot_ms,
	    .real_ms = alarm_real_ms,
	    .arm = alarm_arm,
	    .boot_id = alarm->boot_id,
	    .data = alarm,
	};
	return alarm;
}

void boot_alarm_free(struct boot_alarm *alarm)
{
	if (alarm == NULL)
		return;
	if (alarm->event != NULL)
		event_free(alarm->event);
	if (alarm->set_event != NULL)
		event_free(alarm->set_event);
	if (alarm->set_fd >= 0)
		close(alarm->set_fd);
	close(alarm->fd);
	mem_free(alarm);
}

const struct boot_clock *boot_alarm_clock(struct boot_alarm *alarm)
{
	return &alarm->clock;
}
