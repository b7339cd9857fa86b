import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AccessKey } from "../api/keys.ts";
import { KeyRow } from "./key-row.tsx";

interface KeyTableProps {
  /** By creation time, without revoked keys. */
  readonly keys: readonly AccessKey[];
  readonly onRevoked: () => void;
}

/** The active keys, newest first. */
export function KeyTable({ keys, onRevoked }: KeyTableProps) {
  const [revoked, setRevoked] = useState("");
  const body = useRef<HTMLTableSectionElement>(null);
  const leftRow = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    // The focused row is gone: the row in its place takes the focus, or the last one.
    if (leftRow.current === undefined) return;
    const buttons = body.current?.querySelectorAll<HTMLElement>("tr > :last-child button") ?? [];
    buttons[Math.min(leftRow.current, buttons.length - 1)]?.focus();
    leftRow.current = undefined;
  }, [keys.length]);
  const hasExpiry = keys.some(({ expiresAt }) => expiresAt !== null);
  return (
    <>
      <table class="keys">
        <caption class="hidden-text">Keys</caption>
        <thead>
          <tr>
            <th>name</th>
            <th class="scopes">scopes</th>
            <th class="created" aria-sort="descending">
              created ▾
            </th>
            <th class="used">last used</th>
            {hasExpiry ? <th class="expires">expires</th> : null}
            <th class="revoke">
              <span class="hidden-text">revoke</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {keys.toReversed().map((key, index) => (
            <KeyRow
              key={key.name}
              accessKey={key}
              hasExpiry={hasExpiry}
              onRevoked={() => {
                leftRow.current = index;
                setRevoked(key.name);
                onRevoked();
              }}
            />
          ))}
        </tbody>
      </table>
      <p class="hidden-text" role="status">
        {revoked === "" ? "" : `Key ${revoked} is revoked`}
      </p>
    </>
  );
}
