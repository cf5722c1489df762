/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the socket's file again when somebody has removed it; keep.c says how. */
#ifndef PCR_KEEP_H
#define PCR_KEEP_H

#include "ctl/peer.h"

/* Only for a socket that we made; one from the service manager is left to it. */
void pcr_keep_start(struct pcr_server *server);
void pcr_keep_stop(struct pcr_server *server);
/* Looks now. Logs what it does. */
void pcr_keep_look(struct pcr_server *server);

#endif
