// Commits one crime, selected by its name. The lines are in suite.toml.

#include <microkit.h>

extern "C" void __cxa_pure_virtual()
{
    microkit_internal_crash(seL4_NoError);
}

namespace shapes {

class Shape {
public:
    Shape() { announce(); }
    virtual seL4_Word area(seL4_Word scale) const = 0;
    __attribute__((noinline)) void announce() const { last = area(1); }
    static volatile seL4_Word last;
};

volatile seL4_Word Shape::last;

class Square : public Shape {
public:
    seL4_Word area(seL4_Word scale) const override { return scale * scale; }
};

template <typename T> __attribute__((noinline)) seL4_Word area_of(const T *shape, seL4_Word scale)
{
    return shape->area(scale) + 1;
}

}  // namespace shapes

static bool is_called(char last)
{
    int i = 0;
    while (microkit_name[i + 1]) {
        i++;
    }
    return microkit_name[i] == last;
}

// The address is hidden, so that the compiler does not follow it.
static const shapes::Shape *hidden(const shapes::Shape *shape)
{
    __asm__ volatile ("" : "+r"(shape));
    return shape;
}

// cpp_pure: the constructor of the base calls a function that only the derived class has.
static __attribute__((noinline)) void call_pure()
{
    shapes::Square square;
    shapes::Shape::last = shapes::area_of(hidden(&square), 2);
}

// cpp_virtual
static __attribute__((noinline)) void call_through_null()
{
    shapes::Shape::last = shapes::area_of(hidden(nullptr), 3);
}

void init()
{
    if (is_called('e')) {
        call_pure();
    } else {
        call_through_null();
    }
    microkit_dbg_puts("cpp survived\n");
}

void notified(microkit_channel) {}
