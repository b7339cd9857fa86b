/**
 * A model of who may see what: keys of two projects and of none, links, sessions, and keys that expired or were revoked ask every route
 * that reads, while runs are written, renamed, deleted and made again. Each answer of a server that goes on and remembers must be that of
 * a server that has just begun on the same store, and shows no run that belongs to others.
 */

import { setTimeout as delay } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Parameter } from "../../src/http/request/parameters.ts";
import type { Route } from "../../src/http/route.ts";
import type { Store } from "../../src/store/store.ts";
import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import { openTestServer } from "../support/test-server.ts";

export interface IsolationRun {
  readonly store: Store;
  readonly seed: number;
  readonly steps: number;
}

/** Who asks. */
interface Viewer {
  readonly name: string;
  readonly project: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The load tests that it may see. @default all of its project */
  readonly loadTestIds?: readonly string[];
}

type Begun = ReturnType<typeof openTestServer>;
type Answer = Awaited<ReturnType<Begun["server"]["inject"]>>;

const PROJECTS = [undefined, "web", "app"] as const;
const IDS = ["r1", "r2", "r3"] as const;
const NAMES = ["shop", "blog"] as const;
const AT = 1_700_000_000;
const MINUTE_MS = 60_000;
/** Longer than sessions of a key that another server made are unknown. */
const STEP_MS = 1500;
/** Steps of the clock, which may go back. */
const LEAPS_MS = [-60, 10, 60, 13 * 60].map((minutes) => minutes * MINUTE_MS);
const CODINGS = ["identity", "gzip", "br", "zstd"] as const;
/** A few responses, so that others replace them. */
const SMALL_CACHE_BYTES = 40_000;
const VIEWERS_MAX = 60;
/** Requests that a server without memory is asked. */
const FRESH_FOR = 25;

/** Figures of the process, whoever asks, and what ends with the load test. */
const LEFT_OUT = ["/metrics", "/Api/LoadTests/{id}/Events/Stream"];

/** Answers that are not complete at first. */
const LATER = /^\/Api\/(Digests|Tests)/;

/** In labels, names, tags, texts and files: whose they are. */
function markOf(project: string | undefined, id: string): string {
  return `own:${project ?? "none"}:${id};`;
}

/** Returns how often each status was answered. Throws at the first answer that differs or shows what others have. */
export async function checkIsolation({
  store,
  seed,
  steps,
}: IsolationRun): Promise<Readonly<Record<string, number>>> {
  const world = new World(store, seed);
  await world.begin();
  for (let step = 0; step < steps; step++) {
    try {
      await world.step();
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}`, { cause: error });
    }
  }
  await world.end();
  return world.statuses;
}

class World {
  readonly statuses: Record<string, number> = {};
  readonly #store: Store;
  readonly #random: () => number;
  readonly #servers: readonly Begun[];
  readonly #routes: readonly Route[];
  readonly #viewers: Viewer[] = [];
  /** Of what a viewer has read, by address. */
  readonly #tags = new Map<string, string>();
  /** What was asked lately, and may be asked again. */
  readonly #asked: (readonly [Viewer, string])[] = [];
  #nowMs = AT * 1000;
  #made = 0;
  #fresh: Begun | undefined;
  #freshAsked = 0;

  constructor(store: Store, seed: number) {
    this.#store = store;
    this.#random = randomFrom(seed);
    this.#servers = [undefined, SMALL_CACHE_BYTES].map((bytes) => this.#open(bytes));
    const routes = this.#servers.flatMap(({ server }) => server.routes);
    this.#routes = routes.filter(
      ({ method, path }) => method === "GET" && !LEFT_OUT.includes(path),
    );
  }

  async begin(): Promise<void> {
    this.#viewers.push({ name: "nobody", project: undefined, headers: {} });
    for (const project of PROJECTS) {
      for (const scopes of [["admin"], ["read"], ["write"], ["read", "write"]] as const) {
        await this.#addKey(project, scopes);
      }
      await this.#addKey(project, ["read"], this.#nowMs + MINUTE_MS);
    }
    for (let n = 0; n < 30; n++) await this.#write();
  }

  async step(): Promise<void> {
    this.#nowMs += STEP_MS;
    if (this.#random() < 0.3) await this.#change();
    else await this.#compare();
  }

  async end(): Promise<void> {
    for (const begun of [...this.#servers, this.#fresh]) await begun?.server.close();
  }

  #open(responseCacheBytesMax?: number): Begun {
    const settings = {
      failedKeysMax: 1_000_000_000,
      ...(responseCacheBytesMax === undefined ? {} : { responseCacheBytesMax }),
    };
    const dependencies = { createRequestId: () => "request" };
    return openTestServer(this.#store, { now: () => this.#nowMs, settings, dependencies });
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }

  async #compare(): Promise<void> {
    const isAgain = this.#asked.length > 0 && this.#random() < 0.6;
    const [viewer, url] = isAgain
      ? this.#one(this.#asked)
      : ([this.#one(this.#viewers), this.#address(this.#one(this.#routes))] as const);
    this.#asked.push([viewer, url]);
    if (this.#asked.length > 40) this.#asked.shift();
    const tag = this.#conditionOf(viewer, url);
    const headers = {
      ...viewer.headers,
      "accept-encoding": this.#one(CODINGS),
      ...(tag === undefined ? {} : { "if-none-match": tag }),
    };
    const method = this.#random() < 0.1 ? "HEAD" : "GET";
    const request = { method, url, headers } as const;
    const { server } = this.#one(this.#servers);
    let own = await server.inject(request);
    let fresh = await this.#ofFresh(request);
    for (let left = LATER.test(url) ? 100 : 0; left > 0 && !areEqual(own, fresh); left--) {
      await delay(50);
      [own, fresh] = [await server.inject(request), await this.#ofFresh(request)];
    }
    const about = `${viewer.name} ${method} ${url} ${JSON.stringify(headers)}`;
    if (!areEqual(own, fresh)) {
      throw new Error(`${about}:\nremembered ${factsOf(own)}\nnew        ${factsOf(fresh)}`);
    }
    this.#expectOwn(viewer, own, about);
    if (own.statusCode === 200)
      this.#tags.set(`${viewer.name} ${url}`, String(own.headers["etag"]));
    this.#count(own);
  }

  /** Asks a server without kept responses, which is replaced now and then by one that knows nothing. */
  async #ofFresh(request: Parameters<Begun["server"]["inject"]>[0]): Promise<Answer> {
    if (this.#freshAsked % FRESH_FOR === 0) {
      await this.#fresh?.server.close();
      this.#fresh = this.#open(0);
    }
    this.#freshAsked += 1;
    return (this.#fresh as Begun).server.inject(request);
  }

  #count({ statusCode }: Answer): void {
    this.statuses[statusCode] = (this.statuses[statusCode] ?? 0) + 1;
  }

  #conditionOf(viewer: Viewer, url: string): string | undefined {
    const other = this.#one(this.#viewers);
    const tags = [
      undefined,
      "*",
      '"junk"',
      ...[viewer, other].map(({ name }) => this.#tags.get(`${name} ${url}`)),
    ];
    return this.#one(tags);
  }

  #address({ path, parameters = [] }: Route): string {
    const query = new URLSearchParams();
    for (const parameter of parameters) {
      const value = this.#valueOf(parameter);
      const isMeant = parameter.required || this.#random() < 0.2;
      if ((parameter.in ?? "query") === "query" && isMeant && value !== undefined)
        query.set(parameter.name, value);
    }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const isName = path.includes("Thresholds");
      return name === "id" || name === "loadTestId"
        ? this.#one(IDS)
        : isName
          ? this.#one(NAMES)
          : "a";
    });
    return query.size === 0 ? filled : `${filled}?${query}`;
  }

  #valueOf({ name, schema, example }: Parameter): string | undefined {
    const known: Readonly<Record<string, readonly string[]>> = {
      loadTestId: IDS,
      base: IDS,
      ids: IDS,
      runs: ["r1,r2", "r2,r3"],
      name: NAMES,
      filter: ["GET", "/"],
      search: ["shop", "blog"],
      from: [String(AT)],
      until: [String(AT + 50)],
    };
    const values =
      known[name] ?? ("enum" in schema ? schema.enum : [example].flatMap((each) => each ?? []));
    return values.length === 0 ? undefined : String(this.#one(values));
  }

  #expectOwn({ project, loadTestIds }: Viewer, answer: Answer, about: string): void {
    const text = textOf(answer);
    for (const [mark, owner, id = ""] of text.matchAll(/own:(\w+):(\w+);/g)) {
      const isOwn = owner === (project ?? "none") && (loadTestIds?.includes(id) ?? true);
      if (!isOwn) throw new Error(`${about}: shows ${mark}`);
    }
  }

  async #send(
    viewer: Viewer,
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    body?: object | string,
  ): Promise<Answer> {
    const type =
      Buffer.isBuffer(body) || typeof body === "string"
        ? "application/octet-stream"
        : "application/json";
    const headers = { ...viewer.headers, ...(body === undefined ? {} : { "content-type": type }) };
    const request = { method, url, headers, ...(body === undefined ? {} : { payload: body }) };
    const answer = await this.#one(this.#servers).server.inject(request);
    if (answer.statusCode >= 500)
      throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    this.#count(answer);
    return answer;
  }

  async #change(): Promise<void> {
    const project = this.#one(PROJECTS);
    const [id, name] = [this.#one(IDS), this.#one(NAMES)];
    const writer = this.#viewers.find(
      (each) => each.project === project && each.name.startsWith("read,write"),
    ) as Viewer;
    const admin = this.#viewers.find(
      (each) => each.project === project && each.name.startsWith("admin"),
    ) as Viewer;
    const run = `/Api/LoadTests/${id}`;
    const mark = markOf(project, id);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => this.#write(project, id),
      () => this.#write(project, id),
      () => this.#send(writer, "DELETE", run),
      () =>
        this.#send(
          writer,
          "PATCH",
          run,
          this.#one([
            { name },
            { addTags: ["baseline"] },
            { removeTags: ["baseline"] },
            { finished: true },
            { description: mark },
          ]),
        ),
      () =>
        this.#send(writer, "PUT", `/Api/Thresholds/${name}`, {
          thresholds: [{ failIf: [`p95 > ${1 + Math.floor(900 * this.#random())}ms`] }],
        }),
      () => this.#send(writer, "DELETE", `/Api/Thresholds/${name}`),
      () =>
        this.#send(writer, "POST", `${run}/Events`, {
          text: mark,
          at: new Date(AT * 1000).toISOString(),
        }),
      () => this.#send(writer, "POST", `${run}/Files?name=${encodeURIComponent(mark)}`, mark),
      () => this.#addLink(writer, id),
      () =>
        this.#addKey(
          project,
          ["read"],
          this.#random() < 0.5 ? this.#nowMs + 30 * MINUTE_MS : undefined,
        ),
      () => this.#addSession(this.#one(this.#viewers)),
      () => this.#revoke(admin, this.#one(this.#viewers)),
      async () => void (this.#nowMs += this.#one(LEAPS_MS)),
    ];
    await this.#one(changes)();
    // The first ones stay.
    if (this.#viewers.length > VIEWERS_MAX) this.#viewers.splice(20, 10);
  }

  async #write(project = this.#one(PROJECTS), id: string = this.#one(IDS)): Promise<void> {
    const writer = this.#viewers.find(
      (each) => each.project === project && each.name.startsWith("read,write"),
    ) as Viewer;
    const mark = markOf(project, id);
    await this.#send(writer, "POST", "/Api/LoadTests", {
      id,
      name: this.#one(NAMES),
      tags: [mark],
    });
    const samples = [0, 1, 2].map((at) => ({
      ...sample(
        `GET /${at} ${mark}`,
        AT + Math.floor(100 * this.#random()),
        1000 + Math.floor(900_000 * this.#random()),
      ),
      failed: this.#random() < 0.3,
    }));
    const { loadTestId: _, ...batch } = batchOf(samples, { sourceId: `s${(this.#made += 1)}` });
    await this.#send(
      writer,
      "POST",
      `/Api/LoadTests/${id}/Batches`,
      Buffer.from(encodeBatch(batch)),
    );
  }

  async #addKey(
    project: string | undefined,
    scopes: readonly ("admin" | "read" | "write")[],
    expiresAtMs?: number,
  ): Promise<void> {
    const keyName = `key-${(this.#made += 1)}`;
    const text = await this.#one(this.#servers).ring.create({
      name: keyName,
      scopes,
      expiresAtMs,
      project,
    });
    this.#viewers.push({
      name: `${scopes.join()} ${keyName}`,
      project,
      headers: { "x-service-auth": text },
    });
  }

  async #addLink(writer: Viewer, id: string): Promise<void> {
    const name = `link-${(this.#made += 1)}`;
    const base = this.#random() < 0.5 ? this.#one(IDS.filter((each) => each !== id)) : undefined;
    const body = {
      name,
      loadTestId: id,
      ...(base !== undefined && { base }),
      ...(this.#random() < 0.5 && { files: true }),
    };
    const answer = await this.#send(writer, "POST", "/Api/Links", body);
    if (answer.statusCode !== 201) return;
    const { key } = answer.json<{ key: string }>();
    const loadTestIds = base === undefined ? [id] : [id, base];
    this.#viewers.push({
      name: `link ${name}`,
      project: writer.project,
      headers: { "x-service-auth": key },
      loadTestIds,
    });
  }

  async #addSession({ headers, ...viewer }: Viewer): Promise<void> {
    const text = headers["x-service-auth"];
    if (text === undefined || text === "session") return;
    const session = this.#one(this.#servers).ring.createSession(text);
    if (session === undefined) return;
    const cookie = `tachograph-session-80=${session}; tachograph-session=${session}`;
    this.#viewers.push({
      ...viewer,
      name: `session ${(this.#made += 1)} ${viewer.name}`,
      headers: { "x-service-auth": "session", cookie },
    });
  }

  /** It is asked further on. */
  async #revoke(admin: Viewer, { name }: Viewer): Promise<void> {
    const [kind, id = ""] = name.split(" ");
    if (kind !== "read" && kind !== "link") return;
    await this.#send(admin, "DELETE", kind === "link" ? `/Api/Links/${id}` : `/Api/Keys/${id}`);
  }
}

/** Not how it was sent: a response that is kept has its length, and another one may have none. */
const OF_SENDING = new Set([
  "date",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
]);

function factsOf(answer: Answer): string {
  const headers = Object.entries(answer.headers).filter(([name]) => !OF_SENDING.has(name));
  // Asking is a use of the key, noted a moment later.
  const text = textOf(answer).replaceAll(/"lastUsedAt":(null|"[^"]*")/g, "");
  return JSON.stringify([answer.statusCode, headers.toSorted(byName), text]);
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function textOf({ headers, rawPayload }: Answer): string {
  if (rawPayload.length === 0) return "";
  const coding = headers["content-encoding"];
  if (coding === "gzip") return gunzipSync(rawPayload).toString("latin1");
  if (coding === "br") return brotliDecompressSync(rawPayload).toString("latin1");
  if (coding === "zstd") return zstdDecompressSync(rawPayload).toString("latin1");
  return rawPayload.toString("latin1");
}

function areEqual(own: Answer, fresh: Answer): boolean {
  return factsOf(own) === factsOf(fresh);
}
