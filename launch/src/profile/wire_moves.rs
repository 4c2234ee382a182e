//! What images have moved as bytes, for images of other nodes: two kinds of lines among those of a profile.

use coarray_runtime::{ImageProfile, LineMoves, Moved, Place};

/// How lines about a line of the program begin, and those about an image.
const MOVES: &str = "moves\t";
const WITH: &str = "with\t";

/// The lines of text.
pub(super) fn encode(profile: &ImageProfile) -> String {
    let mut text = String::new();
    for moves in &profile.moves {
        let LineMoves { own, near, far, .. } = *moves;
        let (is_constant, stride) = (moves.stride.is_some(), moves.stride.unwrap_or(0));
        let numbers = [
            own.operations,
            own.bytes,
            near.operations,
            near.bytes,
            far.operations,
            far.bytes,
            moves.pieces,
            moves.runs,
            u64::from(is_constant),
            stride as u64,
            moves.targets,
            moves.issued,
            moves.waited_at_once,
        ];
        text += MOVES;
        for number in numbers {
            text += &format!("{number}\t");
        }
        // No path has these, unless somebody means harm.
        let file = moves.place.file.replace(['\t', '\n', '\0'], " ");
        let Place { line, column, .. } = moves.place;
        text += &format!("{line}\t{column}\t{file}\t{}\n", moves.place.activity);
    }
    for (image, moved) in profile.row.iter().enumerate() {
        if moved.operations > 0 {
            let Moved { operations, bytes } = moved;
            text += &format!("{WITH}{image}\t{operations}\t{bytes}\n");
        }
    }
    text
}

/// Takes a line, if it is one of these.
pub(super) fn decode(line: &str, profile: &mut ImageProfile) {
    if let Some(fields) = line.strip_prefix(MOVES) {
        profile.moves.extend(moves_of(fields));
    } else if let Some(fields) = line.strip_prefix(WITH) {
        let mut numbers = fields.split('\t').map_while(|field| field.parse().ok());
        if let (Some(image), Some(operations), Some(bytes)) =
            (numbers.next(), numbers.next(), numbers.next())
        {
            let image = image as usize;
            let images = profile.row.len().max(image + 1);
            profile.row.resize(images, Moved::default());
            profile.row[image] = Moved { operations, bytes };
        }
    }
}

fn moves_of(fields: &str) -> Option<LineMoves> {
    let mut fields = fields.split('\t');
    let mut number = || -> Option<u64> { fields.next()?.parse().ok() };
    let mut moved = || {
        Some(Moved {
            operations: number()?,
            bytes: number()?,
        })
    };
    let [own, near, far] = [moved()?, moved()?, moved()?];
    let [pieces, runs, is_constant, stride] = [number()?, number()?, number()?, number()?];
    let [targets, issued, waited_at_once] = [number()?, number()?, number()?];
    let [line, column] = [number()? as u32, number()? as u32];
    Some(LineMoves {
        place: Place {
            file: fields.next()?.into(),
            line,
            column,
            activity: fields.next()?.into(),
        },
        own,
        near,
        far,
        pieces,
        runs,
        stride: (is_constant == 1).then_some(stride as i64),
        targets,
        issued,
        waited_at_once,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_profile() {
        let moved = |operations| Moved {
            operations,
            bytes: 8 * operations,
        };
        let moves = |stride| LineMoves {
            place: Place {
                file: "src/a b.rs".into(),
                line: 7,
                column: 9,
                activity: "the library itself".into(),
            },
            own: moved(1),
            near: moved(2),
            far: moved(3),
            pieces: 4,
            runs: 5,
            stride,
            targets: 6,
            issued: 7,
            waited_at_once: u64::MAX,
        };
        let profile = ImageProfile {
            moves: vec![moves(None), moves(Some(-8)), moves(Some(0))],
            row: vec![moved(0), moved(3), moved(0), moved(1 << 40)],
            ..ImageProfile::default()
        };
        let mut decoded = ImageProfile::default();
        for line in encode(&profile).lines() {
            decode(line, &mut decoded);
        }
        assert_eq!(decoded, profile);
        decode("moves\t7\t", &mut decoded);
        decode("with\tx\t1\t1", &mut decoded);
        assert_eq!(decoded, profile);
    }
}
