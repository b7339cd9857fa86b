import { useEffect, useState } from "preact/hooks";
import { isLive, type LoadTest } from "../api/load-tests.ts";

/** How often a list is asked for again that has a load test in it that runs. */
const LIVE_EVERY_MS = 5000;

/** A number that grows while one of the load tests runs that were given last. */
export function useLiveVersion(): readonly [
  version: number,
  follow: (loadTests: readonly LoadTest[]) => void,
] {
  const [version, setVersion] = useState(0);
  const [isFollowing, setFollowing] = useState(false);
  useEffect(() => {
    if (!isFollowing) return undefined;
    const timer = setInterval(() => setVersion((last) => last + 1), LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }, [isFollowing]);
  const follow = (loadTests: readonly LoadTest[]): void =>
    setFollowing(loadTests.some((loadTest) => isLive(loadTest, Date.now())));
  return [version, follow];
}
