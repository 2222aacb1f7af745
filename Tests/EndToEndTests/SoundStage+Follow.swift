import TestSupport

/// Files that change while they are heard.
extension SoundStage {
  /// Waits until so many bytes were heard, or a message was printed.
  private static let waits = """
    heard() { for n in $(seq 3000); do [ $(stat -c %s $HEARD) -ge $1 ] && return; sleep 0.01; done; }
    said() { for n in $(seq 3000); do [[ $(<said.txt) =~ $1 ]] && return; sleep 0.01; done; }

    """

  /// Three recordings of noise of 48 kHz, in which every place is another.
  static func noise(_ definition: String = "speed 4 stall yes") throws -> SoundStage {
    let sound = try SoundStage(definition)
    try sound.stage.share(
      """
      for n in one two three; do
        sox -n -r 48000 -c 2 -e float -b 32 $n.wav synth 8 whitenoise gain -10
      done
      """)
    return sound
  }

  /// Plays `job.yaml` in its first version, after one script, and runs another one meanwhile; `avjob`
  /// must end by itself.
  func play(
    _ files: String = "job.yaml", after before: String = "", _ script: String
  ) throws -> ToolResult {
    try run(
      """
      HEARD=\(folder.path("heard"))
      touch $HEARD
      \(Self.waits)
      \(before)
      avjob preview \(files) 2>said.txt & job=$!
      \(script)
      wait $job
      status=$?
      cat said.txt >&2
      exit $status
      """)
  }

  /// The first frame in which what was heard differs from another sound, which is told sooner than all
  /// differences.
  func firstDifference(from expected: [UInt8]) -> Int? {
    heard == expected ? nil : heard.commonPrefix(with: expected) / 8
  }
}
