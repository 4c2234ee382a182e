// What the layers below coarray leave to their callers cannot be called by accident.

use std::mem::MaybeUninit;
use std::panic::Location;

use coarray_fabric::SignalOperation;
use coarray_runtime::{Barrier, Call, Operation, Team};

fn main() {
    coarray::run(2, || {
        let _: f64 = coarray_coref::check_value(MaybeUninit::uninit(), 0);
        let team = Team::current();
        let call = Call::plain(Operation::SyncAll, Location::caller());
        let begun = team.begin_steps(1, &call, &call);
        team.take_step(begun, 1);
        team.abandon_steps(begun);
        team.set_barrier_algorithm(Barrier::Tree);
        let image = team.image();
        image.unlock(team.critical(), false);
        image.fabric().signal(1, 0, SignalOperation::Add(1));
        let byte = 0;
        image.fabric().put_signal(1, 0, &raw const byte, 1, 8, SignalOperation::Set(1));
        image.fabric().send(1, &[0; 8]);
        let _ = image.fabric().receive();
    });
}
