import Base
import Telemetry
import Testing

@Suite struct MetricTests {
  private var metrics: [Metric] {
    var histogram = Histogram(bounds: [10, 2500], unitsPerSecond: 1000)
    for value: Int64 in [0, 10, 11, 2500, 2501] { histogram.add(value) }
    return [
      .counter("a_total", "Counts.", 3), .gauge("b", "Is.", true),
      .counter("c_total", "By kind.", by: "kind", [("x", 1), ("y\"\\\n", 2)]),
      .histogram("d_seconds", "Spreads.", histogram), .gauge("e_seconds", "Lasts.", 1.5),
    ]
  }

  @Test func aPageIsInPrometheusFormat() {
    #expect(
      String(decoding: metrics.prometheusText(), as: UTF8.self) == #"""
        # HELP a_total Counts.
        # TYPE a_total counter
        a_total 3
        # HELP b Is.
        # TYPE b gauge
        b 1
        # HELP c_total By kind.
        # TYPE c_total counter
        c_total{kind="x"} 1
        c_total{kind="y\"\\\n"} 2
        # HELP d_seconds Spreads.
        # TYPE d_seconds histogram
        d_seconds_bucket{le="0.01"} 2
        d_seconds_bucket{le="2.5"} 4
        d_seconds_bucket{le="+Inf"} 5
        d_seconds_sum 5.022
        d_seconds_count 5
        # HELP e_seconds Lasts.
        # TYPE e_seconds gauge
        e_seconds 1.5

        """#)
  }

  @Test func theSameFiguresAreJSON() {
    #expect(
      String(decoding: metrics.json(), as: UTF8.self)
        == #"{"a_total":3,"b":1,"c_total":{"x":1,"y\"\\\u000a":2},"#
        + #""d_seconds":{"count":5,"sum":5.022,"buckets":{"0.01":2,"2.5":4,"+Inf":5}},"e_seconds":1.5}"#)
  }
}
