internal import CFFmpeg
import Tagging

extension Muxer {
  /// Names the channels of CAF and AIFF by a bitmap (`kAudioChannelLayoutTag_UseChannelBitmap`) where
  /// libavformat has a tag of another order than that of its bits, in which it writes them:
  /// `MPEG_7_1_A` and `MPEG_7_1_C` have the sides before the fronts of centre and the backs.
  /// The chunk, of that name, stands in the file's first bytes, and its size has `sizeBytes` bytes.
  func nameChannels(
    of sound: UnsafeMutablePointer<AVStream>, inChunk name: String, sizeBytes: Int
  ) throws(LibAVError) {
    let mask = avjob_layout_mask(&sound.pointee.codecpar.pointee.ch_layout)
    let (backsAndCentres, sides) = (0xF0 as UInt64, 0x600 as UInt64)
    guard mask & backsAndCentres != 0, mask & sides != 0 else { return }
    try flush()
    let head = output.head
    guard let chunk = head.indices.first(where: { head[$0...].starts(with: name.utf8) }) else {
      throw LibAVError(code: avjob_averror_invaliddata(), operation: "finding the chunk \(name)")
    }
    let end = avio_seek(output.pointer, 0, SEEK_CUR)
    try check(
      Int32(clamping: avio_seek(output.pointer, Int64(chunk + 4 + sizeBytes), SEEK_SET)),
      "avio_seek")
    avio_wb32(output.pointer, 0x10000)
    avio_wb32(output.pointer, UInt32(truncatingIfNeeded: mask))
    try check(Int32(clamping: avio_seek(output.pointer, end, SEEK_SET)), "avio_seek")
    try flush()
  }

  /// Writes what a CAF of coded sound has before its packets.
  func beginCodedCAF(
    of sound: UnsafeMutablePointer<AVStream>, tags: [(key: String, value: String)]
  ) throws(LibAVError) {
    let file = try CodedCAF(sound.pointee.codecpar.pointee)
    codedCAF = file
    put(file.head(tags: tags))
    try flush()
  }

  /// Writes what a CAF of coded sound has behind its packets.
  func endCodedCAF() throws(LibAVError) {
    guard let file = codedCAF else { return }
    let start = avio_seek(output.pointer, 0, SEEK_CUR) - file.soundSize
    put(file.packetTable)
    let end = avio_seek(output.pointer, 0, SEEK_CUR)
    let place = start - Int64(CodedCAF.sizeFieldOffset)
    try check(Int32(clamping: avio_seek(output.pointer, place, SEEK_SET)), "avio_seek")
    put(file.sizeField)
    try check(Int32(clamping: avio_seek(output.pointer, end, SEEK_SET)), "avio_seek")
  }

  private func put(_ bytes: [UInt8]) {
    avio_write(output.pointer, bytes, Int32(clamping: bytes.count))
  }
}

extension CodedCAF {
  /// A file for packets of a stream.
  ///
  /// - Throws: An error for another codec than those of `Codec`.
  fileprivate init(_ parameters: AVCodecParameters) throws(LibAVError) {
    let cookie = Array(
      UnsafeBufferPointer(
        start: parameters.extradata, count: Int(max(0, parameters.extradata_size))))
    let codec: Codec
    switch parameters.codec_id {
    case AV_CODEC_ID_AAC:
      codec = .aac(configuration: cookie, bitRate: Int(parameters.bit_rate))
    case AV_CODEC_ID_ALAC:
      // Behind the head of an atom and its version (`alac_decode_init`).
      codec = .alac(
        configuration: Array(cookie.dropFirst(12)), bitDepth: Int(parameters.bits_per_raw_sample))
    case AV_CODEC_ID_ADPCM_IMA_QT: codec = .ima4
    default:
      throw LibAVError(code: avjob_averror(EINVAL), operation: "writing this codec to CAF")
    }
    var layout = parameters.ch_layout
    self.init(
      codec, sampleRate: Int(parameters.sample_rate), channelCount: Int(layout.nb_channels),
      channelMask: avjob_layout_mask(&layout))
  }
}
