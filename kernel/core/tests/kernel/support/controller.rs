//! An interrupt controller of plain data, whose lines behave as those of real ones do.

use limen_core::machine::Line;
use limen_core::object::irq::State;

/// What a line does with its device and with being masked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wiring {
    /// Interrupts while the device asserts it.
    Level,
    /// Interrupts once for edges; remembers one while it is masked or in service, as those of a GIC.
    EdgeKept,
    /// Interrupts once for edges, also while it is in service; forgets those that come while it is masked or suspended, as
    /// pins of an I/O APIC. When it is resumed, a line that is asserted counts as an edge.
    EdgeForgotten,
    /// Cannot be masked or suspended: messages of PCI devices.
    Message,
}

impl Wiring {
    /// Each of them.
    pub(crate) const ALL: [Self; 4] = [Self::Level, Self::EdgeKept, Self::EdgeForgotten, Self::Message];
}

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct LineState {
    /// The device asserts it.
    pub(crate) asserted: bool,
    /// An edge is remembered.
    pub(crate) latched: bool,
    /// It has interrupted, and must be quiet.
    pub(crate) in_service: bool,
    /// The kernel has masked it.
    pub(crate) masked: bool,
    /// Its domain does not run.
    pub(crate) suspended: bool,
}

/// The lines, from [`Controller::FIRST_LINE`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Controller {
    lines: Vec<(Wiring, LineState)>,
}

impl Controller {
    /// The number of the first line.
    pub(crate) const FIRST_LINE: u32 = 32;

    /// A controller with lines of these kinds, unmasked as boot leaves them.
    pub(crate) fn new(wirings: &[Wiring]) -> Self {
        let quiet = LineState::default();
        Self { lines: wirings.iter().map(|wiring| (*wiring, quiet)).collect() }
    }

    /// The device asserts a line, or lets go of it.
    pub(crate) fn set_asserted(&mut self, line: Line, asserted: bool) {
        let (wiring, state) = self.line(line);
        let edge = asserted && !state.asserted;
        state.asserted = asserted;
        state.latched |= match wiring {
            Wiring::Level => false,
            Wiring::EdgeKept | Wiring::Message => edge,
            Wiring::EdgeForgotten => edge && !state.masked && !state.suspended,
        };
    }

    /// The line that interrupts.
    pub(crate) fn acknowledge(&mut self) -> Option<Line> {
        let index = self.lines.iter().position(|(wiring, state)| interrupts(*wiring, *state))?;
        let (wiring, state) = &mut self.lines[index];
        state.latched = false;
        state.in_service = matches!(wiring, Wiring::Level | Wiring::EdgeKept);
        Some(Line(Self::FIRST_LINE + index as u32))
    }

    /// The kernel is done with a line.
    pub(crate) fn complete(&mut self, line: Line) {
        let (wiring, state) = self.line(line);
        let held = matches!(wiring, Wiring::Level | Wiring::EdgeKept);
        assert_eq!(state.in_service, held, "{line:?} is completed and was not in service");
        state.in_service = false;
    }

    /// The kernel masks a line, or lets it interrupt.
    pub(crate) fn set_masked(&mut self, line: Line, masked: bool) {
        self.line(line).1.masked = masked;
    }

    /// The domain of a line ends its turn.
    pub(crate) fn suspend(&mut self, line: Line) {
        let state = self.line(line).1;
        assert!(!state.suspended, "{line:?} is suspended twice");
        state.suspended = true;
    }

    /// The domain of a line begins its turn; what the kernel says about the line is so.
    pub(crate) fn resume(&mut self, line: Line, irq: State) {
        let (wiring, state) = self.line(line);
        assert!(state.suspended, "{line:?} is resumed and was not suspended");
        assert_eq!(state.masked, irq == State::DeliveredAgain, "{line:?} is masked, or {irq:?}");
        assert!(!state.in_service || irq != State::Armed, "{line:?} is in service, and {irq:?}");
        state.suspended = false;
        state.latched |= wiring == Wiring::EdgeForgotten && state.asserted && !state.masked;
    }

    /// What a line is in.
    pub(crate) fn state(&self, line: Line) -> LineState {
        self.lines[(line.0 - Self::FIRST_LINE) as usize].1
    }

    fn line(&mut self, line: Line) -> (Wiring, &mut LineState) {
        let (wiring, state) = &mut self.lines[(line.0 - Self::FIRST_LINE) as usize];
        (*wiring, state)
    }
}

/// Whether a line interrupts the processor.
fn interrupts(wiring: Wiring, state: LineState) -> bool {
    let open = !state.in_service && !state.masked && !state.suspended;
    match wiring {
        Wiring::Level => state.asserted && open,
        Wiring::EdgeKept | Wiring::EdgeForgotten => state.latched && open,
        Wiring::Message => state.latched,
    }
}
