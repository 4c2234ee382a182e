//! Settings of a job inside a program.

use coarray_launch::Launch;
use coarray_runtime::Bind;
use rustix::thread::sched_getaffinity;

#[test]
fn images_run_where_the_code_says() {
    let cores = || sched_getaffinity(None).unwrap().count();
    let usable = cores();
    let bound = Launch::new(3).bind(Bind::Core).run(cores);
    assert_eq!(bound.unwrap(), [1; 3]);
    let free = Launch::new(3).bind(Bind::None).run(cores);
    assert_eq!(free.unwrap(), [usable; 3]);
}
