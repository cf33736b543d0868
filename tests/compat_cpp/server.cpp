// A server in C++ that is also a parent.

#include <microkit.h>

namespace {

/// Something that answers a request.
class Operation {
public:
    virtual seL4_Word apply(seL4_Word value) const = 0;
};

class Add : public Operation {
public:
    explicit constexpr Add(seL4_Word summand) : summand(summand) {}
    seL4_Word apply(seL4_Word value) const override { return value + summand; }

private:
    seL4_Word summand;
};

template <seL4_Word factor> class Multiply : public Operation {
public:
    seL4_Word apply(seL4_Word value) const override { return value * factor; }
};

const Add add(5);
const Multiply<3> multiply;
const Operation *const operations[] = { &add, &multiply };

seL4_Word faults;

}  // namespace

extern "C" void __cxa_pure_virtual()
{
    microkit_internal_crash(seL4_NoError);
}

void init() {}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}

/// Label 0 or 1: applies an operation to every word. Label 2: how many faults the client had.
microkit_msginfo microkit_protected(microkit_channel, microkit_msginfo request)
{
    const seL4_Word label = microkit_msginfo_get_label(request);
    const seL4_Word count = microkit_msginfo_get_count(request);
    if (label == 2) {
        microkit_mr_set(0, faults);
        return microkit_msginfo_new(0, 1);
    }
    for (seL4_Word i = 0; i < count; i++) {
        microkit_mr_set(i, operations[label]->apply(microkit_mr_get(i)));
    }
    return request;
}

seL4_Bool fault(microkit_child, microkit_msginfo, microkit_msginfo *answer)
{
    faults++;
    microkit_mr_set(0, microkit_mr_get(0) + 4);
    *answer = microkit_msginfo_new(0, 1);
    return seL4_True;
}
