// The seven rounds of BLAKE3: the words of the blocks for each half of a mixing, in the order in which a port reads
// them. An entry is the offset of a word: the same word of four lanes takes 16 bytes.

.equ SIMD_ROUNDS, 7

.macro simd_words m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15
    .long   16 * \m0, 16 * \m2, 16 * \m4, 16 * \m6, 16 * \m1, 16 * \m3, 16 * \m5, 16 * \m7
    .long   16 * \m8, 16 * \m10, 16 * \m12, 16 * \m14, 16 * \m9, 16 * \m11, 16 * \m13, 16 * \m15
.endm

.section .rodata.simd_blake3_words, "a"
.balign 16
simd_blake3_words:
    simd_words 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    simd_words 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8
    simd_words 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1
    simd_words 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6
    simd_words 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4
    simd_words 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7
    simd_words 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13

.purgem simd_words
