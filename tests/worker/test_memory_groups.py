from __future__ import annotations

import pytest

from jetproof_worker import kernel, memory_groups


@pytest.mark.parametrize(
    ("told", "folders"),
    [
        ("0::/a/b\n", ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]),
        ("0::/\n", ["/sys/fs/cgroup"]),
        ("4:cpu,cpuacct:/y\n5:hugetlb,memory:/x\n", ["/sys/fs/cgroup/memory/x", "/sys/fs/cgroup/memory"]),
        ("0::/../../etc\n", []),
        ("garbage\n3:cpu:/\n", []),
    ],
)
def test_from_the_own_group_up_to_the_root(told: str, folders: list[str]) -> None:
    assert memory_groups.folders(told) == folders


def test_the_limit_of_a_group_above_the_own_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"/sys/fs/cgroup/slice/memory.max": 1000, "/sys/fs/cgroup/slice/memory.current": 400}
    monkeypatch.setattr(kernel, "_memory_groups", lambda: memory_groups.folders("0::/slice/unit\n"))
    monkeypatch.setattr(kernel, "_number", texts.get)
    assert kernel.available_memory() == 600
