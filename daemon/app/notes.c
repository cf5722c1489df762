// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys that are set and do nothing on this machine: no fault of the settings, but told. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/log.h"
#include "conf/conf.h"
#include "ctl/socket.h"

bool pcr_app_knob_missing(const struct pcr_root *root, const char *knob, char *why, size_t size)
{
	int fd = -1;
	int r = pcr_root_openat(root, knob, O_WRONLY | O_NONBLOCK, &fd);

	if (r == 0)
		close(fd);
	else if (r == PCR_NONE)
		snprintf(why, size, "this kernel has no %s", knob);
	else
		snprintf(why, size, "%s can't be written: %s", knob, strerrorname_np(-r));
	return r != 0;
}

/* A policy that keeps workers away where there is no file to say so in. */
static void batch_notes(const struct pcr_root *root, const struct pcr_settings *set,
			void (*tell)(const char *place, const char *text))
{
	size_t key = (size_t)pcr_key_index("Policy", "BatchFree");
	char place[4200], why[128];
	const char *text;

	/* Nothing is helped anywhere then. */
	if (!set->batch.enabled || pcr_app_knob_missing(root, PCR_BATCH_ENABLED, why, sizeof(why)))
		return;
	if (root->mode == PCR_CGROUP_V2)
		return;
	text = "BatchFree=no has no effect: " PCR_MEMORY_BATCH_FREE
	       " is of cgroup v2 with the memory controller";
	for (u32 i = 0; i < set->n_policies; i++) {
		const struct pcr_origin *at = &set->policies[i].origin[key];

		if (!at->line || set->policies[i].rule.batch_free)
			continue;
		snprintf(place, sizeof(place), "%s:%u:%u", set->files[at->file], at->line, at->column);
		tell(place, text);
	}
}

/* Such a socket is root's alone. */
static bool group_missing(const struct pcr_settings *set, char *text, size_t size)
{
	const char *name = set->daemon.socket_group;
	gid_t group;

	if (!name || pcr_group_find(name, &group) != PCR_NONE)
		return false;
	snprintf(text, size, "SocketGroup=%s has no effect: there is no such group, only root may ask",
		 name);
	return true;
}

static void place_of(const struct pcr_settings *set, size_t key, char *place, size_t size)
{
	const struct pcr_origin *at = &set->origin[key];

	snprintf(place, size, "%s:%u:%u", set->files[at->file], at->line, at->column);
}

void pcr_app_notes(const struct pcr_root *root, const struct pcr_settings *set,
		   void (*tell)(const char *place, const char *text))
{
	char value[PCR_KEY_TEXT], why[128], place[4200], text[400];

	for (size_t i = 0; i < pcr_key_count(); i++) {
		const struct pcr_origin *at = &set->origin[i];

		if (!pcr_key_knob(i) || !at->line ||
		    !strcmp(pcr_key_value(i, set, -1, value), pcr_key_default(i)) ||
		    !pcr_app_knob_missing(root, pcr_key_knob(i), why, sizeof(why)))
			continue;
		place_of(set, i, place, sizeof(place));
		snprintf(text, sizeof(text), "%s=%s has no effect: %s", pcr_key_name(i), value, why);
		tell(place, text);
	}
	batch_notes(root, set, tell);
	if (group_missing(set, text, sizeof(text))) {
		place_of(set, (size_t)pcr_key_index("Daemon", "SocketGroup"), place, sizeof(place));
		tell(place, text);
	}
}

void pcr_app_log_note(const char *place, const char *text)
{
	pcr_log_notice("%s: %s", place, text);
}
