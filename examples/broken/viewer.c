/* Shows a picture once it is complete. */

#include <microkit.h>

unsigned char *picture;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    microkit_dbg_puts("viewer: the first pixel is ");
    microkit_dbg_put8(picture[0]);
    microkit_dbg_puts("\n");
}
