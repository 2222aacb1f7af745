import Glibc

internal import CCurl
internal import Threads

/// libcurl, loaded once at the first request.
//
// `@unchecked Sendable`: the table is written before the object exists, and never after. Its
// functions may be called from any thread, those of one handle by one thread at a time
// (libcurl-thread(3)).
final class CurlLibrary: @unchecked Sendable {
  private let table: UnsafeMutablePointer<avjob_curl>

  /// The version of all distributions since 2006.
  static let name = "libcurl.so.4"

  private static let shared = CurlLibrary(name: name)

  /// The library.
  ///
  /// - Throws: `HTTPError.libraryMissing` where it cannot be loaded.
  static func loaded() throws(HTTPError) -> CurlLibrary {
    guard let shared else { throw .libraryMissing }
    return shared
  }

  /// The library of a name; nil if it cannot be loaded or lacks a function.
  init?(name: String) {
    table = .allocate(capacity: 1)
    table.initialize(to: avjob_curl())
    // `deinit` runs after a failure, too.
    guard avjob_load_curl(name, table) != 0 else { return nil }
  }

  deinit { table.deallocate() }

  /// The functions of the library.
  var functions: avjob_curl { table.pointee }

  /// The functions of the library, for the shims.
  var functionTable: UnsafePointer<avjob_curl> { UnsafePointer(table) }

  /// The text of an error (curl_easy_strerror(3)).
  func text(of code: CURLcode) -> String {
    functions.easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }

  /// Seconds since 1970 of an HTTP-date (RFC 9110, 5.6.7); nil for another text (curl_getdate(3)).
  func secondsSince1970(_ date: String) -> Int? {
    let seconds = functions.getdate(date, nil)
    return seconds < 0 ? nil : Int(seconds)
  }
}

/// An easy handle with its connections (libcurl-easy(3)).
//
// `@unchecked Sendable`: used by one thread at a time; `OriginPool` hands it over behind a lock.
final class CurlHandle: @unchecked Sendable {
  let library: CurlLibrary
  private let handle: UnsafeMutableRawPointer

  /// A handle without connections.
  ///
  /// - Throws: `HTTPError.libraryMissing`, or `other` where there is no memory.
  init() throws(HTTPError) {
    library = try CurlLibrary.loaded()
    guard let handle = library.functions.easy_init() else { throw .other("out of memory") }
    self.handle = handle
  }

  deinit { withoutPipeSignal { library.functions.easy_cleanup(handle) } }

  /// Forgets all options, and keeps the connections (curl_easy_reset(3)).
  func reset() { library.functions.easy_reset(handle) }

  /// Sends the request and receives the answer (curl_easy_perform(3)).
  func perform() -> CURLcode {
    // OpenSSL's writes may raise SIGPIPE. With CURLOPT_NOSIGNAL, curl does not block it.
    withoutPipeSignal { library.functions.easy_perform(handle) }
  }

  /// The status of the answer (CURLINFO_RESPONSE_CODE).
  var status: Int { number(CURLINFO_RESPONSE_CODE) }

  /// The head of the answer, once all of it has come.
  ///
  /// - Throws: `HTTPError.malformedHead`
  func head() throws(HTTPError) -> HTTPHead {
    try HTTPHead(
      status: status, isFramed: number(CURLINFO_HTTP_VERSION) >= 3,  // CURL_HTTP_VERSION_2_0
      values: values(ofField:), date: library.secondsSince1970)
  }

  /// The values of a field's lines (curl_easy_header(3)).
  private func values(ofField name: String) -> [[UInt8]] {
    var values: [[UInt8]] = []
    while let value = avjob_curl_header(library.functionTable, handle, name, values.count) {
      values.append(Array(UnsafeRawBufferPointer(start: value, count: strlen(value))))
    }
    return values
  }

  private func number(_ info: CURLINFO) -> Int {
    avjob_curl_number(library.functionTable, handle, info)
  }

  /// The file of authorities that the library was built with; nil without one (CURLINFO_CAINFO).
  var authorityFile: String? {
    avjob_curl_text(library.functionTable, handle, CURLINFO_CAINFO).map { String(cString: $0) }
  }

  /// The errno of the last connection that failed, to the server or its proxy (CURLINFO_OS_ERRNO).
  var systemError: Int32 { Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)) }

  /// The status of the proxy's answer to CONNECT; 0 without one (CURLINFO_HTTP_CONNECTCODE).
  var tunnelStatus: Int { number(CURLINFO_HTTP_CONNECTCODE) }

  /// Why a SOCKS proxy failed (CURLINFO_PROXY_ERROR).
  var proxyError: CURLproxycode {
    CURLproxycode(rawValue: UInt32(truncatingIfNeeded: number(CURLINFO_PROXY_ERROR)))
  }

  /// The gate of all options: the policy relies on some of them, so a request without one of them
  /// is not sent.
  private func accept(_ code: CURLcode) throws(HTTPError) {
    guard code == CURLE_OK else { throw .option(library.text(of: code)) }
  }

  /// Sets an option that is a number.
  ///
  /// - Throws: `HTTPError.option` if the library refuses it, as all of these functions do.
  func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    try accept(avjob_curl_set_number(library.functionTable, handle, option, value))
  }

  /// Sets an option that only makes requests faster; a library may lack it.
  func setIfKnown(_ option: CURLoption, _ value: Int) {
    _ = avjob_curl_set_number(library.functionTable, handle, option, value)
  }

  /// Sets an option that is a text, which curl copies.
  func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
    try accept(avjob_curl_set_text(library.functionTable, handle, option, value))
  }

  /// Sets an option that is a pointer, which must live until the request ends.
  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(HTTPError) {
    try accept(avjob_curl_set_pointer(library.functionTable, handle, option, pointer))
  }

  /// Sets a function that takes data (CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION).
  func set(_ option: CURLoption, _ function: avjob_curl_data) throws(HTTPError) {
    try accept(avjob_curl_set_data(library.functionTable, handle, option, function))
  }

  /// Sets a function that is called while a request runs (CURLOPT_XFERINFOFUNCTION).
  func set(_ option: CURLoption, _ function: avjob_curl_progress) throws(HTTPError) {
    try accept(avjob_curl_set_progress(library.functionTable, handle, option, function))
  }

  /// Sets a function that opens sockets (CURLOPT_OPENSOCKETFUNCTION).
  func set(_ option: CURLoption, _ function: avjob_curl_open) throws(HTTPError) {
    try accept(avjob_curl_set_open(library.functionTable, handle, option, function))
  }
}

/// A list of texts (curl_slist_append(3)).
final class CurlList {
  private let library: CurlLibrary
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  /// A list of `texts`, which curl copies.
  ///
  /// - Throws: `HTTPError.other` where there is no memory.
  init(_ texts: [String], library: CurlLibrary) throws(HTTPError) {
    self.library = library
    for text in texts {
      guard let longer = library.functions.slist_append(first, text) else {
        throw .other("out of memory")
      }
      first = longer
    }
  }

  deinit { library.functions.slist_free_all(first) }
}
