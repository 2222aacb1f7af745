import Tagging

/// A movie with one track of sound, as its index describes it (`moov`; ISO/IEC 14496-12, 8.2.1).
///
/// The clock of the movie and of its track is the sample rate, so that an edit is exact to the frame.
struct SoundMovie {
  /// What its packets are encoded by.
  enum Codec: Sendable {
    /// AAC with its AudioSpecificConfig (ISO 14496-3, 1.6.2.1), at so many bits a second.
    case aac(configuration: [UInt8], bitRate: Int)
    /// Apple Lossless with its magic cookie, which is an atom.
    case alac(cookie: [UInt8], bitDepth: Int)
  }

  let codec: Codec
  /// Frames a second.
  let sampleRate: Int
  let channelCount: Int
  /// Frames of a packet; the last one may have fewer.
  let frameLength: Int
  /// Frames that decoding gives before the sound.
  let delay: Int

  /// Bytes of each packet.
  private var sizes: [UInt32] = []
  /// All else of them.
  private var tables = SampleTables()
  /// Frames of all packets.
  var duration: Int64 { tables.duration }

  init(_ codec: Codec, sampleRate: Int, channelCount: Int, frameLength: Int, delay: Int) {
    (self.codec, self.sampleRate, self.channelCount) = (codec, sampleRate, channelCount)
    (self.frameLength, self.delay) = (frameLength, delay)
  }

  /// A packet: its bytes and its frames.
  typealias Entry = (size: Int, duration: Int64)

  /// Appends packets that lie in the file one after the other.
  mutating func append(_ packets: [Entry], at place: Int64) {
    tables.endChunk(of: packets.count, at: place)
    for packet in packets {
      sizes.append(UInt32(clamping: packet.size))
      tables.append(frames: packet.duration)
    }
  }

  // MARK: Atoms

  /// The brands of a file of AAC or ALAC with this index (`ftyp`; 4.3): `iso5` has fragments whose
  /// places count from their own start.
  static let fileType = AtomHead.encoded(
    "ftyp", Array("M4A ".utf8) + [0, 0, 2, 0] + Array("M4A isomiso5mp42".utf8))

  /// The index (`moov`).
  ///
  /// - Parameter isOpen: Whether fragments follow, which have the packets (`mvex`; 8.8.1): its edit
  ///   begins the sound behind the encoder's delay, and lasts until the end.
  /// - Returns: The whole atom. O(packets)
  func index(isOpen: Bool) -> [UInt8] {
    let shown = isOpen ? 0 : max(0, duration - Int64(delay))
    let header = FullAtom("mvhd", isLong: shown > UInt32.max) { body in
      body.put(times: shown, clock: sampleRate)
      body.put(0x0001_0000, 4)
      body.put(0x0100, 2)
      body += [UInt8](repeating: 0, count: 10) + Self.matrix + [UInt8](repeating: 0, count: 24)
      body.put(2, 4)
    }
    return AtomHead.encoded(
      "moov", header.bytes + track(shown, isOpen) + (isOpen ? extends + gaplessInformation : []))
  }

  private static let matrix: [UInt8] = [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000]
    .flatMap { (number: UInt64) in
      var bytes: [UInt8] = []
      bytes.put(number, 4)
      return bytes
    }

  /// That packets come in fragments, and what is usual of them.
  private var extends: [UInt8] {
    let usual = FullAtom("trex") { body in
      body.put(1, 4)
      body.put(1, 4)
      body.put(UInt64(frameLength), 4)
      body.put(0, 4)
      // Each packet can be decoded by itself (8.8.3.1).
      body.put(0x0200_0000, 4)
    }
    return AtomHead.encoded("mvex", usual.bytes)
  }

  /// The encoder's delay by iTunes' tag `iTunSMPB`: libavformat takes edits of fragments for times alone,
  /// and leaves out no sound for them (`mov_fix_index`).
  private var gaplessInformation: [UInt8] {
    guard delay > 0 else { return [] }
    let digits = String(delay, radix: 16, uppercase: true)
    let start = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    // The samples behind the sound, and those of the sound, are not known.
    let text = " 00000000 \(start) 00000000 0000000000000000"
    let value = [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8)
    let item = AtomHead.encoded(
      "----",
      FullAtom("mean") { $0 += "com.apple.iTunes".utf8 }.bytes
        + FullAtom("name") { $0 += "iTunSMPB".utf8 }.bytes + AtomHead.encoded("data", value))
    let handler = FullAtom("hdlr") { body in
      body.put(0, 4)
      body += "mdirappl".utf8
      body += [UInt8](repeating: 0, count: 9)
    }
    let list = FullAtom("meta") { body in
      body += handler.bytes
      body += AtomHead.encoded("ilst", item)
    }
    return AtomHead.encoded("udta", list.bytes)
  }

  private func track(_ shown: Int64, _ isOpen: Bool) -> [UInt8] {
    // Enabled, and of the movie.
    let header = FullAtom("tkhd", flags: 3, isLong: shown > UInt32.max) { body in
      body.put(trackTimes: shown)
      body += [UInt8](repeating: 0, count: 8)
      body.put(0, 2)
      body.put(1, 2)
      body.put(0x0100, 2)
      body.put(0, 2)
      body += Self.matrix
      body.put(0, 8)
    }
    let edit = FullAtom("elst", isLong: shown > UInt32.max) { body in
      body.put(1, 4)
      body.put(UInt64(shown), body.timeWidth)
      body.put(UInt64(delay), body.timeWidth)
      body.put(0x0001_0000, 4)
    }
    let edits =
      isOpen && delay == 0 ? [] : AtomHead.encoded("edts", edit.bytes)
    return AtomHead.encoded("trak", header.bytes + edits + media(isOpen))
  }

  private func media(_ isOpen: Bool) -> [UInt8] {
    let length = isOpen ? 0 : duration
    let header = FullAtom("mdhd", isLong: length > UInt32.max) { body in
      body.put(times: length, clock: sampleRate)
      // `und`, in three times five bits (8.4.2.3).
      body.put(0x55C4, 2)
      body.put(0, 2)
    }
    let handler = FullAtom("hdlr") { body in
      body.put(0, 4)
      body += "soun".utf8
      body += [UInt8](repeating: 0, count: 12)
      body += "SoundHandler\0".utf8
    }
    let sound = FullAtom("smhd") { $0.put(0, 4) }
    // In this file.
    let place = FullAtom("url ", flags: 1) { _ in }
    let places = FullAtom("dref") { body in
      body.put(1, 4)
      body += place.bytes
    }
    let information = AtomHead.encoded(
      "minf", sound.bytes + AtomHead.encoded("dinf", places.bytes) + sampleTable(isOpen))
    return AtomHead.encoded("mdia", header.bytes + handler.bytes + information)
  }

  private func sampleTable(_ isOpen: Bool) -> [UInt8] {
    // The packets of fragments are listed there.
    let (sizes, tables) = isOpen ? ([], SampleTables()) : (sizes, tables)
    let description = FullAtom("stsd") { body in
      body.put(1, 4)
      body += sampleEntry
    }
    let lengths = FullAtom("stsz") { body in
      body.put(0, 4)
      body.put(UInt64(sizes.count), 4)
      for size in sizes { body.put(UInt64(size), 4) }
    }
    return AtomHead.encoded(
      "stbl",
      description.bytes + tables.times + tables.chunks + lengths.bytes + tables.offsets
        + (isOpen ? [] : roll))
  }

  /// That decoding of AAC begins a packet before the one that is wanted (`roll`; 10.1).
  private var roll: [UInt8] {
    guard case .aac = codec, !sizes.isEmpty else { return [] }
    let description = FullAtom("sgpd", version: 1) { body in
      body += "roll".utf8
      body.put(2, 4)
      body.put(1, 4)
      body += [0xFF, 0xFF]
    }
    return description.bytes + tables.rollGroups
  }

  /// How packets are decoded (8.5.2; ISO 14496-14, 5.6).
  private var sampleEntry: [UInt8] {
    let (name, bits, extra): (String, Int, [UInt8]) =
      switch codec {
      case .aac(let configuration, let bitRate):
        ("mp4a", 16, Self.elementaryStream(configuration, bitRate: bitRate))
      case .alac(let cookie, let bitDepth): ("alac", bitDepth, cookie)
      }
    var body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    body.put(UInt64(channelCount), 2)
    body.put(UInt64(bits), 2)
    body.put(0, 4)
    // 16.16; a higher rate stands in the codec's own description.
    body.put(sampleRate <= UInt16.max ? UInt64(sampleRate) << 16 : 0, 4)
    return AtomHead.encoded(name, body + extra)
  }

  /// The descriptors of AAC (`esds`; ISO 14496-1, 7.2.6).
  private static func elementaryStream(_ configuration: [UInt8], bitRate: Int) -> [UInt8] {
    FullAtom("esds") { body in
      body += ElementaryStream.descriptor(configuration: configuration, bitRate: bitRate)
    }.bytes
  }

  /// A fragment (`moof` and `mdat`; 8.8.4) without its bytes of sound, which follow at once.
  ///
  /// - Parameters:
  ///   - packets: Its packets; at least one.
  ///   - number: Its number, from 1 on.
  /// - Returns: The atom, and the head of the next one.
  func fragmentHead(_ packets: [Entry], number: UInt32) -> [UInt8] {
    let isUsual = packets.allSatisfy { $0.duration == frameLength }
    let sequence = FullAtom("mfhd") { $0.put(UInt64(number), 4) }
    // Places count from the fragment's start (8.8.7).
    let header = FullAtom("tfhd", flags: 0x20000) { $0.put(1, 4) }
    let time = FullAtom("tfdt", version: 1) { $0.put(UInt64(duration), 8) }
    func run(_ place: Int) -> [UInt8] {
      FullAtom("trun", flags: isUsual ? 0x201 : 0x301) { body in
        body.put(UInt64(packets.count), 4)
        body.put(UInt64(place), 4)
        for packet in packets {
          if !isUsual { body.put(UInt64(packet.duration), 4) }
          body.put(UInt64(packet.size), 4)
        }
      }.bytes
    }
    func fragment(_ place: Int) -> [UInt8] {
      AtomHead.encoded(
        "moof",
        sequence.bytes + AtomHead.encoded("traf", header.bytes + time.bytes + run(place)))
    }
    let head = fragment(fragment(0).count + 8)
    let size = packets.reduce(8) { $0 + $1.size }
    var media: [UInt8] = []
    media.put(UInt64(size), 4)
    return head + media + "mdat".utf8
  }
}
