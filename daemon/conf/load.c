// SPDX-License-Identifier: GPL-2.0-or-later
/* From nothing to settings: find the files, read each, check the whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "conf/draft.h"
#include "conf/files.h"

static int add_file(struct pcr_draft *draft, const char *path)
{
	/* Not read, so it is in no list; its place among the messages is before the next. */
	struct pcr_conf_place place = { .path = path, .file = draft->settings->n_files };
	PCR_AUTOFREE char *text = NULL;
	const char *what = NULL;
	size_t n;
	int r = pcr_conf_slurp(path, &text, &n, &what);

	if (r == 0)
		return pcr_draft_add(draft, path, text, n);
	pcr_conf_error(draft->report, &place, "%s", what ? what : strerror(-r));
	/* What is wrong with the file itself counts like what is wrong in it. */
	return what ? 0 : r;
}

int pcr_conf_load(const char *prefix, const char *dir, struct pcr_settings **ret_settings,
		  struct pcr_conf_report *report)
{
	struct pcr_settings *settings = NULL;
	struct pcr_conf_files files = {};
	struct pcr_draft draft;
	int r = pcr_draft_start(&draft, report), err;

	if (r < 0)
		return r;
	err = pcr_conf_find(prefix, dir, report, &files);
	for (u32 i = 0; i < files.n; i++) {
		r = add_file(&draft, files.paths[i]);
		err = err < 0 ? err : r;
	}
	r = pcr_draft_finish(&draft, &settings);
	pcr_draft_done(&draft);
	pcr_conf_files_done(&files);
	if (err < 0 || r < 0) {
		pcr_settings_free(settings);
		return err < 0 ? err : r;
	}
	*ret_settings = settings;
	return 0;
}

int pcr_conf_parse_text(const char *name, const char *text, size_t n,
			struct pcr_settings **ret_settings, struct pcr_conf_report *report)
{
	struct pcr_settings *settings = NULL;
	struct pcr_draft draft;
	int r = pcr_draft_start(&draft, report), err;

	if (r < 0)
		return r;
	err = pcr_draft_add(&draft, name, text, n);
	r = pcr_draft_finish(&draft, &settings);
	pcr_draft_done(&draft);
	if (err < 0 || r < 0) {
		pcr_settings_free(settings);
		return err < 0 ? err : r;
	}
	*ret_settings = settings;
	return 0;
}
