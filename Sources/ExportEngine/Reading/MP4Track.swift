import Diagnosis
import LibAV
import Tagging

/// What an MP4 says of the times of one track, beside what libavformat makes of it (ISO 14496-12).
struct MP4Track: Sendable, Hashable {
  /// An entry of the edit list (`elst`, 8.6.6).
  struct Edit: Sendable, Hashable {
    /// In ticks of the movie; 0 in the last one: all that is left.
    var duration: Int64
    /// In ticks of the track; nil for an empty edit.
    var mediaTime: Int64?
    /// In 65,536ths.
    var rate: Int32
  }

  /// Ticks a second of the track (`mdhd`, 8.4.2), of which there may be none.
  var timescale: Int64
  /// Ticks a second of edits' durations (`mvhd`, 8.2.2), of which there may be none.
  var movieTimescale: Int64
  var edits: [Edit]
  /// In ticks of the track, by `stts` (8.6.1.2) or the last fragment; nil where neither says.
  var lastDuration: Int64?
  /// Of every packet but perhaps the last, in ticks of the track, by `stts`; nil where they differ.
  var steadyDuration: Int64?
  /// In all fragments and outside of them; nil where there is more than is counted.
  var packetCount: Int64?
  /// Whether the movie may have fragments (`mvex`, 8.8.1).
  var isFragmented: Bool
  /// How packets may be coded (`stsd`, 8.5.2).
  var described: [SampleDescription] = []
  /// Which of these packets use, from 1 on.
  var used: Set<Int> = []
  /// What its segment indexes count, in ticks of their own (`sidx`, 8.16.3).
  var indexed: SegmentIndex?
  /// Behind fragments, from where on no atoms are found.
  var stray: Range<Int64>?
  /// Where names of segment indexes stand (`sidx`, 8.16.3).
  var segmentIndexes: [Int64] = []

  /// What segment indexes count.
  struct SegmentIndex: Sendable, Hashable {
    var timescale: Int64
    var times: Range<Int64>
  }

  /// More edits than any program makes.
  static let mostEdits = 1 << 16

  /// Atoms of a file that are looked at: fragments of a day of 0.5 s have four or more each.
  private static let mostAtoms = 1 << 20

  /// Reads what the file says of a track.
  ///
  /// - Parameters:
  ///   - medium: The file.
  ///   - id: The track's number (`tkhd`, 8.3.2).
  /// - Returns: nil where the file has no such track.
  /// - Throws: `Failure` where it cannot be read.
  /// - Complexity: O(fragments)
  static func read(in medium: MediumBytes, id: Int) throws(Failure) -> MP4Track? {
    var reader = AtomReader(medium: medium, limit: mostAtoms)
    let file = 0..<(try medium.size())
    guard let movie = try reader.atom("moov", in: file),
      var track = try reader.track(id, in: movie)
    else { return nil }
    if track.isFragmented {
      let usual = try reader.usualFragment(ofTrack: id, in: movie)
      try reader.addFragments(ofTrack: id, usual, in: file, to: &track)
    }
    return track
  }
}

extension AtomReader {
  fileprivate mutating func track(_ id: Int, in movie: Range<Int64>) throws(Failure) -> MP4Track? {
    let parts = try atoms(in: movie)
    guard let header = parts.first(where: { $0.name == "mvhd" }) else { return nil }
    for part in parts where part.name == "trak" {
      guard let head = try atom("tkhd", in: part.body), try number(behindDates: head) == Int64(id),
        let media = try atom("mdia", in: part.body), let times = try atom("mdhd", in: media)
      else { continue }
      var track = MP4Track(
        timescale: try number(behindDates: times) ?? 0,
        movieTimescale: try number(behindDates: header.body) ?? 0, edits: [],
        isFragmented: parts.contains { $0.name == "mvex" })
      if let list = try atom(path: ["edts", "elst"], in: part.body) {
        track.edits = try edits(in: list)
      }
      guard let table = try atom(path: ["minf", "stbl"], in: media) else { return track }
      try addTable(table, to: &track)
      return track
    }
    return nil
  }

  /// The number behind two dates of 32 bits, or of 64 in version 1.
  func number(behindDates body: Range<Int64>) throws(Failure) -> Int64? {
    let bytes = try bytes(of: body, count: 24)
    let offset = bytes.first == 1 ? 20 : 12
    guard bytes.count >= offset + 4 else { return nil }
    return Int64(AtomHead.number(bytes[offset..<offset + 4]))
  }

  /// One more than is read, where there are more.
  private func edits(in body: Range<Int64>) throws(Failure) -> [MP4Track.Edit] {
    let head = try bytes(of: body, count: 8)
    guard head.count == 8 else { return [] }
    let width = head[0] == 1 ? 8 : 4
    let size = 2 * width + 4
    let there = (Int64(body.count) - 8) / Int64(size)
    let count = Int(min(Int64(AtomHead.number(head[4..<8])), there, Int64(MP4Track.mostEdits) + 1))
    let bytes = try medium.bytes(at: body.lowerBound + 8, count: count * size)
    return stride(from: 0, through: bytes.count - size, by: size).map { at in
      let duration = AtomHead.number(bytes[at..<at + width])
      let time = AtomHead.number(bytes[at + width..<at + 2 * width])
      let signed = width == 8 ? Int64(bitPattern: time) : Int64(Int32(truncatingIfNeeded: time))
      let rate = AtomHead.number(bytes[at + 2 * width..<at + size])
      return MP4Track.Edit(
        duration: Int64(clamping: duration), mediaTime: signed == -1 ? nil : signed,
        rate: Int32(truncatingIfNeeded: rate))
    }
  }

  /// The number of packets outside of fragments, and the last one's duration.
  private mutating func addTable(
    _ body: Range<Int64>, to track: inout MP4Track
  ) throws(Failure) {
    track.described = try sampleDescriptions(in: body)
    for (name, table) in try atoms(in: body) {
      switch name {
      case "stsc": track.used = try usedDescriptions(in: table)
      case "stsz", "stz2":
        let head = try bytes(of: table, count: 12)
        if head.count == 12 { track.packetCount = Int64(AtomHead.number(head[8...])) }
      case "stts" where table.count >= 16:
        // Pairs of a number of packets and the duration of each.
        track.lastDuration = try medium.number(at: table.upperBound - 4).map { Int64($0) }
        let pairs = try bytes(of: table, count: 20)
        guard pairs.count >= 16 else { continue }
        let count = AtomHead.number(pairs[4..<8])
        guard count == 1 || count == 2 && pairs.count == 20 && AtomHead.number(pairs[16...]) == 1
        else { continue }
        track.steadyDuration = Int64(AtomHead.number(pairs[12..<16]))
      default: break
      }
    }
  }

  // MARK: Fragments

  /// What holds of a fragment's packets.
  fileprivate struct Usual {
    /// Of packets without one of their own.
    var duration: Int64?
    /// The number of their description.
    var description = 1
  }

  /// What holds of packets of fragments that do not say it (`trex`, 8.8.3).
  fileprivate mutating func usualFragment(
    ofTrack id: Int, in movie: Range<Int64>
  ) throws(Failure) -> Usual {
    guard let parent = try atom("mvex", in: movie) else { return Usual() }
    for (name, body) in try atoms(in: parent) where name == "trex" {
      let bytes = try bytes(of: body, count: 16)
      guard bytes.count == 16, AtomHead.number(bytes[4..<8]) == UInt64(id) else { continue }
      return Usual(
        duration: Int64(AtomHead.number(bytes[12..<16])),
        description: Int(AtomHead.number(bytes[8..<12])))
    }
    return Usual()
  }

  fileprivate mutating func addFragments(
    ofTrack id: Int, _ usual: Usual, in file: Range<Int64>, to track: inout MP4Track
  ) throws(Failure) {
    var count = track.packetCount ?? 0
    var position = file.lowerBound
    while let atom = try atom(at: position, in: file) {
      if atom.name == "sidx" {
        track.segmentIndexes.append(position + 4)
        try add(atom.body, ofTrack: id, to: &track.indexed)
      }
      if track.stray == nil, let place = try hiddenFragment(in: atom, at: position, of: file) {
        track.stray = place..<atom.body.upperBound
      }
      position = atom.body.upperBound
      guard atom.name == "moof" else { continue }
      for (name, body) in try atoms(in: atom.body) where name == "traf" {
        try addFragment(body, ofTrack: id, usual, to: &track, &count)
      }
    }
    track.packetCount = rest > 0 ? count : nil
    if track.stray == nil, rest > 0, file.upperBound - position >= 8,
      try !isCutAtom(at: position)
    {
      track.stray = position..<file.upperBound
    }
  }

  /// Outermost atoms of files in fragments.
  private static let outermost: Set<String> = [
    "emsg", "free", "ftyp", "mdat", "meta", "mfra", "moof", "moov", "pdin", "prft", "sidx",
    "skip", "ssix", "styp", "uuid", "wide",
  ]

  /// Whether an atom begins at a place, and the file lacks its end.
  private func isCutAtom(at position: Int64) throws(Failure) -> Bool {
    let bytes = try medium.bytes(at: position, count: AtomHead.longest)
    return AtomHead(bytes, space: .max).map { Self.outermost.contains($0.name) } ?? false
  }

  /// Bytes of an odd atom that are searched: more than those of a fragment before the next one.
  private static let mostHidden: Int64 = 1 << 22

  /// Where an atom has a fragment in it, as damage to its size or name makes it have: libavformat
  /// skips it.
  private func hiddenFragment(
    in atom: Atom, at position: Int64, of file: Range<Int64>
  ) throws(Failure) -> Int64? {
    if Self.outermost.contains(atom.name) {
      // One without a size takes all of the file's rest.
      guard atom.body.upperBound == file.upperBound, try medium.number(at: position) == 0 else {
        return nil
      }
    }
    // The first atom of a fragment, of which all have one size (8.8.5).
    let sign: [UInt8] = [0, 0, 0, 16] + Array("mfhd".utf8)
    var start = atom.body.lowerBound
    let end = min(atom.body.upperBound, start + Self.mostHidden)
    while end - start >= 8 {
      let block = try medium.bytes(at: start, count: Int(min(1 << 16, end - start)))
      let places = block.indices.dropLast(7)
      guard !places.isEmpty else { return nil }
      if let place = places.first(where: {
        block[$0 + 3] == 16 && block[$0..<$0 + 8].elementsEqual(sign)
      }) {
        // Behind the head of `moof`.
        return max(position, start + Int64(place) - 8)
      }
      start += Int64(places.count)
    }
    return nil
  }

  /// Adds what a segment index counts, if it is the track's; of several, which may count one another,
  /// from the first time to the last.
  private func add(
    _ body: Range<Int64>, ofTrack id: Int, to index: inout MP4Track.SegmentIndex?
  ) throws(Failure) {
    let head = try bytes(of: body, count: 32)
    guard head.count == 32, AtomHead.number(head[4..<8]) == UInt64(id) else { return }
    let timescale = Int64(AtomHead.number(head[8..<12]))
    let width = head[0] == 0 ? 4 : 8
    let fields = 12 + 2 * width
    let start = Int64(clamping: AtomHead.number(head[12..<12 + width]))
    let count = Int(AtomHead.number(head[fields + 2..<min(32, fields + 4)]))
    let first = min(body.lowerBound + Int64(fields) + 4, body.upperBound)
    let entries = try bytes(of: first..<body.upperBound, count: count * 12)
    guard entries.count == count * 12, timescale > 0, index?.timescale ?? timescale == timescale,
      start < 1 << 62
    else { return }
    let sum = stride(from: 4, to: entries.count, by: 12)
      .reduce(Int64(0)) { $0 + Int64(AtomHead.number(entries[$1..<$1 + 4])) }
    let known = index?.times ?? start..<start
    index = MP4Track.SegmentIndex(
      timescale: timescale,
      times: min(known.lowerBound, start)..<max(known.upperBound, start + sum))
  }

  /// A fragment's packets of a track (`tfhd`, 8.8.7; `trun`, 8.8.8).
  private mutating func addFragment(
    _ body: Range<Int64>, ofTrack id: Int, _ usual: Usual, to track: inout MP4Track,
    _ count: inout Int64
  ) throws(Failure) {
    var usual = usual
    for (name, part) in try atoms(in: body) {
      let head = try bytes(of: part, count: 32)
      guard head.count >= 8 else { continue }
      let flags = AtomHead.number(head[1..<4])
      switch name {
      case "tfhd":
        guard AtomHead.number(head[4..<8]) == UInt64(id) else { return }
        var offset = 8 + (flags & 1 != 0 ? 8 : 0)
        if flags & 2 != 0, head.count >= offset + 4 {
          usual.description = Int(AtomHead.number(head[offset..<offset + 4]))
          offset += 4
        }
        if flags & 8 != 0, head.count >= offset + 4 {
          usual.duration = Int64(AtomHead.number(head[offset..<offset + 4]))
        }
      case "trun":
        let packets = Int64(AtomHead.number(head[4..<8]))
        guard packets > 0 else { continue }
        count += packets
        track.used.insert(max(1, usual.description))
        track.lastDuration = usual.duration
        guard flags & 0x100 != 0 else { continue }
        let width = Int64((flags & 0xF00).nonzeroBitCount * 4)
        let start = 8 + Int64((flags & 5).nonzeroBitCount * 4) + (packets - 1) * width
        guard start + 4 <= Int64(part.count) else { continue }
        track.lastDuration = try medium.number(at: part.lowerBound + start).map { Int64($0) }
      default: break
      }
    }
  }
}

extension MP4Track {
  /// Whether its index shows all of its packets, each as long as the others, one after the other.
  var isSteady: Bool {
    let played = edits.filter { $0.mediaTime != nil }
    return !isFragmented && steadyDuration != nil && played.count <= 1
      && played.allSatisfy { $0.rate == 1 << 16 }
  }

  /// The descriptions of its packets; the first one, where there are none.
  var descriptions: [SampleDescription] {
    (used.isEmpty ? [1] : used.sorted()).filter { 1..<described.count + 1 ~= $0 }
      .map { described[$0 - 1] }
  }

  /// Where its sound begins by the clock in which libavformat ends it: it counts fragments from 0,
  /// wherever the first one begins.
  func firstFrame(of first: Prober.FirstFrame) -> Int64 {
    isFragmented && edits.isEmpty ? max(0, first.startFrame) : 0
  }

  /// What libavformat must not see: of a file with a segment index (`sidx`) it lists the first
  /// fragment alone, and of one with many it may lose the last.
  var patches: [BytePatch] { Self.patches(of: segmentIndexes) }

  /// Such patches for a file that libavformat cannot open, of all its segment indexes.
  static func patches(in medium: MediumBytes) throws(Failure) -> [BytePatch] {
    // Each head of a server's file may cost a request.
    var reader = AtomReader(medium: medium, limit: medium.location.url == nil ? mostAtoms : 64)
    let file = 0..<(try medium.size())
    var (position, found) = (file.lowerBound, [Int64]())
    while let atom = try reader.atom(at: position, in: file) {
      if atom.name == "sidx" { found.append(position + 4) }
      position = atom.body.upperBound
    }
    return patches(of: found)
  }

  private static func patches(of segmentIndexes: [Int64]) -> [BytePatch] {
    segmentIndexes.map { BytePatch(offset: $0, bytes: Array("free".utf8)) }
  }
}
