/* The bounds of a counted part. The emulator logs their addresses, which must be beyond the code of other programs. */

#include "window.h"

__asm__(".pushsection .text\n"
        ".balign 0x10000\n"
        ".global bench_count_from, bench_count_to\n"
        "bench_count_from: ret\n"
        ".balign 16\n"
        "bench_count_to: ret\n"
        ".popsection");
