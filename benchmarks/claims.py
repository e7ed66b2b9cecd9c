"""Claims over many signed records: time, memory and the rate of verification beside securesystemslib.

Makes signed evidence of different tiers, commits and signers, then computes the claims in a fresh process, whose
peak memory (children included) is read from the kernel. Run: python benchmarks/claims.py [--counts 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

NOW = datetime(2026, 11, 30, 18, 0, 0, tzinfo=timezone.utc)
SIGNERS = 20
COMMITS = 1000
PROBES = 17
CHUNK = 2000


def commit(number: int) -> str:
    return hashlib.sha1(f"commit {number}".encode()).hexdigest()


def body(number: int) -> dict[str, Any]:
    """Return one record: signer, commit, gate and day change with its number, one in ten fails."""
    from tests.evidence.sample import P, at, changed, put

    items = [f"probe::probe-{n}" for n in range(PROBES)]
    failed = items[:1] if number % 10 == 3 else []
    passed = items[len(failed) :]
    value = changed(
        put("subject.0.digest", {"gitCommit": commit(number % COMMITS), "gitTree": commit(-1 - number % COMMITS)}),
        put("predicate.passedTests", passed),
        put("predicate.failedTests", failed),
        put("predicate.successes", len(passed)),
        put("predicate.failures", len(failed)),
        put("predicate.result", "FAILED" if failed else "PASSED"),
        put(f"{P}.outcome", "FAIL" if failed else "PASS"),
        put(f"{P}.plan.planned", PROBES),
        put(f"{P}.plan.executed", PROBES),
        put(f"{P}.plan.passed", len(passed)),
        put(f"{P}.plan.gate", f"gate-{number % 5}"),
        put(f"{P}.run.seq", number // SIGNERS + 1),
        at(NOW - timedelta(hours=1 + number % 2000)),
    )
    value["predicate"]["jetproof"]["artifacts"] = [
        {"name": name, "mediaType": "application/json", "digest": {"sha256": f"{number:064x}"}, "size": 4096}
        for name in ("journal.jsonl", "record.json", "junit.xml", "plan.json")
    ]
    return value


def write(folder: str, first: int, last: int) -> None:
    from tests.evidence.sample import key, signed

    from jetproof.evidence.store import digest_of, path_of

    for number in range(first, last):
        data = signed(body(number), key(1 + number % SIGNERS))
        path = Path(folder) / path_of(digest_of(data))
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def make(folder: str, count: int) -> None:
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [pool.submit(write, folder, n, min(n + CHUNK, count)) for n in range(0, count, CHUNK)]
        for job in jobs:
            job.result()


def policy() -> Any:
    from tests.evidence.sample import policy_bytes, policy_value

    from jetproof.policy.load import parse

    gates = [
        {
            **policy_value()["gates"][0],
            "id": f"gate-{n}",
            "aliases": [],
            "items": [{"probe": f"probe-{m}"} for m in range(PROBES)],
        }
        for n in range(5)
    ]
    tiers = [{**policy_value()["tiers"][0], "id": f"tier-{n}", "gate": f"gate-{n}"} for n in range(5)]
    return parse(policy_bytes(policy_value(gates=gates, tiers=tiers)), what="policy")[0]


def compute(folder: str, answer: Any) -> None:
    """Compute the claims for one commit and send the figures."""
    from tests.evidence.sample import TABLES, key, trust, trusted

    from jetproof.claims.calculus import Record, claims
    from jetproof.claims.gather import gather
    from jetproof.evidence.circumstances import Circumstances
    from jetproof.evidence.store import FolderStore

    around = Circumstances(
        trust=trust(*(trusted(key(1 + n), name=f"lane {n}") for n in range(SIGNERS))), now=NOW, tables=TABLES
    )
    started = time.perf_counter()
    gathered = gather(((path.name, path) for path in FolderStore(Path(folder)).paths()), around)
    verified = time.perf_counter()
    found = claims(policy(), Record(proofs=gathered.proofs, missing=gathered.sequences.missing), commit(3), NOW.date())
    done = time.perf_counter()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    answer.put(
        {
            "read": gathered.read,
            "standing": len(gathered.proofs),
            "verify_s": verified - started,
            "calculus_s": done - verified,
            "cpu_s": sum(one.ru_utime + one.ru_stime for one in used),
            "states": sorted({claim.state.value for claim in found.claims}),
        }
    )


def peak(process: Any) -> float:
    """Return the largest sum of the proportional memory of a process and its children, in MB, while it runs."""
    largest = 0.0
    while process.is_alive():
        largest = max(largest, sum(pss(pid) for pid in family(process.pid)))
        time.sleep(0.1)
    return largest / 1024


def family(root: int) -> Iterator[int]:
    yield root
    try:
        for task in Path(f"/proc/{root}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))
    except OSError:
        return


def pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def rates(count: int) -> None:
    """Print verifications a second on one core: our envelope reader and securesystemslib's, the same envelopes."""
    from securesystemslib.dsse import Envelope as Theirs
    from securesystemslib.signer import SSlibKey
    from tests.evidence.sample import LANE, signed, trust

    from jetproof.evidence.checks.signature import accepted
    from jetproof.evidence.envelope import parsed
    from jetproof.evidence.signer import keyid

    data = [signed(body(number)) for number in range(count)]
    store, identity = trust(), keyid(LANE.public)
    started = time.process_time()
    for item in data:
        assert accepted(parsed(item), store) is store.keys[0]
    ours = count / (time.process_time() - started)
    key = SSlibKey(identity, "ed25519", "ed25519", {"public": LANE.public.hex()})
    started = time.process_time()
    for item in data:
        Theirs.from_dict(json.loads(item)).verify([key], 1)
    theirs = count / (time.process_time() - started)
    print(f"verification a core: jetproof {ours:,.0f}/s, securesystemslib {theirs:,.0f}/s, ratio {ours / theirs:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=int, nargs="+", default=[1000, 10_000, 100_000])
    arguments = parser.parse_args()
    print(f"{date.today()} {len(os.sched_getaffinity(0))} cores, Python {sys.version.split()[0]}")
    rates(2000)
    for count in arguments.counts:
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            make(folder, count)
            made = time.perf_counter() - started
            context = multiprocessing.get_context("spawn")
            answer = context.Queue()
            process = context.Process(target=compute, args=(folder, answer))
            process.start()
            largest = peak(process)
            found = answer.get(timeout=60)
            process.join()
        total = found["verify_s"] + found["calculus_s"]
        each = 1e6 * total / count
        print(
            f"{count:>7} records: {total:6.2f} s ({each:.0f} us each; calculus {found['calculus_s']:.2f} s)", end=", "
        )
        print(f"{found['cpu_s']:.1f} s of CPU ({1e6 * found['cpu_s'] / count:.0f} us each)", end=", ")
        print(f"peak {largest:.0f} MB (all processes), {found['standing']} stand, states {found['states']}", end="; ")
        print(f"made in {made:.0f} s")


if __name__ == "__main__":
    main()
