import Glibc

/// How many files and sockets the process may have open at a time.
public enum OpenFiles {
  /// Raises the limit to what is wanted, as far as the system lets us.
  ///
  /// - Returns: The limit that is in force then; nil if it cannot be asked for, as under a filter of system
  ///   calls.
  public static func allow(_ wanted: Int) -> Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    guard limit.rlim_cur < rlim_t(wanted) else { return Int(clamping: limit.rlim_cur) }
    var raised = limit
    raised.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
    let isRaised = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0
    return Int(clamping: isRaised ? raised.rlim_cur : limit.rlim_cur)
  }
}
