import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readSwapFile } from '../../lib/operate/swap/file';

const example = resolve(__dirname, '../../examples/upgrade-pull-request');

const day = 24 * 3_600_000;

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  copyFileSync(join(example, 'swap.yaml'), at('swap.yaml'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tsNode = require.resolve('ts-node/dist/bin.js');

const run = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [tsNode, '-T', join(example, 'propose.ts'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

function versions(...newest: readonly string[]): void {
  const of = (clusterVersion: string, versionStatus: string, days: number): object => ({
    ...{ clusterVersion, versionStatus },
    endOfStandardSupportDate: new Date(Date.now() + days * day).toISOString(),
  });
  const clusterVersions = [
    of('1.34', 'EXTENDED_SUPPORT', -10),
    of('1.35', 'STANDARD_SUPPORT', 60),
    ...newest.map((each) => of(each, 'STANDARD_SUPPORT', 400)),
  ];
  writeFileSync(at('versions.json'), JSON.stringify({ clusterVersions }));
}

test('the newest version that has standard support, where it is newer', () => {
  versions();
  expect(run('next', 'versions.json', 'swap.yaml').trim()).toBe('');
  versions('1.36', '1.37');
  expect(run('next', 'versions.json', 'swap.yaml').trim()).toBe('to=1.37');
});

test('the pull request: the swap file, a title, and what ready says', () => {
  versions('1.36');
  const report = {
    summary: { error: 1, warning: 0, info: 0, untried: 1 },
    findings: [{ severity: 'error', id: 'API01', message: 'a | b\n<img>', fix: 'use policy/v1' }],
    subjects: [{ name: 'live-objects', untried: ['no right to list'] }],
  };
  writeFileSync(at('ready.json'), JSON.stringify(report));
  const title = run('write', 'versions.json', 'swap.yaml', 'ready.json', 'body.md');
  expect(title).toBe('Kubernetes 1.36 for apps\n');
  const body = readFileSync(at('body.md'), 'utf8');
  expect(body).toContain('1.36 is out. 1.35 leaves standard support in 60 days.');
  expect(body).toContain('reports 1 errors and 0 warnings');
  expect(body).toContain('| error | API01 | a \\| b \\<img\\> | use policy/v1 |');
  expect(body).toContain('- live-objects: no right to list');
  expect(readSwapFile(at('swap.yaml')).versions).toEqual(['1.36']);
  const [before, after] = [join(example, 'swap.yaml'), at('swap.yaml')].map((file) =>
    readFileSync(file, 'utf8'),
  );
  expect(after).toBe(before!.replace('1.35', '1.36'));
});

test('actions are pinned by commit, and nothing of an event is put into a script', () => {
  const text = readFileSync(join(example, 'upgrade.yml'), 'utf8');
  const { jobs } = parse(text) as any;
  const steps: readonly { readonly uses?: string; readonly run?: string }[] = jobs.propose.steps;
  for (const { uses, run: script } of steps) {
    expect(uses ?? 'a/b@' + '0'.repeat(40)).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    expect(script ?? '').not.toContain('${{');
  }
  expect(steps.length).toBeGreaterThan(4);
});
