/** The words of the picture, in one language. */
export interface PatternWords {
  readonly title: string;
  readonly description: string;
  readonly clients: string;
  readonly loadBalancer: readonly [string, string];
  readonly shift: readonly [string, string, string];
  readonly weights: string;
  readonly checks: readonly [string, string];
  readonly cluster: (slot: string) => string;
  readonly version: (minor: string) => string;
  readonly application: string;
  readonly everywhere: readonly [string, string];
  readonly hub: (slot: string) => string;
  readonly writes: string;
  readonly standsBy: string;
  readonly git: string;
}

const english: PatternWords = {
  title: 'Whole clusters as canaries',
  description:
    'Clients reach one load balancer. Its rule sends 90 % of the requests to the cluster apps-blue and 10 % to apps-green. ' +
    'A shift moves these weights step by step and runs checks. A hub with Argo CD deploys every application to both clusters; ' +
    'a second hub is on standby. Both hubs read one Git repository.',
  clients: 'Clients',
  loadBalancer: ['Load balancer', 'one rule: blue 90, green 10'],
  shift: ['Shift', '1, 2, 5, 10, 25, 50, 100 % of the way', 'back in one write'],
  weights: 'weights',
  checks: ['checks: errors, latency,', 'targets, applications'],
  cluster: (slot) => `EKS cluster apps-${slot}`,
  version: (minor) => `Kubernetes ${minor}, nodes, CNI, add-ons`,
  application: 'application',
  everywhere: ['ApplicationSets:', 'every application, every cluster'],
  hub: (slot) => `Hub ${slot}: Argo CD`,
  writes: 'active: deploys',
  standsBy: 'standby: only compares',
  git: 'Git repository',
};

const japanese: PatternWords = {
  title: 'クラスタまるごとのカナリアデプロイ',
  description:
    'クライアントは 1 台のロードバランサにアクセスする。そのルールは、リクエストの 90 % をクラスタ apps-blue へ、10 % を apps-green へ送る。' +
    'トラフィックシフトはチェックを続けながら、この重みを段階的に変える。Argo CD が動くハブは、すべてのアプリケーションを両方のクラスタへデプロイする。' +
    'もう 1 つのハブは待機する。どちらのハブも同じ Git リポジトリを読む。',
  clients: 'クライアント',
  loadBalancer: ['ロードバランサ', '1 つのルール: blue 90、green 10'],
  shift: ['トラフィックシフト', '1、2、5、10、25、50、100 % と段階的に', '切り戻しは 1 回の書き込み'],
  weights: '重み',
  checks: ['チェック: エラー、レイテンシ、', 'ターゲット、アプリケーション'],
  cluster: (slot) => `EKS クラスタ apps-${slot}`,
  version: (minor) => `Kubernetes ${minor}、ノード、CNI、アドオン`,
  application: 'アプリ',
  everywhere: ['ApplicationSet:', '全アプリを全クラスタへ'],
  hub: (slot) => `ハブ ${slot}: Argo CD`,
  writes: 'active: 書き込むのはこちらだけ',
  standsBy: '待機し、差分を比較する',
  git: 'Git リポジトリ',
};

/** The files of the picture by name, and their words. */
export const patternPictures: Readonly<Record<string, PatternWords>> = {
  'pattern.svg': english,
  'pattern.ja.svg': japanese,
};

const style = [
  'svg{background:#fff;font:13px system-ui,"Hiragino Sans","Noto Sans JP",sans-serif;fill:#1f2328}',
  'text{text-anchor:middle}',
  '.head{font-weight:600}',
  '.quiet{fill:#59636e;font-size:12px}',
  '.box{fill:#f6f8fa;stroke:#818b98}',
  '.waits{stroke-dasharray:5 4}',
  '.blue{fill:#ddf4ff;stroke:#0969da}',
  '.green{fill:#dafbe1;stroke:#1a7f37}',
  '.chip{fill:#fff;stroke:#818b98}',
  '.way{fill:none;stroke:#59636e;stroke-width:1.5}',
  '.way.wide{stroke-width:4;stroke:#0969da}',
  '.way.narrow{stroke-width:2;stroke:#1a7f37}',
  '.tip{fill:#59636e}.tip.wide{fill:#0969da}.tip.narrow{fill:#1a7f37}',
  '@media (prefers-color-scheme:dark){svg{background:#0d1117;fill:#e6edf3}.quiet{fill:#9198a1}.box{fill:#151b23;stroke:#656c76}' +
    '.blue{fill:#0c2d6b;stroke:#4493f8}.green{fill:#033a16;stroke:#3fb950}.chip{fill:#0d1117;stroke:#656c76}.way{stroke:#9198a1}' +
    '.way.wide{stroke:#4493f8}.way.narrow{stroke:#3fb950}.tip{fill:#9198a1}' +
    '.tip.wide{fill:#4493f8}.tip.narrow{fill:#3fb950}}',
].join('');

/** The pattern as an SVG: what stands where, and who tells whom. */
export function patternPicture(words: PatternWords): string {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 548" width="920" height="548" role="img" aria-labelledby="title description">',
    `<title id="title">${words.title}</title>`,
    `<desc id="description">${words.description}</desc>`,
    `<style>${style}</style>`,
    box(300, 20, 160, 36, 'box', [words.clients]),
    box(250, 96, 260, 64, 'box', words.loadBalancer),
    box(590, 88, 250, 84, 'box', words.shift),
    cluster(60, 'blue', words, '1.35'),
    cluster(410, 'green', words, '1.36'),
    box(60, 404, 290, 64, 'box', [words.hub('blue'), words.writes]),
    box(410, 404, 290, 64, 'box waits', [words.hub('green'), words.standsBy]),
    box(60, 498, 640, 34, 'box', [words.git]),
    arrow([
      [380, 56],
      [380, 96],
    ]),
    arrow(
      [
        [310, 160],
        [205, 226],
      ],
      'wide',
    ),
    arrow(
      [
        [450, 160],
        [555, 226],
      ],
      'narrow',
    ),
    label(224, 188, '90 %'),
    label(536, 188, '10 %'),
    arrow([
      [590, 128],
      [510, 128],
    ]),
    label(550, 118, words.weights),
    arrow([
      [700, 256],
      [760, 256],
      [760, 172],
    ]),
    label(812, 282, words.checks[0]),
    label(812, 299, words.checks[1]),
    arrow([
      [110, 404],
      [110, 330],
    ]),
    arrow([
      [290, 404],
      [470, 330],
    ]),
    label(235, 362, words.everywhere[0]),
    label(235, 379, words.everywhere[1]),
    arrow([
      [205, 498],
      [205, 468],
    ]),
    arrow([
      [555, 498],
      [555, 468],
    ]),
    '</svg>',
    '',
  ].join('\n');
}

function cluster(x: number, slot: 'blue' | 'green', words: PatternWords, minor: string): string {
  const chips = [0, 1, 2].map((place) => {
    const left = x + 15 + place * 90;
    return `<rect class="chip" x="${left}" y="288" width="80" height="26" rx="4"/>${label(left + 40, 305, words.application)}`;
  });
  return [
    `<rect class="box ${slot}" x="${x}" y="226" width="290" height="104" rx="6"/>`,
    label(x + 145, 249, words.cluster(slot), 'head'),
    label(x + 145, 271, words.version(minor)),
    ...chips,
  ].join('\n');
}

function box(
  x: number,
  y: number,
  width: number,
  height: number,
  kind: string,
  lines: readonly string[],
): string {
  const top = y + height / 2 - (lines.length - 1) * 10 + 5;
  const texts = lines.map((line, index) =>
    label(x + width / 2, top + index * 20, line, index === 0 ? 'head' : 'quiet'),
  );
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    ...texts,
  ].join('\n');
}

function label(x: number, y: number, text: string, kind = 'quiet'): string {
  return `<text class="${kind}" x="${x}" y="${y}">${text}</text>`;
}

/** A line whose tip ends at its last point, in the colour of the line; a wide one would show beside its tip. */
function arrow(points: readonly (readonly [number, number])[], kind = ''): string {
  const [[x, y], [toX, toY]] = [points.at(-2)!, points.at(-1)!];
  const length = Math.hypot(toX - x, toY - y);
  const [stepX, stepY] = [(toX - x) / length, (toY - y) / length];
  const tip = kind === 'wide' ? 14 : 9;
  const base = [toX - tip * stepX, toY - tip * stepY] as const;
  const corner = (side: number): string =>
    place(base[0] + (side * tip * stepY) / 2, base[1] - (side * tip * stepX) / 2);
  const line = [...points.slice(0, -1), base].map(([atX, atY]) => place(atX, atY)).join('L');
  return [
    `<path class="${`way ${kind}`.trim()}" d="M${line}"/>`,
    `<path class="${`tip ${kind}`.trim()}" d="M${place(toX, toY)}L${corner(1)}L${corner(-1)}Z"/>`,
  ].join('');
}

function place(x: number, y: number): string {
  return [x, y].map((each) => Math.round(each * 10) / 10).join(' ');
}
