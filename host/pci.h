// SPDX-License-Identifier: BSD-3-Clause
// The address of a device on the PCI bus.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

// Sets caps->pci and caps->numa_node as far as extensions of the device and the
// system report them.
void lcl_pci_query(const struct lcl_cl *cl, cl_device_id device,
                   const char *extensions, struct lcl_caps *caps);

// "0000:3b:00.0"
void lcl_pci_text(char text[16], unsigned domain, unsigned bus, unsigned device,
                  unsigned function);
