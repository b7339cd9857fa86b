/** Commands that create a first load test, ready to copy. */

export interface ToolCommand {
  readonly tool: string;
  readonly command: string;
}

/**
 * Tools that write a file. Runs of one name have a history. `;` if the exit code reports failed requests or breached limits: the file is then
 * needed all the more.
 */
export const AFTER_A_RUN: readonly ToolCommand[] = [
  {
    tool: "JMeter",
    command: "jmeter -n -t plan.jmx -l run.jtl && tachograph import --name checkout run.jtl",
  },
  {
    tool: "k6",
    command: "k6 run --out csv=run.csv script.js; tachograph import --name checkout run.csv",
  },
  {
    tool: "Gatling",
    command:
      'tachograph import --name checkout "$(ls -td target/gatling/*/ | head -1)simulation.log"',
  },
  {
    tool: "Locust",
    command:
      "locust --headless -t 60s --csv=run --csv-full-history; tachograph import --name checkout run_stats_history.csv",
  },
  {
    tool: "Artillery",
    command:
      "artillery run --output run.json script.yml; tachograph import --name checkout run.json",
  },
  {
    tool: "Vegeta",
    command:
      "vegeta attack -targets=t.txt -duration=60s -output=run.bin && tachograph import --name checkout run.bin",
  },
];

/** Tools that send results while they run; `service` is the service's URL. */
export function whileItRuns(service: URL): readonly ToolCommand[] {
  return [
    { tool: "k6", command: k6Command(service) },
    { tool: "JMeter", command: "tachograph import --follow --name checkout run.jtl" },
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
