import type { FlaggerMetric } from '../../lib/manifests/flagger';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { flagger } from './bench/flagger';
import {
  canaryOf,
  deploymentOf,
  imageOf,
  phaseOf,
  podinfoObjects,
  prometheus,
  routeOf,
  shop,
  templateOf,
  watchRules,
  weightsOf,
} from './bench/flagger-world';
import type { KubernetesObject } from './bench/kubernetes-api';
import type { RequestRecorder } from './bench/request-recorder';
import { requestRecorder } from './bench/request-recorder';
import { crdFolder } from './tools/crds';

let plane: ControlPlane;
let hooks: RequestRecorder;
const podinfo = podinfoObjects();
/** A metric by a template that is made of a check of a cluster's shift. */
let shares: FlaggerMetric;

const header = { headers: { 'x-canary': { exact: 'yes' } } };

/** Canaries as this library writes them, by the names of their applications. */
const canaries = (): Record<string, KubernetesObject> => ({
  weighed: canaryOf('weighed', { analysis: { stepWeights: [20, 50] } }),
  stepped: canaryOf('stepped', { analysis: { stepWeight: 50, maxWeight: 100, stepWeightPromotion: 50 } }),
  bad: canaryOf('bad', { analysis: { stepWeights: [20, 50] } }),
  silent: canaryOf('silent', { analysis: { stepWeights: [20] } }),
  picked: canaryOf('picked', { analysis: { iterations: 1, match: [header] } }),
  mirrored: canaryOf('mirrored', { analysis: { iterations: 2, mirror: true } }),
  shared: canaryOf('shared', { analysis: { stepWeights: [20], metrics: [shares] } }),
  'bad-shared': canaryOf('bad-shared', { analysis: { stepWeights: [20], metrics: [shares] } }),
  sticky: canaryOf('sticky', { analysis: { stepWeights: [30], sessionAffinity: { cookieName: 'canary' } } }),
  switched: canaryOf('switched', {
    provider: 'kubernetes',
    analysis: {
      iterations: 2,
      webhooks: [{ name: 'smoke', type: 'pre-rollout', url: `${hooks.url}/switched` }],
    },
  }),
  'bad-switch': canaryOf('bad-switch', { provider: 'kubernetes', analysis: { iterations: 2 } }),
  forgotten: canaryOf('forgotten', { provider: 'kubernetes', revertOnDeletion: false }),
});

/** What the library refuses, as somebody writes it by hand. */
function refused(): Record<string, KubernetesObject> {
  const [mirroring, prefixed] = [
    canaryOf('mirroring'),
    canaryOf('prefixed', { analysis: { iterations: 9 } }),
  ];
  Object.assign(mirroring['spec'].analysis, {
    mirror: true,
    webhooks: [{ name: 'smoke', type: 'pre-rollout', url: `${hooks.url}/mirroring` }],
  });
  prefixed['spec'].analysis.match = [{ headers: { 'x-canary': { prefix: 'y' } } }];
  return { mirroring, prefixed };
}

const ended: Record<string, KubernetesObject> = {};
const rules: Record<string, any[][]> = {};

beforeAll(async () => {
  plane = await controlPlane({ name: 'flagger' });
  const [metrics, recorder] = await Promise.all([
    prometheus((query) => {
      // Of the application's own share of errors, or of Flagger's own success rate.
      const [, ours, theirs = ours] = /[ {,]pod=~"(.+?)-\[|kubernetes_pod_name=~"(.+?)-\[/.exec(query) ?? [];
      const isGood = theirs?.startsWith('bad') !== true;
      const value = ours === undefined ? (isGood ? 100 : 50) : isGood ? 0 : 0.5;
      return theirs === 'silent' ? undefined : value;
    }),
    requestRecorder(),
  ]);
  hooks = recorder;
  const template = templateOf(metrics);
  shares = template.metric;
  await plane.installCrds(crdFolder('gateway-api'));
  await plane.installCrds(crdFolder('argo-rollouts'));
  // Its own setting is another provider: each Canary says which one it means.
  await flagger(plane, { provider: 'istio', metricsServer: metrics });
  await plane.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop } });
  await plane.api.create(template.object);
  for (const object of podinfo) {
    await plane.api.apply(object, { fieldValidation: 'Strict' });
  }
  const [sound, byHand] = [canaries(), refused()];
  const all = { ...sound, ...byHand };
  await Promise.all(
    Object.entries(all).map(async ([name, canary]) => {
      await plane.api.create(deploymentOf(name));
      await plane.api.create(canary);
    }),
  );
  await Promise.all(Object.values(all).map((canary) => phaseOf(plane, canary, 'Initialized')));
  const watched = Object.keys(all).map((name) => [name, watchRules(plane, name)] as const);
  await Promise.all(
    Object.keys(all)
      .filter((name) => name !== 'forgotten')
      .map((name) => plane.api.patch(deploymentOf(name), { spec: deploymentOf(name, 2)['spec'] })),
  );
  await Promise.all(
    Object.entries(sound)
      .filter(([name]) => name !== 'forgotten')
      .map(async ([name, canary]) => {
        ended[name] = await phaseOf(plane, canary, 'Succeeded', 'Failed');
      }),
  );
  for (const [name, watch] of watched) {
    rules[name] = await watch.stop();
  }
});

const primaryOf = async (name: string): Promise<any> =>
  (await plane.api.get({ ...deploymentOf(name), metadata: { name: `${name}-primary`, namespace: shop } }))[
    'spec'
  ];
const replicasOf = async (name: string): Promise<number> =>
  (await plane.api.get(deploymentOf(name)))['spec'].replicas;
const releasedOf = async (name: string): Promise<string> =>
  (await primaryOf(name)).template.spec.containers[0].image;

/** Weights of the released and the new version over time. */
const weightsOver = (name: string): number[][] =>
  rules[name]!.map((each) => weightsOf(each.find(({ backendRefs }) => backendRefs.length === 2)));

describe('by the Gateway API', () => {
  test('a good version gets its weights, one after the other, and is released', async () => {
    expect(ended['weighed']!['status'].phase).toBe('Succeeded');
    expect(weightsOver('weighed')).toEqual([
      [100, 0],
      [80, 20],
      [50, 50],
      [100, 0],
    ]);
    expect(await releasedOf('weighed')).toBe(imageOf(2));
    expect(await replicasOf('weighed')).toBe(0);
  });

  test('equal steps, and the way back in steps', async () => {
    expect(weightsOver('stepped')).toEqual([
      [100, 0],
      [50, 50],
      [0, 100],
      [50, 50],
      [100, 0],
    ]);
    expect(await releasedOf('stepped')).toBe(imageOf(2));
  });

  test('the check of a shift evaluates, too', async () => {
    expect(ended['shared']!['status'].phase).toBe('Succeeded');
    expect(ended['bad-shared']!['status'].phase).toBe('Failed');
    expect(await releasedOf('bad-shared')).toBe(imageOf(1));
  });

  test.each(['bad', 'silent'])('a %s version is taken back after its first weight', async (name) => {
    expect(ended[name]!['status'].phase).toBe('Failed');
    expect(weightsOver(name)).toEqual([
      [100, 0],
      [80, 20],
      [100, 0],
    ]);
    expect(await releasedOf(name)).toBe(imageOf(1));
    expect(await replicasOf(name)).toBe(0);
  });

  test('only requests with the header see the new version', () => {
    const [[test, others]] = rules['picked']!.filter(([first]) => weightsOf(first)[1] === 100) as [any[]];
    expect(test.matches).toMatchObject([{ headers: [{ name: 'x-canary', type: 'Exact', value: 'yes' }] }]);
    expect(others.matches).toEqual([{ path: { type: 'PathPrefix', value: '/' } }]);
    expect(others.backendRefs.map((each: any) => each.name)).toEqual(['picked-primary']);
    expect(ended['picked']!['status'].phase).toBe('Succeeded');
  });

  test('a mirror gets copies, and no answers are taken from it', () => {
    const copied = rules['mirrored']!.filter(([rule]) => rule.filters !== undefined);
    expect(copied.length).toBeGreaterThan(0);
    for (const [rule] of copied) {
      expect(rule.filters).toMatchObject([
        { type: 'RequestMirror', requestMirror: { backendRef: { name: 'mirrored-canary' } } },
      ]);
      expect(weightsOf(rule)).toEqual([100, 0]);
    }
    expect(ended['mirrored']!['status'].phase).toBe('Succeeded');
  });

  test('who was sent to the new version stays there, by a cookie', () => {
    const [[cookie, weighed]] = rules['sticky']!.filter(
      (each) => each.length === 2 && weightsOf(each[1])[1] === 30,
    ) as [any[]];
    expect(cookie.matches[0].headers[0].value).toMatch(/^\.\*canary\.\*\w+\.\*$/);
    expect(weightsOf(cookie)).toEqual([0, 100]);
    expect(JSON.stringify(weighed.backendRefs[1].filters)).toMatch(/Set-Cookie.*canary=\w+; Max-Age=86400/);
    expect(ended['sticky']!['status'].phase).toBe('Succeeded');
  });

  test('a route that nothing changes is left as it is', async () => {
    const before = await plane.api.get(routeOf('weighed'));
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    const { metadata } = await plane.api.get(routeOf('weighed'));
    expect(metadata['resourceVersion']).toBe(before.metadata['resourceVersion']);
  });
});

describe('with the provider kubernetes', () => {
  test('a good version is checked and released at once', async () => {
    expect(ended['switched']!['status'].phase).toBe('Succeeded');
    expect(await releasedOf('switched')).toBe(imageOf(2));
    expect(hooks.requests.filter(({ path }) => path === '/switched')).toHaveLength(1);
    expect(await plane.api.find(routeOf('switched'))).toBeUndefined();
  });

  test('a bad one is taken back', async () => {
    expect(ended['bad-switch']!['status'].phase).toBe('Failed');
    expect(await releasedOf('bad-switch')).toBe(imageOf(1));
  });
});

test('the frontend of examples/podinfo: two pods released by its autoscaler, none new; the rest is accepted', async () => {
  const frontend = (kind: string) =>
    podinfo.find((each) => each.kind === kind && each.metadata.name === 'frontend')!;
  await phaseOf(plane, frontend('Canary'), 'Initialized');
  const target = frontend('Deployment');
  const primary = { ...target, metadata: { ...target.metadata, name: 'frontend-primary' } };
  await eventually(
    'two released pods',
    async () => (await plane.api.get(primary))['status'].readyReplicas === 2,
  );
  expect((await plane.api.get(target))['spec'].replicas).toBe(0);
});

describe('what the library refuses, and why', () => {
  test('a mirror with weights: the analysis begins again and again', async () => {
    const { status } = (await plane.api.get(refused()['mirroring']!)) as any;
    expect(status).toMatchObject({ phase: 'Progressing', canaryWeight: 0, failedChecks: 0 });
    expect(hooks.requests.filter(({ path }) => path === '/mirroring').length).toBeGreaterThan(2);
    expect(rules['mirroring']!.flat().some(({ filters }) => filters !== undefined)).toBe(false);
  });

  test('a match that the Gateway API has not: everybody gets the new version', () => {
    const [first] = rules['prefixed']!.at(-1)!;
    expect(first.matches).toEqual([{ path: { type: 'PathPrefix', value: '/' } }]);
    expect(weightsOf(first)).toEqual([0, 100]);
  });

  test("App Mesh is in Flagger's definition still, a gatewayapi without version is not", async () => {
    const accepted = (provider: string) => {
      const canary = canaryOf(provider);
      canary['spec'].provider = provider;
      return plane.api.create(canary, { dryRun: true });
    };
    await expect(accepted('appmesh')).resolves.toBeDefined();
    await expect(accepted('gatewayapi')).rejects.toThrow(/Unsupported value: "gatewayapi"/);
  });
});

describe('deletion', () => {
  const gone = async (object: KubernetesObject) => (await plane.api.find(object)) === undefined;

  test('the target gets its pods back', async () => {
    const canary = canaryOf('weighed');
    await plane.api.delete(canary);
    await eventually('the Canary is gone', () => gone(canary));
    expect(await replicasOf('weighed')).toBe(1);
  });

  test('without "revertOnDeletion" it has none, and the released ones go', async () => {
    const canary = canaryOf('forgotten');
    const primary = {
      ...deploymentOf('forgotten'),
      metadata: { name: 'forgotten-primary', namespace: shop },
    };
    await plane.api.delete(canary);
    await eventually('the released pods are gone', () => gone(primary));
    expect(await replicasOf('forgotten')).toBe(0);
  });

  test('with its target gone, a Canary waits for it', async () => {
    const canary = canaryOf('switched');
    await plane.api.delete(deploymentOf('switched'));
    await plane.api.delete(canary);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    expect((await plane.api.get(canary)).metadata['finalizers']).toEqual(['finalizer.flagger.app']);
    await plane.api.patch(canary, { spec: { revertOnDeletion: false } });
    await eventually('the Canary is gone', () => gone(canary));
  });
});
