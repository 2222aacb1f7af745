import LibAV
import TestSupport
import Testing

@Suite("Chains of filters")
struct FilterChainTests {
  private static let denoise = FilterChain.Filter("afftdn", [("noise_reduction", "12")])

  @Test(
    "a filter makes of a sound what ffmpeg makes of it",
    arguments: [
      (
        FilterChain.Filter("highpass", [("frequency", "80"), ("precision", "f64")]),
        "highpass=f=80:precision=f64"
      ),
      (
        FilterChain.Filter("lowpass", [("f", "3000.5"), ("precision", "f64")]),
        "lowpass=f=3000.5:precision=f64"
      ),
      (denoise, "afftdn=nr=12"),
      (FilterChain.Filter("atempo", [("tempo", "1.25")]), "atempo=1.25"),
      (FilterChain.Filter("rubberband", [("tempo", "0.8")]), "rubberband=tempo=0.8"),
    ])
  func equalsFFmpeg(filter: FilterChain.Filter, spelled: String) throws {
    let folder = TestFolder()
    let noise = Signal.noise(seed: 3, count: 96_000)
    var bytes: [UInt8] = []
    for sample in noise { withUnsafeBytes(of: sample) { bytes += $0 } }
    try writeFile(folder.path("noise.raw"), bytes)
    // Blocks as ours, since rubberband's steps depend on them.
    let oracle = try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "f32le", "-ar", "48000", "-ac", "1", "-i",
      folder.path("noise.raw"), "-af",
      "asetnsamples=4096,aformat=sample_fmts=fltp,\(spelled),aformat=sample_fmts=flt", "-f",
      "f32le", "-"
    ).floats
    let ours = try run([filter], [noise], rate: 48_000)[0]
    #expect(ours.count > 40_000)
    #expect(ours.largestDifference(from: oracle) < 1e-6)
  }

  @Test("the same sound gives the same bits in each run, in every channel")
  func isDeterministic() throws {
    let noise = Signal.noise(seed: 5, count: 100_000)
    let channels = Array(repeating: noise, count: 6)
    for filter in [
      FilterChain.Filter("rubberband", [("tempo", "1.3")]),
      FilterChain.Filter("atempo", [("tempo", "0.7")]), Self.denoise,
    ] {
      let first = try run([filter], channels, rate: 44_100)
      #expect(try run([filter], channels, rate: 44_100) == first)
    }
  }

  @Test("no filter starts a thread")
  func startsNoThreads() throws {
    let before = try threadCount()
    let chain = try FilterChain.open(
      [
        FilterChain.Filter("rubberband", [("tempo", "2")]),
        FilterChain.Filter("atempo", [("tempo", "2")]), Self.denoise,
        FilterChain.Filter("acompressor"),
      ],
      sampleRate: 48_000, channelCount: 2)
    let planes = Planes(Array(repeating: [Float](repeating: 0.1, count: 48_000), count: 2))
    try chain.feed(planes.pointers, count: 48_000)
    #expect(try chain.take(into: planes.pointers, at: 0, capacity: 48_000) > 0)
    // Other tests' threads come and go; a pool of one for each core would stay.
    #expect(try threadCount() <= before + 1)
  }

  @Test("settings that a filter does not take are an error")
  func refuses() throws {
    for option in [("tempo", "0.1"), ("tempi", "2")] {
      #expect(throws: LibAVError.self) {
        try FilterChain.open(
          [FilterChain.Filter("atempo", [option])], sampleRate: 8000, channelCount: 1)
      }
    }
  }

  private func threadCount() throws -> Int {
    try readFile("/proc/self/status").split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
      .first { $0.hasPrefix("Threads:") }
      .flatMap { Int($0.dropFirst(8).filter(\.isNumber)) } ?? 0
  }

  /// What a chain gives for whole channels, fed in blocks of 4096 frames.
  private func run(
    _ filters: [FilterChain.Filter], _ channels: [[Float]], rate: Int
  ) throws -> [[Float]] {
    let chain = try FilterChain.open(filters, sampleRate: rate, channelCount: channels.count)
    return try filtered(
      channels, feed: { try chain.feed($0, count: $1) },
      take: { try chain.take(into: $0, at: 0, capacity: $1) })
  }
}
