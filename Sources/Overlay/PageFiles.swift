import HTTP

/// The files of the pages, which are in the program.
enum PageFiles {
  static let script = "text/javascript; charset=utf-8"
  static let style = "text/css; charset=utf-8"

  /// What is served below `/page/`.
  private static let byName: [String: (type: String, bytes: [UInt8])] = [
    "overlay.css": (style, PackageResources.overlay_css),
    "studio.css": (style, PackageResources.studio_css),
    "classic.css": (style, PackageResources.classic_css),
    "neon.css": (style, PackageResources.neon_css),
    "neon.js": (script, PackageResources.neon_js),
    "main.js": (script, PackageResources.main_js),
    "room.js": (script, PackageResources.room_js),
    "feed.js": (script, PackageResources.feed_js),
    "feed-worker.js": (script, PackageResources.feed_worker_js),
    "event-stream.js": (script, PackageResources.event_stream_js),
    "clock.js": (script, PackageResources.clock_js),
    "text.js": (script, PackageResources.text_js),
    "banners.js": (script, PackageResources.banners_js),
    "comments.js": (script, PackageResources.comments_js),
    "particles.js": (script, PackageResources.particles_js),
    "stage.js": (script, PackageResources.stage_js),
    "studio.js": (script, PackageResources.studio_js),
    "studio-queue.js": (script, PackageResources.studio_queue_js),
  ]

  /// What is served below `/docs/`.
  private static let documents: [String: (type: String, bytes: [UInt8])] = [
    "README.md": (plain, PackageResources.README_md),
    "livecue.yaml": (plain, PackageResources.livecue_yaml),
    "asyncapi.yaml": (plain, PackageResources.asyncapi_yaml),
    "commands.schema.json": ("application/schema+json", PackageResources.commands_schema_json),
  ]
  private static let plain = "text/plain; charset=utf-8"

  static let overlay = PackageResources.overlay_html
  static let studio = PackageResources.studio_html
  static let minimal = PackageResources.minimal_html

  /// A page, with the token that its scripts show in its place, and the hosts of pictures.
  static func page(_ bytes: [UInt8], pageToken: String, pictureHosts: [String]) -> HTTPResponse {
    let text = filled(
      filled(bytes, "{{page-token}}", with: pageToken), "{{picture-hosts}}",
      with: pictureHosts.joined(separator: " "))
    return answer(type: html, text, policy: policy(pictureHosts))
  }

  /// A page whose script and style stand in it.
  static func pageOfOneFile(_ bytes: [UInt8], pageToken: String) -> HTTPResponse {
    answer(type: html, filled(bytes, "{{page-token}}", with: pageToken), policy: oneFilePolicy)
  }

  private static let html = "text/html; charset=utf-8"

  /// The bytes with a text in the one place for it.
  private static func filled(_ bytes: [UInt8], _ place: String, with text: String) -> [UInt8] {
    let place = Array(place.utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: place) }) else { return bytes }
    return bytes[..<start] + Array(text.utf8) + bytes[(start + place.count)...]
  }

  /// A file below `/page/`; nil: there is none.
  static func file(_ name: String) -> HTTPResponse? {
    byName[name].map { answer(type: $0.type, $0.bytes) }
  }

  /// A document below `/docs/`; nil: there is none.
  static func document(_ name: String) -> HTTPResponse? {
    documents[name].map { answer(type: $0.type, $0.bytes) }
  }

  /// A file with the headers that all of ours have.
  static func answer(type: String, _ bytes: [UInt8], policy: String? = nil) -> HTTPResponse {
    var response = HTTPResponse(type: type, bytes: bytes)
    response.headers = [
      (name: "Content-Security-Policy", value: policy ?? Self.policy([])),
      (name: "X-Content-Type-Options", value: "nosniff"),
      (name: "Referrer-Policy", value: "no-referrer"),
    ]
    return response
  }

  /// Nothing of a page runs or loads but our own scripts; pictures and films of gifts may be elsewhere.
  /// Styles may stand in the page, since OBS puts its "Custom CSS" there; a text never becomes an element.
  static func policy(_ pictureHosts: [String]) -> String {
    let sources = pictureHosts.map { $0 == "*" ? " http: https:" : " \($0)" }.joined()
    return """
      default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; \
      img-src 'self' data:\(sources); media-src 'self'\(sources); font-src 'self' data:; connect-src 'self'; \
      frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'
      """
  }
  private static let oneFilePolicy = """
    default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
    frame-ancestors 'self'; base-uri 'none'; form-action 'none'
    """
}
