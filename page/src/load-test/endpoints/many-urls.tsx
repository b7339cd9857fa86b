import type { Summary } from "../../api/figures.ts";
import { count } from "../../format/numbers.ts";

interface ManyUrlsProps {
  readonly summary: Summary;
  /** Endpoints of the load test. */
  readonly allEndpoints: number;
  readonly id: string;
}

/** Fewer are likely to be named by people. */
const MANY = 1000;

/** If very many labels look like URLs with ids: how to group them. */
export function ManyUrls({ summary: { endpoints }, allEndpoints, id }: ManyUrlsProps) {
  const withIds = endpoints.filter(({ label }) => hasId(label)).length;
  if (allEndpoints <= MANY || withIds * 2 < endpoints.length || withIds === 0) return null;
  return (
    <p class="hint many-urls">
      {`${count(allEndpoints)} endpoints: are they URLs with ids? `}
      <code>{`tachograph labels ${id} --suggest`}</code>
      {" shows what "}
      <code>import --group-urls</code>
      {" would fold."}
    </p>
  );
}

/** A path segment or query value that a person would hardly choose. */
function hasId(label: string): boolean {
  return /[/=](?:\d+|[\da-f]{8,}|[\da-f-]{32,})(?=[/?&#]|$)/i.test(label);
}
