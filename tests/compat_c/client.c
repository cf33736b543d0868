#include <stdbool.h>
#include <stdint.h>
#include <microkit.h>
#include "test.h"
#include "util.h"

#define SERVER_CHANNEL 1

uintptr_t queue_vaddr;
uint64_t queue_size;
uint64_t queue_paddr;

/* Filled in after the program is linked. */
__attribute__((__section__(".client_config"))) char client_config[24] = "to be replaced";

/* In sections that the link script does not name. */
__attribute__((__section__(".odd_numbers"))) volatile uint32_t odd_numbers[3] = { 1, 3, 5 };
static const char *const messages[] __attribute__((used)) = { "first", "second" };

static volatile double scale = 1.5;
static uint64_t total;

static void the_configuration_was_put_in(void)
{
    const char *expected = "sixteen letters.7 more.\n";
    for (int i = 0; i < 24; i++) {
        CHECK_EQUAL((seL4_Word)client_config[i], (seL4_Word)expected[i]);
    }
}

static void sections_of_other_names_are_loaded(void)
{
    CHECK_EQUAL(odd_numbers[0] + odd_numbers[1] + odd_numbers[2], 9);
    odd_numbers[0] = 7;
    CHECK_EQUAL(odd_numbers[0], 7);
}

#if !defined(CONFIG_LIB_LIMEN_OLDER_NAME)
/* The header leaves this name to programs. */
static void memzero(void *start, unsigned long count)
{
    volatile char *bytes = start;
    while (count--) {
        *bytes++ = 0;
    }
}
#endif

static void programs_have_their_own_memzero(void)
{
    memzero((void *)odd_numbers, 8);
    CHECK_EQUAL(odd_numbers[0] + odd_numbers[1] + odd_numbers[2], 5);
}

static void constant_text_is_there(void)
{
    CHECK_EQUAL((seL4_Word)messages[1][5], 'd');
}

static void variables_of_any_word_type_are_set(void)
{
    CHECK_EQUAL(queue_vaddr, 0x5000000);
    CHECK_EQUAL(queue_size, 0x1000);
    CHECK_EQUAL(queue_paddr % 0x1000, 0);
    CHECK(queue_paddr != 0);
}

static void fill_queue(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        CHECK(queue_put((struct queue *)queue_vaddr, i * i));
        total += i * i;
    }
}

static seL4_Word ask_server(seL4_Word label)
{
    microkit_msginfo answer = microkit_ppcall(SERVER_CHANNEL, microkit_msginfo_new(label, 0));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), label + 1);
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 2);
    return microkit_mr_get(0);
}

static void a_queue_in_shared_memory(void)
{
    for (int i = 0; i < 100; i++) {
        fill_queue(QUEUE_SLOTS);
        CHECK(!queue_put((struct queue *)queue_vaddr, 1));
        microkit_notify(SERVER_CHANNEL);
        CHECK_EQUAL(wait_for_signals(), 1ul << SERVER_CHANNEL);
        CHECK_EQUAL(ask_server(0), total);
    }
}

static void floating_point_on_both_sides(void)
{
    double product = scale;
    for (int i = 0; i < 100; i++) {
        ask_server(4);
        CHECK_EQUAL(microkit_mr_get(1), 2083333);
        product = product * 1.25 / 1.25;
    }
    CHECK(product == scale);
}

static void types_have_the_documented_sizes(void)
{
    CHECK_EQUAL(sizeof(seL4_Word), 8);
    CHECK_EQUAL(sizeof(seL4_IPCBuffer), 1024);
    CHECK_EQUAL(sizeof(microkit_channel), 4);
#if defined(CONFIG_ARCH_RISCV)
    CHECK_EQUAL(sizeof(seL4_UserContext), 32 * 8);
#elif defined(CONFIG_ARCH_X86_64)
    CHECK_EQUAL(sizeof(seL4_UserContext), 20 * 8);
#else
    CHECK_EQUAL(sizeof(seL4_UserContext), 36 * 8);
#endif
    CHECK_EQUAL(seL4_MsgMaxLength, 120);
}

static void message_info_has_the_documented_form(void)
{
    microkit_msginfo info = seL4_MessageInfo_new(0x123456789abcd, 5, 2, 99);
    CHECK_EQUAL(info.words[0], 0x123456789abcdul << 12 | 5 << 9 | 2 << 7 | 99);
    info = seL4_MessageInfo_set_label(info, 1);
    CHECK_EQUAL(seL4_MessageInfo_get_label(info), 1);
    CHECK_EQUAL(seL4_MessageInfo_get_length(info), 99);
}

static void the_configuration_macros_are_right(void)
{
    int known = 0;
#if defined(CONFIG_ARCH_AARCH64) && defined(CONFIG_ARCH_ARM) \
    && (defined(CONFIG_PLAT_QEMU_ARM_VIRT) || defined(CONFIG_PLAT_ZYNQMP))
    known |= 1;
#endif
#if defined(CONFIG_ARCH_RISCV) && !defined(CONFIG_ARCH_ARM) \
    && (defined(CONFIG_PLAT_QEMU_RISCV_VIRT) || defined(CONFIG_PLAT_HIFIVE))
    known |= 3;
#endif
#if defined(CONFIG_ARCH_X86_64) && defined(CONFIG_ARCH_X86) && defined(CONFIG_PLAT_PC99)
    known |= 3;
#endif
#if defined(CONFIG_EXPORT_PCNT_USER) && defined(CONFIG_EXPORT_PTMR_USER) && defined(CONFIG_AARCH64_USER_CACHE_ENABLE)
    known |= 2;
#endif
#if !defined(CONFIG_ARM_HYPERVISOR_SUPPORT) && !defined(CONFIG_ENABLE_SMP_SUPPORT) && CONFIG_L1_CACHE_LINE_SIZE_BITS == 6
    known |= 4;
#endif
    CHECK_EQUAL((seL4_Word)known, 7);
}

/* As programs do that combine signals themselves. */
static void fill_in_signal(void)
{
    microkit_have_signal = seL4_True;
    microkit_signal_cap = BASE_OUTPUT_NOTIFICATION_CAP + SERVER_CHANNEL;
    microkit_signal_msg = seL4_MessageInfo_new(0, 0, 0, 0);
}

static void a_signal_filled_in_by_hand_was_sent(void)
{
    CHECK_EQUAL(microkit_have_signal, seL4_False);
}

void init(void)
{
    RUN(the_configuration_was_put_in);
    RUN(sections_of_other_names_are_loaded);
    RUN(programs_have_their_own_memzero);
    RUN(constant_text_is_there);
    RUN(variables_of_any_word_type_are_set);
    RUN(a_queue_in_shared_memory);
    RUN(floating_point_on_both_sides);
    RUN(types_have_the_documented_sizes);
    RUN(message_info_has_the_documented_form);
    RUN(the_configuration_macros_are_right);
    fill_in_signal();
}

/* The server answers the signal that went with the first receive. */
void notified(microkit_channel ch)
{
    if (ch == SERVER_CHANNEL) {
        RUN(a_signal_filled_in_by_hand_was_sent);
        suite_end();
    }
}
