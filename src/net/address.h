/*
 * address.h - which addresses are the internet, and which are this machine or the network around
 * it.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

/*
 * False for loopback, link-local, private, shared, multicast and reserved addresses, IPv4 ones that
 * are wrapped in IPv6 included, and for what is no IP address.
 */
bool address_is_public(const struct sockaddr *to);

/* The same of an address written out: "10.0.0.1", "fe80::1%eth0". */
bool address_text_is_public(const char *text);
