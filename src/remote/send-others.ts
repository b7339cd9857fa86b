import { zstdDecompressSync } from "node:zlib";
import type { OtherRequests } from "../model/import-report.ts";
import type { TooManyLabels } from "../model/too-many-labels.ts";
import { KindLimit } from "../operations/kind-limit.ts";
import { noteOnOthers, OtherLabels } from "../operations/other-labels.ts";
import { NO_FAILURES } from "../model/failures.ts";
import { decodeBatch } from "../wire/batch.ts";
import { packBatch, type RemoteTarget } from "./remote-target.ts";

/**
 * Sends batches again that a server has no room for: with the labels that it refuses under
 * `OTHER_LABELS`, and with the number that they had, since nothing of them was stored. A batch that
 * is sent twice is changed alike both times, as long as the server refuses the same.
 */
export class SendOthers {
  readonly #remote: Pick<RemoteTarget, "sendPacked">;
  readonly #kinds = new Map<string, KindLimit>();
  /** By load test. */
  readonly #sent = new Map<string, OtherRequests>();

  constructor(remote: Pick<RemoteTarget, "sendPacked">) {
    this.#remote = remote;
  }

  /** `packed` was refused so. Throws what `sendPacked` throws. */
  async send(
    loadTestId: string,
    packed: Uint8Array<ArrayBuffer>,
    refusal: TooManyLabels,
  ): Promise<void> {
    const { failures = NO_FAILURES, ...batch } = decodeBatch(zstdDecompressSync(packed));
    const kinds = this.#kinds.get(loadTestId) ?? new KindLimit();
    this.#kinds.set(loadTestId, kinds);
    const others = new OtherLabels({ kinds });
    await others.appendRefused({ ...batch, failures }, refusal, (fitting) =>
      this.#remote.sendPacked(loadTestId, packBatch(fitting)),
    );
    const { requests, labelsMax } = others.report() ?? { requests: 0, labelsMax: 0 };
    const before = this.#sent.get(loadTestId)?.requests ?? 0;
    this.#sent.set(loadTestId, { requests: before + requests, labels: undefined, labelsMax });
  }

  /** What is to be said of all that was sent so, load test by load test. */
  notes(): readonly string[] {
    return [...this.#sent].map(([id, other]) => `load test ${id}: ${noteOnOthers(other)}`);
  }
}
