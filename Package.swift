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
    .target(
      name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
    .systemLibrary(name: "CYAML"),
    .systemLibrary(name: "CZlib"),

    // L1: one concern each, none knows another.
    layer("CommandLine", ["CGetopt"]),
    layer("Configuration", ["Base", "CYAML"]),
    layer("Engine", ["Base"]),
    layer("Wire", ["Base", "CSimdjson"]),

    // L2: message in → events → engine → messages out.
    layer("Bridge", ["Base", "Configuration", "Engine", "Wire"]),

    // L3: what runs the layers below.
    layer("Simulation", ["Base", "Bridge", "Configuration", "CZlib", "Wire"]),

    // L4: the command line, one file for each subcommand.
    .executableTarget(
      name: "livecue",
      dependencies: ["Base", "Bridge", "CommandLine", "Configuration", "Simulation", "Wire"],
      swiftSettings: strict),
    .executableTarget(
      name: "livecue-bench", dependencies: ["Base", "Engine", "Wire", "Simulation"],
      path: "Benchmarks/livecue-bench", swiftSettings: strict),

    tests("Base"),
    tests("Configuration", ["Base"]),
    tests("Engine", ["Base"]),
    tests("Wire", ["Base"]),
  ],
  cxxLanguageStandard: .cxx17
)
