import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningCommand } from './bench/command';
import { eventually } from './bench/eventually';
import { GitPipeline } from './bench/git-pipeline';
import type { MergeMethod } from './bench/git-server';
import { GitHub } from './bench/github';
import type { Pull } from './bench/github';
import type { SwapWorld } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

const file = 'Pulumi.production.yaml';

let world: SwapWorld;
let hosting: GitHub;
let pipeline: GitPipeline;

beforeAll(async () => {
  world = await deployedWorld();
  const path = join(world.folder, file);
  hosting = await GitHub.start({ [file]: readFileSync(path, 'utf8') });
  Object.assign(process.env, hosting.env);
  pipeline = new GitPipeline(hosting, { file, report: { environment: 'production' } }, async (text) => {
    writeFileSync(path, text);
    await world.pulumi('up', '--yes', '--skip-preview');
  });
  pipeline.begin(hosting.repository.head('main')!);
  await pipeline.idle();
});

test('a pipeline runs pulumi up of what is merged: killed in each wait, the swap asks for each change once', async () => {
  // Each is merged while a run waits for it: whoever merges earlier may deploy before the next run looks.
  const asked: Pull[] = [];
  hosting.onPull = (pull) => {
    asked.push(pull);
  };
  const path = world.swapFile({
    to: '1.34',
    program: {
      git: {
        ...hosting.settings,
        ...{ file, slots: ['config', 'talk:apps'], weights: ['config', 'talk:weights'], every: '1s' },
        deployed: { environment: 'production' },
      },
    },
  });
  const says = async (run: RunningCommand, phase: string, words: RegExp): Promise<void> => {
    const starts = [`${phase}: `, `Goes on with ${phase}`];
    await eventually(
      `${phase}: ${words.source}`,
      () => {
        const printed = run.printed.stderr;
        const at = Math.max(...starts.map((start) => printed.lastIndexOf(start)));
        return at >= 0 && words.test(printed.slice(at));
      },
      { within: 240_000, every: 20 },
    );
  };
  const kill = async (run: RunningCommand): Promise<void> => {
    run.kill();
    await run.result;
    await world.letLeaseExpire();
  };
  const ways: [string, MergeMethod][] = [
    ['create', 'squash'],
    ['shift', 'rebase'],
    ['delete', 'merge'],
  ];
  for (const [phase, method] of ways) {
    const first = world.start('swap', path);
    await says(first, phase, /waiting for its merge/);
    await kill(first);
    expect(Object.keys(await world.clusters())).toContain('apps-blue');
    const second = world.start('swap', path);
    await says(second, phase, /waiting for its merge/);
    expect(asked).toHaveLength(1);
    hosting.merge(asked.pop()!, method);
    await says(second, phase, /waiting until \w+ is deployed/);
    await kill(second);
  }
  const { status, stdout, stderr } = await world.start('swap', path).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  expect(hosting.pulls.map(({ title, merged_at: at }) => [title, at !== null])).toEqual([
    ['Swap 1.33 to 1.34: add slot green (1.34)', true],
    ['Swap 1.33 to 1.34: shift traffic to green', true],
    ['Swap 1.33 to 1.34: remove slot blue', true],
  ]);
  expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  expect(await world.weights()).toEqual({ 'apps-green-web': 100 });
  await world.argo.synced('apps-green-podinfo');
}, 900_000);
