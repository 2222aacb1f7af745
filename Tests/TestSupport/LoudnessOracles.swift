/// What programs that nobody here wrote measure of a sound; −∞ where it is silence.
public struct MeasuredLoudness: Sendable {
  /// LUFS.
  public var integrated: Double
  /// LU.
  public var range: Double
  /// dBTP.
  public var truePeak: Double
  /// LUFS of the loudest 400 ms; nil where the program does not look at every 10 ms.
  public var momentary: Double?
  /// LUFS of the loudest three seconds; nil as above.
  public var shortTerm: Double?
  /// dBFS; nil where the program does not tell.
  public var samplePeak: Double?
}

extension Tool {
  /// The summary of FFmpeg's `ebur128=peak=true`, with one decimal.
  public static func ebur128(_ path: String) throws -> MeasuredLoudness {
    let summary =
      try succeed(
        "ffmpeg", "-nostdin", "-nostats", "-v", "info", "-i", path, "-map", "0:a:0", "-af",
        "ebur128=peak=true", "-f", "null", "-"
      ).errors.split(separator: "Summary:").last ?? ""
    func number(_ label: String) throws -> Double {
      let words = summary.split { $0 == " " || $0 == "\n" }
      guard let place = words.firstIndex(of: Substring(label)), place + 1 < words.count,
        let number = Double(words[place + 1])
      else { throw ToolFailure(description: "no \(label) in \(summary)") }
      return number
    }
    return MeasuredLoudness(
      integrated: try number("I:"), range: try number("LRA:"), truePeak: try number("Peak:"))
  }

  /// libebur128 used plainly, by Python, on the whole sound from its start: in steps of 10 ms, with
  /// all of its blocks kept.
  ///
  /// - Parameters:
  ///   - channels: Planar samples.
  ///   - rate: Frames a second.
  ///   - positions: libebur128's `enum channel` of each; nil: its own choice.
  /// - Returns: All figures.
  /// - Throws: `ToolFailure` where it gives none.
  public static func libebur128(
    _ channels: [[Float]], rate: Int, positions: [Int]? = nil
  ) throws -> MeasuredLoudness {
    let folder = TestFolder()
    var bytes: [UInt8] = []
    bytes.reserveCapacity((channels.first?.count ?? 0) * channels.count * 4)
    for channel in channels { channel.withUnsafeBytes { bytes += $0 } }
    try writeFile(folder.path("planes"), bytes)
    let text = try succeed(
      "/usr/bin/python3", "-c", script, folder.path("planes"), "\(rate)", "\(channels.count)",
      (positions ?? []).map { "\($0)" }.joined(separator: " ")
    ).text
    let numbers = text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
    guard numbers.count == 6 else { throw ToolFailure(description: text) }
    return MeasuredLoudness(
      integrated: numbers[0], range: numbers[1], truePeak: numbers[2], momentary: numbers[3],
      shortTerm: numbers[4], samplePeak: numbers[5])
  }

  private static let script = """
    import array, ctypes, math, sys
    lib = ctypes.CDLL('libebur128.so.1')
    lib.ebur128_init.restype = ctypes.c_void_p
    planes = array.array('f', open(sys.argv[1], 'rb').read())
    rate, count = int(sys.argv[2]), int(sys.argv[3])
    frames = len(planes) // count
    sound = array.array('f', bytes(4 * len(planes)))
    for channel in range(count):
        sound[channel::count] = planes[channel * frames:(channel + 1) * frames]
    state = ctypes.c_void_p(lib.ebur128_init(count, ctypes.c_ulong(rate), 63))
    for channel, position in enumerate(sys.argv[4].split()):
        lib.ebur128_set_channel(state, channel, int(position))
    def ask(name, *more):
        value = ctypes.c_double()
        assert getattr(lib, name)(state, *more, ctypes.byref(value)) == 0, name
        return value.value
    def decibels(peak):
        return 20 * math.log10(peak) if peak > 0 else -math.inf
    base = sound.buffer_info()[0]
    momentary, short = -math.inf, -math.inf
    step, end = 0, 0
    while end < frames:
        start, step = end, step + 1
        end = min(frames, (step * rate + 50) // 100)
        lib.ebur128_add_frames_float(
            state, ctypes.c_void_p(base + 4 * count * start), ctypes.c_size_t(end - start))
        if end < (step * rate + 50) // 100: break
        if step >= 40: momentary = max(momentary, ask('ebur128_loudness_momentary'))
        if step >= 300: short = max(short, ask('ebur128_loudness_shortterm'))
    peaks = [ask('ebur128_true_peak', channel) for channel in range(count)]
    samples = [ask('ebur128_sample_peak', channel) for channel in range(count)]
    print(ask('ebur128_loudness_global'), ask('ebur128_loudness_range'), decibels(max(peaks)),
        momentary, short, decibels(max(samples)))
    """
}
