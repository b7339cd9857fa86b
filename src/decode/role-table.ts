import { type Role, ROLES } from "../model/role.ts";

const FIRST_LABELS = 1024;
const REQUEST = ROLES.indexOf("request");
const SUBRESULT = ROLES.indexOf("subresult");

/** The strongest role recorded for each label of a source. */
export class RoleTable {
  /** Index into `ROLES` by label. */
  #roles = new Uint8Array(FIRST_LABELS);

  say(label: number, role: Role): void {
    if (label >= this.#roles.length) this.#grow(label + 1);
    this.#roles[label] = Math.max(this.#roles[label] as number, ROLES.indexOf(role));
  }

  roleOf(label: number): Role {
    return ROLES[this.#roles[label] ?? 0] as Role;
  }

  /** Whether some rows are requests, which is final. */
  isRequest(label: number): boolean {
    return this.#roles[label] === REQUEST;
  }

  /** Whether all rows so far are sub-results. */
  isSubresult(label: number): boolean {
    return this.#roles[label] === SUBRESULT;
  }

  #grow(labels: number): void {
    const larger = new Uint8Array(Math.max(labels, this.#roles.length * 2));
    larger.set(this.#roles);
    this.#roles = larger;
  }
}
