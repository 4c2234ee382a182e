//! Which image the calling thread is: the current team of each thread, and through it the image.

use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

use crate::image::Image;
use crate::image::position::set_position;
use crate::image::team::Team;
use coarray_fabric::transport::handle::no_image;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Team>>> = const { RefCell::new(None) };
}

/// Makes `team` the current team; returns the one before.
pub(crate) fn set_current(team: Rc<Team>) -> Option<Rc<Team>> {
    let (index, images) = (team.index(), team.images());
    // First, because it panics if the program changes the team inside `Image::with_current`, for example in a waker.
    let before = CURRENT.replace(Some(team));
    set_position(index, images);
    before
}

/// Leaves this thread without a current team; returns the one before.
pub(crate) fn take_current() -> Option<Rc<Team>> {
    CURRENT.take()
}

/// Makes this thread no image. For a forked copy of an image: the team is leaked, because dropping it would send messages and
/// free memory of the original.
pub(crate) fn forget_current() {
    set_position(0, 0);
    let _ = CURRENT.try_with(|current| {
        if let Ok(mut current) = current.try_borrow_mut() {
            std::mem::forget(current.take());
        }
    });
}

impl Team {
    /// The current team of the calling image.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn current() -> Rc<Self> {
        match CURRENT.with_borrow(Clone::clone) {
            Some(team) => team,
            None => no_image(),
        }
    }
}

impl Image {
    /// The calling image.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[must_use]
    #[track_caller]
    pub fn current() -> Rc<Self> {
        Rc::clone(Team::current().image())
    }

    /// Calls `operate` with the calling image, without cloning its `Rc`.
    ///
    /// `operate` must not make another team the current one.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[inline]
    #[track_caller]
    pub fn with_current<R>(operate: impl FnOnce(&Self) -> R) -> R {
        CURRENT.with_borrow(|team| match team {
            Some(team) => operate(team.image()),
            None => no_image(),
        })
    }

    /// The calling image, if the thread is one.
    #[inline]
    #[must_use]
    pub fn try_current() -> Option<Rc<Self>> {
        Self::try_with_current(Rc::clone)
    }

    /// Calls `operate` with the calling image, if the thread is one. As [`with_current`](Self::with_current).
    #[inline]
    pub(crate) fn try_with_current<R>(operate: impl FnOnce(&Rc<Self>) -> R) -> Option<R> {
        let of_team = |team: &Rc<Team>| operate(team.image());
        CURRENT
            .try_with(|current| current.borrow().as_ref().map(of_team))
            .ok()
            .flatten()
    }

    /// Where the program called the collective operation that this image is inside of while it runs a function of the
    /// program, such as an operator.
    pub(crate) fn interrupted_call(&self) -> Option<&'static Location<'static>> {
        let team = CURRENT.try_with(|current| current.try_borrow().ok()?.clone());
        let is_in_epoch = team.ok()??.is_in_epoch();
        self.last_call.caller().filter(|_| is_in_epoch)
    }
}
