import type { Digests } from "../api/tests.ts";

/** Runs that cannot be read, and why. */
export function UnreadRuns({ unread = [] }: Pick<Digests, "unread">) {
  return (
    <>
      {unread.map(({ id, message }) => (
        <p key={id} class="hint">{`! ${id} cannot be read: ${message}`}</p>
      ))}
    </>
  );
}
