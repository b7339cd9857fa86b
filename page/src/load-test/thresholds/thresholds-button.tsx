import { useContext, useState } from "preact/hooks";
import { askVerdict, type Verdict } from "../../api/thresholds.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Popup } from "../../parts/popup.tsx";
import { MayWriteContext } from "../../shell/may-write.ts";
import { ThresholdsForm } from "./thresholds-form.tsx";
import {
  isOpen,
  leftOutText,
  measuredText,
  policyText,
  resultOf,
  verdictText,
} from "./threshold-words.ts";

interface ThresholdsButtonProps {
  readonly id: string;
  readonly name: string;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly isGrowing: boolean;
}

/** Each check reads the run, and maybe its history. */
const EVERY_MS = 15_000;

/** Whether the load test keeps the thresholds of its name; opens them, to edit with a key that may write. */
export function ThresholdsButton({ id, name, version, isGrowing }: ThresholdsButtonProps) {
  const mayWrite = useContext(MayWriteContext);
  const [edits, setEdits] = useState(0);
  const { value } = useAnswer("verdict", id, (signal) => askVerdict(id, signal), {
    version: edits + (isGrowing ? 0 : version),
    everyMs: () => (isGrowing ? EVERY_MS : undefined),
  });
  if (value === undefined || (value.thresholds.length === 0 && !mayWrite)) return null;
  const text = verdictText(value);
  return (
    <Popup
      side="right"
      buttonClass={value.fails ? "thresholds-failed" : isOpen(value) ? "thresholds-open" : ""}
      button={text === "" ? "Thresholds…" : `Thresholds: ${text}`}
    >
      {(close) => (
        <Panel
          name={name}
          verdict={value}
          mayWrite={mayWrite}
          onSaved={() => {
            setEdits((last) => last + 1);
            close();
          }}
          onCancel={close}
        />
      )}
    </Popup>
  );
}

interface PanelProps {
  readonly name: string;
  readonly verdict: Verdict;
  readonly mayWrite: boolean;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

function Panel({ name, verdict, mayWrite, onSaved, onCancel }: PanelProps) {
  const [isEditing, setEditing] = useState(verdict.thresholds.length === 0);
  return (
    <section class="thresholds" aria-label="Thresholds">
      <h2>Thresholds of {name}</h2>
      {isEditing ? (
        <ThresholdsForm name={name} onSaved={onSaved} onCancel={onCancel} />
      ) : (
        <>
          <Results verdict={verdict} />
          {mayWrite ? (
            <button type="button" onClick={() => setEditing(true)}>
              Edit…
            </button>
          ) : null}
        </>
      )}
    </section>
  );
}

function Results({ verdict }: { readonly verdict: Verdict }) {
  const { thresholds } = verdict;
  const leftOut = leftOutText(verdict);
  return (
    <table>
      {leftOut === "" ? null : (
        <caption>
          The worst {thresholds.length}; {leftOut}
        </caption>
      )}
      <thead>
        <tr>
          <th scope="col">Result</th>
          <th scope="col">Fail if</th>
          <th scope="col">Measured</th>
        </tr>
      </thead>
      <tbody>
        {thresholds.map((checked, index) => {
          const result = resultOf(checked);
          const policy = policyText(checked);
          return (
            <tr key={index}>
              <td class={result.replace(" ", "-")}>{result}</td>
              <td>
                <code>{checked.failIf}</code>
                {policy === "" ? null : <span class="policy">{policy}</span>}
              </td>
              <td>{measuredText(checked, verdict)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
