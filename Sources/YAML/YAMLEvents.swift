internal import CYAML

/// A place in a text: line and column from 1, the column in Unicode scalars.
struct YAMLMark {
  var line: Int
  var column: Int
  /// Unicode scalars from the start of the text.
  var index = 0
}

extension YAMLMark {
  fileprivate init(_ mark: yaml_mark_t) {
    line = Int(clamping: mark.line) + 1
    column = Int(clamping: mark.column) + 1
    index = Int(clamping: mark.index)
  }
}

/// One step of libyaml's walk through a document (`yaml_event_t`).
struct YAMLEvent {
  enum Kind {
    case scalar(String, ScalarStyle)
    case sequenceStart(isFlow: Bool)
    case mappingStart(isFlow: Bool)
    /// The end of a sequence or of a mapping.
    case end
    case documentStart
    case streamEnd
    /// What says nothing that a node does not say: the start of the stream, the end of a document,
    /// and aliases, which `YAMLDisguise` hides.
    case other
  }

  enum ScalarStyle {
    case plain, singleQuoted, doubleQuoted, block

    /// Characters before the text, and behind it.
    var quoteLength: Int { self == .singleQuoted || self == .doubleQuoted ? 1 : 0 }
  }

  var kind: Kind
  /// Where it begins, with its anchor and its tag.
  var start: YAMLMark
  var end: YAMLMark
  /// Whether an anchor or a tag stands before it.
  var hasProperties = false

  /// Whether nothing is written where a value belongs.
  var isEmpty: Bool {
    if case .scalar("", .plain) = kind { !hasProperties } else { false }
  }

  /// How many more levels are open behind it.
  var levelChange: Int {
    switch kind {
    case .sequenceStart, .mappingStart: 1
    case .end: -1
    default: 0
    }
  }
}

/// The events of one text. libyaml keeps no more of it than the tokens of a key's length.
final class YAMLEvents {
  /// libyaml's parser holds its own address, so it must not move.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  /// - Parameter text: UTF-8, copied.
  init(_ text: String) {
    var text = text
    bytes = text.withUTF8 { utf8 in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: utf8.count)
      _ = copy.initialize(from: utf8)
      return copy
    }
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    // It fails where no memory is left, and every event then fails too.
    yaml_parser_initialize(parser)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    bytes.deallocate()
  }

  /// The next event (`yaml_parser_parse`).
  ///
  /// - Throws: libyaml's error; there is no event behind it.
  func next() throws(YAMLProblem) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
    defer { yaml_event_delete(&event) }
    var result = YAMLEvent(
      kind: .other, start: YAMLMark(event.start_mark), end: YAMLMark(event.end_mark))
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let style: YAMLEvent.ScalarStyle =
        switch scalar.style {
        case YAML_PLAIN_SCALAR_STYLE: .plain
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        default: .doubleQuoted
        }
      result.kind = .scalar(String(decoding: text, as: UTF8.self), style)
      result.hasProperties = scalar.anchor != nil || scalar.tag != nil
    case YAML_SEQUENCE_START_EVENT:
      let sequence = event.data.sequence_start
      result.kind = .sequenceStart(isFlow: sequence.style == YAML_FLOW_SEQUENCE_STYLE)
      result.hasProperties = sequence.anchor != nil || sequence.tag != nil
    case YAML_MAPPING_START_EVENT:
      let mapping = event.data.mapping_start
      result.kind = .mappingStart(isFlow: mapping.style == YAML_FLOW_MAPPING_STYLE)
      result.hasProperties = mapping.anchor != nil || mapping.tag != nil
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: result.kind = .end
    case YAML_DOCUMENT_START_EVENT: result.kind = .documentStart
    case YAML_STREAM_END_EVENT: result.kind = .streamEnd
    default: break
    }
    return result
  }

  private var problem: YAMLProblem {
    let context = parser.pointee.context.map { text in
      (text: String(cString: text), mark: YAMLMark(parser.pointee.context_mark))
    }
    return YAMLProblem(
      text: parser.pointee.problem.map { String(cString: $0) } ?? "no memory is left",
      mark: YAMLMark(parser.pointee.problem_mark), context: context)
  }
}

/// An error of libyaml's scanner or parser.
struct YAMLProblem: Error {
  /// What is wrong, in libyaml's words.
  var text: String
  var mark: YAMLMark
  /// What was being read, and where that began.
  var context: (text: String, mark: YAMLMark)?
}
