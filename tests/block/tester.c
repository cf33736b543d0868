/* Reads a whole disk, rewrites it, and reads it back, with the maximum number of concurrent requests. */

#include "block.h"
#include "test.h"

#define DRIVER 0
#define SECTORS 128
#define AT_A_TIME (BLOCK_REQUESTS * BLOCK_MOST_SECTORS)
#define LINE_BYTES 32
#define LINES (BLOCK_SECTOR_BYTES / LINE_BYTES)

/* Set by the tool. */
seL4_Word requests;

static char expected[BLOCK_SECTOR_BYTES];

static int is_done(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (block_request(requests, i)->state != BLOCK_DONE) {
            return 0;
        }
    }
    return 1;
}

static void wait_for(unsigned count)
{
    while (!is_done(count)) {
        wait_for_signals();
    }
    block_fence();
}

static void fill_in(unsigned index, seL4_Uint32 operation, seL4_Uint32 sector, seL4_Uint32 sectors)
{
    struct block_request *request = block_request(requests, index);
    request->operation = operation;
    request->sector = sector;
    request->sectors = sectors;
    block_fence();
    request->state = BLOCK_SUBMITTED;
}

/* Performs one request for each page, starting at this sector. */
static void carry_out(enum block_operation operation, seL4_Uint32 sector)
{
    for (unsigned i = 0; i < BLOCK_REQUESTS; i++) {
        fill_in(i, operation, sector + i * BLOCK_MOST_SECTORS, BLOCK_MOST_SECTORS);
    }
    microkit_notify(DRIVER);
    wait_for(BLOCK_REQUESTS);
    for (unsigned i = 0; i < BLOCK_REQUESTS; i++) {
        CHECK_EQUAL(block_request(requests, i)->status, BLOCK_OK);
    }
}

static char *sector_data(unsigned number)
{
    return (char *)block_data(requests, number / BLOCK_MOST_SECTORS) +
           number % BLOCK_MOST_SECTORS * BLOCK_SECTOR_BYTES;
}

static void put_number(char *at, seL4_Word value, unsigned digits)
{
    while (digits--) {
        at[digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

/* The contents of a sector: initially, and then in capitals. */
static void expect(seL4_Word sector, const char *text)
{
    for (unsigned line = 0; line < LINES; line++) {
        char *at = expected + line * LINE_BYTES;
        for (unsigned i = 0; i < LINE_BYTES; i++) {
            at[i] = text[i];
        }
        put_number(at + 7, sector, 4);
        put_number(at + 18, line, 2);
    }
}

static int is_expected(const char *data)
{
    for (unsigned i = 0; i < BLOCK_SECTOR_BYTES; i++) {
        if (data[i] != expected[i]) {
            return 0;
        }
    }
    return 1;
}

#define SMALL "sector 0000, line 00 of my disk\n"
#define CAPITALS "SECTOR 0000, LINE 00 OF MY DISK\n"

static void all_of_the_disk_is_read(void)
{
    for (seL4_Uint32 first = 0; first < SECTORS; first += AT_A_TIME) {
        carry_out(BLOCK_READ, first);
        for (unsigned i = 0; i < AT_A_TIME; i++) {
            expect(first + i, SMALL);
            CHECK(is_expected(sector_data(i)));
        }
    }
}

static void all_of_the_disk_is_written(void)
{
    for (seL4_Uint32 first = 0; first < SECTORS; first += AT_A_TIME) {
        for (unsigned i = 0; i < AT_A_TIME; i++) {
            expect(SECTORS - 1 - (first + i), CAPITALS);
            for (unsigned byte = 0; byte < BLOCK_SECTOR_BYTES; byte++) {
                sector_data(i)[byte] = expected[byte];
            }
        }
        carry_out(BLOCK_WRITE, first);
    }
}

static void written_data_is_read_back(void)
{
    for (seL4_Uint32 first = 0; first < SECTORS; first += AT_A_TIME) {
        carry_out(BLOCK_READ, first);
        for (unsigned i = 0; i < AT_A_TIME; i++) {
            expect(SECTORS - 1 - (first + i), CAPITALS);
            CHECK(is_expected(sector_data(i)));
        }
    }
}

static void check_refused(seL4_Uint32 operation, seL4_Uint32 sector, seL4_Uint32 sectors)
{
    fill_in(0, operation, sector, sectors);
    microkit_notify(DRIVER);
    wait_for(1);
    CHECK_EQUAL(block_request(requests, 0)->status, BLOCK_REFUSED);
}

static void invalid_requests_are_refused(void)
{
    check_refused(BLOCK_READ, SECTORS, 1);
    check_refused(BLOCK_READ, SECTORS - 1, 2);
    check_refused(BLOCK_WRITE, 0xffffffffu, 1);
    check_refused(BLOCK_READ, 0, 0);
    check_refused(BLOCK_READ, 0, BLOCK_MOST_SECTORS + 1);
    check_refused(BLOCK_WRITE + 1, 0, 1);
}

static void the_driver_continues_after_refusals(void)
{
    fill_in(0, BLOCK_READ, SECTORS - 1, 1);
    microkit_notify(DRIVER);
    wait_for(1);
    CHECK_EQUAL(block_request(requests, 0)->status, BLOCK_OK);
    expect(0, CAPITALS);
    CHECK(is_expected(sector_data(0)));
}

void init(void)
{
    RUN(all_of_the_disk_is_read);
    RUN(all_of_the_disk_is_written);
    RUN(written_data_is_read_back);
    RUN(invalid_requests_are_refused);
    RUN(the_driver_continues_after_refusals);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
