//! Splitting a team into teams: pure arithmetic on the requests of all images.

use std::collections::BTreeMap;

/// The request of an image when a team is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The image's index in the parent.
    pub(crate) image: usize,
    /// The number of the team that it joins (its colour).
    pub(crate) number: u64,
    /// The index that it wants there (its key).
    pub(crate) index: Option<usize>,
}

/// The teams of a split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    /// By number, the indices of the members in the parent.
    teams: BTreeMap<u64, Vec<usize>>,
}

/// Requests that conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SplitError {
    OutOfRange {
        image: usize,
        index: usize,
        number: u64,
        images: usize,
    },
    Twice {
        first: usize,
        second: usize,
        index: usize,
        number: u64,
    },
}

impl std::fmt::Display for SplitError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfRange {
                image,
                index,
                number,
                images,
            } => write!(
                formatter,
                "image {image} wants index {index} in team {number}, which has {images} \
                 images: 0 to {} are possible",
                images - 1
            ),
            Self::Twice {
                first,
                second,
                index,
                number,
            } => write!(
                formatter,
                "images {first} and {second} both want index {index} in team {number}"
            ),
        }
    }
}

impl std::error::Error for SplitError {}

impl Split {
    /// Gives each image the index that it asked for. An image that asked for none gets the lowest that is left, in the
    /// order of the parent.
    pub(crate) fn arrange(requests: &[Request]) -> Result<Self, SplitError> {
        let mut groups: BTreeMap<u64, Vec<Request>> = BTreeMap::new();
        for request in requests {
            groups.entry(request.number).or_default().push(*request);
        }
        let teams = groups
            .into_iter()
            .map(|(number, group)| Ok((number, rank(number, &group)?)))
            .collect::<Result<_, _>>()?;
        Ok(Self { teams })
    }

    /// The members of the team with this number, by index: their indices in the parent.
    pub(crate) fn members(&self, number: u64) -> Option<&[usize]> {
        self.teams.get(&number).map(Vec::as_slice)
    }

    /// The numbers of the teams.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.teams.keys().copied()
    }
}

fn rank(number: u64, group: &[Request]) -> Result<Vec<usize>, SplitError> {
    let images = group.len();
    let mut ranks: Vec<Option<usize>> = vec![None; images];
    for &Request { image, index, .. } in group {
        let Some(index) = index else { continue };
        let rank = ranks.get_mut(index).ok_or(SplitError::OutOfRange {
            image,
            index,
            number,
            images,
        })?;
        if let Some(first) = rank.replace(image) {
            return Err(SplitError::Twice {
                first,
                second: image,
                index,
                number,
            });
        }
    }
    let mut others = group.iter().filter(|request| request.index.is_none());
    Ok(ranks
        .into_iter()
        .filter_map(|rank| rank.or_else(|| others.next().map(|request| request.image)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request(image: usize, number: u64, index: Option<usize>) -> Request {
        Request {
            image,
            number,
            index,
        }
    }

    #[test]
    fn images_sit_where_they_asked_and_the_others_fill_up() {
        let formation = Split::arrange(&[
            request(0, 7, None),
            request(1, 9, Some(0)),
            request(2, 7, Some(0)),
            request(3, 7, None),
        ]);
        let formation = formation.unwrap();
        assert_eq!(formation.members(7), Some(&[2, 0, 3][..]));
        assert_eq!(formation.members(9), Some(&[1][..]));
        assert_eq!(formation.members(8), None);
        assert_eq!(formation.numbers().collect::<Vec<_>>(), [7, 9]);
    }

    #[test]
    fn impossible_requests_name_the_images() {
        let twice = Split::arrange(&[request(4, 1, Some(1)), request(6, 1, Some(1))]);
        assert_eq!(
            twice.unwrap_err().to_string(),
            "images 4 and 6 both want index 1 in team 1"
        );
        let outside = Split::arrange(&[request(0, 1, None), request(5, 1, Some(2))]);
        assert_eq!(
            outside.unwrap_err().to_string(),
            "image 5 wants index 2 in team 1, which has 2 images: 0 to 1 are possible"
        );
    }

    proptest! {
        #[test]
        fn every_image_gets_one_place_in_the_team_it_asked_for(
            numbers in prop::collection::vec(0u64..4, 1..20),
        ) {
            let requests: Vec<_> = numbers
                .iter()
                .enumerate()
                .map(|(image, &number)| request(image, number, None))
                .collect();
            let formation = Split::arrange(&requests).unwrap();
            for (image, &number) in numbers.iter().enumerate() {
                let members = formation.members(number).unwrap();
                prop_assert_eq!(members.iter().filter(|&&member| member == image).count(), 1);
                prop_assert!(members.is_sorted());
            }
            let total: usize = formation.numbers().map(|n| formation.members(n).unwrap().len()).sum();
            prop_assert_eq!(total, numbers.len());
        }
    }
}
