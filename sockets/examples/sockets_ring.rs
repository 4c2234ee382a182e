//! A number goes round all images, each of which adds its own: for tests. `kill` kills image 1, `panic` lets it panic, `exit` lets it exit
//! as if all were well, `again` launches twice.

use std::process::{ExitCode, abort, exit};

use coarray::prelude::*;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("again") {
        let _ = coarray_sockets::launch(go_round);
    }
    coarray_sockets::launch(go_round)
}

fn go_round() {
    let (me, images) = (this_image(), num_images());
    match std::env::args().nth(1).as_deref() {
        Some("kill") if me == 1 => abort(),
        Some("exit") if me == 1 => exit(0),
        Some("panic") if me == 1 => panic!("on purpose"),
        _ => {}
    }
    let mut number = Coarray::new(0_usize);
    let arrived = Coarray::new(Coevent::new());
    let next = (me + 1) % images;
    let open = number.open();
    for _ in 0..100 {
        let pass_on = || {
            let sum = open.here().get() + me;
            open.at(next).put_notify(sum, arrived.at(next));
        };
        if me == 0 {
            pass_on();
            arrived.wait();
        } else {
            arrived.wait();
            pass_on();
        }
    }
    open.close();
    let mut largest = *number;
    co_max(&mut largest);
    if me == 0 {
        println!("{images} images: {largest}");
    }
}
