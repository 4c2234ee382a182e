//! The state of a run, and who goes on next.

use std::collections::HashSet;
use std::mem::replace;
use std::time::Duration;

use super::delays::Delays;
use super::history::{Event, Handover, History, Line, Site};
use super::in_flight::InFlight;
use super::plan::{Anchored, Deviation, Doing, Moment};
use super::polling::Reads;
use super::standing::{Progress, Standing};
use super::strategy::{At, Chooser, plain};

/// The virtual time that a step takes.
const STEP: Duration = Duration::from_micros(1);

/// After so many rounds in vain, time passes faster and faster, and who polls looks more often each time: who waits for hours, or polls a thousand
/// times before it gives up, need not be asked every moment.
const PATIENT_ROUNDS: u64 = 100;

/// After so many, nothing will ever happen.
const MOST_ROUNDS: u64 = 600;

/// How often who polls looks in each of the last rounds.
const LOOKS: u64 = 256;

/// How many possible switches are kept: those at the begin of a run.
const MOST_CHOICES: usize = 4096;

/// After so many steps that are no puts or gets a run is taken for endless.
const MOST_STEPS: u64 = 200_000;

/// And after so many puts and gets.
const MOST_ACCESSES: u64 = 10_000_000;

/// Nobody can go on: what there is to say of it, as the end of a sentence about an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck(pub String);

#[derive(Debug)]
pub(super) struct State {
    pub(super) images: Vec<ImageState>,
    /// The one that has the turn; before the first has, none.
    pub(super) running: Option<usize>,
    pub(super) progress: Progress,
    /// Rounds since an image has done anything.
    pub(super) vain: u64,
    pub(super) has_ended: bool,
    pub(super) step: u64,
    /// How many of the steps are puts and gets.
    accesses: u64,
    /// How often the strategy could choose.
    pub(super) chances: u64,
    pub(super) chooser: Chooser,
    pub(super) deviations: Vec<(Deviation, Anchored)>,
    /// The switches that were possible, up to a number.
    pub(super) choices: Vec<Anchored>,
    pub(super) in_flight: InFlight,
    pub(super) history: History,
    /// The lines of accesses that raced.
    pub(super) raced: HashSet<Line>,
    /// Those that can go on: kept for its memory.
    pub(super) able: Vec<usize>,
    /// The step at which it was said that an image takes long.
    pub(super) told_at: Option<u64>,
}

#[derive(Debug)]
pub(super) struct ImageState {
    pub(super) standing: Standing,
    pub(super) reads: Reads,
    /// How many points it has come to.
    pub(super) points: u64,
    /// How often it has offered the turn since.
    pub(super) offers: u64,
    /// How often it has put and got since.
    pub(super) accesses: u64,
    /// How often it has looked again while nothing happened.
    pub(super) looks: u64,
    /// What it did last.
    pub(super) last: Option<Event>,
}

/// Who gets the turn.
pub(super) enum Next {
    Image(usize),
    /// Nobody is left.
    Over,
    Stuck(Stuck),
}

impl State {
    pub(super) fn new(images: usize, chooser: Chooser, delays: Delays) -> Self {
        let image = |_| ImageState {
            standing: Standing::Absent,
            reads: Reads::default(),
            points: 0,
            offers: 0,
            accesses: 0,
            looks: 0,
            last: None,
        };
        Self {
            images: (0..images).map(image).collect(),
            running: None,
            progress: Progress::default(),
            vain: 0,
            has_ended: false,
            step: 0,
            accesses: 0,
            chances: 0,
            chooser,
            deviations: Vec::new(),
            choices: Vec::new(),
            in_flight: InFlight::new(images, delays),
            history: History::default(),
            raced: HashSet::new(),
            able: Vec::with_capacity(images),
            told_at: None,
        }
    }

    /// The image that gets the first turn, once all have come.
    pub(super) fn first(&mut self) -> Option<usize> {
        let is_absent = |image: &ImageState| matches!(image.standing, Standing::Absent);
        if self.running.is_some() || self.images.iter().any(is_absent) {
            return None;
        }
        match self.decide(0) {
            Next::Image(first) => Some(first),
            Next::Over | Next::Stuck(_) => None,
        }
    }

    pub(super) fn event(&self, image: usize, what: &'static str, site: Site) -> Event {
        Event {
            step: self.step,
            image,
            what,
            site,
        }
    }

    /// Whether an image is over.
    pub(super) fn is_over(&self, image: usize) -> bool {
        matches!(self.images[image].standing, Standing::Gone)
    }

    /// Notes what an image does. If it does not `act`, it does what an image that polls does.
    pub(super) fn note(&mut self, image: usize, what: &'static str, site: Site, acts: bool) {
        if self.is_over(image) {
            return;
        }
        let event = self.event(image, what, site);
        self.history.note(event);
        self.images[image].last = Some(event);
        if acts {
            self.act(image);
        }
    }

    /// Notes that an image does what an image that polls does not.
    pub(super) fn act(&mut self, image: usize) {
        self.images[image].reads.forget();
        self.vain = 0;
    }

    /// Whether an image that polls may look again before others go on: when these have nothing to do.
    pub(super) fn may_look_again(&mut self, image: usize) -> bool {
        let looks = &mut self.images[image].looks;
        *looks += 1;
        self.vain > PATIENT_ROUNDS && !looks.is_multiple_of(LOOKS) && !self.has_ended
    }

    /// Chooses who goes on, after `last`.
    pub(super) fn decide(&mut self, last: usize) -> Next {
        self.step += 1;
        self.progress.time += STEP;
        let standing = &self.images[last].standing;
        let doing = match standing {
            Standing::Able => Doing::Point,
            Standing::Completes => Doing::Completion,
            _ => Doing::Wait,
        };
        if doing != Doing::Wait || matches!(standing, Standing::Gone) {
            self.progress.done += 1;
        }
        let image = &mut self.images[last];
        match doing {
            Doing::Point => (image.points, image.offers, image.accesses) = (image.points + 1, 0, 0),
            _ => image.offers += 1,
        }
        let moment = Moment {
            image: last,
            points: image.points,
            offers: image.offers,
            doing,
        };
        if self.step - self.accesses > MOST_STEPS && !self.has_ended {
            self.images[last].standing = Standing::Able;
            return Next::Stuck(Stuck(format!(
                "no end after {MOST_STEPS} steps: {}",
                self.describe()
            )));
        }
        self.in_flight.come_to(self.step, &mut self.history);
        loop {
            self.find_able();
            if !self.able.is_empty() {
                break;
            }
            if !self.images.iter().any(|image| image.standing.is_there()) {
                return Next::Over;
            }
            if self.in_flight.arrive_one(&mut self.history) {
                continue;
            }
            if !self.pass_time() {
                let stuck = Stuck(self.describe());
                if self.images[last].standing.is_there() {
                    self.images[last].standing = Standing::Able;
                }
                return Next::Stuck(stuck);
            }
        }
        let next = self.choose(moment, true);
        self.go_on(moment, next)
    }

    /// Chooses who goes on while an image, which can, is about to put or get. Without a switch nothing is changed by that: so a schedule is repeated by its
    /// deviations, wherever its strategy could choose.
    pub(super) fn access(
        &mut self,
        image: usize,
        what: &'static str,
        site: Site,
        is_chance: bool,
    ) -> Next {
        self.step += 1;
        self.progress.time += STEP;
        self.accesses += 1;
        if self.accesses > MOST_ACCESSES && !self.has_ended {
            return Next::Stuck(Stuck(format!("no end after {MOST_ACCESSES} puts and gets")));
        }
        self.in_flight.come_to(self.step, &mut self.history);
        self.find_able();
        let state = &mut self.images[image];
        state.accesses += 1;
        let moment = Moment {
            image,
            points: state.points,
            offers: state.accesses,
            doing: Doing::Access,
        };
        let next = self.choose(moment, is_chance);
        if next == image {
            return Next::Image(image);
        }
        self.note(image, what, site, false);
        self.go_on(moment, next)
    }

    /// Who goes on, of those that can.
    fn choose(&mut self, moment: Moment, is_chance: bool) -> usize {
        self.chances += u64::from(is_chance);
        let at = At {
            step: self.step,
            chance: is_chance.then_some(self.chances),
            moment,
        };
        let next = self.chooser.choose(at, &self.able);
        if is_chance && self.choices.len() < MOST_CHOICES {
            let usual = plain(moment.image, &self.able);
            let others = self.able.iter().filter(|&&image| image != usual);
            let choice = |&to: &usize| Anchored::Switch { moment, to };
            self.choices.extend(others.map(choice));
        }
        next
    }

    /// The image goes on that was chosen. If it has failed, the others learn that, and one of them goes on.
    fn go_on(&mut self, moment: Moment, next: usize) -> Next {
        let last = moment.image;
        if next != plain(last, &self.able) {
            let (step, image, to) = (self.step, next, next);
            self.deviations.push((
                Deviation::Switch { step, image },
                Anchored::Switch { moment, to },
            ));
        }
        if next != last {
            self.history.hand_over(Handover {
                step: self.step,
                after: self.history.events().len(),
                from: last,
                to: next,
                is_preemption: self.able.contains(&last),
            });
        }
        let chosen = &mut self.images[next].standing;
        if matches!(chosen, Standing::Sleeps(sleep) if sleep.has_changed()) {
            // It goes on: those who look for what it does look again.
            self.progress.done += 1;
        }
        self.running = Some(next);
        let Standing::Failed(declaration) = replace(chosen, Standing::Able) else {
            return Next::Image(next);
        };
        self.note(next, "is known to have failed", None, true);
        declaration.carry_out();
        // It has stored nothing since then.
        self.in_flight.forget(next);
        self.images[next].standing = Standing::Gone;
        self.progress.failed += 1;
        self.decide(next)
    }

    fn find_able(&mut self) {
        let Self {
            images,
            able,
            progress,
            has_ended,
            ..
        } = self;
        let can_go_on = |image: &ImageState| match has_ended {
            true => image.standing.is_there(),
            false => image.standing.is_able(&image.reads, *progress),
        };
        able.clear();
        able.extend((0..images.len()).filter(|&index| can_go_on(&images[index])));
    }

    /// Lets time pass until an image wakes, and everybody look again who looks. Returns false if that has been in vain too often.
    fn pass_time(&mut self) -> bool {
        self.vain += 1;
        self.progress.rounds += 1;
        self.progress.done += 1;
        let ends = self
            .images
            .iter()
            .filter_map(|image| match &image.standing {
                Standing::Sleeps(sleep) => Some(sleep.until),
                _ => None,
            });
        if let Some(first) = ends.min() {
            let leap = match self.vain.saturating_sub(PATIENT_ROUNDS) {
                0 => Duration::ZERO,
                more => Duration::from_micros(1 << more.min(40)),
            };
            self.progress.time = first.max(self.progress.time) + leap;
        }
        self.vain <= MOST_ROUNDS
    }

    /// What everybody waits for.
    fn describe(&self) -> String {
        let images = self.images.iter().enumerate();
        let there = images.filter(|(_, image)| image.standing.is_there());
        let polls =
            |(_, image): &(usize, &ImageState)| matches!(image.standing, Standing::Polls(_));
        let (polling, waiting): (Vec<_>, Vec<_>) = there.partition(polls);
        let waits = waiting.iter().map(|(index, image)| match &image.last {
            Some(last) => format!("image {index} waits (its last operation: {last})"),
            None => format!("image {index} waits, and has done nothing"),
        });
        let waits = waits.collect::<Vec<_>>().join("; ");
        if polling.is_empty() {
            return format!("no image can go on: {waits}");
        }
        let numbers = and(polling.iter().map(|(index, _)| index.to_string()));
        let who = match polling.len() {
            1 => format!("image {numbers} polls"),
            _ => format!("images {numbers} poll"),
        };
        let places = polling.iter().map(|(_, image)| match image.last {
            Some(Event {
                site: Some(site), ..
            }) => format!("{}:{}", site.file(), site.line()),
            _ => "a place that the library reads".into(),
        });
        let text = format!("nobody will ever write what {who} at {}", and(places));
        match waits.is_empty() {
            true => text,
            false => format!("{text}; {waits}"),
        }
    }
}

/// "1, 2 and 3"; what follows on itself is named once.
fn and(all: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = all.collect();
    all.dedup();
    let last = all.pop().unwrap_or_default();
    match all.is_empty() {
        true => last,
        false => format!("{} and {last}", all.join(", ")),
    }
}
