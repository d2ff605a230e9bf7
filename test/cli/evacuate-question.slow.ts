import { spawn } from 'node:child_process';
import { FleetServer } from '../shift/evacuate/fleet-server';
import { main, root } from './run-cli';

let server: FleetServer;
const half = { blue: 50, green: 50 };
beforeEach(async () => {
  server = await new FleetServer({
    rules: [{ ...half }, { blue: 90, green: 10 }],
    healthy: { blue: 3, green: 3 },
  }).start();
});
afterEach(() => server.stop());

/** What a person does at a question. */
type Answer = (question: number) => Promise<string | null>;

/** Runs it on a terminal; `null` ends the input. */
async function onTerminal(answer: Answer): Promise<{ status: number | null; stderr: string }> {
  const child = spawn(process.execPath, [main, 'evacuate', 'apps-green', '--no-records'], {
    cwd: root,
    env: {
      ...process.env,
      ...server.env,
      NODE_OPTIONS: '--import data:text/javascript,process.stdin.isTTY=true',
      NODE_NO_WARNINGS: '1',
      NODE_DISABLE_COMPILE_CACHE: '1',
    },
  });
  let [stderr, questions] = ['', 0];
  child.stdout.resume();
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
    const asked = stderr.split('Take all traffic off green now?').length - 1;
    while (questions < asked) {
      questions += 1;
      void answer(questions).then((text) =>
        text === null ? child.stdin.end() : child.stdin.write(`${text}\n`),
      );
    }
  });
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, stderr };
}

const writes = (): readonly string[] => server.calls.filter((call) => /^(Modify|Put)/.test(call));
const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

test('an answer writes what was shown', async () => {
  const { status, stderr } = await onTerminal(() => Promise.resolve('yes'));
  expect(status).toBe(0);
  expect(stderr).toContain('blue 50, green 50 -> blue 100, green 0');
  expect(server.rules.map(({ green }) => green)).toEqual([0, 0]);
});

test.each<[string, string | null]>([
  ['an input that ends', null],
  ['no', 'no'],
  ['nothing', ''],
])('%s at the question writes nothing', async (_, text) => {
  const { status, stderr } = await onTerminal(() => Promise.resolve(text));
  expect([status, writes()]).toEqual([2, []]);
  expect(stderr).toContain('Nothing was written.');
});

test('weights that changed until a late answer are shown, and asked for, again', async () => {
  const { status, stderr } = await onTerminal(async (question) => {
    if (question === 1) {
      await later(5_500);
      server.rules[0] = { blue: 100, green: 0 };
    }
    return 'yes';
  });
  expect(status).toBe(0);
  expect(stderr).toContain('The weights have changed meanwhile.');
  expect(stderr.split('Take all traffic off green now?')).toHaveLength(3);
  expect(writes().filter((call) => call.startsWith('Modify'))).toEqual(['ModifyRule 1']);
});

test('where nothing changed until a late answer, it is enough', async () => {
  const { status, stderr } = await onTerminal(() => later(5_500).then(() => 'y'));
  expect([status, stderr.split('Take all traffic off green now?').length]).toEqual([0, 2]);
  expect(server.rules.map(({ green }) => green)).toEqual([0, 0]);
});
