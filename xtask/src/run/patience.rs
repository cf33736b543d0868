//! Timeouts for other processes that count the time a process had, not wall-clock time.
//!
//! A process that is runnable but queues for a processor makes no progress, so a loaded machine would fail good runs.
//! Therefore time in the run queue does not count, but time on a processor and time asleep do: a process that loops
//! times out, and so does one that waits for something that never happens. Time in which this program kept the process stopped
//! does not count either.
//!
//! Source: Linux, Documentation/scheduler/sched-stats.rst, `/proc/PID/schedstat`. Where there is no such file, all time counts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time before the first look at the process: most waits are shorter than a look takes.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Calls `receive`, which waits for at most the given time, until it returns something, or until the process had as
/// much time as the limit; then returns `None`.
pub fn wait<T>(process: u32, limit: Duration, receive: impl FnMut(Duration) -> Option<T>) -> Option<T> {
    wait_watching(&PathBuf::from(format!("/proc/{process}")), limit, receive)
}

fn wait_watching<T>(
    process: &Path,
    limit: Duration,
    mut receive: impl FnMut(Duration) -> Option<T>,
) -> Option<T> {
    if let Some(received) = receive(limit.min(FIRST_WAIT)) {
        return Some(received);
    }
    let watch = Watch::start(process);
    loop {
        let left = limit.checked_sub(watch.had()).filter(|left| !left.is_zero())?;
        if let Some(received) = receive(left) {
            return Some(received);
        }
    }
}

/// Measures the time that a process had since some moment.
#[derive(Debug)]
pub struct Watch {
    process: PathBuf,
    start: Instant,
    before: Threads,
    /// The time since the start in which this program kept the process stopped.
    stopped: Duration,
}

impl Watch {
    /// A watch of this process that starts now.
    pub fn of(process: u32) -> Self {
        Self::start(&PathBuf::from(format!("/proc/{process}")))
    }

    fn start(process: &Path) -> Self {
        let (start, before) = (Instant::now(), threads(process));
        Self { process: process.to_owned(), start, before, stopped: Duration::ZERO }
    }

    /// Leaves out a time since the start in which this program kept the process stopped.
    pub fn leave_out(&mut self, stopped: Duration) {
        self.stopped += stopped;
    }

    /// The time that counts since the start.
    pub fn had(&self) -> Duration {
        let elapsed = self.start.elapsed().saturating_sub(self.stopped);
        time_had(elapsed, &self.before, &threads(&self.process))
    }

    /// The part of it in which the process was on a processor.
    pub fn worked(&self) -> Duration {
        time_since(&self.before, &threads(&self.process), |given| given.processor)
    }
}

/// A thread's time since its start, from the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Given {
    processor: Duration,
    queue: Duration,
}

type Threads = BTreeMap<OsString, Given>;

/// The threads of a process; empty if the system does not report them.
fn threads(process: &Path) -> Threads {
    let Ok(entries) = fs::read_dir(process.join("task")) else { return Threads::new() };
    let given = entries.flatten().filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let mut times = text.split_whitespace().map(|word| word.parse().map(Duration::from_nanos));
        Some((thread.file_name(), Given { processor: times.next()?.ok()?, queue: times.next()?.ok()? }))
    });
    given.collect()
}

/// The part of the elapsed time that counts.
fn time_had(elapsed: Duration, before: &Threads, now: &Threads) -> Duration {
    let [queue, processor]: [fn(&Given) -> Duration; 2] = [|given| given.queue, |given| given.processor];
    // Threads may queue concurrently, for longer in total than the elapsed time.
    elapsed.saturating_sub(time_since(before, now, queue)).max(time_since(before, now, processor))
}

/// The sum over the threads.
fn time_since(before: &Threads, now: &Threads, which: fn(&Given) -> Duration) -> Duration {
    let earlier = |thread| before.get(thread).map_or(Duration::ZERO, which);
    now.iter().map(|(thread, given)| which(given).saturating_sub(earlier(thread))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(1);
    const LONG: u64 = 1_000_000_000;

    /// Waits for a process that gets `each` time between two looks, on a processor and in the queue. It answers the
    /// tenth request.
    fn answer_of(name: &str, each: [u64; 2]) -> Option<u64> {
        let process = std::env::temp_dir().join(format!("limen-patience-{name}-{}", std::process::id()));
        let thread = process.join("task/1");
        fs::create_dir_all(&thread).unwrap();
        let mut times = 0;
        let answer = wait_watching(&process, LIMIT, |time| {
            std::thread::sleep(time);
            times += 1;
            let [processor, queue] = each.map(|each| each * times);
            fs::write(thread.join("schedstat"), format!("{processor} {queue} {times}\n")).unwrap();
            (times == 10).then_some(times)
        });
        fs::remove_dir_all(&process).unwrap();
        answer
    }

    #[test]
    fn a_process_that_queues_for_a_processor_is_waited_for() {
        assert_eq!(answer_of("queues", [0, LONG]), Some(10));
    }

    #[test]
    fn a_sleeping_process_times_out() {
        assert_eq!(answer_of("sleeps", [0, 0]), None);
    }

    #[test]
    fn a_process_that_used_its_time_times_out_even_if_it_also_queued() {
        assert_eq!(answer_of("loops", [LONG, LONG]), None);
    }

    #[test]
    fn earlier_time_of_threads_does_not_count() {
        let second = Duration::from_secs;
        let threads = |list: &[(&str, u64, u64)]| {
            let thread = |(name, processor, queue): &(&str, u64, u64)| {
                (OsString::from(name), Given { processor: second(*processor), queue: second(*queue) })
            };
            list.iter().map(thread).collect::<Threads>()
        };
        let before = threads(&[("1", 100, 200), ("2", 50, 50)]);
        assert_eq!(time_had(second(10), &before, &threads(&[("1", 101, 207)])), second(3));
        assert_eq!(time_had(second(10), &before, &threads(&[("1", 104, 206), ("3", 2, 8)])), second(6));
        assert_eq!(time_had(second(10), &Threads::new(), &Threads::new()), second(10));
    }

    #[test]
    fn time_in_which_a_process_was_stopped_does_not_count() {
        let mut watch = Watch::start(Path::new("/proc/none"));
        std::thread::sleep(LIMIT);
        assert!(watch.had() >= LIMIT);
        watch.leave_out(Duration::from_secs(3600));
        assert_eq!(watch.had(), Duration::ZERO);
    }

    #[test]
    fn the_system_reports_the_times_of_this_process() {
        let process = Path::new("/proc/self");
        if process.join("schedstat").exists() {
            assert!(!threads(process).is_empty());
        }
    }
}
