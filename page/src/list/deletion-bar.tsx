import { runsText } from "../format/numbers.ts";
import { deleteNow, keepAll, useDeletion } from "./deletion.ts";

/** Above every view while a deletion is pending. */
export function DeletionBar() {
  const { ids, secondsLeft, complaint } = useDeletion();
  if (ids.length === 0) return null;
  const runs = runsText(ids.length);
  const isWaiting = secondsLeft > 0;
  return (
    <div class="deletion" role="region" aria-label="Deletion">
      <span role="status">
        {complaint === undefined ? (
          <b>{isWaiting ? `Deleting ${runs} in a minute` : `Deleting ${runs}…`}</b>
        ) : (
          `! ${runs} not deleted: ${complaint}`
        )}
      </span>
      {isWaiting ? (
        <span class="rest">{`${secondsLeft} s left; closing this tab cancels it`}</span>
      ) : null}
      {isWaiting || complaint !== undefined ? (
        <>
          <button type="button" class="filled" onClick={keepAll}>
            {isWaiting ? "Undo" : "Keep"}
          </button>
          <button type="button" class="quiet" onClick={() => void deleteNow()}>
            {isWaiting ? "Delete now" : "Try again"}
          </button>
        </>
      ) : null}
    </div>
  );
}
