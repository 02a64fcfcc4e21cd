/* The program: so far it only says which one it is. */
#include <stdio.h>

int main(void)
{
    printf("hooke " HOOKE_VERSION "\n");
    return 0;
}
