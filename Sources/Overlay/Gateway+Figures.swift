import HTTP
import MQTT
import Telemetry

extension Gateway {
  /// Routes for whoever watches over it, as the daemon has them.
  func addHealthRoutes() {
    guarded("GET", "/metrics") { [unowned self] _ in
      HTTPResponse(type: Metric.contentType, bytes: figures().prometheusText())
    }
    // Whoever answers is alive: the loop that does the work has come round to the question.
    server.route("GET", "/healthz") { _ in HTTPResponse("live\n") }
    server.route("GET", "/readyz") { [unowned self] _ in
      isSubscribed
        ? HTTPResponse("ready\n") : Gate.refusal(503, "not subscribed: the broker delivers no commands")
    }
  }

  /// All figures of this moment. The number of lines is fixed.
  private func figures() -> [Metric] {
    delivery + readers + limits
  }

  private var delivery: [Metric] {
    let counters = connection.counters
    return [
      .gauge("livecue_overlay_subscribed", "1 while the broker delivers the commands.", isSubscribed),
      .gauge("livecue_overlay_daemons_online", "Daemons that say that they serve.", onlineCount),
      .counter(
        "livecue_overlay_connection_losses_total",
        "Connections to the broker that ended unasked, and attempts that failed.", counters.losses),
      .counter(
        "livecue_overlay_messages_total", "Commands, snapshots and replies received.",
        counters.messagesReceived),
      .counter(
        "livecue_overlay_published_total", "Feedback, operators' commands and questions for snapshots sent.",
        counters.messagesPublished),
      .counter(
        "livecue_log_messages_total", "Messages of the log by level, with those that were only counted.",
        by: "level", LogLevel.allCases.enumerated().map { ($1.name, log.messageCounts[$0]) }),
    ]
  }

  private var readers: [Metric] {
    [
      .gauge("livecue_overlay_readers", "Streams that are read.", readerCount),
      .gauge("livecue_overlay_rooms", "Rooms that are read, or whose snapshot is kept.", rooms.count),
      .gauge("livecue_http_connections", "HTTP clients connected.", server.connectionCount),
      .counter("livecue_http_requests_total", "Requests answered.", server.counters.requests),
    ]
  }

  private var limits: [Metric] {
    [
      .counter(
        "livecue_overlay_slow_readers_total",
        "Readers dropped for more than overlay.maxReaderBytes that waited.",
        server.counters.slowReaders),
      .counter(
        "livecue_overlay_refused_readers_total", "Readers refused, since overlay.maxReaders read already.",
        refusedReaders),
      .counter(
        "livecue_overlay_rooms_not_kept_total",
        "Messages of rooms beyond overlay.maxRooms, whose snapshots are not kept.", unkeptMessages),
      .counter(
        "livecue_overlay_refused_messages_total",
        "Messages that no stream can carry, for a line's end in them, and replies and states that are none.",
        refusedMessages),
      .counter(
        "livecue_overlay_refused_requests_total",
        "Requests refused for their host, origin, token or type of content.", refusedRequests),
      .counter(
        "livecue_http_refusals_total", "Requests refused for their path, method or size.",
        server.counters.refusals),
      .counter(
        "livecue_http_idle_clients_total", "HTTP clients dropped to make room, since they asked for nothing.",
        server.counters.idleClients),
    ]
  }
}
