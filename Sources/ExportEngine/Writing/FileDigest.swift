import Diagnosis
import LibAV
import MediaComposition
import SystemPackage
import Threads

/// The SHA-256 of a whole file.
///
/// - Parameters:
///   - path: The file.
///   - named: Its name in messages.
///   - cancellation: Polled while the file is read.
/// - Returns: 32 bytes.
/// - Throws: The system's error, or `CancellationError`.
/// - Complexity: O(size); some 0.3 s for 100 MB.
func fileDigest(
  _ path: FilePath, named: FilePath, unless cancellation: CancellationFlag
) throws -> [UInt8] {
  do {
    let digest = try SHA256.digest(of: try FileBytes(path)) { cancellation.isCancelled }
    guard let digest else { throw CancellationError() }
    return digest
  } catch let error as Errno {
    throw Failure.writing(error.rawValue, "cannot read the file", path: named)
  } catch let error as LibAVError {
    throw error.machineFailure.about(named)
  }
}

/// The digest of a source's bytes, all of which are fetched where it lies on a server, once for
/// each version.
func mediumDigest(
  _ location: MediaLocation, unless cancellation: CancellationFlag
) throws -> [UInt8] {
  switch location {
  case .file(let path): return try fileDigest(path, named: path, unless: cancellation)
  case .remote(let url):
    let digest = try MediaNetwork.medium(at: url).digest { cancellation.isCancelled }
    guard let digest else { throw CancellationError() }
    return digest
  case .source(let source):
    let bytes = try MediaNetwork.bytes(of: source)
    let digest = try SHA256.digest(of: bytes) { cancellation.isCancelled }
    guard let digest else { throw CancellationError() }
    return digest
  }
}
