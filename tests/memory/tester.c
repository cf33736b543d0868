/* Looks at its image, its regions and their addresses. */

#include "regions.h"
#include "code.h"
#include "machine.h"
#include "test.h"

/* Set by the tool. */
seL4_Word small, small_again, small_size, one_way, code_to_write, code_to_run, uncached, fixed;
seL4_Word large, large_size, larger, larger_size, fixed_large;
seL4_Word small_paddr, fixed_paddr, large_paddr, larger_paddr, fixed_large_paddr;
seL4_Word peer_channel = 99, deep_stack_channel = 99;

/* Set by the tool, too: in initialised memory, and visible in this file only. */
seL4_Word set_in_data = 12345;
static volatile seL4_Word set_static;

#define LARGE_PAGE 0x200000ul
#define STACK_TOP (LIMEN_IPC_BUFFER_ADDRESS - 0x1000)

/* Memory of the image. */
#define BULK 5000
static volatile seL4_Word zeros[BULK];
static volatile seL4_Word numbers[8] = { 1, 2, 3, 5, 8, 13, 21, 34 };
static const volatile seL4_Word constants[4] = { 0x1122334455667788ul, 2, 3, ~0ul };
static const char *const words[] = { "one", "two", "three" };
static seL4_Word *volatile pointer_to_number = (seL4_Word *)&numbers[3];

/* Constructors note when they run. */
static int constructors;
static int first_position, second_position, plain_position;

__attribute__((constructor(102))) static void second_constructor(void)
{
    second_position = ++constructors;
}

__attribute__((constructor(101))) static void first_constructor(void)
{
    first_position = ++constructors;
}

__attribute__((constructor)) static void plain_constructor(void)
{
    plain_position = ++constructors;
}

static void constructors_ran_in_order(void)
{
    CHECK_EQUAL((seL4_Word)constructors, 3);
    CHECK_EQUAL((seL4_Word)first_position, 1);
    CHECK_EQUAL((seL4_Word)second_position, 2);
    CHECK_EQUAL((seL4_Word)plain_position, 3);
}

static void the_image_is_complete(void)
{
    CHECK_EQUAL(numbers[0] + numbers[7], 35);
    CHECK_EQUAL(constants[0], 0x1122334455667788ul);
    CHECK_EQUAL(constants[3], ~0ul);
    CHECK_EQUAL((seL4_Word)words[2][4], 'e');
    CHECK_EQUAL(*pointer_to_number, 5);
}

static seL4_Word count_nonzero(seL4_Word address, seL4_Word bytes)
{
    seL4_Word nonzero = 0;
    for (seL4_Word i = 0; i < bytes / 8; i++) {
        nonzero += ((volatile seL4_Word *)address)[i] != 0;
    }
    return nonzero;
}

static void uninitialised_memory_is_zero(void)
{
    CHECK_EQUAL(count_nonzero((seL4_Word)zeros, sizeof(zeros)), 0);
}

static void regions_are_zero(void)
{
    CHECK_EQUAL(count_nonzero(small, 0x3000), 0);
    CHECK_EQUAL(count_nonzero(uncached, 0x2000), 0);
    CHECK_EQUAL(count_nonzero(fixed, 0x2000), 0);
    CHECK_EQUAL(count_nonzero(large, LARGE_PAGE), 0);
    CHECK_EQUAL(count_nonzero(larger, 3 * LARGE_PAGE), 0);
    CHECK_EQUAL(count_nonzero(fixed_large, LARGE_PAGE), 0);
}

static void the_message_buffer_is_where_it_belongs(void)
{
    CHECK_EQUAL((seL4_Word)seL4_GetIPCBuffer(), LIMEN_IPC_BUFFER_ADDRESS);
    CHECK_EQUAL((seL4_Word)__sel4_ipc_buffer, LIMEN_IPC_BUFFER_ADDRESS);
    CHECK_EQUAL(count_nonzero(LIMEN_IPC_BUFFER_ADDRESS + sizeof(seL4_IPCBuffer), 0x1000 - sizeof(seL4_IPCBuffer)), 0);
}

static void addresses_are_set(void)
{
    CHECK_EQUAL(small, 0x3000000);
    CHECK_EQUAL(small_again, 0x3100000);
    CHECK_EQUAL(large, 0x4000000);
    CHECK_EQUAL(larger, 0x5000000);
}

static void sizes_are_set(void)
{
    CHECK_EQUAL(small_size, 0x3000);
    CHECK_EQUAL(large_size, LARGE_PAGE);
    CHECK_EQUAL(larger_size, 3 * LARGE_PAGE);
}

static void channel_numbers_are_set(void)
{
    CHECK_EQUAL(peer_channel, 0);
    CHECK_EQUAL(deep_stack_channel, 17);
}

static void physical_addresses_are_set(void)
{
    CHECK_EQUAL(fixed_paddr, FIXED);
    CHECK_EQUAL(fixed_large_paddr, FIXED + 0x1000000);
    CHECK_EQUAL(set_in_data, FIXED);
    CHECK_EQUAL(set_static, FIXED);
    CHECK_EQUAL(small_paddr % 0x1000, 0);
    CHECK_EQUAL(large_paddr % LARGE_PAGE, 0);
    CHECK_EQUAL(larger_paddr % LARGE_PAGE, 0);
    CHECK(small_paddr >= RAM_START && small_paddr < RAM_END);
}

static seL4_Word ask(seL4_Word request, seL4_Word region, seL4_Word seed, seL4_Word bytes)
{
    microkit_mr_set(0, region);
    microkit_mr_set(1, seed);
    microkit_mr_set(2, bytes);
    return microkit_msginfo_get_label(microkit_ppcall((microkit_channel)peer_channel, microkit_msginfo_new(request, 3)));
}

static void share(seL4_Word address, seL4_Word region, seL4_Word bytes)
{
    region_write(address, bytes, region + 10);
    CHECK_EQUAL(ask(PEER_COUNT_WRONG, region, region + 10, bytes), 0);
    ask(PEER_WRITE, region, region + 20, bytes);
    CHECK_EQUAL(region_count_wrong(address, bytes, region + 20), 0);
}

static void small_pages_are_shared(void)
{
    share(small, PEER_SMALL, 0x3000);
    CHECK_EQUAL(region_count_wrong(small_again, 0x3000, PEER_SMALL + 20), 0);
}

static void large_pages_are_shared(void)
{
    share(large, PEER_LARGE, LARGE_PAGE);
    share(larger, PEER_LARGER, 3 * LARGE_PAGE);
}

static void uncached_memory_is_shared(void)
{
    share(uncached, PEER_UNCACHED, 0x2000);
}

static void a_reader_sees_what_the_writer_writes(void)
{
    region_write(one_way, 0x1000, 5);
    CHECK_EQUAL(ask(PEER_COUNT_WRONG, PEER_ONE_WAY, 5, 0x1000), 0);
}

static void regions_do_not_overlap(void)
{
    region_write(fixed, 0x2000, 1);
    region_write(fixed_large, LARGE_PAGE, 2);
    region_write(small, 0x3000, 3);
    region_write(large, LARGE_PAGE, 4);
    region_write(larger, 3 * LARGE_PAGE, 5);
    CHECK_EQUAL(region_count_wrong(fixed, 0x2000, 1), 0);
    CHECK_EQUAL(region_count_wrong(fixed_large, LARGE_PAGE, 2), 0);
    CHECK_EQUAL(region_count_wrong(small, 0x3000, 3), 0);
    CHECK_EQUAL(region_count_wrong(large, LARGE_PAGE, 4), 0);
    CHECK_EQUAL(region_count_wrong(larger, 3 * LARGE_PAGE, 5), 0);
}

static seL4_Word run_code(seL4_Word number)
{
    volatile seL4_Uint32 *code = (volatile seL4_Uint32 *)code_to_write;
    code[0] = INSTRUCTION_RESULT(number);
    code[1] = INSTRUCTION_RETURN;
    publish_code(code_to_write, code_to_run, 8);
    return ((seL4_Word (*)(void))code_to_run)();
}

static void written_code_runs_from_an_executable_map(void)
{
    for (seL4_Word number = 0; number < 50; number++) {
        CHECK_EQUAL(run_code(number), number);
    }
}

static void the_stack_is_as_large_as_described(void)
{
    microkit_ppcall((microkit_channel)deep_stack_channel, microkit_msginfo_new(0, 0));
    CHECK_EQUAL(microkit_mr_get(0), (0x100000 - 0x1000) / 8);
    CHECK(microkit_mr_get(1) < STACK_TOP && microkit_mr_get(1) > STACK_TOP - 0x200);
}

static void names_are_set(void)
{
    static const char longest[] = "peer_with_a_name_of_sixty_four_bytes_and_without_a_terminator_at";
    ask(PEER_NAME, 0, 0, 0);
    for (int i = 0; i < MICROKIT_PD_NAME_LENGTH; i++) {
        CHECK_EQUAL((microkit_mr_get((seL4_Uint8)(i / 8)) >> (i % 8 * 8)) & 0xff, (seL4_Word)longest[i]);
    }
    CHECK_EQUAL((seL4_Word)microkit_name[0], 't');
    CHECK_EQUAL((seL4_Word)microkit_name[6], 0);
}

void init(void)
{
    RUN(constructors_ran_in_order);
    RUN(the_image_is_complete);
    RUN(uninitialised_memory_is_zero);
    RUN(regions_are_zero);
    RUN(the_message_buffer_is_where_it_belongs);
    RUN(addresses_are_set);
    RUN(sizes_are_set);
    RUN(channel_numbers_are_set);
    RUN(physical_addresses_are_set);
    RUN(small_pages_are_shared);
    RUN(large_pages_are_shared);
    RUN(uncached_memory_is_shared);
    RUN(a_reader_sees_what_the_writer_writes);
    RUN(regions_do_not_overlap);
    RUN(written_code_runs_from_an_executable_map);
    RUN(the_stack_is_as_large_as_described);
    RUN(names_are_set);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
