import Diagnosis
import LibAV
import MediaComposition
import Tagging

/// What containers hide at the edges of pictures.
extension Prober {
  /// Adds to moving pictures how their container hides edges of them, if it does.
  ///
  /// - Throws: `Failure` where the file cannot be read.
  /// - Complexity: O(tracks)
  func addCropping(to tracks: inout [AssetTrack], of demuxer: Demuxer) throws(Failure) {
    let streams = demuxer.streams
    for index in tracks.indices where tracks[index].mediaType == .video {
      let number = tracks[index].index
      guard streams.indices.contains(number) else { continue }
      let name =
        if demuxer.formatName.hasPrefix("mov,") {
          try ContainerFacts.hasCleanAperture(in: bytes, ofTrack: streams[number].id)
            ? "the clean aperture (clap)" : nil as String?
        } else if demuxer.formatName.hasPrefix("matroska,") {
          try ContainerFacts.matroskaCropsPicture(in: bytes, ofStream: number)
            ? "the cropping (PixelCrop)" : nil as String?
        } else {
          nil as String?
        }
      guard let name else { continue }
      tracks[index].cropping = AssetTrack.Cropping(
        name: name, isCopied: streams[number].hasCropping)
    }
  }
}

extension ContainerFacts {
  /// Whether a track of an MP4 or a QuickTime movie shows a part of its pictures alone (`clap`; ISO 14496-12,
  /// 12.1.4).
  static func hasCleanAperture(in medium: MediumBytes, ofTrack id: Int) throws(Failure) -> Bool {
    var reader = AtomReader(medium: medium)
    guard let movie = try reader.atom("moov", in: 0..<(try medium.size())) else { return false }
    for track in try reader.atoms(in: movie) where track.name == "trak" {
      guard let head = try reader.atom("tkhd", in: track.body),
        try reader.number(behindDates: head) == Int64(id)
      else { continue }
      guard
        let table = try reader.atom(path: ["mdia", "minf", "stbl", "stsd"], in: track.body),
        // A version and a number of entries come first.
        let entry = try reader.atom(at: table.lowerBound + 8, in: table)?.body
      else { return false }
      // Behind the fields of a picture's entry.
      let rest = min(entry.lowerBound + 78, entry.upperBound)..<entry.upperBound
      guard let aperture = try reader.atom("clap", in: rest) else { return false }
      let (size, shown) = (
        try reader.bytes(of: entry, count: 28), try reader.bytes(of: aperture, count: 16)
      )
      guard size.count == 28, shown.count == 16 else { return false }
      // Width and height are fractions, and those of all pixels hide nothing.
      return [(24, 0), (26, 8)].contains { whole, part in
        AtomHead.number(size[whole..<whole + 2]) * AtomHead.number(shown[part + 4..<part + 8])
          != AtomHead.number(shown[part..<part + 4])
      }
    }
    return false
  }

  /// Whether a track of a Matroska file hides edges of its pictures (RFC 9559, 5.1.4.1.28.8 to 11).
  static func matroskaCropsPicture(
    in medium: MediumBytes, ofStream index: Int
  ) throws(Failure) -> Bool {
    let entries = try matroskaTracks(in: medium)
    guard entries.indices.contains(index),
      let picture = entries[index].first(where: { $0.id == MatroskaID.video })
    else { return false }
    return EBMLElement.all(in: picture.body).contains {
      MatroskaID.pixelCrops.contains($0.id) && $0.number > 0
    }
  }

  /// Adobe's XMP beside the index of an MP4 or a QuickTime movie ("XMP Specification Part 3", MPEG-4), which
  /// is not read. Nothing is looked for in media of servers and in sources whose bytes may have to be made:
  /// each head could cost a request.
  ///
  /// - Throws: `Failure` where the file cannot be read.
  static func unreadBoxes(in medium: MediumBytes) throws(Failure) -> [String] {
    guard medium.location.url == nil, !medium.isCostly else { return [] }
    var reader = AtomReader(medium: medium)
    let file = 0..<(try medium.size())
    var position = file.lowerBound
    while let atom = try reader.atom(at: position, in: file) {
      if atom.name == "uuid", try reader.bytes(of: atom.body, count: 16) == xmp {
        return ["XMP (uuid)"]
      }
      position = atom.body.upperBound
    }
    return []
  }

  private static let xmp: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]
}
