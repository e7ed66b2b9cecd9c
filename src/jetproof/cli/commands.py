"""The commands by name. A command's module is imported only when it is called, so that start-up stays cheap."""

from __future__ import annotations

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("inspect", "jetproof.cli.inspect", "say what this machine is"),
    ("doctor", "jetproof.cli.doctor", "say why PyTorch has no CUDA here, and what mends it"),
    ("explain", "jetproof.cli.explain", "find the cause in a pasted traceback, log or issue"),
    ("audit", "jetproof.cli.audit", "say whether a project would replace the vendor's torch"),
    ("install", "jetproof.cli.install", "install a project and keep the vendor's torch"),
    ("image", "jetproof.cli.image", "choose a base image, build over it, run a gate in it"),
    ("rules", "jetproof.cli.rules", "list the rules, or say what one means"),
    ("completion", "jetproof.cli.completion", "print the completion script of a shell"),
    ("run", "jetproof.cli.run", "run a gate on a board: what was not run is never green"),
    ("replay", "jetproof.cli.replay", "derive verdict and reports again from a run's journal"),
    ("gates", "jetproof.cli.gates", "list the gates of the project's policy"),
    ("probes", "jetproof.cli.probes", "list the probes, or say what one proves and what not"),
    ("policy", "jetproof.cli.policy", "say whether policy and workflow keep what they promise"),
    ("verify", "jetproof.cli.verify", "say whether evidence proves what it says"),
    ("evidence", "jetproof.cli.evidence", "sign a run, keep what was signed, and hand it on"),
    ("claims", "jetproof.cli.claims", "say what the project may claim today, and what is missing"),
    ("challenge", "jetproof.cli.challenge", "make the nonce of a run, so that no old run can stand in for it"),
    ("init", "jetproof.cli.init", "give a project its policy, workflows, pages and README block"),
    ("report", "jetproof.cli.report", "make a report for an issue that holds nothing private"),
    ("fleet", "jetproof.cli.fleet", "run a gate on many boards, and ask what they say together"),
    ("keys", "jetproof.cli.keys", "make a signing key, and say whom the project trusts"),
)
"""(name, module, one line of help). Each module has `configure(parser)` and `run(arguments) -> int`."""

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("a board", ("inspect", "doctor", "explain")),
    ("a project on it", ("audit", "install", "image")),
    ("proof", ("run", "replay", "fleet", "report", "gates", "probes")),
    ("evidence and claims", ("challenge", "keys", "evidence", "verify", "claims")),
    ("the lane", ("init", "policy")),
    ("about jetproof", ("rules", "completion")),
)
"""(what it is about, commands), in the order in which they are needed; `jetproof --help` lists them so."""
