//! Teams: some images work together as if they were all.

use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use coarray_fabric::{Absence, Call, ImageFailed, Operation, Team as Members};

/// A team of images. Within [`change`](Self::change) it is the *current team*: images are numbered in it,
/// [`this_image`](coarray_fabric::this_image) and [`num_images`](coarray_fabric::num_images) are about it,
/// and collective operations are those of its images. At first the current team is that of all images.
///
/// A coarray belongs to the team that was current when it was created: its images have a part, and it is
/// indexed by their indices in it, for ever. So within a team, `x.at(i)` of a coarray of the parent still
/// means image `i` of the parent; [`in_parent`](Self::in_parent) and [`sibling_in_parent`](Self::sibling_in_parent) give
/// these indices. A coarray of a team can be used after [`change`](Self::change) has returned; opening and
/// closing it is up to the images of its team.
///
/// # Examples
/// ```
/// use coarray_fabric::{num_images, run, this_image};
/// use coarray_sync::{Team, sync_all};
///
/// run(5, || {
///     let team = Team::form(this_image() as u64 % 2); // images 0, 2, 4 and images 1, 3
///     team.change(|| {
///         assert_eq!(num_images(), if team.number() == Some(0) { 3 } else { 2 });
///         sync_all(); // of the team
///     });
///     assert_eq!(num_images(), 5);
/// });
/// ```
///
/// # Source
/// Fortran 2018 teams, clauses 11.1.5 and 11.6.9; J. Reid, *Additional coarray features in Fortran*, PGAS 2013.
#[derive(Clone)]
pub struct Team {
    members: Rc<Members>,
}

impl Team {
    /// Collective. Divides the images of the current team into teams, and returns that of all images that give
    /// the same `number`. There they have indices in the order of the current team.
    ///
    /// If an image of the current team has failed, the job ends with a report.
    ///
    /// # Panics
    /// On all images if there is no room in the heap for the teams' structures; on a thread that is not an
    /// image.
    ///
    /// # Source
    /// Fortran 2018 `form team`, clause 11.6.9.
    #[must_use]
    #[track_caller]
    pub fn form(number: u64) -> Self {
        Self::form_at(number, None, Absence::EndsJob).unwrap_or_else(never)
    }

    /// Collective. As [`form`](Self::form), and this image gets index `index` in its team.
    ///
    /// If the indices that the images of a team ask for are not all different and less than their number, the
    /// job ends with a report.
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray_fabric::{num_images, run, this_image};
    /// use coarray_sync::Team;
    ///
    /// run(3, || {
    ///     let reversed = Team::form_with_index(1, num_images() - 1 - this_image());
    ///     assert_eq!(reversed.this_image(), 2 - this_image());
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `new_index`, clause 11.6.9.
    #[must_use]
    #[track_caller]
    pub fn form_with_index(number: u64, index: usize) -> Self {
        Self::form_at(number, Some(index), Absence::EndsJob).unwrap_or_else(never)
    }

    /// Collective. As [`form`](Self::form), but failed images do not end the job.
    ///
    /// # Errors
    /// The images of the current team that have failed, the same on all others; then no team is formed.
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 0 {
    ///         coarray::fail_image();
    ///     }
    ///     Team::try_form(1).unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[0], [0]]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `stat`, clause 11.6.9.
    #[track_caller]
    pub fn try_form(number: u64) -> Result<Self, ImageFailed> {
        Self::form_at(number, None, Absence::IsAnError)
    }

    /// Collective. As [`form`](Self::form), of those images of the current team that have not failed.
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray_fabric::{Launch, fail_image, num_images, this_image};
    /// use coarray_sync::{Team, try_sync_all};
    ///
    /// let survivors = Launch::new(4).keep_going(true).run(|| {
    ///     if this_image() == 2 {
    ///         fail_image();
    ///     }
    ///     match try_sync_all() {
    ///         Ok(()) => unreachable!("image 2 does not come"),
    ///         Err(_) => Team::form_survivors(1).change(num_images),
    ///     }
    /// });
    /// assert_eq!(survivors.unwrap(), [3, 3, 3]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `stat`, clause 11.6.11: the team is formed of the active images.
    #[must_use]
    #[track_caller]
    pub fn form_survivors(number: u64) -> Self {
        Self::form_at(number, None, Absence::IsAccepted).unwrap_or_else(never)
    }

    #[track_caller]
    fn form_at(number: u64, index: Option<usize>, absence: Absence) -> Result<Self, ImageFailed> {
        let members = Members::current().form(number, index, absence, Location::caller())?;
        Ok(Self { members })
    }

    /// Local. The current team.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Source
    /// Fortran 2018 `get_team`, clause 16.9.85.
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        Self {
            members: Members::current(),
        }
    }

    /// Local. The team of all images of the job.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let half = Team::form(this_image() as u64 / 2);
    ///     half.change(|| {
    ///         assert_eq!(num_images(), 2);
    ///         assert_eq!(Team::initial().num_images(), 4);
    ///         assert_eq!(Team::current().parent().unwrap().num_images(), 4);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `get_team(initial_team)`, clause 16.9.85.
    #[must_use]
    #[track_caller]
    pub fn initial() -> Self {
        let mut team = Self::current();
        while let Some(parent) = team.parent() {
            team = parent;
        }
        team
    }

    /// Local. The team whose images formed this one; none for the team of all images.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let members = Rc::clone(self.members.parent()?);
        Some(Self { members })
    }

    /// Local. The number with which this team was formed; none for the team of all images.
    ///
    /// # Source
    /// Fortran 2018 `team_number`, clause 16.9.189.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.members.number()
    }

    /// Local. The index of this image in this team.
    #[must_use]
    pub fn this_image(&self) -> usize {
        self.members.index()
    }

    /// Local. How many images this team has, failed ones included.
    #[must_use]
    pub fn num_images(&self) -> usize {
        self.members.images()
    }

    /// Local. The images of this team that have failed, as far as is known now, in increasing order.
    #[must_use]
    pub fn failed_images(&self) -> Vec<usize> {
        self.members.failed_images()
    }

    /// Local. The index in the parent team of image `image` of this team; the index itself for the team of all
    /// images.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let mut x = Coarray::new(this_image());
    ///     let x = x.open();
    ///     let column = Team::form(this_image() as u64 % 3);
    ///     column.change(|| {
    ///         // x belongs to the parent, and is indexed there.
    ///         let first = column.in_parent(0);
    ///         assert_eq!(x.at(first).get(), first);
    ///     });
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn in_parent(&self, image: usize) -> usize {
        match self.number() {
            Some(number) => self.sibling_in_parent(number, image),
            None => image,
        }
    }

    /// Local. The numbers of the teams that were formed together with this one, in increasing order, this one
    /// included.
    #[must_use]
    pub fn siblings(&self) -> Vec<u64> {
        self.members.siblings()
    }

    /// Local. The index in the parent team of image `image` of the team `number` that was formed together with
    /// this one: coarrays of the parent are indexed by it.
    ///
    /// # Panics
    /// If there is no such team, or no such image in it.
    ///
    /// # Examples
    /// ```
    /// use coarray_fabric::{run, this_image};
    /// use coarray_sync::Team;
    ///
    /// run(4, || {
    ///     let team = Team::form(this_image() as u64 % 2);
    ///     assert_eq!(team.siblings(), [0, 1]);
    ///     assert_eq!(team.sibling_in_parent(1, 0), 1); // image 0 of team 1 is image 1 of all
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 image selectors with `team_number`, clause 9.6.
    #[must_use]
    #[track_caller]
    pub fn sibling_in_parent(&self, number: u64, image: usize) -> usize {
        let Some(images) = self.members.sibling(number) else {
            panic!(
                "there is no team {number} beside this one: the teams are {:?}",
                self.siblings()
            )
        };
        match images.get(image) {
            Some(&index) => index,
            None => panic!(
                "there is no image {image} in team {number}: its images are numbered 0 to {}",
                images.len() - 1
            ),
        }
    }

    /// Collective. Runs `body` with this team as the current team. Its images synchronise before and after.
    ///
    /// If an image of the team has failed before, or fails until the end, the job ends with a report.
    ///
    /// # Panics
    /// If this team was not formed by the current team, as when its parent has ended. A panic of `body` passes
    /// through without synchronising.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let pair = Team::form(this_image() as u64 / 2);
    ///     let mut y = pair.change(|| Coarray::new(this_image())); // 0 and 1 in each pair
    ///     let y = y.open();
    ///     assert_eq!(y.at(1).get(), 1); // of the pair, also here
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `change team`, clause 11.1.5.
    #[track_caller]
    pub fn change<R>(&self, body: impl FnOnce() -> R) -> R {
        let caller = Location::caller();
        self.assert_formed_here();
        // SAFETY: no layer relies on anything an image did before it changed the team.
        unsafe {
            self.members
                .meet(&Call::plain(Operation::ChangeTeam, caller))
        };
        let current = self.members.enter();
        let result = body();
        drop(current);
        // SAFETY: as above.
        unsafe { self.members.meet(&Call::plain(Operation::EndTeam, caller)) };
        result
    }

    /// Collective. As [`change`](Self::change), but failed images do not end the job.
    ///
    /// # Errors
    /// The images of the team that failed before `body` began, which then does not run, or before they came to
    /// its end; the same on all others.
    ///
    /// # Panics
    /// As [`change`](Self::change).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let team = Team::form(1);
    ///     let outcome = team.try_change(|| {
    ///         if this_image() == 2 {
    ///             coarray::fail_image();
    ///         }
    ///     });
    ///     outcome.unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[2], [2]]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `change team` with `stat`, clause 11.1.5.
    #[track_caller]
    pub fn try_change<R>(&self, body: impl FnOnce() -> R) -> Result<R, ImageFailed> {
        let caller = Location::caller();
        self.assert_formed_here();
        // SAFETY: no layer relies on anything an image did before it changed the team.
        unsafe {
            self.members
                .try_meet(&Call::plain(Operation::ChangeTeam, caller))
        }?;
        let current = self.members.enter();
        let result = body();
        drop(current);
        // SAFETY: as above.
        unsafe {
            self.members
                .try_meet(&Call::plain(Operation::EndTeam, caller))
        }?;
        Ok(result)
    }

    #[track_caller]
    fn assert_formed_here(&self) {
        let current = Members::current();
        let is_child = self
            .members
            .parent()
            .is_some_and(|parent| parent.is(&current));
        assert!(
            is_child,
            "{} was not formed by the current team, {}: change to a team only in the team whose images formed it, \
             and before that has ended",
            name(&self.members),
            name(&current)
        );
    }

    /// The members, if the team can synchronise: its parent has not ended.
    #[track_caller]
    pub(crate) fn assert_alive(&self) -> &Members {
        let mut ancestor = Some(Members::current());
        while let Some(team) = ancestor {
            let is_parent = self.members.parent().is_some_and(|parent| parent.is(&team));
            if is_parent || self.members.is(&team) {
                return &self.members;
            }
            ancestor = team.parent().cloned();
        }
        panic!(
            "{} has ended with the team that formed it: neither is that team the current one, nor does it contain it",
            name(&self.members)
        )
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(formatter)
    }
}

fn name(team: &Members) -> String {
    match team.number() {
        Some(number) => format!("team {number}"),
        None => "the team of all images".into(),
    }
}

fn never(failed: ImageFailed) -> Team {
    unreachable!("{failed}, which ends the job or is accepted")
}

/// Local. The number with which the current team was formed; none for the team of all images.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_fabric::run;
/// use coarray_sync::{Team, team_number};
///
/// run(2, || {
///     assert_eq!(team_number(), None);
///     assert_eq!(Team::form(7).change(team_number), Some(7));
/// });
/// ```
///
/// # Source
/// Fortran 2018 `team_number`, clause 16.9.189, which is -1 for the initial team.
#[must_use]
#[track_caller]
pub fn team_number() -> Option<u64> {
    Members::current().number()
}
