//! What a machine must be able to do so that its code can be patched, and the only order in which it is asked to.
//!
//! ```text
//!            open           exchange, close              publish             resume
//!   Parked --------> Window ---------------> Written ------------> Visible --------> (done)
//!     |                ^                        |
//!     | resume         '--------- open ---------'
//!     '-----------------------------------------------------------------------------> (done)
//! ```
//!
//! Each step takes the one before by value, so code that leaves one out or changes the order does not compile:
//!
//! ```compile_fail,E0599
//! # use limen_keys::engine::{Engine, Parked};
//! fn not_published(parked: Parked<'_, impl Engine>) {
//!     if let Ok(window) = parked.open(0) {
//!         window.exchange(0, |word| word).resume();
//!     }
//! }
//! ```
//!
//! ```compile_fail,E0599
//! # use limen_keys::engine::{Engine, Parked};
//! fn nothing_opened(parked: Parked<'_, impl Engine>) {
//!     parked.exchange(0, |word| word);
//! }
//! ```
//!
//! ```compile_fail,E0382
//! # use limen_keys::engine::{Engine, Parked};
//! fn two_windows(parked: Parked<'_, impl Engine>) {
//!     let (first, second) = (parked.open(0), parked.open(1));
//! }
//! ```

/// Bytes that a window shows, at a multiple of as many.
pub const WINDOW_BYTES: usize = 4096;

/// The window could not be opened; nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowError;

/// What a port supplies. Nothing that these functions execute may have a site, and nobody else may write code meanwhile.
pub trait Engine {
    /// Makes every other core wait where it executes no site, and returns when all do. May do nothing on a machine with
    /// one core, and where cores may fetch an instruction while it is exchanged by one aligned store.
    fn park(&mut self);

    /// Shows the [`WINDOW_BYTES`] of code at this address once more, writable, to this core alone, and keeps the code
    /// itself closed to writing.
    ///
    /// # Errors
    /// When they cannot be shown.
    fn open(&mut self, page: usize) -> Result<(), WindowError>;

    /// Reads eight bytes at this offset of the window, a multiple of eight.
    fn load(&self, offset: usize) -> u64;

    /// Writes eight bytes with one store at this offset of the window, a multiple of eight, and passes them on to where
    /// fetches find them.
    fn store(&mut self, offset: usize, word: u64);

    /// Takes the window away: nothing shows the code writable any more.
    fn close(&mut self);

    /// Returns when no core can fetch what was there before, except from an instruction that it has begun.
    fn publish(&mut self);

    /// Lets the others go on.
    fn resume(&mut self);
}

/// All other cores wait, and nothing is written yet.
#[derive(Debug)]
#[must_use]
pub struct Parked<'e, E: Engine>(&'e mut E);

/// A page of code can be written.
#[derive(Debug)]
#[must_use]
pub struct Window<'e, E: Engine>(&'e mut E);

/// Something was written, and nobody is told yet.
#[derive(Debug)]
#[must_use]
pub struct Written<'e, E: Engine>(&'e mut E);

/// Every core will execute what was written.
#[derive(Debug)]
#[must_use]
pub struct Visible<'e, E: Engine>(&'e mut E);

impl<'e, E: Engine> Parked<'e, E> {
    /// Makes all other cores wait.
    pub fn new(engine: &'e mut E) -> Self {
        engine.park();
        Self(engine)
    }

    /// Opens the window on the page of code at this address.
    ///
    /// # Errors
    /// This step again, if the page cannot be shown.
    pub fn open(self, page: usize) -> Result<Window<'e, E>, Self> {
        match self.0.open(page) {
            Ok(()) => Ok(Window(self.0)),
            Err(WindowError) => Err(self),
        }
    }

    /// Lets the others go on, without a change.
    pub fn resume(self) {
        self.0.resume();
    }
}

impl<'e, E: Engine> Window<'e, E> {
    /// Exchanges a word of the page for what is made of it, and closes the window.
    pub fn exchange(self, offset: usize, change: impl FnOnce(u64) -> u64) -> Written<'e, E> {
        self.0.store(offset, change(self.0.load(offset)));
        self.0.close();
        Written(self.0)
    }
}

impl<'e, E: Engine> Written<'e, E> {
    /// Opens the window on another page.
    ///
    /// # Errors
    /// This step again, if the page cannot be shown.
    pub fn open(self, page: usize) -> Result<Window<'e, E>, Self> {
        match self.0.open(page) {
            Ok(()) => Ok(Window(self.0)),
            Err(WindowError) => Err(self),
        }
    }

    /// Makes what was written visible to fetches.
    pub fn publish(self) -> Visible<'e, E> {
        self.0.publish();
        Visible(self.0)
    }
}

impl<E: Engine> Visible<'_, E> {
    /// Lets the others go on.
    pub fn resume(self) {
        self.0.resume();
    }
}
