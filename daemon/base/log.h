/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log sink. Who logs: app/, loop/ and ctl/; the rooms below return. Where it
 * goes (journal or stderr) and what is held back (level, repeats) is the sink's.
 */
#ifndef PCR_LOG_H
#define PCR_LOG_H

#include <stdarg.h>
#include <syslog.h>

#include "pcr/types.h"

typedef void (*pcr_log_fn)(int level, const char *fmt, va_list ap);

/* NULL: nothing is logged (unit tests). */
void pcr_log_set_sink(pcr_log_fn fn);

__attribute__((format(printf, 2, 3)))
void pcr_log(int level, const char *fmt, ...);

#define pcr_log_err(...) pcr_log(LOG_ERR, __VA_ARGS__)
#define pcr_log_warning(...) pcr_log(LOG_WARNING, __VA_ARGS__)
#define pcr_log_notice(...) pcr_log(LOG_NOTICE, __VA_ARGS__)
#define pcr_log_info(...) pcr_log(LOG_INFO, __VA_ARGS__)
#define pcr_log_debug(...) pcr_log(LOG_DEBUG, __VA_ARGS__)

#endif
