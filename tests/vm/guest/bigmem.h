/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Much memory of one kind, on chosen nodes, for tools whose children exit with it. */
#ifndef VM_BIGMEM_H
#define VM_BIGMEM_H

/*
 * Maps MB and touches each page. KIND is
 *   anon     anonymous memory without huge pages
 *   thp      the same with huge pages
 *   zero     anonymous memory that is only read: the zero page
 *   shmem    shared anonymous memory
 *   hugetlb  out of the pool of huge pages
 *   swap     anon, half of it pushed out to swap
 *   PATH     a file there, shared and written to
 */
void bigmem_touch(const char *kind, int mb);

/*
 * Where the caller's memory comes from: a node by its number, or "all" for page by
 * page from each in turn.
 */
void bigmem_nodes(const char *nodes);

#endif
