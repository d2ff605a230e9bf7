import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planMover } from '../../../lib/operate/planned-shift';
import type { WeightedProxy } from '../../../lib/shift/demo/weighted-proxy';
import { proxiedPlan } from '../../cli/proxied-plan';
import type { Memories } from './leases-in-memory';

const mockHeld: Memories = {};
jest.mock('../../../lib/shift/leases', () => {
  const { leasesInMemory } = jest.requireActual('./leases-in-memory');
  return leasesInMemory(jest.requireActual('../../../lib/shift/leases'), () => mockHeld);
});

const folder = mkdtempSync(join(tmpdir(), 'plan-mover-'));
const plan = join(folder, 'plan.yaml');
const mover = planMover(plan, { fleet: 'apps', takeOff: () => Promise.resolve() });
const [blue, green] = [
  { blue: 100, green: 0 },
  { blue: 0, green: 100 },
];
const signal = new AbortController().signal;

let proxy: WeightedProxy | undefined;

afterEach(() => proxy?.stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A plan whose check ends so. */
const planned = async (status: number, more = ''): Promise<void> => {
  const check = `{ program: { command: [sh, -c, 'exit ${status}'], stages: [after] } }`;
  proxy = await proxiedPlan(plan, `{ step: [50], every: 1ms, bake: 0s, checks: [${check}]${more} }`);
  writeFileSync(plan, `${readFileSync(plan, 'utf8')}lease: { kubernetes: { namespace: apps } }\n`);
};

test('traffic goes to the weights of the swap, whatever the plan wants, and each step is told', async () => {
  await planned(0);
  const lines: string[] = [];
  const options = { back: false, say: (line: string) => void lines.push(line) };
  await mover.move(green, options, signal);
  expect(proxy!.weights).toEqual(green);
  expect(lines.join('\n')).toMatch(/blue 50, green 50/);
  await mover.move(blue, options, signal);
  expect(proxy!.weights).toEqual(blue);
  await expect(mover.move(blue, options, signal)).resolves.toBeUndefined();
});

test('a shift that fails is told with its reason, and the traffic is where it was', async () => {
  await planned(1);
  const move = mover.move(green, { back: false, say: () => undefined }, signal);
  await expect(move).rejects.toThrow(/^the shift of .*plan\.yaml was rolled back: .*status 1/);
  expect(proxy!.weights).toEqual(blue);
});

test('an interrupt holds it, and is what it ends by', async () => {
  await planned(2, ', inconclusiveLimit: 10m');
  const interrupt = new AbortController();
  const move = mover.move(
    green,
    {
      back: false,
      say: (line) => line.includes('Not yet') && interrupt.abort(new Error('the time is over')),
    },
    interrupt.signal,
  );
  await expect(move).rejects.toThrow('the time is over');
  expect(proxy!.weights).toEqual({ blue: 50, green: 50 });
});

test.each<[string, (text: string) => string, RegExp]>([
  ['without a slot of the fleet', (text) => text, /slots: .*must be slots with red, which the fleet has/],
  [
    'with a pause at which no one could let it go on',
    (text) => text.replace('step: [50]', 'step: [50], pause: [50]'),
    /shift\.pause: .*must be left out, unless watch is true or approvals\.github is given/,
  ],
  [
    'without a lease',
    (text) => text.replace(/^lease: .*$/m, 'lease: none'),
    /lease: "none": must be a lease: by its record a swap takes an unfinished shift back/,
  ],
  ['that is not there', () => '', /plan\.yaml/],
])('a plan %s is refused before anything is made', async (_what, change, problem) => {
  await planned(0);
  const text = change(readFileSync(plan, 'utf8'));
  writeFileSync(plan, text);
  const slots = problem.source.includes('red') ? ['blue', 'green', 'red'] : ['blue', 'green'];
  await expect(async () => mover.putOn('green', slots, { say: () => undefined }, signal)).rejects.toThrow(
    problem,
  );
});
