/* The functions that compilers call for copies and fills even in freestanding code.
 *
 * The targets are volatile, so that no compiler turns the loops into calls to the functions themselves. */

typedef unsigned long size;

void *memcpy(void *to, const void *from, size bytes)
{
    volatile char *target = to;
    const char *source = from;
    for (size i = 0; i < bytes; i++) {
        target[i] = source[i];
    }
    return to;
}

void *memset(void *to, int value, size bytes)
{
    volatile char *target = to;
    for (size i = 0; i < bytes; i++) {
        target[i] = (char)value;
    }
    return to;
}
