import HTTP
import TestSupport
import Testing

@Suite("Dates of answers")
struct DateTests {
  @Test(
    "Last-Modified is strong if the answer was sent a minute later, or does not say when",
    arguments: [
      ("plain", true), ("header=Date:Tue%2C%2001%20Jan%202999%2000:00:00%20GMT", true),
      ("header=Date:Tue%2C%2001%20Jan%202019%2000:00:00%20GMT", false),
      ("header=Date:yesterday", true),
    ])
  func strength(fault: String, isStrong: Bool) throws {
    let head = try #require(try Answer("\(fault)/a.bin").head)
    #expect(head.lastModified != nil && head.hasStrongDate == isStrong)
  }
}
