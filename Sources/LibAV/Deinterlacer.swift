internal import CFFmpeg

/// Makes whole pictures of interlaced ones, one of each two fields (libavfilter's `bwdif`); pictures that
/// are whole go through as they are.
///
/// Owns its `AVFilterGraph`; one thread at a time; starts no threads. libavfilter is loaded by the first.
/// Memory is bounded: it holds three pictures.
package final class Deinterlacer {
  /// Of the pictures that come.
  package let form: PictureForm
  private let library: avjob_avfilter
  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private var input: UnsafeMutablePointer<AVFilterContext>?
  private var output: UnsafeMutablePointer<AVFilterContext>?
  private var count: Int64 = 0

  private init(_ form: PictureForm, _ library: avjob_avfilter) {
    (self.form, self.library) = (form, library)
  }

  deinit { library.graph_free(&graph) }

  /// One for pictures of a form.
  ///
  /// - Throws: `LibAVError.filtersMissing` where there is no libavfilter of the right version.
  package static func open(_ form: PictureForm) throws(LibAVError) -> Deinterlacer {
    guard let library = FilterChain.library else { throw LibAVError.filtersMissing }
    let deinterlacer = Deinterlacer(form, library)
    let format = form.pixelFormat ?? "none"
    (deinterlacer.graph, deinterlacer.input, deinterlacer.output) = try library.chain([
      (
        "buffer",
        "video_size=\(form.width)x\(form.height):pix_fmt=\(format):time_base=1/1000:pixel_aspect=1/1"
      ),
      ("bwdif", "mode=send_frame:parity=auto:deint=interlaced"), ("format", format),
      ("buffersink", ""),
    ])
    return deinterlacer
  }

  /// Takes the next picture in order of showing, whose bytes it then owns; nil: there are no more.
  package func send(_ frame: Frame?) throws(LibAVError) {
    frame?.pointer.pointee.pts = count
    count += 1
    try check(library.buffersrc_add_frame(input, frame?.pointer), "av_buffersrc_add_frame")
  }

  /// The next whole picture, in the same order, which belongs to the caller; nil where there is none before
  /// more pictures come, or none any more.
  package func next() throws(LibAVError) -> Frame? {
    let frame = try Frame()
    let status = library.buffersink_get_frame(output, frame.pointer)
    if status == avjob_averror_eagain() || status == avjob_averror_eof() { return nil }
    try check(status, "av_buffersink_get_frame")
    return frame
  }
}
