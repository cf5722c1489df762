// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ReapBudget=: so many bytes in any such span.
 *
 * A bucket that fills up again while it is being emptied lets twice the budget through
 * in the worst span. So what was asked for is remembered, request by request, those
 * close together as one, and each becomes available again a whole span after the last
 * of its bytes. Settings may change under it: what is remembered are times, not shares.
 */
#include <string.h>

#include "model/internal.h"
#include "model/model.h"

/* Closer than this part of the span is one. With one more place there is room for a span. */
#define PARTS (PCR_SPENT_MAX - 1)

static bool over(const struct pcr_spent *s, const struct pcr_rule *rule, u64 now)
{
	return pcr_add_u64(s->to_usec, rule->reap_budget_usec) <= now;
}

u64 pcr_reap_tokens(const struct pcr_reap *r, const struct pcr_rule *rule, u64 now)
{
	u64 tokens = rule->reap_budget_bytes;

	for (u32 i = 0; i < r->n_spent; i++)
		if (!over(&r->spent[i], rule, now))
			tokens = pcr_sub_u64(tokens, r->spent[i].bytes);
	return tokens;
}

u64 pcr_reap_funded(const struct pcr_reap *r, const struct pcr_rule *rule, u64 bytes)
{
	u64 tokens = rule->reap_budget_bytes;
	u64 when = 0;
	u32 i = r->n_spent;

	if (bytes > tokens)
		return PCR_NEVER;
	/* From the newest back, to the first that has to become available before. */
	while (i > 0 && r->spent[i - 1].bytes <= tokens - bytes)
		tokens -= r->spent[--i].bytes;
	if (i > 0)
		when = pcr_add_u64(r->spent[i - 1].to_usec, rule->reap_budget_usec);
	return when;
}

u64 pcr_reap_spent_until(const struct pcr_reap *r, const struct pcr_rule *rule)
{
	if (!r->n_spent)
		return 0;
	return pcr_add_u64(r->spent[r->n_spent - 1].to_usec, rule->reap_budget_usec);
}

void pcr_reap_spend(struct pcr_reap *r, const struct pcr_rule *rule, u64 bytes, u64 now)
{
	struct pcr_spent *last;
	u32 gone = 0;

	while (gone < r->n_spent && over(&r->spent[gone], rule, now))
		gone++;
	r->n_spent -= gone;
	memmove(r->spent, r->spent + gone, r->n_spent * sizeof(r->spent[0]));

	last = r->n_spent ? &r->spent[r->n_spent - 1] : NULL;
	if (!last || (now - last->from_usec >= rule->reap_budget_usec / PARTS &&
		      r->n_spent < PCR_SPENT_MAX)) {
		last = &r->spent[r->n_spent++];
		*last = (struct pcr_spent){ .from_usec = now };
	}
	last->to_usec = now;
	last->bytes = pcr_add_u64(last->bytes, bytes);
}
