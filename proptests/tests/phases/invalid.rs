//! Bytes that are no value of the type are found where they are read, or when the phase ends.

use coarray::Plain;
use coarray::prelude::*;
use coarray_proptests::{Even, Kind, Level, Particle, Sample, Setting, panic_of};

/// Puts bytes that are no valid `T`, as images do that race for it.
pub fn tear<T: Remote>(place: &Coref<T>, byte: usize, value: u8) {
    // SAFETY: the byte lies in the place, and nobody takes it for a `T` without a check.
    let bytes: &Coref<u8> = unsafe {
        Coref::new(
            place.local_address() + byte,
            place.image(),
            1,
            place.is_direct(),
        )
    };
    bytes.put(value);
}

/// Lets image 0 tear the second item on the last image, and checks who finds it.
fn found<T: Sample>(byte: usize, value: u8) {
    for setting in Setting::everywhere() {
        let line = line!() + 4;
        let outcome = setting.launch().run(|| {
            let last = num_images() - 1;
            let mut coarray = Coarray::<[T; 3]>::from_fn(|index| T::sample(index as u64));
            let open = coarray.open();
            if this_image() == 0 {
                tear(&open.at(last)[1], byte, value);
                let name = std::any::type_name::<T>();
                let texts = [
                    panic_of(|| open.at(last)[1].get()),
                    panic_of(|| open.at(last).get()),
                    panic_of(|| open.at(last)[..].to_vec()),
                    panic_of(|| open.at(last).get_into(&mut [T::sample(0); 3])),
                    panic_of(|| open.at(last).section(1.., 2).to_vec()),
                ];
                for text in texts {
                    assert!(
                        text.contains(&format!("got bytes from image {last} that are no valid `")),
                        "{text}"
                    );
                    assert!(text.contains(name), "{text}");
                }
                let _neighbours = (open.at(last)[0].get(), open.at(last)[2].get());
            }
            open.close();
        });
        let failure = outcome.unwrap_err();
        assert_eq!(failure.image, setting.images - 1, "{failure}");
        let text = failure.text;
        assert!(
            text.contains(&format!(
                "on image {} that are no valid values",
                setting.images - 1
            )),
            "{text}"
        );
        assert!(
            text.contains(&format!("opened at {}:{line}:", file!())),
            "{text}"
        );
    }
}

#[test]
fn bytes_that_are_no_truth_value_are_found() {
    found::<bool>(0, 2);
}

#[test]
fn bytes_that_are_no_character_are_found() {
    found::<char>(3, 1);
}

#[test]
fn bytes_that_are_no_variant_are_found() {
    found::<Kind>(0, 2);
    found::<Level>(1, 77);
}

#[test]
fn bytes_of_a_member_that_are_no_value_are_found() {
    found::<Particle>(15, 2);
    found::<Particle>(14, 0);
}

#[test]
fn bytes_that_bytemuck_refuses_are_found() {
    found::<Plain<Even>>(0, 1);
}

#[test]
fn zeros_where_none_may_be_are_found() {
    for setting in Setting::everywhere() {
        let failure = setting.launch().run(|| {
            let mut run = Ragged::from_fn(70, |_| std::num::NonZeroU8::MIN);
            let open = run.open();
            if this_image() == 0 {
                tear(&open.here()[69], 0, 0);
                assert!(panic_of(|| open.here().to_vec()).contains("no valid"));
            }
        });
        let failure = failure.unwrap_err();
        assert!(
            failure.image == 0 && failure.text.contains("no valid values"),
            "{failure}"
        );
    }
}

#[test]
fn bytes_that_are_no_value_are_found_in_any_row() {
    for setting in Setting::everywhere() {
        let failure = setting.launch().run(|| {
            let mut rows = RaggedRows::from_fn(3, |row| vec![true; 5 * row]);
            let open = rows.open();
            if this_image() == 0 {
                tear(&open.here().row(2)[9], 0, 2);
            }
        });
        let failure = failure.unwrap_err();
        assert!(
            failure.image == 0 && failure.text.contains("RaggedRows<bool>"),
            "{failure}"
        );
    }
}

#[test]
fn what_is_put_right_before_the_end_of_the_phase_does_no_harm() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new([true; 3]);
            let open = coarray.open();
            tear(&open.here()[1], 0, 9);
            open.here()[1].put(false);
            open.close();
            assert_eq!(*coarray, [true, false, true]);
        });
    }
}

#[test]
fn bytes_outside_of_the_shape_in_which_their_owner_opened_are_found() {
    for setting in Setting::everywhere().filter(|setting| setting.images > 1) {
        let outcome = setting.launch().run(|| {
            let mut coarray =
                Coarray::<[Plain<Even>; 9]>::from_fn(|index| Plain::sample(index as u64));
            if this_image() == 0 {
                coarray.shape_cast_mut::<[Plain<Even>; 4]>().open().close();
            } else {
                let open = coarray.open();
                tear(&open.at(0)[8], 0, 1);
            }
        });
        let failure = outcome.unwrap_err();
        assert!(
            failure.image == 0 && failure.text.contains("no valid values"),
            "{failure}"
        );
    }
}
