"""What an audit makes of a project: one small project a cause, and the cause in the finding's words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from jetproof.errors import UsageError
from jetproof.install import readers
from jetproof.install.audit import Audit, audit
from jetproof.install.case import held
from jetproof.install.finding import Confidence, Severity, Verdict
from jetproof.install.judgements import JUDGEMENTS
from jetproof.install.locked import Kind, LockedPackage, Project, Where
from jetproof.install.stack_environment import board
from jetproof.tables import load

TABLES = load()
VENDOR = "torch==2.8.0a0+5228986c39.nv25.6"
PLAIN = "torch==2.8.0"


def judged(
    folder: Path, text: str, name: str = "requirements.txt", stack: str = "jp6.2", kept: tuple[str, ...] = (VENDOR,)
) -> Audit:
    (folder / name).write_text(text)
    made = board(TABLES.stack(stack))
    return audit(readers.read(folder / name), made, TABLES, held=[held(one) for one in kept])


def uv_lock(*packages: str, wanted: str) -> str:
    return (
        'version = 1\nrequires-python = ">=3.8"\n[[package]]\nname = "rover"\nsource = { virtual = "." }\n'
        f"dependencies = [{wanted}]\n" + "".join(packages)
    )


def locked(
    name: str, release: str, *, index: str = "https://index.example/simple", files: str = "", more: str = ""
) -> str:
    return f'[[package]]\nname = "{name}"\nversion = "{release}"\nsource = {{ registry = "{index}" }}\n{more}' + (
        f"wheels = [{files}]\n" if files else ""
    )


def wheel(name: str) -> str:
    return f'{{ url = "https://files.index.example/{name}" }},'


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("torch", Verdict.OK),
        ("torch>=2.0", Verdict.OK),
        ("torch>=2.7", Verdict.OK),
        ("torch==2.8.*", Verdict.OK),
        ("torch<2.9", Verdict.OK),
        ("torch>=2.8.0a0", Verdict.OK),
        ("torch!=2.8.0", Verdict.OK),
        ("torch>=2.8", Verdict.REPLACES_TORCH),
        ("torch==2.8.0", Verdict.REPLACES_TORCH),
        ("torch~=2.8.0", Verdict.REPLACES_TORCH),
        ("torch<2.8", Verdict.REPLACES_TORCH),
        ("torch>=2.9", Verdict.REPLACES_TORCH),
        ("torch==2.5.1+cpu", Verdict.REPLACES_TORCH),
        ("torch==2.4.1", Verdict.REPLACES_TORCH),
        (
            "torch @ https://download.pytorch.org/whl/cpu/torch-2.8.0%2Bcpu-cp310-cp310-linux_aarch64.whl",
            Verdict.REPLACES_TORCH,
        ),
        ("torch @ git+https://git.example/pytorch.git", Verdict.REPLACES_TORCH),
        ("torch>=2.9; platform_machine == 'x86_64'", Verdict.OK),
        ("torch>=2.9; 'tegra' not in platform_release", Verdict.OK),
        ("torch>=2.9; platform_machine == 'aarch64'", Verdict.REPLACES_TORCH),
        ("numpy", Verdict.OK),
        ("torchvision", Verdict.REPLACES_TORCH),
        ("torchvision==0.23.0", Verdict.REPLACES_TORCH),
        ("torchaudio", Verdict.REPLACES_TORCH),
        ("torchcodec", Verdict.OK),
        ("timm", Verdict.REPLACES_TORCH),
        ("xformers==0.0.20", Verdict.REPLACES_TORCH),
        ("accelerate>=0.24", Verdict.OK),
        ("git+https://git.example/tool.git", Verdict.UNDETERMINED),
    ],
)
def test_one_requirement(tmp_path: Path, line: str, verdict: Verdict) -> None:
    result = judged(tmp_path, line + "\n")
    assert result.verdict is verdict
    assert result.conditional


def test_an_alpha_is_told_from_a_number_too_low(tmp_path: Path) -> None:
    alpha = judged(tmp_path, "torch>=2.8\n").findings[0]
    assert "an alpha comes before 2.8.0" in alpha.message
    assert alpha.remedy[0].text == 'write "torch>=2.8.0a0", which admits the vendor\'s alpha'
    above = judged(tmp_path, "torch>=2.9\n").findings[0]
    assert "asks for more than the vendor build that is held" in above.message
    assert "2.14.1" in above.message
    default = judged(tmp_path, "torch>=2.9\n", kept=()).findings[0]
    assert "the newest vendor build for this stack, torch 2.5.0a0+872d972e41.nv24.08" in default.message


@pytest.mark.parametrize(
    ("line", "kept", "verdict"),
    [
        ("torch==2.8.0", (PLAIN,), Verdict.OK),
        ("torch>=2.8", (PLAIN,), Verdict.OK),
        ("timm\ntorch", (VENDOR, "torchvision==0.23.0"), Verdict.OK),
        ("torchvision>=0.20", (VENDOR, "torchvision==0.23.0"), Verdict.OK),
        ("torchvision>=0.24", (VENDOR, "torchvision==0.23.0"), Verdict.REPLACES_TORCH),
        ("vllm", (VENDOR, "torchvision==0.23.0"), Verdict.REPLACES_TORCH),
        ("torch", ("torch",), Verdict.OK),
        ("torch>=2", ("torch",), Verdict.UNDETERMINED),
    ],
)
def test_what_is_held_decides(tmp_path: Path, line: str, kept: tuple[str, ...], verdict: Verdict) -> None:
    assert judged(tmp_path, line, kept=kept).verdict is verdict


@pytest.mark.parametrize("text", ["torch>=2", "torch==2.*", "==2", "torch===x y", "torch==2,==3"])
def test_held_wants_one_number(text: str) -> None:
    with pytest.raises(UsageError, match="--held"):
        held(text)


@given(
    st.sampled_from(["==", ">=", "<=", ">", "<", "~=", "!="]), st.integers(1, 3), st.integers(0, 15), st.integers(0, 3)
)
def test_a_requirement_is_ok_exactly_when_the_installer_keeps_the_alpha(
    operator: str, major: int, minor: int, patch: int
) -> None:
    specifier = f"{operator}{major}.{minor}.{patch}"
    project = Project(
        kind=Kind.REQUIREMENTS,
        path="r.txt",
        locked=False,
        packages=(LockedPackage(name="torch", specifier=specifier, where=Where(file="r.txt")),),
    )
    result = audit(project, board(TABLES.stack("jp6.2")), TABLES, held=[held(VENDOR)])
    kept = SpecifierSet(specifier).contains("2.8.0a0+5228986c39.nv25.6", prereleases=True)
    assert (result.verdict is Verdict.OK) is kept


def test_the_board_s_python_comes_first(tmp_path: Path) -> None:
    text = '[project]\nname = "rover"\nrequires-python = ">=3.12"\ndependencies = ["torch==2.1"]\n'
    result = judged(tmp_path, text, "pyproject.toml")
    assert result.verdict is Verdict.FAILS_PYTHON
    assert {finding.verdict for finding in result.findings} >= {Verdict.FAILS_PYTHON, Verdict.REPLACES_TORCH}
    assert "jp7.2" in result.findings[0].remedy[0].text
    assert result.findings[0].where.line == 3
    assert judged(tmp_path, text, "pyproject.toml", stack="jp7.2-orin").verdict is Verdict.REPLACES_TORCH


def test_a_bound_on_python_that_cannot_be_read(tmp_path: Path) -> None:
    text = '[project]\nname = "rover"\nrequires-python = "about three"\ndependencies = []\n'
    assert judged(tmp_path, text, "pyproject.toml").verdict is Verdict.UNDETERMINED


def test_a_locked_package_may_want_another_python(tmp_path: Path) -> None:
    text = 'lock-version = "1.0"\n[[packages]]\nname = "new"\nversion = "1"\narchive = { url = "x" }\n'
    text += 'requires-python = ">=3.11"\n'
    result = judged(tmp_path, text, "pylock.toml")
    assert result.verdict is Verdict.FAILS_PYTHON
    assert "new 1 wants Python >=3.11" in result.findings[0].message


def test_a_pylock_for_other_environments(tmp_path: Path) -> None:
    text = 'lock-version = "1.0"\nenvironments = ["sys_platform == \'win32\'"]\npackages = []\n'
    assert judged(tmp_path, text, "pylock.toml").verdict is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    ("release", "index", "kept", "verdict", "words"),
    [
        ("2.8.0+cpu", "https://download.pytorch.org/whl/cpu", (VENDOR,), Verdict.REPLACES_TORCH, "CPU build"),
        ("2.8.0", "https://index.example/simple", (PLAIN,), Verdict.REPLACES_TORCH, "under the vendor's number"),
        ("2.8.0", "https://pypi.jetson-ai-lab.io/jp6/cu126", (PLAIN,), Verdict.OK, ""),
        (
            "2.8.0",
            "https://pypi.jetson-ai-lab.io/jp6/cu126/+simple",
            (VENDOR,),
            Verdict.REPLACES_TORCH,
            "another build for Jetson",
        ),
        ("2.8.0a0+5228986c39.nv25.06", "https://index.example/simple", (VENDOR,), Verdict.OK, ""),
        ("2.7.1", "https://index.example/simple", (VENDOR,), Verdict.REPLACES_TORCH, "CPU build up to 2.10"),
        ("2.14.1", "https://index.example/simple", (VENDOR,), Verdict.REPLACES_TORCH, "no code for sm_87"),
        ("2.11.0+cu128", "https://download.pytorch.org/whl/cu128", (VENDOR,), Verdict.REPLACES_TORCH, "CUDA 12.8"),
        ("1.13.1", "https://index.example/simple", (VENDOR,), Verdict.REPLACES_TORCH, "CPU build"),
    ],
)
def test_a_torch_in_a_lock(
    tmp_path: Path, release: str, index: str, kept: tuple[str, ...], verdict: Verdict, words: str
) -> None:
    text = uv_lock(locked("torch", release, index=index), wanted='{ name = "torch" }')
    result = judged(tmp_path, text, "uv.lock", kept=kept)
    assert result.verdict is verdict
    if words:
        assert words in result.findings[0].message


def test_the_index_s_torch_is_right_on_thor_unless_another_is_held(tmp_path: Path) -> None:
    text = uv_lock(locked("torch", "2.14.1"), wanted='{ name = "torch" }')
    assert judged(tmp_path, text, "uv.lock", stack="jp7-thor", kept=()).verdict is Verdict.OK
    assert judged(tmp_path, text, "uv.lock", stack="jp7-thor", kept=("torch==2.9.1",)).verdict is Verdict.REPLACES_TORCH


def test_a_sibling_without_torch_does_not_match(tmp_path: Path) -> None:
    text = uv_lock(locked("torchvision", "0.29.2"), wanted='{ name = "torchvision" }')
    result = judged(tmp_path, text, "uv.lock")
    assert result.verdict is Verdict.UNDETERMINED
    assert "whether it loads is not known" in result.findings[0].message


def test_a_package_without_any_fitting_wheel(tmp_path: Path) -> None:
    def verdict(*names: str, sdist: bool) -> tuple[Verdict, str]:
        more = 'sdist = { url = "https://files.index.example/x-1.tar.gz" }\n' if sdist else ""
        text = uv_lock(locked("x", "1", files="".join(map(wheel, names)), more=more), wanted='{ name = "x" }')
        result = judged(tmp_path, text, "uv.lock")
        found = [one.message for one in result.findings if one.rule == "JA011"]
        return result.verdict, found[0] if found else ""

    x86 = "x-1-cp310-cp310-manylinux_2_17_x86_64.whl"
    assert verdict(x86, sdist=True) == (Verdict.OK, "x 1: it has no wheel for aarch64 Linux; it is built on the board")
    assert verdict(x86, sdist=False)[0] is Verdict.UNDETERMINED
    assert verdict("x-1-cp312-cp312-manylinux_2_17_aarch64.whl", sdist=False)[0] is Verdict.FAILS_PYTHON
    assert "newer glibc than 2.35" in verdict("x-1-cp310-cp310-manylinux_2_39_aarch64.whl", sdist=True)[1]
    assert "for musl" in verdict("x-1-cp310-cp310-musllinux_1_2_aarch64.whl", sdist=True)[1]
    assert verdict("x-1-cp39-abi3-manylinux_2_17_aarch64.whl", sdist=False) == (Verdict.OK, "")
    assert verdict(x86, "x-1-1-cp310-cp310-linux_aarch64.whl", sdist=False) == (Verdict.OK, "")
    assert "no wheel at all" in verdict(sdist=True)[1]


def test_nvidia_s_wheels_and_triton_are_told(tmp_path: Path) -> None:
    text = uv_lock(
        locked("jax-plugin", "1", more='dependencies = [{ name = "nvidia-cublas-cu12" }, { name = "triton" }]\n'),
        locked("nvidia-cublas-cu12", "12.6"),
        locked("triton", "3.6.0"),
        wanted='{ name = "jax-plugin" }',
    )
    result = judged(tmp_path, text, "uv.lock")
    assert result.verdict is Verdict.OK
    assert [finding.rule for finding in result.findings] == ["JA007", "JA008"]
    assert "asked for by jax-plugin" in result.findings[0].message
    assert result.findings[0].wanted_by == ("rover", "jax-plugin")


@pytest.mark.parametrize(
    ("stack", "line", "confidence"),
    [
        ("jp6.2", "bitsandbytes>=0.46.1", Confidence.CERTAIN),
        ("jp6.2", "bitsandbytes==0.46.1", Confidence.CERTAIN),
        ("jp5.1", "bitsandbytes==0.42.0", Confidence.CERTAIN),
        ("jp7-thor", "bitsandbytes", Confidence.LIKELY),
        ("jp6.2", "bitsandbytes==99.0", Confidence.LIKELY),
    ],
)
def test_the_wheel_of_bitsandbytes(tmp_path: Path, stack: str, line: str, confidence: Confidence) -> None:
    found = [one for one in judged(tmp_path, line, stack=stack).findings if one.rule == "JA009"]
    assert [one.confidence for one in found] == [confidence]
    assert found[0].severity is Severity.WARNING


def test_bitsandbytes_that_is_held_is_left_alone(tmp_path: Path) -> None:
    result = judged(tmp_path, "bitsandbytes", kept=(VENDOR, "bitsandbytes==0.48.2"))
    assert result.findings == ()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("numpy", "admits NumPy 2"),
        ("numpy>=2", "is NumPy 2"),
        ("numpy==2.1.0", "is NumPy 2"),
        ("numpy<2", None),
        ("numpy==1.26.4", None),
    ],
)
def test_numpy_2_beside_a_torch_for_numpy_1(tmp_path: Path, line: str, words: str | None) -> None:
    found = [one.message for one in judged(tmp_path, line, kept=()).findings if one.rule == "JA010"]
    assert bool(found) is (words is not None)
    assert words is None or words in found[0]
    # the tables do not say it of this build
    assert judged(tmp_path, line).findings == ()


def test_numpy_below_2_is_asked_for_with_the_tool_that_locks(tmp_path: Path) -> None:
    text = uv_lock(locked("numpy", "2.2.6"), wanted='{ name = "numpy" }')
    commands = [
        one.remedy[0].command
        for result in (judged(tmp_path, text, "uv.lock", kept=()), judged(tmp_path, "numpy", kept=()))
        for one in result.findings
        if one.rule == "JA010"
    ]
    assert commands == ["uv add 'numpy<2'", "pip install 'numpy<2'"]


UV_SOURCES = """
[project]
name = "rover"
requires-python = ">=3.10"
dependencies = ["torch>=2.0"]
[project.optional-dependencies]
gpu = ["torch>=2.0"]
[tool.uv.sources]
torch = [{ index = "there"MARKER }]
[[tool.uv.index]]
name = "there"
url = "URL"
explicit = true
"""


@pytest.mark.parametrize(
    ("marker", "url", "verdict"),
    [
        ("", "https://download.pytorch.org/whl/cpu", Verdict.REPLACES_TORCH),
        ("", "https://download.pytorch.org/whl/cu128", Verdict.REPLACES_TORCH),
        (
            ", marker = \"platform_machine == 'aarch64'\"",
            "https://download.pytorch.org/whl/cpu",
            Verdict.REPLACES_TORCH,
        ),
        (", marker = \"platform_machine == 'x86_64'\"", "https://download.pytorch.org/whl/cpu", Verdict.OK),
        (', extra = "gpu"', "https://download.pytorch.org/whl/cpu", Verdict.OK),
        ("", "https://pypi.jetson-ai-lab.io/jp6/cu126", Verdict.OK),
    ],
)
def test_where_uv_is_sent_for_torch(tmp_path: Path, marker: str, url: str, verdict: Verdict) -> None:
    text = UV_SOURCES.replace("MARKER", marker).replace("URL", url)
    result = judged(tmp_path, text, "pyproject.toml")
    assert result.verdict is verdict
    if "aarch64" in marker:
        assert "JA012" in [finding.rule for finding in result.findings]


def test_an_index_in_a_requirements_file_is_told(tmp_path: Path) -> None:
    result = judged(tmp_path, "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch\n")
    assert result.verdict is Verdict.OK
    assert (result.findings[0].rule, result.findings[0].severity) == ("JA005", Severity.WARNING)
    assert judged(tmp_path, "--extra-index-url https://download.pytorch.org/whl/cu121\nnumpy\n").findings == ()


def test_a_constraint_counts(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("torch==2.1.0\nunasked==1\n")
    assert judged(tmp_path, "-c c.txt\ntorch\n").verdict is Verdict.REPLACES_TORCH


def test_an_override_that_leaves_torch_out_counts(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "rover"\ndependencies = ["torch>=2.9", "timm", "torchvision"]\n'
        "[tool.uv]\nexclude-dependencies = ['torchvision']\n"
        "override-dependencies = [\"torch; sys_platform == 'never'\"]\n"
    )
    result = judged(tmp_path, text, "pyproject.toml")
    assert result.verdict is Verdict.OK
    assert "pip reads no overrides" in result.findings[0].message


def test_what_is_missing_in_a_lock_is_not_known(tmp_path: Path) -> None:
    result = judged(tmp_path, uv_lock(wanted='{ name = "ghost" }'), "uv.lock")
    assert result.verdict is Verdict.UNDETERMINED
    assert "the lock does not list it" in result.findings[0].message


def test_a_marker_that_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    text = uv_lock(locked("torch", "2.1"), wanted='{ name = "torch", marker = "hardware == \'jetson\'" }')
    assert judged(tmp_path, text, "uv.lock").verdict is Verdict.UNDETERMINED


def test_uv_s_names_for_conflicting_extras(tmp_path: Path) -> None:
    text = (
        'version = 1\nconflicts = [[{ package = "rover", extra = "cpu" }, { package = "rover", extra = "gpu" }]]\n'
        '[[package]]\nname = "rover"\nsource = { virtual = "." }\ndependencies = ['
        "{ name = \"x\", marker = \"extra == 'extra-5-rover-cpu' or extra != 'extra-5-rover-gpu'\" },"
        '{ name = "y", marker = "extra == \'extra-5-rover-gpu\'" }]\n'
        "[package.optional-dependencies]\ncpu = []\ngpu = []\n" + locked("x", "1") + locked("y", "1")
    )
    (tmp_path / "uv.lock").write_text(text)
    project = readers.read(tmp_path)
    made = board(TABLES.stack("jp6.2"))

    def names(*extras: str) -> list[str]:
        return [one.package.name for one in audit(project, made, TABLES, extras=extras).selection.selected]

    assert names() == ["x"]
    assert names("gpu") == ["y"]
    assert names("cpu") == ["x"]
    assert project.conflicts == (("extra:cpu", "extra:gpu"),)


def test_no_vendor_build_is_known_for_a_stack(tmp_path: Path) -> None:
    assert judged(tmp_path, "torch\n", stack="jp7.2-orin", kept=()).verdict is Verdict.UNDETERMINED


def test_judgements_have_their_own_ids() -> None:
    ids = [judgement.id for judgement in JUDGEMENTS]
    assert ids == sorted(set(ids))
    assert len({judgement.name for judgement in JUDGEMENTS}) == len(ids)


@pytest.mark.parametrize("line", ["docling", "Vit_PyTorch>=1.0", "rfdetr[plus]==1.11.2", "anomalib"])
def test_what_is_known_to_bring_torchvision_replaces_torch(tmp_path: Path, line: str) -> None:
    result = judged(tmp_path, f"torch>=2.0\n{line}\n")
    assert result.verdict is Verdict.REPLACES_TORCH
    # with the vendor's torchvision held, nothing brings another torch
    held_too = judged(tmp_path, f"torch>=2.0\n{line}\n", kept=(VENDOR, "torchvision==0.23.0"))
    assert held_too.verdict is Verdict.OK


@pytest.mark.parametrize(
    ("files", "verdict", "told"),
    [
        ("torch-2.5.1-cp38-cp38-manylinux2014_aarch64.whl", Verdict.FAILS_PYTHON, "not for Python 3.10"),
        ("torch-2.5.1-cp310-cp310-win_amd64.whl", Verdict.REPLACES_TORCH, "no wheel for aarch64 Linux"),
        ("torch-2.5.1-cp310-cp310-manylinux2014_aarch64.whl", Verdict.REPLACES_TORCH, "takes the place"),
    ],
)
def test_a_locked_torch_without_a_file_for_the_board_is_said_to_fail(
    tmp_path: Path, files: str, verdict: Verdict, told: str
) -> None:
    text = uv_lock(locked("torch", "2.5.1", files=wheel(files)), wanted='{ name = "torch" }')
    found = judged(tmp_path, text, "uv.lock")
    assert found.verdict is verdict
    assert told in found.findings[0].message


def test_a_file_of_the_vendors_kind_under_the_vendors_number_is_the_vendors(tmp_path: Path) -> None:
    line = "./torch-1.10.0-cp36-cp36m-{}_aarch64.whl\n"
    found = judged(tmp_path, line.format("linux"), stack="jp4.6", kept=("torch==1.10.0",))
    assert found.verdict is Verdict.OK
    other = judged(tmp_path, line.format("manylinux2014"), stack="jp4.6", kept=("torch==1.10.0",))
    assert other.verdict is Verdict.REPLACES_TORCH
    address = "torch @ https://download.pytorch.org/whl/cpu/torch-2.4.1-cp310-cp310-linux_aarch64.whl\n"
    assert judged(tmp_path, address, kept=("torch==2.4.1",)).verdict is Verdict.REPLACES_TORCH


@pytest.mark.parametrize(
    ("line", "stack", "verdict", "told"),
    [
        ("torch>=2.5", "jp5.1", Verdict.FAILS_PYTHON, "for Python 3.8 is torch 2.4.1, so that it fails"),
        ("torch>=2.0", "jp4.6", Verdict.FAILS_PYTHON, "so that it fails"),
        ("torch==99.0", "jp6.2", Verdict.REPLACES_TORCH, "newer than the tables know"),
        ("torch>=2.5\n--extra-index-url https://index.example/simple", "jp5.1", Verdict.REPLACES_TORCH, "fetches"),
    ],
)
def test_a_torch_that_the_index_does_not_have_for_the_python(
    tmp_path: Path, line: str, stack: str, verdict: Verdict, told: str
) -> None:
    found = judged(tmp_path, line + "\n", stack=stack, kept=())
    assert found.verdict is verdict
    assert told in found.findings[0].message


def test_a_locked_torch_that_is_newer_than_the_tables_is_described_by_no_other_row(tmp_path: Path) -> None:
    text = uv_lock(locked("torch", "99.0.0"), wanted='{ name = "torch" }')
    message = judged(tmp_path, text, "uv.lock").findings[0].message
    assert "newer than the tables know" in message
    assert "nothing is known of it on this board" in message
    assert "CUDA" not in message


@pytest.mark.parametrize(
    ("line", "verdict", "told"),
    [
        ("unsloth", Verdict.REPLACES_TORCH, "seen of 2026.10.9 was"),
        ("unsloth==2025.3.19", Verdict.REPLACES_TORCH, "2025.3.19 itself was not looked at"),
        ("unsloth==2024.8", Verdict.OK, ""),
        ("unsloth<2024.8", Verdict.OK, ""),
        ("xformers==0.0.13", Verdict.OK, ""),
        ("xformers==0.0.22.post7", Verdict.REPLACES_TORCH, "brings another torch itself"),
        ("speechbrain", Verdict.REPLACES_TORCH, "through torchaudio"),
    ],
)
def test_known_projects_are_known_by_their_releases(tmp_path: Path, line: str, verdict: Verdict, told: str) -> None:
    found = judged(tmp_path, line + "\n")
    assert found.verdict is verdict
    assert not told or told in found.findings[0].message
