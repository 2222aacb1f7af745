import Diagnosis
import FoundationEssentials
import MediaComposition

// Foundation's view of errors. The conformances are here, since this module needs FoundationEssentials
// as it is: programs that link `MediaTime` or `Diagnosis` alone link no Foundation.

extension Failure: LocalizedError {
  /// The text to show, which Foundation's `localizedDescription` is, too: as `description`.
  public var errorDescription: String? { description }

  /// The fault, without the file and the remedy.
  public var failureReason: String? { sentence.fault }

  /// What to do about it: what the message says of that, else the user's reaction in general.
  public var recoverySuggestion: String? {
    if let advice = sentence.advice { return advice }
    return switch remedy {
    case .mendJob: "correct the composition, the export or the job"
    case .mendInput: "use another file, or encode it again"
    case .mendMachine: "mend the machine or its settings"
    case .tryAgain: "try again"
    case .reportBug: "report this as a bug of avjob"
    }
  }

  /// Messages are the fault, a semicolon, and the remedy.
  private var sentence: (fault: String, advice: String?) {
    guard let place = message.firstRange(of: "; ") else { return (message, nil) }
    return (
      String(message[..<place.lowerBound]), String(message[place.upperBound...])
    )
  }
}

extension FilterRefusal: LocalizedError {
  /// The text to show: the fault, and what to write instead.
  public var errorDescription: String? { "\(message); \(help)" }
  /// The fault.
  public var failureReason: String? { message }
  /// What to write instead.
  public var recoverySuggestion: String? { help }
}

extension MediaURLError: LocalizedError {
  /// The text to show: the fault, and what to write instead.
  public var errorDescription: String? { "\(fault); \(remedy)" }
  /// The fault.
  public var failureReason: String? { fault }
  /// What to write instead.
  public var recoverySuggestion: String? { remedy }
}

extension EditError: LocalizedError {
  /// The text to show, which Foundation's `localizedDescription` is, too: as `description`.
  public var errorDescription: String? { description }
}
