//! Teams: some images that work together as if they were all.

use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use coarray_runtime::{ImageStatus, Team as Members};

/// A team of images. Within [`change`](Self::change) it is the *current team*: images are numbered in it,
/// [`this_image`](coarray_runtime::this_image) and [`num_images`](coarray_runtime::num_images) refer to it,
/// and its images call collective operations together. At first the current team is that of all images.
///
/// A coarray belongs to the team that was current when it was created: every image of that team has a part, and `x.at(i)` is
/// always image `i` of that team. So within a team, `x.at(i)` of a coarray of the parent still
/// means image `i` of the parent; [`in_parent`](Self::in_parent) and [`sibling_in_parent`](Self::sibling_in_parent) return
/// these indices. A coarray of a team can be used after [`change`](Self::change) has returned; the images of its team open and
/// close it.
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{num_images, this_image};
/// use coarray_sync::{Team, sync_all};
///
/// run(5, || {
///     let team = Team::form(this_image() % 2); // images 0, 2, 4 and images 1, 3
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
    pub(crate) members: Rc<Members>,
}

impl Team {
    /// Local. The current team.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Source
    /// Fortran 2018 `get_team`, clause 16.9.85.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let all = Team::current();
    ///     Team::form(this_image() % 2).change(|| {
    ///         sync_all(); // this half
    ///         assert_eq!((Team::current().num_images(), all.num_images()), (2, 4));
    ///     });
    /// });
    /// ```
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
    ///     let half = Team::form(this_image() / 2);
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

    /// Local. The team that formed this one; none for the team of all images.
    ///
    /// # Examples
    /// See [`initial`](Self::initial).
    ///
    /// # Source
    /// Fortran 2018 `get_team(parent_team)`, clause 16.9.85.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let members = Rc::clone(self.members.parent()?);
        Some(Self { members })
    }

    /// Local. The number with which this team was formed; none for the team of all images.
    ///
    /// # Source
    /// Fortran 2018 `team_number`, clause 16.9.189.
    ///
    /// # Examples
    /// See [`Team`].
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.members.number()
    }

    /// Local. The index of this image in this team.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let odd = Team::form(this_image() % 2);
    ///     assert_eq!((odd.this_image(), odd.num_images()), (this_image() / 2, 2)); // without changing to it
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `this_image(team)`, clause 16.9.190.
    #[must_use]
    pub fn this_image(&self) -> usize {
        self.members.index()
    }

    /// Local. How many images this team has, failed ones included.
    ///
    /// # Examples
    /// See [`this_image`](Self::this_image).
    ///
    /// # Source
    /// Fortran 2018 `num_images(team)`, clause 16.9.145.
    #[must_use]
    pub fn num_images(&self) -> usize {
        self.members.images()
    }

    /// Local. The images of this team that have failed, as far as is known now, in increasing order.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let all = Team::current();
    ///     if this_image() == 1 {
    ///         coarray::failure::fail_image();
    ///     }
    ///     assert!(coarray::failure::try_sync_all().is_err());
    ///     all.failed_images()
    /// });
    /// assert_eq!(survivors.unwrap(), [[1], [1]]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `failed_images(team)`, clause 16.9.77.
    #[must_use]
    #[track_caller]
    pub fn failed_images(&self) -> Vec<usize> {
        let (image, look) = (self.members.image(), || self.members.failed_images());
        image.look_at_others(Location::caller(), look, |failed| !failed.is_empty())
    }

    /// Local. The images of this team that have come to the end of the program, as far as is known now, in increasing order.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let pair = Team::form(this_image() / 2);
    ///     if pair.this_image() == 0 {
    ///         while pair.stopped_images() != [1] {
    ///             std::thread::yield_now();
    ///         }
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `stopped_images(team)`, clause 16.9.183.
    #[must_use]
    #[track_caller]
    pub fn stopped_images(&self) -> Vec<usize> {
        let (image, look) = (self.members.image(), || self.members.stopped_images());
        image.look_at_others(Location::caller(), look, |stopped| !stopped.is_empty())
    }

    /// Local. The status of image `image` of this team, as far as is known now.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::ImageStatus;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let pair = Team::form(this_image() / 2);
    ///     assert_eq!(pair.image_status(pair.this_image()), ImageStatus::Active);
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `image_status(image, team)`, clause 16.9.98.
    #[must_use]
    #[track_caller]
    pub fn image_status(&self, image: usize) -> ImageStatus {
        self.members.image_status(image)
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
    ///     let column = Team::form(this_image() % 3);
    ///     column.change(|| {
    ///         // x belongs to the parent, and is indexed there.
    ///         let first = column.in_parent(0);
    ///         assert_eq!(x.at(first).get(), first);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `image_index` with a team, clause 16.9.97.
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
    ///
    /// # Examples
    /// See [`sibling_in_parent`](Self::sibling_in_parent).
    ///
    /// # Source
    /// As [`sibling_in_parent`](Self::sibling_in_parent).
    #[must_use]
    pub fn siblings(&self) -> Vec<u64> {
        self.members.siblings()
    }

    /// Local. The images of the team `number` that was formed together with this one, by their indices in the parent team, in the
    /// order of that team; none if there is no such team. Its length is the number of its images.
    ///
    /// # Panics
    /// If the number is negative or does not fit 64 bits.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(5, || {
    ///     let team = Team::form(this_image() % 2);
    ///     assert_eq!(team.sibling(0), Some(&[0, 2, 4][..]));
    ///     assert_eq!(team.sibling(1).map(<[usize]>::len), Some(2));
    ///     assert_eq!(team.sibling(7), None);
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `num_images(team_number)`, clause 16.9.145.
    #[must_use]
    #[track_caller]
    pub fn sibling(&self, number: impl TryInto<u64>) -> Option<&[usize]> {
        self.members.sibling(of_any_type(number))
    }

    /// Local. The index in the parent team of image `image` of the team `number` that was formed together with
    /// this one: coarrays of the parent are indexed by it.
    ///
    /// # Panics
    /// If there is no such team, or no such image in it.
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    /// use coarray_sync::Team;
    ///
    /// run(4, || {
    ///     let team = Team::form(this_image() % 2);
    ///     assert_eq!(team.siblings(), [0, 1]);
    ///     assert_eq!(team.sibling_in_parent(1, 0), 1); // image 0 of team 1 is image 1 of all
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 image selectors with `team_number`, clause 9.6.
    #[must_use]
    #[track_caller]
    pub fn sibling_in_parent(&self, number: impl TryInto<u64>, image: usize) -> usize {
        let number = of_any_type(number);
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

/// The number of a team, which programs give in the type in which they have it.
#[track_caller]
pub(crate) fn of_any_type(number: impl TryInto<u64>) -> u64 {
    match number.try_into() {
        Ok(number) => number,
        Err(_) => panic!("the number of a team is not negative, and fits 64 bits"),
    }
}

/// The name of a team in messages.
pub(crate) fn name(team: &Members) -> String {
    match team.number() {
        Some(number) => format!("team {number}"),
        None => "the team of all images".into(),
    }
}

/// Local. The number with which the current team was formed; none for the team of all images.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_launch::run;
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
