//! Wipes and seals: what is cleared or sealed when, and that the interrupt or fault is then delivered as usual.

use limen_abi::{ErrorCode, FaultLabel, Label};
use limen_core::machine::Context;

use crate::support::{Family, Grant, Interrupt, Notification, Plan, System, Thread, Wiring};

const BADGE: u64 = 0b100;

/// Two interrupts of a driver; the second one wipes.
struct Vault {
    system: System,
    driver: Thread,
    notification: Notification,
    interrupts: [Interrupt; 2],
    wait: u64,
    controls: [u64; 2],
    service: u64,
}

impl Vault {
    fn waiting() -> Self {
        let mut plan = Plan::new();
        let driver = plan.thread("driver", 50);
        plan.thread("other", 10);
        let notification = plan.notification();
        let interrupts = Wiring::ALL.map(|wiring| plan.interrupt(wiring, notification, BADGE));
        let interrupts = [interrupts[0], interrupts[1]];
        let wipe = plan.wipe_by_interrupt(driver, interrupts[1]);
        let wait = plan.grant(driver, notification.waiter());
        let controls = interrupts.map(|interrupt| plan.grant(driver, interrupt.control()));
        let service = plan.grant(driver, Grant::service(wipe));
        let mut system = plan.boot();
        system.wait(driver, wait);
        Self { system, driver, notification, interrupts, wait, controls, service }
    }

    fn interrupt(&mut self, which: usize) {
        self.system.set_asserted(self.interrupts[which], true);
        assert_eq!(self.system.take_interrupts(), 1);
        self.system.assert_signal(self.driver, BADGE);
    }

    fn handle(&mut self, which: usize) {
        self.system.set_asserted(self.interrupts[which], false);
        self.system.call(self.driver, self.controls[which], Label::IrqHandlerAck.as_raw(), &[]);
        self.system.wait(self.driver, self.wait);
        self.system.assert_waiting(self.driver, self.notification);
    }
}

#[test]
fn a_wiping_interrupt_wipes_each_time_and_signals_as_usual() {
    let mut vault = Vault::waiting();
    for times in 1..4 {
        vault.interrupt(1);
        assert_eq!(vault.system.kernel.machine.served, vec![0; times]);
        vault.handle(1);
    }
}

#[test]
fn an_interrupt_seals_each_time_and_its_program_may_request_it_too() {
    let mut plan = Plan::new();
    let driver = plan.thread("driver", 50);
    plan.thread("other", 10);
    let notification = plan.notification();
    let interrupt = plan.interrupt(Wiring::Level, notification, BADGE);
    let seal = plan.seal(driver, Some(interrupt));
    let [wait, control] = [notification.waiter(), interrupt.control()].map(|grant| plan.grant(driver, grant));
    let service = plan.grant(driver, Grant::service(seal));
    let mut system = plan.boot();
    system.wait(driver, wait);
    for times in 1..4 {
        system.set_asserted(interrupt, true);
        assert_eq!(system.take_interrupts(), 1);
        assert_eq!(system.kernel.machine.served, vec![0; times]);
        system.assert_signal(driver, BADGE);
        system.run_service(driver, service);
        system.finish_work(driver, [3, 9, 9, 9]);
        system.assert_message(driver, 0, 0, &[3]);
        system.set_asserted(interrupt, false);
        system.call(driver, control, Label::IrqHandlerAck.as_raw(), &[]);
        system.wait(driver, wait);
    }
    assert_eq!(system.kernel.machine.works_begun, [0; 3]);
}

#[test]
fn faults_seal_nothing() {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 50);
    plan.thread("other", 10);
    plan.seal(thread, None);
    let mut system = plan.boot();
    system.stop(thread);
    assert!(system.kernel.machine.served.is_empty());
}

#[test]
fn another_interrupt_wipes_nothing() {
    let mut vault = Vault::waiting();
    vault.interrupt(0);
    assert!(vault.system.kernel.machine.served.is_empty());
}

#[test]
fn programs_cannot_request_a_wipe() {
    let mut vault = Vault::waiting();
    vault.interrupt(0);
    vault.system.call(vault.driver, vault.service, Label::ServiceRun.as_raw(), &[]);
    let answer = vault.system.context(vault.driver).info().label();
    assert_eq!(ErrorCode::from_raw(answer), Some(ErrorCode::IllegalOperation));
    assert!(vault.system.kernel.machine.served.is_empty());
}

#[test]
fn faults_of_the_thread_wipe_before_they_are_delivered() {
    let mut family = Family::active(150);
    family.plan.wipe_by_fault(family.child);
    let mut system = family.boot();
    for times in 1..4 {
        system.fault(family.child, Family::VM_FAULT);
        assert_eq!(system.kernel.machine.served, vec![0; times]);
        system.assert_running(family.parent);
        system.reply_recv(family.parent, family.receive, 0, &[]);
        system.assert_running(family.child);
    }
}

#[test]
fn faults_of_another_thread_wipe_nothing() {
    let mut family = Family::active(150);
    family.plan.wipe_by_fault(family.parent);
    let mut system = family.boot();
    system.fault(family.child, Family::VM_FAULT);
    assert!(system.kernel.machine.served.is_empty());
    system.assert_running(family.parent);
}

/// The end of a budget is no error of the program.
#[test]
fn a_timeout_wipes_nothing() {
    let mut family = Family::active(150);
    family.plan.share(family.child, 100, 400);
    family.plan.handle_timeouts(family.child, family.endpoint.caller(Family::BADGE));
    family.plan.wipe_by_fault(family.child);
    let mut system = family.boot();
    system.run_to_timer();
    system.assert_message(family.parent, Family::BADGE, FaultLabel::Timeout.as_raw(), &[0, 100]);
    assert!(system.kernel.machine.served.is_empty());
}

#[test]
fn a_thread_without_a_handler_wipes_and_stops() {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 50);
    plan.thread("other", 10);
    plan.wipe_by_fault(thread);
    let mut system = plan.boot();
    system.stop(thread);
    assert_eq!(system.kernel.machine.served, [0]);
}
