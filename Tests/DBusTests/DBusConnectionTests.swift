import Synchronization
import TestSupport
import Testing
import Threads

@testable import DBus

@Suite("DBusConnection") struct DBusConnectionTests {
  @Test("a program's object answers calls of each type of argument")
  func calls() throws {
    let bus = try SessionBus()
    let server = try EchoServer(on: bus.address)
    defer { server.stop() }
    let answer = try bus.busctl(
      "call", "--", "org.example.Echo", "/echo", "org.example.Echo", "Echo", "bixdsoas", "true",
      "-7",
      "12345678901", "0.5", "Grüße", "/a/b", "2", "x", "y")
    #expect(answer.errors == "")
    // busctl prints bytes outside of ASCII in octal.
    let text = #""Gr\303\274\303\237e""#
    #expect(answer.text == "bixdsoas true -7 12345678901 0.5 \(text) \"/a/b\" 2 \"x\" \"y\"\n")
  }

  @Test("properties are read, written and introspected, and a wrong type is refused")
  func properties() throws {
    let bus = try SessionBus()
    let server = try EchoServer(on: bus.address)
    defer { server.stop() }
    let place = ["org.example.Echo", "/echo", "org.example.Echo"]
    #expect(try bus.busctl(["get-property"] + place + ["Level"]).text == "d 1\n")
    #expect(try bus.busctl(["set-property"] + place + ["Level", "d", "0.25"]).status == 0)
    #expect(try bus.busctl(["get-property"] + place + ["Level"]).text == "d 0.25\n")
    #expect(try bus.busctl(["set-property"] + place + ["Level", "s", "a"]).status != 0)
    let fixed = try bus.busctl(["set-property"] + place + ["Fixed", "s", "a"])
    #expect(fixed.errors.contains("not writable"))
    let introspection = try bus.busctl(
      "call", "org.example.Echo", "/echo", "org.freedesktop.DBus.Introspectable", "Introspect"
    ).text
    for part in [
      #"<property name=\"Fixed\" type=\"s\" access=\"read\">"#,
      #"<property name=\"Level\" type=\"d\" access=\"readwrite\">"#,
      #"EmitsChangedSignal\" value=\"const\""#,
      #"<arg type=\"b\" name=\"Flag\" direction=\"in\"/>"#,
      #"<signal name=\"Heard\">"#,
    ] {
      #expect(introspection.contains(part))
    }
  }

  @Test("an error of an object reaches its caller by name and text")
  func errors() throws {
    let bus = try SessionBus()
    let server = try EchoServer(on: bus.address)
    defer { server.stop() }
    let place = ["org.example.Echo", "/echo", "org.example.Echo"]
    #expect(try bus.busctl(["call"] + place + ["Fail"]).errors.contains("no, not now"))
    let words = (0...1000).map { "\($0)" }
    let long = try bus.busctl(["call"] + place + ["List", "as", "\(words.count)"] + words)
    #expect(long.errors.contains("more than 1000 elements"))
  }

  @Test("a name that another program has is not taken")
  func names() throws {
    let bus = try SessionBus()
    let first = try DBusConnection.open(at: bus.address)
    let second = try DBusConnection.open(at: bus.address)
    #expect(try first.requestName("org.example.Name"))
    #expect(try !second.requestName("org.example.Name"))
    #expect(try second.requestName("org.example.Other"))
    #expect(throws: DBusError.self) { try second.requestName("no name") }
  }

  @Test("without a bus, or without libsystemd, there is an error and no crash")
  func missing() {
    #expect(throws: DBusError.self) {
      try DBusConnection.open(at: "unix:path=/nowhere/at/all").requestName("org.example.Name")
    }
    #expect(throws: DBusError.self) { try DBusConnection.open(at: "nonsense") }
    #expect(SystemdLibrary(name: "libnowhere.so.0") == nil)
    // A library without these functions.
    #expect(SystemdLibrary(name: "libm.so.6") == nil)
  }

  @Test("the end of the bus is an error")
  func lost() throws {
    let bus = try SessionBus()
    let connection = try DBusConnection.open(at: bus.address)
    #expect(try connection.requestName("org.example.Name"))
    let wakeUp = try WakeUp()
    bus.stop()
    #expect(throws: DBusError.self) {
      while true {
        if try !connection.process() { try connection.wait(orReadable: wakeUp.descriptor) }
      }
    }
  }
}

/// An object that gives back what it is given, on a thread of its own.
private final class EchoServer: Sendable {
  private let wakeUp: WakeUp
  private let isEnded = CancellationFlag()
  private let thread = Mutex<Thread?>(nil)

  init(on address: String) throws {
    wakeUp = try WakeUp()
    let (wakeUp, isEnded) = (wakeUp, isEnded)
    let ready = CancellationFlag()
    let thread = try Thread.spawn(name: "echo") {
      guard let connection = try? DBusConnection.open(at: address) else { return }
      let types = ["b", "i", "x", "d", "s", "o", "as"]
      let names = ["Flag", "Small", "Large", "Real", "Text", "Path", "List"]
      let parameters = zip(names, types).map { DBusInterface.Parameter($0, $1) }
      let interface = DBusInterface(
        "org.example.Echo",
        methods: [
          .init("Echo", parameters, results: parameters), .init("Fail"),
          .init("List", [.init("List", "as")]),
        ],
        signals: [.init("Heard", [.init("Text", "s")])],
        properties: [.init("Level", "d", isWritable: true), .init("Fixed", "s", .constant)])
      try? connection.export(Echo(), at: "/echo", [interface])
      guard (try? connection.requestName("org.example.Echo")) == true else { return }
      ready.cancel()
      while !isEnded.isCancelled {
        guard let isBusy = try? connection.process() else { return }
        if !isBusy { try? connection.wait(orReadable: wakeUp.descriptor) }
      }
    }
    self.thread.withLock { $0 = thread }
    try wait(until: "the object is there") { ready.isCancelled }
  }

  func stop() {
    isEnded.cancel()
    wakeUp.signal()
    thread.withLock { $0 }?.join()
  }
}

private final class Echo: DBusObject {
  private var level = 1.0

  func call(
    _ method: String, of interface: String, _ arguments: [DBusValue]
  ) throws(DBusError) -> [DBusValue] {
    guard method != "Fail" else { throw .failed("no, not now") }
    return method == "Echo" ? arguments : []
  }

  func property(_ name: String, of interface: String) throws(DBusError) -> DBusValue {
    name == "Level" ? .double(level) : .string("fixed")
  }

  func setProperty(
    _ name: String, of interface: String, to value: DBusValue
  ) throws(DBusError) {
    guard case .double(let value) = value else { throw .invalidArguments("no number") }
    level = value
  }
}
