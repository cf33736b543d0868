/* Runs the fuzzer's code on a file, without libFuzzer. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MOST_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    static uint8_t input[MOST_BYTES];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: fuzz_inputs FILE\n");
        return 2;
    }
    size_t size = fread(input, 1, sizeof(input), file);
    fclose(file);
    return LLVMFuzzerTestOneInput(input, size);
}
