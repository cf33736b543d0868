/* The four functions that compilers may call implicitly, and the one that programs for a board's older name expect.
 * They are weak, so that a program's own versions take precedence. */

#include <autoconf.h>

typedef __SIZE_TYPE__ count_t;

void *memcpy(void *destination, const void *source, count_t count);
void *memmove(void *destination, const void *source, count_t count);
void *memset(void *destination, int value, count_t count);
int memcmp(const void *left, const void *right, count_t count);

#define WEAK __attribute__((weak))

WEAK void *memcpy(void *destination, const void *source, count_t count)
{
    char *to = destination;
    const char *from = source;
    while (count--) {
        *to++ = *from++;
    }
    return destination;
}

WEAK void *memmove(void *destination, const void *source, count_t count)
{
    char *to = destination;
    const char *from = source;
    if (to <= from) {
        return memcpy(destination, source, count);
    }
    while (count--) {
        to[count] = from[count];
    }
    return destination;
}

WEAK void *memset(void *destination, int value, count_t count)
{
    char *to = destination;
    while (count--) {
        *to++ = (char)value;
    }
    return destination;
}

WEAK int memcmp(const void *left, const void *right, count_t count)
{
    const unsigned char *a = left;
    const unsigned char *b = right;
    for (; count; count--, a++, b++) {
        if (*a != *b) {
            return *a - *b;
        }
    }
    return 0;
}

#if defined(CONFIG_LIB_LIMEN_OLDER_NAME)
void memzero(void *start, count_t count);

WEAK void memzero(void *start, count_t count)
{
    memset(start, 0, count);
}
#endif
