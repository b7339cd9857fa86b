import { useMinute } from "./instants";
import { HOSTS, LABELS } from "./layout";
import { clearRequest } from "./roles";
import { forgetTexts } from "./texts";
import { forgetUsers } from "./users";

/** Forgets the source: the next one may be read. */
export function forget(): void {
  forgetTexts(LABELS);
  forgetTexts(HOSTS);
  forgetUsers();
  clearRequest();
  useMinute(0, 0);
}
