// SPDX-License-Identifier: GPL-2.0-or-later
/* Colours, where they are wanted. */
#include "client/style.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client/utf8.h"

void pcr_style_detect(FILE *out, struct pcr_style *ret_style)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = isatty(fileno(out));
	struct winsize size;

	*ret_style = (struct pcr_style){ .out = out };
	if (!terminal)
		return;
	ret_style->colour = !(no_colour && *no_colour) && term && *term;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		ret_style->columns = size.ws_col;
}

void pcr_paint(const struct pcr_style *style, enum pcr_paint paint, const char *text)
{
	static const char *const codes[] = {
		[PCR_PLAIN] = "",	 [PCR_BOLD] = "\x1b[1m",    [PCR_DIM] = "\x1b[2m",
		[PCR_GREEN] = "\x1b[32m", [PCR_YELLOW] = "\x1b[33m", [PCR_RED] = "\x1b[31m",
	};
	bool painted = style->colour && paint != PCR_PLAIN;

	if (painted)
		fputs(codes[paint], style->out);
	pcr_utf8_print(style->out, text);
	if (painted)
		fputs("\x1b[0m", style->out);
}
