import { X509Certificate } from 'node:crypto';
import { blockers, refusedCalls, isSafe } from '../../../lib/core/certificates/ca-rotation';
import type {
  CaRotation,
  CaRotationObservation,
  TrustState,
} from '../../../lib/core/certificates/ca-rotation';
import { outlivesAuthority, renewedBefore, renewsTooLate } from '../../../lib/core/certificates/lifetime';
import {
  trustAnchor,
  dnsNamesOf,
  serverCertificate,
  namesServer,
  isSignedBy,
} from '../../../lib/core/certificates/x509';
import type { TrustAnchor, ServerCertificate } from '../../../lib/core/certificates/x509';
import { issue } from '../../manifests/certificates/issue';

const now = Date.parse('2026-06-01T12:00:00Z');
const hour = 3_600_000;
const times = { notBefore: now - hour, notAfter: now + hour };
const g1: TrustAnchor = { subject: 'CN=gate-g1', key: '11', ...times };
const g2: TrustAnchor = { subject: 'CN=gate-g2', key: '22', ...times };
const leaf = (signer: TrustAnchor, more: Partial<ServerCertificate> = {}): ServerCertificate => ({
  signer,
  dnsNames: ['gate.gate-system.svc'],
  ...times,
  ...more,
});
const state = (bundle: readonly TrustAnchor[], served: ServerCertificate): TrustState => ({
  now,
  serverName: 'gate.gate-system.svc',
  apiServers: [
    { name: 'a', bundle: [g1, g2] },
    { name: 'b', bundle },
  ],
  pods: [{ name: 'p', leaf: served }],
});

describe('a call', () => {
  test.each<[string, readonly TrustAnchor[], ServerCertificate, string | undefined]>([
    ['of an anchor that signed', [g1], leaf(g1), undefined],
    ['of one of two', [g2, g1], leaf(g1), undefined],
    [
      'of another certificate of the same authority',
      [{ ...g1, notAfter: now + 9 * hour }],
      leaf(g1),
      undefined,
    ],
    ['of none', [], leaf(g1), 'signer'],
    ['of another key under the name', [{ ...g1, key: '12' }], leaf(g1), 'signer'],
    ['of the key under another name', [{ ...g1, subject: 'CN=x' }], leaf(g1), 'signer'],
    ['of an anchor that ended', [{ ...g1, notAfter: now - 1 }], leaf(g1), 'signer'],
    ['of an anchor that did not begin', [{ ...g1, notBefore: now + 1 }], leaf(g1), 'signer'],
    ['of a leaf that ended', [g1], leaf(g1, { notAfter: now - 1 }), 'time'],
    ['of a leaf that did not begin', [g1], leaf(g1, { notBefore: now + 1 }), 'time'],
    ['of a leaf for another name', [g1], leaf(g1, { dnsNames: ['gate.svc'] }), 'name'],
  ])('%s', (_, bundle, served, because) => {
    const found = refusedCalls(state(bundle, served)).filter(({ apiServer }) => apiServer === 'b');
    expect(found.map((each) => each.because)).toEqual(because === undefined ? [] : [because]);
    expect(isSafe(state(bundle, served))).toBe(because === undefined);
  });
});

test.each([
  ['gate.gate-system.svc', true],
  ['GATE.gate-system.svc', true],
  ['*.gate-system.svc', true],
  ['*.svc', false],
  ['*', false],
  ['gate-system.svc', false],
  ['x.gate.gate-system.svc', false],
])('%s is valid for gate.gate-system.svc: %s', (name, valid) => {
  expect(namesServer([name], 'gate.gate-system.svc')).toBe(valid);
});

describe('gates', () => {
  const rotation: CaRotation = { old: g1, renewed: g2 };
  const seen = (more: Partial<CaRotationObservation> = {}): CaRotationObservation => ({
    now,
    bundles: [{ place: 'gate', anchors: [g1, g2], since: now - hour }],
    pods: [{ name: 'p1', leaf: leaf(g2) }],
    ...more,
  });
  const bundle = (anchors: readonly TrustAnchor[], since = now - hour) => ({
    bundles: [{ place: 'gate', anchors, since }],
  });
  const ended = { ...g2, notAfter: now - 1 };

  test.each<[string, 'publish' | 'switch' | 'retire', Partial<CaRotationObservation>, readonly string[]]>([
    ['both for an hour', 'publish', {}, []],
    ['both for less', 'publish', bundle([g1, g2], now - hour + 1500), ['2 s are left']],
    ['only the old one', 'publish', bundle([g1]), ['new authority, CN=gate-g2']],
    ['only the new one', 'publish', bundle([g2]), ['old authority, CN=gate-g1']],
    ['a new one that ended', 'publish', bundle([g1, ended]), ['new authority']],
    [
      'one of two places',
      'publish',
      { bundles: [...seen().bundles, { place: 'other', anchors: [g1], since: 0 }] },
      ['other: the CA bundle does not hold the new'],
    ],
    ['no place', 'publish', { bundles: [] }, ['no CA bundle was seen']],
    ['every pod', 'switch', {}, []],
    [
      'a pod with the old one',
      'switch',
      { pods: [...seen().pods, { name: 'p2', leaf: leaf(g1) }] },
      ['pod p2'],
    ],
    ['a pod without an answer', 'switch', { pods: [{ name: 'p3' }] }, ['pod p3: did not answer']],
    [
      'a pod with an ended one',
      'switch',
      { pods: [{ name: 'p4', leaf: leaf(g2, { notAfter: 0 }) }] },
      ['not valid now'],
    ],
    ['no pod', 'switch', { pods: [] }, ['no pod was seen']],
    ['a bundle without the new one', 'switch', bundle([g1]), ['new authority']],
    ['only the new one', 'retire', bundle([g2]), []],
    ['both', 'retire', bundle([g1, g2]), ['still holds the old authority']],
    ['none', 'retire', bundle([]), ['new authority']],
    ['the old one, ended', 'retire', bundle([{ ...g1, notAfter: 0 }, g2]), ['still holds']],
  ])('%s, after %s', (_, phase, more, expected) => {
    const found = blockers(phase, rotation, seen(more));
    expect(found).toHaveLength(expected.length);
    expected.forEach((text, position) => expect(found[position]).toContain(text));
  });

  test('another time to wait', () => {
    const short = { ...rotation, settleMilliseconds: 1000 };
    expect(blockers('publish', short, seen(bundle([g1, g2], now - 1000)))).toEqual([]);
    expect(blockers('publish', short, seen(bundle([g1, g2], now - 999)))).toHaveLength(1);
  });
});

test('real certificates: a CA renewed under its key verifies both ways, whatever its key identifier is', async () => {
  const ca = await issue({ subject: 'gate-g1', isCa: true, keyId: '01'.repeat(20) });
  const renewed = await issue({ subject: 'gate-g1', isCa: true, key: ca.key, keyId: '02'.repeat(20) });
  const other = await issue({ subject: 'gate-g1', isCa: true });
  const names = ['gate.gate-system.svc', 'gate.gate-system.svc.cluster.local'];
  const issued = await issue({ subject: 'gate', signer: renewed, dnsNames: names });
  const [old, fresh, foreign, served] = [ca, renewed, other, issued].map(
    ({ certificate }) => new X509Certificate(certificate),
  ) as [X509Certificate, X509Certificate, X509Certificate, X509Certificate];
  expect([old, fresh, foreign].map((each) => isSignedBy(served, each))).toEqual([true, true, false]);
  expect(dnsNamesOf(served)).toEqual(names);
  expect(dnsNamesOf(old)).toEqual([]);
  const anchor = trustAnchor(old);
  expect(serverCertificate(served, [foreign, fresh]).signer).toMatchObject({
    subject: anchor.subject,
    key: anchor.key,
  });
  expect(serverCertificate(served, [foreign]).signer).toEqual({ subject: 'CN=gate-g1', key: '' });
  const read = serverCertificate(served, [fresh]);
  const apiServers = [{ name: 'a', bundle: [anchor] }];
  expect(isSafe({ ...state([], read), apiServers })).toBe(true);
  expect([anchor.notBefore, anchor.notAfter].map((each) => new Date(each).getUTCFullYear())).toEqual([
    2026, 2027,
  ]);
});

test('when cert-manager renews, and whether that is too late', () => {
  const [life, day] = [90 * 24 * hour, 24 * hour];
  expect(renewedBefore(life)).toBe(30 * day);
  expect(renewedBefore(life, 10 * day, 50)).toBe(10 * day);
  expect(renewedBefore(life, life)).toBe(30 * day);
  expect(renewedBefore(life, undefined, 10)).toBe(9 * day);
  expect(renewedBefore(life, undefined, 100)).toBe(30 * day);
  expect([renewsTooLate(day), renewsTooLate(day - 1)]).toEqual([false, true]);
  expect([outlivesAuthority(9 * day, 10 * day), outlivesAuthority(9 * day + 1, 10 * day)]).toEqual([
    false,
    true,
  ]);
});
