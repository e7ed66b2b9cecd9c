"""Calls that each command's help ends with. A test parses every one, so that none goes stale."""

from __future__ import annotations

from collections.abc import Mapping

_RUN = "conditional-evidence/jetson-cuda-runtime"
_TESTS = "tests/test_conditional.py::test_cuda"

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "jetproof inspect": ("jetproof inspect --save board.json",),
    "jetproof doctor": (
        "jetproof doctor",
        "jetproof doctor --from board.json",
        "jetproof doctor --target ssh://nvidia@orin.lab.example --python /usr/bin/python3",
    ),
    "jetproof explain": ("jetproof explain traceback.txt", "jetproof explain - < build.log"),
    "jetproof audit": (
        "jetproof audit . --stack jp6.2",
        "jetproof audit uv.lock --from board.json --json",
        "jetproof audit . --stack jp6.2 --fix --diff",
    ),
    "jetproof install": (
        "jetproof install . --dry-run",
        "jetproof install . --python /usr/bin/python3",
        "jetproof install --torch --stack jp6.2",
    ),
    "jetproof image": ("jetproof image choose --stack jp6.2",),
    "jetproof image choose": ("jetproof image choose --stack jp6.2",),
    "jetproof image plan": ("jetproof image plan . --stack jp6.2 --base-image $IMAGE",),
    "jetproof image dockerfile": ("jetproof image dockerfile . --stack jp6.2 --output build",),
    "jetproof image build": ("jetproof image build . --stack jp6.2 --tag project-jetson:r36.4",),
    "jetproof image run": ("jetproof image run $IMAGE jetson-cuda-runtime",),
    "jetproof rules": ("jetproof rules", "jetproof rules torch-cpu-build"),
    "jetproof completion": (
        "jetproof completion bash > ~/.local/share/bash-completion/completions/jetproof",
        "jetproof completion fish > ~/.config/fish/completions/jetproof.fish",
        'jetproof completion zsh > "${fpath[1]}/_jetproof"',
    ),
    "jetproof run": ("jetproof run jetson-cuda-runtime --dry-run", "jetproof run jetson-cuda-runtime"),
    "jetproof replay": (f"jetproof replay {_RUN} --check",),
    "jetproof gates": ("jetproof gates",),
    "jetproof probes": ("jetproof probes", "jetproof probes cuda-available"),
    "jetproof policy": ("jetproof policy check", "jetproof policy diff origin/main"),
    "jetproof policy show": ("jetproof policy show --json",),
    "jetproof policy check-schema": ("jetproof policy check-schema",),
    "jetproof policy check": ("jetproof policy check --github",),
    "jetproof policy diff": ("jetproof policy diff origin/main",),
    "jetproof policy pin": ("jetproof policy pin agx-orin-jp62 --dry-run",),
    "jetproof policy liveness": ("jetproof policy liveness --runs runs.json",),
    "jetproof verify": ("jetproof verify .jetproof/evidence", f"jetproof verify {_RUN}.intoto.json --json"),
    "jetproof evidence": (f"jetproof evidence sign {_RUN} --key lane.key",),
    "jetproof evidence sign": (f"jetproof evidence sign {_RUN} --key lane.key",),
    "jetproof evidence list": ("jetproof evidence list",),
    "jetproof evidence show": ("jetproof evidence show 28bd7294",),
    "jetproof evidence add": (f"jetproof evidence add {_RUN}.intoto.json --with-side-files",),
    "jetproof evidence redact": ("jetproof evidence redact 28bd7294 --key lane.key",),
    "jetproof evidence prune": ("jetproof evidence prune --dry-run",),
    "jetproof evidence countersign": (
        f"jetproof evidence countersign {_RUN}.intoto.json --policy-uri URI --output predicate.json",
    ),
    "jetproof claims": ("jetproof claims", "jetproof claims --check", "jetproof claims --write"),
    "jetproof challenge": ("jetproof challenge jetson-cuda-runtime --json > challenge.json",),
    "jetproof init": ("jetproof init --diff", f"jetproof init --test {_TESTS}"),
    "jetproof report": ("jetproof report --markdown", f"jetproof report {_RUN} --json"),
    "jetproof fleet": ("jetproof fleet run boards.toml jetson-cuda-runtime",),
    "jetproof fleet run": ("jetproof fleet run boards.toml jetson-cuda-runtime --resume",),
    "jetproof fleet boards": ("jetproof fleet boards boards.toml --label orin",),
    "jetproof fleet status": ("jetproof fleet status",),
    "jetproof fleet load": ("jetproof fleet load fleet.duckdb fleet-evidence",),
    "jetproof fleet query": ("jetproof fleet query fleet.duckdb passes",),
    "jetproof fleet emit": ("jetproof fleet emit github boards.toml jetson-cuda-runtime",),
    "jetproof fleet emit kubernetes": (
        "jetproof fleet emit kubernetes boards.toml jetson-cuda-runtime --image $IMAGE --claim results",
    ),
    "jetproof fleet emit github": (
        "jetproof fleet emit github boards.toml jetson-cuda-runtime --output .github/workflows/fleet.yml",
    ),
    "jetproof keys": ("jetproof keys new lane.key",),
    "jetproof keys new": ("jetproof keys new ~/lane.key --passphrase-env LANE_PASSPHRASE",),
    "jetproof keys trust": ('jetproof keys trust lane.key.pub --name lane --module "Jetson AGX Orin 64GB"',),
}
