import type { WireBatch } from "./batch.ts";

/** The same batch with only those labels, kinds and generators that it uses, in their order. */
export function namedBatch(batch: WireBatch): WireBatch {
  const { labels, roles, points, failures, users } = batch;
  const endpoints = new Names([points.endpoint, failures?.counts.endpoint ?? []]);
  const kinds = new Names([failures?.counts.kind ?? []]);
  const generators = new Names([users?.counts.generator ?? []]);
  return {
    ...batch,
    labels: endpoints.used(labels).map((label) => label.toWellFormed()),
    ...(roles === undefined ? {} : { roles: endpoints.used(roles) }),
    points: { ...points, endpoint: endpoints.renumber(points.endpoint) },
    ...(failures === undefined
      ? {}
      : {
          failures: {
            kinds: kinds.used(failures.kinds),
            counts: {
              ...failures.counts,
              endpoint: endpoints.renumber(failures.counts.endpoint),
              kind: kinds.renumber(failures.counts.kind),
            },
          },
        }),
    ...(users === undefined
      ? {}
      : {
          users: {
            generators: generators.used(users.generators).map((name) => name.toWellFormed()),
            counts: { ...users.counts, generator: generators.renumber(users.counts.generator) },
          },
        }),
  };
}

/** Numbers names anew, without a change of their order, so that what was sorted stays so. */
class Names {
  readonly #numbers: readonly number[];
  readonly #anew: ReadonlyMap<number, number>;

  constructor(columns: readonly ArrayLike<number>[]) {
    const used = new Set<number>();
    for (const column of columns) {
      for (let row = 0; row < column.length; row++) used.add(column[row] as number);
    }
    this.#numbers = [...used].toSorted((left, right) => left - right);
    this.#anew = new Map(this.#numbers.map((number, anew) => [number, anew]));
  }

  used<Name>(names: readonly Name[]): Name[] {
    return this.#numbers.map((number) => names[number] as Name);
  }

  renumber(column: Uint32Array): Uint32Array {
    return column.map((number) => this.#anew.get(number) as number);
  }
}
