import type { ImportReport } from "../../model/import-report.ts";
import type { ImportProgress } from "../../import/import-results.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { HttpError } from "../response/http-error.ts";
import type { HttpSettings } from "../settings.ts";

export interface UploadState {
  readonly file: string;
  readonly receivedBytes: number;
  /** `undefined` until known. */
  readonly sizeBytes: number | undefined;
  readonly progress: ImportProgress | undefined;
}

interface EndableUpload {
  /** The body, up to its end or to `stop`. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: ImportProgress) => void;
}

interface UploadAbout extends Pick<UploadState, "file" | "sizeBytes"> {
  readonly loadTestId: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Running uploads by load test: their progress, and how to stop them. */
export class RunningUploads {
  readonly #byLoadTest = new Map<string, Set<RunningUpload>>();

  /** Runs an import that `stop` can end. Throws its errors. */
  async run(
    { loadTestId, ...about }: UploadAbout,
    work: (upload: EndableUpload) => Promise<ImportReport>,
  ): Promise<ImportReport> {
    const uploads = this.#byLoadTest.get(loadTestId) ?? new Set();
    this.#byLoadTest.set(loadTestId, uploads);
    const upload = new RunningUpload(about, work);
    uploads.add(upload);
    try {
      return await upload.report;
    } finally {
      uploads.delete(upload);
      if (uploads.size === 0) this.#byLoadTest.delete(loadTestId);
    }
  }

  /** Uploads into a load test, oldest first. */
  of(loadTestId: string): readonly UploadState[] {
    return [...(this.#byLoadTest.get(loadTestId) ?? [])].map(({ state }) => state);
  }

  /**
   * Ends the running uploads of a load test where they are and waits for their reports. An upload of
   * which nothing could be imported has no report.
   */
  async stop(loadTestId: string): Promise<readonly ImportReport[]> {
    const uploads = [...(this.#byLoadTest.get(loadTestId) ?? [])];
    for (const upload of uploads) upload.stop();
    const ends = await Promise.allSettled(uploads.map(({ report }) => report));
    return ends.flatMap((end) => (end.status === "fulfilled" ? end.value : []));
  }
}

class RunningUpload {
  readonly report: Promise<ImportReport>;
  readonly #about: Omit<UploadAbout, "loadTestId">;
  #isStopped = false;
  /** Ends waiting for the next chunk. */
  #giveUp: () => void = () => undefined;
  #receivedBytes = 0;
  #progress: ImportProgress | undefined;

  constructor(
    about: Omit<UploadAbout, "loadTestId">,
    work: (upload: EndableUpload) => Promise<ImportReport>,
  ) {
    this.#about = about;
    this.report = work({
      chunks: this.#chunks(),
      isStopped: () => this.#isStopped,
      onProgress: (progress) => {
        this.#progress = progress;
      },
    });
  }

  get state(): UploadState {
    const { file, sizeBytes } = this.#about;
    return { file, sizeBytes, receivedBytes: this.#receivedBytes, progress: this.#progress };
  }

  stop(): void {
    this.#isStopped = true;
    this.#giveUp();
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    const chunks = this.#about.body[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#unlessStopped(chunks.next());
      if (next === undefined || next.done === true) return;
      this.#receivedBytes += next.value.length;
      yield next.value;
    }
  }

  /**
   * The next chunk, unless the upload is stopped first. Each call makes its own promise: racing against
   * a shared one would keep all chunks in memory.
   */
  #unlessStopped<Next>(next: Promise<Next>): Promise<Next | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Next | undefined>();
    this.#giveUp = () => resolve(undefined);
    if (this.#isStopped) this.#giveUp();
    next.then(resolve, reject);
    return promise;
  }
}

/** Seconds; importing a large file takes that long. */
const RETRY_AFTER = "10";

/** Lets uploads of all projects wait for one another. */
export function createUploadLimit({
  uploadsMax,
  waitingUploadsMax,
}: Pick<HttpSettings, "uploadsMax" | "waitingUploadsMax">): Semaphore {
  return new Semaphore({
    max: uploadsMax,
    waiting: {
      max: waitingUploadsMax,
      refuse: () =>
        new HttpError(
          "too-many-uploads",
          `${uploadsMax} uploads are being received (uploadsMax) and ${waitingUploadsMax} of this key wait ` +
            "(waitingUploadsMax): send fewer at once",
          { headers: { "Retry-After": RETRY_AFTER } },
        ),
    },
  });
}
