import MediaTime
import TestSupport
import Testing

@Suite struct DocumentationTests {
  @Test("The landing page's code does what its comments say")
  func landingPage() throws {
    let frame = Time(value: 1001, timescale: 30000)
    let sample = Time(frames: 1, rate: 44100)
    let start = try Time(parsing: "1:02:03.25")
    let sum = frame * 30 + sample
    #expect(sum == Time(value: 1001, timescale: 1000) + Time(value: 1, timescale: 44100))
    #expect(sum.hasBeenRounded == false)
    #expect(sum.frames(atRate: 48000) == 48049)

    let clip = TimeRange(start: start, duration: Time(value: 30, timescale: 1))
    let place = TimeRange(start: .zero, duration: Time(value: 20, timescale: 1))
    #expect(clip.contains(clip.end) == false)
    #expect(clip.map(start + frame, to: place) == Time(value: 1001, timescale: 45000))
    #expect(
      place.map(clip.map(start + frame, to: place), to: clip) == start + frame)
  }

  @Test("Every line of the landing page's code is in the test above")
  func lines() throws {
    let page = Fixture.path("../Sources/MediaTime/MediaTime.docc/MediaTime.md")
    let test = String(decoding: try readFile(#filePath), as: UTF8.self)
    var isCode = false
    var count = 0
    for line in String(decoding: try readFile(page), as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        let code = line.prefix { $0 != "/" }
        count += 1
        #expect(test.contains(code.trimmed), "\(line)")
      }
    }
    #expect(count == 11)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
