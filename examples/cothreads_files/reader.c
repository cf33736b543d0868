/* A pipeline: one cothread reads a file, one transforms the blocks, one writes another file. They pass blocks through
 * queues with room for two, counted by semaphores. A fourth reads the result.
 *
 * Their code is sequential, although the disk is asynchronous and the cothreads interleave. */

#include "file.h"
#include "say.h"

#define STACK_SIZE 0x2000
#define BLOCKS 4
#define ROOM 2
#define COPY_STARTS 16

struct queue {
    microkit_cothread_semaphore_t filled;
    microkit_cothread_semaphore_t empty;
    uint32_t put;
    uint32_t taken;
    char blocks[ROOM][SECTOR_BYTES];
};

static struct queue to_changer;
static struct queue to_writer;

static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
static char stacks[4][STACK_SIZE];

static void queue_start(struct queue *queue)
{
    must(microkit_cothread_semaphore_init(&queue->filled, 0));
    must(microkit_cothread_semaphore_init(&queue->empty, ROOM));
}

static void copy(char *to, const char *from)
{
    for (int i = 0; i < SECTOR_BYTES; i++) {
        to[i] = from[i];
    }
}

static void queue_put(struct queue *queue, const char *block)
{
    must(microkit_cothread_semaphore_wait(&queue->empty));
    copy(queue->blocks[queue->put++ % ROOM], block);
    must(microkit_cothread_semaphore_signal(&queue->filled));
}

static void queue_take(struct queue *queue, char *block)
{
    must(microkit_cothread_semaphore_wait(&queue->filled));
    copy(block, queue->blocks[queue->taken++ % ROOM]);
    must(microkit_cothread_semaphore_signal(&queue->empty));
}

static void say_block(const char *who, const char *block)
{
    say(who);
    say("'");
    for (int i = 0; i < SECTOR_BYTES; i++) {
        microkit_dbg_putc(block[i]);
    }
    say("'\n");
}

static void read_blocks(void)
{
    struct file file = { 0, 0 };
    char block[SECTOR_BYTES];
    for (int i = 0; i < BLOCKS; i++) {
        file_read(&file, block);
        say_block("reader:  ", block);
        queue_put(&to_changer, block);
    }
}

static void change_blocks(void)
{
    char block[SECTOR_BYTES];
    for (int i = 0; i < BLOCKS; i++) {
        queue_take(&to_changer, block);
        for (int j = 0; j < SECTOR_BYTES; j++) {
            block[j] = block[j] >= 'a' && block[j] <= 'z' ? (char)(block[j] - 'a' + 'A') : block[j];
        }
        queue_put(&to_writer, block);
    }
}

static void write_blocks(void)
{
    struct file file = { 1, COPY_STARTS };
    char block[SECTOR_BYTES];
    for (int i = 0; i < BLOCKS; i++) {
        queue_take(&to_writer, block);
        file_write(&file, block);
        say_block("writer:  ", block);
    }
    microkit_cothread_exit(BLOCKS);
}

static void check_blocks(void)
{
    struct file file = { 2, COPY_STARTS };
    char block[SECTOR_BYTES];
    size_t count = 0;
    must(microkit_cothread_join(3, &count));
    for (size_t i = 0; i < count; i++) {
        file_read(&file, block);
        say_block("checker: ", block);
    }
    say("LIMEN|DONE\n");
}

static void spawn(client_entry_t entry, const char *name)
{
    microkit_cothread_t handle;
    must(microkit_cothread_spawn(entry, true, &handle, 0));
    must(microkit_cothread_set_name(handle, name));
}

void init(void)
{
    must(microkit_cothread_init((uintptr_t)controller, STACK_SIZE, stacks[0], stacks[1], stacks[2], stacks[3]));
    queue_start(&to_changer);
    queue_start(&to_writer);
    spawn(read_blocks, "reader");
    spawn(change_blocks, "changer");
    spawn(write_blocks, "writer");
    spawn(check_blocks, "checker");
    must(microkit_cothread_run());
}

void notified(microkit_channel ch)
{
    must(microkit_cothread_recv_ntfn(ch));
}
