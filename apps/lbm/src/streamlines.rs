//! Lines along a flow in a plane, about evenly spaced.
//!
//! Each line grows both ways from a place without lines nearby, and ends near another line. After B. Jobard and W.
//! Lefer, *Creating evenly-spaced streamlines of arbitrary density*, 1997, but with a raster to find lines nearby.

use program::canvas::{Canvas, Colour};
use program::chart::Area;

/// How many squares of the raster are along the longer side.
const SQUARES: usize = 26;

/// The longest line, in sides of the field.
const LONGEST: f64 = 4.0;

/// The shortest line that is drawn, in squares.
const SHORTEST: f64 = 3.0;

const WHITE: Colour = [255, 255, 255];

/// A place or a velocity in pixels, to the right and down.
type Pair = [f64; 2];

/// Draws lines along the flow. `velocity` gets a place as shares of the area's sides, from its top left.
pub(crate) fn draw(canvas: &mut Canvas, area: Area, velocity: impl Fn(Pair) -> Pair) {
    let square = area.width.max(area.height) as f64 / SQUARES as f64;
    let mut taken = vec![false; (SQUARES + 1) * (SQUARES + 1)];
    let square_of = |[x, y]: Pair| (y / square) as usize * (SQUARES + 1) + (x / square) as usize;
    let size = [area.width as f64, area.height as f64];
    let direction = |place: Pair| {
        let [x, y] = velocity([place[0] / size[0], place[1] / size[1]]);
        let speed = x.hypot(y);
        (speed > 1e-6).then(|| [x / speed, y / speed])
    };
    let is_inside = |[x, y]: Pair| x >= 0.0 && y >= 0.0 && x < size[0] && y < size[1];
    for row in 0..SQUARES {
        for column in 0..SQUARES {
            let seed = [(column as f64 + 0.5) * square, (row as f64 + 0.5) * square];
            if !is_inside(seed) || taken[square_of(seed)] {
                continue;
            }
            let trace = |way: f64| {
                let mut places = Vec::new();
                let mut place = seed;
                while places.len() < (LONGEST * size[0].max(size[1])) as usize {
                    places.push(place);
                    // By the midpoint rule, a pixel at a time.
                    let ahead =
                        |by: Pair, length: f64| [0, 1].map(|i| place[i] + way * length * by[i]);
                    let Some(first) = direction(place) else { break };
                    let Some(middle) = direction(ahead(first, 0.5)) else {
                        break;
                    };
                    place = ahead(middle, 1.0);
                    let from_seed = (place[0] - seed[0]).hypot(place[1] - seed[1]);
                    let is_closed = places.len() > 20 && from_seed < 1.0;
                    if !is_inside(place) || taken[square_of(place)] || is_closed {
                        break;
                    }
                }
                places
            };
            let line = [trace(1.0), trace(-1.0)].concat();
            for &place in &line {
                taken[square_of(place)] = true;
            }
            if line.len() as f64 > SHORTEST * square {
                line.iter().for_each(|&place| dab(canvas, area, place));
                if let Some(direction) = direction(seed) {
                    arrow(canvas, area, seed, direction);
                }
            }
        }
    }
}

/// Tints the four pixels around a place by how near they are.
fn dab(canvas: &mut Canvas, area: Area, [x, y]: Pair) {
    let (left, top) = (x.floor(), y.floor());
    for (right, down) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
        let share = (1.0 - (x - left - right).abs()) * (1.0 - (y - top - down).abs());
        let (column, row) = ((left + right) as usize, (top + down) as usize);
        if column < area.width && row < area.height {
            canvas.dot(area.left + column, area.top + row, WHITE, 0.7 * share);
        }
    }
}

/// The head of an arrow that points in a direction.
fn arrow(canvas: &mut Canvas, area: Area, [x, y]: Pair, [right, down]: Pair) {
    for step in 0..24 {
        let back = f64::from(step) * 0.35;
        for side in [-0.45, 0.0, 0.45] {
            let across = side * back;
            dab(
                canvas,
                area,
                [
                    x - back * right - across * down,
                    y - back * down + across * right,
                ],
            );
        }
    }
}
