//! To which coatomics an image has a reference.

use coarray::Launch;
use coarray::prelude::*;

#[test]
fn references_are_to_coatomics_of_the_own_node_only_and_count_with_the_others() {
    const IMAGES: usize = 4;
    for nodes in [1, 2, 4] {
        for direct in [true, false] {
            let outcome = Launch::new(IMAGES)
                .simulated_nodes(nodes)
                .direct(direct)
                .run(|| {
                    let (words, arrays) = (
                        Coarray::new([Coatomic::new(0u64), Coatomic::new(0)]),
                        Coarray::new(Coatomic::new([0u16; 3])),
                    );
                    let mut local = 0;
                    for image in 0..IMAGES {
                        let (word, array) = (&words.at(image)[1], arrays.at(image));
                        word.add(1);
                        assert_eq!(word.as_local().is_some(), array.as_local().is_some());
                        if let Some(word) = word.as_local() {
                            word.add(1);
                            local += 1;
                        }
                        if let Some(array) = array.as_local() {
                            array.store([7; 3]);
                        }
                    }
                    sync_all();
                    assert_eq!(arrays.at(this_image()).load(), [7; 3]);
                    (local, words[1].load(), words.at(this_image())[1].load())
                });
            let expected = (IMAGES / nodes, (IMAGES + IMAGES / nodes) as u64);
            for (local, owner, place) in outcome.unwrap() {
                assert_eq!((local, owner), expected, "{nodes} nodes, direct: {direct}");
                assert_eq!(owner, place);
            }
        }
    }
}
