"""Runs inside the interpreter that is meant: what it is, and which distributions of interest lie on its paths.

Nothing is imported from those distributions: their metadata and `version.py` are read as text. Python >= 3.6, and no
`importlib.metadata`, which 3.6 and 3.7 do not have and which is slow to import.
"""

import json
import os
import re
import sys
from typing import Any, Dict, List, Optional

from jetproof_worker import files
from jetproof_worker.names import normalised

INTERESTING = re.compile(
    r"^(torch|torchvision|torchaudio|torchtext|torchao|torchdata|torchcodec|torch-tensorrt|torch2trt|torch-scatter|torch-sparse"
    r"|pytorch.*|numpy|scipy|pandas|pillow|scikit-.*|bitsandbytes|transformers|tokenizers|accelerate|peft|diffusers|safetensors"
    r"|huggingface-hub|sentence-transformers|datasets|optimum.*|deepspeed|triton.*|nvidia-.*|cuda-.*|cupy.*|numba.*|pycuda"
    r"|tensorrt.*|opencv-.*|jax.*|tensorflow.*|onnx.*|flash-attn.*|xformers|vllm.*|sglang.*|lmdeploy|llama-cpp-python"
    r"|auto-gptq|gptqmodel|autoawq.*|awq.*|hqq|quanto|ctranslate2|faster-whisper|openai-whisper|ultralytics|detectron2"
    r"|mmcv.*|mmdet|timm|open3d|nerfstudio|tinycudann|jetson-.*|lightning.*|pip|setuptools|wheel|uv|pytest)$"
)
"""Normalised names of the distributions that are told."""

MODULES = ("torch", "torchvision", "torchaudio", "triton", "numpy", "bitsandbytes", "cv2", "tensorrt")
"""Modules of which every copy on the paths is told, since some come without metadata (Debian's cv2, copied folders)."""

FOLDER = re.compile(
    r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._]*?)-(?P<release>[0-9][^-]*)(-py3[^-]*)?(-[^-]+)?\.(dist|egg)-info$"
)
"""Name and release in the name of a folder with metadata."""
_CUDA = re.compile(r"^cuda\b[^=\n]*=\s*(?:'([^'\n]*)'|\"([^\"\n]*)\"|(None))", re.MULTILINE)
_VERSION_PY = {"torch", "torchvision", "torchaudio"}
_METADATA_LIMIT = 512 << 10


def interpreter() -> Dict[str, Any]:
    """Return the snapshot's `interpreter` object for the process that calls this."""
    import site

    prefix = sys.prefix
    configured = _pyvenv(prefix)
    paths = site_paths()
    said = os.uname()
    user_site = getattr(site, "USER_SITE", None) or _user_site(site)
    return {
        "executable": sys.executable,
        "version": "%d.%d.%d" % sys.version_info[:3],
        "implementation": {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name),
        "abi": _abi(),
        "prefix": prefix,
        "base_prefix": sys.base_prefix,
        "is_venv": prefix != sys.base_prefix,
        "is_conda": os.path.isdir(os.path.join(prefix, "conda-meta")),
        "system_site_packages": configured if prefix != sys.base_prefix else True,
        "user_site": user_site,
        "user_site_enabled": bool(site.ENABLE_USER_SITE),
        "machine": said.machine,
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "glibc": _glibc(),
        "externally_managed": os.path.exists(os.path.join(os.path.dirname(os.__file__), "EXTERNALLY-MANAGED")),
        "site_paths": paths,
        "distributions": distributions(paths),
        "modules": modules(paths),
    }


def _user_site(site: Any) -> Optional[str]:
    try:
        return str(site.getusersitepackages())
    except Exception:  # an account without a home folder
        return None


def _abi() -> str:
    name = {"cpython": "cp", "pypy": "pp"}.get(sys.implementation.name, sys.implementation.name)
    return "%s%d%d%s" % (name, sys.version_info[0], sys.version_info[1], getattr(sys, "abiflags", ""))


def _glibc() -> Optional[str]:
    try:
        said = os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        return None  # another C library
    return said.rpartition(" ")[2] if said else None


def _pyvenv(prefix: str) -> Optional[bool]:
    content = files.text(os.path.join(prefix, "pyvenv.cfg"), 65536)
    if not isinstance(content, str):
        return None
    for line in content.splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() == "include-system-site-packages":
            return value.strip().lower() == "true"
    return False


def site_paths() -> List[str]:
    """Return the folders on the module path in its order, the standard library left out."""
    library = os.path.dirname(os.path.abspath(os.__file__))
    left_out = {os.path.realpath(library), os.path.realpath(os.path.join(library, "lib-dynload"))}
    found: List[str] = []
    for entry in sys.path:
        path = os.path.abspath(entry or ".")
        if path not in found and os.path.isdir(path) and os.path.realpath(path) not in left_out:
            found.append(path)
    return found


def distributions(paths: List[str]) -> List[Dict[str, Any]]:
    """Return every copy of every distribution of interest, in the order of the paths; the first copy is active."""
    found: List[Dict[str, Any]] = []
    active: Dict[str, bool] = {}
    seen = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen:
            continue  # the same folder by another name hides nothing
        seen.add(real)
        for entry in names(path):
            if not entry.endswith((".dist-info", ".egg-info")):
                continue
            guess = FOLDER.match(entry)
            stem = guess.group("name") if guess else entry.rpartition(".")[0].partition("-")[0]
            name = normalised(stem)
            if not INTERESTING.match(name):
                continue
            copy = _distribution(path, entry, name, guess.group("release") if guess else None)
            if copy is not None:
                copy["active"] = name not in active
                active[name] = True
                found.append(copy)
    return found


def names(path: str) -> List[str]:
    """Return what a folder holds, sorted; nothing where it cannot be read."""
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


def _distribution(path: str, entry: str, name: str, release: Optional[str]) -> Optional[Dict[str, Any]]:
    folder = os.path.join(path, entry)
    headers = _headers(folder)
    release = headers.get("version", [release])[0]
    if release is None:
        return None
    copy: Dict[str, Any] = {
        "name": name,
        "release": release,
        "location": path,
        "installer": _line(os.path.join(folder, "INSTALLER")),
        "origin": None,
        "editable": False,
        "tags": [],
        "requires": [one for one in headers.get("requires-dist", []) if "extra ==" not in one][:200],
        "requires_python": headers.get("requires-python", [None])[0],
        "metadata": entry,
    }
    copy.update(_direct_url(os.path.join(folder, "direct_url.json")))
    wheel = files.text(os.path.join(folder, "WHEEL"), 65536)
    if isinstance(wheel, str):
        copy["tags"] = re.findall(r"^Tag:\s*(\S+)", wheel, re.MULTILINE)[:64]
    module = os.path.join(path, name.replace("-", "_"))
    if os.path.isfile(os.path.join(module, "__init__.py")):
        copy["file"] = os.path.join(module, "__init__.py")
    if name in _VERSION_PY:
        copy.update(_build(path, name))
    return copy


def _headers(folder: str) -> Dict[str, List[str]]:
    for candidate in (os.path.join(folder, "METADATA"), os.path.join(folder, "PKG-INFO"), folder):
        content = files.raw(candidate, _METADATA_LIMIT)
        if isinstance(content, bytes):
            break
    else:
        return {}
    found: Dict[str, List[str]] = {}
    for line in content.decode("utf-8", "replace").splitlines():
        if not line.strip():
            break  # the description follows
        key, colon, value = line.partition(":")
        if colon and not line[0].isspace():
            found.setdefault(key.strip().lower(), []).append(value.strip()[:500])
    return found


def _line(path: str) -> Optional[str]:
    content = files.text(path, 4096)
    return content.strip() or None if isinstance(content, str) else None


def _direct_url(path: str) -> Dict[str, Any]:
    content = files.text(path, 65536)
    if not isinstance(content, str):
        return {}
    try:
        said = json.loads(content)
        url = said["url"]
        editable = bool(said.get("dir_info", {}).get("editable", False))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    told = {"origin": re.sub(r"://[^/\s@]+@", "://", str(url)[:2000]), "editable": editable}
    return dict(told, archive_sha256=noted_sha256(said))


def noted_sha256(direct_url: Any) -> Optional[str]:
    """Return the digest of the archive that an installer noted in direct_url.json, in hex; None where it noted none."""
    try:
        archive = direct_url["archive_info"]
        noted = (archive.get("hashes") or {}).get("sha256") or str(archive.get("hash", "")).replace("sha256=", "", 1)
    except (KeyError, TypeError, AttributeError):
        return None
    return noted if isinstance(noted, str) and re.match(r"[0-9a-f]{64}\Z", noted) else None


def _build(path: str, name: str) -> Dict[str, Any]:
    """What a package's own `version.py` and libraries say about its build, read without importing it."""
    said: Dict[str, Any] = {}
    content = files.text(os.path.join(path, name, "version.py"), 65536)
    if isinstance(content, str):
        cuda = _CUDA.search(content)
        if cuda:
            said["built_for_cuda"] = cuda_release(cuda.group(1) or cuda.group(2) or "")
        for member, key in (("__version__", "version_py"), ("hip", "built_for_hip"), ("git_version", "git")):
            found = re.search(r"^%s\b[^=\n]*=\s*['\"]([^'\"\n]+)['\"]" % member, content, re.MULTILINE)
            if found:
                said[key] = found.group(1)
    if name == "torch" and os.path.isdir(os.path.join(path, "torch", "lib")):
        said["has_cuda_library"] = os.path.exists(os.path.join(path, "torch", "lib", "libtorch_cuda.so"))
    return said


def cuda_release(told: str) -> str:
    """Return a CUDA release as torch writes it; some packages give the library's number, 12060 for 12.6."""
    return "%d.%d" % (int(told) // 1000, int(told) % 1000 // 10) if re.match(r"[0-9]{5}$", told) else told


def modules(paths: List[str]) -> List[Dict[str, Any]]:
    """Return every copy of the modules of interest with its file; the first on the path is the one that is imported."""
    found: List[Dict[str, Any]] = []
    for name in MODULES:
        for path in paths:
            file = _module(path, name)
            if file is not None:
                found.append({"name": name, "file": file, "active": not any(one["name"] == name for one in found)})
    return found


def _module(path: str, name: str) -> Optional[str]:
    package = os.path.join(path, name, "__init__.py")
    if os.path.isfile(package):
        return package
    plain = os.path.join(path, name + ".py")
    if os.path.isfile(plain):
        return plain
    if name == "cv2":  # the only one that is built as a single extension
        for entry in names(path):
            if re.match(r"cv2(\.[\w-]+)?\.so$", entry):
                return os.path.join(path, entry)
    return None
