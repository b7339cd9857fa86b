import { type AccessKey, revokeKey } from "../api/keys.ts";
import { RevokeButton } from "../parts/revoke-button.tsx";
import { createdText, expiresText, lastUsedText } from "./key-times.ts";

interface KeyRowProps {
  readonly accessKey: AccessKey;
  /** Whether the table has this column. */
  readonly hasExpiry: boolean;
  readonly onRevoked: () => void;
}

/** A key, with the button that revokes it. */
export function KeyRow({ accessKey, hasExpiry, onRevoked }: KeyRowProps) {
  const { name, scopes, lastUsedAt, current } = accessKey;
  const now = Date.now();
  const revoke = async (): Promise<void> => {
    await revokeKey(name);
    onRevoked();
  };
  return (
    <tr>
      <th scope="row">
        {name} {current ? <span class="none">this key</span> : null}
      </th>
      <td class="scopes">{scopes.join(", ")}</td>
      <td class="created">{createdText(accessKey, now)}</td>
      <td class={lastUsedAt === null ? "used none" : "used"}>{lastUsedText(accessKey, now)}</td>
      {hasExpiry ? <Expiry accessKey={accessKey} nowMs={now} /> : null}
      <td class="revoke">
        <RevokeButton
          name={name}
          consequence={current ? "This page will need another key." : undefined}
          revoke={revoke}
        />
      </td>
    </tr>
  );
}

function Expiry({ accessKey, nowMs }: { readonly accessKey: AccessKey; readonly nowMs: number }) {
  const isNever = accessKey.expiresAt === null;
  return <td class={isNever ? "expires none" : "expires"}>{expiresText(accessKey, nowMs)}</td>;
}
