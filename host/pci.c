// SPDX-License-Identifier: BSD-3-Clause
// The address of a device on the PCI bus, from vendor extensions, and the NUMA
// node that Linux reports for the address.
#include "host/pci.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    DEVICE_PCI_BUS_INFO_KHR = 0x410F,
    DEVICE_PCI_BUS_ID_NV = 0x4008,
    DEVICE_PCI_SLOT_ID_NV = 0x4009,
    DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
    DEVICE_TOPOLOGY_AMD = 0x4037,
};

// Answers of cl_khr_pci_bus_info and cl_amd_device_attribute_query.
struct pci_khr {
    cl_uint domain, bus, device, function;
};
struct pci_amd {
    cl_uint type; // 1: PCIe
    unsigned char unused[17], bus, device, function;
};

struct asking {
    const struct lcl_cl *cl;
    cl_device_id device;
};

// A query may fail although the device has the extension.
static bool query_raw(const struct asking *q, cl_device_info what, void *value,
                      size_t size)
{
    return q->cl->api->clGetDeviceInfo(q->device, what, size, value, NULL) ==
           CL_SUCCESS;
}

void lcl_pci_text(char text[16], unsigned domain, unsigned bus, unsigned device,
                  unsigned function)
{
    snprintf(text, 16, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff,
             device & 0x1f, function & 7);
}

static void query_khr(const struct asking *q, char text[16])
{
    struct pci_khr place;
    if (query_raw(q, DEVICE_PCI_BUS_INFO_KHR, &place, sizeof place))
        lcl_pci_text(text, place.domain, place.bus, place.device,
                     place.function);
}

// A slot combines device and function. Old drivers report no domain.
static void query_nv(const struct asking *q, char text[16])
{
    cl_uint bus, slot, domain = 0;
    if (!query_raw(q, DEVICE_PCI_BUS_ID_NV, &bus, sizeof bus) ||
        !query_raw(q, DEVICE_PCI_SLOT_ID_NV, &slot, sizeof slot))
        return;
    (void)query_raw(q, DEVICE_PCI_DOMAIN_ID_NV, &domain, sizeof domain);
    lcl_pci_text(text, domain, bus, slot >> 3, slot & 7);
}

static void query_amd(const struct asking *q, char text[16])
{
    struct pci_amd place;
    if (query_raw(q, DEVICE_TOPOLOGY_AMD, &place, sizeof place) &&
        place.type == 1)
        lcl_pci_text(text, 0, place.bus, place.device, place.function);
}

static int node_of(const char *pci)
{
    char path[64];
    int node = -1;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", pci);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    if (fscanf(file, "%d", &node) != 1)
        node = -1;
    fclose(file);
    return node;
}

void lcl_pci_query(const struct lcl_cl *cl, cl_device_id device,
                   const char *extensions, struct lcl_caps *caps)
{
    const struct asking q = {cl, device};
    caps->numa_node = -1;
    if (strstr(extensions, "cl_khr_pci_bus_info"))
        query_khr(&q, caps->pci);
    else if (strstr(extensions, "cl_nv_device_attribute_query"))
        query_nv(&q, caps->pci);
    else if (strstr(extensions, "cl_amd_device_attribute_query"))
        query_amd(&q, caps->pci);
    if (*caps->pci)
        caps->numa_node = node_of(caps->pci);
}
