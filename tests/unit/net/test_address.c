#include "net/address.h"
#include "test.h"

#include <arpa/inet.h>

static void only_the_internet_is_public(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool is_public;
    } rows[] = {
        { "1.1.1.1", true },
        { "93.184.216.34", true },
        { "172.15.255.255", true },
        { "172.32.0.1", true },
        { "100.63.255.255", true },
        { "192.167.0.1", true },
        { "223.255.255.255", true },
        { "2606:4700::1111", true },
        { "2001:4860:4860::8888", true },
        { "::ffff:8.8.8.8", true },
        { "64:ff9b::808:808", true },
        { "2002:808:808::1", true },
        { "0.0.0.0", false },
        { "127.0.0.1", false },
        { "127.255.255.254", false },
        { "10.0.0.1", false },
        { "100.64.0.1", false },
        { "169.254.169.254", false },
        { "172.16.0.1", false },
        { "172.31.255.255", false },
        { "192.168.1.1", false },
        { "198.18.0.1", false },
        { "224.0.0.1", false },
        { "255.255.255.255", false },
        { "::", false },
        { "::1", false },
        { "fe80::1", false },
        { "fc00::1", false },
        { "fd12:3456::1", false },
        { "ff02::1", false },
        { "::ffff:127.0.0.1", false },
        { "::127.0.0.1", false },
        { "64:ff9b::7f00:1", false },
        { "2002:7f00:1::1", false },
        { "2001:db8::1", false },
        { "2001::1", false },
        { "localhost", false },
        { "", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (address_text_is_public(rows[i].text) != rows[i].is_public)
            fail_msg("'%s'", rows[i].text);
}

static void socket_addresses_are_judged_alike(void **state UNUSED)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x01010101) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    struct sockaddr other = { .sa_family = AF_UNIX };

    assert_true(address_is_public((struct sockaddr *)&v4));
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_false(address_is_public((struct sockaddr *)&v4));
    assert_false(address_is_public((struct sockaddr *)&v6));
    assert_int_equal(inet_pton(AF_INET6, "2606:4700::1", &v6.sin6_addr), 1);
    assert_true(address_is_public((struct sockaddr *)&v6));
    assert_false(address_is_public(&other));
}

TESTS(cmocka_unit_test(only_the_internet_is_public),
      cmocka_unit_test(socket_addresses_are_judged_alike))
