// Checks what C++ programs rely on: constructors, virtual functions, templates, static objects in functions.

#include "instructions.h"
#include <microkit.h>
#include <limen.h>
#include <limen/probe.h>
#include <limen/service.h>

extern "C" {
#include "test.h"
}

namespace {

constexpr microkit_channel server = 1;

int constructed;

class Counted {
public:
    explicit Counted(int value) : value(value), position(++constructed) {}
    const int value;
    const int position;
};

const Counted first(10);
const Counted second(20);

/// Defined in another order than it is used.
const Counted &third()
{
    static const Counted object(30);
    return object;
}

template <typename Word, unsigned count> class Array {
public:
    Word &operator[](unsigned i) { return words[i]; }
    Word sum() const
    {
        Word total = 0;
        for (const Word word : words) {
            total += word;
        }
        return total;
    }

private:
    Word words[count] = {};
};

Array<seL4_Word, 100> numbers;

seL4_Word ask(seL4_Word label, seL4_Word value)
{
    microkit_mr_set(0, value);
    const microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(label, 1));
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 1);
    return microkit_mr_get(0);
}

void global_objects_are_constructed()
{
    CHECK_EQUAL(first.position, 1);
    CHECK_EQUAL(second.position, 2);
    CHECK_EQUAL(first.value + second.value, 30);
}

void local_objects_are_constructed_once()
{
    CHECK_EQUAL(third().position, 3);
    CHECK_EQUAL(third().position, 3);
    CHECK_EQUAL(constructed, 3);
}

void templates_work()
{
    for (unsigned i = 0; i < 100; i++) {
        numbers[i] = i;
    }
    CHECK_EQUAL(numbers.sum(), 4950);
}

void virtual_functions_of_the_server_are_called()
{
    CHECK_EQUAL(ask(0, 10), 15);
    CHECK_EQUAL(ask(1, 10), 30);
}

void lambdas_work()
{
    const seL4_Word factor = ask(0, 1);
    const auto scale = [factor](seL4_Word value) { return value * factor; };
    CHECK_EQUAL(scale(7), 42);
}

void notifications_work()
{
    microkit_notify(server);
    CHECK_EQUAL(wait_for_signals(), 1ul << server);
}

void faults_are_handled_by_the_parent()
{
    for (int i = 0; i < 3; i++) {
        asm volatile(UNDEFINED_INSTRUCTION);
    }
    CHECK_EQUAL(ask(2, 0), 3);
}

void floating_point_works()
{
    volatile double value = 2.0;
    value = value * value / 8.0;
    CHECK(value == 0.5);
}

void functions_of_limens_headers_are_those_of_the_library()
{
    const limen_seal_key_t key = {};
    seL4_Word length = 0;
    CHECK_EQUAL(limen_open(&key, nullptr, 0, 16, 1, nullptr, &length), LIMEN_NOT_SEALED);
    CHECK_EQUAL(limen_open_aes_256_gcm(&key, nullptr, 0, 16, 1, nullptr, &length), LIMEN_NOT_SEALED);
    const auto first = reinterpret_cast<seL4_Word>(limen_cross_nothing);
    CHECK(first < reinterpret_cast<seL4_Word>(limen_crossed_nothing));
}

}  // namespace

void init()
{
    RUN(global_objects_are_constructed);
    RUN(local_objects_are_constructed_once);
    RUN(templates_work);
    RUN(virtual_functions_of_the_server_are_called);
    RUN(lambdas_work);
    RUN(notifications_work);
    RUN(faults_are_handled_by_the_parent);
    RUN(floating_point_works);
    RUN(functions_of_limens_headers_are_those_of_the_library);
    suite_end();
}

void notified(microkit_channel) {}
