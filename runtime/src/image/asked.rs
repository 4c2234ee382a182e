//! Whether it pays to ask where all images have the values of a collective. That takes a barrier, and the answer is mostly that of the call
//! before.
//!
//! All images get the same answers, so all ask in the same calls.

use std::cell::RefCell;

use crate::lockfree::arrival::Signature;

/// How many calls are remembered.
const CALLS: usize = 32;

/// The most calls in a row in which nobody asks.
const MOST: u32 = 63;

/// The answers for the calls with some signatures, the last ones first to be asked again.
#[derive(Debug, Default)]
pub(crate) struct Asked(RefCell<Vec<Answer>>);

/// A call whose values could not be reached.
#[derive(Debug)]
struct Answer {
    signature: Signature,
    /// In how many calls nobody asks after the next such answer.
    pause: u32,
    /// In how many of the next calls nobody asks.
    left: u32,
}

impl Asked {
    /// Whether to ask in this call.
    pub(crate) fn asks(&self, signature: &Signature) -> bool {
        let mut answers = self.0.borrow_mut();
        let answer = answers
            .iter_mut()
            .find(|answer| answer.signature == *signature);
        match answer {
            Some(answer) if answer.left > 0 => {
                answer.left -= 1;
                false
            }
            _ => true,
        }
    }

    /// Notes whether the values could be reached.
    pub(crate) fn note(&self, signature: &Signature, are_reached: bool) {
        let mut answers = self.0.borrow_mut();
        let position = answers
            .iter()
            .position(|answer| answer.signature == *signature);
        let before = position.map(|position| answers.remove(position));
        if are_reached {
            return;
        }
        if answers.len() == CALLS {
            answers.remove(0);
        }
        let left = before.map_or(1, |answer| (2 * answer.pause).min(MOST));
        answers.push(Answer {
            signature: *signature,
            pause: left,
            left,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In which of so many calls with this signature images ask.
    fn asks(asked: &Asked, number: u64, calls: usize, are_reached: bool) -> Vec<usize> {
        let ask = |call: &usize| {
            let asks = asked.asks(&[number; 4]);
            if asks {
                asked.note(&[number; 4], are_reached);
            }
            asks.then_some(*call)
        };
        (0..calls).filter_map(|call| ask(&call)).collect()
    }

    #[test]
    fn what_is_not_reached_is_asked_for_less_and_less() {
        let asked = Asked::default();
        assert_eq!(
            asks(&asked, 1, 300, false),
            [0, 2, 5, 10, 19, 36, 69, 133, 197, 261]
        );
        // A call of another kind does not suffer.
        assert_eq!(asks(&asked, 2, 3, true), [0, 1, 2]);
        // Nor does this one, as soon as it is found to be reached.
        assert_eq!(asks(&asked, 1, 30, true), (25..30).collect::<Vec<_>>());
    }

    #[test]
    fn only_the_last_calls_are_remembered() {
        let asked = Asked::default();
        for number in 0..2 * CALLS as u64 {
            assert_eq!(asks(&asked, number, 2, false), [0]);
        }
        assert_eq!(asked.0.borrow().len(), CALLS);
        assert!(asked.asks(&[0; 4]));
    }
}
