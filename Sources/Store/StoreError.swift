import CSQLite
import Glibc

/// What SQLite or the operating system said when something failed.
public struct StoreFault: Equatable, Sendable {
  /// The file that was worked on.
  public var path: String
  /// What was being done: `committing a turn`.
  public var action: String
  /// SQLite's extended result code; 0 when the system call was our own.
  public var code: Int32
  /// The operating system's error number, 0 if there was none.
  public var systemCode: Int32
  /// The sentence that SQLite or the system has for it.
  public var message: String

  /// A fault.
  public init(path: String, action: String, code: Int32, systemCode: Int32, message: String) {
    self.path = path
    self.action = action
    self.code = code
    self.systemCode = systemCode
    self.message = message
  }
}

/// Why the store could not do what it was asked. After any of them the store holds what it held before.
public enum StoreError: Error, Equatable, Sendable {
  /// No space is left, or a quota is used up. It works again when there is space.
  case diskFull(StoreFault)
  /// The file or its file system cannot be written.
  case readOnly(StoreFault)
  /// The file is damaged: SQLite says so, or a checksum of ours does.
  case corrupt(StoreFault)
  /// Someone else holds SQLite's lock: a shell, a copy program.
  case busy(StoreFault)
  /// We lack the right to read or write.
  case permission(StoreFault)
  /// Anything else, input and output errors above all.
  case failed(StoreFault)
  /// Another daemon runs on this state directory. Its process id, if it could be read.
  case inUse(path: String, process: Int32?)
  /// A newer LiveCue wrote the file.
  case newerSchema(path: String, found: Int64, known: Int64)
  /// An older LiveCue wrote the file, and it is open for reading only, so it cannot be migrated.
  case olderSchema(path: String, found: Int64, known: Int64)
  /// The file is a database of something else.
  case notAStore(path: String)
  /// A backup lies beside the write-ahead log of the file whose place it took. SQLite would write that into
  /// it.
  case foreignLog(path: String)
  /// The target of a backup exists already.
  case exists(path: String)
  /// The row after `after` has been cut; the journal starts at `first`.
  case journalCut(after: Int64, first: Int64)
}

extension StoreError: CustomStringConvertible {
  /// One sentence for the operator.
  public var description: String {
    switch self {
    case .diskFull(let fault): fault.sentence("the disk is full")
    case .readOnly(let fault): fault.sentence("the file cannot be written")
    case .corrupt(let fault): fault.sentence("the file is damaged")
    case .busy(let fault): fault.sentence("another program holds the file's lock")
    case .permission(let fault): fault.sentence("permission is missing")
    case .failed(let fault): fault.sentence("it failed")
    case .inUse(let path, let process):
      "\(path): another LiveCue runs on it" + (process.map { " (process \($0))" } ?? "")
    case .newerSchema(let path, let found, let known):
      "\(path): written by a newer LiveCue (schema \(found), this one knows \(known))"
    case .olderSchema(let path, let found, let known):
      "\(path): written by an older LiveCue (schema \(found), expected \(known)); `livecue run` migrates it"
    case .notAStore(let path): "\(path): not a LiveCue store"
    case .foreignLog(let path):
      "\(path)-wal: belongs to the file that was here before; move it and \(path)-shm away, and start again"
    case .exists(let path): "\(path): exists already, and is not overwritten"
    case .journalCut(let after, let first):
      "the journal rows after \(after) have been cut; it starts at row \(first)"
    }
  }
}

extension StoreFault {
  fileprivate func sentence(_ what: String) -> String {
    let number = code != 0 ? "SQLite \(code)" : "errno \(systemCode)"
    return "\(path): \(what) while \(action): \(message) (\(number))"
  }
}

extension StoreError {
  /// The error of a system call that just failed.
  static func system(_ number: Int32, path: String, action: String) -> StoreError {
    let message = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown error"
    let fault = StoreFault(path: path, action: action, code: 0, systemCode: number, message: message)
    return bySystemCode(fault) ?? .failed(fault)
  }

  /// The error of a result code of SQLite.
  static func sqlite(_ fault: StoreFault) -> StoreError {
    switch fault.code & 0xff {
    case SQLITE_FULL: return .diskFull(fault)
    case SQLITE_READONLY: return .readOnly(fault)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(fault)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(fault)
    case SQLITE_PERM, SQLITE_AUTH: return .permission(fault)
    // These two say only that the system refused; its own number says why.
    case SQLITE_CANTOPEN, SQLITE_IOERR: return bySystemCode(fault) ?? .failed(fault)
    default: return .failed(fault)
    }
  }

  /// Damage that a check of ours found.
  static func damage(_ message: String, path: String, action: String) -> StoreError {
    .corrupt(StoreFault(path: path, action: action, code: SQLITE_CORRUPT, systemCode: 0, message: message))
  }

  private static func bySystemCode(_ fault: StoreFault) -> StoreError? {
    switch fault.systemCode {
    case ENOSPC, EDQUOT: .diskFull(fault)
    case EROFS: .readOnly(fault)
    case EACCES, EPERM: .permission(fault)
    default: nil
    }
  }
}
