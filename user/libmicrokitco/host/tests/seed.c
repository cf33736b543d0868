/* The first interface, function by function. The files in seed/ are compiled with each of the options and test what an option
 * changes. */

#include "seed/seed.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)microkit_cothread_recv_ntfn(ch);
}

microkit_cothread_t spawn(client_entry_t entry)
{
    microkit_cothread_t handle = -1;
    CHECK_EQUAL(microkit_cothread_spawn(entry, true, &handle, 0), co_no_err);
    return handle;
}

co_state_t state(microkit_cothread_t handle)
{
    co_state_t found = cothread_not_active;
    CHECK_EQUAL(microkit_cothread_query_state(handle, &found), co_no_err);
    return found;
}

void mark_self(void)
{
    microkit_cothread_t self;
    CHECK_EQUAL(microkit_cothread_my_handle(&self), co_no_err);
    mark((char)('0' + self));
}

void mark_and_yield(void)
{
    mark_self();
    CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
    mark_self();
}

void wait_on_5(void)
{
    mark_self();
    CHECK_EQUAL(microkit_cothread_wait_on_channel(5), co_no_err);
    mark_self();
}

void wait_on_6(void)
{
    CHECK_EQUAL(microkit_cothread_wait_on_channel(6), co_no_err);
    mark_self();
}

void block(void)
{
    CHECK_EQUAL(microkit_cothread_block(), co_no_err);
    mark_self();
}

void nothing(void)
{
}

int main(void)
{
    init_tests();
    life_tests();
    channel_tests();
    join_tests();
    stack_tests();
    message_tests();
    return test_end("seed");
}
