internal import CFFmpeg

/// Brings pictures into another form: turned, scaled, between bars or cut, in another pixel format and
/// matrix of colours (libavfilter's `transpose`, `scale`, `pad`, `crop` and `format`).
///
/// Owns its `AVFilterGraph`; one thread at a time; starts no threads. libavfilter is loaded by the first.
package final class PictureScaler {
  /// From what to what.
  package struct Plan: Sendable, Hashable {
    /// Of the pictures that come, as coded.
    package var source: PictureForm
    /// The width of their pixels over the height.
    package var aspect: Double
    package var colours: PictureColours
    /// Whether they are mirrored from left to right, before they are turned.
    package var isMirrored = false
    /// By how many degrees they are turned clockwise: 0, 90, 180 or 270.
    package var rotation: Int
    /// Whose pixels are square, unless nothing is scaled.
    package var target: PictureForm
    /// Whether a picture of another shape is cut, and not put between bars.
    package var isCut: Bool
    /// Of the target.
    package var matrix: PictureColours.Matrix
    /// Whether the target's numbers use all of their range (`AVCOL_RANGE_JPEG`).
    package var hasFullRange = false

    package init(
      _ source: PictureForm, _ colours: PictureColours, pixels: (width: Int, height: Int) = (1, 1),
      rotation: Int, to target: PictureForm, in matrix: PictureColours.Matrix, isCut: Bool
    ) {
      (self.source, self.colours, self.rotation) = (source, colours, rotation)
      self.matrix = matrix
      aspect = Double(pixels.width) / Double(pixels.height)
      (self.target, self.isCut) = (target, isCut)
    }
  }

  private let library: avjob_avfilter
  private let matrix: PictureColours.Matrix
  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private var input: UnsafeMutablePointer<AVFilterContext>?
  private var output: UnsafeMutablePointer<AVFilterContext>?

  private init(_ library: avjob_avfilter, _ matrix: PictureColours.Matrix) {
    (self.library, self.matrix) = (library, matrix)
  }

  deinit { library.graph_free(&graph) }

  /// A scaler for pictures of one form.
  ///
  /// - Throws: `LibAVError.filtersMissing` where there is no libavfilter of the right version.
  package static func open(_ plan: Plan) throws(LibAVError) -> PictureScaler {
    guard let library = FilterChain.library else { throw LibAVError.filtersMissing }
    let scaler = PictureScaler(library, plan.matrix)
    (scaler.graph, scaler.input, scaler.output) = try library.chain(plan.filters)
    return scaler
  }

  /// A picture in its new form, which belongs to the caller.
  package func scaled(_ frame: Frame) throws(LibAVError) -> Frame {
    let result = try Frame()
    // The filters see no times.
    frame.pointer.pointee.pts = 0
    try check(library.buffersrc_add_frame(input, frame.pointer), "av_buffersrc_add_frame")
    try check(library.buffersink_get_frame(output, result.pointer), "av_buffersink_get_frame")
    // libswscale converts, and leaves the name of what was.
    if PictureColours.Matrix(result.pointer.pointee.colorspace) != matrix {
      result.pointer.pointee.colorspace = matrix.space
    }
    return result
  }
}

extension avjob_avfilter {
  /// The first and the last filter of a chain, and their graph, which starts no threads and belongs to the
  /// caller.
  func chain(
    _ filters: [(name: String, arguments: String)]
  ) throws(LibAVError) -> (
    graph: UnsafeMutablePointer<AVFilterGraph>?, first: UnsafeMutablePointer<AVFilterContext>?,
    last: UnsafeMutablePointer<AVFilterContext>?
  ) {
    var owned: UnsafeMutablePointer<AVFilterGraph>? = try checkAllocated(
      graph_alloc(), "avfilter_graph_alloc")
    do throws(LibAVError) {
      let (first, last) = try add(filters, to: owned)
      return (owned, first, last)
    } catch {
      graph_free(&owned)
      throw error
    }
  }

  private func add(
    _ filters: [(name: String, arguments: String)], to graph: UnsafeMutablePointer<AVFilterGraph>?
  ) throws(LibAVError) -> (
    first: UnsafeMutablePointer<AVFilterContext>?, last: UnsafeMutablePointer<AVFilterContext>?
  ) {
    graph?.pointee.nb_threads = 1
    graph?.pointee.thread_type = 0
    var first: UnsafeMutablePointer<AVFilterContext>?
    var last: UnsafeMutablePointer<AVFilterContext>?
    for (name, arguments) in filters {
      guard let found = get_by_name(name) else {
        throw LibAVError(code: avjob_averror_filter_not_found(), operation: name)
      }
      let next = try checkAllocated(
        graph_alloc_filter(graph, found, nil), "avfilter_graph_alloc_filter")
      try check(init_str(next, arguments), name)
      if let last {
        try check(link(last, 0, next, 0), "avfilter_link")
      } else {
        first = next
      }
      last = next
    }
    try check(graph_config(graph, nil), "avfilter_graph_config")
    return (first, last)
  }
}

extension PictureScaler.Plan {
  /// Whether pictures come as they are wanted.
  package var isNeedless: Bool {
    source == target && rotation == 0 && !isMirrored && colours.isFullRange == hasFullRange
      && colours.matrix == matrix
  }

  /// Whether pictures keep their pixels, which need not be square then.
  package var keepsPixels: Bool {
    rotation == 0 && (source.width, source.height) == (target.width, target.height)
  }

  fileprivate var filters: [(name: String, arguments: String)] {
    var filters = [
      (
        "buffer",
        "video_size=\(source.width)x\(source.height):pix_fmt=\(source.pixelFormat ?? "none")"
          + ":time_base=1/1000:pixel_aspect=1/1"
      )
    ]
    if isMirrored { filters.append(("hflip", "")) }
    switch rotation {
    case 90: filters.append(("transpose", "clock"))
    case 180: filters += [("hflip", ""), ("vflip", "")]
    case 270: filters.append(("transpose", "cclock"))
    default: break
    }
    let size = keepsPixels ? (width: source.width, height: source.height) : scaledSize
    filters.append(
      (
        "scale",
        "\(size.width):\(size.height):flags=bicubic+accurate_rnd+full_chroma_int+bitexact"
          + conversion
      ))
    if !keepsPixels {
      let shape = "\(target.width):\(target.height)"
      if isCut {
        filters.append(
          (
            "crop",
            "\(shape):\(even((size.width - target.width) / 2)):"
              + "\(even((size.height - target.height) / 2))"
          ))
      } else if size != (target.width, target.height) {
        filters.append(
          (
            "pad",
            "\(shape):\(even((target.width - size.width) / 2)):"
              + "\(even((target.height - size.height) / 2))"
          ))
      }
    }
    return filters + [("format", target.pixelFormat ?? "yuv420p"), ("buffersink", "")]
  }

  /// What libswscale is told of colours: numbers of another range or matrix are converted.
  private var conversion: String {
    // What is not told follows from the picture and its format.
    let range =
      (colours.isFullRange ? ":in_range=pc" : "") + ":out_range=" + (hasFullRange ? "pc" : "tv")
    guard colours.matrix != matrix, let name = matrix.filterName else { return range }
    let own = colours.matrix?.filterName.map { ":in_color_matrix=\($0)" } ?? ""
    return range + own + ":out_color_matrix=\(name)"
  }

  /// The size at which the whole picture fits into the target, or fills it.
  private var scaledSize: (width: Int, height: Int) {
    var shape = (Double(source.width) * aspect, Double(source.height))
    if rotation % 180 == 90 { shape = (shape.1, shape.0) }
    let factors = (Double(target.width) / shape.0, Double(target.height) / shape.1)
    let factor = isCut ? max(factors.0, factors.1) : min(factors.0, factors.1)
    let size = (
      width: even(Int((shape.0 * factor).rounded())),
      height: even(Int((shape.1 * factor).rounded()))
    )
    return isCut
      ? (max(size.width, target.width), max(size.height, target.height))
      : (max(2, min(size.width, target.width)), max(2, min(size.height, target.height)))
  }

  /// Colour is stored for two pixels together.
  private func even(_ number: Int) -> Int { number / 2 * 2 }
}
