import { HOSTS, REPORTED, REPORTED_BITS, USERS } from "./layout";
import { UNKNOWN, valueOf } from "./texts";

/** Number of entries at `USERS`. */
export let users: u32 = 0;

export function clearUsers(): void {
  users = 0;
}

/** Generator of a source without hosts; `UNKNOWN` until it was learnt. */
let onlyGenerator: u32 = UNKNOWN;

/** Clears the cache of reported users. */
export function forgetUsers(): void {
  onlyGenerator = UNKNOWN;
  memory.fill(REPORTED, 0, (1 << REPORTED_BITS) * 12);
}

/** Returns the generator of the host at `[from, to)`, or `UNKNOWN` if it was not learnt. */
export function generatorOf(from: u32, to: u32): u32 {
  return valueOf(HOSTS, from, to - from);
}

/** Returns the generator without a name, or `UNKNOWN` if it was not learnt. */
export function generatorWithoutName(): u32 {
  if (onlyGenerator == UNKNOWN) onlyGenerator = generatorOf(USERS, USERS);
  return onlyGenerator;
}

/** Reports the number of active threads in a UNIX second, unless at least as many were last reported for it. */
export function reportUsers(generator: u32, second: u32, active: u32): void {
  const place = (second + generator * 61) & ((1 << REPORTED_BITS) - 1);
  const entry = REPORTED + place * 12;
  const isReported = load<u32>(entry) == generator && load<u32>(entry, 4) == second;
  if (isReported && active <= load<u32>(entry, 8)) return;
  write(entry, generator, second, active);
  write(USERS + users * 12, generator, second, active);
  users += 1;
}

function write(to: u32, generator: u32, second: u32, active: u32): void {
  store<u32>(to, generator);
  store<u32>(to, second, 4);
  store<u32>(to, active, 8);
}
