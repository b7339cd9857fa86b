import { useMinute } from "./instants";
import { HOSTS, KINDS, LABELS } from "./layout";
import { clearRequest } from "./roles";
import { forgetTexts } from "./texts";
import { forgetUsers } from "./users";

/** Forgets the source: the next one may be read. */
export function forget(): void {
  forgetTexts(LABELS);
  forgetTexts(HOSTS);
  forgetTexts(KINDS);
  forgetUsers();
  clearRequest();
  useMinute(0, 0);
}
