//! For whom an exchange waits, and for whom it does not.

use coarray::events::{Coevent, CoeventPlace};
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::{Coarray, this_image};
use coarray_proptests::Setting;

/// Whichever of two neighbours is early gets its cells, and so can do what the late one waits for.
#[test]
fn an_early_neighbour_gets_its_cells_without_the_late_one() {
    for direct in [true, false] {
        for nodes in [1, 3] {
            for [early, late] in [[0, 2], [2, 0]] {
                let setting = Setting {
                    direct,
                    nodes,
                    ..Setting::of(3)
                };
                setting.run(|| {
                    let event = Coarray::new(Coevent::new());
                    let blocks = Blocks::new([9], ImageGrid::new([3]).unwrap()).unwrap();
                    let mut array = HaloArray::filled(&blocks, 1, this_image()).unwrap();
                    if this_image() == 1 {
                        let exchanging = array.exchange_start();
                        event.at(early).post();
                        exchanging.finish();
                        assert_eq!((array.local()[0], array.local()[4]), (0, 2));
                    } else {
                        event.wait();
                        array.exchange();
                        if this_image() == early {
                            event.at(late).post();
                        }
                    }
                });
            }
        }
    }
}
