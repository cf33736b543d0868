//! Controls an emulated machine from outside: stops it at instructions, reads and writes its memory, accesses its
//! devices.
//!
//! Sources: GDB's remote serial protocol (Debugging with GDB, appendix E); QEMU's protocol for tests of devices.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::bench::trace;
use crate::failure::{Context, Failure, Outcome};
use crate::run::patience;
use crate::shell::files;
use crate::shell::process;

/// The sockets of the two connections, in the image's folder.
const DEBUGGER: &str = "debugger.socket";
const DEVICES: &str = "devices.socket";
/// The file with the emulator's process id, in the same folder.
const PROCESS: &str = "emulator.pid";

/// Options of an emulator that waits for a debugger.
pub const STOPPED: [&str; 9] = [
    "-S",
    "-gdb",
    "unix:{folder}/debugger.socket,server=on,wait=off",
    "-qtest",
    "unix:{folder}/devices.socket,server=on,wait=off",
    "-qtest-log",
    "none",
    "-pidfile",
    "{folder}/emulator.pid",
];

/// How long the machine may run without reaching a breakpoint, see [`patience`]. Tracing may slow it down.
const PATIENCE: Duration = trace::SILENCE;
/// The interval between attempts to connect until the emulator listens.
const PAUSE: Duration = Duration::from_millis(20);

/// How a read ends that found nothing: its time is over, or a signal came, as when a process is stopped and resumed.
const RETRIED: [ErrorKind; 3] = [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::Interrupted];
/// Stops a running machine.
const STOP: &[u8] = b"\x03";

/// Bytes of the numbers exchanged with programs.
const WORD_BYTES: usize = 8;

/// A debugger connection. Dropping it ends the emulator, except after [`Self::detach`].
pub struct Debugger {
    is_attached: bool,
    stream: Connection,
    received: Vec<u8>,
    devices: BufReader<Connection>,
    /// The packet that reads the program counter.
    counter: &'static str,
}

impl Debugger {
    /// Connects to the machine whose image is in this folder, once its emulator listens.
    ///
    /// # Errors
    /// When the emulator ends before it listens.
    pub fn attach(folder: &Path, architecture: &str, has_ended: &AtomicBool) -> Outcome<Self> {
        let stream = Connection::open(folder, DEBUGGER, has_ended)?;
        let devices = BufReader::new(Connection::open(folder, DEVICES, has_ended)?);
        let counter = if architecture == "x86_64" { "p10" } else { "p20" };
        let mut debugger = Self { is_attached: true, stream, received: Vec::new(), devices, counter };
        // The emulator answers requests for single registers only after this one.
        debugger.ask("qXfer:features:read:target.xml:0,ffb")?;
        Ok(debugger)
    }

    /// Sets a breakpoint at this instruction.
    ///
    /// # Errors
    /// When the emulator refuses; the same for the functions below.
    pub fn stop_at(&mut self, address: u64) -> Outcome {
        self.order(&format!("Z0,{address:x},1"))
    }

    /// Removes a breakpoint.
    ///
    /// # Errors
    /// See [`Self::stop_at`].
    pub fn pass(&mut self, address: u64) -> Outcome {
        self.order(&format!("z0,{address:x},1"))
    }

    /// Runs the machine until it stops, and returns the program counter.
    ///
    /// # Errors
    /// When it does not stop.
    pub fn run(&mut self) -> Outcome<u64> {
        self.ask("c")?;
        self.counter()
    }

    /// Executes one instruction.
    ///
    /// # Errors
    /// See [`Self::stop_at`].
    pub fn step(&mut self) -> Outcome {
        self.ask("s").map(drop)
    }

    fn counter(&mut self) -> Outcome<u64> {
        let answer = self.ask(self.counter)?;
        word(&answer)
            .ok_or_else(|| Failure::new(format!("the emulator returned '{answer}' for the program counter")))
    }

    /// Reads a register, by the debugger's number.
    ///
    /// # Errors
    /// See [`Self::stop_at`].
    pub fn register(&mut self, number: usize) -> Outcome<u64> {
        let answer = self.ask(&format!("p{number:x}"))?;
        let value = u64::from_str_radix(&answer, 16).ok();
        let value = value.map(|value| value.swap_bytes() >> (u64::BITS as usize - 4 * answer.len()));
        value.ok_or_else(|| Failure::new(format!("the emulator returned '{answer}' for register {number}")))
    }

    /// Writes a register of this many bytes.
    ///
    /// # Errors
    /// See [`Self::stop_at`].
    pub fn set_register(&mut self, number: usize, value: u64, bytes: u64) -> Outcome {
        let digits = value.swap_bytes() >> (u64::BITS as u64 - 8 * bytes);
        self.order(&format!("P{number:x}={digits:0width$x}", width = 2 * bytes as usize))
    }

    /// Gives the emulator's monitor a command that answers nothing.
    ///
    /// # Errors
    /// When it answers.
    pub fn monitor(&mut self, command: &str) -> Outcome {
        let digits: String = command.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.order(&format!("qRcmd,{digits}"))
    }

    /// Reads memory in the current address space; `None` if nothing is mapped at the address.
    ///
    /// # Errors
    /// See [`Self::stop_at`].
    pub fn word(&mut self, address: u64) -> Outcome<Option<u64>> {
        Ok(word(&self.ask(&format!("m{address:x},{WORD_BYTES:x}"))?))
    }

    /// Writes memory in the current address space, even if it is read-only for programs.
    ///
    /// # Errors
    /// When nothing is mapped there.
    pub fn set_word(&mut self, address: u64, value: u64) -> Outcome {
        let digits: String = value.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        self.order(&format!("M{address:x},{WORD_BYTES:x}:{digits}"))
    }

    /// Accesses devices with commands such as `readl 0x9010000` or `outb 0x64 0xd3`; `{}` stands for the value last
    /// read.
    ///
    /// # Errors
    /// When the emulator rejects a command.
    pub fn access(&mut self, commands: &[String]) -> Outcome {
        let mut last = String::new();
        for command in commands {
            let command = command.replace("{}", &last) + "\n";
            let mut answer = String::new();
            let asked = self.devices.get_mut().write_all(command.as_bytes());
            asked.and_then(|()| self.devices.read_line(&mut answer)).context(lost)?;
            let Some(value) = answer.trim_end().strip_prefix("OK") else {
                return Err(Failure::new(format!("the emulator answers '{command}' with '{answer}'")));
            };
            last = value.trim_start().to_owned();
        }
        Ok(())
    }

    /// Disconnects and resumes the machine.
    ///
    /// # Errors
    /// See [`Self::stop_at`].
    pub fn detach(&mut self) -> Outcome {
        self.order("D")?;
        self.is_attached = false;
        Ok(())
    }

    fn order(&mut self, packet: &str) -> Outcome {
        match self.ask(packet)?.as_str() {
            "OK" => Ok(()),
            other => Err(Failure::new(format!("the emulator answers '{packet}' with '{other}'"))),
        }
    }

    fn ask(&mut self, packet: &str) -> Outcome<String> {
        self.send(packet)?;
        loop {
            if let Some(answer) = take_packet(&mut self.received) {
                self.stream.write_all(b"+").context(lost)?;
                return Ok(answer);
            }
            let mut buffer = [0; 4096];
            let count = self.stream.read(&mut buffer).context(lost)?;
            if count == 0 {
                return Err(Failure::new("the emulator has closed the connection of its debugger"));
            }
            self.received.extend(&buffer[..count]);
        }
    }

    fn send(&mut self, packet: &str) -> Outcome {
        let sum = packet.bytes().fold(0_u8, u8::wrapping_add);
        self.stream.write_all(format!("${packet}#{sum:02x}").as_bytes()).context(lost)
    }
}

/// Ends the emulator: no other program would resume the machine.
impl Drop for Debugger {
    fn drop(&mut self) {
        if self.is_attached {
            // A running machine accepts only a stop. The emulator may have ended already.
            _ = self.stream.write_all(STOP).context(lost).and_then(|()| self.send("k"));
        }
    }
}

fn lost() -> String {
    "the connection with the emulator's debugger failed".to_owned()
}

/// A connection to the emulator.
struct Connection {
    stream: UnixStream,
    emulator: u32,
    /// How long the emulator may take to answer.
    patience: Duration,
}

impl Connection {
    fn open(folder: &Path, socket: &str, has_ended: &AtomicBool) -> Outcome<Self> {
        let socket = folder.join(socket);
        loop {
            match UnixStream::connect(&socket) {
                Ok(stream) => {
                    let emulator = process(&folder.join(PROCESS))?;
                    return Ok(Self { stream, emulator, patience: PATIENCE });
                }
                Err(error) if has_ended.load(Ordering::Relaxed) => {
                    return Err(error).context(|| format!("cannot connect to {}", socket.display()));
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let received = patience::wait(self.emulator, self.patience, |time| {
            match self.stream.set_read_timeout(Some(time)).and_then(|()| self.stream.read(buffer)) {
                Err(error) if RETRIED.contains(&error.kind()) => None,
                received => Some(received),
            }
        });
        received.unwrap_or_else(|| {
            // It accepts no commands any more, and a silent console does not show that, because good runs are silent as
            // well.
            process::signal(self.emulator, "KILL");
            let seconds = self.patience.as_secs();
            Err(io::Error::new(
                ErrorKind::TimedOut,
                format!("no answer, though the emulator had {seconds} seconds"),
            ))
        })
    }
}

fn process(file: &Path) -> Outcome<u32> {
    files::read(file)?.trim().parse().context(|| format!("{} has no number of a process", file.display()))
}

/// The text of the first complete packet, `$text#sum`; removes it and everything before it.
fn take_packet(received: &mut Vec<u8>) -> Option<String> {
    const SUM_DIGITS: usize = 2;
    let start = received.iter().position(|byte| *byte == b'$')? + 1;
    let end = start + received[start..].iter().position(|byte| *byte == b'#')?;
    let after = end + 1 + SUM_DIGITS;
    let text = String::from_utf8_lossy(&received[start..end]).into_owned();
    if received.len() < after {
        return None;
    }
    received.drain(..after);
    Some(text)
}

/// Parses eight bytes, in hexadecimal digits in memory order.
fn word(digits: &str) -> Option<u64> {
    if digits.len() != 2 * WORD_BYTES {
        return None;
    }
    u64::from_str_radix(digits, 16).ok().map(u64::swap_bytes)
}

#[cfg(test)]
pub mod tests {
    use std::process::Command;

    use super::*;

    /// An unused process id.
    const NO_PROCESS: u32 = i32::MAX.cast_unsigned();

    fn debugger(emulator: u32, patience: Duration) -> (Debugger, UnixStream) {
        let (stream, other_end) = UnixStream::pair().unwrap();
        let connection = |stream: UnixStream| Connection { stream, emulator, patience };
        let devices = BufReader::new(connection(stream.try_clone().unwrap()));
        let stream = connection(stream);
        let received = Vec::new();
        (Debugger { is_attached: false, stream, received, devices, counter: "p20" }, other_end)
    }

    /// A debugger with a scripted emulator, which expects these packets in order and sends these answers.
    pub fn scripted(script: &'static [(&str, &str)]) -> (Debugger, thread::JoinHandle<UnixStream>) {
        let (debugger, mut emulator) = debugger(NO_PROCESS, PATIENCE);
        let answers = move || {
            let mut received = Vec::new();
            for (expected, answer) in script {
                let packet = loop {
                    if let Some(packet) = take_packet(&mut received) {
                        break packet;
                    }
                    let mut buffer = [0; 64];
                    let count = emulator.read(&mut buffer).unwrap();
                    assert_ne!(count, 0, "{expected} was not asked");
                    received.extend(&buffer[..count]);
                };
                assert_eq!(packet, *expected);
                write!(emulator, "+${answer}#00").unwrap();
            }
            // Still open, for the last packet is yet to be acknowledged.
            emulator
        };
        (debugger, thread::spawn(answers))
    }

    #[test]
    fn an_emulator_that_never_answers_is_killed() {
        let mut emulator = Command::new("sleep").arg("1000").spawn().unwrap();
        let (mut debugger, _other_end) = debugger(emulator.id(), Duration::from_millis(20));
        let failure = debugger.run().unwrap_err().to_string();
        assert!(failure.contains("no answer, though the emulator had"), "{failure}");
        assert!(!emulator.wait().unwrap().success());
    }

    #[test]
    fn only_complete_packets_are_taken() {
        let mut received = b"+$T05thread:01;#07+$OK#9".to_vec();
        assert_eq!(take_packet(&mut received).as_deref(), Some("T05thread:01;"));
        assert_eq!(take_packet(&mut received), None);
        received.push(b'a');
        assert_eq!(take_packet(&mut received).as_deref(), Some("OK"));
        assert!(received.is_empty());
    }

    #[test]
    fn registers_have_their_own_widths() {
        let (mut debugger, emulator) = scripted(&[
            ("p11", "02030000"),
            ("P11=02020000", "OK"),
            ("P10=efcdab8967452301", "OK"),
            ("p10", "xxxxxxxx"),
            ("p3f", ""),
            ("qRcmd,6e6d69", "E22"),
        ]);
        assert_eq!(debugger.register(17).unwrap(), 0x302);
        debugger.set_register(17, 0x202, 4).unwrap();
        debugger.set_register(16, 0x123_4567_89ab_cdef, 8).unwrap();
        assert!(debugger.register(16).is_err());
        assert!(debugger.register(63).is_err());
        assert!(debugger.monitor("nmi").is_err());
        drop(emulator.join().unwrap());
    }

    #[test]
    fn numbers_are_in_memory_order() {
        assert_eq!(word("0410200000000000"), Some(0x20_1004));
        assert_eq!(word("E14"), None);
    }
}
