import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgramChanged } from '../../../../lib/operate/swap';
import { commandsProgram } from '../../../../lib/operate/swap/programs/commands';

/** A program that keeps its configuration in a file; what it is asked goes into another one. */
const script = `
const fs = require('node:fs');
const input = JSON.parse(fs.readFileSync(0, 'utf8'));
fs.appendFileSync('asked', JSON.stringify(input) + '\\n');
const mode = process.argv[2] ?? '';
if (mode === 'slow') { setTimeout(() => {}, 60000); return; }
if (mode === 'fails') { console.error('no access\\npassword=hunter2hunter2'); process.exit(1); }
if (mode === 'text') { console.log('secret text'); process.exit(0); }
if (mode === 'long') { process.stdout.write('x'.repeat(9 << 20)); return; }
if (mode === 'once' && !fs.existsSync('failed')) { fs.writeFileSync('failed', ''); console.log('{"slots":'); process.exit(0); }
if (mode === 'three') process.exit(3);
if (mode === 'changed') { fs.writeFileSync('fleet.json', '{"slots":{"red":"1.30"},"weights":{"red":100}}'); process.exit(3); }
if (input.ask === 'read') console.log(fs.readFileSync('fleet.json', 'utf8'));
if (input.ask === 'preview') console.log(process.argv[3] ?? '{"changes":[{"op":"create","type":"","name":"green"}]}');
if (input.ask === 'deploy') {
  console.log('deploying');
  console.error('##[error] x');
  if (mode !== 'idle') fs.writeFileSync('fleet.json', JSON.stringify(input.configuration));
}
`;

const before = { slots: { blue: '1.35' }, weights: { blue: 100 } };
const wanted = { slots: { blue: '1.35', green: '1.36' }, weights: { blue: 100, green: 0 } };
const never = new AbortController().signal;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swap-commands-'));
  writeFileSync(join(folder, 'fleet.js'), script);
  writeFileSync(join(folder, 'fleet.json'), JSON.stringify(before));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = (...args: string[]) => [process.execPath, 'fleet.js', ...args];
const all = { read: command(), preview: command(), deploy: command() };
const programOf = (settings: Partial<Parameters<typeof commandsProgram>[0]> = {}) =>
  commandsProgram({ ...all, ...settings }, { base: folder, pause: () => Promise.resolve() });
const asked = () =>
  readFileSync(join(folder, 'asked'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

const deploy = async (settings: Partial<Parameters<typeof commandsProgram>[0]> = {}, signal = never) => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const change = { configuration: wanted, expected: [before], title: 'apps: create green', say };
  await programOf(settings).deploy(change, signal);
  return lines;
};

test('the configuration is read', async () => {
  await expect(programOf().read(never)).resolves.toEqual(before);
  expect(asked()).toEqual([{ schemaVersion: 1, ask: 'read' }]);
});

test.each([
  ['no JSON', 'text', /stdout: must be one JSON document/],
  ['a failure, without its secrets', 'fails', /ended with status 1: no access password=\[secret\]$/],
  ['too long an answer', 'long', /wrote more than 8 MiB/],
])('reading fails: %s', async (_name, mode, message) => {
  await expect(programOf({ read: command(mode) }).read(never)).rejects.toThrow(message);
});

test.each([
  ['not an object', '[]', /stdout.*must be an object/],
  ['no slots', '{"weights":{}}', /slots: is required/],
  ['neither weights nor active', '{"slots":{"blue":"1.35"}}', /must be an object with slots, and either/],
  ['both', '{"slots":{"blue":"1.35"},"weights":{"blue":100},"active":"blue"}', /either weights or active/],
  ['a number for a version', '{"slots":{"blue":1.35},"weights":{"blue":100}}', /slots.blue: 1.35: must be/],
  ['other keys', '{"slots":{"blue":"1.35"},"active":"blue","more":1}', /more: unknown key/],
])('an answer is refused: %s', async (_name, answer, message) => {
  writeFileSync(join(folder, 'fleet.json'), answer);
  await expect(programOf().read(never)).rejects.toThrow(message);
});

test('a preview tells the changes; without one nothing is known', async () => {
  await expect(programOf().preview(wanted, never)).resolves.toEqual([
    { op: 'create', type: '', name: 'green' },
  ]);
  expect(asked()).toEqual([{ schemaVersion: 1, ask: 'preview', configuration: wanted }]);
  await expect(programOf({ preview: undefined }).preview(wanted, never)).resolves.toEqual([]);
  const wrong = programOf({ preview: command('', '{"changes":[{"op":"make","type":"","name":""}]}') });
  await expect(wrong.preview(wanted, never)).rejects.toThrow(/changes\[0\]\.op: "make": must be one of/);
});

test('programs that are not there are named before one is run', () => {
  expect(programOf().problems!()).toEqual([]);
  const missing = programOf({ read: ['no-such-program'], preview: undefined, deploy: ['./fleet.js'] });
  expect(missing.canPreview).toBe(false);
  expect(missing.problems!()).toEqual([
    `program.commands.read: no-such-program: no program of that name in ${folder} or PATH`,
    `program.commands.deploy: ./fleet.js: no program of that name in ${folder} or PATH`,
  ]);
});

test.each([[[1]], [[{ a: 'b' }]], [[['x']]], [['a', 7]]])(
  'a command that is no list of texts is refused: %j',
  (read) => {
    expect(() => programOf({ read: read as never })).toThrow(/read\[\d\]: .*must be a text/);
  },
);

test('a deployment of the way back says so', async () => {
  const change = { configuration: before, expected: [wanted, before], title: 'apps: back', back: true };
  await programOf().deploy({ ...change, say: () => undefined }, never);
  expect(asked()[1]).toEqual({ schemaVersion: 1, ask: 'deploy', ...change });
});

test('what a drain has deleted is asked for by name', async () => {
  const restore = { fleet: 'apps', slot: 'blue' };
  await programOf().preview(before, never, restore);
  const change = { configuration: before, expected: [before], title: 'apps: blue', restore };
  await programOf().deploy({ ...change, say: () => undefined }, never);
  expect(asked()).toEqual([
    { schemaVersion: 1, ask: 'preview', configuration: before, restore },
    { schemaVersion: 1, ask: 'read' },
    { schemaVersion: 1, ask: 'deploy', ...change },
    { schemaVersion: 1, ask: 'read' },
  ]);
});

describe('a deployment', () => {
  test('tells the lines, and is looked at afterwards', async () => {
    await expect(deploy()).resolves.toEqual(
      expect.arrayContaining(['deploying', String.raw`#\u0023[error] x`]),
    );
    expect(asked()).toEqual([
      { schemaVersion: 1, ask: 'read' },
      {
        ...{ schemaVersion: 1, ask: 'deploy' },
        ...{ configuration: wanted, expected: [before], title: 'apps: create green' },
      },
      { schemaVersion: 1, ask: 'read' },
    ]);
    await deploy();
    expect(asked().filter((each) => (each as { ask: string }).ask === 'deploy')).toHaveLength(2);
  });

  test('that has done nothing is a failure', async () => {
    await expect(deploy({ deploy: command('idle') })).rejects.toThrow(
      /has ended well, but program\.commands\.read: .* says blue 1.35/,
    );
  });

  test('that fails says why', async () => {
    await expect(deploy({ deploy: command('fails') })).rejects.toThrow(
      /status 1: no access password=\[secret\]/,
    );
  });

  test('is refused where somebody else has changed the configuration', async () => {
    const error = (await deploy({ deploy: command('changed') }).catch(
      (each: unknown) => each,
    )) as ProgramChanged;
    expect(error).toBeInstanceOf(ProgramChanged);
    expect(error.found).toEqual({ slots: { red: '1.30' }, weights: { red: 100 } });
    await expect(deploy()).rejects.toThrow(ProgramChanged);
    expect(asked()).toHaveLength(4);
  });

  test('that has ended is no failure since one read after it had half an answer', async () => {
    writeFileSync(join(folder, 'failed'), '');
    const lines: string[] = [];
    const say = (line: string): void => {
      lines.push(line);
      if (line === 'deploying') {
        rmSync(join(folder, 'failed'));
      }
    };
    const change = { configuration: wanted, expected: [before], title: 'apps: create green', say };
    await programOf({ read: command('once') }).deploy(change, never);
    expect(lines.at(-1)).toMatch(/stdout: must be one JSON document, such as \{"slots".*; it is run again$/);
  });

  test('that says something else is there, where it is not, is a failure of its own', async () => {
    const refused = deploy({ deploy: command('three') });
    await expect(refused).rejects.toThrow(
      /ended with status 3, .* says blue 1\.35 \(100%\), which is one of those$/,
    );
    await expect(refused).rejects.not.toBeInstanceOf(ProgramChanged);
  });

  test('may end what it has under way before another one begins', () => {
    expect(programOf().endsWithinMs).toBeGreaterThan(10 * 60_000);
  });

  test('takes no longer than it may', async () => {
    await expect(deploy({ deploy: command('slow'), timeout: '200ms' })).rejects.toThrow(
      /did not end within 0.2 s/,
    );
  });

  test('ends with the run', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(deploy({ deploy: command('slow') }, stop.signal)).rejects.toThrow('enough');
  });
});

test.each([
  [{ deploy: [] }, /deploy.*must be the name or path/],
  [{ read: ['x', '--token=abcdefgh12345678'] }, /read: must be .*without a login or a secret/],
  [{ read: [''] }, /read/],
  [{ timeout: 'long' }, /timeout.*must be a duration/],
  [{ write: ['x'] }, /write: unknown key/],
])('settings are refused: %j', (settings, message) => {
  const given = { ...all, ...settings } as never;
  expect(() => commandsProgram(given)).toThrow(message);
  expect(() => commandsProgram(given)).not.toThrow(/abcdefgh/);
});

test('a program that is not there', async () => {
  await expect(programOf({ read: ['./no-such-program'] }).read(never)).rejects.toThrow(
    /there is no such program/,
  );
});

describe('the script of docs/upgrade.md', () => {
  const script = /```js\n(\/\/ fleet\.mjs[^]*?)```/.exec(
    readFileSync(join(__dirname, '../../../../docs/upgrade.md'), 'utf8'),
  )![1]!;
  const fleet = [process.execPath, 'fleet.mjs'];
  const written = () => JSON.parse(readFileSync(join(folder, 'fleet.json'), 'utf8')) as unknown;
  const documented = (expected: readonly (typeof before)[], signal = never) =>
    commandsProgram({ read: fleet, deploy: fleet }, { base: folder }).deploy(
      { configuration: wanted, expected, title: 'apps: create green', say: () => undefined },
      signal,
    );

  beforeEach(() => {
    writeFileSync(join(folder, 'fleet.mjs'), script);
    writeFileSync(join(folder, 'apply'), '#!/bin/sh\ncat fleet.json > applied\n', { mode: 0o755 });
  });

  test('has at most 15 lines, and deploys what it is asked to, as often as it is asked', async () => {
    expect(script.trim().split('\n').length).toBeLessThanOrEqual(15);
    for (const _ of [1, 2]) {
      await documented([before]);
      expect(written()).toEqual(wanted);
      expect(JSON.parse(readFileSync(join(folder, 'applied'), 'utf8'))).toEqual(wanted);
    }
  });

  test('answers with status 3, and writes nothing, where another configuration is there', () => {
    const other = { slots: { red: '1.30' }, weights: { red: 100 } };
    writeFileSync(join(folder, 'fleet.json'), JSON.stringify(other));
    const input = JSON.stringify({ ask: 'deploy', configuration: wanted, expected: [before], title: '' });
    expect(spawnSync(fleet[0]!, fleet.slice(1), { cwd: folder, input }).status).toBe(3);
    expect(written()).toEqual(other);
  });

  test('fails where the deployment fails', async () => {
    writeFileSync(join(folder, 'apply'), '#!/bin/sh\nexit 4\n');
    await expect(documented([before])).rejects.toThrow(/ended with status 4/);
  });
});
