import { FILE, FILES_SCHEMA, type FileJson } from "../../api/files.ts";
import { addFile, type FileStore, filesOf, requireFile } from "../../catalogue/files.ts";
import type { Semaphore } from "../../concurrency/semaphore.ts";
import {
  checkFileName,
  fileTooLarge,
  type KeptFile,
  type NewFile,
  safeFileName,
} from "../../model/kept-file.ts";
import { atLeastRate } from "../request/least-rate.ts";
import { pathParameter, textParameter } from "../request/parameters.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../request/selection.ts";
import { entityTag } from "../response/send-response.ts";
import { type Call, jsonResponse, NO_CONTENT, type Route, STORE_ERRORS } from "../route.ts";

const PATH = "/Api/LoadTests/{id}/Files";
const FILE_IN_PATH = pathParameter("file", "Id of the file.");
const BYTES = "application/octet-stream";

/** Limits of a server; a size of 0 forbids such files. */
export interface FileLimits {
  readonly keptFileBytesMax: number;
  readonly attachmentBytesMax: number;
  readonly attachmentsMax: number;
  readonly uploadBytesPerSecondMin: number;
  /** Simultaneous uploads of all projects: each takes up to 20 MB. */
  readonly uploads: Semaphore;
}

interface FileDependencies extends FileStore {
  /** @default none */
  readonly limits: FileLimits | undefined;
}

/** Originals and attachments of load tests. */
export function createFileRoutes(dependencies: FileDependencies): readonly Route[] {
  return [
    {
      method: "GET",
      path: PATH,
      operationId: "listFiles",
      summary: "Files of a load test",
      description: "Lists the original result files that were kept, and attachments.",
      scope: "read",
      parameters: [LOAD_TEST_IN_PATH],
      schema: FILES_SCHEMA,
      errors: ["unknown-load-test", "damaged-store"],
      async handle(values) {
        const files = await filesOf(dependencies, idOf(values));
        return jsonResponse({ files: (await files.list(idOf(values))).map(fileJson) });
      },
    },
    {
      method: "POST",
      path: PATH,
      operationId: "addFile",
      summary: "Attach a file to a load test",
      description:
        "Stores the body as an attachment, or with `source` as the original of that source. It becomes visible once it is complete.",
      scope: "write",
      parameters: [
        LOAD_TEST_IN_PATH,
        { ...textParameter("name", "Name of the file.", "dashboard.png"), required: true },
        textParameter("source", "Id of the source that was read from the file."),
      ],
      body: {
        kind: "stream",
        description: "The file itself.",
        bytesMax: Infinity,
        isOptional: true,
        contentEncoding: "kept",
      },
      schema: FILE,
      statuses: [201],
      errors: [
        "bad-parameter",
        "unknown-load-test",
        "file-too-large",
        "too-many-files",
        "too-many-uploads",
        ...STORE_ERRORS,
      ],
      async handle(values, call) {
        const name = checkFileName(values.get("name") ?? "");
        const about = { loadTestId: idOf(values), name, sourceId: values.get("source") };
        await filesOf(dependencies, about.loadTestId);
        return jsonResponse(fileJson(await receive(about, call, dependencies)), { status: 201 });
      },
    },
    {
      method: "GET",
      path: `${PATH}/{file}`,
      operationId: "getFile",
      summary: "Download a file",
      description:
        "Returns the original bytes, always as a download. A request for a single byte range (`Range`) gets 206.",
      scope: "read",
      parameters: [LOAD_TEST_IN_PATH, FILE_IN_PATH],
      mediaType: BYTES,
      statuses: [200, 206],
      schema: { type: "string", format: "binary", description: "The bytes of the file." },
      errors: ["unknown-load-test", "unknown-file", "damaged-store"],
      async handle(values, call) {
        const file = await requireFile(dependencies, idOf(values), values.get("file") ?? "");
        const tagParts = [file.sha256, file.name];
        const tag = entityTag(tagParts, "identity");
        const range = call.isForHead ? undefined : rangeIn(call, file, tag);
        const { from, until } = range ?? { from: 0, until: file.sizeBytes };
        return {
          status: range === undefined ? 200 : 206,
          contentType: BYTES,
          isPlain: true,
          headers: {
            ...DOWNLOAD,
            "Content-Disposition": dispositionOf(file),
            "Content-Length": String(until - from),
            ...(range && { "Content-Range": `bytes ${from}-${until - 1}/${file.sizeBytes}` }),
          },
          tagParts,
          chunks: () => file.read(from, until),
          release: () => undefined,
        };
      },
    },
    {
      method: "DELETE",
      path: `${PATH}/{file}`,
      operationId: "removeFile",
      summary: "Remove a file of a load test",
      description: "Removes the file with this id, if there is one. The results are kept.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH, FILE_IN_PATH],
      statuses: [204],
      errors: ["unknown-load-test", ...STORE_ERRORS],
      async handle(values) {
        const files = await filesOf(dependencies, idOf(values));
        await files.remove(idOf(values), values.get("file") ?? "");
        return NO_CONTENT;
      },
    },
  ];
}

function fileJson({ id, name, sourceId, sizeBytes, sha256, ...file }: KeptFile): FileJson {
  return {
    id,
    name,
    kind: sourceId === undefined ? "attachment" : "original",
    ...(sourceId === undefined ? {} : { sourceId }),
    sizeBytes,
    sha256,
    addedAt: new Date(file.addedAtMs).toISOString(),
    ...(file.author === undefined ? {} : { author: file.author }),
  };
}

/** Throws `file-too-large` before anything is read, if the length is announced. */
async function receive(
  about: NewFile,
  { body, bodyBytes = 0, key }: Call,
  { files, limits }: FileDependencies,
): Promise<KeptFile> {
  const file = { ...about, author: key?.name || undefined };
  if (limits === undefined) return addFile(files, file, body);
  const { attachmentsMax, uploads, uploadBytesPerSecondMin: bytesPerSecondMin } = limits;
  const isOriginal = about.sourceId !== undefined;
  const bytesMax = isOriginal ? limits.keptFileBytesMax : limits.attachmentBytesMax;
  if (bytesMax === 0 || bodyBytes > bytesMax) throw fileTooLarge(about, bytesMax);
  const chunks = atLeastRate(body, { bytesPerSecondMin, isAwaited: () => uploads.isAwaited });
  const store = () => addFile(files, { ...file, bytesMax, attachmentsMax }, chunks);
  return uploads.run(key?.name ?? "", store);
}

/** Whatever the bytes are, no browser shows or runs them. */
const DOWNLOAD = {
  "Accept-Ranges": "bytes",
  "Content-Security-Policy": "sandbox; default-src 'none'",
};

/** RFC 6266: the name in ASCII, and unchanged in UTF-8 (RFC 8187). */
function dispositionOf(file: KeptFile): string {
  const name = safeFileName(file);
  const plain = name.replace(/[^\x20-\x7E]|[\\]/gu, "_");
  const encoded = encodeURIComponent(name).replace(/['()*!]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The requested range, if it can be sent; `undefined` for all bytes, also if several ranges or those of other bytes are requested. */
function rangeIn(
  { header }: Call,
  { sizeBytes }: KeptFile,
  tag: string,
): { readonly from: number; readonly until: number } | undefined {
  const [given] = header("range");
  const [ifRange = tag] = header("if-range");
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(given ?? "") ?? [];
  if (first + last === "" || ifRange !== tag) return undefined;
  const from = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const until = first === "" || last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  return from < until ? { from, until } : undefined;
}
