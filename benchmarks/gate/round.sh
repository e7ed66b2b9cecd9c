#!/bin/bash
# The machine's part of a full round: clone the project, answer the challenge that it keeps, sign. Results go into $OUT.
#   OUT=DIR benchmarks/gate/round.sh BUNDLE KEY [GATE] [PYTHON]
# PYTHON is the interpreter with torch. JETPROOF_PYTHON runs jetproof itself from this checkout (default: PYTHON) and
# must find its dependencies; JETPROOF_DEPENDENCIES may name a folder that holds them.
set -eu
bundle=$1; key=$2; gate=${3:-cuda-runtime}; python=${4:-python3}
: "${OUT:?names the folder for the results}"
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=$(realpath "$bundle")
install -m 600 "$key" "$work/lane"  # the key's numbers are kept beside it: the one that travelled stays as it is

start='import sys; sys.path[:0] = [path for path in sys.argv[1:3] if path]; del sys.argv[1:3]
from jetproof.cli.main import main; sys.exit(int(main(sys.argv[1:])))'
jetproof() {  # without PYTHONPATH: the interpreter under test must not inherit it
    "${JETPROOF_PYTHON:-$python}" -B -c "$start" "$here/src" "${JETPROOF_DEPENDENCIES:-}" "$@"
}

git clone -q "$bundle" "$work/project"
cd "$work/project"
# the challenge was made for the commit before the one that keeps it
challenge=$(grep -lF "\"gate\": \"$gate\"" .jetproof/challenges/*.json)
install -m 600 "$challenge" "$work/challenge.json"
git checkout -q "$(sed -n 's/^ *"commit": "\([0-9a-f]*\)".*/\1/p' "$work/challenge.json")"
status=0
jetproof run "$gate" --python "$python" --output "$work/out" --challenge "$work/challenge.json" || status=$?
[ ! -d "$work/out" ] || cp -r "$work/out/." "$OUT/"
[ "$status" = 0 ] || { echo "the gate ended with $status"; exit "$status"; }
jetproof evidence sign "$OUT/$gate" --key "$work/lane"
