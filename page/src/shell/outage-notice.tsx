import { useOutage } from "../api/outage.ts";
import { timeOfDay } from "../format/times.ts";

/** Over the foot of the view, so that nothing moves, while the service is away. */
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
