import { forgetFacets } from "./facets";
import { useMinute } from "./instants";
import { HOSTS, KINDS, LABELS } from "./layout";
import { clearRequest } from "./roles";
import { forgetTexts } from "./texts";
import { forgetUsers } from "./users";

/** Resets the kernel for another source. */
export function forget(): void {
  forgetTexts(LABELS);
  forgetTexts(HOSTS);
  forgetTexts(KINDS);
  forgetFacets();
  forgetUsers();
  clearRequest();
  useMinute(0, 0);
}
