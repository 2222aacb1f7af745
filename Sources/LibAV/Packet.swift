internal import CFFmpeg

/// A piece of one stream's coded data, as `av_read_frame` gives it.
///
/// Owns its `AVPacket`. One thread at a time.
package final class Packet {
  let pointer: UnsafeMutablePointer<AVPacket>

  package init() throws(LibAVError) {
    pointer = try checkAllocated(av_packet_alloc(), "av_packet_alloc")
  }

  /// A packet that holds a copy of `data` (`av_new_packet`, which adds the padding that decoders
  /// read over).
  package init(copying data: UnsafeRawBufferPointer, timestamp: Int64) throws(LibAVError) {
    pointer = try checkAllocated(av_packet_alloc(), "av_packet_alloc")
    // A size that no packet has is refused, not cut.
    try check(av_new_packet(pointer, Int32(exactly: data.count) ?? -1), "av_new_packet")
    UnsafeMutableRawBufferPointer(start: pointer.pointee.data, count: data.count)
      .copyMemory(from: data)
    pointer.pointee.pts = timestamp
    pointer.pointee.dts = timestamp
  }

  /// A packet of so many bytes, which `fill` writes: it gets all of them and gives how many it has
  /// filled. Fewer are left out.
  ///
  /// - Throws: `LibAVError` where there is no memory, and what `fill` throws.
  package init(
    byteCount: Int, timestamp: Int64,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    pointer = try checkAllocated(av_packet_alloc(), "av_packet_alloc")
    try check(av_new_packet(pointer, Int32(exactly: byteCount) ?? -1), "av_new_packet")
    let bytes = UnsafeMutableRawBufferPointer(start: pointer.pointee.data, count: byteCount)
    shrink(to: try fill(bytes))
    pointer.pointee.pts = timestamp
    pointer.pointee.dts = timestamp
  }

  /// A packet that holds copies of three pieces of data, one behind the other, with the times and the
  /// side data of another one (`av_packet_copy_props`).
  package init(
    joining head: [UInt8], _ body: UnsafeRawBufferPointer, _ tail: [UInt8], like packet: Packet
  ) throws(LibAVError) {
    pointer = try checkAllocated(av_packet_alloc(), "av_packet_alloc")
    let count = head.count + body.count + tail.count
    try check(av_new_packet(pointer, Int32(exactly: count) ?? -1), "av_new_packet")
    let data = UnsafeMutableRawBufferPointer(start: pointer.pointee.data, count: count)
    data.copyBytes(from: head)
    UnsafeMutableRawBufferPointer(rebasing: data.dropFirst(head.count)).copyMemory(from: body)
    UnsafeMutableRawBufferPointer(rebasing: data.suffix(tail.count)).copyBytes(from: tail)
    try check(av_packet_copy_props(pointer, packet.pointer), "av_packet_copy_props")
  }

  /// Another reference to what `packet` holds (`av_packet_ref`), which may be overwritten then.
  package init(copying packet: Packet) throws(LibAVError) {
    pointer = try checkAllocated(av_packet_alloc(), "av_packet_alloc")
    try check(av_packet_ref(pointer, packet.pointer), "av_packet_ref")
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&packet)
  }

  package var streamIndex: Int { Int(pointer.pointee.stream_index) }

  /// In ticks of the stream's time base; nil where the container has none.
  package var timestamp: Int64? {
    pointer.pointee.pts == avjob_nopts() ? nil : pointer.pointee.pts
  }

  /// When it is decoded, in ticks of the stream's time base; nil where the container has none.
  package var decodingTime: Int64? {
    pointer.pointee.dts == avjob_nopts() ? nil : pointer.pointee.dts
  }

  /// Whether decoding may begin with it, as its container says (`AV_PKT_FLAG_KEY`).
  package var isKey: Bool {
    get { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    set {
      if newValue {
        pointer.pointee.flags |= AV_PKT_FLAG_KEY
      } else {
        pointer.pointee.flags &= ~AV_PKT_FLAG_KEY
      }
    }
  }

  /// Places a picture: when it is shown, when it is decoded, and how long it is shown.
  package func place(shown: Int64, decoded: Int64, lasting duration: Int64) {
    pointer.pointee.pts = shown
    pointer.pointee.dts = decoded
    pointer.pointee.duration = duration
    pointer.pointee.pos = -1
    pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD
  }

  /// By how much it is presented after it is decoded, in ticks of the stream's time base; 0 where its
  /// container does not say.
  package var lateness: Int64 {
    let (shown, decoded) = (pointer.pointee.pts, pointer.pointee.dts)
    return shown == avjob_nopts() || decoded == avjob_nopts() ? 0 : shown &- decoded
  }

  /// In ticks of the stream's time base; 0 where unknown.
  package var duration: Int64 { pointer.pointee.duration }

  /// Bytes.
  package var size: Int { Int(pointer.pointee.size) }

  /// Leaves out what lies behind its first bytes, of which it has as many (`av_shrink_packet`).
  package func shrink(to size: Int) {
    av_shrink_packet(pointer, Int32(clamping: size))
  }

  /// nil where the packet has none.
  package var firstByte: UInt8? { size > 0 ? pointer.pointee.data?.pointee : nil }

  /// Whether a part of it is missing (`AV_PKT_FLAG_CORRUPT`): the file ends within it, or counters of MPEG-TS
  /// leave out packets of its own (ISO 13818-1, 2.4.3.3).
  package var isCutShort: Bool { pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }

  /// Whether its demuxer has its sound left out (`AV_PKT_FLAG_DISCARD`), as by an edit list.
  package var isDiscarded: Bool { pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }

  /// Byte offset in the file, or nil.
  package var position: Int64? { pointer.pointee.pos < 0 ? nil : pointer.pointee.pos }

  /// Gives the packet another place, in frames of its sound, and removes what its file says of samples
  /// to drop.
  package func retime(to timestamp: Int64, lasting duration: Int64) {
    pointer.pointee.pts = timestamp
    pointer.pointee.dts = timestamp
    pointer.pointee.duration = duration
    pointer.pointee.pos = -1
    av_packet_free_side_data(pointer)
  }

  /// Says of its last samples, so many, that they are not heard (`AV_PKT_DATA_SKIP_SAMPLES`).
  package func discard(end count: Int64) throws(LibAVError) {
    let data = try checkAllocated(
      av_packet_new_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, 10), "av_packet_new_side_data")
    for index in 0..<10 {
      data[index] = 4..<8 ~= index ? UInt8(truncatingIfNeeded: count >> (8 * (index - 4))) : 0
    }
  }

  /// Gives the packet another timestamp, in the ticks that its duration has.
  package func move(to timestamp: Int64) {
    pointer.pointee.pts = timestamp
    pointer.pointee.dts = timestamp
  }

  /// Lends the packet's bytes.
  package func withBytes<Result, Problem: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try body(UnsafeRawBufferPointer(start: pointer.pointee.data, count: size))
  }

  /// What an encoder says at its end of the whole stream (`AV_PKT_DATA_NEW_EXTRADATA`); empty for
  /// other packets.
  package var newHeader: [UInt8] {
    get { sideData(AV_PKT_DATA_NEW_EXTRADATA) }
    set {
      var size = 0
      guard let data = av_packet_get_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, &size) else {
        return
      }
      for (index, byte) in newValue.prefix(size).enumerated() { data[index] = byte }
    }
  }

  /// A copy of what stands beside its bytes (`av_packet_get_side_data`); empty where nothing does.
  func sideData(_ type: AVPacketSideDataType) -> [UInt8] {
    var size = 0
    guard let data = av_packet_get_side_data(pointer, type, &size) else { return [] }
    return Array(UnsafeBufferPointer(start: data, count: size))
  }

  /// Where WebVTT shows a text, as `align:start` (`AV_PKT_DATA_WEBVTT_SETTINGS`); empty where it does not
  /// say.
  package var textSettings: [UInt8] { sideData(AV_PKT_DATA_WEBVTT_SETTINGS) }

  /// Puts bytes beside those of the packet, if there are any.
  func setSideData(_ bytes: [UInt8], _ type: AVPacketSideDataType) throws(LibAVError) {
    guard !bytes.isEmpty else { return }
    let data = try checkAllocated(
      av_packet_new_side_data(pointer, type, bytes.count), "av_packet_new_side_data")
    data.update(from: bytes, count: bytes.count)
  }

  /// Mixes the packet's bytes into a hash. O(bytes).
  package func hash(into hasher: inout Hasher) {
    hasher.combine(pointer.pointee.size)
    hasher.combine(
      bytes: UnsafeRawBufferPointer(start: pointer.pointee.data, count: max(0, size)))
  }

  /// Samples to drop at the start and at the end of what this packet decodes to.
  package var skip: (start: Int, end: Int) {
    var start: UInt32 = 0
    var end: UInt32 = 0
    guard avjob_packet_skip(pointer, &start, &end) != 0 else { return (0, 0) }
    return (Int(start), Int(end))
  }
}
