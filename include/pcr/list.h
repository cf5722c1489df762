/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An intrusive, circular, doubly linked list: linking never allocates. */
#ifndef PCR_LIST_H
#define PCR_LIST_H

#include "pcr/types.h"

struct pcr_list {
	struct pcr_list *next;
	struct pcr_list *prev;
};

static inline void pcr_list_init(struct pcr_list *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool pcr_list_empty(const struct pcr_list *head)
{
	return head->next == head;
}

static inline void pcr_list_append(struct pcr_list *head, struct pcr_list *link)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

static inline void pcr_list_remove(struct pcr_list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	pcr_list_init(link);
}

#define pcr_list_for(pos, head) \
	for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)

/* The same, while the current link may be removed. */
#define pcr_list_for_safe(pos, tmp, head) \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head); \
	     (pos) = (tmp), (tmp) = (pos)->next)

#endif
