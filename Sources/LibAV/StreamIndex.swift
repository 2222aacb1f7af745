internal import CFFmpeg

/// A packet as its container's index lists it (`AVIndexEntry`).
package struct IndexedPacket: Sendable, Hashable {
  /// Bytes from the file's start.
  package var position: Int64
  /// Bytes.
  package var size: Int
  /// In ticks of its stream.
  package var timestamp: Int64
}

extension Stream {
  /// The packet of a number from 0 on in the container's index (`avformat_index_get_entry`); nil behind
  /// the last one.
  package func indexedPacket(_ number: Int) -> IndexedPacket? {
    guard let number = Int32(exactly: number),
      let entry = avformat_index_get_entry(pointer, number)
    else { return nil }
    return IndexedPacket(
      position: entry.pointee.pos, size: Int(entry.pointee.size),
      timestamp: entry.pointee.timestamp)
  }

  /// The number in the container's index of a packet that was read; nil where the index does not list it
  /// at its place and its time.
  ///
  /// - Complexity: O(log n)
  package func indexNumber(of packet: Packet) -> Int? {
    guard let time = packet.timestamp, let position = packet.position else { return nil }
    let flags = AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY
    let number = Int(av_index_search_timestamp(pointer, time, flags))
    guard number >= 0, let found = indexedPacket(number) else { return nil }
    return found == IndexedPacket(position: position, size: packet.size, timestamp: time)
      ? number : nil
  }

  /// The tick after the last packet, where the container's index lists packets `step` ticks apart
  /// throughout, as MP4's does for sound without gaps; else nil. O(packets).
  package func indexedTicks(every step: Int64) -> Int64? {
    let count = avformat_index_get_entries_count(pointer)
    var expected: Int64?
    for index in 0..<count {
      guard let entry = avformat_index_get_entry(pointer, index) else { return nil }
      if let expected, entry.pointee.timestamp != expected { return nil }
      expected = entry.pointee.timestamp &+ step
    }
    return expected
  }

  /// Whether the container's index lists PCM of `bytesPerFrame` without a gap in its ticks, which
  /// count frames. O(packets).
  package func indexIsContiguous(bytesPerFrame: Int) -> Bool {
    guard bytesPerFrame > 0 else { return false }
    var expected: Int64?
    for index in 0..<avformat_index_get_entries_count(pointer) {
      guard let entry = avformat_index_get_entry(pointer, index) else { return false }
      if let expected, entry.pointee.timestamp != expected { return false }
      expected = entry.pointee.timestamp &+ Int64(entry.pointee.size) / Int64(bytesPerFrame)
    }
    return true
  }

  /// Packets in the container's index.
  package var indexedCount: Int64 { Int64(avformat_index_get_entries_count(pointer)) }

  /// Where the stream's data end in the file by the index, nil without an index.
  package var indexedEnd: Int64? {
    let count = avformat_index_get_entries_count(pointer)
    guard count > 0, let entry = avformat_index_get_entry(pointer, count - 1) else { return nil }
    return entry.pointee.pos &+ Int64(entry.pointee.size)
  }

  /// Whether every packet decodes on its own to exactly the samples that were stored.
  package var isLossless: Bool {
    integerBitDepth != nil
      || ["pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_f64be"].contains(codecName)
  }

  /// The most bytes that a frame of FLAC has (`STREAMINFO`, RFC 9639, 8.2); nil where its header leaves
  /// that open.
  package var largestFLACFrame: Int? {
    guard codecName == "flac", parameters.extradata_size >= 34, let data = parameters.extradata
    else { return nil }
    let size = Int(data[7]) << 16 | Int(data[8]) << 8 | Int(data[9])
    return size > 0 ? size : nil
  }

  /// The most bytes that a frame of FLAC can have: by its header, or else those of a block without
  /// compression; nil of other codecs, and without a header.
  package var boundOfFLACFrame: Int? {
    guard let bitsOfFLAC, let data = parameters.extradata else { return nil }
    let block = Int(data[2]) << 8 | Int(data[3])
    return largestFLACFrame ?? block * channelCount * ((bitsOfFLAC + 7) / 8)
  }

  /// Bits of a sample of FLAC by its header (`STREAMINFO`, RFC 9639, 8.2); nil of other codecs, and without
  /// one.
  package var bitsOfFLAC: Int? {
    guard codecName == "flac", parameters.extradata_size >= 34, let data = parameters.extradata
    else { return nil }
    return ((Int(data[12]) & 1) << 4 | Int(data[13]) >> 4) + 1
  }

  /// Significant bits of integer samples in codecs without loss, else nil.
  package var integerBitDepth: Int? {
    switch codecName {
    case "alac":
      // In ALACSpecificConfig behind the atom's head of 12 bytes; the decoder alone says it else.
      guard parameters.extradata_size > 17, let data = parameters.extradata else { return nil }
      return (1...32).contains(data[17]) ? Int(data[17]) : nil
    case "flac":
      return parameters.bits_per_raw_sample > 0 ? Int(parameters.bits_per_raw_sample) : nil
    case "pcm_mulaw", "pcm_alaw":
      // Decoders give 16 bits for these 8.
      return 16
    case let name where name.hasPrefix("pcm_s") || name.hasPrefix("pcm_u"):
      let stored = Int(av_get_exact_bits_per_sample(parameters.codec_id))
      return owner.wave?.validBits.map { min(stored, $0) } ?? stored
    default:
      return nil
    }
  }
}
