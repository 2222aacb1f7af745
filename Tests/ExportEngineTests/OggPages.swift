import Tagging
import TestSupport

/// The pages of an Ogg file, which can be left out and changed.
struct OggPages {
  var all: [[UInt8]]

  init(_ path: String) throws { self.init(try readFile(path)) }

  init(_ bytes: [UInt8]) {
    all = []
    var rest = bytes[...]
    while let page = OggPage(rest), page.size <= rest.count {
      all.append(Array(rest.prefix(page.size)))
      rest = rest.dropFirst(page.size)
    }
  }

  /// Of a file of six seconds with a click at 5 s, in pages of half a second.
  init(_ name: String, _ options: String, in folder: TestFolder) throws {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 48000 -c 1 -b 16 src.wav synth 6 sine 300-3000 gain -20
      sox -R -n -r 48000 -c 1 -b 16 click.wav synth 0.005 square 2000 gain -3 pad 5 0.995
      sox -R -m -v 1 src.wav -v 1 click.wav mix.wav
      ffmpeg -v error -i mix.wav \(options) -page_duration 500000 \(name)
      """)
    try self.init(folder.path(name))
  }

  /// The first one on which a packet of sound ends.
  var firstOfSound: Int { all.indices.first { granule($0) > 0 } ?? all.endIndex }

  func granule(_ index: Int) -> Int64 {
    OggPage(all[index]).map { Int64(bitPattern: $0.granule) } ?? 0
  }

  mutating func set(granule: Int64, of index: Int) {
    put(UInt64(bitPattern: granule), 8, at: 6, index)
  }

  mutating func set(serial: Int) {
    for index in all.indices { put(UInt64(serial), 4, at: 14, index) }
  }

  mutating func set(number: Int, of index: Int) { put(UInt64(number), 4, at: 18, index) }

  /// Gives the pages numbers that leave out none.
  mutating func number() {
    for index in all.indices { set(number: index, of: index) }
  }

  private mutating func put(_ value: UInt64, _ count: Int, at place: Int, _ index: Int) {
    for byte in 0..<count {
      all[index][place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
    }
    all[index] = OggPage.checked(all[index])
  }

  func write(_ path: String) throws { try writeFile(path, all.flatMap { $0 }) }
}
