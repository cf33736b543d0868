/* The later interface (LIBMICROKITCO_API 2), without error codes. A call that fails reports the reason on the debug
 * console and faults at an address that identifies it. */
#ifndef LIMEN_COTHREAD_LATER_H
#define LIMEN_COTHREAD_LATER_H

typedef limen_co_handle_t microkit_cothread_ref_t;
#define LIBMICROKITCO_NULL_HANDLE LIMEN_CO_NO_HANDLE

typedef uintptr_t stack_ptrs_arg_array_t[LIMEN_CO_COTHREADS];

typedef enum {
    cothread_not_active,
    cothread_blocked,
    cothread_ready,
    cothread_running,
} co_state_t;

/* The end of a wait with a deadline. */
typedef enum {
    cothread_woken,
    cothread_timed_out,
    cothread_cancelled,
} co_wait_end_t;

typedef limen_co_semaphore_t microkit_cothread_sem_t;
typedef limen_co_mutex_t microkit_cothread_mutex_t;
typedef limen_co_condition_t microkit_cothread_condition_t;

/* The fault address of each error. Errors without an address of their own share the last one. */
static inline seL4_Word limen_co_fatal_address(co_err_t error)
{
    switch (error) {
    case co_err_destroy_specific_cannot_destroy_root:
        return 0x3;
    case co_err_destroy_specific_holds_mutex:
        return 0x4;
    case co_err_generic_not_initialised:
        return 0x5;
    case co_err_generic_invalid_handle:
        return 0x6;
    case co_err_init_already_initialised:
        return 0x7;
    case co_err_init_co_stack_null:
        return 0x8;
    case co_err_init_co_stack_overlap:
        return 0x9;
    case co_err_init_stack_too_small:
        return 0xe;
    case co_err_my_arg_called_from_root_thread:
        return 0x11;
    case co_err_recv_ntfn_called_from_cothread:
        return 0x12;
    case co_err_recv_ntfn_invalid_channel:
        return 0x13;
    case co_err_spawn_client_entry_null:
        return 0x15;
    case co_err_wait_invalid_channel:
        return 0x16;
    default:
        return 0x18;
    }
}

static inline void limen_co_must(co_err_t error)
{
    if (__builtin_expect(error != co_no_err, 0)) {
        limen_cothread_panic(limen_co_fatal_address(error), error);
    }
}

/* `stacks` has LIBMICROKITCO_MAX_COTHREADS - 1 addresses, because the root already has a stack. */
static inline void microkit_cothread_init(co_control_t *controller_memory, const size_t co_stack_size,
                                          const stack_ptrs_arg_array_t co_stacks)
{
    limen_co_must(limen_cothread_init((uintptr_t)controller_memory, co_stack_size, co_stacks, LIMEN_CO_AGREED));
}

/* The new cothread is ready. LIBMICROKITCO_NULL_HANDLE if every cothread is in use. */
static inline microkit_cothread_ref_t microkit_cothread_spawn(const client_entry_t client_entry, void *private_arg)
{
    microkit_cothread_ref_t handle = LIBMICROKITCO_NULL_HANDLE;
    co_err_t error = limen_cothread_spawn(client_entry, true, &handle, (uintptr_t)private_arg);
    if (error != co_err_spawn_max_cothreads_reached) {
        limen_co_must(error);
    }
    return handle;
}

static inline void microkit_cothread_set_arg(const microkit_cothread_ref_t cothread, void *private_arg)
{
    limen_co_must(limen_cothread_set_arg(cothread, (uintptr_t)private_arg));
}

static inline co_state_t microkit_cothread_query_state(const microkit_cothread_ref_t cothread)
{
    limen_co_state_t state = LIMEN_CO_NOT_ACTIVE;
    limen_co_must(limen_cothread_state(cothread, &state));
    switch (state) {
    case LIMEN_CO_NOT_ACTIVE:
        return cothread_not_active;
    case LIMEN_CO_READY:
        return cothread_ready;
    case LIMEN_CO_RUNNING:
        return cothread_running;
    default:
        return cothread_blocked;
    }
}

/* Returns true if a spawn would succeed, and the handle that it would return. */
static inline bool microkit_cothread_free_handle_available(microkit_cothread_ref_t *ret_handle)
{
    co_err_t error = limen_cothread_next_handle(ret_handle);
    if (error != co_err_spawn_max_cothreads_reached) {
        limen_co_must(error);
    }
    return error == co_no_err;
}

static inline microkit_cothread_ref_t microkit_cothread_my_handle(void)
{
    microkit_cothread_ref_t handle = LIBMICROKITCO_NULL_HANDLE;
    limen_co_must(limen_cothread_my_handle(&handle));
    return handle;
}

static inline void *microkit_cothread_my_arg(void)
{
    uintptr_t argument = 0;
    limen_co_must(limen_cothread_my_arg(&argument));
    return (void *)argument;
}

static inline void microkit_cothread_yield(void)
{
    limen_co_must(limen_co_yield());
}

static inline void microkit_cothread_destroy(const microkit_cothread_ref_t cothread)
{
    limen_co_must(limen_cothread_destroy(cothread));
}

static inline void microkit_cothread_wait_on_channel(const microkit_channel wake_on)
{
    limen_co_must(limen_co_wait_on_channel(wake_on));
}

/* Wakes the longest waiter. Without a waiter, the library keeps the notification, at most one per channel. */
static inline void microkit_cothread_recv_ntfn(const microkit_channel ch)
{
    co_err_t error = limen_co_recv_ntfn(ch, limen_cothread_recv_ntfn_one);
    if (error != co_err_recv_ntfn_already_queued) {
        limen_co_must(error);
    }
}

/* Semaphores are binary: signals do not accumulate. */
static inline void microkit_cothread_semaphore_init(microkit_cothread_sem_t *ret_sem)
{
    limen_co_must(limen_cothread_semaphore_init(ret_sem, 0, 1));
}

static inline void microkit_cothread_semaphore_wait(microkit_cothread_sem_t *sem)
{
    limen_co_must(limen_co_semaphore_wait(sem));
}

/* Switches to a waiting thread at once; the caller becomes ready. microkit_cothread_semaphore_post does not switch. */
static inline void microkit_cothread_semaphore_signal(microkit_cothread_sem_t *sem)
{
    co_err_t error = limen_co_semaphore_hand_over(sem);
    if (error != co_err_semaphore_overflow) {
        limen_co_must(error);
    }
}

static inline void microkit_cothread_semaphore_post(microkit_cothread_sem_t *sem)
{
    co_err_t error = limen_co_semaphore_signal(sem);
    if (error != co_err_semaphore_overflow) {
        limen_co_must(error);
    }
}

static inline bool microkit_cothread_semaphore_is_queue_empty(const microkit_cothread_sem_t *sem)
{
    return sem->waiting.last == NULL;
}

static inline bool microkit_cothread_semaphore_is_set(const microkit_cothread_sem_t *sem)
{
    return sem->count != 0;
}

/* Waits with a deadline; see docs/cothreads.md. */
#define MICROKIT_COTHREAD_NO_DEADLINE LIMEN_CO_NO_DEADLINE

static inline co_wait_end_t limen_co_wait_end(co_err_t error)
{
    switch (error) {
    case co_err_timed_out:
        return cothread_timed_out;
    case co_err_cancelled:
        return cothread_cancelled;
    default:
        limen_co_must(error);
        return cothread_woken;
    }
}

static inline co_wait_end_t microkit_cothread_wait_on_channel_until(const microkit_channel wake_on, uint64_t deadline)
{
    return limen_co_wait_end(limen_cothread_wait_on_channel_until(wake_on, deadline));
}

static inline co_wait_end_t microkit_cothread_semaphore_wait_until(microkit_cothread_sem_t *sem, uint64_t deadline)
{
    return limen_co_wait_end(limen_cothread_semaphore_wait_until(sem, deadline));
}

static inline void microkit_cothread_expire(uint64_t now)
{
    limen_co_must(limen_cothread_expire(now));
}

/* False if no thread waits with a deadline. */
static inline bool microkit_cothread_next_deadline(uint64_t *ret_deadline)
{
    co_err_t error = limen_cothread_next_deadline(ret_deadline);
    if (error != co_err_no_deadline) {
        limen_co_must(error);
    }
    return error == co_no_err;
}

/* False if the thread is in no wait that can be cancelled. */
static inline bool microkit_cothread_cancel(const microkit_cothread_ref_t cothread)
{
    co_err_t error = limen_cothread_cancel(cothread);
    if (error != co_err_cancel_not_waiting) {
        limen_co_must(error);
    }
    return error == co_no_err;
}

#endif /* LIMEN_COTHREAD_LATER_H */
