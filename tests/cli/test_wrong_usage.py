"""Every wrong call ends with an error that says what is wrong and what to do, and with the exit code it deserves."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jetproof.cli.main import main

pytestmark = pytest.mark.process  # git is asked about checkouts

FILES = {
    "wrong.json": b'{"schema": "other/1"}',
    "list.json": b"[]",
    "noise.dat": bytes(range(256)) * 12,
    "empty": b"",
    "text.txt": b"not json\n",
    "broken.toml": b"x = [\n",
}
INIT = "init --project plain --repository a/b"
TRUST = "keys trust text.txt --name a --module x86"

WRONG = {
    2: f"""
doctor --from missing.json
doctor --from dir
doctor --from wrong.json
doctor --from list.json
doctor --from noise.dat
doctor --from empty
doctor --target ftp://x
doctor --target ssh://
doctor --target container:x
doctor --target simulated:missing
doctor --from text.txt --python /x
doctor --json --markdown
doctor extra
doctor --fro text.txt
inspect --from wrong.json --save nowhere/x.json
explain missing.txt
explain dir
explain noise.dat
explain empty
audit missing --stack jp6.2
audit dir --stack jp6.2
audit noise.dat --stack jp6.2
audit text.txt --stack nope
audit text.txt
audit text.txt --stack jp6.2 --from wrong.json
audit text.txt --stack jp6.2 --python-release x
audit text.txt --stack jp6.2 --held torch>=2
audit text.txt --stack jp6.2 --emit nope
audit text.txt --stack jp6.2 --diff
install
install missing
install text.txt --timeout x
install --torch --stack nope
image choose --stack nope
image plan missing --stack jp6.2
image plan dir --base-image x:latest
image run x jetson-cuda-runtime
image nosuch
rules JD999
completion nosuch
run
run nogate
run nogate --project missing
run jetson-cuda-runtime --policy missing.json
run jetson-cuda-runtime --from wrong.json
replay missing
replay dir
replay text.txt
gates --project missing
gates --project text.txt
gates --policy missing.json
probes nosuch
policy
policy chek
policy show --project text.txt
policy check --project plain
policy check --project missing
policy diff nowhere --project plain
policy diff nowhere --project repo
policy pin nosuch --project repo
verify list.json --project plain
verify list.json --project repo --trust missing.toml
verify list.json --project repo --base nowhere
evidence
evidence sign missing --key missing
evidence sign dir --key text.txt --signer x
evidence sign dir --signer nosuch:1
evidence list --project plain
evidence prune --project plain
claims --project plain
claims --project missing
claims --project repo --store missing --branch x
claims --project repo --check --write
challenge jetson-cuda-runtime --project plain
challenge nogate --project repo
challenge jetson-cuda-runtime --project repo --commit nowhere
init --project missing
init --project text.txt
init --project plain
init --project plain --repository x
{INIT} --test nope
{INIT} --resolver nope
{INIT} --tier nope
{INIT} --stack nope
{INIT} --stack jp6.2
{INIT} --image x
{INIT} --torch-wheel https://x.example/y.whl --torch-sha256 zz
{INIT} --policy ../x.json
{INIT} --diff --json
report missing
report dir
report --from list.json
fleet
fleet run missing.toml jetson-cuda-runtime
fleet run broken.toml jetson-cuda-runtime
fleet run dir jetson-cuda-runtime
fleet run text.txt jetson-cuda-runtime --parallel 0
fleet boards noise.dat
fleet boards list.json
fleet status missing
fleet status text.txt
fleet emit github missing g
fleet emit kubernetes missing g --image x
keys
keys new text.txt
keys new k --passphrase-env NO_SUCH_VARIABLE
keys trust missing --name a --module x86 --project repo
keys trust dir --name a --module x86 --project repo
{TRUST} --project repo
{TRUST} --until yesterday
""",
    9: """
run jetson-cuda-runtime --policy wrong.json
gates --policy noise.dat
gates --policy list.json
policy check-schema --policy broken.toml
verify list.json --project repo --trust broken.toml
verify missing --project repo --trust list.json
evidence list --project repo
evidence list --project repo --trust noise.dat
claims --project repo
""",
}
CALLS = [(line, code) for code, lines in WRONG.items() for line in lines.strip().splitlines()]


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that is not what a command wants."""
    root = tmp_path_factory.mktemp("things")
    for name in ("dir", "plain", "repo"):
        (root / name).mkdir()
    for name, data in FILES.items():
        (root / name).write_bytes(data)
    who = ["-c", "user.name=ada", "-c", "user.email=ada@mail.example"]
    for words in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", "-C", str(root / "repo"), *words], check=True, capture_output=True)
    return root


def ended(line: str) -> int:
    try:
        return main(shlex.split(line))
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(("line", "code"), CALLS, ids=[line.replace("/", "_") for line, _ in CALLS])
def test_a_wrong_call_is_an_error_with_a_hint(
    line: str, code: int, things: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(things)
    before = sorted(things.rglob("*"))
    found = ended(line)
    told = capsys.readouterr()
    assert found == code, told.err
    assert told.out == ""
    assert "Traceback" not in told.err
    if "--json" in line:
        error = json.loads(told.err)
        assert (error["schema"], error["exit_code"]) == ("jetproof/error/1", code)
        assert error["hint"]
    else:
        lines = told.err.splitlines()
        assert any(one.startswith("error: ") for one in lines), told.err
        assert any(one.startswith("hint: ") for one in lines), told.err
    assert sorted(things.rglob("*")) == before, "a refused call writes nothing"


def test_there_are_enough_of_them() -> None:
    assert len(CALLS) >= 100
    assert len({line for line, _ in CALLS}) == len(CALLS)


def test_a_name_that_is_no_text_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", os.fsdecode(b"\xff.txt")]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert told.isascii()


@pytest.mark.parametrize("line", ["rules", "probes", "gates", "doctor --from {board}", "policy show", "--help"])
def test_a_reader_that_goes_away_is_no_error(line: str) -> None:
    board = Path(__file__).parent.parent / "fixtures" / "boards" / "022-orin-nano-r36.4.7.json"
    words = shlex.quote(sys.executable) + " -m jetproof " + line.format(board=shlex.quote(str(board)))
    done = subprocess.run(["sh", "-c", f"{words} | head -n 1"], capture_output=True, check=False, timeout=60)
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_nobody_types_into_a_closed_input() -> None:
    line = f"{shlex.quote(sys.executable)} -m jetproof explain <&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard input is ")


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"COLUMNS": "40"}, {"LC_ALL": "C"}])
def test_a_poor_terminal_gets_the_same_answer(variables: dict[str, str]) -> None:
    board = Path(__file__).parent.parent / "fixtures" / "boards" / "022-orin-nano-r36.4.7.json"
    words = [sys.executable, "-m", "jetproof", "doctor", "--from", str(board)]
    rich, poor = (
        subprocess.run(words, capture_output=True, check=False, timeout=60, env={**os.environ, **more})
        for more in ({}, {**variables, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    )
    assert poor.returncode == rich.returncode
    assert poor.stdout.splitlines()[0] == rich.stdout.splitlines()[0]
    assert b"\x1b" not in poor.stdout
    assert poor.stderr == b""


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_help_fits_the_terminal(width: str) -> None:
    words = [sys.executable, "-m", "jetproof", "--help"]
    done = subprocess.run(
        words, capture_output=True, check=True, timeout=60, text=True, env={**os.environ, "COLUMNS": width}
    )
    assert all(len(line) <= int(width) or line.startswith("https://") for line in done.stdout.splitlines())


@pytest.mark.parametrize("module", ["signal", "argparse"])
def test_an_interruption_while_python_imports_is_told_without_a_traceback(tmp_path: Path, module: str) -> None:
    """A module that the command line imports early interrupts: as if Ctrl-C came in that very moment."""
    (tmp_path / f"{module}.py").write_text("import os\nos.kill(os.getpid(), 2)\n")
    done = subprocess.run(
        [sys.executable, "-m", "jetproof", "rules"],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"jetproof: interrupted\n")


@pytest.mark.parametrize("shell", ["bash", "fish", "tcsh", "zsh"])
def test_the_shell_itself_reads_its_completion(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    done = subprocess.run([program, "-n", str(script)], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
