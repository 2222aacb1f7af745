import LibAV
import VideoBitstream

/// What decoders must be given before pictures of one source, copied or encoded.
struct PictureSets {
  /// NAL units: the source's parameter sets, and those that are added to them.
  private(set) var units: [[UInt8]]
  /// The container's configuration; nil: the stream's own.
  private(set) var header: [UInt8]?
  /// H.264: the source's record with all that is added but for encoded runs; nil where these are not put
  /// under the source's sequence parameter set.
  private var source: AVCConfiguration?

  /// The sets of a source; with `encodes` also those of runs that may be encoded.
  ///
  /// - Throws: Where the source's own sets cannot be read.
  init(_ reel: PictureReel, encodes: Bool) throws(LibAVError) {
    units = reel.coding.parameterSets
    do throws(BitstreamRefusal) {
      switch reel.coding {
      case .h264(var record, let framing):
        // Outputs have lengths of four bytes where a source has start codes.
        if framing == .startCodes { record.lengthSize = 4 }
        let copies =
          GroupObserver(reel.coding, idrPictureID: 0)?.rewriter.pictureParameterSets ?? []
        record = record.adding(pictureParameterSets: copies)
        // One that does not open is refused when pictures are to be encoded, if they are.
        if encodes, PictureEncoder.exists(for: "h264"), let form = reel.coding.form,
          let encoder = try? reel.encoder(form)
        {
          if let rewriter = Self.rewriter(encoder.header, under: record, 0) {
            source = record
            record = record.adding(pictureParameterSets: rewriter.pictureParameterSets)
          }
        }
        units = record.sequenceParameterSets + record.pictureParameterSets
        header = try record.bytes()
      case .hevc(let record, _): header = try record.bytes()
      case .other: break
      }
    } catch {
      throw LibAVError(refusing: error)
    }
  }

  /// Puts a run of an encoder under the source's sequence parameter set; nil where it has its own.
  func rewriter(_ encoderHeader: [UInt8], _ number: UInt16) -> H264.EncodedRunRewriter? {
    source.flatMap { Self.rewriter(encoderHeader, under: $0, number) }
  }

  private static func rewriter(
    _ header: [UInt8], under record: AVCConfiguration, _ number: UInt16
  ) -> H264.EncodedRunRewriter? {
    guard let units = try? NALFraming.startCodes.units(of: header[...]),
      let own = try? AVCConfiguration(units: units)
    else { return nil }
    return try? H264.EncodedRunRewriter(encoder: own, source: record, idrPictureID: number)
  }
}
