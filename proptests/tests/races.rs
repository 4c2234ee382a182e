//! The race check against a list of all accesses, in programs that access many words one at a time.

use coarray::prelude::*;
use coarray::{Launch, image_fence, sync_all};
use coarray_proptests::config;
use proptest::prelude::*;

/// The exit code of a job in which the check has found races.
const RACES: u8 = 66;

/// Words of each image's part. Some programs use few of them.
const WORDS: usize = 400;

/// What the images of a program do, one after the other or at the same time.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// An image puts or gets words of a part, one after the other.
    Access {
        image: usize,
        words: Words,
        puts: bool,
    },
    /// An image puts words to another one, and then a flag. That one polls it, and gets the words.
    Pass {
        from: usize,
        words: Words,
    },
    Barrier,
}

/// Words of a part, and how far one is from the next.
#[derive(Clone, Copy, Debug)]
struct Words {
    image: usize,
    first: usize,
    count: usize,
    stride: usize,
}

impl Words {
    fn each(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |index| (self.first + index * self.stride) % WORDS)
    }
}

fn words(images: usize) -> impl Strategy<Value = Words> {
    let shape = (0..images, 0..WORDS, 1..120_usize, 1..4_usize);
    shape.prop_map(|(image, first, count, stride)| Words {
        image,
        first,
        count,
        stride,
    })
}

fn acts(images: usize) -> impl Strategy<Value = Vec<Act>> {
    let access = (0..images, words(images), any::<bool>())
        .prop_map(|(image, words, puts)| Act::Access { image, words, puts });
    let pass = (0..images, words(images)).prop_map(|(from, words)| Act::Pass { from, words });
    let act = prop_oneof![3 => access, 2 => pass, 4 => Just(Act::Barrier)];
    prop::collection::vec(act, 1..10)
}

fn program() -> impl Strategy<Value = (usize, Vec<Act>)> {
    (2..5_usize).prop_flat_map(|images| (Just(images), acts(images)))
}

/// What is known of the accesses of a program.
#[derive(Default)]
struct Model {
    /// For each image how far it knows that each has come.
    clocks: Vec<Vec<u32>>,
    /// Who accessed which word of which image, when, and whether it put it.
    accesses: Vec<(usize, (usize, usize), u32, bool)>,
    races: bool,
}

impl Model {
    fn access(&mut self, image: usize, words: Words, puts: bool) {
        let time = self.clocks[image][image];
        for word in words.each() {
            let place = (words.image, word);
            let clock = &self.clocks[image];
            self.races |= self.accesses.iter().any(|&(other, at, when, has_put)| {
                other != image && at == place && (has_put || puts) && clock[other] < when
            });
            self.accesses.push((image, place, time, puts));
        }
    }

    /// What `from` has done is ordered before what `to` does.
    fn order(&mut self, from: usize, to: usize) {
        let told = self.clocks[from].clone();
        for (mine, theirs) in self.clocks[to].iter_mut().zip(told) {
            *mine = theirs.max(*mine);
        }
    }

    fn advance(&mut self, image: usize) {
        self.clocks[image][image] += 1;
    }

    /// Whether images race.
    fn of(images: usize, acts: &[Act]) -> bool {
        let mut model = Self {
            clocks: vec![vec![0; images]; images],
            ..Self::default()
        };
        (0..images).for_each(|image| model.advance(image));
        for act in acts {
            match *act {
                Act::Access { image, words, puts } => model.access(image, words, puts),
                Act::Pass { from, words } if from == words.image => {}
                Act::Pass { from, words } => {
                    model.access(from, words, true);
                    model.order(from, words.image);
                    model.advance(from);
                    model.access(words.image, words, false);
                }
                Act::Barrier => {
                    for from in 0..images {
                        let time = model.clocks[from][from];
                        model.clocks.iter_mut().for_each(|clock| clock[from] = time);
                    }
                    (0..images).for_each(|image| model.advance(image));
                }
            }
        }
        model.races
    }
}

fn run(acts: &[Act]) {
    let (mut table, mut flags) = (
        Coarray::<[u64; WORDS]>::zeroed(),
        Coarray::<[bool]>::zeroed(acts.len() + 1),
    );
    let (table, flags) = open((&mut table, &mut flags));
    let own = Coarray::new(Coevent::new());
    // What an image puts just after a fence may be a flag. What comes after this is none.
    let leave_fence = || own.post();
    let me = this_image();
    let put = |words: Words| {
        let part = table.at(words.image);
        words.each().for_each(|word| part[word].put(1));
    };
    let get = |words: Words| {
        let part = table.at(words.image);
        words.each().map(|word| part[word].get()).sum::<u64>()
    };
    for (number, act) in acts.iter().enumerate() {
        match *act {
            Act::Access { image, words, puts } if image == me => {
                if puts {
                    put(words);
                } else {
                    get(words);
                }
            }
            Act::Pass { from, words } if from != words.image && from == me => {
                put(words);
                image_fence();
                flags.at(words.image)[number].put(true);
                leave_fence();
            }
            Act::Pass { from, words } if from != words.image && words.image == me => {
                // Two words in turn: one word that is got again is noted at once.
                while !(flags.here()[acts.len()].get() | flags.here()[number].get()) {}
                image_fence();
                leave_fence();
                get(words);
            }
            Act::Barrier => sync_all(),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn a_race_is_reported_if_and_only_if_no_rule_orders_two_accesses((images, acts) in program()) {
        let job = Launch::new(images).heap(1 << 20).check(true);
        let is_racy = match job.run(|| run(&acts)) {
            Ok(_) => false,
            Err(failure) => {
                prop_assert_eq!(failure.code, RACES, "{}", failure);
                true
            }
        };
        prop_assert_eq!(is_racy, Model::of(images, &acts));
    }
}
