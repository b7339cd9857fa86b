import type { Fault } from "./frame/fault.ts";
import { twoServers } from "./runs/two-servers.ts";

/** All fault runs, in the order of docs/reliability.md. */
export const FAULTS: readonly Fault[] = [twoServers];
