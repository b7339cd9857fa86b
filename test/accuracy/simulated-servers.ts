/** Simulated closed-loop servers whose capacity is known exactly. */

export interface SimulatedServer {
  readonly workers: number;
  /** Means of exponential distributions, in seconds. */
  readonly serviceSeconds: number;
  readonly thinkSeconds: number;
  /** By how much each further request in the server slows all of them (a share). */
  readonly cost: number;
}

function completionRate(
  { workers, serviceSeconds, cost }: SimulatedServer,
  inside: number,
): number {
  if (inside === 0) return 0;
  return Math.min(inside, workers) / serviceSeconds / (1 + cost * (inside - 1));
}

/** Requests per second in equilibrium: a birth-death process of users who think or are served. */
export function throughputOf(server: SimulatedServer, users: number): number {
  let [weight, weights, weighted] = [1, 1, 0];
  for (let inside = 1; inside <= users; inside++) {
    const rate = completionRate(server, inside);
    weight *= (users - inside + 1) / server.thinkSeconds / rate;
    weights += weight;
    weighted += weight * rate;
    if (weight < 1e200) continue;
    [weights, weighted, weight] = [weights / weight, weighted / weight, 1];
  }
  return weighted / weights;
}

export interface SimulatedRequest {
  /** Seconds from the start of the test. */
  readonly at: number;
  readonly seconds: number;
}

/** All requests of users who arrive as `usersAt` says and never leave. */
export function* simulate(
  server: SimulatedServer,
  usersAt: (second: number) => number,
  seconds: number,
  random: () => number,
): Generator<SimulatedRequest> {
  const started: number[] = [];
  let [now, thinking, users] = [0, 0, 0];
  while (now < seconds) {
    const target = usersAt(Math.floor(now));
    thinking += target - users;
    users = target;
    const arrivals = thinking / server.thinkSeconds;
    const rate = arrivals + completionRate(server, started.length);
    const step = -Math.log(1 - random()) / rate;
    const next = Math.floor(now) + 1;
    if (now + step >= next) {
      now = next;
      continue;
    }
    now += step;
    if (random() * rate < arrivals) {
      thinking -= 1;
      started.push(now);
      continue;
    }
    const served = Math.floor(random() * Math.min(started.length, server.workers));
    const [at = now] = started.splice(served, 1);
    thinking += 1;
    yield { at, seconds: now - at };
  }
}

/** Mulberry32: uniform from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
