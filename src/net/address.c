#include "net/address.h"

#include "base/macros.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

struct range {
    uint32_t address;
    unsigned bits;
};

/* IANA's registry of special-purpose addresses, but for those that are anybody's to use. */
static const struct range private_ranges[] = {
    { 0x00000000, 8 },  /* this network */
    { 0x0a000000, 8 },  /* private */
    { 0x64400000, 10 }, /* shared by customers of a provider */
    { 0x7f000000, 8 },  /* loopback */
    { 0xa9fe0000, 16 }, /* link-local; clouds tell machines their secrets there */
    { 0xac100000, 12 }, /* private */
    { 0xc0000000, 24 }, /* protocol assignments */
    { 0xc0000200, 24 }, /* documentation */
    { 0xc0a80000, 16 }, /* private */
    { 0xc6120000, 15 }, /* benchmarks */
    { 0xc6336400, 24 }, /* documentation */
    { 0xcb007100, 24 }, /* documentation */
    { 0xe0000000, 3 },  /* multicast, reserved, broadcast */
};

static bool is_public_v4(uint32_t address)
{
    for (size_t i = 0; i < ARRAY_LEN(private_ranges); i++)
        if ((address ^ private_ranges[i].address) >> (32 - private_ranges[i].bits) == 0)
            return false;
    return true;
}

static uint32_t v4_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Public is only 2000::/3, and what leads to IPv4 is judged by where. */
static bool is_public_v6(const uint8_t b[16])
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    static const uint8_t translated[12] = { 0x00, 0x64, 0xff, 0x9b };

    if (memcmp(b, mapped, 12) == 0 || memcmp(b, translated, 12) == 0)
        return is_public_v4(v4_at(b + 12));
    if (b[0] == 0x20 && b[1] == 0x02) /* 6to4 */
        return is_public_v4(v4_at(b + 2));
    if (b[0] == 0x20 && b[1] == 0x01 && (b[2] < 0x02 || (b[2] == 0x0d && b[3] == 0xb8)))
        return false; /* tunnels, benchmarks, documentation */
    return (b[0] & 0xe0) == 0x20;
}

bool address_is_public(const struct sockaddr *to)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (to->sa_family == AF_INET) {
        memcpy(&v4, to, sizeof(v4));
        return is_public_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (to->sa_family != AF_INET6)
        return false;
    memcpy(&v6, to, sizeof(v6));
    return is_public_v6(v6.sin6_addr.s6_addr);
}

bool address_text_is_public(const char *text)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (inet_pton(AF_INET, text, &v4) == 1)
        return is_public_v4(ntohl(v4.s_addr));
    return inet_pton(AF_INET6, text, &v6) == 1 && is_public_v6(v6.s6_addr);
}
