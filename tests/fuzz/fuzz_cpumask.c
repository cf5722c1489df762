// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs as sysfs writes them: what is read is written, and read again the same. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "read/batch_free.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[PCR_CPUMASK_TEXT];
	struct pcr_cpus cpus, again;
	int r = pcr_cpumask_parse((const char *)data, size, &cpus);

	MUST(r == 0 || r == -EINVAL);
	if (r)
		return 0;
	MUST(cpus.any == (pcr_cpus_count(&cpus) > 0));
	pcr_cpumask_text(&cpus, text);
	MUST(pcr_cpumask_parse(text, strlen(text), &again) == 0);
	MUST(memcmp(&cpus, &again, sizeof(cpus)) == 0);
	return 0;
}
