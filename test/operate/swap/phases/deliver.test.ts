import type { Hub } from '../../../../lib/operate/argocd';
import { deliverPhase } from '../../../../lib/operate/swap/phases/deliver';
import type { PhaseAnswer } from '../../../../lib/operate/swap';
import { clusterOf, never, phaseRun } from './phase-runs';

/** A hub whose Secret of green says this, and what is done with it. */
class World {
  public readonly done: string[] = [];
  public paused: Error | 'by a drain' | 'by others' | 'by both' | undefined;

  public run(answer: PhaseAnswer = { passed: true }) {
    const run = phaseRun();
    const phase = deliverPhase({
      ...{ fleet: 'apps', clusterOf },
      checks: { phase: 'deliver', run: () => (this.done.push('checks'), Promise.resolve(answer)) },
      openHubs: () => Promise.resolve([this.hub]),
      aws: (name) =>
        ({
          clients: {
            eks: () => Promise.resolve({ describeCluster: () => Promise.resolve({ cluster: {} }) }),
          },
          close: () => this.done.push(`aws of ${name} closed`),
        }) as never,
    });
    return { said: run.said, answer: phase.run(run, never) };
  }

  private get hub(): Hub {
    const skip = { 'argocd.argoproj.io/skip-reconcile': 'true' };
    const labels = { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green' };
    const { paused } = this;
    const annotations = {
      ...(paused !== undefined && skip),
      ...(paused !== undefined && paused !== 'by others' && { 'cluster-canary/labels-before-drain': 'none' }),
    };
    return {
      name: 'hub',
      namespace: 'argocd',
      api: {
        list: () =>
          paused instanceof Error
            ? Promise.reject(paused)
            : Promise.resolve([{ metadata: { name: 'green', uid: '1', labels, annotations } }]),
        apply: ({ metadata }: any, { fieldManager }: any) => {
          this.done.push(`${fieldManager} ${metadata.name}`);
          return Promise.resolve({ metadata: { annotations: paused === 'by both' ? skip : {} } });
        },
        close: () => this.done.push('hub closed'),
      } as never,
    };
  }
}

const closed = ['hub closed', 'aws of apps-green closed'];

test('checks are asked, and nothing is written where nothing is paused', async () => {
  const world = new World();
  const { said, answer } = world.run();
  expect([await answer, said, world.done]).toEqual([{ passed: true }, [], ['checks', ...closed]]);
});

test('what an earlier drain of the cluster has paused goes first', async () => {
  const world = new World();
  world.paused = 'by a drain';
  const { said, answer } = world.run({ passed: false, reason: 'Missing', final: false });
  expect(await answer).toEqual({ passed: false, reason: 'Missing', final: false });
  expect(said).toEqual(['Hub hub: deploys to apps-green again, by Secret green']);
  expect(world.done).toEqual(['cluster-canary-drain green', 'checks', ...closed]);
});

test.each([
  ['by others', []],
  ['by both', ['cluster-canary-drain green']],
] as const)('what is paused %s is no delivery: words of Argo CD are old', async (paused, written) => {
  const world = new World();
  world.paused = paused;
  expect(await world.run().answer).toEqual({
    passed: false,
    reason:
      'Argo CD does not deploy to apps-green: hub hub: Secret green has argocd.argoproj.io/skip-reconcile, which this swap did not set',
    final: false,
  });
  expect(world.done).toEqual([...written, ...closed]);
});

test('a hub that does not answer is asked again', async () => {
  const world = new World();
  world.paused = new Error('no answer');
  expect(await world.run().answer).toMatchObject({ passed: false, final: false });
  expect(world.done).toEqual(closed);
});
