import * as fc from 'fast-check';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { heartbeatOf, classifySkew, measureClocks, skewOf } from '../../../lib/operate/clocks';
import type { Kubelet } from './kubelets';
import { Kubelets } from './kubelets';

const measured = (world: Kubelets, more = {}) =>
  measureClocks(world, { wait: world.wait, elapsed: world.elapsed, ...more });

describe('skewOf', () => {
  const of = (...differences: number[]) =>
    skewOf(differences.map((each) => ({ renewedAt: each * 1000, writtenAt: 0 })));

  test.each([
    // One heartbeat: half a second on either side.
    [[0.7], { seconds: 0.2, uncertainty: 0.5, samples: 1 }],
    // What two bounds have in common.
    [[0.1, 0.9], { seconds: 0, uncertainty: 0.1, spread: 0.8 }],
    [[-90.2, -90.9], { seconds: -91.05, uncertainty: 0.15, spread: 0.7 }],
    // A write that took ten seconds, as kubelet's time-out allows.
    [[31.2, 31.6, 21.4, 31.9], { seconds: 31.05, uncertainty: 5.25, spread: 10.5 }],
    // A clock that was set meanwhile is not known better than that.
    [[60, 0], { seconds: 29.5, uncertainty: 30, spread: 60 }],
  ])('differences of %j s', (differences, expected) => {
    expect(of(...differences)).toMatchObject(expected);
  });

  test('no sample is given twice the weight by its place', () => {
    expect(of(0.1, 0.5, 0.9)).toEqual(of(0.9, 0.1, 0.5));
  });
});

describe('heartbeatOf', () => {
  const entry = (time: string, fields: object = { 'f:spec': { 'f:renewTime': {} } }) => ({
    manager: 'kubelet',
    operation: 'Update',
    time,
    fieldsV1: fields,
  });
  const lease = (managedFields: unknown, spec: unknown = { renewTime: '2026-11-21T12:00:00.500000Z' }) =>
    heartbeatOf({ apiVersion: 'v1', kind: 'Lease', metadata: { name: 'a', managedFields }, spec });

  test('the time is that of the write of renewTime, whatever others write', () => {
    const others = entry('2026-11-21T13:00:00Z', { 'f:metadata': { 'f:labels': {} } });
    expect(lease([others, entry('2026-11-21T12:00:01Z')])).toEqual({
      node: 'a',
      lease: '',
      renewedAt: Date.parse('2026-11-21T12:00:00.500Z'),
      writtenAt: Date.parse('2026-11-21T12:00:01Z'),
      holds: 40_000,
    });
  });

  test('somebody who wrote the same value later was not the one who renewed', () => {
    const writes = [entry('2026-11-21T12:05:00Z'), entry('2026-11-21T12:00:01Z')];
    expect(lease(writes)).toMatchObject({ writtenAt: Date.parse('2026-11-21T12:00:01Z') });
  });

  test.each([
    [undefined, /managedFields/],
    [[], /managedFields/],
    [[entry('soon')], /managedFields/],
    [[null, 'x', { fieldsV1: null }], /managedFields/],
  ])('managedFields %j say nothing', (managedFields, text) => {
    expect(lease(managedFields)).toMatch(text);
  });

  test('whatever a Lease holds, it is an answer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (managedFields, spec) => {
        const answer = lease(managedFields, spec);
        expect(['string', 'object']).toContain(typeof answer);
      }),
    );
  });
});

describe('measureClocks', () => {
  test('estimates are within a second of the truth', async () => {
    const skews = [-600, -91, -5, 0, 31, 120];
    const kubelets = skews.map((skew, index) => ({ name: `node-${index}`, skew, phase: index * -1.7 }));
    const { nodes, silent, unreadable } = await measured(new Kubelets(kubelets, 0.4));
    expect([silent, unreadable]).toEqual([[], []]);
    expect(nodes.map(({ samples }) => samples >= 4)).toEqual(skews.map(() => true));
    nodes.forEach(({ seconds, median }, index) => {
      expect(Math.abs(seconds - skews[index]!)).toBeLessThan(0.5);
      expect(Math.abs(median - skews[index]!)).toBeLessThan(1);
    });
  });

  test('so they are for every skew, phase, jitter and usual latency; the bounds hold', async () => {
    const latency = fc.array(fc.double({ min: 0.001, max: 0.2, noNaN: true }), {
      minLength: 5,
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -2000, max: 2000, noNaN: true }),
        fc.double({ min: 0, max: 9, noNaN: true }),
        fc.double({ min: 9.6, max: 10.8, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        latency,
        async (skew, phase, every, fraction, latencies) => {
          const kubelet: Kubelet = { name: 'a', skew, phase: -phase, every, latency: latencies };
          const { nodes } = await measured(new Kubelets([kubelet], fraction));
          const { seconds, uncertainty } = nodes[0]!;
          expect(Math.abs(seconds - skew)).toBeLessThan(1);
          expect(Math.abs(seconds - skew)).toBeLessThan(uncertainty + 0.25);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('it ends when all have sent enough, and says how far it is', async () => {
    const world = new Kubelets([{ name: 'a', skew: 0 }]);
    const told: string[] = [];
    await measured(world, {
      samples: 3,
      progress: (done: number, all: number) => told.push(`${done}/${all}`),
    });
    expect(world.elapsed()).toBe(25_000);
    expect(told).toEqual(['0/1', '0/1', '0/1', '0/1', '0/1', '1/1']);
  });

  test('a node that is down is silent and not skewed, and is not waited for', async () => {
    const world = new Kubelets([
      { name: 'down', skew: 300, until: -500, phase: -600 },
      { name: 'up', skew: 0 },
    ]);
    const { nodes, silent } = await measured(world);
    expect(nodes.map(({ node }) => node)).toEqual(['up']);
    expect(silent).toEqual([{ node: 'down', seconds: expect.any(Number) as number }]);
    expect(silent[0]!.seconds).toBeGreaterThan(500);
    expect(world.elapsed()).toBeLessThan(45_000);
  });

  test('the only node, down for long, is silent when the time is up', async () => {
    const { nodes, silent } = await measured(new Kubelets([{ name: 'down', skew: 0, until: 1 }]));
    expect([nodes, silent]).toEqual([[], [{ node: 'down', seconds: 45 }]]);
  });

  test('a node that goes down meanwhile is measured by what it has sent', async () => {
    const { nodes } = await measured(new Kubelets([{ name: 'a', skew: -91, until: 31 }]));
    expect(nodes).toMatchObject([{ node: 'a', samples: 4 }]);
  });

  test('nodes without managedFields are told of', async () => {
    const { nodes, unreadable } = await measured(
      new Kubelets([
        { name: 'bare', skew: 0, managedFields: undefined },
        { name: 'good', skew: 0 },
      ]),
    );
    expect(nodes.map(({ node }) => node)).toEqual(['good']);
    expect(unreadable).toMatchObject([{ node: 'bare' }]);
  });

  test('a later look that fails does not lose the earlier ones, a first one does', async () => {
    const denied = new KubernetesError('denied', 'not allowed', 403);
    const world = new Kubelets([{ name: 'a', skew: 5 }]);
    const wait = async (milliseconds: number) => {
      await world.wait(milliseconds);
      world.failures = world.elapsed() > 20_000 ? { Lease: denied } : {};
    };
    const { nodes } = await measureClocks(world, { wait, elapsed: world.elapsed });
    expect(nodes).toMatchObject([{ node: 'a', samples: 2 }]);
    await expect(measured(world)).rejects.toBe(denied);
  });
});

test('options that are no measurement are refused, all at once', async () => {
  const wrong = { samples: 0, interval: '5s', deadline: -1, wait: 10, signals: 'hunter2' };
  await expect(measureClocks(new Kubelets([]), wrong as object)).rejects.toThrow(
    [
      'measureClocks: 5 problems',
      '  signals: unknown key, did you mean "signal"?; known keys: samples, interval, deadline, progress, signal, wait, elapsed',
      '  samples: 0: must be a whole number, at least 1',
      '  interval: "5s": must be a number of milliseconds, at least 0',
      '  deadline: -1: must be a number of milliseconds, at least 0',
      '  wait: 10: must be a function',
    ].join('\n'),
  );
  const world = new Kubelets([{ name: 'a', skew: 0 }]);
  expect((await measured(world, { deadline: Infinity })).nodes).toHaveLength(1);
});

describe('classifySkew', () => {
  const ids = (seconds: number) => {
    const { level, exceeded } = classifySkew({ seconds, uncertainty: 0.1 });
    return [level, ...exceeded.map(({ id }) => id)];
  };

  test.each([
    [0, ['fine']],
    [-5, ['fine']],
    [-12, ['warning', 'new-certificate']],
    [12, ['warning']],
    [26, ['critical']],
    [29.9, ['critical']],
    [31, ['critical', 'github']],
    [-61, ['critical', 'eks-token', 'new-certificate']],
    [-89, ['critical', 'eks-token', 'new-certificate']],
    [-91, ['critical', 'github', 'eks-token', 'new-certificate']],
    [120, ['critical', 'github']],
    [-600, ['critical', 'github', 'eks-token', 'aws-request', 'new-certificate', 'cluster-certificate']],
    [301, ['critical', 'github', 'aws-request']],
  ])('%d s', (seconds, expected) => {
    expect(ids(seconds)).toEqual(expected);
  });

  test('a limit within the uncertainty is likely, and not certain', () => {
    expect(classifySkew({ seconds: 10.2, uncertainty: 0.5 })).toMatchObject({
      level: 'warning',
      certain: false,
    });
    expect(classifySkew({ seconds: 11, uncertainty: 0.5 })).toMatchObject({
      level: 'warning',
      certain: true,
    });
  });
});
