/** What a counter of the plugin metrics-by-endpoint counts. */
export interface EndpointCounter {
  readonly name: string;
  /** Status of the responses; empty for requests without one. */
  readonly code: string;
  /** Error of requests without a response; empty for others. */
  readonly error: string;
}

/** Unless `metricsNamespace` is set. */
const DEFAULT_NAMESPACE = "plugins.metrics-by-endpoint";
const RESPONSE_TIME = ".response_time.";
const ERRORS = ".errors.";
/** Greedy: the name before it may contain another one. */
const CODE = /^(.*)\.codes\.(\d+)$/s;

/**
 * Finds endpoint names in the keys of a report. Names, namespaces and errors are joined by dots and may contain
 * dots, `.codes.404` and `.errors.`: they are split by the keys that an endpoint has in common.
 */
export class ArtilleryNames {
  readonly #namespaces = new Set<string>();
  readonly #names = new Set<string>();
  /** Keys repeat in every window. */
  readonly #cache = new Map<string, EndpointCounter | undefined>();

  get hasEndpoints(): boolean {
    return this.#namespaces.size > 0;
  }

  /** Learns namespaces and names from keys of one window. */
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
    this.#cache.clear();
  }

  /** `undefined` for other counters. */
  counter(key: string): EndpointCounter | undefined {
    if (this.#cache.has(key)) return this.#cache.get(key);
    const found = this.#find(key);
    this.#cache.set(key, found);
    return found;
  }

  /** Possible keys of the response times of an endpoint. */
  summaryKeys(name: string): string[] {
    return [...this.#namespaces].map((namespace) => `${namespace}${RESPONSE_TIME}${name}`);
  }

  /** Whether a summary has the response times of an endpoint. */
  isTimes(key: string): boolean {
    return [...this.#namespaces].some((each) => key.startsWith(`${each}${RESPONSE_TIME}`));
  }

  #find(key: string): EndpointCounter | undefined {
    for (const namespace of this.#namespaces) {
      if (!key.startsWith(`${namespace}.`)) continue;
      const rest = key.slice(namespace.length + 1);
      const [, name, code] = CODE.exec(rest) ?? [];
      if (name !== undefined && code !== undefined) return { name, code, error: "" };
      const splits = splitsAt(ERRORS, rest);
      // An endpoint without any response has errors only: then the last split counts.
      const split = splits.find(([known]) => this.#names.has(known)) ?? splits.at(-1);
      if (split !== undefined) return { name: split[0], code: "", error: split[1] };
    }
    return undefined;
  }
}

function splitsAt(word: string, key: string): [before: string, behind: string][] {
  const splits: [string, string][] = [];
  for (let at = key.indexOf(word); at >= 0; at = key.indexOf(word, at + 1)) {
    splits.push([key.slice(0, at), key.slice(at + word.length)]);
  }
  return splits;
}
