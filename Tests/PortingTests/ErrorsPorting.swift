import Diagnosis
import ExportEngine
import Foundation
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

/// AVError's and NSError's code, as it is written here.
@Suite struct ErrorsPorting {
  private func failure(of body: () async throws -> Void) async throws -> Failure {
    do {
      try await body()
    } catch let failure as Failure {
      return failure
    }
    throw ToolFailure(description: "nothing was refused")
  }

  @Test("localizedDescription, failureReason and recoverySuggestion are Foundation's")
  func localized() async throws {
    let path = FilePath("/no/such/file.wav")
    let found = try await failure { _ = try await MediaLibrary().loadAsset(at: path) }
    let error: any Error = found
    #expect(error.localizedDescription == "/no/such/file.wav: does not exist")
    #expect((error as? any LocalizedError)?.failureReason == "does not exist")
    #expect(found.recoverySuggestion?.isEmpty == false)

    let refused = Failure(.mendJob, "no outputs; give it one or more")
    #expect(refused.localizedDescription == "no outputs; give it one or more")
    #expect(refused.failureReason == "no outputs")
    #expect(refused.recoverySuggestion == "give it one or more")

    let edit: any Error = EditError.invalidTime(.invalid)
    #expect(edit.localizedDescription == "\(edit)")
    let address = #expect(throws: MediaURLError.self) { try MediaURL("ftp://a/b") }
    #expect(address?.localizedDescription.contains("https://") == true)
  }

  @Test("a program reacts to codes, which stay the same")
  func codes() async throws {
    let folder = TestFolder()
    try writeFile(folder.path("empty.wav"), [])
    try writeFile(folder.path("text.wav"), Array("this is no sound".utf8))
    let library = MediaLibrary()
    for (name, code) in [
      ("none.wav", Failure.Code.mediaNotFound), ("empty.wav", .mediaEmpty),
      ("text.wav", .mediaUnsupported),
    ] {
      let found = try await failure {
        _ = try await library.loadAsset(at: FilePath(folder.path(name)))
      }
      #expect(found.code == code)
    }
    let asset = try await library.loadAsset(at: FilePath(Fixture.path("voice-8k.wav")))
    try writeFile(folder.path("there.wav"), [1])
    let there = try ExportSession(
      asset, to: FilePath(folder.path("there.wav")), library: library)
    let exists = try await failure { try await there.export(replacing: .none) }
    #expect(exists.code == .outputExists)
    #expect(try readFile(folder.path("there.wav")) == [1])
    #expect(try await Self.isRefused(there))
    let itself = try ExportSession(
      asset, to: FilePath(Fixture.path("voice-8k.wav")), library: library)
    let conflict = try await failure { try await itself.export() }
    #expect(conflict.code == .outputConflict)
    let nowhere = try ExportSession(
      asset, to: FilePath("/proc/there/is/no/a.wav"), library: library)
    let nameless = try await failure { try await nowhere.export() }
    #expect(nameless.location != nil)
    #expect(Failure.Code(rawValue: "output.exists") == .outputExists)
    #expect("\(Failure.Code.cancelled)" == "cancelled")
  }

  /// A code is a pattern of a `catch` clause.
  private static func isRefused(_ session: ExportSession) async throws -> Bool {
    do {
      try await session.export(replacing: .none)
    } catch Failure.Code.outputExists {
      return true
    }
    return false
  }

  @Test("a failure without a code of its own has that of its remedy, and keeps one on its way")
  func coding() throws {
    for remedy in Failure.Remedy.allCases {
      let plain = Failure(remedy, "no", path: "a.wav")
      #expect(try decoded(plain) == plain && !plain.code.rawValue.isEmpty)
      let coded = Failure(remedy, "no", code: .diskFull)
      #expect(try decoded(coded).code == .diskFull)
    }
    #expect(Set(Failure.Remedy.allCases.map { Failure($0, "").code }).count == 5)
  }

  private func decoded(_ failure: Failure) throws -> Failure {
    try JSONDecoder().decode(Failure.self, from: JSONEncoder().encode(failure))
  }
}
