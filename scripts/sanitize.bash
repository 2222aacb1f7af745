# What `scripts/test --sanitize` does: the tests, and the command under some of them, built with
# ThreadSanitizer and with AddressSanitizer. Sourced, with `set -euo pipefail` in force.
# shellcheck shell=bash disable=SC2154  # The script that sources this sets them.

# Swift would explain at length what is the sanitizers' to tell.
export SWIFT_BACKTRACE=enable=no

# End-to-end tests that let the command do a bit of everything: threads that encode together, jobs
# side by side, signals, files that fail, receipts. The others look closer at what comes out, which
# no sanitizer changes, or cannot live with one: what bounds the memory of a process (`--isolate`,
# `ulimit -v`), of which a sanitizer needs terabytes of addresses, and what traces it, as
# LeakSanitizer does.
readonly watched='SameBytesTests|WholeFilesTests|SplitFilesTests|BadInputTests|SignalTests|ReceiptTests'
readonly impossible='BadInputTests/giantCover|ReceiptTests/unopened|SignalTests/secondSignal[(]'

# Builds and runs the tests with a sanitizer. What it finds stands in files, one for each
# process, since tests look at what the command says; none may be there at the end.
# usage: sanitize NAME VARIABLE=VALUE…
sanitize() {
  local name=$1 scratch=$root/.build/sanitize-$1 found start=$SECONDS
  shift
  set_overlay_options
  local build=(
    env -u AVJOB_STRICT swift build --package-path "$root" --scratch-path "$scratch"
    --build-tests "--sanitize=$name" "${overlay_options[@]}"
  )
  build_quietly "the tests with the $name sanitizer" "${build[@]}"
  local bin
  bin=$("${build[@]}" --show-bin-path)
  rm -f "$scratch"/found.*
  # Run as `swift test` does, but without it: what is set here is for the tests alone. What they do
  # takes ten times as long, and so may the command.
  local tests=(
    env AVJOB_BINARY="$bin/avjob" AVJOB_PATIENCE=600 "$@" "$bin/avjobPackageTests.xctest"
    --testing-library swift-testing --quiet
  )
  local status=0
  "${tests[@]}" --skip EndToEndTests </dev/null || status=$?
  "${tests[@]}" --filter "$watched" --skip "$impossible" </dev/null || status=$?
  for found in "$scratch"/found.*; do
    [[ -e $found ]] || continue
    cat "$found" >&2
    status=1
  done
  ((status == 0)) || die "The $name sanitizer's run failed; what it found stands above."
  say "The $name sanitizer found nothing, in $((SECONDS - start)) s."
}

sanitize_all() {
  local found=$root/.build/sanitize rigs=$root/Tests/Rigs
  mkdir -p "$root/.build/rigs"
  local mutex=$root/.build/rigs/tsan-mutex.so
  clang -Wall -Wextra -Werror -O1 -fPIC -shared "$rigs/tsan-mutex.c" -o "$mutex"
  # FFmpeg, LAME and Swift's own libraries are not instrumented: what they do with memory of their
  # own would be taken for races.
  sanitize thread LD_PRELOAD="$mutex" \
    TSAN_OPTIONS="ignore_noninstrumented_modules=1:log_path=$found-thread/found"
  sanitize address \
    ASAN_OPTIONS="detect_leaks=1:log_path=$found-address/found:suppressions=$rigs/asan.txt" \
    LSAN_OPTIONS="suppressions=$rigs/leaks.txt:print_suppressions=0"
}
