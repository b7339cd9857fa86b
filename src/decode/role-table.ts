import { type Role, ROLES } from "../model/role.ts";

const FIRST_LABELS = 1024;
const REQUEST = ROLES.indexOf("request");
const SUBRESULT = ROLES.indexOf("subresult");

/** What the rows under each label of one source are: the strongest that was said of one of them. */
export class RoleTable {
  /** Index into `ROLES` by label; a label of which nothing was said is unclear. */
  #roles = new Uint8Array(FIRST_LABELS);

  say(label: number, role: Role): void {
    if (label >= this.#roles.length) this.#grow(label + 1);
    this.#roles[label] = Math.max(this.#roles[label] as number, ROLES.indexOf(role));
  }

  roleOf(label: number): Role {
    return ROLES[this.#roles[label] ?? 0] as Role;
  }

  /** Whether some of the rows are requests: nothing that is said later changes that. */
  isRequest(label: number): boolean {
    return this.#roles[label] === REQUEST;
  }

  /** Whether they are sub-results, by all that was said until now. */
  isSubresult(label: number): boolean {
    return this.#roles[label] === SUBRESULT;
  }

  #grow(labels: number): void {
    const larger = new Uint8Array(Math.max(labels, this.#roles.length * 2));
    larger.set(this.#roles);
    this.#roles = larger;
  }
}
