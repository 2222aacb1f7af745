internal import CFFmpeg

/// Filters of libavfilter in a row, from planar float to planar float of the same rate and channels.
///
/// Owns its `AVFilterGraph`; one thread at a time; starts no threads. Deterministic for one way of
/// cutting the sound into blocks. The output lags behind the input by a time of the filter's own.
/// libavfilter is loaded when the first chain is opened.
package final class FilterChain {
  /// A filter with its options. It must open nothing, and have one input and one output:
  /// `FilterTable` has those that do.
  package struct Filter: Sendable, Hashable {
    /// As `avfilter_get_by_name` takes it.
    package let name: String
    fileprivate let options: [Option]
    /// In FFmpeg's notation, in place of options.
    fileprivate let arguments: String?
    /// The sound of its second input, by channel; nil without one.
    fileprivate let response: [[Float]]?
    /// What becomes of samples beyond ±1; nil: the filter gets them. `FilterRow` looks at it.
    package var excess: Excess?

    /// What becomes of the part of a sound beyond ±1 that a filter does not get.
    package enum Excess: Sendable, Hashable {
      /// It is added to the filter's output.
      case passed
      /// It is left out, as the filter gives what it would take from a sound.
      case dropped
    }

    fileprivate struct Option: Hashable {
      var name: String
      var value: String
      /// Whether it is left out where the filter does not have it.
      var isNewer: Bool
    }

    /// A filter with options: names and values.
    ///
    /// `newer` are options that not all versions of FFmpeg have, which do without them what these
    /// ask for. `response` is the whole sound of its second input, with the channels of the first.
    package init(
      _ name: String, _ options: [(String, String)] = [], newer: [(String, String)] = [],
      response: [[Float]]? = nil
    ) {
      self.name = name
      self.response = response
      self.options =
        options.map { Option(name: $0.0, value: $0.1, isNewer: false) }
        + newer.map { Option(name: $0.0, value: $0.1, isNewer: true) }
      arguments = nil
    }

    /// A filter with `arguments` in FFmpeg's notation, `i=1:mix=0.5`.
    package init(_ name: String, arguments: String) {
      self.name = name
      self.arguments = arguments
      options = []
      response = nil
    }
  }

  static let library: avjob_avfilter? = {
    var table = avjob_avfilter()
    return avjob_load_avfilter(&table) != 0 ? table : nil
  }()

  /// Whether there is a libavfilter of the right version, which is loaded then.
  static var isAvailable: Bool { library != nil }

  private let library: avjob_avfilter
  private let sampleRate: Int
  private let channelCount: Int
  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private var input: UnsafeMutablePointer<AVFilterContext>?
  private var output: UnsafeMutablePointer<AVFilterContext>?
  private let fed: Frame
  /// The number of the frame that is fed next.
  private var nextFrame: Int64 = 0
  /// What came out last, and how much of it was taken.
  private let made: Frame
  private var takenCount = 0
  private let excess: Filter.Excess?
  private var withheld: WithheldSound

  private init(
    _ library: avjob_avfilter, sampleRate: Int, channelCount: Int, _ excess: Filter.Excess?
  ) throws(LibAVError) {
    self.library = library
    self.excess = excess
    withheld = WithheldSound(channelCount: channelCount)
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    fed = try Frame()
    made = try Frame()
  }

  deinit { library.graph_free(&graph) }

  /// Makes a chain for sound of `sampleRate` frames a second (`avfilter_graph_config`), whose first
  /// frame that is fed is number `start` for filters that look at the time.
  ///
  /// `excess` says what becomes of samples beyond ±1, which the filters do not get then: they must
  /// give each frame for one that they are fed, in order.
  ///
  /// - Throws: `LibAVError.filtersMissing` where there is no libavfilter of the right version;
  ///   `isFormatChange` for a filter that changes the rate or the number of channels.
  package static func open(
    _ filters: [Filter], sampleRate: Int, channelCount: Int, start: Int64 = 0,
    excess: Filter.Excess? = nil
  ) throws(LibAVError) -> FilterChain {
    guard let library else { throw LibAVError.filtersMissing }
    let chain = try FilterChain(
      library, sampleRate: sampleRate, channelCount: channelCount, excess)
    chain.nextFrame = start
    let graph = try checkAllocated(library.graph_alloc(), "avfilter_graph_alloc")
    chain.graph = graph
    graph.pointee.nb_threads = 1
    graph.pointee.thread_type = 0
    var last = try chain.addSource()
    chain.input = last
    let rest =
      filters + [
        Filter("aformat", [("sample_fmts", "fltp"), ("sample_rates", "\(sampleRate)")]),
        Filter("abuffersink"),
      ]
    var responses: [(source: UnsafeMutablePointer<AVFilterContext>, sound: [[Float]])] = []
    for filter in rest {
      let next = try chain.add(filter)
      try check(library.link(last, 0, next, 0), "avfilter_link")
      if let response = filter.response {
        let source = try chain.addSource()
        try check(library.link(source, 0, next, 1), "avfilter_link")
        responses.append((source, response))
      }
      last = next
    }
    chain.output = last
    let names = filters.map(\.name).joined(separator: ", ")
    try check(library.graph_config(graph, nil), names)
    guard avjob_keeps_format(graph, Int32(sampleRate), Int32(channelCount)) != 0 else {
      throw LibAVError(code: avjob_averror_input_changed(), operation: names)
    }
    for response in responses { try chain.feed(response.sound, to: response.source) }
    return chain
  }

  /// A filter in the graph, which owns it (`avfilter_graph_alloc_filter`).
  private func add(
    _ filter: Filter
  ) throws(LibAVError) -> UnsafeMutablePointer<AVFilterContext> {
    let name = filter.name
    guard let found = library.get_by_name(name) else {
      throw LibAVError(code: avjob_averror_filter_not_found(), operation: name)
    }
    let context = try checkAllocated(
      library.graph_alloc_filter(graph, found, nil), "avfilter_graph_alloc_filter")
    if let arguments = filter.arguments {
      try check(library.init_str(context, arguments), name)
      return context
    }
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    for option in filter.options
    where !option.isNewer || avjob_has_option(found, option.name) != 0 {
      try check(av_dict_set(&dictionary, option.name, option.value, 0), "av_dict_set")
    }
    try check(library.init_dict(context, &dictionary), name)
    // What is left there is an option that the filter does not have.
    guard av_dict_count(dictionary) == 0 else {
      throw LibAVError(code: avjob_averror_option_not_found(), operation: name)
    }
    return context
  }

  /// A source of sound in the graph (`abuffer`).
  private func addSource() throws(LibAVError) -> UnsafeMutablePointer<AVFilterContext> {
    var layout = [CChar](repeating: 0, count: 64)
    try check(
      avjob_default_layout_name(Int32(channelCount), &layout, layout.count),
      "av_channel_layout_describe")
    let name = String(
      decoding: layout.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return try add(
      Filter(
        "abuffer",
        [
          ("sample_rate", "\(sampleRate)"), ("sample_fmt", "fltp"),
          ("time_base", "1/\(sampleRate)"), ("channel_layout", name),
        ]))
  }

  /// Feeds a whole sound to a second input, in blocks, and ends it.
  private func feed(
    _ sound: [[Float]], to source: UnsafeMutablePointer<AVFilterContext>
  ) throws(LibAVError) {
    let total = sound.first?.count ?? 0
    for start in stride(from: 0, to: total, by: 4096) {
      let count = min(4096, total - start)
      try allocateFed(count)
      for channel in 0..<min(channelCount, sound.count) {
        guard let plane = fed.pointer.pointee.extended_data[channel] else { continue }
        sound[channel].withUnsafeBytes { bytes in
          UnsafeMutableRawPointer(plane).copyMemory(
            from: bytes.baseAddress.map { $0 + start * 4 } ?? UnsafeRawPointer(plane),
            byteCount: count * 4)
        }
      }
      fed.pointer.pointee.pts = Int64(start)
      try check(library.buffersrc_add_frame(source, fed.pointer), "av_buffersrc_add_frame")
    }
    try check(library.buffersrc_add_frame(source, nil), "av_buffersrc_add_frame")
  }

  private func allocateFed(_ count: Int) throws(LibAVError) {
    try check(
      avjob_allocate_float_frame(
        fed.pointer, Int32(channelCount), Int32(sampleRate), Int32(count)),
      "av_frame_get_buffer")
  }

  /// Feeds `count` frames of `planes` (`av_buffersrc_add_frame`).
  package func feed(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int
  ) throws(LibAVError) {
    try feed(count) { channel, copy in
      UnsafeMutableRawPointer(copy).copyMemory(from: planes[channel], byteCount: count * 4)
    }
  }

  /// Feeds `count` frames that `fill` writes, channel by channel.
  private func feed(
    _ count: Int, _ fill: (Int, UnsafeMutablePointer<Float>) -> Void
  ) throws(LibAVError) {
    try allocateFed(count)
    for channel in 0..<channelCount {
      guard let plane = fed.pointer.pointee.extended_data[channel] else { continue }
      let copy = UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self)
      fill(channel, copy)
      if let excess {
        withheld.clip(copy, count: count, ofChannel: channel, keepsExcess: excess == .passed)
      }
    }
    fed.pointer.pointee.pts = nextFrame
    nextFrame += Int64(count)
    try check(library.buffersrc_add_frame(input, fed.pointer), "av_buffersrc_add_frame")
  }

  /// Feeds the next frame of libavfilter's that is ready to another chain, at its own time, instead of
  /// letting it be taken. Gives whether there was one.
  func pass(to next: FilterChain) throws(LibAVError) -> Bool {
    av_frame_unref(made.pointer)
    let status = library.buffersink_get_frame(output, made.pointer)
    if status == avjob_averror_eagain() { return false }
    try check(status, "av_buffersink_get_frame")
    let count = made.sampleCount
    takenCount = count
    let time = made.pointer.pointee.pts
    if time != avjob_nopts() { next.nextFrame = time }
    try next.feed(count) { channel, copy in
      guard let plane = made.pointer.pointee.extended_data[channel] else { return }
      UnsafeMutableRawPointer(copy).copyMemory(from: plane, byteCount: count * 4)
      withheld.add(to: copy, count: count, ofChannel: channel)
    }
    return true
  }

  /// Takes at most `capacity` frames that are ready to `planes` at `start`, and gives their number:
  /// fewer where more must be fed first (`av_buffersink_get_frame`).
  package func take(
    into planes: UnsafePointer<UnsafeMutablePointer<Float>>, at start: Int, capacity: Int
  ) throws(LibAVError) -> Int {
    var filled = 0
    while filled < capacity {
      if takenCount == made.sampleCount {
        av_frame_unref(made.pointer)
        takenCount = 0
        let status = library.buffersink_get_frame(output, made.pointer)
        if status == avjob_averror_eagain() { break }
        try check(status, "av_buffersink_get_frame")
      }
      let count = min(capacity - filled, made.sampleCount - takenCount)
      for channel in 0..<channelCount {
        guard let plane = made.pointer.pointee.extended_data[channel] else { continue }
        let place = planes[channel] + start + filled
        UnsafeMutableRawPointer(place).copyMemory(
          from: plane + takenCount * 4, byteCount: count * 4)
        withheld.add(to: place, count: count, ofChannel: channel)
      }
      filled += count
      takenCount += count
    }
    return filled
  }
}

extension LibAVError {
  /// No libavfilter of the version whose headers this was built with.
  package static let filtersMissing = LibAVError(
    code: avjob_averror_filter_not_found(), operation: String(cString: avjob_avfilter_name()))

  /// Whether FFmpeg has no such filter, or no filters at all; `operation` is its name.
  package var isMissingFilter: Bool { code == avjob_averror_filter_not_found() }
}
