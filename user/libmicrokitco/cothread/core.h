/* The library's operations, under internal names. Both program interfaces are built on them.
 *
 * Any thread of the protection domain may call any function at any time. A function that fails returns an error and
 * changes nothing. None of them may be called from interrupt or signal handlers. */
#ifndef LIMEN_COTHREAD_CORE_H
#define LIMEN_COTHREAD_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A thread of this domain: 0 is the root, cothreads have 1 to LIMEN_CO_COTHREADS. */
typedef int limen_co_handle_t;

/* No thread. */
#define LIMEN_CO_NO_HANDLE (-1)

/* Initialises the library with LIBMICROKITCO_CONTROLLER_SIZE bytes at `memory` and LIMEN_CO_COTHREADS stacks. The caller
 * becomes the root. `agreed` is the caller's LIMEN_CO_AGREED. */
co_err_t limen_cothread_init(uintptr_t memory, size_t stack_size, const uintptr_t *stacks, uint64_t agreed);

/* Creation and end. */
co_err_t limen_cothread_spawn(client_entry_t entry, bool ready, limen_co_handle_t *handle, uintptr_t argument);
/* The same with an entry function whose return value is the value of a join. */
co_err_t limen_cothread_spawn_function(limen_co_function_t entry, bool ready, limen_co_handle_t *handle,
                                       uintptr_t argument);
co_err_t limen_cothread_mark_ready(limen_co_handle_t handle);
co_err_t limen_cothread_destroy(limen_co_handle_t handle);
/* Ends the calling cothread. Threads that join it get the value. */
co_err_t limen_cothread_exit(size_t value);
/* `value` may be null. */
co_err_t limen_cothread_join(limen_co_handle_t handle, size_t *value);

/* Scheduling. */
co_err_t limen_cothread_yield(void);
co_err_t limen_cothread_block(void);
/* Root only: runs the other threads until none of them is ready. */
co_err_t limen_cothread_run(void);

/* Notifications. The first wakes all waiters of the channel, the second the longest waiter. */
co_err_t limen_cothread_recv_ntfn(microkit_channel ch);
co_err_t limen_cothread_recv_ntfn_one(microkit_channel ch);
co_err_t limen_cothread_wait_on_channel(microkit_channel ch);

/* Waits with a deadline, in the unit of the program's clock; LIMEN_CO_NO_DEADLINE never passes. They return
 * co_err_timed_out or co_err_cancelled if `expire` or `cancel` ended the wait. A condition's wait has the mutex then too. */
co_err_t limen_cothread_block_until(uint64_t deadline);
co_err_t limen_cothread_wait_on_channel_until(microkit_channel ch, uint64_t deadline);
co_err_t limen_cothread_join_until(limen_co_handle_t handle, size_t *value, uint64_t deadline);
co_err_t limen_cothread_semaphore_wait_until(limen_co_semaphore_t *semaphore, uint64_t deadline);
co_err_t limen_cothread_mutex_lock_until(limen_co_mutex_t *mutex, uint64_t deadline);
co_err_t limen_cothread_condition_wait_until(limen_co_condition_t *condition, limen_co_mutex_t *mutex,
                                             uint64_t deadline);
/* Ends the waits whose deadline is `now` or earlier. In the root, then runs the others until none of them is ready. */
co_err_t limen_cothread_expire(uint64_t now);
/* The earliest deadline of a waiting thread. */
co_err_t limen_cothread_next_deadline(uint64_t *deadline);
/* Ends the wait of a thread in one of these calls. */
co_err_t limen_cothread_cancel(limen_co_handle_t handle);

/* Queries. */
co_err_t limen_cothread_state(limen_co_handle_t handle, limen_co_state_t *state);
/* The handle that the next spawn will return. */
co_err_t limen_cothread_next_handle(limen_co_handle_t *handle);
co_err_t limen_cothread_my_handle(limen_co_handle_t *handle);
co_err_t limen_cothread_my_arg(uintptr_t *argument);
co_err_t limen_cothread_set_arg(limen_co_handle_t handle, uintptr_t argument);
const char *limen_cothread_error_text(co_err_t error);

/* Names appear in the library's reports. Names are cut to 15 characters; spawn clears the name. */
co_err_t limen_cothread_set_name(limen_co_handle_t handle, const char *name);
/* Empty if the thread has no name or does not exist. */
const char *limen_cothread_name(limen_co_handle_t handle);

/* The high-water mark in bytes of this handle's stack since init. */
co_err_t limen_cothread_stack_used(limen_co_handle_t handle, size_t *bytes);

/* The thread whose stack contains an address; the root for an address on no other stack. A parent that maps its child's
 * controller can find the cothread that faulted: `memory` is the parent's address of the controller. */
limen_co_handle_t limen_cothread_of_address(const void *memory, uintptr_t address);
/* The name of that thread. */
const char *limen_cothread_name_at(const void *memory, uintptr_t address);

/* Semaphores. `most` is the greatest count. */
co_err_t limen_cothread_semaphore_init(limen_co_semaphore_t *semaphore, size_t count, size_t most);
co_err_t limen_cothread_semaphore_wait(limen_co_semaphore_t *semaphore);
/* Makes one waiting thread ready, or increments the count. The caller keeps running. */
co_err_t limen_cothread_semaphore_signal(limen_co_semaphore_t *semaphore);
/* The same, but switches to the waiting thread at once. A calling cothread becomes ready behind the others; the root
 * continues when no cothread is ready. */
co_err_t limen_cothread_semaphore_hand_over(limen_co_semaphore_t *semaphore);

/* Mutexes: not recursive; ownership passes to the longest waiter. */
co_err_t limen_cothread_mutex_init(limen_co_mutex_t *mutex);
co_err_t limen_cothread_mutex_lock(limen_co_mutex_t *mutex);
co_err_t limen_cothread_mutex_try_lock(limen_co_mutex_t *mutex);
co_err_t limen_cothread_mutex_unlock(limen_co_mutex_t *mutex);

/* Conditions: wait releases the mutex and reacquires it before it returns. */
co_err_t limen_cothread_condition_init(limen_co_condition_t *condition);
co_err_t limen_cothread_condition_wait(limen_co_condition_t *condition, limen_co_mutex_t *mutex);
co_err_t limen_cothread_condition_signal(limen_co_condition_t *condition);
co_err_t limen_cothread_condition_broadcast(limen_co_condition_t *condition);

/* Reports an error of the running thread on the debug console and faults at address `code`. */
void limen_cothread_panic(seL4_Word code, co_err_t error);

#ifdef __cplusplus
}
#endif

#endif /* LIMEN_COTHREAD_CORE_H */
