internal import CFuzzer
import Glibc

/// Hands the process over to libFuzzer, with the command line that it was started with.
///
/// - Parameter test: Is called with bytes that libFuzzer invents, which it borrows; gives 0, or -1
///   for bytes that are not worth keeping. What fails a precondition is a finding.
public func fuzz(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  exit(LLVMFuzzerRunDriver(&count, &arguments, test))
}
