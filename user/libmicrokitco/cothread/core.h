/* What the library does, under names of its own; the two interfaces that programs use are made of these.
 *
 * Every function may be called at any time from any thread of the protection domain: one that cannot do its work says
 * so with an error and changes nothing. None of them is for interrupt or signal handlers. */
#ifndef LIMEN_COTHREAD_CORE_H
#define LIMEN_COTHREAD_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A thread of this domain: 0 is the root, cothreads have 1 to LIMEN_CO_COTHREADS. */
typedef int limen_co_handle_t;

/* No thread. */
#define LIMEN_CO_NO_HANDLE (-1)

/* Takes LIBMICROKITCO_CONTROLLER_SIZE bytes at `memory` and LIMEN_CO_COTHREADS stacks. The caller becomes the root.
 * `agreed` is the caller's LIMEN_CO_AGREED. */
co_err_t limen_cothread_init(uintptr_t memory, size_t stack_size, const uintptr_t *stacks, uint64_t agreed);

/* Lives. */
co_err_t limen_cothread_spawn(client_entry_t entry, bool ready, limen_co_handle_t *handle, uintptr_t argument);
co_err_t limen_cothread_mark_ready(limen_co_handle_t handle);
co_err_t limen_cothread_destroy(limen_co_handle_t handle);
/* Ends the calling cothread; whoever joins it gets the value. */
co_err_t limen_cothread_exit(size_t value);
/* `value` may be null. */
co_err_t limen_cothread_join(limen_co_handle_t handle, size_t *value);

/* Turns. */
co_err_t limen_cothread_yield(void);
co_err_t limen_cothread_block(void);
/* In the root: lets the others run until none of them is ready. */
co_err_t limen_cothread_run(void);

/* Notifications. The first wakes everybody who waits for the channel, the second the one who waits longest. */
co_err_t limen_cothread_recv_ntfn(microkit_channel ch);
co_err_t limen_cothread_recv_ntfn_one(microkit_channel ch);
co_err_t limen_cothread_wait_on_channel(microkit_channel ch);

/* Questions. */
co_err_t limen_cothread_state(limen_co_handle_t handle, limen_co_state_t *state);
/* The handle that the next spawn will give. */
co_err_t limen_cothread_next_handle(limen_co_handle_t *handle);
co_err_t limen_cothread_my_handle(limen_co_handle_t *handle);
co_err_t limen_cothread_my_arg(uintptr_t *argument);
co_err_t limen_cothread_set_arg(limen_co_handle_t handle, uintptr_t argument);
const char *limen_cothread_error_text(co_err_t error);

/* Names appear in the library's own reports. The first 15 characters count; spawn takes the name away. */
co_err_t limen_cothread_set_name(limen_co_handle_t handle, const char *name);
/* Empty if it has none, or if there is no such thread. */
const char *limen_cothread_name(limen_co_handle_t handle);

/* The most bytes of its stack that any cothread with this handle has used since init. */
co_err_t limen_cothread_stack_used(limen_co_handle_t handle, size_t *bytes);

/* Whose stack an address is on; the root for any address that is on no other stack. A parent that maps its child's
 * controller learns from this which cothread has faulted: `memory` is where it sees the controller. */
limen_co_handle_t limen_cothread_of_address(const void *memory, uintptr_t address);
/* The same for the name. */
const char *limen_cothread_name_at(const void *memory, uintptr_t address);

/* Semaphores. `most` is the greatest count. */
co_err_t limen_cothread_semaphore_init(limen_co_semaphore_t *semaphore, size_t count, size_t most);
co_err_t limen_cothread_semaphore_wait(limen_co_semaphore_t *semaphore);
/* Lets one waiting thread take its turn, or counts. The caller keeps running. */
co_err_t limen_cothread_semaphore_signal(limen_co_semaphore_t *semaphore);
/* The same, but a waiting thread runs at once: a cothread then takes its turn again, the root runs when no cothread is
 * ready. */
co_err_t limen_cothread_semaphore_hand_over(limen_co_semaphore_t *semaphore);

/* Mutexes: not recursive; who waits longest gets it next. */
co_err_t limen_cothread_mutex_init(limen_co_mutex_t *mutex);
co_err_t limen_cothread_mutex_lock(limen_co_mutex_t *mutex);
co_err_t limen_cothread_mutex_try_lock(limen_co_mutex_t *mutex);
co_err_t limen_cothread_mutex_unlock(limen_co_mutex_t *mutex);

/* Conditions: wait gives the mutex up and has it again when it returns. */
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
