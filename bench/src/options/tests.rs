use super::*;
use crate::COMMANDS;

fn parse(line: &str) -> Result<(&'static str, Options), String> {
    let words = line.split_whitespace().map(OsString::from);
    let request = super::parse(words, &COMMANDS).map_err(|error| error.to_string())?;
    let (command, options) = request.ok_or("help")?;
    Ok((command.name, options))
}

#[test]
fn all_options_are_understood() {
    let expected = Options {
        images: vec![7],
        fabrics: vec![Fabric::Threads],
        only: vec!["co_sum".into(), "sync_all".into()],
        peers: vec![Peer::Mpi, Peer::MpiRma],
        plot: Some("plots".into()),
        json: true,
        quick: true,
        ..Options::default()
    };
    let line = "micro --images=7 --fabric threads --only co_sum,sync_all --peer mpi,mpi-rma --plot plots --json --quick";
    assert_eq!(parse(line), Ok(("micro", expected)));

    let expected = Options {
        images: vec![3, 6],
        only: vec!["p2p".into(), "life".into()],
        weak: true,
        ..Options::default()
    };
    let line = "kernels --images 3,6 --only p2p,life --weak";
    assert_eq!(parse(line), Ok(("kernels", expected)));

    let expected = Options {
        images: vec![3],
        fabrics: vec![Fabric::Shmem, Fabric::Processes],
        rounds: Some(4),
        ..Options::default()
    };
    let line = "fabrics --images 3 --rounds=4 --fabric shmem,processes";
    assert_eq!(parse(line), Ok(("fabrics", expected)));

    let expected = Options {
        images: vec![2, 5],
        output: Some("out.toml".into()),
        ..Options::default()
    };
    let line = "tune --images 2,5 --output=out.toml";
    assert_eq!(parse(line), Ok(("tune", expected)));

    let (_, options) = parse("model --latency 6us --gap 4ns --bytes 64 --measured").unwrap();
    let network = options.network;
    assert_eq!(
        (network.latency, network.gap, network.bytes),
        (6000.0, 4.0, 64)
    );
    assert!(options.measured && options.images.is_empty());
}

#[test]
fn commands_have_defaults_of_their_own() {
    let (_, options) = parse("peers --quick").unwrap();
    assert_eq!(options.peers, Peer::ALL);
    assert_eq!(options.images, [cores()]);
    assert_eq!(parse("busy").unwrap().1.images, [2, 3, 4, 8]);
    let (_, options) = parse("engines").unwrap();
    assert_eq!(options.fabrics, [Fabric::Mpi, Fabric::Shmem]);
}

#[test]
fn help_is_found_everywhere() {
    for line in [
        "--help",
        "-h",
        "help",
        "micro --help",
        "peers -h",
        "tune --help",
    ] {
        assert_eq!(parse(line), Err("help".into()), "{line}");
    }
}

#[test]
fn errors_name_the_word_that_is_wrong() {
    for (line, word) in [
        ("", "cobench --help"),
        ("mikro", "mikro"),
        ("--json", "--json"),
        ("micro --jason", "--jason"),
        ("micro 2", "'2'"),
        ("micro --images", "--images"),
        ("micro --images 0", "0"),
        ("micro --images 2,4", "2,4"),
        ("micro --images many", "many"),
        ("micro --fabric cotton", "cotton"),
        ("micro --fabric mpi", "processes or threads"),
        ("micro --only co_sum,co_some", "co_some"),
        ("micro --peer pvm", "pvm"),
        ("micro --json=yes", "--json"),
        ("micro --output x", "--output"),
        ("tune --images 2,,4", "--images"),
        ("tune --json", "--json"),
        ("kernels --only co_sum", "co_sum"),
        ("kernels --peer mpi", "--peer"),
        ("fabrics --rounds 0", "--rounds 0"),
        ("fabrics --fabric steam", "steam"),
        ("fabrics --fabric threads", "threads"),
        ("fabrics --peer mpi", "--peer"),
        ("model --measured --images 2,100000", "100000"),
    ] {
        let error = parse(line).unwrap_err();
        assert!(
            error.contains(word) && !error.contains('\n'),
            "{line}: {error}"
        );
    }
}
