import { totalRetryWait } from '../../../lib/lint';

/** A way to try again, as a line of the plot. Times are milliseconds. */
interface Row {
  readonly name: string;
  readonly note: string;
  readonly limit: number;
  readonly duration: number;
  readonly factor: number;
  readonly cap: number;
}

const rows: readonly Row[] = [
  {
    name: 'Default',
    note: '6 retries, 15s × 2, at most 60s',
    ...{ limit: 6, duration: 15_000, factor: 2, cap: 60_000 },
  },
  {
    name: 'Patient',
    note: '8 retries, 15s × 2, at most 60s',
    ...{ limit: 8, duration: 15_000, factor: 2, cap: 60_000 },
  },
  {
    name: 'Official example',
    note: '10 retries, 1s × 2, at most 5s',
    ...{ limit: 10, duration: 1_000, factor: 2, cap: 5_000 },
  },
  { name: 'No back-off', note: '10 retries at once', ...{ limit: 10, duration: 0, factor: 1, cap: 0 } },
];

const left = 230;
const width = 760;
const right = width - 30;
const rowHeight = 44;
const top = 46;
const most = 420;
const bottom = top + rows.length * rowHeight;

/** Seconds as a place. */
const x = (seconds: number): number => Math.round((left + ((right - left) * seconds) / most) * 10) / 10;

const style = [
  'svg{background:#fff;font:12px system-ui,sans-serif;fill:#1f2328}',
  '.quiet{fill:#59636e}',
  '.grid{stroke:#d1d9e0}',
  '.refused{fill:#bc4c00;fill-opacity:.13}',
  '.enough{stroke:#1a7f37;stroke-dasharray:4 3}',
  '.wait{stroke:#0969da;stroke-width:2}',
  '.try{fill:#0969da}',
  '@media (prefers-color-scheme:dark){svg{background:#0d1117;fill:#e6edf3}.quiet{fill:#9198a1}.grid{stroke:#3d444d}.wait{stroke:#4493f8}.try{fill:#4493f8}.enough{stroke:#3fb950}.refused{fill:#f0883e;fill-opacity:.2}}',
].join('');

/** When the retries of four strategies begin, and how long a certificate is on its way: an SVG for the pages. */
export function retryPlot(): string {
  const ticks = [0, 60, 120, 180, 240, 300, 360, 420];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 50}" width="${width}" height="${bottom + 50}" role="img" aria-labelledby="title description">`,
    '<title id="title">When retries begin, in seconds after the first try</title>',
    `<desc id="description">${rows.map((row) => `${row.name}: ${momentsOf(row).join(', ')}.`).join(' ')}</desc>`,
    `<style>${style}</style>`,
    `<rect class="refused" x="${x(0)}" y="${top - 12}" width="${x(90) - x(0)}" height="${bottom - top + 12}"/>`,
    `<text class="quiet" x="${x(45)}" y="${top - 18}" text-anchor="middle">pods may be refused</text>`,
    ...ticks.map(
      (tick) =>
        `<line class="grid" x1="${x(tick)}" y1="${top - 12}" x2="${x(tick)}" y2="${bottom}"/><text class="quiet" x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`,
    ),
    `<line class="enough" x1="${x(180)}" y1="${top - 12}" x2="${x(180)}" y2="${bottom}"/>`,
    `<text class="quiet" x="${x(180)}" y="${top - 18}" text-anchor="middle">least wait</text>`,
    ...rows.flatMap((row, index) => rowOf(row, top + index * rowHeight + 14)),
    `<text class="quiet" x="${x(most / 2)}" y="${bottom + 38}" text-anchor="middle">seconds after the first try</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function rowOf(row: Row, y: number): readonly string[] {
  const moments = momentsOf(row);
  return [
    `<text x="12" y="${y - 2}">${row.name}</text><text class="quiet" x="12" y="${y + 14}">${row.note}</text>`,
    `<line class="wait" x1="${x(0)}" y1="${y}" x2="${x(moments.at(-1)!)}" y2="${y}"/>`,
    ...[0, ...moments].map((moment) => `<circle class="try" cx="${x(moment)}" cy="${y}" r="4"/>`),
  ];
}

/** Seconds after the first try at which each retry begins. */
export function momentsOf({ limit, ...backoff }: Omit<Row, 'name' | 'note'>): readonly number[] {
  return Array.from({ length: limit }, (_, before) => totalRetryWait(before + 1, backoff) / 1000);
}
