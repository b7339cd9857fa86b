import { expect, test } from "vitest";
import type { MeasureFacts } from "../../api/measures.ts";
import { hostCharts } from "./host-charts.ts";

type Tags = Readonly<Record<string, string>>;

function facts(name: string, tags: Tags, more: Partial<MeasureFacts> = {}): MeasureFacts {
  const key = `${name} ${JSON.stringify(tags)}`;
  return { key, name, unit: "", kind: "gauge", tags, count: 90, from: 1, until: 90, ...more };
}

/** The charts drawn for these hosts. */
function chartsOf(measures: readonly MeasureFacts[]) {
  return hostCharts(measures).map(({ name, unit, kind, hint, series }) => ({
    name,
    unit,
    kind,
    hint,
    hosts: series.map(({ tags }) => Object.values(tags).join()),
    selector: series[0]?.selector,
    restOf: series[0]?.restOf,
    parts: series[0]?.parts,
  }));
}

test("of Telegraf, all processors together are busy where they are not idle", () => {
  const measures = ["web-2", "web-1"].flatMap((host) => [
    ...["cpu0", "cpu-total"].map((cpu) => facts("cpu.usage_idle", { cpu, host })),
    facts("mem.used_percent", { host }),
    facts("net.bytes_sent", { host, interface: "eth0" }, { kind: "counter" }),
  ]);
  const hosts = ["web-1", "web-2"];
  expect(chartsOf(measures)).toEqual([
    {
      name: "CPU by host",
      unit: "%",
      kind: "gauge",
      hint: "100 % less cpu.usage_idle",
      hosts,
      selector: 'cpu.usage_idle{cpu="cpu-total"} by host',
      restOf: 100,
    },
    {
      name: "Memory by host",
      unit: "%",
      kind: "gauge",
      hint: "mem.used_percent",
      hosts,
      selector: "mem.used_percent by host",
    },
    {
      name: "Sent by host",
      unit: "By",
      kind: "counter",
      hint: "net.bytes_sent per second",
      hosts,
      selector: "net.bytes_sent{interface!=lo} by host",
      parts: 1,
    },
  ]);
});

test("of a node exporter, idle seconds of all cores are divided by their number", () => {
  const cores = ["0", "1", "2", "3"].flatMap((cpu) =>
    ["idle", "user"].map((mode) =>
      facts("node_cpu_seconds_total", { cpu, instance: "db:9100", mode }, { kind: "counter" }),
    ),
  );
  expect(chartsOf(cores)).toEqual([
    {
      name: "CPU by host",
      unit: "",
      kind: "rate",
      hint: "100 % less node_cpu_seconds_total",
      hosts: ["db:9100"],
      selector: 'node_cpu_seconds_total{mode="idle"} by instance',
      restOf: 1,
      parts: 4,
    },
  ]);
});

test("of a node exporter, the memory drawn is called available", () => {
  const available = facts("node_memory_MemAvailable_bytes", { instance: "db:9100" });
  expect(chartsOf([available]).map(({ name }) => name)).toEqual(["Available memory by host"]);
});

test("of an OpenTelemetry Collector, utilization, used memory and both directions are drawn", () => {
  const host = { "host.name": "app" };
  const measures = [
    facts("system.cpu.utilization", { cpu: "cpu0", state: "idle", ...host }, { unit: "1" }),
    facts("system.cpu.utilization", { cpu: "cpu0", state: "user", ...host }, { unit: "1" }),
    facts("system.memory.usage", { state: "used", ...host }, { unit: "By" }),
    facts("system.memory.usage", { state: "free", ...host }, { unit: "By" }),
    ...["receive", "transmit"].map((direction) =>
      facts(
        "system.network.io",
        { device: "eth0", direction, ...host },
        { unit: "By", kind: "counter" },
      ),
    ),
  ];
  expect(chartsOf(measures).map(({ name, selector }) => [name, selector])).toEqual([
    ["CPU by host", 'system.cpu.utilization{state="idle"} by host.name'],
    ["Memory by host", 'system.memory.usage{state="used"} by host.name'],
    ["Received by host", 'system.network.io{direction="receive",device!=lo} by host.name'],
    ["Sent by host", 'system.network.io{direction="transmit",device!=lo} by host.name'],
  ]);
});

test("what belongs to no host, to an endpoint or to the load tool is not drawn by host", () => {
  const measures = [
    facts("cpu.usage_idle", {}),
    facts("waiting", { host: "a" }, { kind: "distribution" }),
    facts("cpu.usage_idle", { host: "a" }, { endpoint: { hash: "x", label: "GET /" } }),
  ];
  expect(hostCharts(measures)).toEqual([]);
});
