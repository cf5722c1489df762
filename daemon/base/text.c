// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as people read them: few digits, a unit, and a dash for what is not known. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *dash(char *buf)
{
	return strcpy(buf, "–");
}

const char *pcr_text_bytes(char buf[static PCR_TEXT], u64 bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	u64 unit = 1, tenths;
	size_t i = 0;

	if (!pcr_has(bytes))
		return dash(buf);
	/* 1023.95 KiB would round to 1024.0: the next unit says it shorter. */
	while (i + 1 < PCR_ARRAY_SIZE(units) && bytes / unit >= 1024) {
		unit <<= 10;
		i++;
	}
	if (i > 0 && i + 1 < PCR_ARRAY_SIZE(units) && bytes >= unit * 1023 + unit / 2) {
		unit <<= 10;
		i++;
	}
	tenths = (u64)(((unsigned __int128)bytes * 10 + unit / 2) / unit);
	/* A size that somebody chose is a round one, and stays one. */
	if (bytes % unit == 0 || tenths >= 1000)
		snprintf(buf, PCR_TEXT, "%llu %s",
			 (unsigned long long)(bytes / unit + (bytes % unit >= (unit + 1) / 2 && unit > 1)),
			 units[i]);
	else
		snprintf(buf, PCR_TEXT, "%llu.%llu %s", (unsigned long long)(tenths / 10),
			 (unsigned long long)(tenths % 10), units[i]);
	return buf;
}

/* "2 min 5 s", or "2 min" where the rest is nothing. */
static const char *two_units(char *buf, u64 big, const char *big_unit, u64 small,
			     const char *small_unit)
{
	if (small > 0)
		snprintf(buf, PCR_TEXT, "%llu %s %llu %s", (unsigned long long)big, big_unit,
			 (unsigned long long)small, small_unit);
	else
		snprintf(buf, PCR_TEXT, "%llu %s", (unsigned long long)big, big_unit);
	return buf;
}

/* Rounded down throughout: what is said to be left or past is never more than it is. */
const char *pcr_text_span(char buf[static PCR_TEXT], u64 usec)
{
	const u64 day = 24 * PCR_HOUR;

	if (usec == PCR_NEVER)
		return strcpy(buf, "never");
	if (usec == 0)
		return strcpy(buf, "0 s");
	if (usec < PCR_MSEC)
		snprintf(buf, PCR_TEXT, "%llu us", (unsigned long long)usec);
	else if (usec < PCR_SEC)
		snprintf(buf, PCR_TEXT, "%llu ms", (unsigned long long)(usec / PCR_MSEC));
	else if (usec < 10 * PCR_SEC && usec % PCR_SEC >= 100 * PCR_MSEC)
		snprintf(buf, PCR_TEXT, "%llu.%llu s", (unsigned long long)(usec / PCR_SEC),
			 (unsigned long long)(usec % PCR_SEC / (100 * PCR_MSEC)));
	else if (usec < PCR_MIN)
		snprintf(buf, PCR_TEXT, "%llu s", (unsigned long long)(usec / PCR_SEC));
	else if (usec < PCR_HOUR)
		two_units(buf, usec / PCR_MIN, "min", usec % PCR_MIN / PCR_SEC, "s");
	else if (usec < day)
		two_units(buf, usec / PCR_HOUR, "h", usec % PCR_HOUR / PCR_MIN, "min");
	else if (usec < 2 * day)
		two_units(buf, 1, "day", usec % day / PCR_HOUR, "h");
	else
		snprintf(buf, PCR_TEXT, "%llu days", (unsigned long long)(usec / day));
	return buf;
}

const char *pcr_text_count(char buf[static PCR_TEXT], u64 n)
{
	char plain[PCR_TEXT];
	size_t len, at = 0;

	if (!pcr_has(n))
		return dash(buf);
	len = (size_t)snprintf(plain, sizeof(plain), "%llu", (unsigned long long)n);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = plain[i];
	}
	buf[at] = '\0';
	return buf;
}

const char *pcr_text_bp(char buf[static PCR_TEXT], u64 bp)
{
	unsigned long long whole = bp / 100;
	unsigned int cents = (unsigned int)(bp % 100);

	if (!pcr_has(bp))
		return dash(buf);
	if (cents == 0)
		snprintf(buf, PCR_TEXT, "%llu %%", whole);
	else if (cents % 10 == 0)
		snprintf(buf, PCR_TEXT, "%llu.%u %%", whole, cents / 10);
	else
		snprintf(buf, PCR_TEXT, "%llu.%02u %%", whole, cents);
	return buf;
}
