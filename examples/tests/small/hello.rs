//! Who says hello.

use crate::on_all_images;
use testing::programs::printed_on;

#[test]
fn every_image_says_hello_and_image_0_hears_of_all() {
    on_all_images(|fabric, images| {
        let printed = printed_on(fabric, images, "hello", &[]);
        let (hellos, heard): (Vec<&str>, Vec<&str>) =
            printed.lines().partition(|line| line.starts_with("hello"));
        let processes = if fabric == "threads" { 1 } else { images };
        let expected =
            format!("image 0 has heard of all; images: {images}, processes: {processes}");
        assert_eq!(heard, [expected]);
        assert_eq!(hellos.len(), images);
        for image in 0..images {
            let hello = format!("hello from image {image} of {images}, in process ");
            let from = hellos.iter().filter(|line| line.starts_with(&hello));
            assert_eq!(from.count(), 1, "{printed}");
        }
    });
}
