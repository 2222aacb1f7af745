import TestSupport
import Testing

/// Channels above, below and beyond those of 7.1: in place where an output has their positions, and on
/// their side where it has not.
@Suite("Channels of other heights")
struct HeightChannelTests {
  private let stage = Stage()

  /// 5.1.2: FL FR FC LFE BL BR TFL TFR.
  private static let mask = 0x503F

  private func make(_ levels: [Double], _ mask: Int = mask) throws {
    _ = try stage.waves("make('k.wav', \(levels), \(mask))")
  }

  private func peaks(_ path: String) throws -> [Double] {
    try stage.waves("print(*wave('\(path)')[2])").split(separator: " ")
      .compactMap { Double($0.filter(\.isNumber)) }
  }

  @Test("5.1.2 stays as it is, with its mask", arguments: ["wav", "flac", "caf", "aiff"])
  func kept(_ kind: String) throws {
    try make((1...8).map { Double($0) / 10 })
    let result = try stage.run("avjob clip k.wav -o a.\(kind)")
    #expect(result.status == 0, "\(result.errors)")
    for word in ["mixed", "positions"] { #expect(!result.errors.contains(word)) }
    try stage.make(
      """
      test "$(ffprobe -v error -show_entries stream=channels -of csv=p=0 a.\(kind))" = 8
      sox k.wav -t s16 k.raw
      sox a.\(kind) -t s16 a.raw
      cmp k.raw a.raw
      avjob clip -q a.\(kind) -o back.wav
      """)
    #expect(try stage.waves("print(wave('back.wav') == wave('k.wav'))") == "True\n")
  }

  @Test("a range of 5.1.2 is copied, with its mask")
  func copied() throws {
    try make((1...8).map { Double($0) / 10 })
    try stage.write(
      "x.yaml", "clip: k.wav 100ms..300ms\noutput: { file: a.wav, wav: copy }\n")
    try stage.make(
      """
      avjob run -q x.yaml
      sox k.wav -t s16 k.raw trim 4800s 9600s
      sox a.wav -t s16 a.raw
      cmp k.raw a.raw
      """)
    #expect(try stage.waves("print(wave('a.wav')[:2])") == "(8, \(Self.mask))\n")
  }

  @Test("in stereo and 5.1 a height channel is heard on its side alone, at −3 dB")
  func downmix() throws {
    for (channel, side) in [(6, 0), (7, 1)] {
      try make((0..<8).map { $0 == channel ? 0.5 : 0 })
      for layout in ["stereo", "5.1"] {
        let result = try stage.run("avjob clip k.wav --channels \(layout) -o x.wav --force")
        #expect(result.errors.contains("8 channels, is mixed down"), "\(result.errors)")
        for (index, peak) in try peaks("x.wav").enumerated() {
          // The rest is dither.
          #expect(abs(peak - (index == side ? 11_585 : 0)) < (index == side ? 300 : 3), "\(layout)")
        }
      }
    }
  }

  @Test(
    "positions that no output has are mixed down by side, and left out of a copy with a note",
    arguments: [
      // The wide left, and two bits of WAVE that stand for nothing.
      (0x8000_003F, 7, [11_585.0, 0], "WAV has none for wide left"),
      (0xC_003F, 8, [11_585, 11_585], "not all of its source's are known"),
    ])
  func unknown(_ mask: Int, _ count: Int, _ mixed: [Double], _ words: String) throws {
    try make((0..<count).map { $0 == 6 ? 0.5 : 0 }, mask)
    try stage.make("avjob clip -q k.wav -o x.wav")
    for (peak, expected) in zip(try peaks("x.wav"), mixed) {
      #expect(abs(peak - expected) < 300)
    }
    try stage.write("x.yaml", "clip: k.wav 0s..300ms\noutput: { file: a.wav, wav: copy }\n")
    let result = try stage.run("avjob run x.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("'a.wav' has \(count) channels without positions: \(words)"),
      "\(result.errors)")
    try stage.make(
      """
      sox k.wav -t s16 k.raw trim 0 14400s
      sox a.wav -t s16 a.raw
      cmp k.raw a.raw
      """)
    #expect(try stage.waves("print(wave('a.wav')[:2])") == "(\(count), None)\n")
  }

  @Test(
    "a copy of two channels in positions that no output has is stereo, with a note",
    arguments: [
      (0x8000_0001, "WAV has none for wide left"), (0x4_0001, "not all of its source's are known"),
    ])
  func pair(_ mask: Int, _ words: String) throws {
    try make([0.2, 0.5], mask)
    try stage.write("x.yaml", "clip: k.wav 0s..300ms\noutput: { file: a.wav, wav: copy }\n")
    let result = try stage.run("avjob run x.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains(
        "'a.wav' has two channels that count as left and right, and not their own positions: "
          + words), "\(result.errors)")
    try stage.make(
      """
      sox k.wav -t s16 k.raw trim 0 14400s
      sox a.wav -t s16 a.raw
      cmp k.raw a.raw
      """)
    #expect(try stage.waves("print(wave('a.wav')[:2])") == "(2, None)\n")
  }
}
