/** What a counter of the plugin metrics-by-endpoint counts. */
export interface EndpointCounter {
  /** The name of the endpoint. */
  readonly name: string;
  /** The status of the responses; empty for requests that ended without one. */
  readonly code: string;
  /** The error of the requests that ended without a response; empty for those that had one. */
  readonly error: string;
}

/** Where the plugin writes unless `metricsNamespace` says another place. */
const DEFAULT_NAMESPACE = "plugins.metrics-by-endpoint";
const RESPONSE_TIME = ".response_time.";
const ERRORS = ".errors.";
/** The last `.codes.404` of a key: the name in front of it may hold another one. */
const CODE = /^(.*)\.codes\.(\d+)$/s;

/**
 * Finds the names of endpoints in the keys of a report. Names, namespaces and errors are joined by
 * dots and may all hold dots, `.codes.404` and `.errors.` themselves: what belongs together is found
 * by the keys that one endpoint has in common, its counters of codes and its response times.
 */
export class ArtilleryNames {
  readonly #namespaces = new Set<string>();
  readonly #names = new Set<string>();
  /** Keys come again in every window. */
  readonly #known = new Map<string, EndpointCounter | undefined>();

  /** Whether the plugin has written anything. */
  get hasEndpoints(): boolean {
    return this.#namespaces.size > 0;
  }

  /** Learns namespaces and names from keys that were written together. */
  learn(counters: readonly string[], summaries: readonly string[]): void {
    const counted = new Set(counters.flatMap((key) => CODE.exec(key)?.[1] ?? []));
    if (counters.some((key) => key.startsWith(`${DEFAULT_NAMESPACE}.`))) {
      this.#namespaces.add(DEFAULT_NAMESPACE);
    }
    for (const key of summaries) {
      for (const [namespace, name] of splitsAt(RESPONSE_TIME, key)) {
        if (!counted.has(`${namespace}.${name}`)) continue;
        this.#namespaces.add(namespace);
        this.#names.add(name);
        break;
      }
    }
    this.#known.clear();
  }

  /** What a counter counts, if it is one of the plugin. */
  counter(key: string): EndpointCounter | undefined {
    if (this.#known.has(key)) return this.#known.get(key);
    const found = this.#find(key);
    this.#known.set(key, found);
    return found;
  }

  /** The keys under which the response times of an endpoint may stand. */
  summaryKeys(name: string): string[] {
    return [...this.#namespaces].map((namespace) => `${namespace}${RESPONSE_TIME}${name}`);
  }

  #find(key: string): EndpointCounter | undefined {
    for (const namespace of this.#namespaces) {
      if (!key.startsWith(`${namespace}.`)) continue;
      const rest = key.slice(namespace.length + 1);
      const [, name, code] = CODE.exec(rest) ?? [];
      if (name !== undefined && code !== undefined) return { name, code, error: "" };
      const splits = splitsAt(ERRORS, rest);
      // An endpoint without any response is known by its errors alone: then the last split counts.
      const split = splits.find(([known]) => this.#names.has(known)) ?? splits.at(-1);
      if (split !== undefined) return { name: split[0], code: "", error: split[1] };
    }
    return undefined;
  }
}

/** Every way to split a key at a word. */
function splitsAt(word: string, key: string): [before: string, behind: string][] {
  const splits: [string, string][] = [];
  for (let at = key.indexOf(word); at >= 0; at = key.indexOf(word, at + 1)) {
    splits.push([key.slice(0, at), key.slice(at + word.length)]);
  }
  return splits;
}
