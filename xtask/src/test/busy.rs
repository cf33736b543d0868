//! Busy processes beside a run: the load that other users of the machine would be.

use std::process::{Child, Command, Stdio, id};

use crate::failure::{Context, Outcome};

/// Keeps a processor busy while the process `$1` exists, so that the load ends with this program however it ends. The shell's
/// `kill` is built in, so that nothing is started.
const LOOP: &str =
    r#"while kill -s 0 "$1" 2>/dev/null; do i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; done"#;

/// Busy processes, which end when this value is dropped.
#[derive(Debug, Default)]
pub struct Busy {
    processes: Vec<Child>,
}

impl Busy {
    /// Starts so many.
    ///
    /// # Errors
    /// When one cannot be started; the others are stopped again.
    pub fn start(count: u32) -> Outcome<Self> {
        let mut busy = Self::default();
        for _ in 0..count {
            busy.processes.push(start(id()).context(|| "cannot start a busy process".to_owned())?);
        }
        Ok(busy)
    }
}

fn start(parent: u32) -> std::io::Result<Child> {
    let mut shell = Command::new("sh");
    shell.args(["-c", LOOP, "sh", &parent.to_string()]);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

impl Drop for Busy {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // This fails only if the process has already ended.
            _ = process.kill();
            _ = process.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn busy_processes_run_until_they_are_dropped() {
        let mut busy = Busy::start(2).unwrap();
        let ids: Vec<_> = busy.processes.iter().map(Child::id).collect();
        assert!(busy.processes.iter_mut().all(|process| process.try_wait().unwrap().is_none()));
        drop(busy);
        assert!(ids.iter().all(|id| !Path::new(&format!("/proc/{id}")).exists()));
    }

    #[test]
    fn a_busy_process_ends_with_its_parent() {
        let mut parent = Command::new("true").spawn().unwrap();
        parent.wait().unwrap();
        assert!(start(parent.id()).unwrap().wait().unwrap().success());
    }
}
