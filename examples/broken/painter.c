/* Fills a picture, and one pixel more. */

#include <microkit.h>

#define VIEWER 0
#define PIXELS 4096

unsigned char *picture;

static void fill(volatile unsigned char *pixels, unsigned char colour)
{
    for (int i = 0; i <= PIXELS; i++) {
        pixels[i] = colour;
    }
}

void init(void)
{
    fill(picture, 7);
    microkit_notify(VIEWER);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
