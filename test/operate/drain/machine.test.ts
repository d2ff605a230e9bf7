import fc from 'fast-check';
import { beginDrain, drainStep, endLines } from '../../../lib/operate/drain/cluster';
import type { ClusterObject } from '../../../lib/operate/drain/cluster-objects';
import {
  clusterObject,
  drainedKinds,
  drainPhases,
  objectText,
} from '../../../lib/operate/drain/cluster-objects';

const object = (
  phase: ClusterObject['phase'],
  name: string,
  rest: Partial<ClusterObject> = {},
): ClusterObject => ({
  ...{ phase, name, namespace: 'shop', uid: `${name}-1`, apiVersion: 'v1', kind: 'Thing' },
  ...{ action: 'delete', deleting: false, finalizers: [] },
  ...rest,
});

const hour = 3_600_000;

describe('which objects have to go', () => {
  const spec = (value: object) => ({ metadata: { name: 'a', namespace: 'shop', uid: '1' }, spec: value });
  const claim = { spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] } };
  const autoMode = { nodeClassRef: { group: 'eks.amazonaws.com' } };
  const karpenter = { nodeClassRef: { group: 'karpenter.k8s.aws' } };
  const named = (name: string, value: object) => ({ metadata: { name, uid: '1' }, spec: value });

  test.each<[string, any, boolean]>([
    ['Ingress', spec({}), true],
    ['Service', spec({ type: 'LoadBalancer' }), true],
    ['Service', spec({ type: 'ClusterIP' }), false],
    ['Gateway', spec({}), true],
    ['Deployment', spec({ template: claim }), true],
    ['Deployment', spec({ template: claim, replicas: 0 }), false],
    ['Deployment', spec({ template: { spec: {} } }), false],
    ['StatefulSet', spec({ volumeClaimTemplates: [{}], replicas: 3 }), true],
    ['StatefulSet', spec({ volumeClaimTemplates: [{}], replicas: 0 }), false],
    ['NodePool', named('default', { template: { spec: karpenter } }), true],
    ['NodePool', named('system', { template: { spec: karpenter } }), true],
    ['NodePool', named('system', { template: { spec: autoMode } }), false],
    ['NodePool', named('gpu', { template: { spec: autoMode } }), true],
    [
      'NodeClaim',
      { metadata: { name: 'a', labels: { 'karpenter.sh/nodepool': 'system' } }, spec: autoMode },
      false,
    ],
    [
      'NodeClaim',
      { metadata: { name: 'a', labels: { 'karpenter.sh/nodepool': 'gpu' } }, spec: autoMode },
      true,
    ],
  ])('%s %j: %s', (kind, given, goes) => {
    const drained = drainedKinds.find((each) => each.kind === kind)!;
    expect(clusterObject(drained, given) !== undefined).toBe(goes);
  });

  test('one whose deletion waits says for what', () => {
    const metadata = {
      name: 'web',
      namespace: 'shop',
      uid: '1',
      deletionTimestamp: 'now',
      finalizers: ['a/b'],
    };
    const found = clusterObject(drainedKinds[0]!, { apiVersion: 'v1', kind: 'x', metadata })!;
    expect(found).toMatchObject({ deleting: true, finalizers: ['a/b'] });
    expect(objectText(found)).toBe('Ingress shop/web');
  });
});

describe('the order', () => {
  test('a phase begins when nothing is left of those before it', () => {
    const objects = [object('nodes', 'pool'), object('entrances', 'web', { deleting: true })];
    const step = drainStep(beginDrain(0), { now: 1, objects }, hour);
    expect(step).toMatchObject({ phase: 'entrances', act: [], waitsFor: [{ name: 'web' }] });
    const next = drainStep(step.state, { now: 2, objects: objects.slice(0, 1) }, hour);
    expect(next).toMatchObject({ phase: 'nodes', act: [{ name: 'pool' }] });
    expect(drainStep(next.state, { now: 3, objects: [] }, hour).ended).toBe('empty');
  });

  test('what comes back is deleted again, but not for ever', () => {
    let state = beginDrain(0);
    const ends: unknown[] = [];
    for (const life of [1, 2, 3, 4]) {
      const step = drainStep(
        state,
        { now: life, objects: [object('entrances', 'web', { uid: `${life}` })] },
        hour,
      );
      state = step.state;
      ends.push([step.ended, step.act.length]);
    }
    expect(ends).toEqual([
      [undefined, 1],
      [undefined, 1],
      [undefined, 1],
      ['contested', 0],
    ]);
  });

  test('after its time it says what is left, and why', () => {
    const objects = [
      object('entrances', 'web', { deleting: true, finalizers: ['ingress.k8s.aws/resources'] }),
      object('entrances', 'tcp'),
    ];
    const step = drainStep(beginDrain(0), { now: hour, objects }, hour);
    expect(step).toMatchObject({ ended: 'late', act: [] });
    expect(endLines(step)).toEqual([
      'Thing shop/web: its deletion waits for ingress.k8s.aws/resources; the time is over',
      'Thing shop/tcp: it is still there; the time is over',
    ]);
  });
});

test('any cluster whose controllers do their work is emptied, each object once, in the order of phases', () => {
  const phase = fc.constantFrom(...drainPhases);
  fc.assert(
    fc.property(fc.array(fc.tuple(phase, fc.nat(3)), { maxLength: 12 }), (kinds) => {
      // Each takes a while to go.
      const left = new Map(kinds.map(([of, takes], index) => [`${index}`, { of, takes, deleting: false }]));
      const acted: ClusterObject[] = [];
      let state = beginDrain(0);
      for (let now = 0; now < 200; now += 1) {
        const objects = [...left].map(([name, { of, deleting }]) => object(of, name, { deleting }));
        const step = drainStep(state, { now, objects }, hour);
        state = step.state;
        if (step.ended) {
          expect([step.ended, left.size]).toEqual(['empty', 0]);
          break;
        }
        acted.push(...step.act);
        step.act.forEach(({ name }) => (left.get(name)!.deleting = true));
        for (const [name, one] of left) {
          one.takes -= one.deleting ? 1 : 0;
          if (one.takes < 0) {
            left.delete(name);
          }
        }
      }
      expect(left.size).toBe(0);
      expect(acted).toHaveLength(kinds.length);
      const order = acted.map((each) => drainPhases.indexOf(each.phase));
      expect(order).toEqual([...order].sort());
    }),
  );
});
