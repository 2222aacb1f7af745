internal import CSystemd

/// A message of sd-bus, lent to a callback or held by its maker. One thread at a time.
struct DBusMessage {
  let library: SystemdLibrary
  /// `sd_bus_message`
  let pointer: OpaquePointer

  /// The most elements of a list that are read. Callers may send some millions.
  static let mostElements = 1000

  /// The gate of all calls: a negative errno becomes an error.
  private func check(_ code: Int32, _ action: String) throws(DBusError) {
    guard code >= 0 else { throw DBusError(code: code, action) }
  }

  // MARK: Writing

  /// Appends a value (sd_bus_message_append_basic(3)).
  ///
  /// - Throws: A path that is none; no memory.
  func append(_ value: DBusValue) throws(DBusError) {
    switch value {
    case .boolean(let value): try append("b", Int32(value ? 1 : 0))
    case .int32(let value): try append("i", value)
    case .int64(let value): try append("x", value)
    case .double(let value): try append("d", value)
    case .string(let text): try append("s", text: text.fitForDBus)
    case .objectPath(let path): try append("o", text: path)
    case .array(let element, let values):
      try within("a", element) { () throws(DBusError) in
        for value in values { try append(value) }
      }
    case .dictionary(let entries):
      try within("a", "{sv}") { () throws(DBusError) in
        for entry in entries { try append(entry) }
      }
    }
  }

  private func append(_ entry: DBusValue.Entry) throws(DBusError) {
    try within("e", "sv") { () throws(DBusError) in
      try append(.string(entry.key))
      try within("v", entry.value.signature) { () throws(DBusError) in try append(entry.value) }
    }
  }

  private func append<Value: BitwiseCopyable>(
    _ type: Unicode.Scalar, _ value: Value
  ) throws(DBusError) {
    let code = withUnsafePointer(to: value) {
      library.functions.message_append_basic(pointer, CChar(type), $0)
    }
    try check(code, "a message cannot be written")
  }

  private func append(_ type: Unicode.Scalar, text: String) throws(DBusError) {
    let code = text.withCString {
      library.functions.message_append_basic(pointer, CChar(type), $0)
    }
    try check(code, "a message cannot be written")
  }

  private func within(
    _ type: Unicode.Scalar, _ contents: String, _ body: () throws(DBusError) -> Void
  ) throws(DBusError) {
    let code = contents.withCString {
      library.functions.message_open_container(pointer, CChar(type), $0)
    }
    try check(code, "a message cannot be written")
    try body()
    try check(
      library.functions.message_close_container(pointer), "a message cannot be written")
  }

  // MARK: Reading

  /// The values from the place of reading to the end of the message or the container.
  ///
  /// - Throws: `LimitsExceeded` for a list of more than `mostElements`; `InvalidArgs` for types that
  ///   avjob has no use for, and for damaged messages.
  /// - Complexity: O(n) in the elements, up to the limit
  func values() throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    while let (type, contents) = try nextType() {
      guard values.count < Self.mostElements else { throw Self.tooLong }
      values.append(try type == "a" ? list(of: contents) : basic(type))
    }
    return values
  }

  private static var tooLong: DBusError {
    .limitsExceeded("a list has more than \(mostElements) elements")
  }

  private func list(of element: String) throws(DBusError) -> DBusValue {
    let code = element.withCString {
      library.functions.message_enter_container(pointer, CChar("a"), $0)
    }
    try check(code, "a message cannot be read")
    var values: [DBusValue] = []
    while let (type, _) = try nextType() {
      guard values.count < Self.mostElements else { throw Self.tooLong }
      values.append(try basic(type))
    }
    try check(library.functions.message_exit_container(pointer), "a message cannot be read")
    return .array(of: element, values)
  }

  /// Nil at the end.
  private func nextType() throws(DBusError) -> (type: Unicode.Scalar, contents: String)? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    let code = library.functions.message_peek_type(pointer, &type, &contents)
    try check(code, "a message cannot be read")
    guard code > 0 else { return nil }
    return (Unicode.Scalar(UInt8(bitPattern: type)), contents.map { String(cString: $0) } ?? "")
  }

  private func basic(_ type: Unicode.Scalar) throws(DBusError) -> DBusValue {
    switch type {
    case "b": return .boolean(try read(type, Int32(0)) != 0)
    case "i": return .int32(try read(type, Int32(0)))
    case "x": return .int64(try read(type, Int64(0)))
    case "d": return .double(try read(type, 0.0))
    case "s": return .string(try text(type))
    case "o": return .objectPath(try text(type))
    default: throw .invalidArguments("type '\(type)' is not read here")
    }
  }

  private func read<Value: BitwiseCopyable>(
    _ type: Unicode.Scalar, _ zero: Value
  ) throws(DBusError) -> Value {
    var value = zero
    let code = withUnsafeMutablePointer(to: &value) {
      library.functions.message_read_basic(pointer, CChar(type), $0)
    }
    try check(code, "a message cannot be read")
    return value
  }

  private func text(_ type: Unicode.Scalar) throws(DBusError) -> String {
    // The message keeps the bytes, and sd-bus has checked that they are UTF-8.
    let bytes = try read(type, UnsafePointer<CChar>?.none)
    return bytes.map { String(cString: $0) } ?? ""
  }
}

extension CChar {
  /// The letter of a type.
  fileprivate init(_ type: Unicode.Scalar) { self.init(truncatingIfNeeded: type.value) }
}
