import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foreseeSwap } from '../../../lib/operate/swap';
import { planMover } from '../../../lib/operate/planned-shift';
import { SwapWorld } from './driver-world';

const folder = mkdtempSync(join(tmpdir(), 'foresee-'));
const file = join(folder, 'plan.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function foreseen(plan: string | undefined, program: object = {}) {
  rmSync(file, { force: true });
  if (plan !== undefined) {
    writeFileSync(file, plan);
  }
  const world = new SwapWorld();
  const lines: string[] = [];
  const { problems, changes, deployment } = await foreseeSwap(
    {
      ...world.swap(),
      program: Object.assign(world.program, program),
      mover: planMover(file, { fleet: 'apps', takeOff: () => Promise.resolve() }),
    },
    { look: {}, now: world.now, say: (line) => void lines.push(line), signal: new AbortController().signal },
  );
  return { problems, changes, deployment, lines };
}

const plan = `router: { httpProxy: { address: "http://127.0.0.1:1" } }
slots: { blue: , green: }
weights: { blue: 100 }
lease: { kubernetes: { namespace: apps } }
`;

test('a plan that the program has still to write is no problem', async () => {
  const { problems, lines } = await foreseen(undefined);
  expect(problems).toEqual([]);
  expect(lines[0]).toMatch(/^phases\.shift\.plan: .* is not there yet: the program has to write it/);
  const before = await foreseen(plan.replace(', green: }', '}'));
  expect(before.problems).toEqual([]);
  expect(before.lines[0]).toMatch(
    /slots: .*must be a mapping of 2 to 5 slots by name, by the end of create$/,
  );
  expect((await foreseen(plan)).problems).toEqual([]);
});

test.each<[string, string, RegExp]>([
  ['an unknown key', `${plan}colour: red\n`, /colour: unknown key/],
  ['a pause without a way to go on', `${plan}shift: { pause: [50] }\n`, /shift\.pause: .*must be left out/],
  ['no lease', plan.replace(/lease: .*/, 'lease: none'), /lease: "none": must be a lease/],
])('a plan is refused before a cluster is made for it: %s', async (_what, text, problem) => {
  const { problems } = await foreseen(text);
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

test('a program without a preview is not said to change nothing', async () => {
  const { changes, lines } = await foreseen(plan, { canPreview: false });
  expect(changes).toBeUndefined();
  expect(lines).toEqual(['What the first deployment would change is not known: program has no preview']);
});

test('a program that a pipeline deploys says what it commits, and not that nothing changes', async () => {
  const commit = { by: 'push', repository: '/srv/infra.git', branch: 'main', file: 'clusters.yaml' } as const;
  const { changes, lines, deployment } = await foreseen(plan, { canPreview: false, commit });
  expect(changes).toBeUndefined();
  expect(deployment).toEqual({
    ...{ phase: 'create', canPreview: false, commit },
    title: 'Swap 1.35 to 1.36: add slot green (1.36)',
  });
  expect(lines).toEqual([
    'What the first deployment would change is not known: program is deployed by a pipeline',
  ]);
});

test('a program that is not there is a problem', async () => {
  const { problems } = await foreseen(plan, { problems: () => ['program.commands.deploy: x: no program'] });
  expect(problems).toEqual(['program.commands.deploy: x: no program']);
});
