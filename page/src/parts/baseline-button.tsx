import { useContext } from "preact/hooks";
import { setBaseline } from "../api/trend.ts";
import { MayWriteContext } from "../shell/may-write.ts";
import { useAttempt } from "./use-submit.ts";

interface BaselineButtonProps {
  readonly id: string;
  /** Name of the series whose history begins at the baseline. */
  readonly name: string;
  readonly isBaseline: boolean;
  /** Called when it changed. */
  readonly onChanged: () => void;
}

/** Makes a load test the baseline of its name, or removes that; needs a key with write access. */
export function BaselineButton({ id, name, isBaseline, onChanged }: BaselineButtonProps) {
  const mayWrite = useContext(MayWriteContext);
  const { complaint, isRunning, attempt } = useAttempt();
  if (!mayWrite) return null;
  const onClick = () =>
    attempt(async () => {
      await setBaseline(id, !isBaseline);
      onChanged();
    });
  const title = isBaseline
    ? `Histories of ${name} will begin with its first run again`
    : `Histories of ${name} will begin at this run`;
  return (
    <>
      <button type="button" class="quiet" title={title} disabled={isRunning} onClick={onClick}>
        {isBaseline ? "Remove baseline" : "Set as baseline"}
      </button>
      {complaint === "" ? null : (
        <span class="complaint" role="alert">
          {complaint}
        </span>
      )}
    </>
  );
}
