/* Programs with zeroed memory, and with one more section that a linker may place behind it. */

static volatile char zeros[4 << 20];
static volatile int number = 1;

#if defined(TABLE)
/* Its address comes from the global offset table. */
extern void absent(void) __attribute__((weak));
#elif defined(CONSTRUCTOR)
__attribute__((constructor)) static void begin(void)
{
    number = 2;
}
#elif defined(DESTRUCTOR)
__attribute__((destructor)) static void end(void)
{
    number = 3;
}
#elif defined(OWN)
__attribute__((section("own"))) volatile int more = 4;
#endif

__attribute__((section(".text.start"))) void _start(void)
{
#if defined(TABLE)
    if (absent) {
        absent();
    }
#endif
    zeros[number] = 1;
}
