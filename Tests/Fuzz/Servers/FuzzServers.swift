import Diagnosis
import FuzzDriver

@testable import ExportEngine
@testable import HTTP
@testable import MediaCache

/// Any bytes are addresses, the head of an answer, what is known of an entry of the cache, and a piece
/// of a medium in which a place is looked for.
@main
enum FuzzServers {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(file)
  let lines = String(decoding: bytes.prefix(1000), as: UTF8.self).split(separator: "\n")
  for line in lines.prefix(10) { checkAddress(String(line), redirectedTo: lines.last ?? "") }
  checkHead(bytes)
  checkFacts(bytes)
  checkPlaces(bytes)
  return 0
}

/// An address is what it is sent as, shows no secret, and leads to nothing but media.
private func checkAddress(_ text: String, redirectedTo location: Substring) {
  let masked = MediaURL.masked(text)
  precondition(masked.unicodeScalars.count == text.unicodeScalars.count)
  precondition(MediaURL.masked(masked) == masked)
  _ = try? HostPattern(text)
  _ = NetworkAddress(host: text)
  guard let url = try? MediaURL(text) else { return }
  let sent = url.absoluteText
  precondition((try? MediaURL(sent)) == url)
  precondition(sent.utf8.allSatisfy { (0x21...0x7E).contains($0) })
  precondition(url.withoutCredentials.userinfo == nil && !url.lastComponent.contains("/"))
  precondition(!"\(url)".contains("?") || "\(url)".hasSuffix("?…"))
  guard let target = try? Redirect.target(of: String(location), from: url) else { return }
  precondition(url.scheme == .http || target.scheme == .https)
  precondition(target.userinfo == nil || location.contains("@"))
}

/// What a head says can be.
private func checkHead(_ bytes: [UInt8]) {
  let fields = bytes.split(separator: 0x0A).map { line in
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    return (name: HTTPText.lowercased(parts.first ?? []), value: Array(parts.dropFirst().joined()))
  }
  let found = try? HTTPHead(
    status: 206, isFramed: bytes.count % 2 == 0,
    values: { name in fields.filter { $0.name == name }.map(\.value) }, date: { _ in nil })
  guard let head = found else { return }
  precondition(head.contentLength ?? 0 >= 0 && head.secondsFresh >= 0)
  guard let range = head.contentRange, let part = range.bytes else { return }
  precondition(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= range.size ?? .max)
}

/// Facts are what they are written as.
private func checkFacts(_ bytes: [UInt8]) {
  guard let facts = EntryFacts(bytes) else { return }
  precondition(EntryFacts(Array(facts.text.utf8)) == facts)
}

/// Places lie in their block, in order.
private func checkPlaces(_ bytes: [UInt8]) {
  let serial = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  for blockSize in [nil, 4096] as [Int64?] {
    check(PlaceSearch.frames(in: bytes, at: 10, blockSize), in: bytes)
  }
  check(PlaceSearch.pages(in: bytes, at: 10, serial), in: bytes)
}

private func check(_ places: [PlaceSearch.Place], in bytes: [UInt8]) {
  precondition(zip(places, places.dropFirst()).allSatisfy { $0.offset < $1.offset })
  precondition(
    places.allSatisfy { (10..<10 + Int64(bytes.count)).contains($0.offset) && $0.frame >= 0 })
}
