import type { Socket } from "node:net";
import type { AccessKey } from "../model/access-key.ts";
import { loggedTarget } from "./access-log.ts";
import { checkKey, type KeyCheck } from "./check-key.ts";
import type { Connections } from "./connections.ts";
import type { Arrival } from "./exchange.ts";
import {
  type ParameterSources,
  type ParameterValues,
  readParameters,
} from "./request/parameters.ts";
import { parseQuery } from "./request/request-target.ts";
import { HttpError } from "./response/http-error.ts";
import type { Route } from "./route.ts";
import type { HttpSettings } from "./settings.ts";

export interface AdmissionRules {
  readonly keyCheck: KeyCheck;
  readonly connections: Connections;
  readonly settings: HttpSettings;
}

/** The head of a request, at any door. */
interface RequestHead {
  readonly route: Route;
  readonly socket: Socket;
  readonly path: string;
  /** As sent, behind the question mark. */
  readonly query: string;
  readonly pathParameters: ParameterSources["path"];
  readonly header: ParameterSources["header"];
}

interface Admitted {
  /** `undefined` where the route needs none. */
  readonly key: AccessKey | undefined;
  readonly sentKey: string | undefined;
  readonly values: ParameterValues;
}

/**
 * Decides by its head whether a request is handled: its key, then its parameters. Throws `duplicate-header`, `busy`, `bad-encoding`,
 * `bad-parameter`, and what `checkKey` throws.
 */
export async function admit(
  arrival: Arrival,
  head: RequestHead,
  rules: AdmissionRules,
): Promise<Admitted> {
  const { route } = head;
  const sentKey = readKey(head, rules.keyCheck);
  limitRequests(arrival, head, rules);
  const key = await checkKey(arrival, route, sentKey, rules.keyCheck);
  return { key, sentKey, values: readValues(arrival, head) };
}

/** The key as sent; `undefined` where the route needs none. Throws `duplicate-header`. */
function readKey(
  { route: { scope, keyReader: ownReader }, header, query }: RequestHead,
  { keyReader: commonReader }: KeyCheck,
): string | undefined {
  if (scope === undefined) return undefined;
  return (ownReader ?? commonReader).read({ header, query: () => parseQuery(query) });
}

/** Throws `busy` if the client has too many requests in flight through a trusted proxy. */
function limitRequests(
  { address }: Arrival,
  { route: { scope }, socket }: RequestHead,
  { connections, settings }: AdmissionRules,
): void {
  const isOneTooMany = connections.begin(socket, address);
  if (scope === undefined || !isOneTooMany) return;
  throw new HttpError(
    "busy",
    `${settings.connectionsPerAddressMax} requests of this address are in progress, the limit ` +
      "that connectionsPerAddressMax allows: ask again in a few seconds",
  );
}

/** Throws `bad-encoding`, `bad-parameter`. */
function readValues(arrival: Arrival, head: RequestHead): ParameterValues {
  const { route, path, pathParameters, header } = head;
  const query = parseQuery(head.query);
  arrival.loggedTarget = loggedTarget(path, query);
  const read = readParameters({ query, path: pathParameters, header }, route.parameters ?? []);
  const { values } = read;
  const complaints = [...read.complaints, ...(route.check?.(values) ?? [])];
  if (complaints.length === 0) return values;
  const details = complaints.map(({ detail }) => detail);
  throw new HttpError("bad-parameter", details.join("; "), { complaints });
}
