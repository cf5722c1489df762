/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An HTTP request as it comes from anybody: only its first line matters. */
#ifndef PCR_REQUEST_H
#define PCR_REQUEST_H

#include "pcr/types.h"

/* It has come to its empty line. */
bool pcr_request_whole(const char *text, size_t n);
/*
 * The status to answer a whole request with: 200 for the metrics, 400, 404, 405 or 505.
 * *ret_head: for HEAD, whose answer has no body.
 */
int pcr_request_judge(const char *text, size_t n, bool *ret_head);

#endif
