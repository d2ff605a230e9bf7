import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ShiftOutcome } from '../../lib/shift/engine';
import { renderReport } from '../../lib/shift/report';
import { completed, foreign, rolledBack, unread } from '../shift/report/outcomes';
import { barriers } from './bench/accessibility';
import type { View } from './bench/browser';
import { Browser } from './bench/browser';
import { documentPage, picturePage } from './bench/document-page';
import { temporaryFolder } from './bench/temporary';

const root = resolve(__dirname, '../..');
const desk: View = { scheme: 'light', width: 1280 };

let browser: Browser;
let folder: string;
let written = 0;
beforeAll(async () => {
  folder = temporaryFolder('pages');
  browser = await Browser.start();
});

/** Writes a page and opens it. */
async function opened(html: string, view: View): Promise<void> {
  written += 1;
  const file = join(folder, `${written}.html`);
  writeFileSync(file, html);
  await browser.open(pathToFileURL(file).href, view);
}

/** Opens a page, and answers what stands in a reader's way, with everything unfolded. */
async function evaluated(html: string, view: View = desk): ReturnType<typeof barriers> {
  await opened(html, view);
  return barriers(browser);
}

test('a page with barriers is found out, by what is seen as well', async () => {
  const html =
    '<!DOCTYPE html><html><head><title>x</title></head><body><main><h1>x</h1><img src="x.png"><p style="color: #bbb; background: #fff">pale</p></main></body></html>';
  const rules = (await evaluated(html)).map(({ rule }) => rule);
  expect(rules).toEqual(expect.arrayContaining(['color-contrast', 'html-has-lang', 'image-alt']));
});

test('the view is the one that was asked for', async () => {
  const page = renderReport(completed)['report.html'];
  await evaluated(page, { scheme: 'dark', width: 400 });
  const seen = `[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, getComputedStyle(document.querySelector('.wide')).display]`;
  expect(await browser.evaluate(seen)).toEqual([400, true, 'none']);
});

describe('the report of a shift', () => {
  const held: ShiftOutcome = { ...completed, verdict: 'held', reason: 'A pause at 50 %.' };
  const views: readonly View[] = (['light', 'dark'] as const).flatMap((scheme) =>
    [1280, 400].map((width) => ({ scheme, width })),
  );

  test.each(Object.entries({ completed, rolledBack, held, foreign, unread }))(
    '%s: no barriers, in the light and the dark, on a desk and on a telephone',
    async (_name, outcome) => {
      const folded = renderReport(outcome, { title: 'Shift of apps', note: 'Simulated.' })['report.html'];
      for (const view of views) {
        for (const page of [folded, folded.replaceAll('<details>', '<details open>')]) {
          expect({ view, barriers: await evaluated(page, view) }).toEqual({ view, barriers: [] });
          // Tables scroll on their own; the page does not.
          expect(await browser.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
        }
      }
    },
  );

  test('a failed one: the sentence is seen at once on a telephone, and its statistics by the keyboard', async () => {
    await opened(renderReport(rolledBack)['report.html'], { scheme: 'dark', width: 400 });
    const { bottom, statistics } = await browser.evaluate<{ bottom: number; statistics: boolean[] }>(`(() => {
      const [sentence, summary] = ['.sentence', '.verdict summary'].map((each) => document.querySelector(each));
      const seen = () => document.querySelector('.verdict table').checkVisibility();
      const before = seen();
      summary.focus();
      summary.click();
      return {
        bottom: sentence.getBoundingClientRect().bottom,
        statistics: [before, document.activeElement === summary, seen()],
      };
    })()`);
    expect(bottom).toBeLessThan(300);
    expect(statistics).toEqual([false, true, true]);
  });

  test('the picture alone', async () => {
    expect(await evaluated(picturePage(renderReport(rolledBack)['shift.svg'], 'shift'))).toEqual([]);
  });
});

describe('the documents', () => {
  /** Markdown has no other way to write the cell above the names of rows. */
  const emptyCorner = 'empty-table-header';
  const documents = [
    ...readdirSync(root).map((name) => join(root, name)),
    ...readdirSync(join(root, 'docs')).map((name) => join(root, 'docs', name)),
  ].filter((file) => file.endsWith('.md'));
  const pictures = readdirSync(join(root, 'docs/pictures')).filter((name) => name.endsWith('.svg'));

  test.each(documents.map((file) => [file.slice(root.length + 1), file]))('%s', async (name, file) => {
    const language = /\.([a-z]{2})\.md$/.exec(name)?.[1] ?? 'en';
    const address = pathToFileURL(join(file, '..', '/')).href;
    const found = await evaluated(documentPage(readFileSync(file, 'utf8'), language, address));
    expect(found.filter(({ rule }) => rule !== emptyCorner)).toEqual([]);
  });

  test.each(pictures)('pictures/%s', async (name) => {
    const svg = readFileSync(join(root, 'docs/pictures', name), 'utf8');
    expect(await evaluated(picturePage(svg, basename(name)))).toEqual([]);
  });
});

describe('the API reference', () => {
  /** One module has every kind of page; the headings and landmarks are those of TypeDoc's theme. */
  const module = 'lib/core/validation/index.ts';
  const evaluatedImpacts = ['serious', 'critical'];

  test('no serious barriers, in the light and the dark', async () => {
    const target = join(folder, 'api');
    const typedoc = join(root, 'node_modules/typedoc/bin/typedoc');
    const options = [
      '--entryPoints',
      module,
      '--out',
      target,
      '--validation',
      'false',
      '--logLevel',
      'Error',
    ];
    execFileSync(process.execPath, [typedoc, ...options], { cwd: root });
    const pages = (readdirSync(target, { recursive: true }) as string[]).filter((file) =>
      file.endsWith('.html'),
    );
    const kinds = [...new Map(pages.map((file) => [file.split('/')[0], file])).values()];
    expect(kinds.length).toBeGreaterThan(3);
    for (const scheme of ['light', 'dark'] as const) {
      for (const file of kinds) {
        await browser.open(pathToFileURL(join(target, file)).href, { scheme, width: 1280 });
        const found = (await barriers(browser)).filter(({ impact }) => evaluatedImpacts.includes(impact));
        expect({ file, scheme, found }).toEqual({ file, scheme, found: [] });
      }
    }
  });
});
