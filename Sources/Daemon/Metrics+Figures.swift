import Base
import Bridge
import EventLoop
import Glibc
import HTTP
import MQTT
import Store
import Telemetry

/// The names here are what dashboards and alerts are made of: `config/` is checked against them.
extension Metrics {
  /// All figures of this moment. The number of lines is fixed.
  func figures() -> [Metric] {
    service + connections + input + engine + studio + output + store + machine
  }

  private var service: [Metric] {
    [
      .note("livecue_build_info", "The version that runs.", by: "version", version),
      .gauge(
        "livecue_ready", "1 if it is subscribed, publishes, and can write its store.",
        reasonsNotReady().isEmpty),
      .counter(
        "livecue_log_messages_total", "Messages of the log by level, with those that were only counted.",
        by: "level", LogLevel.allCases.enumerated().map { ($1.name, log.messageCounts[$0]) }),
      .counter("livecue_log_lines_lost_total", "Lines that standard error did not take.", log.linesLost),
      .counter("livecue_http_requests_total", "Requests answered.", server?.counters.requests ?? 0),
      .counter("livecue_http_refusals_total", "Requests refused.", server?.counters.refusals ?? 0),
      .counter(
        "livecue_http_idle_clients_total", "HTTP clients dropped to make room, since they asked for nothing.",
        server?.counters.idleClients ?? 0),
      .gauge("livecue_http_connections", "HTTP clients connected.", server?.connectionCount ?? 0),
    ]
  }

  private var connections: [Metric] {
    let both = [("in", intake.counters), ("out", publisher.counters)]
    return [
      .gauge(
        "livecue_connected", "1 if the connection works: in is subscribed, out publishes.", by: "connection",
        [("in", intake.isSubscribed ? 1 : 0), ("out", publisher.isOnline ? 1 : 0)]),
      .counter(
        "livecue_reconnects_total", "Connections after the first.", by: "connection",
        both.map { ($0.0, max(0, $0.1.connections - 1)) }),
      .counter(
        "livecue_connection_losses_total", "Connections that ended unasked, and attempts that failed.",
        by: "connection", both.map { ($0.0, $0.1.losses) }),
      .counter(
        "livecue_filters_refused_total",
        "Filters that the broker refused, or granted without acknowledgements.",
        intake.counters.filtersRefused),
      .counter(
        "livecue_sessions_lost_total", "Times that the broker had forgotten our session: a possible loss.",
        journal.counters.sessionsLost),
      .gauge(
        "livecue_held_back", "1 while nothing is taken in, because too much waits to go out.", isHeldBack),
      .counter(
        "livecue_broker_dropped_messages_total",
        "Messages that the broker says it dropped since its start, for whatever client; 0 if it does not tell.",
        publisher.brokerDrops ?? 0),
    ]
  }

  private var input: [Metric] {
    let door = journal.bridge.counters
    let counted = journal.bridge.engineCounters
    return [
      .counter("livecue_batches_total", "Batches handled.", door.batches),
      .counter("livecue_batch_bytes_total", "Bytes of their payloads.", door.batchBytes),
      .gauge(
        "livecue_last_batch_timestamp_seconds", "When a batch was taken in last; 0: never.",
        Double(journal.counters.lastMessage ?? 0) / 1000),
      .counter(
        "livecue_events_total", "Events handled, without known ids and what was refused.", by: "kind",
        [
          ("gift", counted.giftEvents), ("comment", counted.commentEvents), ("like", counted.likeEvents),
          ("remove", counted.removeEvents),
        ]),
      .counter(
        "livecue_rejections_total", "What was refused, by reason.", by: "reason",
        RejectionReason.allCases.map { reason in
          // Rows are found to be poison at a start, before anything is counted.
          let found = reason == .poison ? journal.counters.rowsQuarantined : 0
          return (reason.rawValue, door.rejections(for: reason) + found)
        }),
      .counter(
        "livecue_duplicates_total",
        "What came again and was not counted: messages sent again, events of a known id, repeats of a streak.",
        by: "layer",
        [
          ("redelivery", journal.counters.redeliveries), ("event_id", counted.duplicateIDs),
          ("streak", counted.framesWithoutGift),
        ]),
      .counter("livecue_retained_ignored_total", "Retained messages ignored.", door.retainedIgnored),
      .counter("livecue_unknown_topics_total", "Messages on a topic of no input.", door.unknownTopics),
      .counter(
        "livecue_repaired_payloads_total", "Payloads read only after a repair.",
        journal.bridge.repairedPayloads),
      .counter(
        "livecue_dropped_elements_total",
        "Elements that a case of their profile drops: twins, parts, other news.",
        journal.bridge.droppedElements),
    ]
  }

  private var engine: [Metric] {
    let counted = journal.bridge.engineCounters
    let load = journal.bridge.load
    return [
      .gauge("livecue_rooms", "Rooms in memory.", journal.bridge.roomCount),
      .counter("livecue_rooms_opened_total", "Rooms made.", counted.roomsOpened),
      .counter("livecue_rooms_closed_total", "Rooms that left because they were idle.", counted.roomsClosed),
      .counter("livecue_gifts_accepted_total", "Gifts accepted.", counted.giftsAccepted),
      .counter("livecue_gifts_shown_total", "Gifts counted up on a track.", counted.giftsShown),
      .counter("livecue_gifts_folded_total", "Gifts folded into a summary.", counted.giftsFolded),
      .counter(
        "livecue_gifts_muted_total", "Gifts accepted and not shown, since their senders are muted.",
        counted.giftsMuted),
      .gauge("livecue_gifts_pending", "Gifts accepted and neither shown nor folded yet.", load.giftsPending),
      .gauge("livecue_groups_waiting", "Groups that wait for a track, in all rooms.", load.groupsWaiting),
      .gauge(
        "livecue_groups_waiting_most", "Groups that wait for a track in the fullest room.",
        load.mostGroupsWaiting),
      .counter(
        "livecue_groups_folded_total",
        "Groups folded: after their wait, because too many waited, or because an operator skipped or cleared.",
        by: "cause",
        [
          ("wait", counted.groupsFoldedByWait), ("bound", counted.groupsFoldedByBound),
          ("control", counted.groupsFoldedByControl),
        ]),
      .counter("livecue_groups_cut_total", "Groups that hid because others waited.", counted.groupsCut),
      .histogram(
        "livecue_wait_seconds", "How long groups waited for a track, or until they folded.",
        journal.bridge.counters.waits),
      .histogram(
        "livecue_hold_seconds", "How long the combo window was open that a group's end closed.", counted.holds
      ),
      .counter(
        "livecue_forgotten_total", "What was forgotten before its time for want of room.", by: "memory",
        [
          ("event_id", counted.youngGiftIDsEvicted), ("streak", counted.streaksEvicted),
          ("left_number", counted.leftNumbersEvicted), ("color", counted.colorsEvicted),
        ]),
      .counter(
        "livecue_comments_skipped_total", "Comments that never reached a list.", counted.commentsSkipped),
    ]
  }

  private var output: [Metric] {
    let door = journal.bridge.counters
    return [
      .counter(
        "livecue_commands_total", "Commands made, by kind of track.", by: "track",
        [
          ("gift", door.giftCommands), ("fold", door.foldCommands), ("comment", door.commentCommands),
          ("like", door.likeCommands), ("stage", door.stageCommands), ("click", door.clickCommands),
        ]),
      .gauge("livecue_outbox_messages", "Messages that wait for the broker.", publisher.queuedCount),
      .gauge("livecue_outbox_bytes", "Bytes that wait for the broker.", publisher.queuedBytes),
      .counter(
        "livecue_published_total", "Messages handed to the broker.", publisher.counters.messagesPublished),
      .counter(
        "livecue_publish_refusals_total", "Messages that the broker refused.",
        publisher.counters.messagesRefused),
    ]
  }

  private var store: [Metric] {
    let counted = journal.counters
    let disk = state.map { state in
      Metric.gauge(
        "livecue_state_free_bytes", "Room on the disk of the state directory.", state.freeBytes ?? 0)
    }
    return [disk].compactMap { $0 } + [
      .gauge(
        "livecue_store_writable", "1 if what comes in can be recorded.",
        journal.storeFault(at: loop.clock.now) == nil),
      .counter("livecue_recorded_total", "Messages recorded.", counted.messages),
      .gauge("livecue_journal_rows", "Rows in the journal.", Int(journal.store?.state.journalRows ?? 0)),
      .gauge("livecue_journal_bytes", "Bytes of the journal's rows.", journal.byteCount),
      .gauge(
        "livecue_rows_waiting", "Rows recorded and not handled yet, since too much waits to go out.",
        Int(journal.lastRow - journal.handledRow)),
      .counter(
        "livecue_rows_handled_late_total", "Rows that waited so, and were handled from the journal.",
        counted.rowsHandledLate),
      .histogram("livecue_commit_seconds", "How long the store took for a commit.", counted.commits),
      .counter("livecue_commit_faults_total", "Commits that failed.", counted.commitFaults),
      .counter("livecue_snapshots_total", "Savings of all rooms that were completed.", counted.snapshots),
      .gauge("livecue_replayed_rows", "Rows handled again at the start.", counted.rowsReplayed),
      .gauge(
        "livecue_replay_seconds", "How long that took.", Double(recoveryMilliseconds) / 1000),
    ]
  }

  /// Under the names that every Prometheus exporter has for them.
  private var machine: [Metric] {
    [
      .gauge("process_start_time_seconds", "When it was started.", Double(since) / 1000),
      .counter("process_cpu_seconds_total", "Processor time used.", OwnUsage.processorSeconds),
      .gauge("process_resident_memory_bytes", "Resident memory.", OwnUsage.residentBytes ?? 0),
    ]
  }
}

/// What this program takes of the machine.
enum OwnUsage {
  /// Resident memory; nil where /proc is not there.
  static var residentBytes: Int? {
    let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    // proc(5): size, resident, …, in pages.
    let words = bytes[..<max(0, count)].split(separator: UInt8(ascii: " "))
    guard words.count > 1, let pages = Int(String(decoding: words[1], as: UTF8.self)) else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Processor time in all threads, for the program and for the system on its behalf.
  static var processorSeconds: Double {
    var usage = rusage()
    guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }
}
