import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { blueArn, greenArn, ruleArn } from '../shift/plan-file/plans';
import type { RuleServer } from './rule-server';
import { startRule } from './rule-server';
import type { Result } from './run-cli';
import { main, root, scratch } from './run-cli';

let rule: RuleServer;
beforeEach(async () => {
  rule = await startRule();
});
afterEach(() => rule.stop());

/** The reader is gone before the command begins. */
const intoNobody = (redirections: string): string =>
  `{ sleep 0.2; exec "$@"; } ${redirections} | true; exit "\${PIPESTATUS[0]}"`;

const good = 'exec "$@" >"$OUT" 2>"$ERR"';

interface Started {
  /** Where stdout goes. */
  readonly out: string;
  /** Of the command, where the script ends with `exec`. */
  readonly pid: number;
  readonly result: Promise<Result>;
}

/** Starts a command by a script of bash that redirects its streams, to files for those that are good. */
function start(script: string, args: readonly string[]): Started {
  const folder = mkdtempSync(join(scratch, 'streams-'));
  const [out, err] = [join(folder, 'out'), join(folder, 'err')];
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, main, ...args], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '', _: '', NODE_NO_WARNINGS: '1', ...rule.env, OUT: out, ERR: err },
  });
  const written = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const result = new Promise<Result>((resolve) =>
    child.on('close', (status) => resolve({ status, stdout: written(out), stderr: written(err) })),
  );
  return { out, pid: child.pid!, result };
}

function run(script: string, args: readonly string[]): Promise<Result> {
  return start(script, args).result;
}

/** Waits for the first write of weights. */
async function firstWrite(): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (rule.writes.length === 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let files = 0;
/** A plan for the rule, whose check ends with a status. */
function plan(checkStatus: number, shift = 'every: 60ms'): string {
  files += 1;
  const file = join(scratch, `streams-${files}.yaml`);
  const command = JSON.stringify(['sh', '-c', `exit ${checkStatus}`]);
  writeFileSync(
    file,
    `router: { albRule: { ruleArn: '${ruleArn}' } }
slots: { blue: { targetGroupArn: '${blueArn}' }, green: { targetGroupArn: '${greenArn}' } }
weights: { green: 100 }
shift: { step: 50, ${shift}, checkEvery: 30ms, bake: 0s, checks: [{ program: { name: smoke, command: ${command} } }] }
`,
  );
  return file;
}

const ruined: readonly [string, string][] = [
  ['closed', 'exec "$@" >"$OUT" 2>&-'],
  ['full', 'exec "$@" >"$OUT" 2>/dev/full'],
  ['for reading only', 'exec "$@" >"$OUT" 2</dev/null'],
  ['a pipe that nobody reads', intoNobody('2>&1 >"$OUT"')],
];

describe.each([
  ['completes', 0, [50, 100], 0],
  ['fails', 1, [50, 0], 1],
])('a shift that %s', (_what, checkStatus, greens, status) => {
  test.each([['good', good], ...ruined])('with a stderr that is %s', async (_stream, script) => {
    const result = await run(script, ['shift', plan(checkStatus), '--json']);
    expect([result.status, rule.writes, rule.isHeld()]).toEqual([status, greens, false]);
    expect(JSON.parse(result.stdout).final.green).toBe(greens[1]);
  });

  test.each([
    ['full', 'exec "$@" >/dev/full 2>"$ERR"'],
    ['a pipe that nobody reads', intoNobody('2>"$ERR"')],
  ])('with a stdout that is %s says so on stderr, and does not end with 0', async (_stream, script) => {
    const result = await run(script, ['shift', plan(checkStatus), '--json']);
    expect([result.status, rule.writes, rule.isHeld()]).toEqual([1, greens, false]);
    expect(result.stderr).toMatch(/\nerror: no result: .*(ENOSPC|EPIPE)/);
    expect(result.stderr.match(/error: no result/g)).toHaveLength(1);
  });

  test.each([
    ['full', 'exec "$@" >/dev/full 2>&1'],
    ['a pipe that nobody reads', intoNobody('2>&1')],
  ])('with both that are %s', async (_stream, script) => {
    const result = await run(script, ['shift', plan(checkStatus), '--json']);
    expect([result.status, rule.writes, rule.isHeld()]).toEqual([1, greens, false]);
  });
});

test('a reader of text that wants no more is no failure; with another one the status is not 0', async () => {
  expect((await run(intoNobody('2>"$ERR"'), ['shift', plan(0)])).status).toBe(0);
  const full = await run('exec "$@" >/dev/full 2>"$ERR"', ['shift', plan(0)]);
  expect([full.status, full.stderr]).toEqual([1, expect.stringContaining('error: no result: ')]);
});

describe('other commands', () => {
  const manifest = join(scratch, 'manifest.yaml');
  beforeAll(() => writeFileSync(manifest, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n'));

  test.each<[string, string[], number, number]>([
    ['help', ['shift', '--help'], 0, 0],
    ['a list of findings', ['lint', manifest], 0, 0],
    ['a document', ['lint', manifest, '--format', 'json'], 0, 1],
  ])('with %s, for a reader that goes', async (_what, args, whole, cut) => {
    const statuses = [good, intoNobody('2>"$ERR"'), 'exec "$@" >/dev/full 2>"$ERR"'].map((script) =>
      run(script, args).then(({ status }) => status),
    );
    expect(await Promise.all(statuses)).toEqual([whole, cut, 1]);
  });

  test('manifests of cluster-canary-harden are a document', async () => {
    const [harden, given] = [join(dirname(main), 'harden.js'), `<${manifest}`];
    const scripts = [
      `exec "$1" ${harden} ${given} >"$OUT" 2>"$ERR"`,
      `{ sleep 0.2; exec "$1" ${harden} ${given}; } 2>"$ERR" | true; exit "\${PIPESTATUS[0]}"`,
      `exec "$1" ${harden} ${given} >/dev/full 2>"$ERR"`,
      `exec "$1" ${harden} ${given} >/dev/full 2>&1`,
      `exec "$1" ${harden} ${given} >"$OUT" 2>/dev/full`,
    ];
    const results = await Promise.all(scripts.map((script) => run(script, [])));
    expect(results.map(({ status }) => status)).toEqual([0, 1, 1, 1, 0]);
    expect(results[4]!.stdout).toBe(results[0]!.stdout);
    expect(results[0]!.stdout).toContain('ConfigMap');
  });
});

describe('an interrupt', () => {
  const slow = 'every: 1m, onInterrupt: rollback';

  async function interrupted(script: string, signals: readonly NodeJS.Signals[]): Promise<Result> {
    const { pid, result } = start(script, ['shift', plan(0, slow), '--json']);
    await firstWrite();
    // It goes on for as long as signals come, on a busy machine, too: a signal to a process that ends is another matter.
    rule.answersAfter(500);
    for (const signal of signals) {
      process.kill(pid, signal);
      // Two of a kind that come at once are one.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return result;
  }

  test.each([
    ['good', good],
    ['gone', 'exec "$@" >"$OUT" 2>/dev/full'],
  ])('by SIGHUP, with a stderr that is %s, rolls back, however often it comes', async (_what, script) => {
    const result = await interrupted(script, ['SIGHUP', 'SIGHUP', 'SIGHUP']);
    expect([result.status, rule.writes, rule.isHeld()]).toEqual([130, [50, 0], false]);
    expect(JSON.parse(result.stdout).verdict).toBe('rolledBack');
  });

  test('by SIGTERM rolls back, also with SIGHUP right after it, as systemd may send it', async () => {
    const result = await interrupted(good, ['SIGTERM', 'SIGHUP']);
    expect([result.status, rule.writes, rule.isHeld()]).toEqual([130, [50, 0], false]);
  });

  test.each([
    ['nohup', 'nohup "$@" >"$OUT" 2>"$ERR" & echo "$!" >"$OUT.pid"; wait "$!"'],
    ['a script that ignores SIGHUP', `trap '' HUP; "$@" >"$OUT" 2>"$ERR" & echo "$!" >"$OUT.pid"; wait "$!"`],
  ])('is no SIGHUP under %s', async (_what, script) => {
    const { out, result } = start(script, ['shift', plan(0, 'every: 1s'), '--json']);
    await firstWrite();
    process.kill(Number(readFileSync(`${out}.pid`, 'utf8')), 'SIGHUP');
    const { status, stdout } = await result;
    expect([status, rule.writes, JSON.parse(stdout).verdict]).toEqual([0, [50, 100], 'completed']);
  });
});

describe('a report', () => {
  test('into a folder that can not be written to is refused before the first step', async () => {
    const folder = join(scratch, 'read-only');
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    // Rights do not bind root; nobody can make a folder in this one.
    const given = process.getuid?.() === 0 ? '/proc/self' : folder;
    for (const args of [[], ['--json']]) {
      const result = await run(good, ['shift', plan(0), '--report', given, ...args]);
      expect([result.status, result.stdout, rule.writes]).toEqual([2, '', []]);
      expect(result.stderr).toMatch(
        new RegExp(`--report: "${given}": must be a folder that can be written to \\(E[A-Z]+\\)`),
      );
    }
  });

  test.each([
    ['completes', 0, 100],
    ['fails', 1, 0],
  ])('that can not be written at the end of a shift that %s is told', async (_what, checkStatus, green) => {
    const folder = join(scratch, `vanished-${checkStatus}`);
    const { result } = start(good, ['shift', plan(checkStatus, 'every: 1s'), '--json', '--report', folder]);
    await firstWrite();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    const { status, stdout, stderr } = await result;
    expect([status, JSON.parse(stdout).final.green]).toEqual([1, green]);
    expect(stderr).toMatch(/\nerror: no report: .*: a file\n/);
  });

  test('is left in no half way: a folder that is tried out stays empty', async () => {
    const folder = join(scratch, 'tried-out');
    const result = await run(good, ['shift', plan(0), '--report', folder]);
    expect([result.status, readdirSync(folder).sort()]).toEqual([0, ['report.html', 'shift.svg']]);
  });
});
