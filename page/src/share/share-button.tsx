import { useContext, useState } from "preact/hooks";
import { type Link, type Shared, createLink, listLinks, revokeLink } from "../api/links.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ExpiryField, expiryIn } from "../parts/expiry-field.tsx";
import { NewSecret } from "../parts/new-secret.tsx";
import { Popup } from "../parts/popup.tsx";
import { RevokeButton } from "../parts/revoke-button.tsx";
import { nameIn, useSubmit } from "../parts/use-submit.ts";
import { MayWriteContext } from "../shell/may-write.ts";
import { createdText, expiresText, lastUsedText } from "../keys/key-times.ts";

/** Lists, creates and revokes links to what the view shows; needs a key with write access. */
export function ShareButton(shared: Shared) {
  if (!useContext(MayWriteContext)) return null;
  return (
    <Popup button="Share…" buttonClass="quiet" side="right">
      {() => <Panel {...shared} />}
    </Popup>
  );
}

function Panel(shared: Shared) {
  const [version, setVersion] = useState(0);
  const [made, setMade] = useState<{ name: string; url: string } | undefined>(undefined);
  const askAgain = (): void => setVersion((last) => last + 1);
  const { loadTestId, base } = shared;
  const name = `${base ?? ""} ${loadTestId}`;
  const { value, error } = useAnswer("links", name, (signal) => listLinks(shared, signal), {
    version,
  });
  const subject = base === undefined ? "run" : "comparison";
  return (
    <section class="share" aria-label="Share">
      <h2>{`Links to this ${subject}`}</h2>
      <p class="rest">{`Anyone with a link sees this ${subject} and nothing else, without a key.`}</p>
      {error === undefined ? null : <p class="complaint">{`! ${error.message}`}</p>}
      {made === undefined ? (
        <CreateForm
          shared={shared}
          onMade={(link) => {
            setMade(link);
            askAgain();
          }}
        />
      ) : (
        <NewSecret
          title={`Link ${made.name}`}
          secret={made.url}
          onDone={() => setMade(undefined)}
        />
      )}
      <Links links={value ?? []} onRevoked={askAgain} />
    </section>
  );
}

function Links({
  links,
  onRevoked,
}: {
  readonly links: readonly Link[];
  readonly onRevoked: () => void;
}) {
  if (links.length === 0) return null;
  return (
    <ul aria-label="Links">
      {links.toReversed().map((link) => (
        <LinkRow key={link.name} link={link} onRevoked={onRevoked} />
      ))}
    </ul>
  );
}

interface CreateFormProps {
  readonly shared: Shared;
  readonly onMade: (made: { name: string; url: string }) => void;
}

const NAME_LENGTH_MAX = 100;

function CreateForm({ shared, onMade }: CreateFormProps) {
  const { complaint, onSubmit } = useSubmit(async (fields) => {
    const name = nameIn(fields);
    const { key } = await createLink({ ...shared, name, expiresDays: expiryIn(fields) });
    // With the range, the filter and whatever else is shown.
    onMade({ name, url: `${location.origin}${location.pathname}${location.search}#${key}` });
  });
  // A name of its own, so that Enter makes the link.
  const [now] = useState(() => new Date().toISOString().slice(0, 19).replace("T", " "));
  return (
    <form onSubmit={onSubmit}>
      <input
        name="name"
        aria-label="Name of the link"
        defaultValue={`Link of ${now} UTC`}
        onFocus={({ currentTarget }) => currentTarget.select()}
        placeholder="Name, such as its reader"
        maxLength={NAME_LENGTH_MAX}
        autocomplete="off"
        spellcheck={false}
        required
      />
      <ExpiryField />
      <button type="submit" class="filled">
        Create link
      </button>
      <p class="complaint" role="alert">
        {complaint === "" ? "" : `! ${complaint}`}
      </p>
    </form>
  );
}

function LinkRow({ link, onRevoked }: { readonly link: Link; readonly onRevoked: () => void }) {
  const { name } = link;
  const now = Date.now();
  const times = [
    `created ${createdText(link, now)}`,
    link.lastUsedAt === null ? "never opened" : `opened ${lastUsedText(link, now)}`,
    ...(link.expiresAt === null ? [] : [`expires ${expiresText(link, now)}`]),
  ];
  const revoke = async (): Promise<void> => {
    await revokeLink(name);
    onRevoked();
  };
  return (
    <li>
      <b>{name}</b> <span class="rest">{times.join(" · ")}</span>
      <RevokeButton name={name} revoke={revoke} />
    </li>
  );
}
