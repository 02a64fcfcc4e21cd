/* The child that bench_proc starts: reads all of its input and answers with an empty object. */
#include <unistd.h>

int main(void)
{
    char text[8192];
    ssize_t n;

    do
        n = read(STDIN_FILENO, text, sizeof(text));
    while (n > 0);
    return n < 0 || write(STDOUT_FILENO, "{}", 2) != 2;
}
