import TestSupport
import Testing

/// Ranges whose edges are moved to pictures with which decoding can begin.
@Suite("Movies: edges at key pictures")
struct KeyPictureTests {
  private typealias Film = MovieCutTests.Film
  private let movies = MovieCutTests()

  /// When the key pictures of a movie are shown that no edit list hides, in seconds of its clock.
  private func keys(_ name: String, in stage: Stage) throws -> [Double] {
    try stage.make(
      "ffprobe -v error -select_streams v -show_entries packet=pts_time,flags -of csv=p=0 \(name)"
    ).text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",")
      return fields[1].hasPrefix("K_") ? Double(fields[0]) : nil
    }.sorted()
  }

  private func nearest(_ time: Double, _ keys: [Double]) -> Double {
    keys.min { (abs($0 - time), -$0) < (abs($1 - time), -$1) } ?? 0
  }

  @Test(
    "edges move to key pictures, picture and sound together, and nothing is encoded",
    arguments: [
      "closed.mp4", "cavlc.mp4", "plain.mp4", "ten.mp4", "uneven.mp4", "vp9.webm", "av1.mp4",
      "intra.mov", "hidden.mp4", "closed.flv",
    ])
  func closed(source: String) throws {
    let stage = try movies.stage()
    let film = try Film(source, in: stage)
    let start = try movies.soundStart(source, in: stage)
    let keys = try keys(source, in: stage)
    let output = source.hasSuffix(".mov") ? "out.mov" : "out.mp4"
    let result = try stage.job(
      """
      clip: \(source) 0.9s..
      cut: [1.2s..3.3s]
      snap: keyframe
      output: [{ file: \(output), video: copy strict }, out.wav]

      """)
    #expect(result.status == 0, "\(result.errors)")
    // The times of a cut count from the start of the range.
    let from = nearest(0.9 + start, keys)
    let cut = (nearest(from + 1.2, keys), nearest(from + 3.3, keys))
    let numbers = film.times.indices.filter { index in
      let time = film.times[index] + 1e-4
      return from..<cut.0 ~= time || time >= cut.1
    }.map { film.numbers[$0] }
    let made = try Film(output, in: stage)
    #expect(made.numbers == numbers)
    #expect(made.complaints == "")
    try stage.make("avjob clip -q \(source) -o whole.wav")
    let counts = try ["whole.wav", "out.wav"].map { try stage.sound(of: $0).count }
    let removed = (from - start + cut.1 - cut.0) * 48_000
    // Some containers have milliseconds.
    #expect(abs(Double(counts[0] - counts[1]) - removed) <= 96, "\(counts) \(removed)")
    #expect(
      lag(of: try stage.sound(of: output), behind: try stage.sound(of: "out.wav")) == 0)
  }

  @Test("an end of an open group has pictures that need the next one: they are encoded, or refused")
  func open() throws {
    let stage = try movies.stage()
    let film = try Film("open.mkv", in: stage)
    for (video, status) in [("copy", Int32(0)), ("copy strict", 2)] {
      let result = try stage.job(
        "clip: open.mkv 1.2s..3.9s\nsnap: keyframe\noutput: { file: out.mkv, video: \(video) }\n")
      #expect(result.status == status, "\(result.errors)")
      #expect(result.errors.contains("which 'copy strict' forbids") == (status == 2))
    }
    // The end of the file needs none.
    let rest = try stage.job(
      "clip: open.mkv 1.2s..\nsnap: keyframe\noutput: { file: rest.mkv, video: copy strict }\n")
    #expect(rest.status == 0, "\(rest.errors)")
    let whole = try Film("rest.mkv", in: stage)
    #expect(whole.numbers == Array(film.numbers.suffix(whole.numbers.count)))
    #expect(zip(whole.pictures.reversed(), film.pictures.reversed()).allSatisfy { $0 == $1 })
    let made = try Film("out.mkv", in: stage)
    let first = try #require(film.numbers.firstIndex(of: made.numbers.first ?? -1))
    let part = film.pictures[first..<min(first + made.pictures.count, film.pictures.count)]
    #expect(made.numbers == Array(film.numbers[part.indices]))
    // The first one and all that follow it are copied, up to some at the end.
    let copied = zip(made.pictures, part).prefix { $0 == $1 }
    #expect(made.pictures.count - Array(copied).count <= 4)
  }

  @Test("plans have the moved times, and isolated processes find the same")
  func plans() throws {
    let stage = try movies.stage()
    let keys = try keys("closed.mp4", in: stage)
    let start = try movies.soundStart("closed.mp4", in: stage)
    let (from, to) = (nearest(1.2 + start, keys) - start, nearest(3.9 + start, keys) - start)
    try stage.write(
      "job.yaml",
      "clip: closed.mp4 1.2s..3.9s\nsnap: keyframe\noutput: { file: out.mp4, video: copy strict }\n"
    )
    let plan = try stage.make("avjob plan job.yaml").text
    let milliseconds = Int((from * 1000).rounded())
    #expect(
      plan.contains(
        "closed.mp4 from 0:0\(milliseconds / 1000).\("\(1000 + milliseconds % 1000)".dropFirst())"),
      "\(plan)")
    try stage.make(
      """
      avjob run -q --isolate job.yaml; mv out.mp4 isolated.mp4
      avjob run -q job.yaml; cmp out.mp4 isolated.mp4
      """)
    let lasts = try stage.make("ffprobe -v error -show_entries format=duration -of csv=p=0 out.mp4")
    #expect(abs((Double(lasts.text.dropLast()) ?? 0) - (to - from)) < 0.03)
  }
}
