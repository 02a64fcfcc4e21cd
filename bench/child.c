/*
 * The child that the benchmarks start: reads all of its input and answers with an empty object,
 * after as many milliseconds as it is told.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char text[8192];
    ssize_t n;

    do
        n = read(STDIN_FILENO, text, sizeof(text));
    while (n > 0);
    if (argc > 1) {
        long ms = strtol(argv[1], NULL, 10);
        const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

        nanosleep(&pause, NULL);
    }
    return n < 0 || write(STDOUT_FILENO, "{}", 2) != 2;
}
