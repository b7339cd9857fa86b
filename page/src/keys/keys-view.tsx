import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import { type AccessKey, listKeys, type MadeKey } from "../api/keys.ts";
import { useAnswer } from "../api/use-answer.ts";
import { useTitle } from "../shell/use-title.ts";
import { focusFirst } from "../parts/move-focus.ts";
import { NewSecret } from "../parts/new-secret.tsx";
import { Problem } from "../shell/problem.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyTable } from "./key-table.tsx";

/** Where administrators create and revoke the service's keys. */
export function KeysView() {
  const [version, setVersion] = useState(0);
  const [made, setMade] = useState<MadeKey | undefined>(undefined);
  const { value, error } = useAnswer("keys", "all", listKeys, { version });
  const head = useRef<HTMLDivElement>(null);
  useTitle("Keys · Tachograph");
  const askAgain = (): void => setVersion((last) => last + 1);
  if (error !== undefined && value === undefined) return <Refused error={error} />;
  const usable = value?.filter(({ revokedAt }) => revokedAt === null);
  return (
    <main class="keys-view">
      <div class="keys-head" ref={head}>
        <h1>
          Keys <span class="number">{usable?.length}</span>
        </h1>
        <CreateKey
          onMade={(key) => {
            setMade(key);
            askAgain();
          }}
        />
      </div>
      {made === undefined ? null : (
        <NewSecret
          key={made.name}
          title={`Key ${made.name}`}
          secret={made.key}
          onDone={() => {
            setMade(undefined);
            focusFirst(head.current);
          }}
        />
      )}
      {usable === undefined ? null : <KeyTable keys={usable} onRevoked={askAgain} />}
      <p class="hint">
        The same from a terminal: <code>tachograph keys create --name NAME --scope read,write</code>
      </p>
      <RevokedKeys keys={value?.filter(({ revokedAt }) => revokedAt !== null) ?? []} />
    </main>
  );
}

function Refused({ error }: { readonly error: ApiError }) {
  const isForbidden = error.status === 403;
  return (
    <main>
      <Problem
        title={isForbidden ? "Managing keys needs the scope admin" : "Couldn't load the keys"}
      >
        <p>{isForbidden ? "Your key does not have the scope admin." : error.message}</p>
      </Problem>
    </main>
  );
}

/** Names already taken. */
function RevokedKeys({ keys }: { readonly keys: readonly AccessKey[] }) {
  if (keys.length === 0) return null;
  return (
    <details class="revoked-keys">
      <summary>{`${keys.length} revoked`}</summary>
      <p class="rest">{`Their names stay taken: ${keys.map(({ name }) => name).join(", ")}`}</p>
    </details>
  );
}
