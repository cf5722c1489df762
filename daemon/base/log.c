// SPDX-License-Identifier: GPL-2.0-or-later
/* The log sink: one pointer, set once by the program that owns the process. */
#include "log.h"

static pcr_log_fn sink;

void pcr_log_set_sink(pcr_log_fn fn)
{
	sink = fn;
}

void pcr_log(int level, const char *fmt, ...)
{
	va_list ap;

	if (!sink)
		return;
	va_start(ap, fmt);
	sink(level, fmt, ap);
	va_end(ap);
}
