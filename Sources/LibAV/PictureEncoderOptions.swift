internal import CFFmpeg

extension PictureEncoder {
  /// Ways of coding in which all pictures of one stream must agree: decoders that go over from one to another
  /// decode what follows wrongly, and do not say so.
  ///
  /// FFmpeg's of H.264 does so with lossless pictures, and that of MPEG-4, which has a thread for each picture,
  /// with the others.
  package struct Tools: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// H.264: pictures may be lossless (`qpprime_y_zero_transform_bypass_flag`).
    package static let lossless = Tools(rawValue: 1)
    /// MPEG-4: matrices of quantization (`quant_type`).
    package static let matrices = Tools(rawValue: 2)
    /// MPEG-4: partitioned data (`data_partitioned`).
    package static let partitions = Tools(rawValue: 4)
  }

  /// The options of an encoder of a run whose pictures are coded so.
  static func runOptions(
    of encoder: String, _ tools: Tools
  ) -> [(key: String, value: String)] {
    var options = usualRunOptions[encoder] ?? []
    if tools.contains(.lossless) {
      options.removeAll { $0.key == "crf" }
      options.append(("qp", "0"))
    }
    if tools.contains(.matrices) { options.append(("mpeg_quant", "1")) }
    if tools.contains(.partitions) { options.append(("data_partitioning", "1")) }
    return options
  }

  /// So that what is encoded cannot be told from its source, needs nothing before its first picture, and
  /// has no picture out of order. x264's `stitchable` keeps its sets the same for each run, and x265's would
  /// depend on rates; faster presets take more bytes for the same error, and a run is short.
  private static let usualRunOptions: [String: [(key: String, value: String)]] = [
    "libx264": [
      ("preset", "superfast"), ("crf", "12"),
      (
        "x264-params",
        "bframes=0:ref=1:weightp=0:scenecut=0:keyint=infinite:stitchable=1:rc-lookahead=0:mbtree=0:"
          + "sync-lookahead=0:sliced-threads=0"
      ),
    ],
    "libx265": [
      ("preset", "fast"),
      (
        "x265-params",
        "crf=12:bframes=0:ref=1:scenecut=0:keyint=-1:open-gop=0:repeat-headers=1:vui-timing-info=0:"
          + "weightp=0:rc-lookahead=0:lookahead-slices=0:cutree=0:pools=none:frame-threads=1:info=0:"
          + "log-level=none"
      ),
    ],
    "libvpx": [
      ("deadline", "good"), ("cpu-used", "2"), ("crf", "4"), ("b", "100M"), ("lag-in-frames", "0"),
      ("auto-alt-ref", "0"),
    ],
    "libvpx-vp9": [
      ("deadline", "good"), ("cpu-used", "3"), ("crf", "10"), ("b", "0"), ("lag-in-frames", "0"),
      ("auto-alt-ref", "0"),
    ],
    "libsvtav1": [("preset", "8"), ("crf", "12"), ("svtav1-params", "pred-struct=1:lp=1")],
    "libaom-av1": [("cpu-used", "6"), ("crf", "12"), ("b", "0"), ("lag-in-frames", "0")],
    "librav1e": [("speed", "8"), ("qp", "40")],
  ]

  static let streamOptions: [String: [(key: String, value: String)]] = [
    "libx264": [("x264-params", "sliced-threads=0")],
    "libx265": [("x265-params", "pools=4:frame-threads=2:info=0:log-level=none")],
    "libvpx-vp9": [("deadline", "good"), ("cpu-used", "2"), ("b", "0"), ("row-mt", "1")],
    "libaom-av1": [("cpu-used", "6"), ("b", "0"), ("row-mt", "1")],
    "librav1e": [("speed", "8")],
    "libsvtav1": [("preset", "8")],
  ]
}

extension PictureEncoder {
  /// Whether the encoder for a codec takes pictures of a format, by FFmpeg's name; so it does where it says of
  /// none what it takes.
  package static func takes(_ format: String, of codec: String) -> Bool {
    guard let encoder = encoder(for: codec) else { return true }
    return avjob_takes_format(encoder, av_get_pix_fmt(format)) != 0
  }
}
