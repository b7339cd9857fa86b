/**
 * A model of who may see what: keys of two projects and of none, links, sessions, sign-ins, and keys that expired or were revoked ask every
 * route, while runs are written, renamed, deleted and made again. Each answer of a server that goes on and remembers must be that of a server
 * that has just begun on the same store, and shows no run that belongs to others. Nobody changes what they may not.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Parameter } from "../../src/http/request/parameters.ts";
import type { Route } from "../../src/http/route.ts";
import type { Store } from "../../src/store/store.ts";
import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import { openTestServer } from "../support/test-server.ts";
import { type Answer, areEqual, type Begun, close, factsOf, textOf } from "./isolation-answers.ts";
import { markOf, mayChange, sentTo, type Viewer } from "./isolation-bodies.ts";

export interface IsolationRun {
  readonly store: Store;
  readonly seed: number;
  readonly steps: number;
}

/** As a problem document, or in the errors of other protocols. */
const UNKNOWN_LINK = /:unknown-link|the link was revoked, has expired, or is none/;
const PROJECTS = [undefined, "web", "app"] as const;
const IDS = ["r1", "r2", "r3"] as const;
const NAMES = ["shop", "blog"] as const;
const AT = 1_700_000_000;
const MINUTE_MS = 60_000;
const SIGNED_IN_MS = 12 * 60 * MINUTE_MS;
/** Longer than sessions of a key that another server made are unknown. */
const STEP_MS = 1500;
/** Steps of the clock, which may go back. */
const LEAPS_MS = [-60, 10, 60, 13 * 60].map((minutes) => minutes * MINUTE_MS);
const CODINGS = ["identity", "gzip", "br", "zstd"] as const;
/** A few responses, so that others replace them. */
const SMALL_CACHE_BYTES = 40_000;
const VIEWERS_MAX = 60;
/** The first ones stay. */
const LASTING = 16;
/** Requests that a server without memory is asked. */
const FRESH_FOR = 25;

/** Has figures of the process, whoever asks. */
const OF_PROCESS = "/metrics";

/** Where changes of paths with a word are seen, other than in the list of runs. */
const SEEN_AT: Readonly<Record<string, readonly string[]>> = {
  Keys: ["/Api/Keys"],
  Links: ["/Api/Links"],
  Thresholds: NAMES.map((name) => `/Api/Thresholds/${name}`),
};

/** Answers that are not complete at first. */
const LATER = /^\/Api\/(Digests|Tests)/;

export interface IsolationFigures {
  /** How often each was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations of `/openapi.json` that nobody asked, as `GET /ping`. */
  readonly notAsked: readonly string[];
}

/** Throws at the first answer that differs, shows what others have, or lets someone change what they may not. */
export async function checkIsolation({
  store,
  seed,
  steps,
}: IsolationRun): Promise<IsolationFigures> {
  const world = new World(store, seed);
  try {
    await world.begin();
    for (let step = 0; step < steps; step++) {
      await world.step().catch((cause: unknown) => {
        throw new Error(`seed ${seed}, step ${step}`, { cause });
      });
    }
    return { statuses: world.statuses, notAsked: await world.notAsked() };
  } finally {
    await world.end();
  }
}

class World {
  readonly statuses: Record<string, number> = {};
  readonly #store: Store;
  readonly #random: () => number;
  readonly #servers: readonly Begun[];
  readonly #routes: readonly Route[];
  /** Those that come next, of routes that read and of others. */
  readonly #turns: Record<"reading" | "writing", Route[]> = { reading: [], writing: [] };
  readonly #askedRoutes = new Set<string>();
  /** Ids that were given lately, by the parameter of paths that takes them. */
  readonly #given: Record<string, string[]> = { event: [], file: [], sourceId: [], name: [] };
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
    this.#routes = this.#servers[0]?.server.routes ?? [];
  }

  async begin(): Promise<void> {
    this.#viewers.push({ name: "nobody", project: undefined, headers: {} });
    for (const project of PROJECTS) {
      for (const scopes of [["admin"], ["read"], ["write"], ["read", "write"]] as const) {
        await this.#addKey(project, scopes);
      }
      await this.#addKey(project, ["read"], { expiresAtMs: this.#nowMs + MINUTE_MS });
    }
    for (let n = 0; n < 30; n++) await this.#write();
  }

  async step(): Promise<void> {
    this.#nowMs += STEP_MS;
    if (this.#random() < 0.3) await this.#change();
    else await this.#compare();
  }

  async notAsked(): Promise<readonly string[]> {
    const { server } = this.#one(this.#servers);
    const { paths } = (await server.inject({ method: "GET", url: "/openapi.json" })).json<{
      paths: Readonly<Record<string, object>>;
    }>();
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    return described.filter((each) => !this.#askedRoutes.has(each));
  }

  async end(): Promise<void> {
    for (const begun of [...this.#servers, this.#fresh]) await close(begun);
  }

  #open(responseCacheBytesMax?: number): Begun {
    const settings = {
      failedKeysMax: 1_000_000_000,
      ...(responseCacheBytesMax === undefined ? {} : { responseCacheBytesMax }),
    };
    const dependencies = { createRequestId: () => "request" };
    // Streams of events end at once: all load tests are over.
    const live = { now: () => Number.MAX_SAFE_INTEGER };
    return openTestServer(this.#store, { now: () => this.#nowMs, settings, dependencies, live });
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }

  async #compare(): Promise<void> {
    const isAgain = this.#asked.length > 0 && this.#random() < 0.6;
    const [viewer, url] = isAgain
      ? this.#one(this.#asked)
      : ([this.#one(this.#viewers), this.#address(this.#nextRoute("reading"))] as const);
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
    const isEach = !url.startsWith(OF_PROCESS);
    if (isEach && !areEqual(own, fresh)) {
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
      await close(this.#fresh);
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

  /** Each comes once before any comes again. */
  #nextRoute(kind: "reading" | "writing"): Route {
    if (this.#turns[kind].length === 0) {
      this.#turns[kind] = this.#routes
        .filter(({ method }) => (method === "GET") === (kind === "reading"))
        .map((route) => ({ route, at: this.#random() }))
        .toSorted((left, right) => left.at - right.at)
        .map(({ route }) => route);
    }
    const route = this.#turns[kind].pop() as Route;
    this.#askedRoutes.add(`${route.method} ${route.path}`);
    return route;
  }

  #address({ path, parameters = [] }: Route, id: string = this.#one(IDS)): string {
    const query = new URLSearchParams();
    for (const parameter of parameters) {
      const value = ["db", "bucket"].includes(parameter.name) ? id : this.#valueOf(parameter);
      const isMeant = parameter.required || this.#random() < 0.2;
      if ((parameter.in ?? "query") === "query" && isMeant && value !== undefined)
        query.set(parameter.name, value);
    }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (name === "id" || name === "loadTestId") return id;
      if (path.includes("Thresholds")) return this.#one(NAMES);
      return this.#one(["a", ...(this.#given[name]?.slice(-5) ?? [])]);
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
      async () => {
        const event = { text: mark, at: new Date(AT * 1000).toISOString() };
        const answer = await this.#send(writer, "POST", `${run}/Events`, event);
        this.#noteGiven({ operationId: "addEvent" }, answer);
      },
      async () => {
        const url = `${run}/Files?name=${encodeURIComponent(mark)}`;
        this.#noteGiven({ operationId: "addFile" }, await this.#send(writer, "POST", url, mark));
      },
      () => this.#addLink(writer, id),
      () =>
        this.#addKey(
          project,
          ["read"],
          this.#random() < 0.5 ? { expiresAtMs: this.#nowMs + 30 * MINUTE_MS } : {},
        ),
      () => this.#addSession(this.#one(this.#viewers)),
      () => this.#signIn(project),
      ...Array.from({ length: 8 }, () => () => this.#attempt()),
      () => this.#revoke(admin, this.#one(this.#viewers)),
      async () => void (this.#nowMs += this.#one(LEAPS_MS)),
    ];
    await this.#one(changes)();
    if (this.#viewers.length > VIEWERS_MAX) this.#viewers.splice(LASTING, 10);
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
    const sourceId = `s${(this.#made += 1)}`;
    this.#given["sourceId"]?.push(sourceId);
    const { loadTestId: _, ...batch } = batchOf(samples, { sourceId });
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
    given: { readonly expiresAtMs?: number; readonly isSignIn?: boolean } = {},
  ): Promise<void> {
    const name = `key-${(this.#made += 1)}`;
    const expiresAtMs = given.expiresAtMs;
    const request = { ...given, name, scopes, expiresAtMs, project };
    const text = await this.#one(this.#servers).ring.create(request);
    // Those that others need stay.
    if (scopes.length === 1 && scopes[0] === "read") this.#given["name"]?.push(name);
    this.#viewers.push({
      name: `${scopes.join()} ${name}`,
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

  /** Anyone tries any change. Nobody changes what belongs to others, and those change nothing who may not write. */
  async #attempt(): Promise<void> {
    const viewers = this.#random() < 0.5 ? this.#viewers.slice(0, LASTING) : this.#viewers;
    const [viewer, route] = [this.#one(viewers), this.#nextRoute("writing")];
    const may = mayChange(viewer, route.path);
    const guarded = this.#viewers.filter(
      ({ name, project }) => name.startsWith("admin") && !(may && project === viewer.project),
    );
    const before = await this.#visibleTo(guarded, route);
    const id = this.#one(IDS);
    const second = AT + Math.floor(100 * this.#random());
    const mark = markOf(viewer.project, id);
    const { headers, ...sent } = sentTo(route.operationId, {
      mark,
      id,
      second,
      number: (this.#made += 1),
    });
    const url = this.#address(route, id);
    const { server } = this.#one(this.#servers);
    const answer = await server.inject({
      method: route.method,
      url,
      headers: { ...headers, ...viewer.headers },
      ...sent,
    });
    const about = `${viewer.name} ${route.method} ${url}: ${answer.statusCode} ${answer.body}`;
    const isRefused = [401, 403].includes(answer.statusCode) || UNKNOWN_LINK.test(answer.body);
    if (answer.statusCode >= 500 || (!may && !isRefused)) throw new Error(about);
    this.#expectOwn(viewer, answer, about);
    this.#noteGiven(route, answer);
    this.#count(answer);
    const after = await this.#visibleTo(guarded, route);
    if (after !== before) throw new Error(`${about}:\nbefore ${before}\nafter  ${after}`);
  }

  /** What each sees of the kind that a route changes, on a server without memory. */
  async #visibleTo(viewers: readonly Viewer[], { path }: Route): Promise<string> {
    const facts: string[] = [];
    const seen = Object.entries(SEEN_AT).find(([part]) => path.includes(part))?.[1];
    for (const { name, headers } of viewers) {
      for (const url of seen ?? ["/Api/LoadTests"]) {
        facts.push(`${name} ${factsOf(await this.#ofFresh({ method: "GET", url, headers }))}`);
      }
    }
    return facts.join("\n");
  }

  #noteGiven({ operationId }: Pick<Route, "operationId">, answer: Answer): void {
    const kind = operationId === "addEvent" ? "event" : operationId === "addFile" ? "file" : "";
    if (answer.statusCode === 201) this.#given[kind]?.push(answer.json<{ id: string }>().id);
  }

  /** As after a sign-in with OpenID Connect: a key that is forgotten once it has expired, and its session. */
  async #signIn(project: string | undefined): Promise<void> {
    const scopes = this.#one([["read"], ["read", "write"]] as const);
    const expiresAtMs = this.#nowMs + SIGNED_IN_MS;
    await this.#addKey(project, scopes, { expiresAtMs, isSignIn: true });
    const viewer = this.#viewers.pop();
    if (viewer !== undefined) await this.#addSession(viewer);
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
