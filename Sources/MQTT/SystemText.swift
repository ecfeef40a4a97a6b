import Glibc

/// The system's text for an `errno`.
func systemText(_ code: Int32) -> String {
  unsafe String(cString: strerror(code))
}

/// The resolver's text for a result of `getaddrinfo`.
func lookupText(_ code: Int32) -> String {
  unsafe String(cString: gai_strerror(code))
}
