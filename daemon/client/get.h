/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values out of a reply; what is not there is absent, as everywhere. */
#ifndef PCR_GET_H
#define PCR_GET_H

#include <jansson.h>

#include "pcr/types.h"

static inline u64 pcr_get_u64(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? (u64)json_integer_value(v) :
								  PCR_ABSENT;
}

/* "" where there is none. */
static inline const char *pcr_get_text(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static inline bool pcr_get_bool(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

#endif
