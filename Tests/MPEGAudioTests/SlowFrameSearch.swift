import MPEGAudio

/// The slow twin of `FrameIndex`: the rules of its scan, written down once more without regard for
/// speed, on one frame at a time.
struct SlowFrameSearch {
  struct Frame: Equatable {
    var range: Range<Int>
    var mainDataBegin: Int
  }

  var bytes: [UInt8]
  var frames: [Frame] = []
  var tagRange: Range<Int>?

  /// Of bytes without any ID3 or APE tag.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let places = bytes.indices
    guard
      var position = places.first(where: { run(at: $0, needing: 4, orSingle: $0 == 0) })
        ?? (run(at: 0, needing: 2, orSingle: true) ? 0 : nil),
      let first = header(at: position)
    else { return }
    if isTag(at: position), let length = first.frameLength {
      tagRange = position..<position + length
      position += length
    }
    while position < bytes.count {
      if let header = header(at: position), header.isConsistent(with: first),
        let length = header.frameLength
      {
        guard position + length <= bytes.count else { return }
        frames.append(
          Frame(range: position..<position + length, mainDataBegin: begin(at: position, header)))
        position += length
        continue
      }
      // Out of step: the next of two in a row, or of four of another kind, which end it.
      let next = places[position...].first { place in
        guard let header = header(at: place) else { return false }
        let isOurs = header.isConsistent(with: first)
        return run(at: place, needing: isOurs ? 2 : 4, orSingle: isOurs)
      }
      guard let next, let header = header(at: next), header.isConsistent(with: first) else {
        return
      }
      position = next
    }
  }

  private func header(at place: Int) -> FrameHeader? {
    guard place + 4 <= bytes.count else { return nil }
    return FrameHeader(bits: bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
  }

  private func run(at place: Int, needing count: Int, orSingle: Bool) -> Bool {
    guard let first = header(at: place) else { return false }
    var (position, headers, whole) = (place, 0, 0)
    while headers < count, position < bytes.count {
      guard position + 4 <= bytes.count else { return headers >= 2 }
      guard let next = header(at: position), next.isConsistent(with: first),
        let length = next.frameLength
      else { return false }
      headers += 1
      position += length
      if position <= bytes.count { whole += 1 }
    }
    if headers == count { return whole >= 1 }
    return position >= bytes.count && whole >= 1 && (headers >= 2 || orSingle)
  }

  private func begin(at place: Int, _ header: FrameHeader) -> Int {
    let start = place + 4 + (header.hasChecksum ? 2 : 0)
    return header.version == .mpeg1
      ? Int(bytes[start]) * 2 + Int(bytes[start + 1] / 128) : Int(bytes[start])
  }

  private func isTag(at place: Int) -> Bool {
    guard let header = header(at: place) else { return false }
    return [0, 2].contains { extra in
      let start = place + 4 + header.sideInformationLength + extra
      guard start + 8 <= bytes.count, extra == 0 || header.hasChecksum else { return false }
      return ["Xing", "Info"].contains(String(decoding: bytes[start..<start + 4], as: UTF8.self))
    }
  }
}
