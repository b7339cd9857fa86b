import { useOutage } from "../api/outage.ts";
import { timeOfDay } from "../format/times.ts";

/** Overlays the bottom of the view during an outage, so that nothing moves. */
export function OutageNotice() {
  const outage = useOutage();
  if (outage === undefined) return null;
  return (
    <p class="outage" role="alert">
      <span class="slow" aria-hidden="true">
        ▲
      </span>{" "}
      <b>{outage.message}</b>{" "}
      <span class="rest">
        {`Showing data of ${timeOfDay(outage.sinceSecond, "local")}; retrying.`}
      </span>
    </p>
  );
}
