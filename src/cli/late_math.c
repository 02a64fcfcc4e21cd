/*
 * The functions of libm that Lua and SQLite call, each handed on to the library, which is loaded by
 * the first call. Linked as usual it would be loaded with the program: a tenth of what it costs to
 * start, once per hook event, and hooks rarely compute a cosine.
 *
 * Whatever runs at every start stays clear of libm. A function that is missing here brings the
 * library back into the program's dependencies, which a test of the installed tree notices.
 */
#ifdef HOOKE_LATE_MATH

#include "base/dl.h"
#include "base/macros.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define OF_ONE(F) \
    F(acos)       \
    F(acosh)      \
    F(asin)       \
    F(asinh)      \
    F(atan)       \
    F(atanh)      \
    F(cos)        \
    F(cosh)       \
    F(exp)        \
    F(log)        \
    F(log10)      \
    F(log2)       \
    F(sin)        \
    F(sinh)       \
    F(sqrt)       \
    F(tan)        \
    F(tanh)       \
    F(trunc)

#define OF_TWO(F) \
    F(atan2)      \
    F(fmod)       \
    F(pow)

#define MEMBER_OF_ONE(name) double (*(name))(double);
#define MEMBER_OF_TWO(name) double (*(name))(double, double);

static struct library {
    OF_ONE(MEMBER_OF_ONE)
    OF_TWO(MEMBER_OF_TWO)
} libm;

#define SYMBOL(name) { #name, offsetof(struct library, name) },

static void load(void)
{
    static const struct dl_symbol symbols[] = { OF_ONE(SYMBOL) OF_TWO(SYMBOL) };
    struct err e = { 0 };

    if (dl_load("libm.so.6", symbols, ARRAY_LEN(symbols), &libm, &e) == 0)
        return;
    fprintf(stderr, "hooke: %s\n", e.msg);
    abort(); /* it is a part of the C library: nothing can be right without it */
}

static const struct library *loaded(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return &libm;
}

#define DEFINE_ONE(name)          \
    double name(double x)         \
    {                             \
        return loaded()->name(x); \
    }
#define DEFINE_TWO(name)             \
    double name(double x, double y)  \
    {                                \
        return loaded()->name(x, y); \
    }

OF_ONE(DEFINE_ONE)
OF_TWO(DEFINE_TWO)

#endif
