import { useState } from "preact/hooks";
import { askVerdict, type Verdict } from "../../api/thresholds.ts";
import { useAnswer } from "../../api/use-answer.ts";

/** Each check reads the run, and maybe its history. */
const EVERY_MS = 15_000;

interface VerdictRequest {
  readonly id: string;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly isGrowing: boolean;
}

/** The verdict of the thresholds of a load test's name, and a function to call after they were edited. */
export function useVerdict({ id, version, isGrowing }: VerdictRequest): {
  /** The latest one. */
  readonly verdict: Verdict | undefined;
  /** Whether it is of a part of the run: the run grows, or has grown when this was asked. */
  readonly isSoFar: boolean;
  /** Why the current data have no verdict. */
  readonly refusal: string | undefined;
  readonly onEdited: () => void;
} {
  const [edits, setEdits] = useState(0);
  const { value, error } = useAnswer(
    "verdict",
    id,
    async (signal) => ({ verdict: await askVerdict(id, signal), isGrowing }),
    {
      version: edits + (isGrowing ? 0 : version),
      everyMs: () => (isGrowing ? EVERY_MS : undefined),
    },
  );
  return {
    verdict: value?.verdict,
    isSoFar: isGrowing || value?.isGrowing === true,
    refusal: error?.message,
    onEdited: () => setEdits((last) => last + 1),
  };
}
