/*
 * Run a fuzz target over every file of a folder, so that each input that ever mattered is an
 * ordinary test of every build.
 */
#include "base/file.h"
#include "base/path.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#define INPUT_MAX ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    unsigned count = 0;

    if (!dir) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        CLEANUP(arena) struct arena a = { 0 };
        struct err e = { 0 };
        struct str text;

        if (entry->d_name[0] == '.')
            continue;
        if (file_read(&a, path_join(&a, argv[1], entry->d_name), INPUT_MAX, &text, &e) < 0) {
            fprintf(stderr, "%s\n", e.msg);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text.ptr, text.len);
        count++;
    }
    closedir(dir);
    printf("%u inputs\n", count);
    return count ? 0 : 1;
}
