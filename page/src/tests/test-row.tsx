import { linkTo } from "../address/address.ts";
import { quotedWord } from "../api/load-tests.ts";
import type { Test } from "../api/tests.ts";
import { sparkPath } from "../charts/spark-path.ts";
import { count, duration, share } from "../format/numbers.ts";
import { dayAndTime } from "../format/times.ts";
import { Quantity } from "../parts/quantity.tsx";
import { changesText, wordsOf } from "../trend/change-words.ts";

/** A test: its link leads to its history, with the runs behind it. */
export function TestRow({ test }: { readonly test: Test }) {
  const { name, loadTests, runs } = test;
  const last = runs.at(-1);
  return (
    <tr>
      <td class="name" title={name}>
        <a href={linkTo({ name: "trend", series: name })}>{name}</a>
      </td>
      <td class="dots">
        <Dots runs={runs} />
      </td>
      <td class="over-time">
        <P95Line test={test} />
      </td>
      <td class="numeric p95">
        <Quantity {...duration(last?.p95)} />
      </td>
      <td class="numeric failed">
        {typeof last?.errRate === "number" ? <Quantity {...share(last.errRate)} /> : "–"}
      </td>
      <td class="state">
        {last?.verdict === "failed" ? <LastFailed id={last.id} /> : null}
        <State test={test} />
      </td>
      <td class="started">
        {last === undefined ? null : (
          <a href={linkTo({ name: "load-test", id: last.id })} title={last.id}>
            {dayAndTime(last.startedAt, Date.now() / 1000, "local")}
          </a>
        )}
      </td>
      <td class="numeric runs">
        <a
          href={linkTo({ name: "list" }, new Map([["search", `name:${quotedWord(name)}`]]))}
          title={`Runs of ${name}`}
        >
          {count(loadTests)}
        </a>
      </td>
    </tr>
  );
}

const [DOT_WIDTH, HEIGHT] = [9, 22];
const MIDDLE = HEIGHT / 2;
const RADIUS = 3;

/** Verdicts of thresholds, latest at the right: a full dot passed, a cross failed, a ring was not evaluated. */
function Dots({ runs }: Pick<Test, "runs">) {
  const failed = runs.filter(({ verdict }) => verdict === "failed").length;
  const judged = runs.filter(({ verdict }) => verdict !== undefined).length;
  const latest = runs.at(-1)?.verdict ?? "not evaluated";
  const text = `${failed} of ${judged} evaluated runs failed, the latest ${latest}`;
  return (
    <svg
      class="verdict-dots"
      role="img"
      aria-label={text}
      width={DOT_WIDTH * runs.length}
      height={HEIGHT}
    >
      <title>{text}</title>
      {runs.map(({ id, verdict }, at) => {
        const x = (at + 0.5) * DOT_WIDTH;
        const cross = `M${x - RADIUS} ${MIDDLE - RADIUS}l6 6m0 -6l-6 6`;
        return verdict === "failed" ? (
          <path key={id} class="failed" d={cross} />
        ) : (
          <circle key={id} class={verdict ?? "open"} cx={x} cy={MIDDLE} r={RADIUS} />
        );
      })}
    </svg>
  );
}

const LINE_WIDTH = 160;

/** p95 of the last runs from 0 up, with a mark where the change began. */
function P95Line({ test: { runs, changes } }: { readonly test: Test }) {
  const values = runs.map(({ p95 }) => p95);
  if (values.every((value) => value === null)) return null;
  const at = runs.findIndex(({ id }) => id === changes[0]?.loadTestId);
  const x = (at * LINE_WIDTH) / runs.length;
  return (
    <svg class="spark" width={LINE_WIDTH} height={HEIGHT} aria-hidden="true">
      {at === -1 ? null : <path class="changed" d={`M${x} 0V${HEIGHT}`} />}
      <path class="spark-edge" d={sparkPath(values, LINE_WIDTH, HEIGHT)} />
    </svg>
  );
}

function LastFailed({ id }: { readonly id: string }) {
  return (
    <a class="last-failed" href={linkTo({ name: "load-test", id })}>
      ✗ last run failed
    </a>
  );
}

/** Such as: slower since nightly-22: GET /search +41 %, GET /cart +40 % and 2 more. */
function State({ test: { state, changes, moreChanges, name } }: { readonly test: Test }) {
  const [first] = changes;
  if (first === undefined) {
    const words = { pending: "…", short: "too few runs", steady: "no lasting change" } as const;
    return <span class="rest">{state in words ? words[state as keyof typeof words] : ""}</span>;
  }
  const { sign, words, kind } = wordsOf(first);
  const { loadTestId } = first;
  const parameters = new Map([
    ["at", loadTestId],
    ...(first.hash ? [["endpoint", first.hash] as const] : []),
  ]);
  const more = moreChanges === 0 ? "" : ` and ${count(moreChanges)} more`;
  const text = `${changesText(changes)}${more}`;
  return (
    <a
      href={linkTo({ name: "trend", series: name }, parameters)}
      title={`${words} since ${loadTestId}: ${text}`}
    >
      <span class={`sign ${kind}`}>{sign}</span>
      {`${words} since ${loadTestId}: `}
      <span class="rest">{text}</span>
    </a>
  );
}
