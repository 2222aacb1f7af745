import Testing

@testable import HTTP

@Suite("The form of heads")
struct HeadFormTests {
  private func isTaken(_ lines: [String]) -> Bool {
    var form = HeadForm()
    for line in lines {
      do throws(HTTPError) {
        try form.take(Array(line.utf8))
      } catch {
        return false
      }
    }
    return true
  }

  @Test(
    "status lines of each version, heads before the last one, and trailers are taken",
    arguments: [
      ["HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n"], ["HTTP/2 200 \r\n", "a: b\r\n"],
      ["HTTP/1.1 200\r\n"], ["HTTP/3 404\n"],
      ["HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"],
      ["HTTP/1.0 200 Connection established\r\n", "\r\n", "HTTP/1.1 206 X\r\n"],
      ["HTTP/1.1 302 X\r\n", "Location: /a\r\n", "\t b\r\n", "\r\n", "Trailer: c\r\n"],
    ])
  func taken(lines: [String]) { #expect(isTaken(lines)) }

  @Test(
    "a status of another length, and a first field that continues none, are refused",
    arguments: [
      ["HTTP/1.1 2000 X\r\n"], ["HTTP/1.1 20\r\n"], ["HTTP/1.1\r\n"], ["HTTP/1.1 +20 X\r\n"],
      ["HTTP/1.1 200 OK\r\n", " a: b\r\n"], ["HTTP/2 200\r\n", "\tx\r\n"],
    ])
  func refused(lines: [String]) { #expect(!isTaken(lines)) }
}
