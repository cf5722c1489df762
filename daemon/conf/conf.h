/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings files in, one checked struct pcr_settings out, or a list of what is
 * wrong with them. Bad input is refused as a whole, and everything that is wrong
 * in every file is told at once: nobody should have to reload ten times to find
 * ten slips.
 *
 * Files, later over earlier (systemd's drop-in order):
 *   /usr/lib, /run, /etc  pcpu-reclaimd/pcpu-reclaimd.conf
 *   the same, conf.d/ *.conf, sorted by name across the three; of one name only the
 *   last directory's counts; a symlink to /dev/null masks the name
 * Missing files and directories are no error: the defaults are built in.
 *
 * Nothing here is safe for two threads at a time: inih keeps its options in globals.
 */
#ifndef PCR_CONF_H
#define PCR_CONF_H

#include "pcr/settings.h"

/* One message. text has "FILE:LINE:COLUMN: " in front where it has a place. */
struct pcr_conf_line {
	char *text;
	bool error;		/* false: a warning */
	u32 file;		/* the order they are shown in: as read */
	u32 line;
	u32 column;
};

/* Owned by the caller, {} to begin with; what several loads say adds up in it. */
struct pcr_conf_report {
	struct pcr_conf_line *lines;
	size_t n;
	size_t cap;
	u32 n_errors;
	u32 n_warnings;
	bool nomem;		/* something could not be kept */
};

void pcr_conf_report_done(struct pcr_conf_report *report);
/* All lines, each with its newline, then "1 error, 2 warnings" without; free(). NULL: no memory. */
char *pcr_conf_report_text(const struct pcr_conf_report *report);

/*
 * prefix is put before the three directories ("" for the machine itself, or a
 * recorded one); with dir, dir/pcpu-reclaimd.conf and dir/conf.d/ are read instead of
 * the three, prefix or not.
 *
 * 0; -EINVAL: the report has at least one error; any other -errno: a file or
 * directory is there and could not be read (told in the report as well), or there
 * is no memory. Warnings may come with 0.
 */
int pcr_conf_load(const char *prefix, const char *dir, struct pcr_settings **ret_settings,
		  struct pcr_conf_report *report);

/* The same with one file that is in memory already; name is for messages. */
int pcr_conf_parse_text(const char *name, const char *text, size_t n,
			struct pcr_settings **ret_settings, struct pcr_conf_report *report);

/*
 * What files of these settings said, as one file that says the same: keys that were set,
 * and lists of cgroups in full. free(); NULL: no memory.
 */
char *pcr_settings_text(const struct pcr_settings *settings);

/* What holds where no file says anything. NULL: no memory. */
struct pcr_settings *pcr_settings_default(void);
void pcr_settings_free(struct pcr_settings *settings);

/*
 * The table of keys, for those who show settings or hold documentation against
 * it. An index is good for settings->origin[] and policy->origin[]; the keys that a
 * [Policy] may override have the same index there as in [Percpu].
 */
size_t pcr_key_count(void);
/* -1: no such key. Section as in the file, "Policy" for [Policy NAME]. */
int pcr_key_index(const char *section, const char *key);
const char *pcr_key_section(size_t i);
const char *pcr_key_name(size_t i);
/* What is written behind the "=": "size", "span", "size/span", ... */
const char *pcr_key_form(size_t i);
/* One line, without a full stop. */
const char *pcr_key_doc(size_t i);
/* As it would stand in a file, "" for none. */
const char *pcr_key_default(size_t i);
/* The kernel's file without which it has no effect; NULL: there is none. */
const char *pcr_key_knob(size_t i);
bool pcr_key_in_policy(size_t i);
/* Room for any range or value but the lists, which are cut with "...". */
#define PCR_KEY_TEXT 128
/* "64K to 1T", "yes or no"; in words where there is no range. */
const char *pcr_key_range(size_t i, char buf[static PCR_KEY_TEXT]);
/*
 * The value in force, as it would stand in a file; "" for none. policy: index into
 * settings->policies, or -1 for everything else; Match= only exists with a policy.
 */
const char *pcr_key_value(size_t i, const struct pcr_settings *settings, s32 policy,
			  char buf[static PCR_KEY_TEXT]);

/* May a [BatchFree nodeN] have it? */
bool pcr_key_in_node(size_t i);
/* The value in force for one node. */
const char *pcr_key_node_value(size_t i, const struct pcr_settings *settings, u32 node,
			       char buf[static PCR_KEY_TEXT]);
/* Where it was set: in the node's section, or in [BatchFree]. */
const struct pcr_origin *pcr_key_node_origin(size_t i, const struct pcr_settings *settings, u32 node);

#endif
