/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroup names in JSON. A name on disk holds any byte but '/' and NUL; a JSON
 * string holds UTF-8. So that every name survives the way there and back:
 *
 *   - a byte that is part of no valid UTF-8 sequence, and a control character
 *     (also the bytes of U+0080 to U+009F), is written \xNN, lower case hex;
 *   - a backslash that begins something which would be read back as such an
 *     escape, or as \x5c, is written \x5c;
 *   - everything else stands for itself, systemd's \x2d among it.
 *
 * Reading takes \x5c, \x00 to \x1f, \x7f and \x80 to \xff as bytes and leaves every
 * other backslash alone; so reading a written name gives the bytes on disk.
 */
#ifndef PCR_NAME_H
#define PCR_NAME_H

#include "pcr/types.h"

/* A written name of n bytes needs at most this much. */
#define PCR_NAME_SIZE(n) (4 * (n) + 1)

/* Both return the length and terminate; the room is the caller's to provide. */
size_t pcr_name_write(const char *bytes, size_t n, char *ret_text);
size_t pcr_name_read(const char *text, size_t n, char *ret_bytes);

/* For sentences: newlines and tabs stay, the rest as above but for backslashes. */
size_t pcr_text_write(const char *bytes, size_t n, char *ret_text);

#endif
