// SPDX-License-Identifier: GPL-2.0-or-later
/* Which keys a policy sets for itself, to what, instead of what, and on which line. */
#include <limits.h>
#include <string.h>

#include "conf/conf.h"
#include "ctl/reply.h"

static json_t *override(const struct pcr_settings *set, const struct pcr_policy *policy, size_t key)
{
	s32 index = (s32)(policy - set->policies);
	char value[PCR_KEY_TEXT], where[PATH_MAX + 16];
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_text(o, "key", pcr_key_name(key));
	bad |= pcr_put_text(o, "value", pcr_key_value(key, set, index, value));
	bad |= pcr_put_text(o, "instead_of", pcr_key_value(key, set, -1, value));
	if (pcr_origin_text(set, &policy->origin[key], where, sizeof(where)))
		bad |= pcr_put_text(o, "where", where);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

json_t *pcr_reply_overrides(const struct pcr_settings *set, const struct pcr_policy *policy)
{
	json_t *list = json_array();
	size_t n = pcr_min_u64(pcr_key_count(), PCR_KEYS_MAX);
	bool bad = !list;

	for (size_t i = 0; i < n; i++)
		if (pcr_key_in_policy(i) && policy->origin[i].line > 0)
			bad |= json_array_append_new(list, override(set, policy, i)) < 0;
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}
