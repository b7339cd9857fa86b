import { expect, test } from "vitest";
import { telemetrySettings } from "./telemetry-settings.ts";
import { sampledIds } from "./otlp-bodies.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

test("the variables of one signal come before the common ones", () => {
  expect(
    telemetrySettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://all.example.org/otlp/",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example.org",
      OTEL_EXPORTER_OTLP_HEADERS: "a=1,b=2",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "b=3",
      OTEL_SERVICE_NAME: "results",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=shop",
    }),
  ).toEqual({
    traces: { url: "https://traces.example.org", headers: { a: "1", b: "2" } },
    metrics: { url: "https://all.example.org/otlp/v1/metrics", headers: { a: "1", b: "3" } },
    metricsEveryMs: 60_000,
    timeoutMs: 10_000,
    resource: { "service.name": "results", team: "shop" },
    sampling: { ratio: 1, isParentBased: true },
  });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "an address such as http://127.0.0.1:4318"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/json"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret", "name=value,name=value"],
  ["OTEL_METRIC_EXPORT_INTERVAL", "1s", "milliseconds"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote", "parentbased_traceidratio"],
])("%s=%s is refused", (name, value, want) => {
  const settle = () => telemetrySettings({ ...ENDPOINT, [name]: value });
  expect(settle).toThrow(name);
  expect(settle).toThrow(want);
});

test("headers, which may be secret, do not stand in the error", () => {
  expect(() => telemetrySettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "s3cret" })).toThrow(
    /^(?!.*s3cret)/,
  );
});

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

test.each([
  ["always_on", "00", true],
  ["always_off", "01", false],
  ["parentbased_always_off", "01", true],
  ["parentbased_always_on", "00", false],
])("with %s, a caller that says %s", (sampler, flags, isSampled) => {
  const { sampling } = telemetrySettings({ ...ENDPOINT, OTEL_TRACES_SAMPLER: sampler });
  expect(sampledIds(PARENT + flags, sampling) !== undefined).toBe(isSampled);
});

test("a share of traces is sampled, the same for all spans of a trace", () => {
  const environment = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" };
  const { sampling } = telemetrySettings({ ...ENDPOINT, ...environment });
  const inFirstQuarter = "00-0af7651916cd43dd8443eb211c80319c-b7ad6b7169203331-00";
  const ofTrace = (digits: string) =>
    sampledIds(`00-0af7651916cd43dd844${digits}-b7ad6b7169203331-00`, sampling);
  expect(sampledIds(inFirstQuarter, sampling)).toBeDefined();
  expect(ofTrace("3ffffffffffff")).toBeDefined();
  expect(ofTrace("4000000000000")).toBeUndefined();
});

test.each([
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
  "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
  "nonsense",
])("the caller %s is no caller", (traceparent) => {
  const ids = sampledIds(traceparent, { ratio: 1, isParentBased: true });
  expect(ids).toMatchObject({ parentSpanId: undefined });
});
