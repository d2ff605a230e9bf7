import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { clusterCanary, main, root, scratch } from './run-cli';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
ajv.addSchema(JSON.parse(readFileSync(join(root, 'schemas/shift.json'), 'utf8')));
const isResult = ajv.compile(JSON.parse(readFileSync(join(root, 'schemas/demo.json'), 'utf8')));
const isReplay = ajv.compile(JSON.parse(readFileSync(join(root, 'schemas/replay.json'), 'utf8')));

test('an outage takes the traffic back before a visitor meets it: a document, a report, and nothing left', async () => {
  const folder = join(scratch, 'report');
  const { status, stdout, stderr } = await clusterCanary([
    ...['demo', '--fault', 'outage', '--seed', '7', '--json', '--report', folder],
  ]);
  expect(status).toBe(0);
  const result = JSON.parse(stdout);
  expect([isResult(result), isResult.errors]).toEqual([true, null]);
  expect(result).toMatchObject({
    seed: 7,
    expected: 'rolledBack',
    asExpected: true,
    faults: [{ fault: 'outage', until: null }],
    shift: { verdict: 'rolledBack', writes: [], final: { blue: 100, green: 0 } },
    traffic: { exposed: { requests: 0, failed: 0, slow: 0 } },
  });
  expect(result.traffic.visitors.sent).toBeGreaterThan(0);
  expect(isResult({ ...result, more: 1 })).toBe(false);
  expect(stderr).toMatch(
    /^Blue and green are three HTTP servers each, behind a weighted proxy at http:\/\/127/,
  );
  expect(stderr).toContain('From the start, green answers no request.');
  expect(readdirSync(folder).sort()).toEqual(['report.html', 'shift.svg']);
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('Demo of a traffic shift');
});

test('an interrupt ends it with 130, and no port is left open', async () => {
  const child = spawn(process.execPath, [main, 'demo', '--fault', 'none'], {
    env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', _: '' },
  });
  let shown = '';
  let url = '';
  child.stderr.on('data', (data: Buffer) => {
    shown += data.toString();
    if (url === '' && / in 7 steps/.test(shown)) {
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(shown)![0];
      void fetch(url).then((answer) => {
        shown += `answers ${answer.status}`;
        child.kill('SIGINT');
      });
    }
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect(shown).toContain('answers 200');
  expect([status, shown]).toEqual([130, expect.stringContaining('Interrupted: it ends.')]);
  await expect(fetch(url)).rejects.toThrow();
});

test('a demo, whose requests were real, is replayed', async () => {
  const demo = await clusterCanary(['demo', '--fault', 'errors', '--json']);
  expect(demo.status).toBe(0);
  const record = join(scratch, 'demo.json');
  writeFileSync(record, demo.stdout);
  const { verdict, checks, failed } = JSON.parse(demo.stdout).shift;
  expect(verdict).toBe('rolledBack');
  const [name] = failed;
  const plan = join(scratch, 'demo.yaml');
  writeFileSync(
    plan,
    `
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift: { step: [1, 5, 10, 25, 50], every: 3s, checkEvery: 1s, bake: 3s, checks: [{ ${name}: { address: "http://127.0.0.1:1", slowAbove: 250ms } }] }
`,
  );
  const { stdout } = await clusterCanary(['simulate', plan, '--from', record, '--json']);
  const json = JSON.parse(stdout);
  expect([isReplay(json), isReplay.errors]).toEqual([true, null]);
  expect(checks.length).toBeGreaterThan(3);
  expect(json.recorded).toMatchObject({ verdict: 'rolledBack', failed });
  expect(json.replayed).toMatchObject({ verdict: 'rolledBack', failed });
});
