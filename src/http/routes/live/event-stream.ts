import { hash } from "node:crypto";
import type { RunningLimitJson } from "../../../api/live.ts";
import type { LiveStreams } from "../../live-streams.ts";
import type { Parameter, ParameterValues } from "../../request/parameters.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../../request/selection.ts";
import { type Call, NO_CONTENT, type Route } from "../../route.ts";

/** Proxies close connections that are silent, many after 30 s. */
const HEARTBEAT_MS = 15_000;

/** A load test that was not marked as finished may pause for this time: as long as its windows are judged. */
const QUIET_MS = 300_000;

/** How long clients wait before they come back. */
const RETRY_MS = 3000;

/** What a client that comes back has seen. */
const END_ID = "end";

export interface EventStreamDependencies {
  readonly streams: LiveStreams;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A load test as `getLoadTest` shows it. Throws `unknown-load-test`. */
  readonly show: (loadTestId: string) => Promise<LiveLoadTest>;
  /** `undefined` if this process judges none of its windows. */
  readonly limitsOf: (loadTestId: string) => readonly RunningLimitJson[] | undefined;
}

interface LiveLoadTest {
  readonly createdAt: string;
  readonly lastDataAt: string | null;
  readonly finishedAt: string | null;
}

interface News {
  readonly id: string;
  readonly loadTest: string;
  readonly limits: string;
  readonly isOver: boolean;
}

const LAST_EVENT_ID: Parameter = {
  name: "last-event-id",
  in: "header",
  description: "Id of the last event that the client has: it is not sent again.",
  schema: { type: "string", minLength: 1 },
};

export function createEventStreamRoute(dependencies: EventStreamDependencies): Route {
  const news = createNews(dependencies);
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Events/Stream",
    operationId: "streamEvents",
    summary: "News of a running load test as they come",
    description:
      "Server-sent events while a load test runs: `data` has the load test, as `getLoadTest` returns it, after each change; `thresholds` " +
      "has `RunningLimit`s, the state of its thresholds over windows; `end` is the last one, also of a load test that is over. " +
      "Comments keep the connection open. A client that reads slowly gets the newest state, not each.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, LAST_EVENT_ID],
    mediaType: "text/event-stream",
    schema: { type: "string", description: "The events." },
    statuses: [200, 204],
    errors: ["unknown-load-test", "damaged-store", "busy"],
    async handle(values, call) {
      const first = await news(idOf(values));
      const seen = values.get("last-event-id");
      if (first.isOver && seen === END_ID) return NO_CONTENT;
      return streamOf(values, call, { ...dependencies, news, seen });
    },
  };
}

/** Reads each load test once a turn, for however many streams. */
function createNews({
  streams,
  now,
  show,
  limitsOf,
}: EventStreamDependencies): (loadTestId: string) => Promise<News> {
  let [turn, known] = [-1, new Map<string, Promise<News>>()];
  const read = async (loadTestId: string): Promise<News> => {
    const loadTest = await show(loadTestId);
    const { createdAt, lastDataAt, finishedAt } = loadTest;
    const quietMs = now() - Date.parse(lastDataAt ?? createdAt);
    const text = JSON.stringify(loadTest);
    return {
      id: hash("sha256", text).slice(0, 16),
      loadTest: text,
      limits: JSON.stringify(limitsOf(loadTestId) ?? []),
      isOver: finishedAt !== null || quietMs >= QUIET_MS,
    };
  };
  return (loadTestId) => {
    // Turns end only while a stream is open.
    if (!streams.areAnyOpen || turn !== streams.turn) [turn, known] = [streams.turn, new Map()];
    const reading = known.get(loadTestId) ?? read(loadTestId);
    known.set(loadTestId, reading);
    return reading;
  };
}

interface Streaming extends EventStreamDependencies {
  readonly news: (loadTestId: string) => Promise<News>;
  readonly seen: string | undefined;
}

function streamOf(values: ParameterValues, { key }: Call, streaming: Streaming) {
  const { streams } = streaming;
  const stop = new AbortController();
  const release = streams.begin(key?.name ?? "", () => stop.abort());
  return {
    contentType: "text/event-stream; charset=utf-8",
    // Proxies must neither hold back nor change what is sent; nginx reads the second.
    headers: { "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no" },
    tagParts: undefined,
    stop: () => stop.abort(),
    async *chunks() {
      const encoder = new TextEncoder();
      for await (const text of events(idOf(values), stop.signal, streaming)) {
        yield encoder.encode(text);
      }
    },
    release,
  };
}

/** Yields texts for the socket, each once the one before is written. */
async function* events(
  loadTestId: string,
  signal: AbortSignal,
  { streams, news, seen }: Streaming,
): AsyncGenerator<string> {
  const sent = new SentNews(seen);
  let sentAtMs = performance.now();
  yield `retry: ${RETRY_MS}\n\n`;
  while (!signal.aborted && !streams.isClosed) {
    const latest = await news(loadTestId);
    const isSilent = performance.now() - sentAtMs >= HEARTBEAT_MS;
    const text = sent.eventsOf(latest) || (isSilent ? ":\n\n" : "");
    if (text !== "") {
      sentAtMs = performance.now();
      yield text;
    }
    if (latest.isOver) return;
    await streams.next(signal);
  }
}

/** What a client has. */
class SentNews {
  readonly #seen: string | undefined;
  #loadTest: string | undefined;
  /** Unknown at first: it may come back with those of another stream. */
  #limits: string | undefined;

  /** `seen`: id of the last event that it got before. */
  constructor(seen: string | undefined) {
    this.#seen = seen;
  }

  /** Events of what it does not have; empty without any. */
  eventsOf({ id, loadTest, limits, isOver }: News): string {
    const isKnown = this.#loadTest === undefined ? id === this.#seen : loadTest === this.#loadTest;
    let text = isKnown ? "" : event("data", loadTest, id);
    if (limits !== this.#limits) text += event("thresholds", limits);
    [this.#loadTest, this.#limits] = [loadTest, limits];
    return isOver ? text + event("end", "{}", END_ID) : text;
  }
}

/** JSON has no line breaks. */
function event(name: string, json: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${json}\n\n`;
}
