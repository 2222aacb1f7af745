import Testing

/// The completion scripts, each run by its shell.
@Suite("Completion") struct CompletionTests {
  /// What a user types before the tab key, and the candidates in order of bytes.
  private static let expectations: KeyValuePairs = [
    "avjob run o": "ok.yaml",
    "avjob run m": "my jobs.yaml",
    "avjob run j": "jobs",
    "avjob compress ok": "ok.mp3|ok.yaml",
    "avjob run ok.yaml --report r": "r.html|r.json|r.md|r.xml",
    "avjob run ok.yaml --root j": "jobs",
    "avjob record --mp3 V": "V0|V1|V2|V3|V4|V5|V6|V7|V8|V9",
    "avjob compress ok.mp3 --mp3 st": "standard|studio",
    "avjob compress ok.mp3 --preset pod": "podcast|podcast-stereo",
    "avjob compress ok.mp3 --aac 1": "128k|192k",
    "avjob run ok.yaml --only ": "$(touch owned)|a b|talk|x:1",
    "avjob run ok.yaml --only t": "talk",
    "avjob run jobs --only ": "inner",
    "avjob plan 'my jobs.yaml' --only ": "mine",
    "avjob check my\\ jobs.yaml --only ": "mine",
    "avjob preview ok.yaml --job t": "talk",
    "avjob preview --device d": "desk|door",
    "avjob record --device do": "door",
    "avjob schema chap": "chapter|chapters",
  ]

  /// Job files with awkward names, media, reports, and two devices of alsa-lib's.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.write(
      "ok.yaml",
      """
      jobs:
        talk: { clip: a.wav, output: a.mp3 }
        "a b": { clip: a.wav, output: b.mp3 }
        "x:1": { clip: a.wav, output: c.mp3 }
        "$(touch owned)": { clip: a.wav, output: d.mp3 }

      """)
    try stage.write("my jobs.yaml", "jobs: { mine: { clip: a.wav, output: a.mp3 } }\n")
    try stage.write(
      ".asound",
      """
      pcm.desk { type null hint { show on description "A desk" } }
      pcm.door { type null hint { show on description "A door" } }

      """)
    try stage.make(
      """
      mkdir jobs .home
      echo 'jobs: { inner: { clip: a.wav, output: a.mp3 } }' > jobs/one.yml
      touch ok.mp3 r.html r.json r.md r.xml r.txt
      for shell in bash zsh fish; do avjob --generate-completion-script $shell > .script.$shell; done
      ln -s "$AVJOB" .home/avjob
      mkdir .zsh
      mv .script.zsh .zsh/_avjob
      """)
    return stage
  }

  /// Prints the candidates for each line of `.lines`, by a script that prints them one by one.
  private func candidates(_ shell: String, by script: String) throws -> String {
    let stage = try stage()
    try stage.write(".lines", Self.expectations.map { $0.key + "\n" }.joined())
    try stage.write(".complete", script)
    let result = try stage.make(
      """
      export PATH=$PWD/.home:$PATH HOME=$PWD/.home TERM=xterm ALSA_CONFIG_PATH=$PWD/.asound
      while IFS= read -r line; do
        \(shell) | tr -d '\\r' | sed 's,/$,,' | LC_ALL=C sort -u | paste -sd'|'
      done < .lines
      """)
    #expect(result.errors.isEmpty)
    #expect(try !stage.listing().contains { $0.hasPrefix("owned") })
    return result.text
  }

  private var expected: String { Self.expectations.map { $0.value + "\n" }.joined() }

  @Test("Bash completes files, presets, devices, and the names of jobs, which it does not run")
  func bash() throws {
    let script = """
      source ./.script.bash
      shopt -s progcomp
      mapfile -t COMP_WORDS < <(grep -oE "('[^']*'|\\\\\\\\ |[^ ])+" <<< "$1")
      if [[ $1 == *' ' ]]; then COMP_WORDS+=(''); fi
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1}
      _avjob avjob "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try candidates("bash .complete \"$line\" < /dev/null", by: script) == expected)
  }

  /// Of zsh on a terminal, whose `compadd` says what it is given.
  @Test("Zsh completes the same")
  func zsh() throws {
    let script = """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell '
        PROMPT= fpath=($PWD/.zsh $fpath)
        autoload -Uz compinit; compinit -u -D
        bindkey "^I" complete-word; zstyle ":completion:*" completer _complete; stty -echo
        compadd() {
          local -a found
          [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]] || {
            builtin compadd -O found "$@"; print -rl -- "${found[@]/#/<found>}"; }
          builtin compadd "$@"
        }
        ended() { print -r -- "<ended>"; exit }
        comppostfuncs=(ended); print -r -- "<ready>"'
      while zpty -r shell text && [[ $text != *"<ready>"$'\\r'* ]]; do :; done
      zpty -n -w shell "$1"$'\\t'
      while zpty -r shell text && [[ $text != *"<ended>"* ]]; do
        if [[ $text == *"<found>"?* ]]; then print -r -- "${(Q)${text#*<found>}%$'\\r'*}"; fi
      done
      """
    #expect(try candidates("zsh -f .complete \"$line\" < /dev/null", by: script) == expected)
  }

  /// Of fish on a terminal: elsewhere it does not say where the cursor is.
  @Test("Fish completes the same")
  func fish() throws {
    let script = """
      source .script.fish
      complete -C "$LINE" > .found
      exit

      """
    let shell = """
      rm -f .found
      export LINE=$line
      script -qec 'fish --no-config -i' /dev/null < .complete > .screen 2>&1
      cut -f 1 .found
      """
    #expect(try candidates("{ \(shell); }", by: script) == expected)
  }
}
