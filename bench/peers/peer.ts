/** What people would use instead of Tachograph, as the benchmark gets and finds it. */
export interface Peer {
  readonly name: string;
  /** As it is known to the benchmark; what was found may tell its own. */
  readonly version: string;
  /** Where it is, or what is missing. */
  readonly find: () => PeerFound | PeerMissing;
  /** Gets it from the registry of its language or distribution into the cache of the benchmark. */
  readonly install: () => void;
}

export interface PeerFound {
  readonly isFound: true;
  /** A folder or a program: what the candidates of this peer know what to do with. */
  readonly path: string;
  /** Variables that its processes need. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface PeerMissing {
  readonly isFound: false;
  readonly reason: string;
}

/** Throws where it is not there: candidates name what they need, and are not opened without it. */
export function foundPeer(peer: Peer): PeerFound {
  const outcome = peer.find();
  if (!outcome.isFound) throw new Error(`${peer.name} is missing: ${outcome.reason}`);
  return outcome;
}

export function missing(reason: string): PeerMissing {
  return { isFound: false, reason };
}

export function found(path: string, environment: Readonly<Record<string, string>> = {}): PeerFound {
  return { isFound: true, path, environment };
}
