// SPDX-License-Identifier: GPL-2.0-or-later
/* Is stdin OpenMetrics? Says what is wrong otherwise. */
#include "openmetrics.h"

int main(void)
{
	static char text[1 << 20];
	char why[256];
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);

	if (strlen(text) == n && openmetrics(text, why))
		return 0;
	puts(strlen(text) == n ? why : "a NUL byte");
	return 1;
}
