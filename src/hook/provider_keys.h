/*
 * provider_keys.h - variables that hold keys of model providers. No program that hooke starts sees
 * them unless somebody has named them for it.
 */
#pragma once

extern const char *const provider_keys[]; /* ended by NULL */
