import Diagnosis
import JobModel

/// What is to be done with settled jobs.
package enum RunPurpose: Sendable {
  /// To count them: nothing is kept of them.
  case check
  /// To print or make what they say.
  case run
  /// To hear them. Nothing is written: each job stands for itself, and reads what is there now of
  /// what another one would write.
  case preview
}

/// What the user wants of a run, beside its jobs.
package struct RunRules {
  /// What is to be done with the jobs that are ready.
  package var purpose: RunPurpose
  /// Names and groups of the jobs to do; nil: all.
  package var only: [Located<String>]?
  /// Whether a job that is found to be wrong leaves the others alone, whatever is wrong with it.
  package var keepsGoing: Bool
  /// How often a temporary failure of a job that does not say otherwise has another attempt.
  package var retries: Int
  /// The share of the work to do; nil: all.
  package var shard: Shard?
  /// Among how many machines the work is dealt out, where all of it is to be seen; nil: it is not.
  package var shards: Int?
  /// How long all attempts at a job may take together, whatever it says; nil: as long as it says.
  package var timeLimit: Duration?
  /// How many bytes the outputs may take together, as far as that is known before; nil: any number.
  package var outputLimit: Int?
  /// What the jobs may take of memory together.
  package var segments = SegmentBudget()
  /// How many more files the process may open.
  package var openFiles = Int.max

  /// Rules for all jobs, but for what is given.
  package init(
    _ purpose: RunPurpose = .run, only: [Located<String>]? = nil, keepsGoing: Bool = false,
    retries: Int = 2, shard: Shard? = nil, timeLimit: Duration? = nil,
    outputLimit: Int? = nil
  ) {
    self.purpose = purpose
    self.only = only
    self.keepsGoing = keepsGoing
    self.retries = retries
    self.shard = shard
    self.timeLimit = timeLimit
    self.outputLimit = outputLimit
  }
}

/// A job that was refused before anything ran.
package struct Refusal: Sendable {
  /// The job.
  package var name: String
  /// Where the job was written.
  package var origin: Origin
  /// Where it stands among all work of the job files.
  package var order: WorkOrder
  /// What is reported of it.
  package var messages: [Diagnostic]
  /// The job that it needs and that cannot run, where nothing else is wrong with it.
  package var blockedBy: String?

  /// A refusal of the job called `name`.
  package init(
    name: String, origin: Origin, order: WorkOrder = WorkOrder(), messages: [Diagnostic],
    blockedBy: String? = nil
  ) {
    self.name = name
    self.origin = origin
    self.order = order
    self.messages = messages
    self.blockedBy = blockedBy
  }
}
