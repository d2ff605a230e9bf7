import {
  blockers,
  refusedDuring,
  caRotationPhases,
  isSafe,
  rotationState,
} from '../../../lib/core/certificates/ca-rotation';
import type { CaRotation, CaRotationPhase } from '../../../lib/core/certificates/ca-rotation';
import { authority, observationOf, search } from './interleaving';
import type { Design, Write, World } from './interleaving';

const rotation: CaRotation = { old: authority('g1'), renewed: authority('g2') };

/** The gate after a phase, as the Job and the hook ask it. */
const gateAfter =
  (phase: CaRotationPhase, settings: CaRotation = rotation) =>
  (world: World): boolean =>
    blockers(phase, settings, observationOf(world)).length === 0;

const replaced =
  (...bundle: string[]) =>
  () =>
    bundle;
const merged =
  (...more: string[]) =>
  (bundle: readonly string[]) => [...bundle, ...more.filter((each) => !bundle.includes(each))];

const renewLeaf = (signer: string, when?: Write['when']): Write => ({
  name: `the leaf is renewed, signed by ${signer}`,
  leaf: signer,
  ...(when ? { when } : {}),
});

/** The three phases. Each gate may be replaced. */
function phases(gates: Partial<Record<CaRotationPhase, Write['when']>> = {}): readonly Write[] {
  const gate = { publish: gateAfter('publish'), switch: gateAfter('switch'), ...gates };
  return [
    { name: 'publish', bundle: replaced(...rotationState('publish', 'g1', 'g2').trusts) },
    { name: 'switch', leaf: rotationState('switch', 'g1', 'g2').signs, when: gate.publish },
    { name: 'retire', bundle: replaced(...rotationState('retire', 'g1', 'g2').trusts), when: gate.switch },
  ];
}

const open = (): boolean => true;
const steady = { bundle: ['g1'], leaf: 'g1' };

describe('unsafe designs', () => {
  test.each<[string, Design]>([
    [
      'a chart that makes CA and certificate at each render',
      {
        ...steady,
        writers: [
          [{ name: 'the render writes the configuration', bundle: replaced('g2') }],
          [renewLeaf('g2')],
        ],
      },
    ],
    [
      'a self-signed leaf whose own certificate is injected',
      { ...steady, writers: [[renewLeaf('g2'), { name: 'it is injected', bundle: replaced('g2') }]] },
    ],
    [
      'a self-signed leaf with merging',
      { ...steady, writers: [[renewLeaf('g2'), { name: 'it is injected', bundle: merged('g2') }]] },
    ],
    [
      'the chart with cert-manager, injection from the leaf, after its CA got a new key',
      { ...steady, writers: [[renewLeaf('g2'), { name: 'its ca.crt is injected', bundle: merged('g2') }]] },
    ],
    [
      'a CA that gets a new key in place, with merging',
      {
        ...steady,
        // Which of the two sees the new key first is left to chance.
        writers: [[{ name: 'the CA is injected', bundle: merged('g2') }], [renewLeaf('g2')]],
      },
    ],
    ['the three phases without the gate after publish', { ...steady, writers: [phases({ publish: open })] }],
    ['the three phases without the gate after switch', { ...steady, writers: [phases({ switch: open })] }],
    [
      'the three phases without the hour',
      {
        ...steady,
        writers: [phases({ publish: gateAfter('publish', { ...rotation, settleMilliseconds: 0 }) })],
      },
    ],
    [
      'both anchors by what merging remembers, and the configuration is made again',
      {
        ...steady,
        writers: [
          [{ name: 'g2 is injected too', bundle: merged('g2') }],
          [{ name: 'the configuration is deleted and made again', bundle: replaced('g2') }],
        ],
      },
    ],
  ])('%s', (_, design) => {
    const { unsafe } = search(design, isSafe);
    expect(unsafe).toBeDefined();
    // Some write, and at least one side that learned of it.
    expect(unsafe!.length).toBeGreaterThan(1);
    expect(unsafe!.at(-1)).toMatch(/reads$/);
  });
});

describe('safe designs', () => {
  const renewals = [renewLeaf('g1'), renewLeaf('g1')];
  const caRenewals: readonly Write[] = [
    { name: 'the CA is renewed under its key', bundle: replaced("g1'") },
    { name: 'and the old certificate is merged again', bundle: merged('g1') },
    { name: 'and dropped', bundle: replaced("g1'") },
  ];
  const seenIn = (worlds: readonly World[], bundle: string[], signer: string): boolean =>
    worlds.some(
      ({ apiServers, pods }) =>
        apiServers.every((each) => each.join() === bundle.join()) && pods.every((each) => each === signer),
    );

  test('leaf and CA renewals under one key, in any order', () => {
    const { unsafe, worlds } = search({ ...steady, writers: [renewals, caRenewals] }, isSafe);
    expect(unsafe).toBeUndefined();
    expect(seenIn(worlds, ["g1'"], 'g1')).toBe(true);
    expect(worlds.length).toBeGreaterThan(50);
  });

  test('the three phases with their gates, to the end', () => {
    const { unsafe, worlds } = search({ ...steady, writers: [phases()] }, isSafe);
    expect(unsafe).toBeUndefined();
    expect(seenIn(worlds, ['g2'], 'g2')).toBe(true);
    const last = worlds.filter(gateAfter('retire'));
    expect(last.length).toBeGreaterThan(0);
    expect(last.every(({ pods }) => pods.every((each) => each === 'g2'))).toBe(true);
  });

  test('with a configuration that is made again in between, from the Secret with both anchors', () => {
    const again: Write = {
      name: 'the configuration is deleted and made again',
      bundle: replaced('g1', 'g2'),
      when: ({ done }) => done[0] === 1 || done[0] === 2,
    };
    const { unsafe, worlds } = search({ ...steady, writers: [phases(), [again]] }, isSafe);
    expect(unsafe).toBeUndefined();
    expect(worlds.some(({ done }) => done.join() === '3,1')).toBe(true);
  });

  test('with leaves that are renewed at any time by whoever signs then', () => {
    const inPhase =
      (least: number, most: number) =>
      ({ done }: World) =>
        done[0]! >= least && done[0]! <= most;
    const early = renewLeaf('g1', inPhase(0, 1));
    const late = renewLeaf('g2', inPhase(2, 3));
    const { unsafe, worlds } = search({ ...steady, writers: [phases(), [early, early, late]] }, isSafe);
    expect(unsafe).toBeUndefined();
    expect(worlds.some(({ done }) => done.join() === '3,3')).toBe(true);
  });

  test('turned back before the old authority is retired', () => {
    const [publish, change] = phases();
    const back: readonly Write[] = [
      publish!,
      change!,
      { name: 'back to the old authority', leaf: 'g1' },
      {
        name: 'unpublish',
        bundle: replaced('g1'),
        when: ({ pods }) => pods.every((each) => each === 'g1'),
      },
    ];
    const { unsafe, worlds } = search({ ...steady, writers: [back] }, isSafe);
    expect(unsafe).toBeUndefined();
    expect(seenIn(worlds, ['g1'], 'g1')).toBe(true);
  });
});

test('from phase to phase nothing is refused meanwhile; over two of them something is', () => {
  const stages = (['steady', ...caRotationPhases] as const).map((phase) => rotationState(phase, 'g1', 'g2'));
  const table = stages.map((from) => stages.map((to) => refusedDuring(from, to).join() || 'nothing'));
  expect(table).toEqual([
    ['nothing', 'nothing', 'tooSoon', 'tooSoon,tooLate'],
    ['nothing', 'nothing', 'nothing', 'tooLate'],
    ['tooLate', 'nothing', 'nothing', 'nothing'],
    ['tooSoon,tooLate', 'tooSoon', 'nothing', 'nothing'],
  ]);
});
