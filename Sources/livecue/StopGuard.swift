import Glibc

/// Ends the process when stopping takes too long: a disk that does not answer, a call that hangs.
///
/// What is not committed by then is not acknowledged either, and the broker publishes the last will.
enum StopGuard {
  private static let milliseconds = 1900

  /// From now on the process has 1.9 seconds.
  static func arm() {
    // Only what is safe in a signal handler (signal-safety(7)): write and _exit.
    signal(SIGALRM) { _ in
      let text: StaticString =
        "stopping took too long: the process ends at once, the last will says offline\n"
      unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(0)
    }
    var timer = itimerval()
    timer.it_value.tv_sec = milliseconds / 1000
    timer.it_value.tv_usec = milliseconds % 1000 * 1000
    unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
  }
}
