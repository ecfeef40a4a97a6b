import HTTP

/// The files of the pages, which are in the program.
enum PageFiles {
  private static let script = "text/javascript; charset=utf-8"
  private static let style = "text/css; charset=utf-8"

  /// What is served below `/page/`.
  static let byName: [String: (type: String, bytes: [UInt8])] = [
    "overlay.css": (style, PackageResources.overlay_css),
    "studio.css": (style, PackageResources.studio_css),
    "classic.css": (style, PackageResources.classic_css),
    "neon.css": (style, PackageResources.neon_css),
    "neon.js": (script, PackageResources.neon_js),
    "main.js": (script, PackageResources.main_js),
    "room.js": (script, PackageResources.room_js),
    "feed.js": (script, PackageResources.feed_js),
    "feed-worker.js": (script, PackageResources.feed_worker_js),
    "clock.js": (script, PackageResources.clock_js),
    "text.js": (script, PackageResources.text_js),
    "banners.js": (script, PackageResources.banners_js),
    "comments.js": (script, PackageResources.comments_js),
    "particles.js": (script, PackageResources.particles_js),
    "stage.js": (script, PackageResources.stage_js),
    "studio.js": (script, PackageResources.studio_js),
  ]

  static let overlay = PackageResources.overlay_html
  static let studio = PackageResources.studio_html
  static let minimal = PackageResources.minimal_html

  /// A page, with the token that its scripts show in its place. `isOneFile`: its script and style stand in it.
  static func page(_ bytes: [UInt8], pageToken: String, isOneFile: Bool = false) -> HTTPResponse {
    var text = String(decoding: bytes, as: UTF8.self)
    let place = "{{page-token}}"
    // No Foundation here, and one place in each page.
    if let start = text.indices.first(where: { text[$0...].hasPrefix(place) }) {
      text.replaceSubrange(start..<text.index(start, offsetBy: place.count), with: pageToken)
    }
    var response = HTTPResponse(type: "text/html; charset=utf-8", text)
    response.headers = headers
    if isOneFile {
      response.headers[0].value =
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'"
    }
    return response
  }

  /// A file below `/page/`; nil: there is none.
  static func file(_ name: String) -> HTTPResponse? {
    guard let file = byName[name] else { return nil }
    var response = HTTPResponse(type: file.type, bytes: file.bytes)
    response.headers = headers
    return response
  }

  /// Nothing of a page runs or loads but our own scripts; pictures and films of gifts may be anywhere.
  private static let headers = [
    (
      name: "Content-Security-Policy",
      value: """
      default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' http: https:; \
      media-src http: https:; connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; \
      form-action 'none'
      """
    ),
    (name: "X-Content-Type-Options", value: "nosniff"),
    (name: "Referrer-Policy", value: "no-referrer"),
  ]
}
