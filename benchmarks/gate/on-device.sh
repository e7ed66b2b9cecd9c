#!/bin/bash
# Everything that is to be shown on a machine with CUDA, from the checkout, without installing jetproof.
#   benchmarks/gate/on-device.sh seeds|broken|time-all|time-6|time-2|all [PYTHON] [probes to leave out, comma-separated]
# Each part stays below five minutes; one process a probe is timed once, the rest three times. With $OUT set, the full records are left there.
set -u
part=${1:-all}; python=${2:-python3}; leave=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
status=0
"$python" - <<'END'
import importlib.metadata as metadata, os, platform
print(platform.platform(), "cores", len(os.sched_getaffinity(0)))
for name in ("torch", "torchvision", "triton", "transformers", "accelerate", "bitsandbytes", "numpy"):
    try:
        print(" ", name, metadata.version(name))
    except metadata.PackageNotFoundError:
        print(" ", name, "absent")
END
if [ "$part" = seeds ] || [ "$part" = all ]; then
    echo; echo "== all probes, five fresh seeds"
    timeout 290 "$python" "$here/seeds.py" --python "$python" --seeds 5 --leave-out "$leave" || status=1
fi
if [ "$part" = broken ] || [ "$part" = all ]; then
    echo; echo "== builds broken on purpose"
    timeout 290 "$python" "$here/broken.py" --python "$python" || status=1
fi
for cpus in all 6 2; do
    if [ "$part" = "time-$cpus" ] || [ "$part" = all ]; then
        each=1; [ "$cpus" != 2 ] || each=0
        echo; echo "== wall time, cores: $cpus"
        timeout 290 "$python" "$here/run.py" --python "$python" --cpus "$cpus" --leave-out "$leave" \
            --each-repeats "$each" || status=1
    fi
done
exit $status
