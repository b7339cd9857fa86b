/**
 * Random requests derived from the OpenAPI document: almost valid, wrong in one place, or entirely wrong. The
 * same seed gives the same requests.
 */

import { withoutReferences } from "../../build/client/operations-text.ts";
import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import type {
  ApiDocument,
  Operation,
  OperationParameter,
  ParameterSchema,
} from "./described-answer.ts";

export interface GeneratedRequest {
  /** The path template in the document. */
  readonly path: string;
  /** In upper case. */
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Dependencies {
  readonly document: ApiDocument;
  /** Keys to choose from, including invalid ones. */
  readonly keys: readonly string[];
  /** A load test that no request changes. */
  readonly loadTestId: string;
  readonly seed: number;
}

const TEXTS = [
  ..." |a|GET /cart|%00|%|%2e%2e%2f|../..|__proto__|constructor|true|é|商品|{}|null|NaN".split("|"),
  ..."-1|0|1|1.5|1e3|4294967295|4294967296|9007199254740992|99999999999999999999".split("|"),
  "",
  "\u{1f6d2}",
  "\u202eabc",
  "a\u0000b",
  "a\r\nb: c",
  "'\"<>&",
  "x".repeat(300),
];
const ACCEPTS = [
  "*/*",
  "text/csv",
  "application/json",
  "text/plain;q=0.5",
  "nonsense",
  ";;;",
  "a/b,*/*;q=0",
];
const CODINGS = [
  "gzip",
  "br",
  "zstd",
  "identity",
  "gzip;q=0",
  "*;q=0",
  "deflate, gzip",
  "compress",
];
const TYPES = [
  "application/json",
  "text/plain",
  "application/octet-stream",
  "application/json; charset=x",
  "x",
];
const LINES = [
  "timeStamp,elapsed,label,success\n1700000000000,5,a,true\n",
  "http_req_duration,name=a,status=200 value=5 1700000000000000000\n",
  "<!doctype html>",
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><testResults>&b;</testResults>',
  '{"type":"Point","metric":"http_req_duration","data":{"time":"2026-11-21T10:00:00Z","value":1,"tags":{}}}\n',
];

/** The n-th request does not depend on how those before it are used. */
export function* generateRequests(dependencies: Dependencies): Generator<GeneratedRequest> {
  const { paths, components } = dependencies.document;
  const whole = withoutReferences(paths, components.schemas) as ApiDocument["paths"];
  const operations = Object.entries(whole).flatMap(([path, methods]) =>
    // Every GET also supports HEAD.
    Object.entries({ ...methods, ...("get" in methods && { head: methods["get"] }) }).map(
      ([method, operation]) => ({ path, method, operation }),
    ),
  );
  const maker = new RequestMaker(dependencies);
  for (;;) {
    const { path, method, operation } = maker.oneOf(operations);
    yield maker.request(path, method.toUpperCase(), operation);
  }
}

class RequestMaker {
  readonly #random: () => number;
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#random = randomFrom(dependencies.seed);
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] as Choice;
  }

  request(path: string, method: string, operation: Operation): GeneratedRequest {
    const isReading = method === "GET" || method === "HEAD";
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      this.#pathPart(name, isReading),
    );
    const query = this.#query(operation);
    const body = this.#body(operation, isReading);
    return {
      path,
      method,
      target: query === "" ? place : `${place}?${query}`,
      headers: this.#headers(operation),
      body,
    };
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pathPart(name: string, isReading: boolean): string {
    if (name === "id" && isReading && this.#chance(0.6)) return this.#dependencies.loadTestId;
    // Only made-up names for requests that change something.
    if (this.#chance(0.5)) return `made-${Math.floor(this.#random() * 20)}`;
    const text = encodeURIComponent(this.oneOf(TEXTS));
    return text === "" || /^\.+$/.test(text) ? "%2e" : `made${text}`;
  }

  #query({ parameters }: Operation): string {
    const fields: string[] = [];
    for (const parameter of parameters) {
      if (parameter.in !== "query" || !this.#chance(parameter.required ? 0.95 : 0.35)) continue;
      const field = this.#field(parameter);
      fields.push(...(this.#chance(0.03) ? [field, field] : [field]));
    }
    if (this.#chance(0.1)) fields.push(`${this.#encoded(this.oneOf(TEXTS))}=${this.#encoded("x")}`);
    if (this.#chance(0.02)) fields.push(this.oneOf(["%FF", "&&", "=", "a=%zz", "=%E0%A4"]));
    return fields.join("&");
  }

  #field({ name, schema, example }: OperationParameter): string {
    const isLoadTest = name === "loadTestId" || name === "base";
    const good = isLoadTest ? this.#dependencies.loadTestId : example;
    const value = this.#chance(0.7) ? (good ?? this.#valueOf(schema)) : this.oneOf(TEXTS);
    return `${name}=${this.#encoded(value)}`;
  }

  #encoded(text: string): string {
    return this.#chance(0.05) ? text.replaceAll(/[^\w.-]/g, "%FF") : encodeURIComponent(text);
  }

  #valueOf({ type, enum: choices, minimum, maximum }: ParameterSchema): string {
    if (choices !== undefined) return this.oneOf(choices);
    if (type === "boolean") return this.oneOf(["true", "false"]);
    if (type !== "integer" && type !== "number") return this.oneOf(TEXTS);
    const [least, most] = [minimum ?? 0, maximum ?? 2 ** 32];
    return String(this.oneOf([least, most, least - 1, most + 1, least + 1, 1_700_000_000]));
  }

  #headers({ security }: Operation): Record<string, string> {
    const headers: Record<string, string> = {};
    const hasKey = security.length > 0 ? this.#chance(0.95) : this.#chance(0.2);
    if (hasKey) headers["X-Service-Auth"] = this.oneOf(this.#dependencies.keys);
    if (this.#chance(0.15)) headers["Accept"] = this.oneOf(ACCEPTS);
    if (this.#chance(0.3)) headers["Accept-Encoding"] = this.oneOf(CODINGS);
    if (this.#chance(0.1))
      headers["If-None-Match"] = this.oneOf(["*", '"a"', "W/", "x", '"a", "b"']);
    if (this.#chance(0.05)) headers["Content-Encoding"] = this.oneOf(CODINGS);
    if (this.#chance(0.05)) headers["Origin"] = this.oneOf(["null", "https://a.example", "x"]);
    if (this.#chance(0.8))
      headers["Content-Type"] = this.#chance(0.8) ? "application/json" : this.oneOf(TYPES);
    return headers;
  }

  #body({ requestBody }: Operation, isReading: boolean): Buffer | undefined {
    if (requestBody === undefined) {
      return this.#chance(isReading ? 0.01 : 0.05) ? Buffer.from("x") : undefined;
    }
    if (this.#chance(0.05)) return undefined;
    const schema = requestBody.content["application/json"]?.schema;
    const whole =
      schema === undefined ? this.#stream() : Buffer.from(this.#json(schema.properties));
    return this.#chance(0.2) ? this.#mutated(whole) : whole;
  }

  #json(properties: Readonly<Record<string, ParameterSchema>>): string {
    const members = Object.entries(properties)
      .filter(() => this.#chance(0.6))
      .map(([name, schema]): [string, unknown] => [name, this.#memberOf(name, schema)]);
    if (this.#chance(0.05)) members.push([this.oneOf(TEXTS), 1]);
    return JSON.stringify(Object.fromEntries(members));
  }

  #memberOf(name: string, { type, items, ...schema }: ParameterSchema): unknown {
    if (this.#chance(0.1)) return this.oneOf([null, [], {}, -1, 1e300, "x", true, [[]], "\ud800"]);
    if (name === "id") return `made-${Math.floor(this.#random() * 20)}`;
    if (type === "boolean") return this.#chance(0.5);
    if (type === "integer" || type === "number") return Number(this.#valueOf({ type, ...schema }));
    if (items !== undefined) return [this.#valueOf(items), this.#valueOf(items)];
    return this.#valueOf(schema);
  }

  #stream(): Buffer {
    if (this.#chance(0.3)) {
      const sequence = Math.floor(this.#random() * 5);
      return Buffer.from(
        encodeBatch(batchOf([sample(this.oneOf(TEXTS), 1_700_000_000)], { sequence })),
      );
    }
    return Buffer.from(this.oneOf(LINES));
  }

  /** With a byte changed, truncated, or repeated. */
  #mutated(bytes: Buffer): Buffer {
    const at = Math.floor(this.#random() * bytes.length);
    const changed = Buffer.from(bytes);
    if (bytes.length > 0) changed[at] = Math.floor(this.#random() * 256);
    return this.oneOf([changed, bytes.subarray(0, at), Buffer.concat([bytes, bytes])]);
  }
}
