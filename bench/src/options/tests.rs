use std::time::Duration;

use super::*;
use crate::engines::engine::Engine;
use crate::kernels::list::KERNELS;
use crate::operations;
use crate::peers::Peer;

fn parse(line: &str) -> Result<Command, String> {
    super::parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
}

#[test]
fn all_options_are_understood() {
    let expected = Micro {
        images: 7,
        fabric: Fabric::Threads,
        operations: vec!["sync_all".into(), "co_sum".into()],
        kernels: Vec::new(),
        peers: vec![Peer::Mpi, Peer::MpiRma],
        peers_are_named: true,
        plot: Some("plots".into()),
        json: true,
        quick: true,
    };
    let line = "micro --images=7 --fabric threads --only co_sum,sync_all --peer mpi,mpi-rma --plot plots --json --quick";
    assert_eq!(parse(line), Ok(Command::Micro(expected)));

    let expected = Tune {
        images: vec![2, 5],
        fabric: Fabric::Processes,
        output: "out.toml".into(),
        quick: false,
    };
    assert_eq!(
        parse("tune --images 2,5 --output=out.toml"),
        Ok(Command::Tune(expected))
    );
}

#[test]
fn kernels_have_options_of_their_own() {
    let expected = Kernels {
        images: 3,
        fabric: Fabric::Threads,
        only: vec!["p2p".into(), "random".into()],
        json: true,
        quick: true,
    };
    let line = "kernels --images 3 --fabric=threads --only p2p,random --json --quick";
    assert_eq!(parse(line), Ok(Command::Kernels(expected)));
    for kernel in KERNELS {
        assert!(help().contains(kernel.name), "{}", kernel.name);
    }
}

#[test]
fn engines_have_options_of_their_own() {
    let expected = Engines {
        images: 3,
        rounds: Some(4),
        engines: vec![Engine::Shmem, Engine::Processes],
        only: vec!["put_quiet".into()],
        json: true,
        quick: true,
    };
    let line =
        "engines --images 3 --rounds=4 --engine shmem,processes --only put_quiet --json --quick";
    assert_eq!(parse(line), Ok(Command::Engines(expected)));
    for engine in Engine::ALL {
        assert!(help().contains(engine.name()), "{}", engine.name());
    }
}

#[test]
fn all_peers_are_measured_by_peers() {
    let Ok(Command::Peers(options)) = parse("peers --quick") else {
        panic!("peers is micro with all peers");
    };
    assert_eq!(options.peers, Peer::ALL);
    assert!(options.quick && !options.json && options.images == cores());
}

#[test]
fn help_is_found_everywhere_and_names_everything() {
    for line in [
        "--help",
        "-h",
        "help",
        "micro --help",
        "peers -h",
        "tune --help",
    ] {
        assert_eq!(parse(line), Ok(Command::Help), "{line}");
    }
    for name in operations::names() {
        assert!(help().contains(name), "{name}");
    }
    assert!(Peer::ALL.iter().all(|peer| help().contains(peer.name())));
}

#[test]
fn a_job_understands_its_own_words() {
    for task in [
        Task::Micro,
        Task::Alone(3),
        Task::Tune,
        Task::Busy,
        Task::Launch,
    ] {
        let job = Job {
            task,
            only: vec!["co_sum".into()],
            budget: Duration::from_millis(60),
            crowded: task == Task::Tune,
        };
        assert_eq!(parse(&job.words().join(" ")), Ok(Command::Job(job)));
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
        ("micro --only co_sum,co_some", "co_some"),
        ("micro --peer pvm", "pvm"),
        ("micro --json=yes", "--json"),
        ("micro --output x", "--output"),
        ("tune --images 2,,4", "--images"),
        ("tune --json", "--json"),
        ("kernels --only co_sum", "co_sum"),
        ("kernels --peer mpi", "--peer"),
        ("engines --rounds 0", "--rounds 0"),
        ("engines --engine steam", "steam"),
        ("engines --fabric mpi", "--fabric"),
    ] {
        let error = parse(line).unwrap_err();
        assert!(
            error.contains(word) && !error.contains('\n'),
            "{line}: {error}"
        );
    }
}
