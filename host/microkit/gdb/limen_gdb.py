"""Commands for gdb that know a Limen system: its programs, their address spaces, and the kernel's state.

    (gdb) source limen_gdb.py
    (gdb) limen system build/report.json
    (gdb) target remote ...

`./x run SYSTEM --gdb` writes a script with these lines. They work with every debug stub, also that of a hardware probe;
with QEMU's, which reads physical memory, they work at any time. `help limen` lists the commands.

Programs overlap: most of them start at the same address. So gdb has the symbols of the kernel and of one program, that
which the machine is executing, and this file exchanges them whenever the machine stops. A program that waits is shown
from a copy of its memory and registers, which is an inferior of its own with a core file.

Needs gdb 12 or later, with Python.
"""

import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import tempfile

import gdb

# gdb knows the name of this file only while it reads it.
HERE = os.path.dirname(os.path.realpath(__file__))
KERNEL = "limen_platform::kernel_cell::KERNEL"
STATE = "__0.value."
PAGE = 0x1000
# In a note of a core file.
REGISTERS_AT = 112
# The kernel is in the upper half of the address space.
UPPER_HALF = 1 << 63
# QEMU refuses longer requests.
MOST_PACKET_BYTES = 1024
# Of a copied program; a larger region is cut off.
MOST_RANGE_BYTES = 16 << 20
NOT_READABLE = (
    "this stub does not read the kernel's memory while a program runs: "
    "stop the machine in the kernel first, with `hbreak` at one of its functions"
)


class Architecture:
    """What differs between instruction sets."""

    def __init__(self, name, machine, space, height, entry, registers, words, prstatus_bytes):
        self.gdb_name = name
        self.elf_machine = machine
        # The register with the address space, and the position of the number that the kernel gives each of them.
        self.space_register, self.number_at = space
        # Page tables above the lowest.
        self.height = height
        # Of an entry: its address if it is valid, and whether it is a page.
        self.entry = entry
        # The registers of a core file in its order: their names, and their places in a thread's record in the kernel.
        self.registers = registers
        self.words = words
        self.prstatus_bytes = prstatus_bytes


def aarch64_entry(entry, height):
    if not entry & 1:
        return None, False
    return entry & 0x0000_FFFF_FFFF_F000, height == 0 or not entry & 2


def riscv64_entry(entry, _height):
    if not entry & 1:
        return None, False
    return (entry >> 10 & (1 << 44) - 1) << 12, bool(entry & 0xE)


def x86_64_entry(entry, height):
    if not entry & 1:
        return None, False
    return entry & 0x000F_FFFF_FFFF_F000, height == 0 or bool(entry & 0x80)


AARCH64_REGISTERS = [f"x{number}" for number in range(31)] + ["sp", "pc", "cpsr"]
RISCV64_REGISTERS = (
    "pc ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()
)
X86_64_REGISTERS = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi rax rip cs eflags rsp ss fs_base gs_base ds es fs gs".split()
)
# The number of the last system call and four selectors are not there.
X86_64_WORDS = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 18, 17, 16, 15, 14, None, 21, 22, 23, 24, 25, 0, 1] + [None] * 4

ARCHITECTURES = {
    "aarch64": Architecture(
        "aarch64", 183, ("TTBR0_EL1", 48), 3, aarch64_entry, AARCH64_REGISTERS, list(range(34)), 392
    ),
    "riscv64": Architecture(
        "riscv:rv64", 243, ("satp", 44), 2, riscv64_entry, RISCV64_REGISTERS, list(range(32)), 376
    ),
    "x86_64": Architecture(
        "i386:x86-64", 62, ("cr3", None), 3, x86_64_entry, X86_64_REGISTERS, X86_64_WORDS, 336
    ),
}


def fail(sentence):
    raise gdb.GdbError(sentence)


def select(inferior):
    if gdb.selected_inferior().num != inferior.num:
        gdb.execute(f"inferior {inferior.num}", to_string=True)


def number(text):
    return int(text, 16)


# --- the machine ---


class Machine:
    """The stopped machine: memory and registers, through its stub."""

    def __init__(self):
        self.reads_physical = None

    def inferior(self):
        """The inferior of the machine: the first."""
        found = gdb.inferiors()[0]
        if found.pid == 0 or not hasattr(found.connection, "send_packet"):
            fail("no machine is connected: type `target remote ...` first")
        return found


    @staticmethod
    def select():
        select(gdb.inferiors()[0])

    def is_connected(self):
        try:
            return self.inferior() is not None
        except gdb.GdbError:
            return False

    def ask(self, packet):
        return self.inferior().connection.send_packet(packet)

    def physical(self, address, count):
        """Reads physical memory; None if the stub cannot, or nothing is there."""
        if self.reads_physical is None:
            self.reads_physical = self.ask("Qqemu.PhyMemMode:0") == b"OK"
        if not self.reads_physical:
            return None
        self.ask("Qqemu.PhyMemMode:1")
        try:
            pieces = []
            for start in range(address, address + count, MOST_PACKET_BYTES):
                length = min(MOST_PACKET_BYTES, address + count - start)
                answer = self.ask(f"m{start:x},{length:x}")
                if answer.startswith(b"E") or len(answer) != 2 * length:
                    return None
                pieces.append(bytes.fromhex(answer.decode()))
            return b"".join(pieces)
        finally:
            self.ask("Qqemu.PhyMemMode:0")

    def virtual(self, address, count):
        """Reads memory as the processor sees it now; None if it is not mapped, or belongs to the kernel."""
        try:
            return bytes(self.inferior().read_memory(address, count))
        except gdb.MemoryError:
            return None

    def register(self, name):
        """A register of the machine; None if the stub does not have it."""
        frame = gdb.newest_frame()
        if not any(register.name == name for register in frame.architecture().registers()):
            return None
        return int(frame.read_register(name)) & (1 << 64) - 1

    @staticmethod
    def counter():
        return gdb.newest_frame().pc()


def quoted(path):
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


# --- the system ---


class Program:
    """A program of the system."""

    def __init__(self, index, name, file, ranges):
        # Its position in the lists of the report, and in the kernel's lists of threads and of address spaces.
        self.index = index
        self.name = name
        # The file with its symbols; None if it was not found.
        self.file = file
        self.ranges = ranges

    def symbols(self):
        return self.file or fail(
            f"there is no file with the symbols of '{self.name}': name its folder with `--search-path` of `limen system`"
        )


class System:
    """A system: its report, the files of its symbols, and the state of its kernel."""

    def __init__(self, report, folders, kernel):
        self.path = os.path.abspath(report)
        self.folders = [os.path.abspath(folder) for folder in folders] + [os.path.dirname(self.path)]
        try:
            with open(self.path, encoding="utf-8") as file:
                self.report = json.load(file)
            self.architecture = ARCHITECTURES[self.report["architecture"]]
            self.read_programs()
            self.devices = [
                (number(memory["start"]), number(memory["end"]))
                for memory in self.report["physical_memory"]
                if memory["kind"] in ("device", "fixed")
            ]
        except OSError as error:
            fail(f"{report}: {error.strerror}")
        except (ValueError, KeyError, TypeError) as error:
            fail(f"{report}: this is no report of the tool ({type(error).__name__}: {error})")
        self.kernel_file = os.path.abspath(kernel) if kernel else self.of_sdk("sel4.elf")
        if not self.kernel_file or not os.path.exists(self.kernel_file):
            fail("the kernel was not found: name it with `--kernel FILE`")
        self.machine = Machine()
        self.segments = self.kernel_segments()
        # The program whose symbols are loaded.
        self.shown = None
        self.offsets = {}
        self.copies = []

    def of_sdk(self, name):
        """A file of the SDK that this script is part of."""
        board = os.path.join(HERE, "..", "board", self.report["board"], self.report["config"], "elf", name)
        return os.path.normpath(board) if os.path.exists(board) else None

    def read_programs(self):
        spaces = {space["owner"]: space["ranges"] for space in self.report["address_spaces"]}
        self.programs = []
        for index, thread in enumerate(self.report["threads"]):
            name = thread["name"]
            domain = next((d for d in self.report["protection_domains"] if d["name"] == name), None)
            file = self.find(domain.get("symbols") or domain["program"]) if domain else self.of_sdk("monitor.elf")
            file = file and os.path.realpath(file)
            self.programs.append(Program(index, name, file, spaces.get(name, [])))

    def find(self, path):
        candidates = [os.path.join(folder, os.path.basename(path)) for folder in self.folders]
        return next((file for file in candidates + [path] if os.path.isfile(file)), None)

    def program(self, name):
        found = next((program for program in self.programs if program.name == name), None)
        names = ", ".join(program.name for program in self.programs)
        return found or fail(f"there is no program '{name}'; choose from: {names}")

    # --- the kernel's state ---

    def kernel_segments(self):
        """Virtual address, physical address and size of each part of the kernel."""
        segments = [
            (number(s["vaddr"]), number(s["paddr"]), s["memory_bytes"]) for s in self.report["kernel"]["segments"]
        ]
        return segments or elf_segments(self.kernel_file)

    def kernel_memory(self, address, count):
        """Reads memory of the kernel at a virtual address."""
        for vaddr, paddr, size in self.segments:
            if vaddr <= address and address + count <= vaddr + size:
                found = self.machine.physical(paddr + address - vaddr, count)
                return found or self.machine.virtual(address, count)
        return None

    def offset(self, path):
        """Offset, size and count of a field of the kernel's state, from its debugging information."""
        if path not in self.offsets:
            self.offsets[path] = field(state_symbol().type, STATE + path)
        return self.offsets[path]

    def state_address(self):
        if "" not in self.offsets:
            # An expression would read the memory, and depends on the language of the selected function.
            said = gdb.execute(f"info address {KERNEL}", to_string=True)
            place = re.search("0x[0-9a-f]+", said)
            self.offsets[""] = number(place[0]) if place else fail(f"the kernel's state is not found: {said}")
        return self.offsets[""]

    def state(self, path, index, count):
        """Bytes of an element of a field of the kernel's state."""
        offset, size = self.offset(path)
        found = self.kernel_memory(self.state_address() + offset + index * size, count or size)
        return found or fail(NOT_READABLE)

    def current(self):
        """The program whose thread the processor runs; None if that is not known, or before the first."""
        offset, _ = self.offset("processor.current")
        word = self.kernel_memory(self.state_address() + offset, 2)
        if word is None:
            return None
        thread = struct.unpack("<H", word)[0]
        index = thread % 64
        return self.programs[index] if thread and index < len(self.programs) else None

    def is_executing(self, program, address):
        """Whether the machine, which has stopped at this address of programs, executes this one."""
        register, at = self.architecture.space_register, self.architecture.number_at
        space = self.machine.register(register) if at else None
        # Zero means a processor without such numbers, or that no program runs yet.
        # Not the highest bit, which the kernel sets in each of them on RISC-V.
        identifier = space >> at & 0x7FFF if space else 0
        if identifier:
            return identifier == program.index + 1
        current = self.current()
        if current is not None or self.machine.reads_physical:
            return current is program
        # All that this stub shows of a program is its code.
        expected = elf_bytes(program.symbols(), address, 16)
        return expected is not None and self.machine.virtual(address, len(expected)) == expected

    def executing(self):
        """The program that the machine executes; None in the kernel and while the machine boots."""
        counter = self.machine.counter()
        if counter >= UPPER_HALF:
            return None
        return next((p for p in self.programs if p.file and self.is_executing(p, counter)), None)

    # --- symbols ---

    def load(self):
        """Loads the symbols of kernel and loader."""
        self.machine.select()
        gdb.execute(f"file {quoted(self.kernel_file)}", to_string=True)
        gdb.execute(f"set architecture {self.architecture.gdb_name}", to_string=True)
        # The paths in the SDK's programs do not depend on the machine that built it.
        for built, here in [("/usr/src/limen/build/sdk", ".."), ("/usr/src/limen", "../../..")]:
            gdb.execute(f"set substitute-path {built} {os.path.normpath(os.path.join(HERE, here))}", to_string=True)
        loader = self.of_sdk("loader.elf")
        place = [memory for memory in self.report["physical_memory"] if memory["purpose"] == "loader"]
        if loader and place:
            gdb.execute(f"add-symbol-file {quoted(loader)} -o {place[0]['start']}", to_string=True)

    def show(self, program):
        """Exchanges the symbols of the shown program for those of this one."""
        if program is self.shown or program is None or program.file is None:
            return
        if self.shown is not None:
            gdb.execute(f"remove-symbol-file {quoted(self.shown.file)}", to_string=True)
        gdb.execute(f"add-symbol-file {quoted(program.file)}", to_string=True)
        self.shown = program

    def stop_at(self, program, location):
        """Sets a breakpoint at each place of a location in a program."""
        before = self.shown
        self.show(program)
        try:
            rest, found = gdb.decode_line(location)
            own = [line for line in found or [] if not line.symtab or line.symtab.objfile.filename == program.file]
            if rest or not own:
                fail(f"'{location}' is no location in '{program.name}'")
            for address in [line.pc for line in own]:
                ProgramBreakpoint(program, address)
        except gdb.error as error:
            fail(f"{error} (in '{program.name}')")
        finally:
            self.show(before)

    # --- programs that wait ---

    def root(self, program):
        """The top page table of a program."""
        size = self.offset("vspaces.items")[1]
        present, value = struct.unpack("<QQ", self.state("vspaces.items", program.index, size))
        if not present:
            fail(f"'{program.name}' has no address space yet: the machine is still booting")
        mask = 0x0000_FFFF_FFFF_F000
        return (value & (1 << 44) - 1) << 12 if self.architecture.space_register == "satp" else value & mask

    def pages(self, program):
        """The physical address of each page of a program that is not a device, by its address; large pages in parts."""
        tables = {}

        def table(address):
            if address not in tables:
                found = self.machine.physical(address, PAGE)
                tables[address] = struct.unpack("<512Q", found) if found else None
            return tables[address]

        def walk(root, address):
            for height in range(self.architecture.height, -1, -1):
                entries = table(root)
                if entries is None:
                    return None
                shift = 12 + 9 * height
                root, is_page = self.architecture.entry(entries[address >> shift & 511], height)
                if root is None:
                    return None
                if is_page:
                    return root + (address & (1 << shift) - 1)
            return None

        root = self.root(program)
        for mapping in program.ranges:
            start = number(mapping["start"])
            end = min(number(mapping["end"]), start + MOST_RANGE_BYTES)
            for address in range(start, end, PAGE):
                physical = walk(root, address)
                if physical is not None and not any(first <= physical < last for first, last in self.devices):
                    yield address, physical

    def registers(self, program):
        """The saved registers of a thread, in the order of a core file."""
        offset, size = self.offset("threads.items")
        data = self.state("threads.items", program.index, size)
        context = member(element(state_symbol().type, STATE + "threads.items"), "context")[0]
        word = lambda index: 0 if index is None else struct.unpack_from("<Q", data, context + 8 * index)[0]
        return [word(index) for index in self.architecture.words]

    def copy(self, program):
        """An inferior with the memory and the saved registers of a program that waits."""
        if self.machine.physical(0, 0) is None:
            fail("the stub does not read physical memory, so only the program that runs can be shown")
        runs = []
        for address, physical in self.pages(program):
            page = self.machine.physical(physical, PAGE)
            if page is None:
                continue
            if runs and runs[-1][0] + len(runs[-1][1]) == address:
                runs[-1][1].extend(page)
            else:
                runs.append((address, bytearray(page)))
        if not runs:
            fail(f"the kernel's records do not contain the page tables of '{program.name}'")
        path = os.path.join(folder_of_files(), f"{program.index}.core")
        with open(path, "wb") as file:
            file.write(core_file(self.architecture, self.registers(program), runs))
        # gdb fails if two inferiors use the same file.
        symbols = os.path.join(folder_of_files(), os.path.basename(program.symbols()))
        shutil.copy(program.symbols(), symbols)
        gdb.execute("add-inferior -no-connection", to_string=True)
        inferior = max(gdb.inferiors(), key=lambda inferior: inferior.num)
        self.copies.append(inferior)
        select(inferior)
        gdb.execute(f"file {quoted(symbols)}", to_string=True)
        gdb.execute(f"core-file {path}", to_string=True)

    def dump(self, path, start, count):
        """Writes the kernel's memory and the registers of the processor to a file."""
        if self.machine.physical(0, 0) is not None:
            # QEMU is fast, and can add the memory of programs.
            said = gdb.execute(f"monitor dump-guest-memory {path} {start} {count}", to_string=True).strip()
            return os.path.exists(path) or fail(f"the emulator refuses to write memory: {said}")
        first = min(paddr for _, paddr, _ in self.segments)
        memory = bytearray(max(paddr + size for _, paddr, size in self.segments) - first)
        is_readable = False
        for vaddr, paddr, size in self.segments:
            for offset in range(0, size, PAGE):
                # Boot's pages are unmapped.
                page = self.kernel_memory(vaddr + offset, min(PAGE, size - offset))
                if page:
                    place = paddr + offset - first
                    memory[place : place + len(page)] = page
                    is_readable = True
        if not is_readable:
            fail(NOT_READABLE)
        frame = gdb.newest_frame()
        registers = [int(frame.read_register(name)) & (1 << 64) - 1 for name in self.architecture.registers]
        with open(path, "wb") as file:
            file.write(core_file(self.architecture, registers, [(first, memory)]))

    def forget_copies(self):
        """Returns to the machine and removes the copies, which may be of an earlier stop."""
        for inferior in self.copies:
            if inferior.is_valid():
                # An inferior with a core file cannot be removed.
                select(inferior)
                gdb.execute("core-file", to_string=True)
                self.machine.select()
                gdb.execute(f"remove-inferiors {inferior.num}", to_string=True)
        self.machine.select()
        self.copies = []


def state_symbol():
    found = gdb.lookup_global_symbol(KERNEL) or gdb.lookup_static_symbol(KERNEL)
    return found or fail("the kernel has no debugging information: it is not one of the SDK's")


def member(kind, path):
    """Offset and type of a field; its path has a dot between fields."""
    offset = 0
    for name in path.split("."):
        fields = {field.name: field for field in kind.strip_typedefs().fields()}
        if name not in fields:
            fail(f"the kernel's state has no field '{name}': kernel and script are of different versions")
        offset, kind = offset + fields[name].bitpos // 8, fields[name].type
    return offset, kind


def element(kind, path):
    return member(kind, path)[1].target()


def field(kind, path):
    """Offset of a field, and its size, or that of its elements."""
    offset, kind = member(kind, path)
    is_array = kind.strip_typedefs().code == gdb.TYPE_CODE_ARRAY
    return offset, (kind.target() if is_array else kind).sizeof


# --- files ---

FOLDER = None


def folder_of_files():
    """A private folder for copies, which is removed when gdb ends."""
    global FOLDER
    if FOLDER is None:
        FOLDER = tempfile.TemporaryDirectory(prefix="limen-gdb-")
    return FOLDER.name


def elf_segments(path):
    """Virtual address, physical address and size of each part of a file that is loaded."""
    return [(vaddr, paddr, size) for _, vaddr, paddr, _, size in load_commands(path)]


def elf_bytes(path, address, count):
    """Bytes of a file that are loaded to an address; fewer at the end of a segment."""
    for offset, vaddr, _, file_bytes, _ in load_commands(path):
        if vaddr <= address < vaddr + file_bytes:
            with open(path, "rb") as file:
                file.seek(offset + address - vaddr)
                return file.read(min(count, vaddr + file_bytes - address))
    return None


def load_commands(path):
    try:
        with open(path, "rb") as file:
            header = file.read(64)
            if header[:5] != b"\x7fELF\x02":
                fail(f"{path}: not an ELF file of 64 bits")
            (start,), (size, count) = struct.unpack_from("<Q", header, 32), struct.unpack_from("<HH", header, 54)
            file.seek(start)
            table = file.read(size * count)
        rows = [struct.unpack_from("<IIQQQQQQ", table, size * index) for index in range(count)]
    except (OSError, struct.error) as error:
        fail(f"{path}: cannot be read ({error})")
    return [(row[2], row[3], row[4], row[5], row[6]) for row in rows if row[0] == 1]


def core_file(architecture, registers, runs):
    """A core file with these registers and pieces of memory."""
    status = bytearray(architecture.prstatus_bytes)
    struct.pack_into("<I", status, 32, 1)
    struct.pack_into(f"<{len(registers)}Q", status, REGISTERS_AT, *registers)
    note = struct.pack("<III", 5, len(status), 1) + b"CORE\0\0\0\0" + status
    count = 1 + len(runs)
    offset = 64 + 56 * count
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 4, architecture.elf_machine, 1, 0, 64, 0, 0, 64, 56, count, 0, 0, 0)
    headers = [struct.pack("<IIQQQQQQ", 4, 4, offset, 0, 0, len(note), 0, 4)]
    offset += len(note)
    for address, data in runs:
        headers.append(struct.pack("<IIQQQQQQ", 1, 7, offset, address, address, len(data), len(data), 1))
        offset += len(data)
    return b"".join([header, *headers, note, *(bytes(data) for _, data in runs)])


# --- commands ---

SYSTEM = None


def system():
    return SYSTEM or fail("no system is loaded: type `limen system REPORT`, with the JSON report of the tool")


class ProgramBreakpoint(gdb.Breakpoint):
    """A breakpoint that stops only one program."""

    def __init__(self, program, address):
        super().__init__(f"*{address:#x}", type=gdb.BP_HARDWARE_BREAKPOINT)
        self.program, self.address = program, address

    def stop(self):
        return SYSTEM is not None and SYSTEM.is_executing(self.program, self.address)


class Limen(gdb.Command):
    """Commands for Limen systems."""

    def __init__(self):
        super().__init__("limen", gdb.COMMAND_USER, prefix=True)


Limen()


def command(name, completion=gdb.COMPLETE_NONE):
    """Makes a function a subcommand of `limen`; its documentation is the help."""

    def make(function):
        class Made(gdb.Command):
            __doc__ = function.__doc__

            def __init__(self):
                super().__init__(f"limen {name}", gdb.COMMAND_USER, completion)

            def invoke(self, argument, from_tty):
                function(argument.strip())

        Made()
        return function

    return make


@command("system", gdb.COMPLETE_FILENAME)
def load_system(argument):
    """Loads the symbols of a system.
    limen system REPORT [--search-path FOLDER]... [--kernel FILE]

    REPORT is the JSON report that the tool writes. Programs are looked up in the folders, then beside the report, then at
    their paths in the report. The kernel is that of the SDK, unless FILE is another one."""
    global SYSTEM
    words, paths, folders, kernel = shlex.split(argument), [], [], None
    while words:
        word = words.pop(0)
        if word in ("--search-path", "--kernel"):
            value = words.pop(0) if words else fail(f"{word} needs a value")
            if word == "--kernel":
                kernel = value
            else:
                folders.append(value)
        else:
            paths.append(word)
    if len(paths) != 1:
        fail("usage: limen system REPORT [--search-path FOLDER]... [--kernel FILE]")
    SYSTEM = System(paths[0], folders, kernel)
    SYSTEM.load()
    board, config = SYSTEM.report["board"], SYSTEM.report["config"]
    print(f"{len(SYSTEM.programs)} programs on {board} ({config}); `help limen` lists the commands")


@command("pd")
def select_program(argument):
    """Shows a program: its variables, stack and memory.
    limen pd [NAME]

    The program that runs is shown on the machine itself. Of another one, a copy of its memory and registers is shown; it
    is of this stop, and cannot be changed. Without NAME, the command lists the programs and returns to the machine."""
    here = system()
    here.forget_copies()
    executing = here.executing() if here.machine.is_connected() else None
    if not argument:
        for program in here.programs:
            mark = "*" if program is executing else " "
            print(f"{mark} {program.name}: {program.file or 'no file with symbols'}")
        return
    program = here.program(argument)
    if program is executing:
        here.show(program)
    else:
        here.copy(program)
    gdb.execute("frame")


def inspect(view):
    """Saves the kernel's memory and lets the tool list what it says."""
    here = system()
    here.forget_copies()
    here.machine.inferior()
    tool = os.path.normpath(os.path.join(HERE, "../bin/microkit"))
    files = ["--report", here.path, "--override-kernel", here.kernel_file]
    for folder in here.folders:
        files += ["--search-path", folder]
    start, count = run([tool, "inspect", "range", *files]).split()
    dump = os.path.join(folder_of_files(), "memory.dump")
    here.dump(dump, start, count)
    print(run([tool, "inspect", view, *files, "--memory", dump]), end="")


def run(words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        fail(f"the tool cannot be started: {error}")
    return done.stdout if done.returncode == 0 else fail(done.stderr.strip())


@command("threads")
def list_threads(_argument):
    """Lists the threads: where each one is, and what it waits for."""
    inspect("threads")


@command("objects")
def list_objects(_argument):
    """Lists endpoints, notifications, interrupts and scheduling contexts with the threads that wait there."""
    inspect("objects")


@command("keys")
def list_keys(_argument):
    """Lists the static keys with their holders."""
    inspect("keys")


@command("backtrace")
def list_callers(argument):
    """Lists the callers of each thread, or of one.
    limen backtrace all
    limen backtrace PROGRAM"""
    if argument == "all":
        inspect("backtrace")
    elif argument:
        select_program(argument)
        gdb.execute("backtrace")
    else:
        fail("usage: limen backtrace all, or limen backtrace PROGRAM")


@command("break")
def break_in_program(argument):
    """Stops one program at a place, and no other that has code at the same address.
    limen break PROGRAM:LOCATION

    LOCATION is a function, FILE:LINE or *ADDRESS, as for `break`. The breakpoints are hardware breakpoints, because the
    program's memory is not mapped while another one runs. Use `hbreak` for the kernel."""
    here = system()
    names = sorted((p.name for p in here.programs if argument.startswith(p.name + ":")), key=len)
    if not names:
        fail("usage: limen break PROGRAM:LOCATION; `limen pd` lists the programs")
    here.forget_copies()
    program, location = here.program(names[-1]), argument[len(names[-1]) + 1 :].strip()
    here.stop_at(program, location)


@command("at-stop")
def at_stop(_argument):
    """Shows the symbols of the program that runs. gdb calls it at each stop, before it shows the place."""
    if SYSTEM is not None and gdb.selected_inferior().num == gdb.inferiors()[0].num and SYSTEM.machine.is_connected():
        SYSTEM.show(SYSTEM.executing())


gdb.execute("define hook-stop\nlimen at-stop\nend", to_string=True)
