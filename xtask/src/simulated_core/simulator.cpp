// The machine around the simulated core: memory, a serial port, the code that starts the firmware, and the run's end.
//
//   simulator --harts NUMBER --latency CYCLES --time-register NUMBER --silence CYCLES --cycles CYCLES --phases NUMBER
//             --counter NAME --trace FILE --trace-reads NUMBER --firmware FILE --image FILE
//
// The core is Rocket's ExampleRocketSystem with one or four HARTS, as Verilator translates it. It has two AXI4 ports as a
// master: one for memory, and one for devices. Its interrupt controller, timer and boot ROM are inside. The boot ROM jumps to the first address of
// the device port, where QEMU's `virt` machine has its serial port. Both are there: the core fetches instructions in bursts,
// which get the firmware's first line, and accesses devices one by one.
//
// The console goes to standard output. With `--phases 1`, so do the durations of the parts of boot, as rows of `./x bench`. The
// run ends when the firmware turns the machine off, with the signal TERM, after `--cycles`, or when the system is silent for
// too long. Then standard error gets the number of cycles.
//
// The register `cycle` counts the cycles of the machine, the same on all harts; the core's own stops while its hart sleeps. With
// `--counter`, it counts something else. With `--time-register 1`, the core has the register `time`; without, reading it is an
// illegal instruction. With `--trace`, the file gets a line for each instruction that retires or traps; with `--trace-reads 1`
// as well, for reads of `cycle` in programs only.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "VExampleRocketSystem.h"
#include "VExampleRocketSystem___024root.h"
#include "verilated.h"

namespace {

constexpr uint64_t MEMORY_START = 0x8000'0000;
constexpr uint64_t MEMORY_BYTES = 0x8000'0000;
constexpr uint64_t SERIAL = 0x1000'0000;

// A store of the firmware ends the run.
constexpr uint64_t POWER = 0x1001'0000;

// Where the firmware expects the kernel's loader.
constexpr uint64_t LOADER = 0x9000'0000;

// Line status register of the serial port: the transmitter is empty. It is the byte at offset 5.
constexpr uint64_t TRANSMITTER_EMPTY = 0x60ull << 40;

// Interrupts of the serial port that are enabled are in the byte at offset 1; bit 1 is for an empty transmitter.
constexpr unsigned INTERRUPT_ENABLE = 1;
constexpr uint8_t TRANSMITTER_INTERRUPT = 2;

// The serial port's interrupt: bit 0 is line 1 of the core's interrupt controller, which has eight lines.
constexpr uint8_t SERIAL_LINE = 1;

// A register of the machine beside those of the serial port: the register `cycle` when the serial port's line was last asserted.
constexpr uint64_t ASSERTED = SERIAL + 0x800;

// The identifier of reads by the instruction cache on the memory port; the data cache has the others.
constexpr uint8_t CODE = 2;

// Cycles from a request to the device port until its answer.
constexpr uint64_t DEVICE_LATENCY = 4;

// How often the progress line changes, in cycles.
constexpr uint64_t PROGRESS = 1'000'000;

// Exit status of a run that ended because the system printed nothing.
constexpr int SILENT = 3;

volatile sig_atomic_t is_asked_to_end = 0;

[[noreturn]] void fail(const std::string &sentence)
{
    fprintf(stderr, "simulator: %s\n", sentence.c_str());
    exit(2);
}

// The memory. Pages that are never touched take no space on the host.
class Memory {
public:
    Memory()
    {
        void *pages = mmap(nullptr, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                           -1, 0);
        if (pages == MAP_FAILED) {
            fail("the host has no address space for the memory");
        }
        bytes = static_cast<uint8_t *>(pages);
    }

    void load(const std::vector<uint8_t> &data, size_t from, uint64_t address)
    {
        size_t size = data.size() - from;
        if (address < MEMORY_START || address - MEMORY_START > MEMORY_BYTES - size) {
            fail("the image does not fit into memory");
        }
        memcpy(bytes + (address - MEMORY_START), data.data() + from, size);
    }

    // `address` is a multiple of 8.
    uint64_t read(uint64_t address, bool /* is_burst */) const
    {
        uint64_t word = 0;
        if (address - MEMORY_START < MEMORY_BYTES) {
            memcpy(&word, bytes + (address - MEMORY_START), sizeof word);
        }
        return word;
    }

    // Bit `i` of `strobe` says that byte `i` is written.
    void write(uint64_t address, uint64_t word, uint8_t strobe)
    {
        for (int i = 0; i < 8 && address - MEMORY_START < MEMORY_BYTES; i++) {
            if (strobe >> i & 1) {
                bytes[address - MEMORY_START + i] = static_cast<uint8_t>(word >> 8 * i);
            }
        }
    }

private:
    uint8_t *bytes;
};

// The serial port, an NS16550 that never receives and whose transmitter is always empty; the firmware's first line at the same
// address; and the switch.
class Devices {
public:
    explicit Devices(const Memory &memory) : memory(memory)
    {
    }

    uint64_t read(uint64_t address, bool is_burst) const
    {
        if (is_burst) {
            return memory.read(address - SERIAL + MEMORY_START, is_burst);
        }
        return address == SERIAL ? TRANSMITTER_EMPTY : address == ASSERTED ? asserted_at : 0;
    }

    void write(uint64_t address, uint64_t word, uint8_t strobe)
    {
        if (address == SERIAL && (strobe & 1)) {
            print(static_cast<char>(word));
        } else if (address == SERIAL && (strobe >> INTERRUPT_ENABLE & 1)) {
            enabled_interrupts = static_cast<uint8_t>(word >> 8 * INTERRUPT_ENABLE);
        } else if (address == POWER) {
            is_off = true;
        }
    }

    // The lines of the interrupt controller that are asserted.
    uint8_t interrupts() const
    {
        return enabled_interrupts & TRANSMITTER_INTERRUPT ? SERIAL_LINE : 0;
    }

    // `now` is the register `cycle`.
    void note_interrupts(uint64_t now)
    {
        if (interrupts() != 0 && !was_asserted) {
            asserted_at = now;
        }
        was_asserted = interrupts() != 0;
    }

    // Shows how long the run takes, where a person can see it and no line of the console is cut.
    void show_progress(uint64_t cycle)
    {
        if (!shows_progress || !is_line_start) {
            return;
        }
        fprintf(stderr, "\r\x1b[K%llu million cycles\r", static_cast<unsigned long long>(cycle / 1'000'000));
        has_progress = true;
    }

    void clear_progress()
    {
        if (has_progress) {
            fputs("\r\x1b[K", stderr);
            has_progress = false;
        }
    }

    bool has_printed = false;
    bool is_off = false;

private:
    void print(char character)
    {
        clear_progress();
        putchar(character);
        fflush(stdout);
        is_line_start = character == '\n';
        has_printed = true;
    }

    const Memory &memory;
    uint8_t enabled_interrupts = 0;
    bool was_asserted = false;
    uint64_t asserted_at = 0;
    bool shows_progress = isatty(STDERR_FILENO);
    bool is_line_start = true;
    bool has_progress = false;
};

// The signals of one of the core's ports, seen from the core.
template <class Beat, class Strobe> struct Port {
    CData &ar_ready, &ar_valid, &ar_id, &ar_len;
    IData &ar_addr;
    CData &r_ready, &r_valid, &r_id, &r_last;
    Beat &r_data;
    CData &aw_ready, &aw_valid, &aw_id, &aw_len;
    IData &aw_addr;
    CData &w_ready, &w_valid;
    Strobe &w_strb;
    CData &w_last;
    Beat &w_data;
    CData &b_ready, &b_valid, &b_id;
};

// Words of a transfer: one, or two where the port is wider.
void put_word(QData &beat, unsigned, uint64_t word)
{
    beat = word;
}

void put_word(VlWide<4> &beat, unsigned index, uint64_t word)
{
    beat[2 * index] = static_cast<uint32_t>(word);
    beat[2 * index + 1] = static_cast<uint32_t>(word >> 32);
}

uint64_t word_of(const QData &beat, unsigned)
{
    return beat;
}

uint64_t word_of(const VlWide<4> &beat, unsigned index)
{
    return uint64_t(beat[2 * index + 1]) << 32 | beat[2 * index];
}

#define PORT(core, name)                                                                                                 \
    Port                                                                                                                 \
    {                                                                                                                    \
        (core).name##_ar_ready, (core).name##_ar_valid, (core).name##_ar_bits_id, (core).name##_ar_bits_len,             \
            (core).name##_ar_bits_addr, (core).name##_r_ready, (core).name##_r_valid, (core).name##_r_bits_id,           \
            (core).name##_r_bits_last, (core).name##_r_bits_data, (core).name##_aw_ready, (core).name##_aw_valid,        \
            (core).name##_aw_bits_id, (core).name##_aw_bits_len, (core).name##_aw_bits_addr, (core).name##_w_ready,      \
            (core).name##_w_valid, (core).name##_w_bits_strb, (core).name##_w_bits_last, (core).name##_w_bits_data,      \
            (core).name##_b_ready, (core).name##_b_valid, (core).name##_b_bits_id                                        \
    }

// An AXI4 slave on a port. It accepts a request in each cycle, and answers requests in order.
//
// A transfer happens at a rising edge of the clock at which `valid` and `ready` of its channel are set. So `sample` looks at
// all channels before the edge, and `update` sets the slave's outputs after it.
template <class Target, class Beat, class Strobe> class Slave {
public:
    Slave(Port<Beat, Strobe> port, Target &target, uint64_t latency) : port(port), target(target), latency(latency)
    {
        port.ar_ready = port.aw_ready = port.w_ready = 1;
    }

    void sample()
    {
        is_read = port.ar_valid;
        if (is_read) {
            read = {port.ar_addr, port.ar_id, port.ar_len, 0, 0};
        }
        is_write = port.aw_valid;
        if (is_write) {
            write = {port.aw_addr, port.aw_id, port.aw_len, 0, 0};
        }
        is_data = port.w_valid;
        if (is_data) {
            data = {port.w_data, port.w_strb, port.w_last != 0};
        }
        is_beat_taken = port.r_valid && port.r_ready;
        is_answer_taken = port.b_valid && port.b_ready;
    }

    void update(uint64_t cycle)
    {
        if (!is_read && !is_write && !is_data && reads.empty() && answers.empty()) {
            return;
        }
        accept(cycle);
        bool has_beat = !reads.empty() && reads.front().ready <= cycle;
        port.r_valid = has_beat;
        if (has_beat) {
            const Burst &burst = reads.front();
            port.r_id = burst.id;
            for (unsigned i = 0; i < WORDS; i++) {
                put_word(port.r_data, i, target.read(burst.word(i), burst.length > 0));
            }
            port.r_last = burst.beat == burst.length;
        }
        bool has_answer = !answers.empty() && answers.front().ready <= cycle;
        port.b_valid = has_answer;
        if (has_answer) {
            port.b_id = answers.front().id;
        }
    }

    // Whether the instruction cache, or another, waits for a burst.
    bool is_reading(bool of_code) const
    {
        return std::any_of(reads.begin(), reads.end(), [=](const Burst &burst) { return (burst.id == CODE) == of_code; });
    }

    // Bursts that were read, by the instruction cache and by all.
    uint64_t code = 0, count = 0;

private:
    // 8-byte words of a beat.
    static constexpr unsigned WORDS = sizeof(Beat) / 8;

    // Up to `length` + 1 beats.
    struct Burst {
        uint64_t address;
        uint8_t id;
        unsigned length;
        unsigned beat;
        uint64_t ready;

        uint64_t word(unsigned index) const
        {
            return (address & ~(8ull * WORDS - 1)) + 8ull * (WORDS * beat + index);
        }
    };

    struct Data {
        Beat beat;
        Strobe strobe;
        bool is_last;
    };

    void accept(uint64_t cycle)
    {
        if (is_beat_taken && reads.front().beat++ == reads.front().length) {
            reads.pop_front();
        }
        if (is_answer_taken) {
            answers.pop_front();
        }
        if (is_read) {
            read.ready = cycle + latency;
            reads.push_back(read);
            count++;
            code += read.id == CODE;
        }
        if (is_write) {
            writes.push_back(write);
        }
        if (is_data) {
            words.push_back(data);
        }
        // The words of a write may come before its address.
        while (!words.empty() && !writes.empty()) {
            Burst &burst = writes.front();
            const Data &written = words.front();
            for (unsigned i = 0; i < WORDS; i++) {
                target.write(burst.word(i), word_of(written.beat, i), static_cast<uint8_t>(written.strobe >> 8 * i));
            }
            burst.beat++;
            if (words.front().is_last) {
                burst.ready = cycle + latency / 2;
                answers.push_back(burst);
                writes.pop_front();
            }
            words.pop_front();
        }
    }

    Port<Beat, Strobe> port;
    Target &target;
    uint64_t latency;
    bool is_read, is_write, is_data, is_beat_taken, is_answer_taken;
    Burst read, write;
    Data data;
    std::deque<Burst> reads, writes, answers;
    std::deque<Data> words;
};

struct Options {
    uint64_t latency = 20;
    uint64_t silence = 100'000'000;
    uint64_t cycles = UINT64_MAX;
    uint64_t time_register = 0;
    uint64_t phases = 0;
    std::string counter = "cycles";
    std::string trace;
    uint64_t trace_reads = 0;
    std::string firmware, image;
};

uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != 0) {
        fail(std::string("'") + text + "' is not a number");
    }
    return value;
}

Options parse(int count, char **words)
{
    Options options;
    for (int i = 1; i < count; i += 2) {
        std::string name = words[i];
        if (i + 1 == count) {
            fail(name + " needs a value");
        } else if (name == "--harts") {
            if (number(words[i + 1]) != HARTS) {
                fail("this core has " + std::to_string(HARTS) + " harts");
            }
        } else if (name == "--latency") {
            options.latency = number(words[i + 1]);
        } else if (name == "--silence") {
            options.silence = number(words[i + 1]);
        } else if (name == "--cycles") {
            options.cycles = number(words[i + 1]);
        } else if (name == "--time-register") {
            options.time_register = number(words[i + 1]);
        } else if (name == "--phases") {
            options.phases = number(words[i + 1]);
        } else if (name == "--counter") {
            options.counter = words[i + 1];
        } else if (name == "--trace") {
            options.trace = words[i + 1];
        } else if (name == "--trace-reads") {
            options.trace_reads = number(words[i + 1]);
        } else if (name == "--firmware") {
            options.firmware = words[i + 1];
        } else if (name == "--image") {
            options.image = words[i + 1];
        } else {
            fail("there is no option " + name);
        }
    }
    return options;
}

std::vector<uint8_t> contents(const std::string &file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        fail("cannot read " + file);
    }
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Loads a boot image with the header of U-Boot: big-endian words, of which the first is a magic number, the fifth the load
// address and the sixth the entry point.
void load_image(Memory &memory, const std::string &file)
{
    std::vector<uint8_t> data = contents(file);
    auto word = [&](size_t index) {
        const uint8_t *at = data.data() + 4 * index;
        return uint32_t(at[0]) << 24 | uint32_t(at[1]) << 16 | uint32_t(at[2]) << 8 | at[3];
    };
    if (data.size() < 64 || word(0) != 0x2705'1956 || word(5) != LOADER) {
        fail(file + " is not a boot image of qemu_virt_riscv64");
    }
    memory.load(data, 64, word(4));
}

// Where the time went.
struct Account {
    uint64_t cycles = 0, instructions = 0;
    uint64_t firmware_cycles = 0, firmware_instructions = 0;
};

void tick(VExampleRocketSystem &core, int level)
{
    core.clock = core.debug_clock = core.debug_clockeddmi_dmiClock = level;
    core.eval();
}

void reset(VExampleRocketSystem &core)
{
    core.l2_frontend_bus_axi4_0_r_ready = core.l2_frontend_bus_axi4_0_b_ready = 1;
    core.debug_clockeddmi_dmi_resp_ready = 1;
    core.reset = core.debug_reset = core.debug_clockeddmi_dmiReset = 1;
    for (int i = 0; i < 50; i++) {
        tick(core, 1);
        tick(core, 0);
    }
    core.reset = core.debug_reset = core.debug_clockeddmi_dmiReset = 0;
    core.eval();
}

#define TILE_OF(core, domain, name)                                                                                      \
    ((core).rootp->ExampleRocketSystem__DOT__##domain##__DOT__tile_reset_domain_tile__DOT__##name)
// Of hart 0.
#define TILE(core, name) TILE_OF(core, tile_prci_domain, name)
#define CSR(core, name) TILE(core, core__DOT__csr__DOT__##name)

constexpr int USER_MODE = 0;
constexpr int MACHINE_MODE = 3;

// The kernel's virtual addresses have this bit. The loader runs at physical addresses.
constexpr uint64_t KERNEL_ADDRESS = 1ull << 39;

// The parts of boot: the loader, and the kernel until the first instruction of a program. Each ends where the next begins.
class Phases {
public:
    explicit Phases(bool are_shown) : is_over(!are_shown)
    {
    }

    // An instruction retires.
    void retire(uint64_t cycle, uint64_t address, int mode)
    {
        if (is_over || mode == MACHINE_MODE) {
            return;
        }
        if (loader == 0) {
            loader = cycle;
        }
        if (kernel == 0 && (address & KERNEL_ADDRESS)) {
            kernel = cycle;
        }
        if (mode == USER_MODE) {
            show("loader", kernel - loader);
            show("kernel", cycle - kernel);
            is_over = true;
        }
    }

private:
    static void show(const char *part, uint64_t cycles)
    {
        printf("ROW name=boot_phase part=%s samples=%llu\n", part, static_cast<unsigned long long>(cycles));
    }

    bool is_over;
    uint64_t loader = 0, kernel = 0;
};

// What the register `cycle` counts: cycles, or an event, so that programs that measure cycles count it.
class Counter {
public:
    explicit Counter(const std::string &name) : name(name)
    {
        if (name != "cycles" && name != "code_lines" && name != "data_lines" && name != "walks") {
            fail("the counter " + name + " is none of cycles, code_lines, data_lines and walks");
        }
    }

    // After a rising edge of the clock, which has incremented the register, and before instructions read it.
    template <class Port> void update(VExampleRocketSystem &core, const Port &memory, uint64_t cycles)
    {
        bool is_walking = TILE(core, ptw__DOT__state) != 0;
        walks += is_walking && !was_walking;
        was_walking = is_walking;
        uint64_t lines = name == "code_lines" ? memory.code : memory.count - memory.code;
        uint64_t value = name == "cycles" ? cycles : name == "walks" ? walks : lines;
        CSR(core, small_1) = value % SMALL;
        CSR(core, large_1) = value / SMALL;
#if HARTS == 4
#define SET(domain)                                                                                                      \
    TILE_OF(core, domain, core__DOT__csr__DOT__small_1) = value % SMALL;                                                 \
    TILE_OF(core, domain, core__DOT__csr__DOT__large_1) = value / SMALL
        SET(tile_prci_domain_1);
        SET(tile_prci_domain_2);
        SET(tile_prci_domain_3);
#undef SET
#endif
    }

    // The register.
    static uint64_t value(VExampleRocketSystem &core)
    {
        return CSR(core, large_1) * SMALL + CSR(core, small_1);
    }

private:
    // The register has two parts; the lower one has six bits.
    static constexpr uint64_t SMALL = 64;

    std::string name;
    bool was_walking = false;
    // Walks of the page tables, one for each translation that the TLBs lack.
    uint64_t walks = 0;
};

// The file with instructions: the cycle in which one retires or traps, its address and encoding, how many have since the line
// before, and in how many cycles since then page tables were walked, the data cache read a line, and the instruction cache did. A
// cycle counts for the first of these.
class Trace {
public:
    Trace(const std::string &path, bool only_reads) : only_reads(only_reads)
    {
        if (!path.empty() && (file = fopen(path.c_str(), "w")) == nullptr) {
            fail("cannot write " + path);
        }
    }

    ~Trace()
    {
        if (file != nullptr && fclose(file) != 0) {
            fail("cannot write the trace");
        }
    }

    // A cycle in which nothing retires.
    template <class Port> void wait(VExampleRocketSystem &core, const Port &memory)
    {
        if (file == nullptr) {
            return;
        }
        if (TILE(core, ptw__DOT__state) != 0) {
            walks++;
        } else if (memory.is_reading(false)) {
            data++;
        } else if (memory.is_reading(true)) {
            code++;
        }
    }

    void retire(VExampleRocketSystem &core, uint64_t cycle)
    {
        instructions++;
        if (file == nullptr || (only_reads && !reads_counter(core))) {
            return;
        }
        uint64_t address = CSR(core, io_trace_0_iaddr);
        // The signal has 40 bits of an address, of which the last is repeated.
        address |= address & KERNEL_ADDRESS ? ~(2 * KERNEL_ADDRESS - 1) : 0;
        fprintf(file, "%llu %llx %x %u %u %u %u\n", static_cast<unsigned long long>(cycle),
                static_cast<unsigned long long>(address), static_cast<unsigned>(CSR(core, io_trace_0_insn)), instructions,
                walks, data, code);
        instructions = walks = data = code = 0;
    }

private:
    // Whether a program reads `cycle` to a register, and sets no bit.
    static bool reads_counter(VExampleRocketSystem &core)
    {
        return CSR(core, reg_mstatus_prv) == USER_MODE && (CSR(core, io_trace_0_insn) & ~0xf80u) == 0xc0002073;
    }

    bool only_reads;
    FILE *file = nullptr;
    unsigned instructions = 0, walks = 0, data = 0, code = 0;
};

void report(const Account &account, uint64_t lines)
{
    auto shown = [](uint64_t count) { return static_cast<unsigned long long>(count); };
    fprintf(stderr, "%llu cycles, %llu instructions%s, %llu lines read from memory\n", shown(account.cycles),
            shown(account.instructions), HARTS > 1 ? " of hart 0" : "", shown(lines));
    fprintf(stderr, "%llu of these cycles and %llu instructions are the firmware's\n", shown(account.firmware_cycles),
            shown(account.firmware_instructions));
}

// Runs until one of the ends; returns the exit status.
int run(const Options &options)
{
    if (HARTS > 1 && (options.counter != "cycles" || !options.trace.empty())) {
        fail("counters of events and traces need a core with one hart");
    }
    Memory memory;
    Devices devices(memory);
    memory.load(contents(options.firmware), 0, MEMORY_START);
    load_image(memory, options.image);
    auto *core = new VExampleRocketSystem;
    reset(*core);
    CSR(*core, has_time) = options.time_register != 0;
#if HARTS == 4
    TILE_OF(*core, tile_prci_domain_1, core__DOT__csr__DOT__has_time) = options.time_register != 0;
    TILE_OF(*core, tile_prci_domain_2, core__DOT__csr__DOT__has_time) = options.time_register != 0;
    TILE_OF(*core, tile_prci_domain_3, core__DOT__csr__DOT__has_time) = options.time_register != 0;
#endif
    Slave memory_port(PORT(*core, mem_axi4_0), memory, options.latency);
    Slave device_port(PORT(*core, mmio_axi4_0), devices, DEVICE_LATENCY);
    core->eval();
    Account account;
    Phases phases(options.phases != 0);
    Counter counter(options.counter);
    Trace trace(options.trace, options.trace_reads != 0);
    uint64_t last_print = 0;
    int status = 0;
    while (!is_asked_to_end && !devices.is_off && account.cycles < options.cycles) {
        memory_port.sample();
        device_port.sample();
        bool is_firmware = CSR(*core, reg_mstatus_prv) == MACHINE_MODE;
        bool retires = CSR(*core, io_trace_0_valid);
        account.instructions += retires;
        account.firmware_cycles += is_firmware;
        account.firmware_instructions += retires && is_firmware;
        if (retires) {
            phases.retire(account.cycles, CSR(*core, io_trace_0_iaddr), CSR(*core, reg_mstatus_prv));
            trace.retire(*core, account.cycles);
        } else {
            trace.wait(*core, memory_port);
        }
        core->clock = 1;
        core->eval();
        account.cycles++;
        memory_port.update(account.cycles);
        device_port.update(account.cycles);
        counter.update(*core, memory_port, account.cycles);
        devices.note_interrupts(Counter::value(*core));
        core->interrupts = devices.interrupts();
        core->clock = 0;
        core->eval();
        if (devices.has_printed) {
            devices.has_printed = false;
            last_print = account.cycles;
        }
        if (options.silence != 0 && account.cycles - last_print >= options.silence) {
            devices.clear_progress();
            fprintf(stderr, "the system printed nothing for %llu cycles\n",
                    static_cast<unsigned long long>(options.silence));
            status = SILENT;
            break;
        }
        if (account.cycles % PROGRESS == 0) {
            devices.show_progress(account.cycles);
        }
    }
    devices.clear_progress();
    report(account, memory_port.count);
    return status;
}

} // namespace

int main(int count, char **words)
{
    if (count == 2 && std::string(words[1]) == "--version") {
        puts(VERSION);
        return 0;
    }
    signal(SIGTERM, [](int) { is_asked_to_end = 1; });
    int status = run(parse(count, words));
    fflush(stdout);
    fflush(stderr);
    return status;
}
