/* Switching between two threads of control and back, one function per library. */
#ifndef LIMEN_COTHREAD_COMPARE_H
#define LIMEN_COTHREAD_COMPARE_H

#ifdef __cplusplus
extern "C" {
#endif

#define COMPARE_STACK_BYTES 0x10000

/* Switches at least `count` times and returns in the first thread. */
typedef void (*exchange_t)(long count);

void cothreads_bare(long count);
void cothreads_rounding(long count);
/* Yields between the root and the started cothreads. */
void cothreads_yield(long count);
void cothreads_start_one(void);
void cothreads_start_ten_thousand(void);
void boost_fcontext(long count);
void boost_fiber(long count);
void pth_contexts(long count);
void system_contexts(long count);
void libco_switch(long count);
void plain_return(long count);
void plain_jump(long count);

#ifdef __cplusplus
}
#endif

#endif /* LIMEN_COTHREAD_COMPARE_H */
