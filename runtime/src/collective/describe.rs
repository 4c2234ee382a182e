//! The call of an image as text: from the signature that it published, and the texts that it recorded.

use std::fmt;

use crate::call::operation::{OPERATIONS, Operation};
use crate::call::{
    ALGORITHM, ALGORITHM_BITS, ASKING, ASYNCHRONOUS, Call, ON_BEHALF, ObjectId, READ, ROOT_BITS,
};
use crate::image::descriptor::Descriptor;
use crate::image::team::Team;
use crate::lockfree::arrival::Signature;
use coarray_fabric::system::type_name::short;

impl Call {
    /// This image's call, as text.
    #[must_use]
    pub fn describe(&self, team: &Team) -> String {
        let caller = self.caller();
        describe(*self.signature(), self.subject(), &caller.to_string(), team)
    }
}

/// A call of any image with this signature, whose line and subject it recorded, as text.
pub(crate) fn describe_recorded(
    signature: Signature,
    texts: Option<[String; 2]>,
    team: &Team,
) -> String {
    let [caller, subject] =
        texts.unwrap_or_else(|| ["a line before its latest calls", "values"].map(str::to_owned));
    describe(signature, &subject, &caller, team)
}

impl Descriptor<'_> {
    /// The owner's call, as text.
    pub(crate) fn describe(self, team: &Team) -> String {
        let [caller, subject] = self.call_texts();
        describe(*self.signature(), &subject, &caller, team)
    }
}

/// A call of any image of the team, as text.
fn describe(signature: Signature, subject: &str, caller: &str, team: &Team) -> String {
    let object = |id| {
        let heap = team.image().heap.borrow();
        heap.describe(team.identity(), id)
    };
    let what = what(signature, subject, object);
    if Operation::End.is_in(&signature) {
        return what;
    }
    let of_team = match team.number() {
        Some(number) => format!(" of team {number}"),
        None => String::new(),
    };
    let takes_steps = takes_steps(signature);
    let step = signature[0] << (64 - ALGORITHM) >> (64 - ALGORITHM + 16);
    let is_first = [0, ASKING as u64, READ as u64].contains(&step);
    let half_way = if takes_steps && !is_first {
        ", half-way"
    } else {
        ""
    };
    let algorithm = ((signature[0] >> ALGORITHM) & ((1 << ALGORITHM_BITS) - 1)).checked_sub(1);
    let by = match algorithm.and_then(team.image().tuning.name) {
        Some(algorithm) if takes_steps => format!(" by {algorithm}"),
        _ => String::new(),
    };
    format!("{what}{by}{of_team} at {caller}{half_way}")
}

/// Whether the bits above the operation contain steps and an algorithm; otherwise they contain an object number.
fn takes_steps(signature: Signature) -> bool {
    let on_objects = [
        Operation::Open,
        Operation::Close,
        Operation::Publish,
        Operation::Unpublish,
    ];
    !on_objects
        .into_iter()
        .any(|operation| operation as u64 == signature[0] & 0xffff)
}

fn what(signature: Signature, subject: &str, object: impl Fn(ObjectId) -> String) -> String {
    if takes_steps(signature) && signature[0] & ON_BEHALF != 0 {
        return subject.to_owned();
    }
    let code = signature[0] & 0xffff;
    let Some(operation) = OPERATIONS
        .into_iter()
        .find(|operation| *operation as u64 == code)
    else {
        return format!("unknown operation {code}");
    };
    let form = if signature[0] & ASYNCHRONOUS != 0 {
        "_async"
    } else {
        ""
    };
    let name = format!("{}{form}", operation.name());
    let values = Values {
        length: signature[2],
        subject,
    };
    match operation {
        Operation::SyncAll
        | Operation::FormTeam
        | Operation::ChangeTeam
        | Operation::EndTeam
        | Operation::SyncTeam
        | Operation::End => name,
        Operation::Open | Operation::Close | Operation::Publish | Operation::Unpublish => {
            let objects: Vec<String> = signature
                .iter()
                .map(|word| ObjectId(word >> 16))
                .filter(|id| id.0 != 0)
                .map(object)
                .collect();
            // A line of the source follows, and the text before it ends with another one.
            let there = match operation {
                Operation::Close | Operation::Unpublish => "which began",
                _ => "called",
            };
            format!("{name} of {}, {there}", objects.join(" and "))
        }
        Operation::Create => format!("{name} of {values}"),
        Operation::CreatePart => match values.length {
            1 => format!("{name} of {}", short(subject)),
            length => format!("{name} of {} of length {length}", short(subject)),
        },
        Operation::GatherGlobal | Operation::GatherSlice | Operation::ScatterGlobal => {
            let (count, root) = (
                signature[3] >> ROOT_BITS,
                signature[3] & ((1 << ROOT_BITS) - 1),
            );
            let part = match operation {
                Operation::GatherSlice => {
                    format!("{count} cells from number {} on of ", signature[2])
                }
                _ => String::new(),
            };
            let way = match operation {
                Operation::ScatterGlobal => "from",
                _ => "to",
            };
            let object = object(ObjectId(signature[1]));
            format!("{name} of {part}{object} {way} image {root}, called")
        }
        Operation::Gmove => {
            let [from, to] = [signature[1], signature[2]].map(|id| object(ObjectId(id)));
            format!("{name} of {from} to {to}, called")
        }
        Operation::CoBroadcast | Operation::CoScatter => {
            format!("{name} of {values} from image {}", signature[3])
        }
        Operation::CoSumTo
        | Operation::CoMinTo
        | Operation::CoMaxTo
        | Operation::CoMinLocTo
        | Operation::CoMaxLocTo
        | Operation::CoReduceTo
        | Operation::CoGather => format!("{name} of {values} to image {}", signature[3]),
        Operation::CoGatherv | Operation::CoGatherValues => {
            format!("{name} of {} to image {}", short(subject), signature[3])
        }
        Operation::CoScatterv | Operation::CoBroadcastValue => {
            format!("{name} of {} from image {}", short(subject), signature[3])
        }
        Operation::CoAllgatherv | Operation::CoAlltoallv | Operation::CoAllgatherValues => {
            format!("{name} of {}", short(subject))
        }
        Operation::CoSum
        | Operation::CoMin
        | Operation::CoMax
        | Operation::CoMinLoc
        | Operation::CoMaxLoc
        | Operation::CoReduce
        | Operation::CoAllgather
        | Operation::CoAlltoall
        | Operation::CoReduceScatter
        | Operation::CoScan
        | Operation::CoExscan
        | Operation::CoSumReproducible
        | Operation::CoTotalReproducible => format!("{name} of {values}"),
        Operation::CoAll | Operation::CoAny | Operation::CoCount => name,
    }
}

struct Values<'a> {
    length: u64,
    subject: &'a str,
}

impl fmt::Display for Values<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = short(self.subject);
        match self.length {
            1 => write!(formatter, "{subject}"),
            length => write!(formatter, "{length} x {subject}"),
        }
    }
}
