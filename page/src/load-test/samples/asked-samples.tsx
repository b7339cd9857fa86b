import { useRef } from "preact/hooks";
import { REST_MS, useSlowly } from "../use-slowly.ts";
import { askSamples, type Samples } from "../../api/samples.ts";
import type { FailureKind, Scope } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { LoadTestPart } from "../part.ts";
import { type Range, stretchText } from "../scope/range.ts";
import { SampleList } from "./sample-list.tsx";

type AskingProps = Pick<LoadTestPart, "scope" | "version" | "formatTime">;

const OF_KIND_MAX = 12;

/** Those of a kind of failure; nothing without any. */
export function KindSamples({ kind, ...asking }: AskingProps & { readonly kind: FailureKind }) {
  const { code, message } = kind;
  const which = { code, message, limit: OF_KIND_MAX };
  const scope = { ...asking.scope, outcome: "failed" } as const;
  return <Asked {...asking} scope={scope} which={which} areOfKind={true} />;
}

export interface NearSamplesProps extends AskingProps {
  /** UNIX seconds, half-open. */
  readonly stretch: Range;
  readonly limit: number;
}

/** The slowest in a stretch, then the nearest to it; nothing without any. */
export function NearSamples({ stretch, limit, scope, ...asking }: NearSamplesProps) {
  return <Asked {...asking} scope={scope} which={{ near: stretchText(stretch), limit }} />;
}

/** Whether any request of a run was kept whole; `false` until it is known, and not asked again once it is. */
export function useHasSamples(id: string, version: number): boolean {
  const scope: Scope = { id, filter: "", hashes: [], from: undefined, until: undefined };
  const knownOf = useRef<string>(undefined);
  const { value } = useAnswer<Samples>(
    "has-samples",
    id,
    (signal) => askSamples(scope, { limit: 1 }, signal),
    { version: useSlowly(knownOf.current === id ? 0 : version, REST_MS) },
  );
  const hasSamples = value !== undefined && value.sampleCount > 0;
  if (hasSamples) knownOf.current = id;
  return hasSamples;
}

interface AskedProps extends AskingProps {
  readonly which: Parameters<typeof askSamples>[1];
  readonly areOfKind?: boolean;
}

/** A new one for each point and kind: until its requests come, it shows none of the last one's. */
function Asked(props: AskedProps) {
  return <AskedAnew key={JSON.stringify(props.which)} {...props} />;
}

function AskedAnew({ scope, version, which, ...words }: AskedProps) {
  const { value } = useAnswer<Samples>(
    "samples",
    JSON.stringify([scope, which]),
    (signal) => askSamples(scope, which, signal),
    { version },
  );
  return value === undefined || value.samples.length === 0 ? null : (
    <SampleList {...value} {...words} />
  );
}
