/* Computes with floating-point numbers now and then. */

#include <microkit.h>

/* Volatile, because the compiler would otherwise compute the areas. */
static volatile double radius = 1.0;

/* Prints whole numbers only, to keep the example short. */
static void print_area(double area)
{
    microkit_dbg_puts("artist: a circle of area ");
    microkit_dbg_put32((seL4_Uint32)area);
    microkit_dbg_puts("\n");
}

/* Not inlined, because the caller would otherwise restore saved registers after the notification: one more use. */
static __attribute__((noinline)) void draw(void)
{
    for (int i = 0; i < 3; i++) {
        radius = radius + 0.5;
        print_area(3.14159265 * radius * radius);
    }
}

void init(void)
{
    microkit_dbg_puts("artist: no numbers yet\n");
}

void notified(microkit_channel ch)
{
    draw();
    microkit_notify(ch);
}
