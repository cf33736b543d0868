/* The first interface: every function returns an error code, co_no_err on success. */
#ifndef LIMEN_COTHREAD_SEED_H
#define LIMEN_COTHREAD_SEED_H

typedef limen_co_handle_t microkit_cothread_t;

/* The first seven match the older library. */
typedef enum {
    cothread_not_active,
    cothread_initialised,
    cothread_blocked,
    cothread_blocked_on_channel,
    cothread_blocked_on_join,
    cothread_ready,
    cothread_running,
    cothread_blocked_on_semaphore,
    cothread_blocked_on_mutex,
    cothread_blocked_on_condition,
} co_state_t;

typedef limen_co_semaphore_t microkit_cothread_semaphore_t;
typedef limen_co_mutex_t microkit_cothread_mutex_t;
typedef limen_co_condition_t microkit_cothread_condition_t;

/* microkit_cothread_init(memory, stack_size, stack, ...) takes the address of each stack, as an integer or a pointer.
 * Fewer than LIBMICROKITCO_MAX_COTHREADS do not compile. */
#if defined(__cplusplus)
template <typename Memory, typename... Stacks>
inline co_err_t microkit_cothread_init(Memory memory, size_t stack_size, Stacks... stacks)
{
    static_assert(sizeof...(stacks) >= LIMEN_CO_COTHREADS, "each cothread needs a stack");
    const uintptr_t addresses[] = { (uintptr_t)stacks... };
    return limen_cothread_init((uintptr_t)memory, stack_size, addresses, LIMEN_CO_AGREED);
}
#else
/* The preprocessor does not expand a macro within itself. Each level of LIMEN_CO_REREAD rescans this one, enough for 4096
 * arguments. */
#define LIMEN_CO_NOTHING
#define LIMEN_CO_REREAD(...) LIMEN_CO_REREAD_1(LIMEN_CO_REREAD_1(LIMEN_CO_REREAD_1(LIMEN_CO_REREAD_1(__VA_ARGS__))))
#define LIMEN_CO_REREAD_1(...) LIMEN_CO_REREAD_2(LIMEN_CO_REREAD_2(LIMEN_CO_REREAD_2(LIMEN_CO_REREAD_2(__VA_ARGS__))))
#define LIMEN_CO_REREAD_2(...) LIMEN_CO_REREAD_3(LIMEN_CO_REREAD_3(LIMEN_CO_REREAD_3(LIMEN_CO_REREAD_3(__VA_ARGS__))))
#define LIMEN_CO_REREAD_3(...) LIMEN_CO_REREAD_4(LIMEN_CO_REREAD_4(LIMEN_CO_REREAD_4(LIMEN_CO_REREAD_4(__VA_ARGS__))))
#define LIMEN_CO_REREAD_4(...) __VA_ARGS__
#define LIMEN_CO_ADDRESSES(first, ...) \
    (uintptr_t)(first), __VA_OPT__(LIMEN_CO_MORE_ADDRESSES LIMEN_CO_NOTHING ()(__VA_ARGS__))
#define LIMEN_CO_MORE_ADDRESSES() LIMEN_CO_ADDRESSES
#define LIMEN_CO_ONES(first, ...) +1 __VA_OPT__(LIMEN_CO_MORE_ONES LIMEN_CO_NOTHING ()(__VA_ARGS__))
#define LIMEN_CO_MORE_ONES() LIMEN_CO_ONES
#define LIMEN_CO_ENOUGH(count)                                                          \
    sizeof(struct {                                                                     \
        _Static_assert((count) >= LIMEN_CO_COTHREADS, "each cothread needs a stack");   \
        char unused;                                                                    \
    })
#define microkit_cothread_init(memory, stack_size, ...)                                 \
    ((void)LIMEN_CO_ENOUGH(LIMEN_CO_REREAD(LIMEN_CO_ONES(__VA_ARGS__))),                \
     limen_cothread_init((uintptr_t)(memory), (stack_size),                             \
                         (const uintptr_t[]) { LIMEN_CO_REREAD(LIMEN_CO_ADDRESSES(__VA_ARGS__)) },        \
                         LIMEN_CO_AGREED))
#endif

/* The same with the stacks in an array of LIBMICROKITCO_MAX_COTHREADS addresses. */
static inline co_err_t microkit_cothread_init_array(uintptr_t memory, size_t stack_size, const uintptr_t *stacks)
{
    return limen_cothread_init(memory, stack_size, stacks, LIMEN_CO_AGREED);
}

static inline co_err_t microkit_cothread_spawn(const client_entry_t client_entry, const bool ready,
                                               microkit_cothread_t *handle_ret, uintptr_t private_arg)
{
    return limen_cothread_spawn(client_entry, ready, handle_ret, private_arg);
}

/* The same with an entry function that returns a size_t, which the value of a join is then. */
#if defined(__cplusplus)
inline co_err_t microkit_cothread_spawn(limen_co_function_t client_entry, bool ready, microkit_cothread_t *handle_ret,
                                        uintptr_t private_arg)
{
    return limen_cothread_spawn_function(client_entry, ready, handle_ret, private_arg);
}
#else
#define microkit_cothread_spawn(client_entry, ready, handle_ret, private_arg)                            \
    _Generic((client_entry), limen_co_function_t: limen_cothread_spawn_function,                         \
             default: limen_cothread_spawn)((client_entry), (ready), (handle_ret), (private_arg))
#endif

static inline co_state_t limen_co_seed_state(limen_co_state_t state)
{
    switch (state) {
    case LIMEN_CO_INITIALISED:
        return cothread_initialised;
    case LIMEN_CO_BLOCKED:
        return cothread_blocked;
    case LIMEN_CO_READY:
        return cothread_ready;
    case LIMEN_CO_ON_CHANNEL:
        return cothread_blocked_on_channel;
    case LIMEN_CO_ON_JOIN:
        return cothread_blocked_on_join;
    case LIMEN_CO_ON_SEMAPHORE:
        return cothread_blocked_on_semaphore;
    case LIMEN_CO_ON_MUTEX:
        return cothread_blocked_on_mutex;
    case LIMEN_CO_ON_CONDITION:
        return cothread_blocked_on_condition;
    case LIMEN_CO_RUNNING:
        return cothread_running;
    default:
        return cothread_not_active;
    }
}

static inline co_err_t microkit_cothread_query_state(const microkit_cothread_t cothread, co_state_t *ret_state)
{
    limen_co_state_t state;
    co_err_t error = limen_cothread_state(cothread, ret_state ? &state : NULL);
    if (error == co_no_err) {
        *ret_state = limen_co_seed_state(state);
    }
    return error;
}

static inline co_err_t microkit_cothread_free_handle_available(bool *ret_flag)
{
    microkit_cothread_t next;
    co_err_t error = limen_cothread_next_handle(ret_flag ? &next : NULL);
    if (error != co_no_err && error != co_err_spawn_max_cothreads_reached) {
        return error;
    }
    *ret_flag = error == co_no_err;
    return co_no_err;
}

static inline co_err_t microkit_cothread_my_handle(microkit_cothread_t *ret_handle)
{
    return limen_cothread_my_handle(ret_handle);
}

/* A macro, because programs also pass the address of a pointer. */
#define microkit_cothread_my_arg(ret_priv_arg) limen_cothread_my_arg((uintptr_t *)(ret_priv_arg))

static inline co_err_t microkit_cothread_set_arg(const microkit_cothread_t cothread, uintptr_t private_arg)
{
    return limen_cothread_set_arg(cothread, private_arg);
}

static inline co_err_t microkit_cothread_mark_ready(const microkit_cothread_t cothread)
{
    return limen_cothread_mark_ready(cothread);
}

static inline co_err_t microkit_cothread_recv_ntfn(const microkit_channel ch)
{
    return limen_co_recv_ntfn(ch, limen_cothread_recv_ntfn);
}

static inline co_err_t microkit_cothread_yield(void)
{
    return limen_co_yield();
}

static inline co_err_t microkit_cothread_run(void)
{
    return limen_cothread_run();
}

static inline co_err_t microkit_cothread_wait_on_channel(const microkit_channel wake_on)
{
    return limen_co_wait_on_channel(wake_on);
}

static inline co_err_t microkit_cothread_block(void)
{
    return limen_cothread_block();
}

/* Waits with a deadline; see docs/cothreads.md. */
#define MICROKIT_COTHREAD_NO_DEADLINE LIMEN_CO_NO_DEADLINE

static inline co_err_t microkit_cothread_block_until(uint64_t deadline)
{
    return limen_cothread_block_until(deadline);
}

static inline co_err_t microkit_cothread_wait_on_channel_until(const microkit_channel wake_on, uint64_t deadline)
{
    return limen_cothread_wait_on_channel_until(wake_on, deadline);
}

/* `retval` may be null. */
static inline co_err_t microkit_cothread_join_until(const microkit_cothread_t cothread, size_t *retval,
                                                    uint64_t deadline)
{
    return limen_cothread_join_until(cothread, retval, deadline);
}

static inline co_err_t microkit_cothread_semaphore_wait_until(microkit_cothread_semaphore_t *semaphore,
                                                              uint64_t deadline)
{
    return limen_cothread_semaphore_wait_until(semaphore, deadline);
}

static inline co_err_t microkit_cothread_mutex_lock_until(microkit_cothread_mutex_t *mutex, uint64_t deadline)
{
    return limen_cothread_mutex_lock_until(mutex, deadline);
}

static inline co_err_t microkit_cothread_condition_wait_until(microkit_cothread_condition_t *condition,
                                                              microkit_cothread_mutex_t *mutex, uint64_t deadline)
{
    return limen_cothread_condition_wait_until(condition, mutex, deadline);
}

static inline co_err_t microkit_cothread_expire(uint64_t now)
{
    return limen_cothread_expire(now);
}

static inline co_err_t microkit_cothread_next_deadline(uint64_t *ret_deadline)
{
    return limen_cothread_next_deadline(ret_deadline);
}

static inline co_err_t microkit_cothread_cancel(const microkit_cothread_t cothread)
{
    return limen_cothread_cancel(cothread);
}

static inline co_err_t microkit_cothread_destroy(const microkit_cothread_t cothread)
{
    return limen_cothread_destroy(cothread);
}

static inline co_err_t microkit_cothread_exit(size_t retval)
{
    return limen_cothread_exit(retval);
}

/* microkit_cothread_join(cothread) or microkit_cothread_join(cothread, &retval). */
#if defined(__cplusplus)
inline co_err_t microkit_cothread_join(microkit_cothread_t cothread, size_t *retval = nullptr)
{
    return limen_cothread_join(cothread, retval);
}
#else
#define LIMEN_CO_JOIN(cothread, retval, ...) limen_cothread_join((cothread), (retval))
#define microkit_cothread_join(...) LIMEN_CO_JOIN(__VA_ARGS__, NULL, NULL)
#endif

static inline const char *microkit_cothread_pretty_error(const co_err_t err_num)
{
    return limen_cothread_error_text(err_num);
}

static inline co_err_t microkit_cothread_set_name(const microkit_cothread_t cothread, const char *name)
{
    return limen_cothread_set_name(cothread, name);
}

static inline const char *microkit_cothread_name(const microkit_cothread_t cothread)
{
    return limen_cothread_name(cothread);
}

static inline co_err_t microkit_cothread_stack_used(const microkit_cothread_t cothread, size_t *ret_bytes)
{
    return limen_cothread_stack_used(cothread, ret_bytes);
}

static inline co_err_t microkit_cothread_semaphore_init(microkit_cothread_semaphore_t *semaphore, size_t count)
{
    return limen_cothread_semaphore_init(semaphore, count, SIZE_MAX);
}

static inline co_err_t microkit_cothread_semaphore_wait(microkit_cothread_semaphore_t *semaphore)
{
    return limen_co_semaphore_wait(semaphore);
}

static inline co_err_t microkit_cothread_semaphore_signal(microkit_cothread_semaphore_t *semaphore)
{
    return limen_co_semaphore_signal(semaphore);
}

static inline co_err_t microkit_cothread_mutex_init(microkit_cothread_mutex_t *mutex)
{
    return limen_cothread_mutex_init(mutex);
}

static inline co_err_t microkit_cothread_mutex_lock(microkit_cothread_mutex_t *mutex)
{
    return limen_cothread_mutex_lock(mutex);
}

static inline co_err_t microkit_cothread_mutex_try_lock(microkit_cothread_mutex_t *mutex)
{
    return limen_cothread_mutex_try_lock(mutex);
}

static inline co_err_t microkit_cothread_mutex_unlock(microkit_cothread_mutex_t *mutex)
{
    return limen_cothread_mutex_unlock(mutex);
}

static inline co_err_t microkit_cothread_condition_init(microkit_cothread_condition_t *condition)
{
    return limen_cothread_condition_init(condition);
}

static inline co_err_t microkit_cothread_condition_wait(microkit_cothread_condition_t *condition,
                                                        microkit_cothread_mutex_t *mutex)
{
    return limen_cothread_condition_wait(condition, mutex);
}

static inline co_err_t microkit_cothread_condition_signal(microkit_cothread_condition_t *condition)
{
    return limen_cothread_condition_signal(condition);
}

static inline co_err_t microkit_cothread_condition_broadcast(microkit_cothread_condition_t *condition)
{
    return limen_cothread_condition_broadcast(condition);
}

#endif /* LIMEN_COTHREAD_SEED_H */
