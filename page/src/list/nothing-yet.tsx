import { linkTo } from "../address/address.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { ChooseButton } from "../upload/choose-button.tsx";
import { AFTER_A_RUN, type ToolCommand, whileItRuns } from "./commands.ts";

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
