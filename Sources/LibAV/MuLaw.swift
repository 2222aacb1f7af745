internal import CFFmpeg

// Mu-law has two zeros (ITU-T G.711, table 2): 0xFF, and 0x7F for the negative one, which some telephone
// systems store as silence. Integers have one, and libavcodec writes 0xFF for both
// (`pcm_mulaw_tableinit`). Floats have two as well: in them a copy keeps its bytes.

extension Packet {
  private static let negativeZero: UInt8 = 0x7F

  /// Gives zeros the sign that their bytes have in this packet of mu-law: those of `count` frames of
  /// `frame`, which was decoded from it, from `offset` on; they are in `planes` from `start` on. O(count)
  func putNegativeZeros(
    of frame: Frame, from offset: Int, count: Int,
    into planes: UnsafePointer<UnsafeMutablePointer<Float>>, at start: Int
  ) {
    let channels = frame.channelCount
    withBytes { bytes in
      // A frame of which padding was removed begins elsewhere.
      guard channels > 0, bytes.count / channels == frame.sampleCount else { return }
      for index in 0..<count {
        for channel in 0..<channels
        where bytes[(offset + index) * channels + channel] == Self.negativeZero {
          planes[channel][start + index] = -0.0
        }
      }
    }
  }

  /// Makes bytes of mu-law negative zeros.
  ///
  /// - Throws: FFmpeg's error, where there is no memory.
  func replaceZeros(at places: [Int]) throws(LibAVError) {
    try check(av_packet_make_writable(pointer), "av_packet_make_writable")
    guard let data = pointer.pointee.data else { return }
    for place in places where place < size { data[place] = Self.negativeZero }
  }
}

extension Encoder {
  /// Keeps the negative zeros of the last `count` frames that were filled in, of mu-law; other codecs have
  /// none. To be called before the frame is submitted.
  ///
  /// - Parameters:
  ///   - count: PCM frames.
  ///   - planes: The samples that were filled in, a pointer for each channel.
  ///   - start: The first frame's place in them.
  /// - Complexity: O(count)
  package func keepNegativeZeros(
    _ count: Int, of planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int
  ) {
    guard context.pointee.codec_id == AV_CODEC_ID_PCM_MULAW else { return }
    let (first, channels) = (filled - count, channelCount)
    for index in 0..<count {
      for channel in 0..<channels {
        let sample = planes[channel][start + index]
        if sample == 0, sample.sign == .minus {
          negativeZeros.append((first + index) * channels + channel)
        }
      }
    }
  }
}
