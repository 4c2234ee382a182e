//! Data that are put together with a post are there when the post is taken.

use coarray::Launch;
use coarray::prelude::*;
use coarray_proptests::Setting;

const ROUNDS: u64 = 300;

#[test]
fn who_takes_the_post_sees_all_the_data() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut buffer = Coarray::<[u64; 100]>::zeroed();
            let full = Coarray::new(Coevent::new());
            let empty = Coarray::new(Coevent::new());
            let (me, images) = (this_image(), num_images());
            let (left, right) = ((me + images - 1) % images, (me + 1) % images);
            let buffer = buffer.open();
            for round in 0..ROUNDS {
                if round > 0 {
                    empty.wait();
                }
                if round % 2 == 0 {
                    buffer
                        .at(right)
                        .put_from_notify(&[round; 100], full.at(right));
                } else {
                    buffer.at(right)[..].fill(round);
                    buffer.at(right)[99].put_notify(round, full.at(right));
                }
                full.wait();
                let mut seen = [0; 100];
                buffer.here().get_into(&mut seen);
                assert_eq!(seen, [round; 100]);
                empty.at(left).post();
            }
            empty.wait();
        });
    }
}

#[track_caller]
fn refusal(body: impl Fn() + Sync) -> String {
    let text = Launch::new(2).run(body).unwrap_err().to_string();
    assert!(text.contains("events/notified.rs:"), "{text}");
    text
}

#[test]
fn a_notified_put_of_another_length_stores_and_posts_nothing() {
    let text = refusal(|| {
        let mut x = Coarray::<[i32]>::zeroed(5);
        let event = Coarray::new(Coevent::new());
        let x = x.open();
        x.at(1).put_from_notify(&[1, 2, 3], event.at(1));
    });
    assert!(
        text.contains("3 values") && text.contains("extent 5 on image 1"),
        "{text}"
    );
}

#[test]
fn the_event_of_a_notified_put_is_where_the_data_go() {
    let text = refusal(|| {
        let mut x = Coarray::new(1);
        let event = Coarray::new(Coevent::new());
        x.open().at(0).put_notify(2, event.at(1));
    });
    assert!(
        text.contains("the data go to image 0, but the event is on image 1"),
        "{text}"
    );
}
