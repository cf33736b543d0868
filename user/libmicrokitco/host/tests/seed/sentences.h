/* Each error, word for word as a program prints it. */

SENTENCE(co_no_err,
         "no error\n")
SENTENCE(co_err_generic_not_initialised,
         "the library, or the cothread that is named, is not initialised\n")
SENTENCE(co_err_generic_invalid_handle,
         "there is no cothread with this handle\n")
SENTENCE(co_err_init_already_initialised,
         "the library is initialised already\n")
SENTENCE(co_err_init_stack_too_small,
         "a stack needs at least 0x1000 bytes\n")
SENTENCE(co_err_init_num_costacks_not_equal_defined,
         "the number of stacks is not LIBMICROKITCO_MAX_COTHREADS\n")
SENTENCE(co_err_init_co_stack_null,
         "a stack has the address 0\n")
SENTENCE(co_err_init_free_handles_init_fail,
         "the queue of free handles could not be made\n")
SENTENCE(co_err_init_sched_init_fail,
         "the scheduling queue could not be made\n")
SENTENCE(co_err_init_free_handles_populate_fail,
         "the queue of free handles could not be filled\n")
SENTENCE(co_err_my_arg_called_from_root_thread,
         "the root thread has no argument\n")
SENTENCE(co_err_recv_ntfn_no_blocked,
         "no cothread waits for this notification\n")
SENTENCE(co_err_recv_ntfn_already_queued,
         "as many notifications of this channel as fit are kept already\n")
SENTENCE(co_err_spawn_client_entry_null,
         "the entry point has the address 0\n")
SENTENCE(co_err_spawn_num_args_negative,
         "the number of arguments is negative\n")
SENTENCE(co_err_spawn_num_args_too_much,
         "there are too many arguments\n")
SENTENCE(co_err_spawn_max_cothreads_reached,
         "every cothread is in use\n")
SENTENCE(co_err_spawn_cannot_schedule,
         "the new cothread could not be scheduled\n")
SENTENCE(co_err_mark_ready_already_ready,
         "the cothread is ready already\n")
SENTENCE(co_err_mark_ready_cannot_mark_self,
         "a cothread cannot mark itself ready\n")
SENTENCE(co_err_mark_ready_cannot_schedule,
         "the cothread could not be scheduled\n")
SENTENCE(co_err_wait_invalid_channel,
         "the number of the channel is too large\n")
SENTENCE(co_err_yield_cannot_schedule_caller,
         "the caller could not be scheduled\n")
SENTENCE(co_err_destroy_specific_cannot_release_handle,
         "the handle could not be released\n")
SENTENCE(co_err_destroy_specific_cannot_destroy_self,
         "the caller could not be destroyed\n")
SENTENCE(co_err_join_cannot_join_to_root_thread,
         "the root thread never returns, so it cannot be joined\n")
SENTENCE(co_err_join_deadlock_detected,
         "the cothread waits, perhaps through others, for the caller\n")
SENTENCE(co_err_init_co_stack_overlap,
         "two stacks overlap, or a stack and the controller\n")
SENTENCE(co_err_init_co_stack_wraps,
         "a stack reaches over the end of the address space\n")
SENTENCE(co_err_init_controller_null,
         "the controller has the address 0\n")
SENTENCE(co_err_generic_null_result,
         "the place for the result has the address 0\n")
SENTENCE(co_err_generic_no_runnable_cothread,
         "the root thread cannot wait: no cothread is ready that could wake it\n")
SENTENCE(co_err_recv_ntfn_invalid_channel,
         "the number of the channel is too large\n")
SENTENCE(co_err_recv_ntfn_called_from_cothread,
         "only the root thread receives notifications\n")
SENTENCE(co_err_wait_called_from_root_thread,
         "the root thread receives notifications and cannot wait for one\n")
SENTENCE(co_err_mark_ready_waiting,
         "the cothread waits for a channel, a cothread or a lock, which must wake it\n")
SENTENCE(co_err_destroy_specific_cannot_destroy_root,
         "the root thread cannot be destroyed\n")
SENTENCE(co_err_destroy_specific_holds_mutex,
         "the cothread holds a mutex, which would stay locked for ever\n")
SENTENCE(co_err_join_target_destroyed,
         "the cothread was destroyed and will not return\n")
SENTENCE(co_err_exit_called_from_root_thread,
         "the root thread cannot exit\n")
SENTENCE(co_err_object_not_initialised,
         "this semaphore, mutex or condition is not initialised\n")
SENTENCE(co_err_object_in_use,
         "cothreads wait for this semaphore, mutex or condition, or hold it\n")
SENTENCE(co_err_semaphore_overflow,
         "the semaphore has its greatest count already\n")
SENTENCE(co_err_mutex_deadlock_detected,
         "the holder of the mutex waits, perhaps through others, for the caller\n")
SENTENCE(co_err_mutex_not_holder,
         "the caller does not hold the mutex\n")
SENTENCE(co_err_mutex_locked,
         "another cothread holds the mutex\n")
SENTENCE(co_err_run_called_from_cothread,
         "only the root thread lets the others run\n")
SENTENCE(co_err_stack_overflow,
         "the cothread has overflowed its stack\n")
SENTENCE(co_err_thread_ended_with_mutex,
         "the cothread ended while it held a mutex\n")
SENTENCE(co_err_timed_out,
         "the deadline passed before the wait ended\n")
SENTENCE(co_err_cancelled,
         "another thread has cancelled the wait\n")
SENTENCE(co_err_cancel_not_waiting,
         "the thread does not wait in a call with a deadline\n")
SENTENCE(co_err_no_deadline,
         "no thread waits for a deadline\n")
SENTENCE(co_err_init_other_options,
         "the library was compiled with another libmicrokitco_opts.h than the program; link the "
         "one that belongs to it\n")
SENTENCE(co_err_init_restarted,
         "the program was restarted without a reset, so its data still holds the cothreads of the "
         "life before; the parent must call limen_reset before microkit_pd_restart\n")
SENTENCE(co_err_init_on_co_stack,
         "init runs on one of the stacks that it is given; the start code must set the stack "
         "pointer in each life\n")
