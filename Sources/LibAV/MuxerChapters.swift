internal import CFFmpeg

extension Muxer.Chapter {
  /// Chapters as Vorbis comments (Xiph's "Chapter Extension"): FFmpeg's FLAC muxer does not write
  /// them, and the Ogg muxer of 5.1 writes half a second as one and a half.
  static func comments(
    _ chapters: [Muxer.Chapter], sampleRate: Int
  ) -> [(key: String, value: String)] {
    func digits(_ number: Int64, _ count: Int) -> String {
      String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }
    return chapters.enumerated().flatMap { index, chapter in
      let rate = Int64(sampleRate)
      let milliseconds = (chapter.frames.lowerBound * 1000 + rate / 2) / rate
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      let key = "CHAPTER" + digits(Int64(chapter.number ?? index), 3)
      let time =
        "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
      return [(key, time + "." + digits(rest, 3)), (key + "NAME", chapter.title)]
        + (chapter.url.map { [(key + "URL", $0)] } ?? [])
    }
  }

  /// The chapter as many frames later.
  func moved(by frames: Int64) -> Muxer.Chapter {
    var moved = self
    moved.frames = self.frames.lowerBound + frames..<self.frames.upperBound + frames
    return moved
  }

  /// The chapters of a chapter track, which has no gaps: without one before it the first chapter would
  /// begin at 0.
  static func withoutGap(_ chapters: [Muxer.Chapter]) -> [Muxer.Chapter] {
    guard let first = chapters.first, first.frames.lowerBound > 0 else { return chapters }
    return [Muxer.Chapter(frames: 0..<first.frames.lowerBound, title: "")] + chapters
  }

  /// Entries of Nero's list (`chpl`), and bytes of a title in it: each has a byte for its number.
  private static let listLimit = 255

  /// How MP4 has these chapters: QuickTime's chapter track has all of them. Nero's list stands beside it
  /// if it can hold all of them, too: some players take that one alone.
  static func trackOptions(
    _ chapters: [Muxer.Chapter], sampleRate: Int
  ) -> [(key: String, value: String)] {
    let fits =
      chapters.count <= listLimit && chapters.allSatisfy { $0.title.utf8.count <= listLimit }
    return [("movie_timescale", String(trackTimescale(chapters, sampleRate: sampleRate)))]
      + (fits ? [] : [("movflags", "+disable_chpl")])
  }

  /// Ticks a second of the chapter track: frames, or, of a chapter with more of them than a duration of
  /// 31 bits holds (`ff_mov_write_packet`; ISO 14496-12, 8.6.1.2), as many frames a tick as it takes.
  static func trackTimescale(_ chapters: [Muxer.Chapter], sampleRate: Int) -> Int {
    let longest = chapters.lazy.map { Int64($0.frames.count) }.max() ?? 0
    // Ticks are rounded at both ends of a chapter.
    let most = Int64(Int32.max) - 1
    let divisor = max(1, (longest + most - 1) / most)
    return max(1, sampleRate / Int(divisor))
  }
}

extension Muxer {
  /// Chapters as libavformat owns them: it frees the array and its elements.
  func addChapters(_ chapters: [Chapter], sampleRate: Int) throws(LibAVError) {
    guard !chapters.isEmpty else { return }
    let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
    let array = try checkAllocated(av_calloc(chapters.count, size), "av_calloc")
    context.pointee.chapters = array.bindMemory(
      to: UnsafeMutablePointer<AVChapter>?.self, capacity: chapters.count)
    for (index, chapter) in chapters.enumerated() {
      let memory = try checkAllocated(av_mallocz(MemoryLayout<AVChapter>.size), "av_mallocz")
      let pointer = memory.bindMemory(to: AVChapter.self, capacity: 1)
      context.pointee.chapters[index] = pointer
      context.pointee.nb_chapters = UInt32(index + 1)
      pointer.pointee.id = Int64(index + 1)
      pointer.pointee.time_base = AVRational(num: 1, den: Int32(clamping: sampleRate))
      pointer.pointee.start = chapter.frames.lowerBound
      pointer.pointee.end = chapter.frames.upperBound
      try check(av_dict_set(&pointer.pointee.metadata, "title", chapter.title, 0), "av_dict_set")
    }
  }

  /// Sets the ticks of the movie, in which edit lists count: only the sample rate makes them exact. To
  /// be called after the header, which has made the chapter track in the ticks of that time
  /// (`mov_create_chapter_track`); the movie's own are written last (`mov_write_mvhd_tag`).
  func setMovieTimescale(_ ticks: Int) throws(LibAVError) {
    try check(
      av_opt_set_int(context.pointee.priv_data, "movie_timescale", Int64(ticks), 0),
      "av_opt_set_int(movie_timescale)")
  }
}
