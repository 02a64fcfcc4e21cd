/* The floor that program starts are measured against: what the kernel and the loader cost. */
int main(void)
{
    return 0;
}
