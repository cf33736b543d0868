/* Tracing: a program's own events, and the ring in which the kernel records all events.
 *
 *   limen_trace_event("received", length);
 *   limen_trace_begin("decode", frame);
 *   ...
 *   limen_trace_end("decode", frame);
 *   limen_trace_counter("queue length", queue.length);
 *
 * Each of these is one no-op until the key `limen_trace_on` is switched, which follows `kernel.trace.programs` or the key that
 * the description binds: <key name="..." symbol="limen_trace_on"/>. Then it is a system call that writes one record with the
 * kernel's time, and returns at once.
 *
 * A name is a string literal without quotes, backslashes, braces, percent signs and vertical bars. It is in a section of the ELF
 * file that is not loaded; the record holds its offset there.
 *
 * A program whose description has <trace vaddr="0x4000000" setvar_vaddr="trace"/> reads the ring:
 *
 *   limen_trace_cursor_t cursor = { .ring = (const seL4_Uint64 *)trace };
 *   limen_trace_record_t record;
 *   while (limen_trace_next(&cursor, &record)) {
 *       ... record.kind, record.thread
 *   }
 *   ... cursor.lost
 *
 * With several processors, each writes a ring of its own: { .ring = limen_trace_ring((const seL4_Uint64 *)trace, processor) } for
 * the processors 0 to CONFIG_MAX_NUM_NODES - 1. Times of different rings can be compared.
 */
#ifndef LIMEN_TRACE_H
#define LIMEN_TRACE_H

#include <limen/abi.h>
#include <limen/static_key.h>
#include <sel4/sel4.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The key of a program's events. */
extern limen_static_key_t limen_trace_on;

#ifdef __cplusplus
}
#endif

/* Writes a record if programs may trace; otherwise nothing happens. The word has the kind in its low half, and the offset of
 * the name in its high half. */
LIMEN_INLINE void limen_trace_write(seL4_Word word, seL4_Word value)
{
    limen_trap_trace(word, value);
}

/* The offset of a name, as a constant in the code. */
#if defined(__aarch64__)
#define LIMEN_TRACE_OFFSET "movz %0, #:abs_g1:772b\n\tmovk %0, #:abs_g0_nc:772b"
#elif defined(__riscv)
#define LIMEN_TRACE_OFFSET "lui %0, %%hi(772b)\n\taddi %0, %0, %%lo(772b)"
#else
#define LIMEN_TRACE_OFFSET "movl $772b, %k0"
#endif

/* A number, an enumerator or a pointer as a word; C++ accepts this form of a cast with -Wold-style-cast. */
#ifdef __cplusplus
#define LIMEN_TRACE_WORD(value) seL4_Word(value)
#else
#define LIMEN_TRACE_WORD(value) ((seL4_Word)(value))
#endif

#define LIMEN_TRACE(traced, name, traced_value)                                                                    \
    do {                                                                                                           \
        if (limen_static_branch_unlikely(limen_trace_on)) {                                                        \
            seL4_Word limen_trace_name;                                                                            \
            __asm__(".pushsection .limen.trace_names, \"\", %%progbits\n772:\n\t.asciz \"" name "\"\n\t.popsection\n\t" \
                    LIMEN_TRACE_OFFSET                                                                             \
                    : "=r"(limen_trace_name));                                                                     \
            limen_trace_write(limen_trace_name << 32 | LIMEN_TRACE_WORD(traced), LIMEN_TRACE_WORD(traced_value));  \
        }                                                                                                          \
    } while (0)

/* An event, the begin and the end of a span, and the new value of a counter. The name becomes a string of the assembler in a
 * template of the compiler, so it is a string literal without quotes, backslashes, percent signs and braces. */
#define limen_trace_event(name, value) LIMEN_TRACE(limen_traced_event, name, value)
#define limen_trace_begin(name, value) LIMEN_TRACE(limen_traced_span_begin, name, value)
#define limen_trace_end(name, value) LIMEN_TRACE(limen_traced_span_end, name, value)
#define limen_trace_counter(name, value) LIMEN_TRACE(limen_traced_counter, name, value)

/* A record. */
typedef struct limen_trace_record {
    seL4_Uint64 number; /* from 0 */
    seL4_Uint64 time;   /* in ticks of the clock */
    seL4_Uint64 kind;   /* a limen_trace_kind_t; a later kernel may have others */
    seL4_Uint64 thread; /* the number of the protection domain in the report, or LIMEN_TRACE_NO_THREAD */
    seL4_Uint64 first;
    seL4_Uint64 second;
} limen_trace_record_t;

/* A position in the ring. All zeros but the ring, it is before the first record. */
typedef struct limen_trace_cursor {
    const seL4_Uint64 *ring;
    seL4_Uint64 next; /* the number of the next record */
    seL4_Uint64 lost; /* records that were overwritten before this cursor read them */
} limen_trace_cursor_t;

/* The ring that a processor writes, of those that begin at an address. */
static inline const seL4_Uint64 *limen_trace_ring(const seL4_Uint64 *rings, seL4_Word processor)
{
    const seL4_Uint64 page_words = 4096 / sizeof(seL4_Uint64);
    seL4_Uint64 words = LIMEN_TRACE_HEADER_WORDS + rings[LIMEN_TRACE_SLOTS] * LIMEN_TRACE_RECORD_WORDS;
    return &rings[processor * ((words + page_words - 1) / page_words * page_words)];
}

/* Ticks of the clock per second. */
static inline seL4_Uint64 limen_trace_frequency(const limen_trace_cursor_t *cursor)
{
    return cursor->ring[LIMEN_TRACE_FREQUENCY];
}

/* Copies the oldest record that was not read, and advances. Returns false if there is none. */
static inline seL4_Bool limen_trace_next(limen_trace_cursor_t *cursor, limen_trace_record_t *record)
{
    const seL4_Uint64 *ring = cursor->ring;
    for (;;) {
        seL4_Uint64 count = __atomic_load_n(&ring[LIMEN_TRACE_COUNT], __ATOMIC_ACQUIRE);
        if (count == cursor->next) {
            return seL4_False;
        }
        seL4_Uint64 slots = ring[LIMEN_TRACE_SLOTS];
        if (count - cursor->next > slots) {
            cursor->lost += count - cursor->next - slots;
            cursor->next = count - slots;
        }
        const seL4_Uint64 *words =
            &ring[LIMEN_TRACE_HEADER_WORDS + (cursor->next & (slots - 1)) * LIMEN_TRACE_RECORD_WORDS];
        record->time = __atomic_load_n(&words[LIMEN_TRACE_TIME], __ATOMIC_RELAXED);
        seL4_Uint64 what = __atomic_load_n(&words[LIMEN_TRACE_WHAT], __ATOMIC_RELAXED);
        record->second = __atomic_load_n(&words[LIMEN_TRACE_VALUE], __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        record->number = __atomic_load_n(&words[LIMEN_TRACE_NUMBER], __ATOMIC_RELAXED);
        if (record->number == cursor->next) {
            record->kind = what & 0xff;
            record->thread = what >> 16 & 0xffff;
            record->first = what >> 32;
            cursor->next++;
            return seL4_True;
        }
        /* The kernel has overwritten it meanwhile. */
    }
}

#endif /* LIMEN_TRACE_H */
