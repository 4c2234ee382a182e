use super::*;

const PLAIN: Display = Display {
    label: false,
    terminals: [false; 2],
};
const LABELLED: Display = Display {
    label: true,
    terminals: [false; 2],
};
const TERMINAL: Display = Display {
    label: false,
    terminals: [true; 2],
};

/// Lines with a clock that stands still unless told otherwise.
struct Desk {
    lines: Lines,
    now: Instant,
}

impl Desk {
    fn new(images: usize, display: Display) -> Self {
        Self {
            lines: Lines::new(images, display),
            now: Instant::now(),
        }
    }

    fn prints(&mut self, image: usize, text: &str) -> &mut Self {
        let source = Source {
            image,
            stream: Stream::Output,
        };
        self.lines.feed(source, text.as_bytes(), self.now);
        self
    }

    fn prints_error(&mut self, image: usize, text: &str) -> &mut Self {
        let source = Source {
            image,
            stream: Stream::Error,
        };
        self.lines.feed(source, text.as_bytes(), self.now);
        self
    }

    fn ends(&mut self, image: usize) -> &mut Self {
        self.lines.finish(Source {
            image,
            stream: Stream::Output,
        });
        self
    }

    fn waits(&mut self, time: Duration) -> &mut Self {
        self.now += time;
        self.lines.pass_prompts(self.now);
        self
    }

    fn output(&mut self) -> String {
        String::from_utf8(mem::take(self.lines.ready(Stream::Output))).unwrap()
    }

    fn error(&mut self) -> String {
        String::from_utf8(mem::take(self.lines.ready(Stream::Error))).unwrap()
    }
}

#[test]
fn a_line_comes_out_when_it_is_whole() {
    let mut desk = Desk::new(2, PLAIN);
    assert_eq!(desk.prints(0, "ab").prints(1, "x\ny").output(), "x\n");
    assert_eq!(desk.prints(0, "c\nd\ne").output(), "abc\nd\n");
    assert_eq!(desk.prints(1, "\n").output(), "y\n");
    assert_eq!(desk.lines.due(), None);
}

#[test]
fn the_streams_are_kept_apart() {
    let mut desk = Desk::new(1, PLAIN);
    desk.prints(0, "out")
        .prints_error(0, "err\n")
        .prints(0, "\n");
    assert_eq!(desk.output(), "out\n");
    assert_eq!(desk.error(), "err\n");
    assert!(desk.lines.is_written());
}

#[test]
fn bytes_pass_unchanged_without_labels() {
    let mut lines = Lines::new(1, PLAIN);
    let source = Source {
        image: 0,
        stream: Stream::Output,
    };
    let bytes: Vec<u8> = (0..400_000u32)
        .map(|place| place.wrapping_mul(2_654_435_761).to_be_bytes()[0])
        .collect();
    for chunk in bytes.chunks(977) {
        lines.feed(source, chunk, Instant::now());
    }
    lines.finish(source);
    assert_eq!(*lines.ready(Stream::Output), bytes);
}

#[test]
fn labels_are_as_wide_as_the_largest_number() {
    let mut desk = Desk::new(11, LABELLED);
    desk.prints(3, "three\n\nand more\n").prints(10, "ten\n");
    assert_eq!(
        desk.output(),
        "[ 3] three\n[ 3] \n[ 3] and more\n[10] ten\n"
    );
}

#[test]
fn a_last_line_is_completed_only_with_a_label() {
    let mut desk = Desk::new(2, LABELLED);
    assert_eq!(desk.prints(1, "end").ends(1).ends(0).output(), "[1] end\n");
    let mut desk = Desk::new(2, PLAIN);
    assert_eq!(
        desk.prints(1, "end").ends(1).prints(0, "x\n").output(),
        "endx\n"
    );
}

#[test]
fn a_line_without_end_is_not_kept_forever() {
    let long = "x".repeat((ROOM / 2) + 1);
    let mut desk = Desk::new(2, PLAIN);
    assert_eq!(desk.prints(0, &long).prints(0, "y").output(), long);
    assert_eq!(desk.prints(0, "z\n").output(), "yz\n");

    let mut desk = Desk::new(2, LABELLED);
    desk.prints(0, &long)
        .prints(1, "other\n")
        .prints(0, "rest\n");
    assert_eq!(desk.output(), format!("[0] {long}\n[1] other\n[0] rest\n"));
}

#[test]
fn a_resting_prompt_is_shown() {
    let mut desk = Desk::new(2, TERMINAL);
    assert_eq!(
        desk.prints(0, "name")
            .waits(REST / 2)
            .prints(0, "? ")
            .waits(REST / 2)
            .output(),
        ""
    );
    assert!(desk.lines.due().is_some());
    assert_eq!(desk.waits(REST / 2).output(), "name? ");
    assert_eq!(desk.lines.due(), None);
    assert_eq!(desk.prints(0, "hello\n").output(), "hello\n");
}

#[test]
fn only_image_0_prompts() {
    let mut desk = Desk::new(2, TERMINAL);
    assert_eq!(desk.prints(1, "50%\r100%\r").waits(REST * 2).output(), "");
    assert_eq!(desk.lines.due(), None);
}

#[test]
fn a_carriage_return_moves_a_progress_bar() {
    let mut desk = Desk::new(2, TERMINAL);
    assert_eq!(desk.prints_error(0, "\r10%").error(), "\r");
    assert_eq!(desk.prints_error(0, "\r20%").error(), "10%\r");
}

#[test]
fn others_start_on_a_new_line() {
    let mut desk = Desk::new(2, TERMINAL);
    desk.prints(0, "name? ").waits(REST);
    assert_eq!(desk.output(), "name? ");
    assert_eq!(desk.prints(1, "working\n").output(), "\nworking\n");
    assert_eq!(desk.prints(1, "more\n").output(), "more\n");

    // Another stream of the same terminal.
    desk.prints_error(0, "\r10%").waits(REST);
    assert_eq!(desk.error(), "\r10%");
    assert_eq!(desk.prints(0, "found it\n").output(), "\nfound it\n");
}

#[test]
fn a_note_is_a_line_of_its_own() {
    let mut desk = Desk::new(2, LABELLED);
    let long = "x".repeat((ROOM / 2) + 1);
    desk.prints_error(0, &long).lines.note("note\n", false);
    desk.prints_error(0, "rest\n").lines.note("note\n", false);
    assert_eq!(desk.error(), format!("[0] {long}\nnote\n[0] rest\nnote\n"));

    let mut desk = Desk::new(2, TERMINAL);
    desk.prints(0, "name? ")
        .waits(REST)
        .lines
        .note("note\n", false);
    assert_eq!(
        (desk.output(), desk.error()),
        ("name? ".into(), "\nnote\n".into())
    );
}

#[test]
fn a_note_starts_behind_a_key_that_the_terminal_shows() {
    let mut desk = Desk::new(2, TERMINAL);
    desk.lines.note("note\n", true);
    assert_eq!(desk.error(), "\nnote\n");
}

#[test]
fn a_label_precedes_a_prompt_once() {
    let mut desk = Desk::new(
        2,
        Display {
            label: true,
            ..TERMINAL
        },
    );
    assert_eq!(desk.prints(0, "name? ").waits(REST).output(), "[0] name? ");
    assert_eq!(desk.prints(0, "hello\nbye\n").output(), "hello\n[0] bye\n");
}
