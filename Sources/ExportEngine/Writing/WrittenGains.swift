import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import Tagging

extension Sink {
  /// The gains of its tags, one behind the other: with a level for each that is known, and a place as
  /// long for the others.
  func gainItems(_ levels: [LevelTag.Scope: LevelTag.Level]) -> [Metadata.Item] {
    gains.flatMap { LevelTag.tags($0, of: levels[$0], asOpus: hasOpusGains) }.map { tag in
      // In MP4 the names that loudgain and foobar2000 write.
      Metadata.Item(
        key: capabilities.tagForm == .itemList ? tag.key.lowercased() : tag.key, value: tag.value)
    }
  }

  /// Its gains as they lie in its file.
  private func gainBytes(
    _ levels: [LevelTag.Scope: LevelTag.Level]
  ) throws(ID3TagError) -> [UInt8] {
    let items = gainItems(levels)
    switch capabilities.tagForm {
    case .vorbisComments: return VorbisComment.encoded(comments(of: items))
    case .itemList: return atoms(of: items)
    case .id3:
      return try ID3Tag.frames(
        of: items.map { ID3Tag.Item(key: $0.key, value: $0.value) }, as: id3Version ?? .v24)
    case .riff, .caf, .matroska, .none: return []
    }
  }

  /// Puts its gains into their place in its complete file.
  ///
  /// - Parameters:
  ///   - levels: One for each of `gains`.
  ///   - file: The file, all of it written.
  /// - Throws: `reportBug` where the file does not have their place.
  /// - Complexity: O(size of the tags)
  func put(
    _ levels: [LevelTag.Scope: LevelTag.Level], into file: OutputFile
  ) throws(Failure) {
    let (old, new): ([UInt8], [UInt8])
    do throws(ID3TagError) {
      (old, new) = (try gainBytes([:]), try gainBytes(levels))
    } catch {
      throw Failure(.reportBug, error.message, path: file.path)
    }
    func changed(_ bytes: [UInt8]) -> [UInt8]? { bytes.replacingLast(old, by: new) }
    if capabilities.tagForm == .vorbisComments {
      guard try file.changeComments(changed) else { throw file.noPlace }
      return
    }
    guard let place = try file.tagPlace,
      let bytes = changed(try file.bytes(at: place.lowerBound, count: place.count))
    else { throw file.noPlace }
    try file.put(bytes, at: place.lowerBound)
  }
}

extension OutputFile {
  /// Where the tag of an MP3 or an AIFF lies, and an MP4's index; nil where there is none.
  fileprivate var tagPlace: Range<Int64>? {
    get throws(Failure) {
      let head = try bytes(at: 0, count: 12)
      if head.starts(with: "ID3".utf8), head.count >= 10 {
        // Four times seven bits (ID3v2.4.0 structure, 6.2).
        return 0..<10 + head[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1) }
      }
      let isAIFF = head.starts(with: "FORM".utf8)
      var offset: Int64 = isAIFF ? 12 : 0
      while offset < size {
        let head = try bytes(at: offset, count: AtomHead.longest)
        guard head.count >= 8 else { return nil }
        if isAIFF {
          let end = offset + 8 + Int64(AtomHead.number(head[4..<8]))
          if head.starts(with: "ID3 ".utf8) { return offset..<min(end, size) }
          offset = end + end % 2
        } else {
          guard let atom = AtomHead(head, space: size - offset) else { return nil }
          if atom.name == "moov" { return offset..<offset + atom.size }
          offset += atom.size
        }
      }
      return nil
    }
  }
}

extension [UInt8] {
  /// The bytes with another part in place of the last one that equals `old`; nil without one.
  ///
  /// - Precondition: Both have the same size.
  fileprivate func replacingLast(_ old: [UInt8], by new: [UInt8]) -> [UInt8]? {
    precondition(old.count == new.count)
    guard let first = old.first, count >= old.count else { return nil }
    for start in stride(from: count - old.count, through: 0, by: -1)
    where self[start] == first && self[start..<start + old.count].elementsEqual(old) {
      return self[..<start] + new + self[(start + old.count)...]
    }
    return nil
  }
}
