/**
 * A web shop that only pretends: it answers like a small shop under load, for recording the
 * demonstration load test (../README.md). Latencies come from one seeded generator, so that two
 * recordings look alike: they drift upwards over the run, and for one minute in the middle the shop
 * is slow and fails more often. The last release has made the search slower, and more so the longer it runs.
 *
 *   node server.js [PORT] [SEED] [before]   listens on 127.0.0.1, port 8099 by default; stops at SIGTERM.
 *                                           With `before`, the search is that of earlier releases.
 */

import { createServer } from "node:http";

const SLOW_FROM_S = 150;
const SLOW_UNTIL_S = 210;

/** Typical latency (median, ms), its spread, body size and share of failures, by path. */
const PAGES = [
  { method: "GET", path: /^\/$/, medianMs: 18, spread: 0.4, bytes: 5200 },
  { method: "GET", path: /^\/products$/, medianMs: 42, spread: 0.5, bytes: 14_500 },
  { method: "GET", path: /^\/products\/\d+$/, medianMs: 27, spread: 0.5, bytes: 3600, missing: 0.012 },
  { method: "GET", path: /^\/search$/, medianMs: 95, formerMs: 60, spread: 0.6, bytes: 9100, drift: 0.9, busy: 0.004 },
  { method: "GET", path: /^\/recommendations$/, medianMs: 60, spread: 0.7, bytes: 2300 },
  { method: "GET", path: /^\/images\/logo\.svg$/, medianMs: 4, spread: 0.3, bytes: 1800 },
  { method: "POST", path: /^\/cart$/, medianMs: 38, spread: 0.5, bytes: 240, soldOut: 0.03 },
  { method: "POST", path: /^\/checkout$/, medianMs: 160, spread: 0.5, bytes: 420, busy: 0.025, reset: 0.012 },
  { method: "GET", path: /^\/orders$/, medianMs: 70, spread: 0.5, bytes: 2900, broken: 0.012 },
];

const [port = 8099, seed = 20_131_013, release] = process.argv.slice(2);
const random = seededRandom(Number(seed));
let startedAtMs;

const server = createServer((request, response) => {
  startedAtMs ??= Date.now();
  request.resume();
  const path = request.url.split("?")[0];
  if (path === "/shop") {
    return later(6, () => respond(response, 302, "", { location: "/products" }));
  }
  const page = PAGES.find((each) => each.method === request.method && each.path.test(path));
  if (page === undefined) return respond(response, 404, "There is no such page.\n");
  later(latencyMs(page), () => answer(page, request, response));
});

server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});

function answer(page, request, response) {
  const worse = isSlow() ? 6 : 1;
  const luck = random();
  if (luck < (page.reset ?? 0) * worse) return request.socket.resetAndDestroy();
  if (random() < (page.busy ?? 0) * worse) return respond(response, 503, "Too busy.\n");
  if (random() < (page.broken ?? 0) * worse) return respond(response, 500, "Broken.\n");
  if (random() < (page.missing ?? 0)) return respond(response, 404, "No such product.\n");
  // The shop is polite about it: the status is 200, and only the text says that it failed.
  if (random() < (page.soldOut ?? 0) * worse) return respond(response, 200, "Sold out.\n");
  const bytes = Math.round(page.bytes * (0.8 + 0.4 * random()));
  respond(response, 200, "Here you are.\n".padEnd(bytes, "."));
}

/** Log-normal around the median, with the drift of the page, and longer while the shop is slow. */
function latencyMs(page) {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const isFormer = release === "before" && page.formerMs !== undefined;
  const medianMs = isFormer ? page.formerMs : page.medianMs;
  const drift = 1 + ((isFormer ? undefined : page.drift) ?? 0.25) * (elapsedSeconds() / 330);
  const slow = isSlow() ? 3.5 : 1;
  return Math.min(4000, medianMs * Math.exp(page.spread * normal) * drift * slow);
}

function isSlow() {
  return elapsedSeconds() >= SLOW_FROM_S && elapsedSeconds() < SLOW_UNTIL_S;
}

function elapsedSeconds() {
  return (Date.now() - startedAtMs) / 1000;
}

function later(ms, act) {
  setTimeout(act, ms);
}

function respond(response, status, body, headers = {}) {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "content-type": "text/plain", "content-length": bytes.length, ...headers });
  response.end(bytes);
}

/** mulberry32: small, seeded, good enough for latencies. */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
