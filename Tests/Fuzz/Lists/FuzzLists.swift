import Diagnosis
import FuzzDriver
import MediaComposition
import MediaTime
import SystemPackage

@testable import JobModel
@testable import TimeLists

/// Any bytes are a list of times, a table, and texts of times and quantities.
@main
enum FuzzLists {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(file)
  checkList(bytes, "a.cue")
  checkList(bytes, "a.txt")
  checkTable(bytes)
  for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(20) {
    checkTexts(String(line))
  }
  return 0
}

private func check(_ found: Diagnostics, in map: SourceMap) {
  precondition(found.render(in: map).isEmpty == found.isEmpty)
}

private func checkList(_ bytes: [UInt8], _ path: FilePath) {
  let map = SourceMap()
  let (list, sink) = TimeList.read(bytes, path: path, named: .unknown, in: map)
  check(sink.diagnostics, in: map)
  guard sink.diagnostics.errors.isEmpty else { return }
  precondition(!list.entries.isEmpty)
  let times = list.entries.compactMap { $0.start.value.timeFromStart }
  precondition(times == times.sorted() && times.allSatisfy { $0.isNumeric && $0 >= .zero })
}

private func checkTable(_ bytes: [UInt8]) {
  let map = SourceMap()
  let (table, sink) = TableReader.read(bytes, path: "t.csv", named: .unknown, in: map)
  check(sink.diagnostics, in: map)
  precondition((table == nil) == !sink.diagnostics.errors.isEmpty)
  guard let table else { return }
  precondition(table.rowCount > 0 && table.header.count > 0)
  for row in 0..<min(table.rowCount, 50) {
    for column in table.header.indices.prefix(20) {
      let cell = Table.Cell(row: row, column: column)
      let place = map.place(of: table.origin(of: cell))
      precondition(place != nil)
      precondition(table.agree(row, row, in: column) && table.text(of: cell).utf8.count >= 0)
    }
  }
  for column in table.header.indices.prefix(3) {
    let groups = table.groups(by: column)
    precondition(groups.map(\.rows.count).reduce(0, +) == table.rowCount)
    precondition(Set(table.names(of: groups)).count == groups.count)
  }
  precondition(Set(table.names(of: table.single)).count == table.rowCount)
}

/// What is read of a text is what it is printed as; what is not read is refused in words.
private func checkTexts(_ text: String) {
  if let time = try? TimeText(parsing: text) {
    precondition((try? TimeText(parsing: time.description)) == time)
  }
  if let moment = try? Moment(parsing: text) {
    precondition((try? Moment(parsing: moment.description)) == moment)
  }
  if let gain = try? Gain(parsing: text) { precondition(gain.factor >= 0 && gain.factor.isFinite) }
  if let rate = try? Quantity.sampleRate(text) { precondition(Quantity.sampleRates ~= rate) }
  if let rate = try? Quantity.bitRate(text) { precondition(rate > 0) }
  if let speed = try? Quantity.speed(text) { _ = speed.isUnity }
  _ = try? Quantity.pan(text)
  _ = try? Quantity.loop(text)
  _ = try? Quantity.frequency(text)
  for parameter in Effect.Compressor.parameters {
    if let value = try? Quantity.setting(text, of: parameter) {
      precondition(parameter.range.contains(value))
    }
  }
  if let filter = try? FilterDescription(parsing: text) {
    precondition(filter.filters.allSatisfy { FilterTable.allowed.contains($0.name) })
    precondition((try? FilterDescription(parsing: filter.text)) == filter)
  }
  _ = try? Quantity.itemChannels(text)
  var suspicion: ClipText.MalformedRange?
  let clip = ClipText(text, suspicion: &suspicion)
  precondition(clip.pathRange.upperBound <= text.unicodeScalars.count)
  if let template = try? Template.parse(text) {
    let part = Part(number: 1, count: 2, title: text)
    _ = try? PartTemplate.text(text, for: part)
    if let path = try? PartTemplate.path(FilePath(text), for: part) {
      precondition(!path.isEmpty || FilePath(text).isEmpty)
    }
    precondition(!template.pieces.isEmpty)
  }
}
