"""One fault for each rule: a single edit of the good project, and the rule that must find it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

GOOD = Path(__file__).parent / "fixtures" / "good"
LANE = ".github/workflows/conditional-tests.yml"
CI = ".github/workflows/ci.yml"
POLICY = "ci/conditional-test-policy.json"
TESTING = "docs/conditional-testing.md"
SUPPORT = "docs/jetson-support.md"
TRUST = ".jetproof/trust.toml"

_GATE_STEP = """        run: >-
          .jetproof/bin/python scripts/run_conditional_gate.py jetson-cuda-runtime
          --python .venv-jetson/bin/python --challenge "$CHALLENGE"
"""
_UPLOAD = """      - name: Keep the evidence
        if: always()
        uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        with:
          name: conditional-jetson-${{ github.run_attempt }}
          path: conditional-evidence/
          if-no-files-found: error
          retention-days: 31
"""
_DEVICE = """    runs-on: [self-hosted, linux, ARM64, jetson, orin, jetpack-6]
    environment: jetson
    timeout-minutes: 60
"""
_REF = "          ref: ${{ github.sha }}\n"
_WAIVER = (
    '"environment_waivers": [{"id": "board-away", "gate": "%s", "owner": "ada", "reason": "it is being repaired", '
    '"issue": "https://github.com/example/weightlab/issues/40", "opened": "%s", "expires": "%s"}]'
)
_INSTALL = "          .jetproof/bin/jetproof install . --venv .venv-jetson\n"
_RUN = "      - name: Run"
_DISPATCH = """  workflow_dispatch:
    inputs:
      gate:
        description: which gate to run
        type: choice
        default: jetson-cuda-runtime
        options:
          - jetson-cuda-runtime
          - model-download
"""
_TOKEN = '        "its token as a secret of the environment, for this job alone"'
_VERDICT = """  lane:
    needs: [challenge, linux-arm64-preflight, jetson-cuda-runtime, countersign]
    if: always()
"""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """An edit of one file. `new` None takes the file away."""

    rule: str
    what: str
    path: str = LANE
    old: str = ""
    new: str | None = ""
    count: int = 1
    """How often `old` stands in the file; all are replaced."""

    def into(self, project: Path) -> Path:
        """Copy the good project and plant the fault; return the file that has it."""
        shutil.copytree(GOOD, project, dirs_exist_ok=True)
        file = project / self.path
        if self.new is None:
            file.unlink()
            return file
        text = file.read_text()
        assert text.count(self.old) == self.count, (self.rule, self.what, text.count(self.old))
        file.write_text(text.replace(self.old, self.new))
        return file


def lane(rule: str, what: str, old: str, new: str, count: int = 1) -> Planted:
    """Return a fault of the lane's workflow."""
    return Planted(rule=rule, what=what, old=old, new=new, count=count)


def ci(rule: str, what: str, old: str, new: str) -> Planted:
    """Return a fault of the pull-request workflow."""
    return Planted(rule=rule, what=what, path=CI, old=old, new=new)


def policy(rule: str, what: str, old: str, new: str, count: int = 1) -> Planted:
    """Return a fault of the policy."""
    return Planted(rule=rule, what=what, path=POLICY, old=old, new=new, count=count)


PLANTED = (
    lane("JW001", "a tag on what starts it", "on:\n", "on: !!python/object/apply:os.system\n"),
    lane("JW001", "a tag deep inside", '--challenge "$CHALLENGE"\n', '--challenge "$CHALLENGE"\n        if: !own x\n'),
    lane("JW001", "a name twice in a mapping", "name: conditional tests\n", "name: conditional tests\nname: again\n"),
    lane("JW101", "pull_request starts the board", "on:\n", "on:\n  pull_request:\n"),
    lane("JW102", "pull_request_target starts the board", "on:\n", "on:\n  pull_request_target:\n"),
    lane("JW103", "another workflow starts the board", "on:\n", "on:\n  workflow_run:\n    workflows: [ci]\n"),
    lane("JW104", "a comment starts the board", "on:\n", "on:\n  issue_comment:\n"),
    lane("JW105", "any push starts the board", "on:\n", "on:\n  push:\n"),
    lane("JW106", "any workflow may call the lane", "on:\n", "on:\n  workflow_call:\n"),
    lane("JW107", "the pull request's head is checked out", _REF, "          ref: ${{ github.event.inputs.commit }}\n"),
    lane(
        "JW108",
        "dispatch from any branch",
        """    if: >-
      github.repository == 'example/weightlab' && github.ref_protected
      && (github""",
        """    if: >-
      always() && github.repository == 'example/weightlab'
      && (github""",
    ),
    lane("JW109", "an input in a script", '--challenge "$CHALLENGE"', '--challenge "$CHALLENGE" ${{ inputs.gate }}'),
    ci(
        "JW110",
        "CUDA wheels in the pull-request gate",
        "-r requirements/cpu.txt",
        "torch --index-url https://download.pytorch.org/whl/cu130",
    ),
    ci("JW111", "the hub is reached in the pull-request gate", 'HF_HUB_OFFLINE: "1"', 'HF_HUB_OFFLINE: "0"'),
    lane("JW201", "nobody approves", _DEVICE, _DEVICE.replace("    environment: jetson\n", "")),
    lane(
        "JW202",
        "runs in forks",
        "    if: github.repository == 'example/weightlab' && github.ref_protected && inputs.gate == 'model-download'",
        "    if: github.ref_protected && inputs.gate == 'model-download'",
    ),
    lane("JW203", "no time limit", _DEVICE, _DEVICE.replace("    timeout-minutes: 60\n", "")),
    lane("JW204", "stopped before it can end", "timeout-minutes: 60", "timeout-minutes: 15"),
    lane(
        "JW205",
        "a runner without the jetson label",
        "[self-hosted, linux, ARM64, jetson, orin, jetpack-6]",
        "[self-hosted, linux, ARM64]",
    ),
    lane(
        "JW206",
        "an input chooses the runner",
        "[self-hosted, linux, ARM64, jetson, orin, jetpack-6]",
        "${{ vars.RUNNER }}",
    ),
    lane(
        "JW207",
        "a privileged container",
        _DEVICE,
        _DEVICE
        + "    container:\n      image: registry.example/l4t@sha256:"
        + "a" * 64
        + "\n      options: --privileged\n",
    ),
    lane("JW208", "files of earlier runs stay", _REF, _REF + "          clean: false\n"),
    lane(
        "JW209",
        "plain pip install",
        _INSTALL + _RUN,
        _INSTALL + "          .venv-jetson/bin/pip install -r requirements.txt\n" + _RUN,
    ),
    lane("JW210", "an image by its tag", _DEVICE, _DEVICE + "    container: registry.example/l4t-pytorch:r36.4.0\n"),
    lane("JW211", "nothing is installed", _INSTALL + _RUN, _RUN),
    lane(
        "JW212",
        "PYTEST_ADDOPTS",
        "          CHALLENGE: ",
        "          PYTEST_ADDOPTS: --deselect tests/test_gpu.py\n          CHALLENGE: ",
    ),
    lane("JW301", "|| true", '--challenge "$CHALLENGE"\n', '--challenge "$CHALLENGE" || true\n'),
    lane("JW302", "; exit 0", '--challenge "$CHALLENGE"\n', '--challenge "$CHALLENGE"; exit 0\n'),
    lane(
        "JW303",
        "set +e",
        _GATE_STEP,
        _GATE_STEP.replace(">-\n", "|\n          set +e\n").replace("runtime\n          --python", "runtime --python"),
    ),
    lane(
        "JW304",
        "continue-on-error",
        "      - name: Run the gate\n",
        "      - name: Run the gate\n        continue-on-error: true\n",
    ),
    lane(
        "JW305",
        "the status is lost in tee",
        _GATE_STEP,
        "        shell: bash -e {0}\n" + _GATE_STEP.replace('"$CHALLENGE"', '"$CHALLENGE" | tee gate.log'),
    ),
    lane(
        "JW306",
        "again until it passes",
        _GATE_STEP,
        _GATE_STEP.replace(".jetproof/bin/python scripts", "for i in 1 2 3; do .jetproof/bin/python scripts").replace(
            '"$CHALLENGE"', '"$CHALLENGE" && break; done'
        ),
    ),
    lane(
        "JW307",
        "skipped by a variable",
        "      && (github.event_name",
        "      && vars.BOARD_IS_THERE == 'yes' && (github.event_name",
    ),
    lane("JW308", "no job looks at the results", "toJSON(needs.*.result)", "github.run_id"),
    lane("JW309", "the required job is skipped with the gate", _VERDICT, _VERDICT.replace("    if: always()\n", "")),
    lane("JW310", "the required job forgets the gate", _VERDICT, _VERDICT.replace(" jetson-cuda-runtime,", "")),
    lane(
        "JW311",
        "pytest in the place of the gate",
        _GATE_STEP,
        "        run: .venv-jetson/bin/python -m pytest -m gpu\n",
    ),
    lane("JW312", "another gate", _GATE_STEP, _GATE_STEP.replace("py jetson-cuda-runtime", "py linux-arm64-preflight")),
    lane(
        "JW313",
        "the gate's step can be skipped",
        "      - name: Run the gate\n",
        "      - name: Run the gate\n        if: github.event_name == 'release'\n",
    ),
    lane("JW314", "a rehearsal", '--challenge "$CHALLENGE"\n', '--challenge "$CHALLENGE" --rehearsal\n'),
    lane("JW401", "no upload", _UPLOAD, ""),
    lane("JW402", "no evidence of a failure", _UPLOAD, _UPLOAD.replace("        if: always()\n", "")),
    lane(
        "JW403",
        "a name without the attempt",
        "name: conditional-jetson-${{ github.run_attempt }}",
        "name: jetson-evidence",
    ),
    lane("JW404", "deleted before it is stale", _UPLOAD, _UPLOAD.replace("31", "14")),
    lane("JW405", "another commit", _REF, "          ref: main\n"),
    lane("JW406", "no challenge", ' --challenge "$CHALLENGE"\n', "\n"),
    lane(
        "JW407",
        "the board makes its own challenge",
        _INSTALL + _RUN,
        _INSTALL + "          .jetproof/bin/jetproof challenge jetson-cuda-runtime\n" + _RUN,
    ),
    lane(
        "JW408",
        "nobody countersigns",
        "    needs: [challenge, jetson-cuda-runtime]\n    if: github",
        "    needs: [challenge]\n    if: github",
    ),
    lane(
        "JW409",
        "the board signs as the workflow",
        _DEVICE + "    permissions:\n",
        _DEVICE + "    permissions:\n      id-token: write\n",
    ),
    lane(
        "JW410",
        "the signer runs the project's tests",
        "          path: downloads\n",
        "          path: downloads\n      - run: python3 -m pytest tests/smoke\n",
    ),
    lane(
        "JW411",
        "the board signs only what passed",
        "      - name: Sign what was run, green or not\n        if: always()\n",
        "      - name: Sign what was run\n",
    ),
    lane("JW412", "no evidence is no error", _UPLOAD, _UPLOAD.replace("error", "ignore")),
    lane("JW413", "an earlier attempt is overwritten", _UPLOAD, _UPLOAD + "          overwrite: true\n"),
    lane(
        "JW501",
        "nothing starts it by itself",
        '  release:\n    types: [published]\n  schedule:\n    - cron: "17 3 * * 1"\n',
        "",
    ),
    lane("JW502", "once in two months", '"17 3 * * 1"', '"17 3 1 */2 *"'),
    lane("JW503", "a schedule that is none", '"17 3 * * 1"', '"17 25 * * 1"'),
    lane("JW504", "no dispatch", _DISPATCH, ""),
    lane("JW505", "a newer run cancels", "cancel-in-progress: false", "cancel-in-progress: true"),
    lane("JW506", "two runs at once", "concurrency:\n  group: conditional-tests\n  cancel-in-progress: false\n", ""),
    lane(
        "JW601",
        "an action by its tag",
        "actions/attest@daf44fb950173508f38bd2406030372c1d1162b1 # v3.0.0",
        "actions/attest@v3",
    ),
    lane("JW602", "permissions by default", "permissions: {}\n\nconcurrency", "concurrency"),
    lane(
        "JW603",
        "the board may write contents",
        _DEVICE + "    permissions:\n      contents: read",
        _DEVICE + "    permissions:\n      contents: write",
    ),
    lane(
        "JW604",
        "a secret on the board",
        "          CHALLENGE: ",
        "          SIGNING_KEY: ${{ secrets.SIGNING_KEY }}\n          CHALLENGE: ",
    ),
    lane("JW605", "a token stays on the board", _REF + "          persist-credentials: false\n", _REF),
    policy("JW701", "a gate without a runner", '"runner": {"labels": ["ubuntu-24.04-arm"]},', ""),
    policy(
        "JW702",
        "a waiver of a year",
        '"environment_waivers": []',
        _WAIVER % ("jetson-cuda-runtime", "2026-11-01", "2027-11-01"),
    ),
    policy(
        "JW703",
        "a waiver that is over",
        '"environment_waivers": []',
        _WAIVER % ("jetson-cuda-runtime", "2026-10-20", "2026-11-10"),
    ),
    policy(
        "JW704",
        "a waiver that ends soon",
        '"environment_waivers": []',
        _WAIVER % ("jetson-cuda-runtime", "2026-11-15", "2026-12-05"),
    ),
    policy(
        "JW705",
        "no pin",
        '.whl",\n        "digest": "sha256:9c56bd1d57a5a5b3a1bb2b2d6a4e6cbb5cd2c4e5d5a8b0d1f2e3a4b5c6d7e8f9"',
        '.whl"',
    ),
    policy("JW707", "a gate that no job runs", '"job": "linux-arm64-preflight"', '"job": "arm64"'),
    Planted(rule="JW708", what="no page about the lane", path=TESTING, new=None),
    Planted(
        rule="JW709", what="the gate is not named", path=TESTING, old="jetson-cuda-runtime", new="jetson-gate", count=2
    ),
    Planted(
        rule="JW710", what="the module is not named", path=SUPPORT, old="Jetson AGX Orin 64GB", new="Jetson AGX Orin"
    ),
    Planted(rule="JW711", what="the JetPack is not named", path=SUPPORT, old="JetPack 6.2", new="JetPack 6"),
    Planted(
        rule="JW712",
        what="the source is not named",
        path=SUPPORT,
        old="https://vendor.example/jp/v62/pytorch/torch-2.8.0-cp310-cp310-linux_aarch64.whl",
        new="https://vendor.example/",
    ),
    Planted(rule="JW713", what="nothing of memory", path=SUPPORT, old="unified memory", new="memory"),
    Planted(
        rule="JW714", what="the labels are not named", path=TESTING, old="self-hosted, linux", new="linux", count=2
    ),
    policy(
        "JW715", "no word of the cache", _TOKEN + ',\n        "a cache folder that is cleared after the run"', _TOKEN
    ),
    lane("JW717", "a model although nobody asked", " && inputs.gate == 'model-download'", ""),
    lane(
        "JW718",
        "the machine's own cache",
        "      HF_HOME: ${{ github.workspace }}/.hub-cache\n",
        "      LANG: C.UTF-8\n",
    ),
    policy("JW719", "no test of the project", '{"pytest": "cpu"}', '{"probe": "torch-import"}'),
    Planted(rule="JW720", what="a misspelt member", path=TRUST, old="revoked = false", new="revokd = true"),
)
"""Faults that need one edit. The rules JW706 and JW716 need two: they have tests of their own."""
