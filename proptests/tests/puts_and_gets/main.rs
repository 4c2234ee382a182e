//! Random programs of puts, gets, fills and copies do to coarrays of every element type and shape what they
//! do to the sequential model.

mod global;
mod lists;
mod members;
mod regions;
mod shape;
mod view;

use std::num::{NonZeroI128, NonZeroU8, NonZeroU32};

use coarray::{Coptr, Coref, Plain, sync_all, this_image};
use coarray_proptests::{
    Action, COLUMNS, Celsius, Even, Kind, Level, Model, Part, Particle, RawPart, RawStep, Round,
    Sample, Setting, Step, Wide, bits, config, mix, plan,
};
use proptest::prelude::*;
use shape::{LENGTH, ROWS, Shaped};
use view::View;

/// A random program for any element type and shape.
#[derive(Clone, Debug)]
struct Program {
    setting: Setting,
    shape: usize,
    rows: usize,
    steps: Vec<Vec<RawStep>>,
    looks: Vec<RawPart>,
    seed: u64,
}

impl Program {
    fn any() -> impl Strategy<Value = Self> {
        let steps = prop::collection::vec(prop::collection::vec(RawStep::any(), 0..40), 1..4);
        let looks = prop::collection::vec(RawPart::any(), 0..6);
        (
            Setting::anywhere(),
            0usize..5,
            0usize..30,
            steps,
            looks,
            any::<u64>(),
        )
            .prop_map(|(setting, shape, rows, steps, looks, seed)| Self {
                setting,
                shape,
                rows,
                steps,
                looks,
                seed,
            })
    }

    /// Runs on elements of type `T`.
    fn run<T: Sample>(&self) {
        match self.shape {
            0 => self.run_on::<T, T>(),
            1 => self.run_on::<T, [T; LENGTH]>(),
            2 => self.run_on::<T, [[T; COLUMNS]; ROWS]>(),
            3 => self.run_on::<T, [T]>(),
            _ => self.run_on::<T, [[T; COLUMNS]]>(),
        }
    }

    fn run_on<T: Sample, S: ?Sized + Shaped<T>>(&self) {
        let (images, elements) = (self.setting.images, S::count(self.rows));
        let first = |image: usize, element: usize| {
            T::sample(mix(mix(self.seed, image as u64), element as u64))
        };
        let model = Model::new(images, elements, first);
        let rounds = plan(&self.steps, images, elements, model.clone());
        let last = rounds.last().map_or(&model, |round| &round.after);
        self.setting.run(|| {
            let me = this_image();
            let mut coarray = S::create(elements, |element| first(me, element));
            let open = coarray.open();
            for (number, Round { steps, after }) in rounds.iter().enumerate() {
                steps
                    .iter()
                    .filter(|step| step.by == me)
                    .for_each(|step| execute::<T, S>(step, |image| open.at(image)));
                sync_all();
                let image = (me + number) % images;
                assert_same(
                    &S::get_whole(open.at(image), number),
                    after.part(image),
                    &"after a round",
                );
                sync_all();
            }
            assert_same(&S::get_whole(open.here(), 0), last.part(me), &"here");
            open.close();
            assert_same(coarray_elements(&coarray), last.part(me), &"after closing");
            let published = coarray.publish();
            for (number, look) in self.looks.iter().enumerate() {
                let (image, part) = ((me + number) % images, look.of(elements));
                let expected: Vec<T> = part
                    .elements(elements)
                    .iter()
                    .map(|&element| last.part(image)[element])
                    .collect();
                assert_same(&get(published.at(image), &part, number), &expected, &part);
            }
        });
    }
}

/// Does a step of this image.
fn execute<'a, T: Sample, S: ?Sized + Shaped<T>>(
    step: &Step<T>,
    at: impl Fn(usize) -> &'a Coref<S>,
) {
    let place = at(step.image);
    match (&step.action, &step.part) {
        (Action::Get(expected), part) => assert_same(&get(place, part, step.way), expected, step),
        (Action::Put(values), Part::Whole) => S::put_whole(place, values, step.way),
        (Action::Put(values), part) => S::view(place, part).put(values, step.way),
        (Action::Fill(value), Part::Whole) => place.fill(*value),
        (Action::Fill(value), part) => S::view(place, part).fill(*value),
        (Action::Copy(image, _), Part::Whole) => place.copy_from(at(*image)),
        (Action::Copy(image, source), part) => {
            S::view(place, part).copy_from(&S::view(at(*image), source))
        }
    }
}

fn get<T: Sample, S: ?Sized + Shaped<T>, A: coarray::places::Access>(
    place: &Coref<S, A>,
    part: &Part,
    way: usize,
) -> Vec<T> {
    match part {
        Part::Whole => S::get_whole(place, way),
        part => View::get(&S::view(place, part), way),
    }
}

fn coarray_elements<T: Sample, S: ?Sized + Shaped<T>>(coarray: &coarray::Coarray<S>) -> &[T] {
    coarray::places::Values::elements(coarray)
}

#[track_caller]
fn assert_same<T: Sample>(found: &[T], expected: &[T], what: &dyn std::fmt::Debug) {
    assert!(
        bits(found) == bits(expected),
        "{what:?}\nfound    {found:?}\nexpected {expected:?}"
    );
}

macro_rules! every_type {
    ($($name:ident: $type:ty;)*) => {
        proptest! {
            #![proptest_config(config(60))]
            $(
                #[test]
                fn $name(program in Program::any()) {
                    program.run::<$type>();
                }
            )*
        }
    };
}

every_type! {
    programs_on_u8_do_as_the_model_does: u8;
    programs_on_i8_do_as_the_model_does: i8;
    programs_on_u16_do_as_the_model_does: u16;
    programs_on_i16_do_as_the_model_does: i16;
    programs_on_u32_do_as_the_model_does: u32;
    programs_on_i32_do_as_the_model_does: i32;
    programs_on_u64_do_as_the_model_does: u64;
    programs_on_i64_do_as_the_model_does: i64;
    programs_on_usize_do_as_the_model_does: usize;
    programs_on_isize_do_as_the_model_does: isize;
    programs_on_u128_do_as_the_model_does: u128;
    programs_on_i128_do_as_the_model_does: i128;
    programs_on_f32_do_as_the_model_does: f32;
    programs_on_f64_do_as_the_model_does: f64;
    programs_on_bool_do_as_the_model_does: bool;
    programs_on_char_do_as_the_model_does: char;
    programs_on_nonzero_u8_do_as_the_model_does: NonZeroU8;
    programs_on_nonzero_u32_do_as_the_model_does: NonZeroU32;
    programs_on_nonzero_i128_do_as_the_model_does: NonZeroI128;
    programs_on_coptrs_do_as_the_model_does: Coptr<u16>;
    programs_on_small_enums_do_as_the_model_does: Kind;
    programs_on_large_enums_do_as_the_model_does: Level;
    programs_on_structs_do_as_the_model_does: Particle;
    programs_on_wide_structs_do_as_the_model_does: Wide;
    programs_on_plain_types_do_as_the_model_does: Plain<Celsius>;
    programs_on_checked_plain_types_do_as_the_model_does: Plain<Even>;
}
