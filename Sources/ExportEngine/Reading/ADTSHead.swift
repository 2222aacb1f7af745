import LibAV

/// The head of a packet of AAC in ADTS (ISO 14496-3, 1.A.3.2), which says what MP4 has once in its own
/// header.
struct ADTSHead: Sendable, Hashable {
  /// The header for a decoder of the packets without their heads (`AudioSpecificConfig`): profile, index
  /// of the rate, channels.
  let header: [UInt8]
  /// Bytes before the packet's data.
  let size: Int
  /// Bytes of both. libavformat's parser may append others that lie between two packets.
  let length: Int

  /// The head of some bytes; nil where they have none, or several blocks of data behind it.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 9, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0, bytes[6] & 3 == 0 else {
      return nil
    }
    let (profile, rate) = (bytes[2] >> 6 + 1, bytes[2] >> 2 & 15)
    let channels = (bytes[2] & 1) << 2 | bytes[3] >> 6
    // Where it has none, channels are described in the packets, and MP4's header cannot say them.
    guard channels > 0 else { return nil }
    // With the sign that there is no band replication, which decoders else expect at low rates
    // (`syncExtensionType`; ISO 14496-3, 1.6.6).
    header = [profile << 3 | rate >> 1, (rate & 1) << 7 | channels << 3, 0x56, 0xE5, 0]
    size = bytes[1] & 1 == 0 ? 9 : 7
    length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
    guard length > size else { return nil }
  }

  /// The data of a packet, with its times.
  func data(of packet: Packet) throws(LibAVError) -> Packet {
    let bytes = packet.withBytes { Array($0.prefix(length).dropFirst(size)) }
    return try bytes.packet(like: packet)
  }
}

extension StreamFacts {
  /// Whether a count of its packets, none of which libavformat leaves out, proves that it is AAC of 1024
  /// frames a packet, in CAF, or in MP4 with time stamps that do not count frames.
  func hasCountedPackets(
    by count: CountedStream.Count, in demuxer: Demuxer, _ stream: LibAV.Stream
  ) -> Bool {
    (demuxer.formatName == "caf" || demuxer.formatName.hasPrefix("mov,"))
      && stream.codecName == "aac" && origin == 0 && !hasBandReplication
      && count.refused == 0 && count.discarded == 0 && !count.breaksOff
      && count.frames == Int64(count.packets) * SourcePackets.bareLength
  }

  /// The header of a bare stream of AAC whose packets, counted from its start, have 1024 frames each; nil
  /// for others.
  func bareHeader(
    of count: CountedStream.Count, in demuxer: Demuxer
  ) throws(LibAVError) -> [UInt8]? {
    guard demuxer.formatName == "aac", origin == 0, count.refused == 0, count.discarded == 0,
      count.strayBytes == 0, count.frames == Int64(count.packets) * 1024,
      let packet = try PacketReader(self).next()
    else { return nil }
    return packet.withBytes { ADTSHead($0)?.header }
  }
}
