// Boost.Context: its assembly alone, and its class.

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fiber.hpp>

#include "compare.h"

using namespace boost::context;

static void bounce(detail::transfer_t transfer)
{
    for (;;) {
        transfer = detail::jump_fcontext(transfer.fctx, nullptr);
    }
}

void boost_fcontext(long count)
{
    static char stack[COMPARE_STACK_BYTES] __attribute__((aligned(16)));
    detail::fcontext_t other = detail::make_fcontext(stack + sizeof(stack), sizeof(stack), bounce);
    for (long i = 0; i < count; i += 2) {
        other = detail::jump_fcontext(other, nullptr).fctx;
    }
}

void boost_fiber(long count)
{
    bool done = false;
    fiber other { [&done](fiber &&caller) {
        while (!done) {
            caller = std::move(caller).resume();
        }
        return std::move(caller);
    } };
    for (long i = 0; i < count; i += 2) {
        other = std::move(other).resume();
    }
    done = true;
    other = std::move(other).resume();
}
