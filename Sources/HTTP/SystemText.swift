import Glibc

/// The system's words for an `errno`.
func systemText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
