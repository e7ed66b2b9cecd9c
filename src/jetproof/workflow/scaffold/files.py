"""All files of a scaffold, in the order in which a person reads them."""

from __future__ import annotations

from jetproof.policy.model import Policy
from jetproof.workflow.scaffold.host import Host
from jetproof.workflow.scaffold.pages import conditional_testing, issue_form, jetson_support
from jetproof.workflow.scaffold.plan import Kind, Wanted
from jetproof.workflow.scaffold.template import template
from jetproof.workflow.scaffold.workflows import conditional_tests, support_claims

_IGNORED = ("/.lane/", "/.jetproof/install/", "/.jetproof/venvs/", "/.venv-jetson", "/conditional-evidence/", "*.key")


def files(
    host: Host, *, policy: Policy, policy_file: Wanted, matrix: str, readme: Wanted, badge: Wanted
) -> tuple[Wanted, ...]:
    """Return the files. `matrix` is the managed block of the support page, `readme` and `badge` what else says
    what is proven.
    """
    found = [
        policy_file,
        _text(".github/workflows/conditional-tests.yml", conditional_tests(host, policy, policy_file.path)),
        _text(".github/workflows/support-claims.yml", support_claims(host)),
        Wanted(
            path="scripts/run_conditional_gate.py",
            data=template("run_conditional_gate.txt").encode(),
            executable=True,
        ),
        _text("docs/conditional-testing.md", conditional_testing(host, policy, policy_file.path)),
        _text("docs/jetson-support.md", jetson_support(host, policy, matrix)),
        _text(".github/ISSUE_TEMPLATE/jetson-runtime-report.yml", issue_form(policy)),
        Wanted(path=".jetproof/trust.toml", data=template("trust.toml").encode(), kind=Kind.ONCE),
        Wanted(path=".gitignore", data="\n".join(_IGNORED).encode(), kind=Kind.LINES),
        badge,
        readme,
    ]
    if not host.own_checkout:
        requirements = template("jetproof-requirements.txt").encode()
        found.insert(1, Wanted(path="ci/jetproof-requirements.txt", data=requirements, kind=Kind.ONCE))
    return tuple(found)


def _text(path: str, text: str) -> Wanted:
    return Wanted(path=path, data=text.encode())
