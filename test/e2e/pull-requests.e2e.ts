import type { GitSwapWorld } from './bench/git-swap-world';
import { GitSwapBench } from './bench/git-swap-world';

let world: GitSwapWorld;

beforeAll(async () => {
  world = await (await GitSwapBench.start()).world();
});

test('a whole swap by pull requests, each merged in its own way', async () => {
  world.answers.push('squash', 'rebase', 'merge');
  const { status, stdout, stderr } = await world.swap({ to: '1.34' });
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  expect(await world.fleet.clusters()).toEqual({ green: '1.34' });
  expect(await world.fleet.weights()).toEqual({ green: 100 });
  expect(world.hosting.pulls.map(({ title, state }) => [title, state])).toEqual([
    ['Swap 1.33 to 1.34: add slot green (1.34)', 'closed'],
    ['Swap 1.33 to 1.34: shift traffic to green', 'closed'],
    ['Swap 1.33 to 1.34: remove slot blue', 'closed'],
  ]);
  expect(world.hosting.repository.titles()).toEqual([
    expect.stringMatching(/^Merge cluster-canary\/\w{10}\/swap-1-33-to-1-34-remove-slot-blue-\w{10}-1$/),
    'Swap 1.33 to 1.34: shift traffic to green',
    'Swap 1.33 to 1.34: add slot green (1.34) (#1)',
    'first',
  ]);
  expect(world.hosting.repository.text('clusters.yaml')).toMatch(
    /^# What the pipeline deploys\.\n[^]*# The rest belongs to others\.\n$/,
  );
});
