import TestSupport
import Testing

/// Outputs of several encoders each, as a user sees them.
@Suite("Outputs that many encoders make")
struct SpliceTests {
  private let stage = Stage()

  private static let formats = [
    "flac", "m4a --alac '16 bit'", "m4a --aac 128k", "ogg --vorbis q5", "opus --opus 96k",
  ]

  @Test(
    "on one core and on all, bytes are the same, and cuts across a seam are exact",
    arguments: formats)
  func seams(_ format: String) throws {
    // Chunks are 87.4 s of AAC, 43.7 s of Vorbis and Opus, 21.8 s of FLAC and ALAC.
    try stage.make(
      """
      ffmpeg -v error -stream_loop 5 -i $FIXTURES/feelings.ogg -t 110 -ar 48000 a.wav
      mkdir one all
      (taskset -cp 0 $BASHPID >taskset.txt; avjob compress a.wav -o one/a.\(format) --quiet)
      avjob compress a.wav -o all/a.\(format) --quiet
      cmp one/a.* all/a.*
      avjob compress all/a.* -o whole.wav --wav '32 bit float' --quiet
      avjob clip all/a.* --from 43s --to 45s -o vorbis.wav --wav '32 bit float' --quiet
      avjob clip all/a.* --from 86s --to 89s -o aac.wav --wav '32 bit float' --quiet
      """)
    let whole = try floats("whole.wav")
    #expect(try whole.count == floats("a.wav").count)
    for (name, range) in [("vorbis.wav", 43..<45), ("aac.wav", 86..<89)] {
      let isSame =
        try floats(name)[...] == whole[(range.lowerBound * 96_000)..<(range.upperBound * 96_000)]
      #expect(isSame, "\(name)")
    }
  }

  @Test("sounds of a few samples, of silence and of eight channels are whole", arguments: formats)
  func extremes(_ format: String) throws {
    try stage.make("sox -n -r 48000 -c 8 -b 16 wide.wav synth 2 pinknoise gain -6")
    try stage.make("sox -n -r 48000 -c 2 -b 16 silence.wav trim 0 30")
    for (name, count) in [("wide", 96_000), ("silence", 1_440_000)] {
      if name == "wide", format.contains("alac") { continue }
      try stage.make("avjob compress \(name).wav -o \(name).\(format) --quiet")
      let channels = name == "wide" ? 8 : 2
      let length = try floats("\(name).\(format.prefix { $0 != " " })").count / channels
      #expect(count..<count + 1024 ~= length, "\(name)")
    }
    for count in [1, 3, 1000, 4608] {
      try stage.make(
        """
        sox -n -r 48000 -c 1 -b 16 short.wav synth \(count)s sine 997 gain -6
        avjob compress short.wav -o short.\(format) --quiet --force
        """)
      let probe = try stage.make("avjob probe short.\(format.prefix { $0 != " " })").text
      #expect(probe.contains("(\(count) samples)"), "\(probe)")
    }
  }

  @Test("a disk that is full leaves no file", arguments: formats)
  func fullDisk(_ format: String) throws {
    try stage.make("ffmpeg -v error -stream_loop 1 -i $FIXTURES/feelings.ogg -t 40 a.wav")
    let result = try stage.run("ulimit -f 100; avjob compress a.wav -o a.\(format) --quiet")
    #expect(result.status == 1 && result.errors.contains("cannot write the file: File too large"))
    #expect(try stage.make("ls").text == "a.wav\n")
  }

  private func floats(_ name: String) throws -> [Float] {
    try stage.make("ffmpeg -v error -i \(name) -f f32le -").floats
  }
}
