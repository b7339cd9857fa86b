import { expect, test } from "vitest";
import { K6_FORMS, type K6Sample } from "../../../test/support/k6-forms.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";

/** Tags as k6 1.8.1 gives them: lib/netext/grpcext/conn.go, js/modules/k6/ws/ws.go, js/modules/k6/browser/common/network_manager.go. */
const BEGAN = 1_795_232_665_000;

/** 200 calls, 20 of them with the status 14. */
const grpc: readonly K6Sample[] = Array.from({ length: 200 }, (_, call) => ({
  metric: "grpc_req_duration",
  value: 10 + call,
  tags: {
    group: "",
    method: "Charge",
    name: "/shop.Pay/Charge",
    scenario: "default",
    service: "shop.Pay",
    status: call % 10 === 3 ? "14" : "0",
    url: "shop.example:443/shop.Pay/Charge",
  },
  unixMillis: BEGAN + 500 + call * 100,
}));

/** 50 requests, 10 of them with the status 404. */
const browser: readonly K6Sample[] = Array.from({ length: 50 }, (_, request) => {
  const url = "https://shop.example/style.css";
  const tags = {
    from_cache: "false",
    group: "",
    method: "GET",
    name: url,
    resource_type: "Stylesheet",
    scenario: "ui",
    status: request < 10 ? "404" : "200",
    url,
  };
  const at = { tags, unixMillis: BEGAN + 900 + request * 100 };
  return [
    { metric: "browser_http_req_duration", value: 20, ...at },
    { metric: "browser_data_received", value: 1000, ...at },
    { metric: "browser_http_req_failed", value: request < 10 ? 1 : 0, ...at },
  ];
}).flat();

const socket = (status: object, at: number): readonly K6Sample[] => {
  const tags = { group: "", scenario: "default", url: "wss://shop.example/feed", ...status };
  const unixMillis = BEGAN + at;
  return [
    { metric: "ws_sessions", value: 1, tags, unixMillis },
    { metric: "ws_connecting", value: 2.5, tags, unixMillis },
    { metric: "ws_msgs_received", value: 1, tags, unixMillis: unixMillis + 1000 },
    { metric: "ws_session_duration", value: 1500, tags, unixMillis },
  ];
};
/** Three sessions; one is refused with 403, and one server does not answer. */
const sockets = [
  ...socket({ status: "101", subproto: "" }, 100),
  ...socket({ status: "403", subproto: "" }, 200),
  ...socket({}, 300),
  ...socket({ status: "101", subproto: "" }, 400),
];

test.each(K6_FORMS)(
  "calls of gRPC in %s are requests, failed unless OK",
  (_name, format, write) => {
    const { samples, failures, measured, rejections, notes } = decodeSource(format, write(grpc));
    expect(rejections).toEqual([]);
    expect(samples).toHaveLength(200);
    expect(new Set(samples.map(({ label }) => label))).toEqual(new Set(["/shop.Pay/Charge"]));
    expect(samples.filter(({ failedRequests }) => failedRequests === 1)).toHaveLength(20);
    expect(samples[0]).toMatchObject({ second: BEGAN / 1000, elapsedMicros: 10_000 });
    expect(new Set(failures.map(({ kind }) => JSON.stringify(kind)))).toEqual(
      new Set([JSON.stringify({ code: "14", message: "Unavailable" })]),
    );
    const responses = measured?.all.map(({ name, tags, count }) => [name, tags["code"], count]);
    expect(responses).toEqual([["responses", "0", 180]]);
    expect(notes.join()).not.toContain("neither a status");
  },
);

test.each(K6_FORMS)("requests of the browser in %s are requests", (_name, format, write) => {
  const { samples, failures, measured } = decodeSource(format, write(browser));
  expect(samples).toHaveLength(50);
  expect(failures.map(({ kind }) => kind?.code)).toEqual(Array.from({ length: 10 }, () => "404"));
  const measures = measured?.all.map(({ name, tags, count }) => [name, tags, count]);
  expect(measures).toEqual([["browser_data_received", { scenario: "ui" }, 50]]);
});

test.each(K6_FORMS)("handshakes of WebSocket in %s are requests", (_name, format, write) => {
  const { samples, failures, measured, notes } = decodeSource(format, write(sockets));
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([0, 1, 1, 0]);
  expect(samples[0]).toMatchObject({ label: "wss://shop.example/feed", elapsedMicros: 2500 });
  expect(failures.map(({ kind }) => kind)).toEqual([
    { code: "403", message: "" },
    { code: "", message: "no answer to the WebSocket handshake" },
  ]);
  const measures = measured?.all
    .filter(({ name }) => name !== "responses")
    .map(({ name, unit, tags, count, sum }) => [name, unit, tags["scenario"], count, sum]);
  expect(measures?.toSorted()).toEqual([
    ["ws_msgs_received", "", "default", 4, 4],
    ["ws_session_duration", "ms", "default", 4, 6000],
    ["ws_sessions", "", "default", 4, 4],
  ]);
  expect(notes.join()).not.toContain("neither a status");
});
