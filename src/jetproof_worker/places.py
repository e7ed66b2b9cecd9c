"""What is read from a machine: an allow-list. Anything not named here never enters a snapshot. Python >= 3.6.

Sources: NVIDIA's L4T documentation and the kernel's sysfs and procfs documentation.
"""

from typing import Dict, Tuple

DEVICE_TREE = "/proc/device-tree"

TEXTS: Tuple[str, ...] = (
    "/etc/nv_tegra_release",
    "/etc/os-release",
    "/etc/dgx-release",
    "/tmp/nv_jetson_model",  # noqa: S108 - where a family of vendor containers keeps the board's model
    "/etc/apt/sources.list.d/nvidia-l4t-apt-source.list",
    DEVICE_TREE + "/model",
    DEVICE_TREE + "/nvidia,dtsfilename",
    "/sys/module/tegra_fuse/parameters/tegra_chip_id",
    "/sys/devices/soc0/family",
    "/sys/devices/soc0/machine",
    "/sys/devices/soc0/soc_id",
    "/sys/devices/soc0/revision",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/board_name",
    "/proc/version",
    "/proc/sys/kernel/arch",
    "/proc/driver/nvidia/version",
    "/sys/module/nvidia/version",
    "/usr/local/cuda/version.json",
    "/usr/local/cuda/version.txt",
    "/var/lib/nvpmodel/status",
    "/proc/meminfo",
    "/proc/swaps",
    "/proc/buddyinfo",
    "/proc/pressure/memory",
    "/proc/sys/vm/swappiness",
    "/proc/sys/vm/overcommit_memory",
    "/sys/block/zram*/mm_stat",
    "/sys/block/zram*/disksize",
    "/proc/1/cgroup",
    "/run/systemd/container",
    "/sys/class/devfreq/*/governor",
    "/sys/class/devfreq/*/cur_freq",
    "/sys/class/devfreq/*/min_freq",
    "/sys/class/devfreq/*/max_freq",
    "/sys/devices/platform/*gpu*/load",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
    "/sys/class/thermal/thermal_zone*/type",
    "/sys/class/thermal/thermal_zone*/temp",
    "/sys/class/hwmon/hwmon*/oc*_event_cnt",
    "/proc/sys/fs/binfmt_misc/qemu-aarch64",
)
"""Files whose whole text is taken."""

STRINGS: Tuple[str, ...] = (
    DEVICE_TREE + "/compatible",
    DEVICE_TREE + "/nvidia,boardids",
    DEVICE_TREE + "/chosen/ids",
)
"""Device-tree properties that hold several texts."""

MARKERS: Tuple[str, ...] = ("/.dockerenv", "/run/systemd/timesync/synchronized")
"""Files that only count as there or not; "" when there."""

LINES: Tuple[Tuple[str, str], ...] = (
    ("/etc/nvpmodel.conf", r"^\s*<"),
    ("/usr/include/cudnn_version*.h", r"#define CUDNN_(MAJOR|MINOR|PATCHLEVEL)\b"),
    ("/usr/include/*/cudnn_version*.h", r"#define CUDNN_(MAJOR|MINOR|PATCHLEVEL)\b"),
    ("/usr/include/*/NvInferVersion.h", r"#define (NV_TENSORRT|TRT)_(MAJOR|MINOR|PATCH|BUILD)\w*\b"),
    ("/run/.containerenv", r"^engine="),
    ("/etc/nvidia-container-runtime/config.toml", r"^\s*(mode\s*=|\[)"),
    ("/sys/kernel/debug/nvmap/iovmm/clients", r"^total\b"),
)
"""Files of which only the lines that match are taken."""

LISTINGS: Tuple[Tuple[str, str], ...] = (
    ("/etc/nvidia-container-runtime/host-files-for-container.d", r"\.csv$"),
    ("/etc/cdi", r"\.(ya?ml|json)$"),
    ("/var/run/cdi", r"\.(ya?ml|json)$"),
    ("/usr/local", r"^cuda"),
    ("/usr/local/cuda/bin", r"^nvcc$"),
    ("/usr/local/cuda/targets", ""),
    ("/usr/local/cuda/lib64", r"^lib(cudart|cublas|cudnn|cusparseLt|cupti)\.so"),
    ("/usr/local/cuda/targets/aarch64-linux/lib", r"^lib(cudart|cublas|cudnn|cusparseLt|cupti)\.so"),
    ("/usr/local/cuda/targets/sbsa-linux/lib", r"^lib(cudart|cublas|cudnn|cusparseLt|cupti)\.so"),
    ("/usr/lib/aarch64-linux-gnu", r"^lib(cuda|cudnn|nvinfer|cusparseLt|cudss|nvidia-ml)\.so"),
    ("/usr/lib/aarch64-linux-gnu/tegra", r"^lib(cuda|nvrm_gpu|nvidia-ml)\.so"),
    ("/usr/lib/aarch64-linux-gnu/nvidia", r"^lib(cuda|nvrm_gpu|nvidia-ml)\.so"),
    ("/usr/lib/python3/dist-packages", r"^(cv2|tensorrt|torch)"),
    ("/etc/apt/sources.list.d", r"^(nvidia|cuda|jetson|docker)"),
    (DEVICE_TREE + "/chosen/plugin-manager/ids", r"^[0-9A-Za-z,._-]+$"),
    ("/sys/class/devfreq", ""),
    ("/dev/nvgpu", ""),
    ("/proc/sys/fs/binfmt_misc", r"^qemu-"),
)
"""Folders of which the names that match are taken."""

NODES: Tuple[str, ...] = (
    "/dev/nvmap",
    "/dev/nvhost-ctrl",
    "/dev/nvhost-ctrl-gpu",
    "/dev/nvhost-gpu",
    "/dev/nvhost-as-gpu",
    "/dev/nvgpu/igpu0/*",
    "/dev/nvidia0",
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-modeset",
    "/dev/nvidia[1-9]*",
    "/dev/dri/*",
    "/dev/dxg",
    "/dev/i2c-[0127]*",
    "/dev/nvsciipc",
)
"""Device nodes, whose owner and mode are compared with the user's groups."""

LIBRARIES: Tuple[str, ...] = (
    "libcuda.so.1",
    "libnvidia-ml.so.1",
    "libnvrm_gpu.so",
    "libcudart.so.10.2",
    "libcudart.so.11.0",
    "libcudart.so.12",
    "libcudart.so.13",
    "libcublas.so.10",
    "libcublas.so.11",
    "libcublas.so.12",
    "libcublas.so.13",
    "libcudnn.so.8",
    "libcudnn.so.9",
    "libcusparseLt.so.0",
    "libcudss.so.0",
    "libcupti.so.12",
    "libnvJitLink.so.12",
    "libnvinfer.so.8",
    "libnvinfer.so.10",
    "libnvpl_blas_core.so.0",
    "libopenblas.so.0",
    "libmpi_cxx.so.20",
    "libmpi_cxx.so.40",
    "libgomp.so.1",
)
"""Shared libraries that builds of torch for Jetson ask the loader for, by the name they ask for."""

PACKAGES: Tuple[str, ...] = (
    "nvidia-l4t-*",
    "nvidia-jetpack*",
    "nvidia-container*",
    "libnvidia-*",
    "nvidia-driver-*",
    "nvidia-opencv*",
    "nvidia-tensorrt*",
    "nvidia-cuda*",
    "nvidia-cudnn*",
    "cuda-*",
    "libcublas*",
    "libcudnn*",
    "libcusparselt*",
    "libcudss*",
    "libnvinfer*",
    "python3-libnvinfer*",
    "tensorrt*",
    "libopencv*",
    "opencv-*",
    "vpi*",
    "jetson-*",
    "docker.io",
    "docker-ce",
    "containerd*",
    "podman",
    "python3",
    "python3-pip",
    "python3-venv",
    "python3-torch*",
    "libc6",
    "libopenblas*",
    "libopenmpi*",
    "ubuntu-advantage-tools",
)
"""Patterns of Debian packages that are asked for."""

PROGRAMS: Dict[str, Tuple[str, ...]] = {
    "nvcc": ("/usr/local/cuda/bin",),
    "nvidia-smi": ("/usr/lib/wsl/lib", "/run/current-system/sw/bin"),
    "nvpmodel": ("/usr/sbin",),
    "jetson_clocks": ("/usr/bin",),
    "tegrastats": ("/usr/bin",),
    "dpkg-query": ("/usr/bin",),
    "apt-cache": ("/usr/bin",),
    "ldconfig": ("/sbin", "/usr/sbin"),
    "docker": ("/usr/bin",),
    "podman": ("/usr/bin",),
    "nvidia-ctk": ("/usr/bin",),
    "nvidia-container-runtime": ("/usr/bin",),
    "uv": (),
    "conda": (),
}
"""Programs whose place is told, with folders that are looked into besides PATH."""

ENVIRONMENT_TEXTS: Tuple[str, ...] = (
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PYTHONPATH",
    "PYTHONHOME",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_REQUIRE_CUDA",
    "NVIDIA_REQUIRE_JETPACK",
    "NVIDIA_PYTORCH_VERSION",
    "PYTORCH_VERSION",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_NVML_BASED_CUDA_CHECK",
    "TORCH_CUDA_ARCH_LIST",
    "BNB_CUDA_VERSION",
    "OPENBLAS_CORETYPE",
    "OMP_NUM_THREADS",
    "container",
)
"""Variables whose value is taken."""

ENVIRONMENT_NAMES: Tuple[str, ...] = (
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONNOUSERSITE",
    "PYTHONUSERBASE",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX_URL",
    "JETPROOF_SIMULATED",
    "WSL_DISTRO_NAME",
    "SUDO_USER",
    "SSH_CONNECTION",
)
"""Variables of which only "it is set" is taken."""
