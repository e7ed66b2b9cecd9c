"""A whole round in a real repository: key, trust, signed run, store, verification, claims; then what goes wrong."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.run_sample import X86, context, made, plan
from tests.evidence.sample import policy_bytes

from jetproof.cli.main import main
from jetproof.evidence.branch_store import BranchStore
from jetproof.evidence.git import GitRepository
from jetproof.policy.load import parse
from jetproof.qualify.clock import Instant
from jetproof.qualify.plan_model import Source

pytestmark = pytest.mark.process


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, check=True, timeout=60)
    return done.stdout.decode().strip()


class Project:
    """A host project with a policy, a trusted key and a way to run its gate."""

    def __init__(self, root: Path) -> None:
        self.root = root / "project"
        self.key = root / "lane"
        self.root.mkdir()
        git(self.root, "init", "-q", "-b", "main")
        git(self.root, "remote", "add", "origin", "https://git.example/owner/project")
        (self.root / "ci").mkdir()
        (self.root / "ci" / "conditional-test-policy.json").write_bytes(policy_bytes())
        (self.root / ".gitignore").write_text("conditional-evidence/\n")
        (self.root / "code.py").write_text("1\n")
        assert main(["keys", "new", str(self.key)]) == 0
        words = ["--name", "lane", "--module", "Jetson AGX Orin 64GB", "--module", "x86", "--project", str(self.root)]
        assert main(["keys", "trust", f"{self.key}.pub", *words]) == 0
        self.commit("first")

    def commit(self, message: str) -> str:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", message)
        return git(self.root, "rev-parse", "HEAD")

    def ran(self, *, gate: str = "jetson-cuda-runtime", **options: Any) -> Path:
        """Run the gate now and return the signed envelope."""
        source = Source(
            commit=git(self.root, "rev-parse", "HEAD"),
            tree=git(self.root, "rev-parse", "HEAD^{tree}"),
            committed_at="2026-01-01T00:00:00Z",
            ref="refs/heads/main",
            repository="https://git.example/owner/project",
        )
        digest = parse(policy_bytes(), what="policy")[1]
        changes = {"source": source, "policy_sha256": digest, **options.pop("plan", {})}
        folder = self.root / "conditional-evidence" / gate
        if folder.exists():
            folder.rename(folder.with_name(f"{gate}.{len(list(folder.parent.iterdir())):012x}"))
        made(folder, plan(**changes), now=ticking_now(), **options)
        assert main(["evidence", "sign", str(folder), "--key", str(self.key)]) == 0
        return folder.with_name(f"{gate}.intoto.json")

    def call(self, *words: str) -> int:
        return main([*words, "--project", str(self.root)])


def ticking_now() -> Any:
    start = datetime.now(timezone.utc)
    count = 0

    def now() -> Instant:
        nonlocal count
        count += 1
        wall = start + timedelta(seconds=count * 0.01)
        return Instant(
            utc=wall.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), monotonic=round(100 + count * 0.01, 6), boot="0" * 16
        )

    return now


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def states(project: Project, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert project.call("claims", "--json", *words) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "jetproof/claims/1"
    return {claim["id"]: claim for claim in body["claims"]}


def test_a_round(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "unproven"
    proven = git(project.root, "rev-parse", "HEAD")
    envelope = project.ran()

    assert project.call("verify", str(envelope)) == 0
    assert "\nproven: " in capsys.readouterr().out
    assert project.call("evidence", "add", str(envelope), "--with-side-files") == 0
    assert project.call("evidence", "add", str(envelope)) == 0
    assert project.call("verify", str(project.root / ".jetproof" / "evidence")) == 0
    found = states(project, capsys)
    assert found["agx-orin-jp62"]["state"] == "supported"
    assert found["cuda-runtime"]["state"] == "unproven"
    assert found["linux-arm64-preflight"]["state"] == "unproven"

    # keeping the evidence makes a commit, and changes nothing that matters
    project.commit("evidence")
    kept = states(project, capsys)["agx-orin-jp62"]
    assert kept["state"] == "supported"
    assert kept["proven_commit"] == proven

    # writing a support block makes a commit, too
    (project.root / "README.md").write_text("<!-- jetproof:begin support -->\nyes\n<!-- jetproof:end support -->\n")
    project.commit("block")
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "supported"

    # code does matter, and a marker in it changes nothing
    (project.root / "code.py").write_text("# jetproof:begin\n2\n")
    project.commit("code")
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "unproven"
    assert states(project, capsys, "--commit", proven)["agx-orin-jp62"]["state"] == "supported"

    capsys.readouterr()
    assert project.call("claims") == 0
    text = capsys.readouterr().out
    assert text.startswith("Proven at ")
    assert "missing: a green run of jetson-cuda-runtime" in text


def test_a_failure_and_its_mending(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.call("evidence", "add", str(project.ran())) == 0
    failed = project.ran(bad={"probe::cuda-available": ("FAIL", "no-device")})
    assert project.call("verify", str(failed)) == 1
    assert project.call("evidence", "add", str(failed)) == 0
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "failing"
    # number 3 is not handed over: what it says is not known
    project.ran()
    assert project.call("evidence", "add", str(project.ran())) == 0
    capsys.readouterr()
    assert project.call("evidence", "list") == 0
    assert "gap: number 3 of" in capsys.readouterr().out
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "supported"


def test_a_failure_cannot_be_deleted_by_a_proposal(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.call("evidence", "add", str(project.ran())) == 0
    assert project.call("evidence", "add", str(project.ran(bad={"probe::cuda-available": ("FAIL", "no-device")}))) == 0
    project.commit("evidence")
    store = project.root / ".jetproof" / "evidence"
    last = max(store.rglob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    git(project.root, "switch", "-q", "-c", "proposal")
    last.unlink()
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "failing"  # HEAD judges, and holds it
    project.commit("deleted")
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "supported"  # nobody else knows of it now
    found = states(project, capsys, "--base", "main")
    assert found["agx-orin-jp62"]["state"] == "failing"
    capsys.readouterr()
    assert project.call("claims", "--base", "main") == 0
    assert "taken out of the store, and counts all the same, since main holds it" in capsys.readouterr().out


def test_x86_evidence_proves_no_jetson(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = plan().gate.model_copy(update={"id": "cuda-runtime", "platform": "x86-cuda"})
    step = [item for item in plan().items if item.id == "probe::cuda-available"]
    envelope = project.ran(
        gate="cuda-runtime",
        plan={"gate": chosen, "items": tuple(step), "tier": None},
        about=context(facts=X86, image_digest=None),
    )

    assert project.call("verify", str(envelope)) == 0
    assert project.call("evidence", "add", str(envelope)) == 0
    found = states(project, capsys)
    assert found["cuda-runtime"]["state"] == "supported"
    assert found["agx-orin-jp62"]["state"] == "unproven"
    assert found["linux-arm64-preflight"]["state"] == "unproven"


def edited(path: Path) -> None:
    body = json.loads(path.read_text())
    body["payload"] = body["payload"][:50] + ("A" if body["payload"][50] != "A" else "B") + body["payload"][51:]
    path.write_text(json.dumps(body))


def test_edited_evidence(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = project.ran()
    edited(envelope)
    capsys.readouterr()

    assert project.call("verify", "--json", str(envelope)) == 6
    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "jetproof/verification/1"
    assert [item["reason"] for item in body["evidence"][0]["refusals"]] == ["SIGNATURE_INVALID"]
    assert "gate" not in body["evidence"][0]  # nothing of it is repeated as if it said something
    assert project.call("evidence", "add", str(envelope)) == 6


def test_another_commit(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = project.ran()
    (project.root / "code.py").write_text("2\n")
    project.commit("second")
    capsys.readouterr()

    assert project.call("verify", str(envelope), "--commit", "HEAD") == 6
    assert "COMMIT_DIFFERENT" in capsys.readouterr().out


def test_side_files_that_are_missing_are_not_passed_over(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = project.ran()
    lonely = project.root.parent / "lonely.intoto.json"
    lonely.write_bytes(envelope.read_bytes())
    capsys.readouterr()

    assert project.call("verify", str(lonely)) == 6
    assert "ARTIFACT_MISSING" in capsys.readouterr().out
    assert project.call("verify", str(lonely), "--envelope-only") == 0
    assert "the record was not replayed" in capsys.readouterr().out
    assert project.call("verify", str(lonely), "--side-files", str(envelope.with_name("jetson-cuda-runtime"))) == 0


def test_a_change_under_review_names_no_judges(project: Project, tmp_path: Path) -> None:
    """A key that is added to the working tree, or on a branch that does not judge, is not trusted."""
    rogue = tmp_path / "rogue"
    assert main(["keys", "new", str(rogue)]) == 0
    words = ["--name", "rogue", "--module", "*", "--project", str(project.root)]
    assert main(["keys", "trust", f"{rogue}.pub", *words]) == 0
    project.key = rogue
    envelope = project.ran()

    assert project.call("verify", str(envelope)) == 6  # the working tree trusts it, HEAD does not
    git(project.root, "branch", "judge")
    project.commit("trust me")
    assert project.call("verify", str(envelope), "--base", "judge") == 6
    assert project.call("verify", str(envelope), "--base", "HEAD") == 0


def test_challenge_and_countersignature(project: Project, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    capsys.readouterr()
    assert project.call("challenge", "jetson-cuda-runtime", "--json") == 0
    text = capsys.readouterr().out
    file = tmp_path / "challenge.json"
    file.write_text(text)
    envelope = project.ran(plan={"challenge": json.loads(text)["challenge"]})
    other = project.ran()
    out = tmp_path / "predicate.json"
    words = [
        "--policy-uri",
        "https://git.example/owner/project/policy",
        "--challenge-file",
        str(file),
        "--output",
        str(out),
    ]

    assert project.call("verify", str(other), "--challenge-file", str(file)) == 6
    assert project.call("evidence", "countersign", str(other), *words) == 6
    assert not out.exists()
    capsys.readouterr()
    # the first envelope was overwritten by the second run: sign the earlier folder again under its own number
    assert envelope == other
    folders = [path for path in envelope.parent.iterdir() if path.is_dir() and path.name != "jetson-cuda-runtime"]
    first = tmp_path / "first.intoto.json"
    assert main(["evidence", "sign", str(folders[0]), "--key", str(project.key), "--output", str(first)]) == 0
    assert project.call("evidence", "countersign", str(first), "--side-files", str(folders[0]), *words) == 0
    body = json.loads(out.read_text())
    assert body["properties"] == [
        "JETPROOF_LANE_PASSED",
        "JETPROOF_FRESH_30",
        "JETPROOF_GATE_JETSON_CUDA_RUNTIME",
        "JETPROOF_MODULE_JETSON_AGX_ORIN_64GB",
        "JETPROOF_L4T_36_4_3",
    ]


def test_a_store_on_a_branch(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = project.ran()
    before = git(project.root, "status", "--porcelain")

    assert project.call("evidence", "add", str(envelope), "--branch", "evidence") == 0
    assert project.call("evidence", "add", str(envelope), "--branch", "evidence") == 0
    assert git(project.root, "rev-list", "--count", "evidence") == "1"
    assert git(project.root, "status", "--porcelain") == before
    assert states(project, capsys, "--branch", "evidence")["agx-orin-jp62"]["state"] == "supported"

    store = BranchStore(GitRepository(project.root), "evidence")
    ((name, data),) = store.envelopes()
    head = store.head()
    assert data == envelope.read_bytes()
    assert store.remove([name.removesuffix(".json")], {"k": 1}) == 1
    assert store.floors() == {"k": 1}
    assert head is not None
    assert [path.partition("/")[2] for path in store.dropped(head)] == [name]
    assert list(store.envelopes()) == []


def test_show_redact_and_prune(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = project.ran()
    assert project.call("evidence", "add", str(envelope)) == 0
    capsys.readouterr()
    assert project.call("evidence", "show", str(envelope)) == 0
    assert json.loads(capsys.readouterr().out)["predicate"]["result"] == "PASSED"
    assert project.call("evidence", "list", "--json") == 0
    sha256 = json.loads(capsys.readouterr().out)["evidence"][0]["sha256"]

    assert project.call("evidence", "redact", sha256[:10], "--key", str(project.key)) == 0
    capsys.readouterr()
    assert project.call("evidence", "list", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["evidence"]
    assert row["sha256"] != sha256
    assert row["seq"] == 1
    assert states(project, capsys)["agx-orin-jp62"]["state"] == "supported"

    assert project.call("evidence", "prune", "--json") == 0
    assert json.loads(capsys.readouterr().out)["pruned"] == []


def test_wrong_use_is_told_without_a_traceback(
    project: Project, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for words, code in (
        (["verify", str(tmp_path / "nowhere")], 2),
        (["verify", str(tmp_path)], 2),
        (["claims", "--commit", "nowhere"], 2),
        (["claims", "--base", "nowhere"], 2),
        (["evidence", "show", "abcdef"], 2),
        (["evidence", "add", str(project.root / "code.py")], 6),
        (["challenge", "gate", "--commit=--upload-pack=x"], 2),
        (["evidence", "list", "--branch", "../x"], 2),
    ):
        capsys.readouterr()
        assert project.call(*words) == code, words
        told = capsys.readouterr().err
        assert told.startswith("error: "), told
        assert "Traceback" not in told


def test_replacement_objects_and_tags_change_nothing(project: Project) -> None:
    first = git(project.root, "rev-parse", "HEAD")
    tree = git(project.root, "rev-parse", "HEAD^{tree}")
    (project.root / "code.py").write_text("evil\n")
    second = project.commit("second")
    git(project.root, "replace", first, second)
    git(project.root, "tag", "-a", "-m", "x", "v1", second)
    repository = GitRepository(project.root)

    assert repository.tree(first) == tree
    assert repository.resolve("v1") == second
    tag = git(project.root, "rev-parse", "v1")
    assert repository.tree(tag) is None
    assert repository.tree("HEAD") is None
    assert repository.file(first, "../x") is None
    assert repository.file(second, "code.py") == b"evil\n"
    (project.root / "link").symlink_to("code.py")
    third = project.commit("link")
    assert repository.file(third, "link") is None
