import TestSupport
import Testing

/// What players find that begin with any key picture: decoders know nothing of what stands before it, or
/// they come from anywhere else in the movie.
@Suite("Movies: seeking")
struct MovieSeekTests {
  private typealias Film = MovieCutTests.Film

  /// The films of `MovieCutTests`, and what takes the packets of one apart: as a stream without the
  /// container's header, one group of pictures behind the other, and from the last one to the first.
  private func stage() throws -> Stage {
    let stage = try MovieCutTests().stage()
    try stage.write(
      "groups.py",
      """
      data, at, groups = open('packets', 'rb').read(), 0, []
      for line in open('sizes'):
        size, flags = line.strip().split(',')[:2]
        packet, at = data[at:at + int(size)], at + int(size)
        if flags.startswith('K'): groups.append(b'')
        while packet:
          end = 4 + int.from_bytes(packet[:4], 'big')
          groups[-1] += b'\\0\\0\\0\\1' + packet[4:end]
          packet = packet[end:]
      assert at == len(data)
      open('forwards', 'wb').write(b''.join(groups))
      open('backwards', 'wb').write(b''.join(reversed(groups)))

      """)
    return stage
  }

  /// When each key picture of a movie is shown.
  private func keys(_ name: String, in stage: Stage) throws -> [Double] {
    try stage.make(
      """
      ffprobe -v error -select_streams v:0 -show_entries packet=pts_time,flags -of csv=p=0 \(name) \\
        | grep ,K
      """
    ).text.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
  }

  @Test(
    "where parameter sets stand in the stream, it can be decoded from each key picture on, from any other",
    arguments: [
      ("[closed.mp4 1s..4s, plain.mp4 1s..4s]", "mp4", "avc3"),
      ("[closed.mp4 1s..4s, plain.mp4 1s..4s, closed.mp4 2s..5s]", "mkv", "[0][0][0][0]"),
      ("[interlaced.mp4 1s..5s]", "mp4", "avc3"),
      ("[hevc32.mp4 200ms..2.5s, hevc16.mp4 200ms..2.5s]", "mp4", "hev1"),
      ("[hevc32.mp4 200ms..2.5s, hevc16.mp4 200ms..2.5s]", "mkv", "[0][0][0][0]"),
    ])
  func seeking(items: String, kind: String, entry: String) throws {
    let stage = try stage()
    let name = "out.\(kind)"
    let result = try stage.job("concat: \(items)\noutput: \(name)\n")
    #expect(result.status == 0, "\(result.errors)")
    let facts = try stage.make(
      """
      ffprobe -v error -select_streams v -show_entries stream=codec_tag_string -of csv=p=0 \(name)
      ffprobe -v error -select_streams v:0 -show_entries packet=size,flags -of csv=p=0 \(name) > sizes
      ffmpeg -v error -i \(name) -map 0:v:0 -c copy -f data packets
      python3 groups.py
      """)
    #expect(facts.text == "\(entry)\n")
    let film = try Film(name, in: stage)
    #expect(film.complaints == "")
    let ends = try keys(name, in: stage).dropFirst() + [.infinity]
    var groups: [[Int]] = []
    var numbers = Array(zip(film.times, film.numbers))[...]
    for end in ends {
      groups.append(numbers.prefix { $0.0 < end - 0.0001 }.map { $0.1 })
      numbers = numbers.drop { $0.0 < end - 0.0001 }
    }
    #expect(groups.count > 4 && groups.allSatisfy { !$0.isEmpty })
    for (order, expected) in [("forwards", groups), ("backwards", groups.reversed())] {
      let found = try Film(order, in: stage)
      #expect(found.numbers == expected.flatMap(\.self))
      #expect(found.complaints == "")
    }
  }

  @Test("sets stand once before a key picture, and in no stream whose header has all of them")
  func once() throws {
    let stage = try stage()
    // Each key picture of the last one has its sets in the source, too.
    try stage.make("ffmpeg -v error -i interlaced.mp4 -c:v copy -c:a mp2 repeated.ts")
    for (clip, count) in [("closed.mp4", 0), ("interlaced.mp4", 1), ("repeated.ts", 1)] {
      let result = try stage.job("clip: \(clip) 1s..4s\noutput: out.mp4\n")
      #expect(result.status == 0, "\(result.errors)")
      // It traces the header, too.
      let sets = try stage.make(
        """
        ffmpeg -v info -i out.mp4 -map 0:v -c copy -bsf:v trace_headers -f null - 2>&1 \\
          | grep -c 'Sequence Parameter Set$'
        """)
      let keys = try keys("out.mp4", in: stage).count
      #expect(keys > 2 && sets.text == "\(1 + keys * count)\n", "\(clip): \(keys), \(sets.text)")
      try stage.make("rm out.mp4")
    }
  }
}
