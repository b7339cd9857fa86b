import { expect, test } from "vitest";
import { isTraceUrl, traceUrlOf } from "./trace-url.ts";

test.each([
  "https://tempo.example/trace/{traceId}",
  "http://localhost:16686/trace/{traceId}",
  "https://grafana.example/explore?left=%7B%22query%22:%22{traceId}%22%7D",
  "https://a.example/#{traceId}",
])("%s is a template", (template) => {
  expect(isTraceUrl(template)).toBe(true);
});

test.each([
  "https://tempo.example/trace/",
  "javascript:alert({traceId})",
  "data:text/html,{traceId}",
  "//tempo.example/{traceId}",
  "/trace/{traceId}",
  "https://{traceId}.example/",
  "https://tempo.example:{traceId}/",
  "https://{traceId}@tempo.example/",
  "https://anna:secret@tempo.example/{traceId}",
  `https://tempo.example/${"x".repeat(2000)}{traceId}`,
])("%s is none", (template) => {
  expect(isTraceUrl(template)).toBe(false);
});

function of(id: string): string {
  return traceUrlOf("https://tempo.example/trace/{traceId}", id);
}

test("whatever an id is, it stays one part of the path", () => {
  expect(of("4bf92f3577b34da6a3ce929d0e0e4736")).toBe(
    "https://tempo.example/trace/4bf92f3577b34da6a3ce929d0e0e4736",
  );
  expect(of('a/b?c#d"<$&')).toBe("https://tempo.example/trace/a%2Fb%3Fc%23d%22%3C%24%26");
  expect(of("\ud800")).toBe("https://tempo.example/trace/%EF%BF%BD");
});
