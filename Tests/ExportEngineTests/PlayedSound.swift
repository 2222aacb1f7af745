import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// A medium that is read as an export reads it.
struct PlayedSound {
  let library = MediaLibrary()
  let asset: Asset
  private let stream: Int?

  init(_ path: String, stream: Int? = nil) throws {
    self.stream = stream
    asset = try library.asset(at: FilePath(path), streamIndex: stream)
  }

  init(at location: MediaLocation) throws {
    stream = nil
    asset = try library.asset(at: location)
  }

  var warnings: [String] {
    library.warnings(for: asset.location, streamIndex: stream).map(\.message)
  }

  /// All of it.
  func whole() throws -> [[Float]] {
    try library.open(asset, noting: Damage()).samples(0..<asset.frameCount)
  }

  /// Expects that a range is the slice of the whole: at some places, and around given ones.
  func expectSlices(of whole: [[Float]], around places: [Int] = []) throws {
    let stream = try library.open(asset, noting: Damage())
    let frames = whole[0].count
    #expect(frames == Int(asset.frameCount))
    var dice = Dice(10)
    let starts =
      (0..<6).map { _ in Int.random(in: 0..<frames, using: &dice) }
      + places.flatMap { [$0 - 700, $0 - 1, $0] }
    for start in starts.shuffled(using: &dice) where 0..<frames ~= start {
      let length = min(frames - start, Int.random(in: 1...9000, using: &dice))
      let range = try stream.samples(Int64(start)..<Int64(start + length))
      for channel in whole.indices {
        let isSame = whole[channel][start..<start + length].elementsEqual(range[channel])
        #expect(isSame, "\(start)")
      }
    }
  }
}

/// The bytes of an MP4 whose atoms can be replaced (ISO 14496-12, 4.2). Its media must lie before its
/// movie, or be found from each fragment, so that no offset changes.
struct MP4Bytes {
  var bytes: [UInt8]

  init(_ path: String) throws { bytes = try readFile(path) }

  func write(_ path: String) throws { try writeFile(path, bytes) }

  /// Where an atom lies, with its head.
  func atom(_ path: [String]) -> Range<Int>? {
    var range = 0..<bytes.count
    for (depth, name) in path.enumerated() {
      var (at, found) = (range.lowerBound, nil as Range<Int>?)
      while at + 8 <= range.upperBound, found == nil {
        let size = number(at)
        if bytes[at + 4..<at + 8].elementsEqual(name.utf8) { found = at..<at + size }
        at += max(8, size)
      }
      guard let found else { return nil }
      range = depth == path.count - 1 ? found : found.lowerBound + 8..<found.upperBound
    }
    return range
  }

  func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }

  static func big(_ number: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }

  mutating func put(_ number: Int, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + 4, with: Self.big(number))
  }

  /// Where the track of sound is: the first, or the second one.
  static let track = ["moov", "trak"]

  /// Gives the first track another edit list: durations in ticks of the movie, places in the track's;
  /// nil plays nothing.
  mutating func list(_ edits: [(duration: Int, place: Int?)], rate: Int = 1 << 16) {
    var body = Self.big(0) + Self.big(edits.count)
    for edit in edits {
      body += Self.big(edit.duration) + Self.big(edit.place ?? -1) + Self.big(rate)
    }
    let list = Self.big(body.count + 8) + Array("elst".utf8) + body
    let atom = Self.big(list.count + 8) + Array("edts".utf8) + list
    replace(Self.track + ["edts"], with: atom)
  }

  /// Replaces an atom, or puts one at the end of its parent.
  mutating func replace(_ path: [String], with new: [UInt8]) {
    guard let parent = atom(path.dropLast()) else { return }
    let old = atom(path) ?? parent.upperBound..<parent.upperBound
    for depth in 1..<path.count {
      guard let outer = atom(Array(path.prefix(depth))) else { return }
      put(number(outer.lowerBound) + new.count - old.count, at: outer.lowerBound)
    }
    bytes.replaceSubrange(old, with: new)
  }
}
