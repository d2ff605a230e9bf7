import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allRules, harden, lint, readDecisions, readManifests } from '../../lib/lint';

const root = resolve(__dirname, '../..');
const folder = join(root, 'examples/hardening');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const rendered = read('rendered.yaml');
const decisions = readDecisions(read('cluster-canary.yaml'), 'cluster-canary.yaml');

/** Rules that find more than an info in a text. */
const worse = (text: string): string[] => {
  const { objects } = readManifests(text, { file: 'rendered.yaml', read: () => text });
  const { findings } = lint(objects, { rules: allRules, minSeverity: 'warning' });
  return [...new Set(findings.map(({ rule }) => rule))].sort();
};

test('examples/hardening: the chart as it is would end in an outage; certificates are fixed without a decision', () => {
  expect(worse(rendered)).toEqual(['TLS02', 'TLS03', 'TLS04', 'WH03', 'WH06', 'WH09']);
  expect(worse(harden(rendered).text)).toEqual(['WH03', 'WH06', 'WH09']);
});

test('every decision is needed for the rest, and hardened once more the text stays the same', () => {
  const { text } = harden(rendered, { decisions });
  expect(worse(text)).toEqual([]);
  expect(harden(text, { decisions })).toMatchObject({ text, changed: [] });
  const without = (field: 'optIn' | 'leaveOut' | 'timeoutSeconds') => {
    const { [field]: _, ...rest } = decisions[0]!;
    return harden(rendered, { decisions: [rest] }).text;
  };
  expect(worse(without('optIn'))).toEqual(['WH06']);
  expect(worse(without('timeoutSeconds'))).toEqual(['WH09']);
  // Pods of these namespaces could ask for the gate, too.
  expect(text).toMatch(/operator: NotIn\n\s+values:\n\s+- gate\n\s+- kube-system\n/);
  expect(without('leaveOut')).not.toContain('operator: NotIn');
});

test('the commands of its README, as they are printed', () => {
  const command = `node ${join(root, 'dist/cli/main.js')}`;
  const printed = [...read('README.md').matchAll(/^npx --no-install cluster-canary (harden .*)$/gm)].map(
    ([, each]) => each!,
  );
  const [write, check] = printed.map((each) => each.replace(/ [<>] \S+/g, ''));
  const run = (args: string, input: string) =>
    spawnSync(`${command} ${args}`, { shell: true, cwd: folder, input, encoding: 'utf8' });
  const written = run(write!, rendered);
  expect([written.status, written.stdout]).toEqual([0, harden(rendered, { decisions }).text]);
  expect(run(check!, written.stdout).status).toBe(0);
}, 60_000);
