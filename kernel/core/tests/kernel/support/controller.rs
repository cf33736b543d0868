//! An interrupt controller of plain data whose lines behave like real ones.

use limen_core::machine::Line;
use limen_core::object::irq::State;

/// The behaviour of a line: its trigger, and what happens to edges while it is masked or in service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wiring {
    /// Interrupts while the device asserts it.
    Level,
    /// Interrupts once per edge; latches one edge while it is masked or in service, like a GIC.
    EdgeKept,
    /// Interrupts once per edge, even while it is in service; loses edges while it is masked or suspended, like an I/O
    /// APIC pin. When it is resumed while asserted, that counts as an edge.
    EdgeForgotten,
    /// Cannot be masked or suspended, like the messages of PCI devices.
    Message,
}

impl Wiring {
    /// All kinds.
    pub(crate) const ALL: [Self; 4] = [Self::Level, Self::EdgeKept, Self::EdgeForgotten, Self::Message];
}

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct LineState {
    /// The device asserts it.
    pub(crate) asserted: bool,
    /// An edge is latched.
    pub(crate) latched: bool,
    /// It has interrupted and stays quiet until completion.
    pub(crate) in_service: bool,
    /// The kernel has masked it.
    pub(crate) masked: bool,
    /// Its domain does not run.
    pub(crate) suspended: bool,
}

/// The lines, numbered from [`Controller::FIRST_LINE`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Controller {
    lines: Vec<(Wiring, LineState)>,
}

impl Controller {
    /// The number of the first line.
    pub(crate) const FIRST_LINE: u32 = 64;

    /// Creates a controller with lines of these kinds, all unmasked, as boot leaves them.
    pub(crate) fn new(wirings: &[Wiring]) -> Self {
        let quiet = LineState::default();
        Self { lines: wirings.iter().map(|wiring| (*wiring, quiet)).collect() }
    }

    /// Sets whether the device asserts a line.
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

    /// Acknowledges the interrupting line, if any.
    pub(crate) fn acknowledge(&mut self) -> Option<Line> {
        let index = self.lines.iter().position(|(wiring, state)| interrupts(*wiring, *state))?;
        let (wiring, state) = &mut self.lines[index];
        state.latched = false;
        state.in_service = matches!(wiring, Wiring::Level | Wiring::EdgeKept);
        Some(Line(Self::FIRST_LINE + index as u32))
    }

    /// Completes a line in service.
    pub(crate) fn complete(&mut self, line: Line) {
        let (wiring, state) = self.line(line);
        let held = matches!(wiring, Wiring::Level | Wiring::EdgeKept);
        assert_eq!(state.in_service, held, "{line:?} is completed but was not in service");
        state.in_service = false;
    }

    /// Masks or unmasks a line.
    pub(crate) fn set_masked(&mut self, line: Line, masked: bool) {
        self.line(line).1.masked = masked;
    }

    /// Suspends a line whose domain ends its slot.
    pub(crate) fn suspend(&mut self, line: Line) {
        let state = self.line(line).1;
        assert!(!state.suspended, "{line:?} is suspended twice");
        state.suspended = true;
    }

    /// Resumes a line whose domain begins its slot, and checks the state that the kernel passes.
    pub(crate) fn resume(&mut self, line: Line, irq: State) {
        let (wiring, state) = self.line(line);
        assert!(state.suspended, "{line:?} is resumed but was not suspended");
        assert_eq!(
            state.masked,
            irq == State::DeliveredAgain,
            "{line:?}: masked state does not match {irq:?}"
        );
        assert!(!state.in_service || irq != State::Armed, "{line:?} is in service but {irq:?}");
        state.suspended = false;
        state.latched |= wiring == Wiring::EdgeForgotten && state.asserted && !state.masked;
    }

    /// Returns the state of a line.
    pub(crate) fn state(&self, line: Line) -> LineState {
        self.lines[(line.0 - Self::FIRST_LINE) as usize].1
    }

    fn line(&mut self, line: Line) -> (Wiring, &mut LineState) {
        let (wiring, state) = &mut self.lines[(line.0 - Self::FIRST_LINE) as usize];
        (*wiring, state)
    }
}

/// Returns whether a line interrupts the processor.
fn interrupts(wiring: Wiring, state: LineState) -> bool {
    let open = !state.in_service && !state.masked && !state.suspended;
    match wiring {
        Wiring::Level => state.asserted && open,
        Wiring::EdgeKept | Wiring::EdgeForgotten => state.latched && open,
        Wiring::Message => state.latched,
    }
}
