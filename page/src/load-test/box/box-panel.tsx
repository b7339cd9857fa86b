import { changeParameters } from "../../address/use-address.ts";
import {
  askFailures,
  askHeatmapEndpoints,
  type Heatmap,
  type HeatmapEndpoints,
  type Scope,
} from "../../api/figures.ts";
import { answerTo, useAnswer } from "../../api/use-answer.ts";
import type { ChartBox } from "../../charts/time-chart-props.ts";
import { count, duration, share } from "../../format/numbers.ts";
import { CopyLink } from "../../parts/copy-button.tsx";
import { Label } from "../../parts/label.tsx";
import { endpointsText, kindName } from "../causes/failure-kinds.ts";
import { Off } from "../../parts/off-button.tsx";
import { NearSamples } from "../samples/asked-samples.tsx";
import { boxText, microsOf } from "./box.ts";

interface BoxPanelProps {
  readonly scope: Scope;
  readonly box: ChartBox;
  /** Those the box was drawn into. */
  readonly heatmaps: readonly Heatmap[];
  readonly version: number;
  readonly formatTime: (second: number) => string;
}

const [ENDPOINTS_LISTED, KINDS_NAMED] = [10, 3];

/** What is in a rectangle of the heatmap: endpoints, and failures of these seconds. */
export function BoxPanel({ scope, box, heatmaps, version, formatTime }: BoxPanelProps) {
  const { from, until } = box;
  const within = { ...scope, from, until };
  const times = microsOf(box, heatmaps);
  const question = JSON.stringify([within, times]);
  const asked = useAnswer(
    "box",
    question,
    async (signal) => {
      const rectangle = { ...times, limit: ENDPOINTS_LISTED };
      const [inside, failures] = await Promise.all([
        askHeatmapEndpoints(within, rectangle, signal),
        askFailures(within, until - from, signal),
      ]);
      return { inside, failures };
    },
    { version },
  );
  const value = answerTo(asked, question);
  const { error } = asked;
  return (
    <section class="box" aria-labelledby="box">
      <div class="section-head">
        <h2 id="box">
          {`${formatTime(from)} to ${formatTime(until - 1)}, ${timesText(box)}`}
          {value === undefined ? null : <Sum inside={value.inside} />}
        </h2>
        <span class="switches">
          <CopyLink />
          <Off label="Close the box" onClick={() => changeParameters({ box: undefined })} />
        </span>
      </div>
      <Bounds box={box} />
      {error === undefined ? null : <p class="hint">{error.message}</p>}
      {value === undefined ? null : (
        <>
          <Endpoints inside={value.inside} hashes={scope.hashes} />
          {value.failures.kinds.length === 0 ? null : (
            <p class="hint">
              {`Failed in these seconds, whatever the response time: ${value.failures.kinds
                .slice(0, KINDS_NAMED)
                .map(
                  (kind) => `${count(kind.count)} × ${kindName(kind)} on ${endpointsText(kind, 2)}`,
                )
                .join("; ")}`}
            </p>
          )}
        </>
      )}
      <NearSamples {...{ stretch: box, scope: within, version, formatTime, limit: 5 }} />
    </section>
  );
}

function timesText({ low, high }: ChartBox): string {
  const [from, until] = [duration(low), duration(high)];
  if (high === Infinity) return `${from.digits} ${from.unit} or more`;
  return `${from.digits} ${from.unit} to ${until.digits} ${until.unit}`;
}

function Sum({ inside: { requests, errCount, ofRequests, unknownRequests } }: InsideProps) {
  const part = ofRequests === 0 ? "" : ` (${shareText(requests / ofRequests)})`;
  const failed = errCount === null ? "" : `, ${count(errCount)} failed`;
  const unknown = unknownRequests === 0 ? "" : `; ${count(unknownRequests)} of unknown time`;
  return (
    <span class="number">
      {` ${count(requests)} of ${count(ofRequests)} requests${part}${failed}${unknown}`}
    </span>
  );
}

function shareText(value: number): string {
  const { digits, unit } = share(value);
  return unit === "" ? digits : `${digits} ${unit}`;
}

interface InsideProps {
  readonly inside: HeatmapEndpoints;
}

/** The response times as fields, for those who do not drag. */
function Bounds({ box }: { readonly box: ChartBox }) {
  const field = (name: "low" | "high", label: string) => (
    <label>
      {`${label} `}
      <input
        type="number"
        min="0"
        step="any"
        value={box[name] === Infinity ? "" : Number((box[name] * 1000).toPrecision(6))}
        onChange={({ currentTarget: { value } }) => {
          const next = { ...box, [name]: valueOf(value, name) };
          if (next.low < next.high) changeParameters({ box: boxText(next) }, "replace");
        }}
      />
      {" ms"}
    </label>
  );
  return (
    <p class="bounds">
      {field("low", "from")} {field("high", "to")}
    </p>
  );
}

/** In seconds; an empty field is no limit. */
function valueOf(text: string, name: "low" | "high"): number {
  if (text === "") return name === "low" ? 0 : Infinity;
  return Number((Math.max(0, Number(text)) / 1000).toFixed(6));
}

function Endpoints({ inside, hashes }: InsideProps & Pick<Scope, "hashes">) {
  const { endpoints, endpointCount, requests: all } = inside;
  if (endpoints.length === 0) return <p class="hint">No request is in this box.</p>;
  const more = endpointCount - endpoints.length;
  return (
    <>
      <table class="measures in-box">
        <thead>
          <tr>
            <th scope="col">endpoint</th>
            <th scope="col" class="numeric">
              requests
            </th>
            <th scope="col" class="numeric">
              of the box
            </th>
            <th scope="col" class="numeric">
              of its requests
            </th>
            <th scope="col" class="numeric">
              failed
            </th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map(({ hash, label, requests, errCount, ofRequests }) => (
            <tr key={hash}>
              <th scope="row" class="label" title={label}>
                <button
                  type="button"
                  class="word"
                  aria-pressed={hashes.includes(hash)}
                  onClick={() =>
                    changeParameters({ endpoints: hashes.join() === hash ? undefined : hash })
                  }
                >
                  <Label label={label} />
                </button>
              </th>
              <td class="numeric">{count(requests)}</td>
              <td class="numeric">{shareText(requests / all)}</td>
              <td class="numeric">{shareText(requests / ofRequests)}</td>
              <td class="numeric">{errCount === null ? "–" : count(errCount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 ? <p class="hint">{`and ${count(more)} more endpoints`}</p> : null}
    </>
  );
}
