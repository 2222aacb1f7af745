import TestSupport
import Testing

/// Channels to which no file gives positions: none is taken for the low frequencies, and none is moved.
@Suite("Channels without positions")
struct UnplacedChannelTests {
  private let stage = Stage()

  private func python(_ body: String) throws -> String { try stage.waves(body) }

  @Test(
    "a sound in any one of them is heard in a downmix",
    arguments: [(3, 2), (4, 3), (6, 3), (8, 3)])
  func downmix(_ count: Int, _ channel: Int) throws {
    let levels = (0..<count).map { $0 == channel ? "0.5" : "0" }.joined(separator: ", ")
    _ = try python("make('plain.wav', [\(levels)])\nmake('zero.wav', [\(levels)], 0)")
    try stage.make(
      """
      ffmpeg -v error -i plain.wav -c:a pcm_s16be plain.au
      ffmpeg -v error -i plain.wav -c:a pcm_s16le plain.mkv
      ffmpeg -v error -i plain.wav plain.tta
      sox plain.wav plain.aiff
      """)
    for name in ["plain.wav", "zero.wav", "plain.au", "plain.mkv", "plain.tta", "plain.aiff"] {
      for (layout, expected) in [("mono", 11_585.0), ("stereo", 11_585.0)] {
        let result = try stage.run("avjob clip \(name) --channels \(layout) -o x.wav --force")
        #expect(
          result.errors.contains("\(count) channels without positions, is mixed down"),
          "\(result.errors)")
        let peaks = try python("print(*wave('x.wav')[2])").split(separator: " ")
        for peak in peaks.compactMap({ Double($0.filter(\.isNumber)) }) {
          #expect(abs(peak - expected) < 300, "\(name) \(layout)")
        }
      }
    }
  }

  @Test("they keep their order and get no positions in an output; FLAC's note says what it does")
  func kept() throws {
    _ = try python("make('k.wav', [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])")
    try stage.make(
      "avjob clip -q k.wav -o a.wav && avjob clip -q k.wav -o a.caf && avjob clip -q k.wav -o a.aiff"
    )
    let note = try stage.run("avjob clip k.wav -o a.flac").errors
    #expect(note.contains("FLAC gives 6 channels the positions of a surround"), "\(note)")
    try stage.make(
      """
      metaflac --show-tag=WAVEFORMATEXTENSIBLE_CHANNEL_MASK a.flac | grep -q '=0x0$'
      ! grep -q chan a.caf
      ! grep -q CHAN a.aiff
      for f in wav caf aiff flac; do
        avjob probe a.$f | grep -q '6 channels'
        avjob clip -q a.$f -o back-$f.wav
        cmp a.wav back-$f.wav
      done
      """)
    let found = try python("print(*wave('a.wav')[:2])\nprint(*wave('a.wav')[2])")
    #expect(found == "6 None\n3276 6553 9830 13106 16383 19660\n", "\(found)")
    // As many channels with positions are these in their order.
    try stage.make("avjob clip -q k.wav --channels 5.1 -o p.wav")
    #expect(try python("print(*wave('p.wav')[2])") == "3276 6553 9830 13106 16383 19660\n")
  }

  @Test(
    "FLAC's own order by the number of channels stays, and its fourth of six is the low frequencies"
  )
  func flac() throws {
    _ = try python("make('k.wav', [0, 0, 0, 0.5, 0, 0], 0x3F)")
    let result = try stage.run("flac -s k.wav -o k.flac && avjob clip k.flac -o x.mp3")
    #expect(
      result.errors.contains("5.1, is mixed down, without the low-frequency channel"),
      "\(result.errors)")
  }

  @Test(
    "FLAC's tag of no positions may be written in any length",
    arguments: ["0", "00", "0x0", "0x0000", "0x00000000"])
  func flacMask(_ mask: String) throws {
    _ = try python("make('k.wav', [0, 0, 0, 0.5, 0, 0], 0x3F)")
    try stage.make(
      """
      flac -s k.wav -o k.flac
      metaflac --remove-tag=WAVEFORMATEXTENSIBLE_CHANNEL_MASK k.flac
      metaflac --set-tag=WAVEFORMATEXTENSIBLE_CHANNEL_MASK=\(mask) k.flac
      """)
    let result = try stage.run("avjob clip k.flac --channels stereo -o x.wav")
    #expect(
      result.errors.contains("6 channels without positions, is mixed down"), "\(result.errors)")
  }

  @Test("the table of results names a layout only where channels have positions")
  func table() throws {
    _ = try python(
      "make('k.wav', [0.1] * 6)\nmake('p.wav', [0.1] * 6, 0x3F)\nmake('q.wav', [0.1] * 4)")
    for (name, sound) in [("k", "6 channels"), ("p", "5.1"), ("q", "4 channels")] {
      let result = try stage.run("avjob clip \(name).wav -o \(name)-out.wav")
      #expect(
        (result.text + result.errors).contains("48 kHz \(sound)"),
        "\(result.text)\(result.errors)")
    }
  }

  @Test(
    "channels of Opus' mapping families without an order stay where they are",
    arguments: [3, 4, 5, 6, 7, 8], ["ogg", "mkv", "mp4"])
  func opus(_ count: Int, _ container: String) throws {
    let levels = (1...count).map { "0.\($0)" }.joined(separator: ", ")
    _ = try python("make('k.wav', [\(levels)])")
    try stage.make(
      """
      ffmpeg -v error -i k.wav -c:a libopus -mapping_family 255 -b:a \(count * 96)k s.\(container)
      avjob clip -q s.\(container) -o x.wav
      avjob probe s.\(container) | grep -q '\(count) channels'
      """)
    let peaks = try python("print(*wave('x.wav')[2])").split(separator: " ")
      .compactMap { Double($0.filter(\.isNumber)) }
    #expect(peaks.count == count)
    for (index, peak) in peaks.enumerated() {
      #expect(abs(peak / 3276.7 - Double(index + 1)) < 0.4, "\(peaks)")
    }
  }

  @Test(
    "six of Opus are refused by a copy and mixed down else, each with the layout that keeps them")
  func sixOfOpus() throws {
    _ = try python("make('k.wav', [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])")
    try stage.make("ffmpeg -v error -i k.wav -c:a libopus -mapping_family 255 -b:a 256k s.opus")
    let copy = try stage.job("clip: s.opus\noutput: { file: x.opus, opus: copy }\n")
    #expect(copy.status == 2)
    #expect(
      copy.errors.contains(
        "help: write 'opus: 128k', and 'channels: 5.1', which gives them places"), "\(copy.errors)")
    let mixed = try stage.run("avjob clip s.opus -o y.opus")
    #expect(
      mixed.errors.contains("for all channels write '--channels 5.1', which gives them places"),
      "\(mixed.errors)")
    let kept = try stage.job("clip: s.opus\noutput: { file: x.opus, opus: 128k, channels: 5.1 }\n")
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(try stage.make("avjob probe x.opus").text.contains("5.1"))
  }

  @Test("Opus of an ambisonic order with a matrix is refused by name")
  func projection() throws {
    _ = try python("make('k.wav', [0.1, 0.2, 0.3, 0.4])")
    try stage.make("ffmpeg -v error -i k.wav -c:a libopus -mapping_family 255 -b:a 256k s.mp4")
    _ = try python(
      """
      data = bytearray(open('s.mp4', 'rb').read())
      at = data.index(b'dOps') + 4
      assert data[at + 10] == 255
      data[at + 10] = 3
      open('m.mp4', 'wb').write(data)
      """)
    let result = try stage.run("avjob clip -q m.mp4 -o x.wav")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("is Opus of channel mapping family 3"), "\(result.errors)")
  }
}
