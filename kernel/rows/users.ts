import { HOSTS, TOLD, TOLD_BITS, USERS } from "./layout";
import { UNKNOWN, valueOf } from "./texts";

/** How many users are to be told. */
export let users: u32 = 0;

export function clearUsers(): void {
  users = 0;
}

/** The generator of a source without hosts, once it is known. */
let onlyGenerator: u32 = UNKNOWN;

/** Forgets what was told. */
export function forgetUsers(): void {
  onlyGenerator = UNKNOWN;
  memory.fill(TOLD, 0, (1 << TOLD_BITS) * 12);
}

/** The generator of a host; `UNKNOWN` where TypeScript has not said which one it is. */
export function generatorOf(from: u32, to: u32): u32 {
  return valueOf(HOSTS, from, to - from);
}

/** The generator without a name. */
export function generatorWithoutName(): u32 {
  if (onlyGenerator == UNKNOWN) onlyGenerator = generatorOf(USERS, USERS);
  return onlyGenerator;
}

/** Says how many threads were active, unless as many were told of that second before. */
export function tellUsers(generator: u32, second: u32, active: u32): void {
  const place = (second + generator * 61) & ((1 << TOLD_BITS) - 1);
  const told = TOLD + place * 12;
  const isTold = load<u32>(told) == generator && load<u32>(told, 4) == second;
  if (isTold && active <= load<u32>(told, 8)) return;
  write(told, generator, second, active);
  write(USERS + users * 12, generator, second, active);
  users += 1;
}

function write(to: u32, generator: u32, second: u32, active: u32): void {
  store<u32>(to, generator);
  store<u32>(to, second, 4);
  store<u32>(to, active, 8);
}
