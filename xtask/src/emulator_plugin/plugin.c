/*
 * A plugin of QEMU that streams executed blocks of instructions, and accesses to memory if asked, to a file or pipe.
 *
 * It knows nothing about Limen: xtask/src/emulator_plugin/stream.rs reads the stream, and documents its format. The types
 * and functions below are the part of QEMU's plugin interface that it uses; API is the version of that interface.
 *
 *   out=FILE        the file or pipe
 *   memory=all      stream accesses to memory too
 *   memory=kernel   the same, but only those of instructions in the upper half of the address space
 *
 * Emulation that counts instructions has one thread, which runs the processors in turn, so there are no locks.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
    const char *target_name;
    struct {
        int min;
        int cur;
    } version;
    bool system_emulation;
} qemu_info_t;
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };
typedef void (*translated_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*executed_t)(unsigned processor, void *data);
typedef void (*accessed_t)(unsigned processor, qemu_plugin_meminfo_t info, uint64_t address, void *data);
typedef void (*ended_t)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translated_t call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, executed_t call, int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, executed_t call, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, accessed_t call, int flags, int rw, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, ended_t call, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
#if API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t most);
#endif

__attribute__((visibility("default"))) int qemu_plugin_version = API;

/* Kinds of records, in the two low bits of their first word. */
enum { RUN, LOAD, STORE, BLOCK };

enum { CODE_BYTES = 15, LINE_BYTES = 64 };

static int out = -1;
static uint64_t buffer[8192];
static size_t used;
/* The accesses to stream are those of instructions at this address and above. */
static uint64_t memory_from = UINT64_MAX;
static const char *target;

/* The number of blocks so far, the one that runs, how many of its instructions were started, and how many of these the
 * stream already has. */
static uint64_t blocks;
static uint64_t running;
static uint64_t started;
static uint64_t streamed;
/* The processor that runs it. */
static unsigned present;

static void flush(void)
{
    const char *from = (const char *)buffer;
    size_t left = used * sizeof buffer[0];
    while (left > 0) {
        ssize_t count = write(out, from, left);
        if (count <= 0) {
            /* Without a reader there is no one to tell. */
            _exit(1);
        }
        from += count;
        left -= (size_t)count;
    }
    used = 0;
}

static void put(uint64_t word)
{
    buffer[used++] = word;
    if (used == sizeof buffer / sizeof buffer[0]) {
        flush();
    }
}

/* Streams the instructions of the running block that were started since the last record. */
static void put_run(void)
{
    if (started > streamed) {
        put(RUN | (started - streamed) << 2 | streamed << 17 | running << 32);
    }
    streamed = started;
}

static void on_block(unsigned processor, void *data)
{
    put_run();
    if (processor != present) {
        present = processor;
        put(RUN | (uint64_t)processor << 32);
    }
    running = (uint64_t)(uintptr_t)data;
    started = streamed = 0;
}

static void on_instruction(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    started++;
}

/* The processor stops until an interrupt comes, perhaps forever: the reader must see everything up to here. */
static void on_wait(unsigned processor, void *data)
{
    on_instruction(processor, data);
    put_run();
    flush();
}

static void on_access(unsigned processor, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    uint64_t kind = qemu_plugin_mem_is_store(info) ? STORE : LOAD;
    uint64_t last = address + (1ull << qemu_plugin_mem_size_shift(info)) - 1;
    (void)processor;
    (void)data;
    put_run();
    put(kind | address << 2);
    if (address / LINE_BYTES != last / LINE_BYTES) {
        put(kind | last << 2);
    }
}

static size_t code_of(const struct qemu_plugin_insn *insn, unsigned char *code)
{
    size_t size = qemu_plugin_insn_size(insn);
    if (size > CODE_BYTES) {
        size = CODE_BYTES;
    }
#if API < 3
    memcpy(code, qemu_plugin_insn_data(insn), size);
#else
    size = qemu_plugin_insn_data(insn, code, size);
#endif
    return size;
}

/* Whether an instruction waits for an interrupt. */
static bool waits(const unsigned char *code, size_t size)
{
    static const unsigned char wfi_aarch64[] = { 0x7f, 0x20, 0x03, 0xd5 };
    static const unsigned char wfi_riscv64[] = { 0x73, 0x00, 0x50, 0x10 };
    if (strcmp(target, "x86_64") == 0) {
        return size == 1 && code[0] == 0xf4;
    }
    return size == 4 && memcmp(code, strcmp(target, "aarch64") == 0 ? wfi_aarch64 : wfi_riscv64, 4) == 0;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);
    struct qemu_plugin_insn *first = count > 0 ? qemu_plugin_tb_get_insn(block, 0) : NULL;
    (void)id;
    if (!first) {
        return;
    }
    put(BLOCK | (uint64_t)count << 2 | blocks << 32);
    put(qemu_plugin_insn_vaddr(first));
    put((uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first));
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, NO_REGISTERS, (void *)(uintptr_t)blocks);
    for (size_t at = 0; at < count; at++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, at);
        unsigned char code[1 + CODE_BYTES] = { 0 };
        size_t size = code_of(insn, code + 1);
        uint64_t words[2];
        code[0] = (unsigned char)size;
        memcpy(words, code, sizeof words);
        put(words[0]);
        put(words[1]);
        qemu_plugin_register_vcpu_insn_exec_cb(
            insn, waits(code + 1, size) ? on_wait : on_instruction, NO_REGISTERS, NULL);
        if (qemu_plugin_insn_vaddr(insn) >= memory_from) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_access, NO_REGISTERS, READS_AND_WRITES, NULL);
        }
    }
    blocks++;
}

static void on_end(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    put_run();
    flush();
}

__attribute__((visibility("default"))) int qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    target = info->target_name;
    for (int at = 0; at < argc; at++) {
        if (strncmp(argv[at], "out=", 4) == 0) {
            out = open(argv[at] + 4, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        } else if (strcmp(argv[at], "memory=all") == 0) {
            memory_from = 0;
        } else if (strcmp(argv[at], "memory=kernel") == 0) {
            memory_from = 1ull << 63;
        } else {
            return 1;
        }
    }
    if (out < 0) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
