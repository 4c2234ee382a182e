//! Single values: every pair of gets and puts, from afar and by the owner.

use coarray::prelude::*;

use crate::case::cases;

cases!("words.rs":
    clean gets_of_one_value;
    racy get_and_put_by_the_owner;
    racy put_and_get_by_the_owner;
    racy put_and_put_by_the_owner;
    racy gets_of_many_images_and_a_put;
    racy get_and_put_from_afar.from(3);
    racy puts_of_two_images;
    racy puts_of_equal_values;
    clean puts_to_an_item_each;
    racy puts_to_an_item_for_two;
    clean bytes_of_one_word;
    racy byte_of_one_word_read_by_another;
    clean floats_of_one_word;
    racy float_of_one_word_put_by_another;
    clean truth_values_read_and_put_side_by_side;
    racy truth_value_read_and_put;
    clean halves_of_one_value;
    racy value_and_a_part_of_it;
    clean values_of_no_bytes;
);

fn gets_of_one_value() {
    let mut x = Coarray::new(7);
    let x = x.open();
    assert_eq!(x.at(0).get() + x.at(1).get() + x.here().get(), 21);
}

fn get_and_put_by_the_owner() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => assert!([0, 7].contains(&x.at(1).get())), //~ race: get
        _ => x.here().put(7),                          //~ race: put
    }
}

fn put_and_get_by_the_owner() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put(7),                            //~ race: put
        _ => assert!([0, 7].contains(&x.here().get())), //~ race: get
    }
}

fn put_and_put_by_the_owner() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put(7),  //~ race: put
        _ => x.here().put(8), //~ race: put
    }
}

fn gets_of_many_images_and_a_put() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.here().put(7),                          //~ race: put
        _ => assert!([0, 7].contains(&x.at(0).get())), //~ race: get
    }
}

fn get_and_put_from_afar() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => assert!([0, 7].contains(&x.at(2).get())), //~ race: get
        1 => x.at(2).put(7),                           //~ race: put
        _ => assert_eq!(x.at(0).get(), 0),
    }
    sync_all();
    assert_eq!(x.at(2).get(), 7);
}

fn puts_of_two_images() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(num_images() - 1).put(1), //~ race: put
        1 => x.at(num_images() - 1).put(2), //~ race: put
        _ => assert_eq!(x.at(0).get(), 0),
    }
}

fn puts_of_equal_values() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at(0).put(7); //~ race: put
    sync_all();
    assert_eq!(x.at(0).get(), 7);
}

fn puts_to_an_item_each() {
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    x.at(0)[this_image()].put(7);
    sync_all();
    assert!(x.at(0).get()[..num_images()].iter().all(|&item| item == 7));
}

fn puts_to_an_item_for_two() {
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    x.at(0)[this_image() / 2].put(7); //~ race: put
}

fn bytes_of_one_word() {
    let mut x = Coarray::new([0u8; 8]);
    let x = x.open();
    for round in 1..4 {
        x.at(0)[this_image()].put(round);
        assert_eq!(x.at(0)[this_image()].get(), round);
    }
}

fn byte_of_one_word_read_by_another() {
    let mut x = Coarray::new([0u8; 8]); //~ place: [1]
    let x = x.open();
    x.at(0)[this_image()].put(7); //~ race: put
    if this_image() == 0 {
        let _ = x.here()[1].get(); //~ race: get
    }
}

fn floats_of_one_word() {
    let mut x = Coarray::new([0f32; 8]);
    let x = x.open();
    let mine = &x.at(num_images() - 1)[this_image()];
    mine.put(0.5);
    mine.put(mine.get() + 1.0);
    assert_eq!(mine.get(), 1.5);
}

fn float_of_one_word_put_by_another() {
    let mut x = Coarray::new([0f32; 8]); //~ place: [0]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[0].put(0.5), //~ race: put
        1 => x.at(1)[0].put(1.5), //~ race: put
        other => x.at(1)[other].put(2.5),
    }
}

fn truth_values_read_and_put_side_by_side() {
    let mut x = Coarray::new([false; 8]);
    let x = x.open();
    match this_image() {
        0 => x.at(1)[3].put(true),
        other => assert!(!x.at(1)[(other + 3) % 8].get()),
    }
}

fn truth_value_read_and_put() {
    let mut x = Coarray::new([false; 8]); //~ place: [3]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[3].put(true), //~ race: put
        1 => {
            let _ = x.here()[3].get(); //~ race: get
        }
        other => x.here()[other].put(true),
    }
}

fn halves_of_one_value() {
    let mut x = Coarray::new([[0; 30]; 2]);
    let x = x.open();
    match this_image() {
        0 => x.at(1)[0].put([7; 30]),
        1 => x.here()[1].put([8; 30]),
        _ => x.here().put([[9; 30]; 2]),
    }
    sync_all();
    assert_eq!(x.at(1).get(), [[7; 30], [8; 30]]);
}

fn value_and_a_part_of_it() {
    let mut x = Coarray::new([[0; 30]; 2]);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put([[7; 30]; 2]), //~ race: put
        1 => x.here()[1][29].put(8),    //~ race: put
        _ => x.here()[1][29].put(9),
    }
}

fn values_of_no_bytes() {
    let mut x = Coarray::new([(); 3]);
    let x = x.open();
    x.at(0)[1].put(());
    assert_eq!(x.at(0).get(), [(); 3]);
}
