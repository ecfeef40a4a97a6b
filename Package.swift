// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled with the same strict settings; a warning is an error.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A target of our own Swift, in `Sources/<name>`.
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one target, in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
  name: "livecue",
  targets: [
    // L0: words and C libraries.
    layer("Base"),
    .target(name: "CGetopt"),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .target(
      name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // L1: one concern each, none knows another; only HTTP and MQTT stand on the event loop.
    layer("CommandLine", ["CGetopt"]),
    layer("Configuration", ["Base", "CYAML"]),
    layer("Engine", ["Base"]),
    layer("EventLoop", ["Base", "CLinux"]),
    layer("HTTP", ["Base", "CMicrohttpd", "EventLoop"]),
    layer("MQTT", ["Base", "EventLoop", "CMosquitto", "COpenSSL"]),
    layer("Screen", ["CNcurses"]),
    layer("Store", ["Base", "CSQLite"]),
    layer("Systemd", ["CSystemd"]),
    layer("Telemetry", ["Base"]),
    layer("Wire", ["Base", "CSimdjson"]),

    // L2: message in → events → engine → messages out.
    layer("Bridge", ["Base", "Configuration", "Engine", "Store", "Wire"]),

    // L3: what runs the layers below.
    layer(
      "Daemon",
      [
        "Base", "Bridge", "Configuration", "EventLoop", "HTTP", "MQTT", "Store", "Systemd", "Telemetry",
        "Wire",
      ]),
    layer("Inquiry", ["Base", "Bridge", "Configuration", "Store", "Wire"]),
    .target(
      name: "Overlay",
      dependencies: ["Base", "Configuration", "EventLoop", "HTTP", "MQTT", "Telemetry", "Wire"],
      resources: [.embedInCode("Page"), .embedInCode("Documents")], swiftSettings: strict),
    layer("PrivateBroker", ["CLinux"]),
    layer("Simulation", ["Base", "Bridge", "CZlib", "Store", "Wire"]),
    layer("Watch", ["Base", "Screen", "Wire"]),

    // L4: the command line, one file for each subcommand; the benchmark.
    .executableTarget(
      name: "livecue",
      dependencies: [
        "Base", "Bridge", "CommandLine", "Configuration", "Daemon", "EventLoop", "HTTP", "Inquiry", "MQTT",
        "Overlay", "PrivateBroker", "Screen", "Simulation", "Store", "Systemd", "Telemetry", "Watch", "Wire",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "livecue-bench",
      dependencies: [
        "Base", "Bridge", "Configuration", "Engine", "PrivateBroker", "Simulation", "Store", "Wire",
      ],
      path: "Benchmarks/livecue-bench", swiftSettings: strict),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["Base", "EventLoop", "MQTT", "PrivateBroker", "Wire"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .executableTarget(
      name: "crash-test",
      dependencies: [
        "Base", "CLinux", "EventLoop", "MQTT", "PrivateBroker", "Simulation", "Store", "TestSupport",
      ],
      path: "Tests/CrashTest", swiftSettings: strict),
    tests("Base"),
    tests("Bridge", ["Base", "Configuration", "Store", "TestSupport", "Wire"]),
    tests("CommandLine"),
    tests("Configuration", ["Base"]),
    tests(
      "Daemon",
      [
        "Base", "Configuration", "EventLoop", "HTTP", "MQTT", "PrivateBroker", "Simulation", "Telemetry",
        "TestSupport", "Wire",
      ]),
    tests("Engine", ["Base", "Simulation"]),
    tests("EventLoop", ["Base", "TestSupport"]),
    tests("HTTP", ["Base", "EventLoop", "PrivateBroker", "TestSupport"]),
    tests("Inquiry", ["Base", "Bridge", "Configuration", "PrivateBroker", "Store", "TestSupport", "Wire"]),
    tests("MQTT", ["Base", "EventLoop", "PrivateBroker", "TestSupport"]),
    tests(
      "Overlay",
      [
        "Base", "Configuration", "EventLoop", "HTTP", "MQTT", "PrivateBroker", "Telemetry", "TestSupport",
        "Wire",
      ]),
    tests("Screen", ["Simulation"]),
    tests("Store", ["Base", "CSQLite", "Simulation", "store-probe"]),
    .executableTarget(
      name: "store-probe", dependencies: ["Base", "Store"], path: "Tests/StoreProbe", swiftSettings: strict),
    tests("Simulation", ["Base", "Bridge", "Configuration", "PrivateBroker", "TestSupport", "Wire"]),
    tests("Systemd", ["PrivateBroker", "TestSupport"]),
    tests("Telemetry", ["Base"]),
    tests("Watch", ["Base", "Bridge", "Configuration", "Screen", "Simulation", "TestSupport", "Wire"]),
    tests("Wire", ["Base", "Simulation"]),
    .testTarget(
      name: "LivecueTests",
      dependencies: [
        "livecue", "Base", "CLinux", "EventLoop", "MQTT", "PrivateBroker", "Screen", "Store", "TestSupport",
        "Wire",
      ],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
