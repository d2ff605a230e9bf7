import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './bench/eventually';
import { GitPipeline } from './bench/git-pipeline';
import type { MergeMethod } from './bench/git-server';
import { GitHub } from './bench/github';
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
}, 240_000);

test('a pipeline runs pulumi up of what is merged: killed in each wait, the swap asks for each change once', async () => {
  const methods: MergeMethod[] = ['squash', 'rebase', 'merge'];
  hosting.onPull = (pull) => {
    setTimeout(() => hosting.merge(pull, methods.shift()), 5_000);
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
  const moments = ['create: ', 'shift: ', 'delete: '].flatMap((phase) => [
    [phase, /waiting for its merge/],
    [phase, /waiting until \w+ is deployed/],
  ]) as [string, RegExp][];
  for (const [phase, words] of moments) {
    const run = world.start('swap', path);
    await eventually(
      `${phase}${words.source}`,
      () => {
        const printed = run.printed.stderr;
        const at = Math.max(
          printed.lastIndexOf(phase),
          printed.lastIndexOf(`Goes on with ${phase.slice(0, -2)}`),
        );
        return at >= 0 && words.test(printed.slice(at));
      },
      { within: 240_000, every: 20 },
    );
    run.kill();
    await run.result;
    await world.letLeaseExpire();
    expect(Object.keys(await world.clusters())).toContain('apps-blue');
  }
  const { status, stdout, stderr } = await world.start('swap', path).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  expect(hosting.pulls.map(({ title, merged_at: at }) => [title, at !== null])).toEqual([
    ['Swap 1.33 to 1.34: slot green with 1.34 comes', true],
    ['Swap 1.33 to 1.34: slot green gets the traffic', true],
    ['Swap 1.33 to 1.34: slot blue goes', true],
  ]);
  expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  expect(await world.weights()).toEqual({ 'apps-green-web': 100 });
  await world.argo.synced('apps-green-podinfo');
}, 900_000);
