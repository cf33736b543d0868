//! The operations that a machine needs to patch code, and the only order in which they are called.
//!
//! ```text
//!            open           exchange, close              publish             resume
//!   Parked --------> Writable -------------> Written ------------> Visible --------> (done)
//!     |                ^                        |
//!     | resume         '--------- open ---------'
//!     '-----------------------------------------------------------------------------> (done)
//! ```
//!
//! Each step consumes the previous one, so code that omits a step or changes the order does not compile:
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

/// Size and alignment of a window in bytes.
pub const WINDOW_BYTES: usize = 4096;

/// The window could not be opened; nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowError;

/// The operations of a port. Their code must not contain sites, and no other code may write code meanwhile.
pub trait Engine {
    /// Makes every other core wait at a point where it executes no site, and returns once all do. May do nothing on a
    /// machine with one core, or if cores may fetch an instruction while one aligned store replaces it.
    fn park(&mut self);

    /// Maps the [`WINDOW_BYTES`] of code at this address a second time, writable, for this core only. The code's own
    /// mapping stays read-only.
    ///
    /// # Errors
    /// When the page cannot be mapped.
    fn open(&mut self, page: usize) -> Result<(), WindowError>;

    /// Reads eight bytes at this offset of the window, a multiple of eight.
    fn load(&self, offset: usize) -> u64;

    /// Writes eight bytes with one store at this offset of the window, a multiple of eight, and cleans them to where
    /// fetches find them.
    fn store(&mut self, offset: usize, word: u64);

    /// Unmaps the window: afterwards no mapping makes the code writable.
    fn close(&mut self);

    /// Returns once no core can fetch the old bytes, except for an instruction that it has already started.
    fn publish(&mut self);

    /// Resumes the other cores.
    fn resume(&mut self);
}

/// All other cores wait; nothing is written yet.
#[derive(Debug)]
#[must_use]
pub struct Parked<'e, E: Engine>(&'e mut E);

/// A page of code is writable.
#[derive(Debug)]
#[must_use]
pub struct Writable<'e, E: Engine>(&'e mut E);

/// Code is written and not published yet.
#[derive(Debug)]
#[must_use]
pub struct Written<'e, E: Engine>(&'e mut E);

/// Every core will execute the new code.
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
    /// Returns this step, if the page cannot be mapped.
    pub fn open(self, page: usize) -> Result<Writable<'e, E>, Self> {
        match self.0.open(page) {
            Ok(()) => Ok(Writable(self.0)),
            Err(WindowError) => Err(self),
        }
    }

    /// Resumes the other cores without a change.
    pub fn resume(self) {
        self.0.resume();
    }
}

impl<'e, E: Engine> Writable<'e, E> {
    /// Replaces a word of the page by `change` of it, and closes the window.
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
    /// Returns this step, if the page cannot be mapped.
    pub fn open(self, page: usize) -> Result<Writable<'e, E>, Self> {
        match self.0.open(page) {
            Ok(()) => Ok(Writable(self.0)),
            Err(WindowError) => Err(self),
        }
    }

    /// Makes the new code visible to fetches.
    pub fn publish(self) -> Visible<'e, E> {
        self.0.publish();
        Visible(self.0)
    }
}

impl<E: Engine> Visible<'_, E> {
    /// Resumes the other cores.
    pub fn resume(self) {
        self.0.resume();
    }
}
