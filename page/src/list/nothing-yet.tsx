import { linkTo } from "../address/address.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { ChooseButton, GroupUrls } from "../upload/choose-button.tsx";

interface NothingYetProps {
  /** Whether the user may create keys. */
  readonly isAdministrator: boolean;
}

/** Replaces an empty list: how to add the first load test. */
export function NothingYet({ isAdministrator }: NothingYetProps) {
  const service = new URL(import.meta.env.BASE_URL, location.href);
  const address = service.href.replace(/\/$/, "");
  return (
    <div class="nothing-yet">
      <h1>No runs yet</h1>
      <p class="rest">
        Run the command for your tool in the folder of the results, or drop a result file anywhere
        on this page.
      </p>
      <p class="drop-place">
        <span>
          Drop a result file here{" "}
          <span class="rest">
            JTL, XML, CSV, JSON, simulation.log, .bin, .gz, .zst, of any size
          </span>
        </span>
        <ChooseButton name="Choose file…" />
        <GroupUrls />
      </p>
      <h2>A finished run</h2>
      <Commands commands={AFTER_A_RUN} />
      <p class="rest">
        hey, oha, ab, ghz, siege, Tsung, Taurus, Goose, phout, HAR:{" "}
        <code>tachograph import FILE</code> detects the format.
      </p>
      <h2>While it runs</h2>
      <Commands commands={whileItRuns(service)} />
      <p class="rest">
        The command finds this server by <code>{`TACHOGRAPH_URL=${address}`}</code> and{" "}
        <code>TACHOGRAPH_KEY</code>, a key with the scope write.{" "}
        {isAdministrator ? (
          <a class="underlined" href={linkTo({ name: "keys" })}>
            Make a key
          </a>
        ) : null}
      </p>
    </div>
  );
}

function Commands({ commands }: { readonly commands: readonly ToolCommand[] }) {
  return (
    <table class="commands">
      <tbody>
        {commands.map(({ tool, command }) => (
          <tr key={tool}>
            <th scope="row">{tool}</th>
            <td>
              <code>{command}</code>
            </td>
            <td>
              <CopyButton name="Copy" title={command} textOf={() => command} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Commands that create a first load test, ready to copy. */

/** The command of one tool. */
interface ToolCommand {
  readonly tool: string;
  readonly command: string;
}

/**
 * Tools that write a file. `;` if the exit code reports failed requests or breached limits: the file is then
 * needed all the more.
 */
export const AFTER_A_RUN: readonly ToolCommand[] = [
  { tool: "JMeter", command: "jmeter -n -t plan.jmx -l run.jtl && tachograph import run.jtl" },
  { tool: "k6", command: "k6 run --out csv=run.csv script.js; tachograph import run.csv" },
  {
    tool: "Gatling",
    command: 'tachograph import "$(ls -td target/gatling/*/ | head -1)simulation.log"',
  },
  {
    tool: "Locust",
    command:
      "locust --headless -t 60s --csv=run --csv-full-history; tachograph import run_stats_history.csv",
  },
  {
    tool: "Artillery",
    command: "artillery run --output run.json script.yml; tachograph import run.json",
  },
  {
    tool: "Vegeta",
    command:
      "vegeta attack -targets=t.txt -duration=60s -output=run.bin && tachograph import run.bin",
  },
];

/** Tools that send results while they run; `service` is the service's URL. */
export function whileItRuns(service: URL): readonly ToolCommand[] {
  return [
    { tool: "k6", command: k6Command(service) },
    { tool: "JMeter", command: "tachograph import --follow run.jtl" },
  ];
}

/** k6 takes the whole path of a URL as the name of the load test. */
function k6Command({ protocol, host, pathname }: URL): string {
  if (pathname === "/") {
    return `k6 run --out influxdb=${protocol}//any:KEY@${host}/checkout script.js`;
  }
  const path = pathname.replace(/\/$/, "");
  return (
    `K6_INFLUXDB_ADDR=${protocol}//${host}${path} K6_INFLUXDB_DB=checkout ` +
    "K6_INFLUXDB_USERNAME=any K6_INFLUXDB_PASSWORD=KEY k6 run --out influxdb script.js"
  );
}
