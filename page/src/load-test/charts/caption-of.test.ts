import { expect, test } from "vitest";
import { captionOf } from "./caption-of.ts";
import { timeFormat } from "../clock.ts";

const start = Date.UTC(2026, 10, 21, 13, 2, 11) / 1000;
const all = { id: "run", filter: "", hashes: [], from: undefined, until: undefined };
const shown = {
  name: "checkout-nightly",
  range: { from: start, until: start + 60 },
  points: "5 s per point",
};

test.each([
  ["utc", all, "Sat 21 Nov 2026, 13:02:11 to 13:03:10 UTC · all endpoints · 5 s per point", "UTC"],
  [
    "start",
    { ...all, filter: '/"cart"' },
    String.raw`+0:00 to +0:59 since start · endpoints that contain "/\"cart\"" · 5 s per point`,
    "since start",
  ],
  [
    "utc",
    { ...all, filter: "a", hashes: ["0", "1"] },
    "Sat 21 Nov 2026, 13:02:11 to 13:03:10 UTC · 2 selected endpoints · 5 s per point",
    "UTC",
  ],
  [
    "utc",
    { ...all, outcome: "failed", where: "region:eu" },
    "Sat 21 Nov 2026, 13:02:11 to 13:03:10 UTC · all endpoints · failed requests · region eu · 5 s per point",
    "UTC",
  ],
  [
    "utc",
    { ...all, from: start - 86_400 },
    "20 Nov 13:02:11 to 21 Nov 2026 13:03:10 UTC · all endpoints · 5 s per point",
    "UTC",
  ],
] as const)("times %s: the caption says what the scope bar does", (clock, scope, text, axis) => {
  const range = { ...shown.range, from: scope.from ?? start };
  const caption = captionOf({
    ...shown,
    range,
    scope,
    clock,
    formatTime: timeFormat(clock, range),
  });
  expect(caption).toEqual({ id: "run", name: "checkout-nightly", scope: text, clock: axis });
});
