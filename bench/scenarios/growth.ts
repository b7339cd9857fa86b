import type { BenchContext, Candidate, Scenario } from "../frame/scenario.ts";
import { atMost, figure, type Medians, type Target } from "../frame/targets.ts";
import { IMPORT_COLUMNS, importing } from "./import-candidates.ts";
import { jtl } from "./import-jtl.ts";
import { TACHOGRAPH } from "./tachograph.ts";

const MILLIONS = [1, 2, 4, 8] as const;
const LABELS = [1, 100, 10_000, 100_000] as const;
const LABELLED_MILLIONS = 2;
const LINE_ERROR_MAX = 0.1;
const LABELS_FACTOR_MAX = 6;

export const growth: Scenario = {
  name: "growth",
  title: "Imports of more rows and of more labels",
  about: `
The import of \`import-jtl\` with other numbers of rows (100 labels), and of labels (${LABELLED_MILLIONS} million rows: with 100,000 labels nearly every row is
a data point of its own). The line is that of least squares through the medians.`,
  columns: [...IMPORT_COLUMNS, { key: "perRow", title: "inside, ns a row", better: "less" }],
  targets: [
    {
      text: "linear in rows: off the line",
      candidates: MILLIONS.map((millions) => rowsName(millions)),
      judge: judgeLine,
    },
    {
      text: "1 to 100,000 labels, per row",
      isHeadline: true,
      candidates: LABELS.map((labels) => labelsName(labels)),
      judge: judgeLabels,
    },
  ],
  async candidates(context) {
    const candidates: Candidate[] = [];
    for (const millions of context.isTable ? [] : MILLIONS) {
      candidates.push(await growing(rowsName(millions), context, { millions }));
    }
    // One after the other: two of them read the same file, which the first one makes.
    for (const labels of LABELS) {
      const size = { millions: LABELLED_MILLIONS, labels };
      candidates.push(await growing(labelsName(labels), context, size));
    }
    return candidates;
  },
};

const FIVE_GIGABYTES = "5 GB";

/** Run only when it is named: the file alone takes minutes. */
export const growthOfMemory: Scenario = {
  name: "import-5gb",
  title: "A result file of 5 GB",
  isSpecial: true,
  about: "25,000,000 rows like those of `import-jtl`, over one hour.",
  columns: IMPORT_COLUMNS,
  targets: [
    atMost({
      text: "resident",
      candidate: FIVE_GIGABYTES,
      column: "resident",
      limit: 256,
      unit: "MB",
    }),
  ],
  candidates: async (context) => [await growing(FIVE_GIGABYTES, context, { millions: 25 })],
};

async function growing(
  name: string,
  context: BenchContext,
  { millions, labels = 100 }: { readonly millions: number; readonly labels?: number },
): Promise<Candidate> {
  const rows = context.isQuick ? millions * 10_000 : millions * 1_000_000;
  const file = await jtl(context, rows, labels);
  const candidate = importing(name, TACHOGRAPH, { file, context });
  return {
    name,
    async open() {
      const opened = await candidate.open();
      return {
        async measure(round) {
          const measured = await opened.measure(round);
          const inside = measured.figures["inside"] ?? Number.NaN;
          // Requests differ from candidate to candidate here.
          return { figures: { ...measured.figures, perRow: (inside / rows) * 1e9 } };
        },
      };
    },
  };
}

function judgeLine(medians: Medians): ReturnType<Target["judge"]> {
  const points = MILLIONS.map((millions) => {
    return { x: millions, y: medians(rowsName(millions), "inside") ?? Number.NaN };
  });
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const slope = mean(({ x, y }) => (x - meanX) * (y - meanY)) / mean(({ x }) => (x - meanX) ** 2);
  const errors = points.map(({ x, y }) => Math.abs(y / (meanY + slope * (x - meanX)) - 1));
  const worst = Math.max(...errors);
  if (Number.isNaN(worst)) return undefined;
  const target = `at most ${LINE_ERROR_MAX * 100} %`;
  return { ours: `${figure(worst * 100)} %`, target, isReached: worst <= LINE_ERROR_MAX };
}

function judgeLabels(medians: Medians): ReturnType<Target["judge"]> {
  const perRow = LABELS.map((labels) => medians(labelsName(labels), "perRow") ?? Number.NaN);
  const factor = Math.max(...perRow) / Math.min(...perRow);
  if (Number.isNaN(factor)) return undefined;
  const target = `at most ${LABELS_FACTOR_MAX} x`;
  return { ours: `${figure(factor)} x`, target, isReached: factor <= LABELS_FACTOR_MAX };
}

function rowsName(millions: number): string {
  return `${millions} million rows`;
}

function labelsName(labels: number): string {
  return labels === 1 ? "1 label" : `${labels.toLocaleString("en")} labels`;
}
