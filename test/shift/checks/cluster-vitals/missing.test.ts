import { KubernetesError } from '../../../../lib/core/kubernetes/errors';
import type { ClusterVitalsArgs } from '../../../../lib/shift/checks';
import type { Vital } from '../../../../lib/shift/checks/cluster-vitals/vitals';
import type { ClusterSample } from './cluster-samples';
import { dnsPods, node, podsOf } from './cluster-samples';
import { evaluate, withoutEks } from './evaluate-vitals';

describe('what is not there is not well', () => {
  const left = (...vitals: readonly Vital[]): ClusterVitalsArgs => ({ vitals });
  const podLine = 'restarts, oomKills, pendingPods, imagePulls, podNetworks, refusedPods';
  const auto = [node('a', undefined, { labels: { 'eks.amazonaws.com/compute-type': 'auto' } })];
  const quiet = [[0, 0] as const, [0, 0] as const];

  test.each<[string, ClusterSample, ClusterVitalsArgs, RegExp]>([
    [
      'no pods',
      { pods: [], dns: [], nodes: auto },
      withoutEks,
      new RegExp(`^green: no pods that run, so nothing is known of ${podLine}$`),
    ],
    [
      'pods that have ended alone',
      { pods: podsOf(9, { phase: 'Succeeded' }), dns: [] },
      left('restarts', 'oomKills'),
      /^green: no pods that run, so nothing is known of restarts$/,
    ],
    [
      'no pods, of refusals alone',
      { pods: [], dns: [] },
      left('refusedPods'),
      /^green: no pods that run, so nothing is known of refusedPods$/,
    ],
    ['no nodes', { nodes: [] }, withoutEks, /^green: no nodes that take pods, so nothing is known of nodes$/],
    [
      'nodes that all leave',
      { nodes: [node('a', 0, { spec: { unschedulable: true } })] },
      left('nodes'),
      /no nodes that take pods/,
    ],
    [
      'no CoreDNS, of its answers alone',
      { dns: [] },
      left('dnsAnswers'),
      /^green: dnsAnswers not read: no pod of CoreDNS; where/,
    ],
    [
      'metrics without counters',
      { metrics: 'coredns_dns_responses_total{rcode="NOERROR"} NaN\ncoredns_build_info{} 1\n' },
      withoutEks,
      /^green: dnsAnswers not read: coredns-0: what it serves at port 9153 are no metrics of CoreDNS$/,
    ],
    [
      'counters of an unknown form',
      { metrics: 'coredns_dns_responses_total 1.2.3\ncoredns_build_info{} 1\n' },
      withoutEks,
      /no metrics of CoreDNS$/,
    ],
    [
      'an old CoreDNS that counts by another name',
      { metrics: 'coredns_build_info{version="1.6.6"} 1\n' },
      withoutEks,
      /^green: dnsAnswers not read: CoreDNS has answered nothing since it started$/,
    ],
    [
      'counters that began anew',
      { answers: [[0, -900]] },
      withoutEks,
      /^green: dnsAnswers not read: the counters of CoreDNS began anew between two looks$/,
    ],
  ])('%s', async (_name, green, settings, reason) => {
    const results = [
      await evaluate({ green, blue: green }, settings),
      await evaluate({ green, blue: new KubernetesError('unreachable', 'https://blue: gone') }, settings),
    ];
    expect(results.map(({ status }) => status)).toEqual(['inconclusive', 'inconclusive']);
    expect(results[0]!.reason).toMatch(reason);
    expect((await evaluate({ blue: green }, settings)).status).toBe('pass');
  });

  test('all of it at once is said in one reason', async () => {
    const { status, reason } = await evaluate({ green: { pods: [], nodes: [], dns: [] }, blue: { dns: [] } });
    expect(status).toBe('inconclusive');
    expect(reason).toBe(
      `green: no pods that run, so nothing is known of ${podLine}; ` +
        'green: no nodes that take pods, so nothing is known of nodes; ' +
        'green: no pods of CoreDNS, so nothing is known of dns',
    );
  });

  test('a DNS that nobody asks for some seconds is no fault, and the reason says so', async () => {
    const { status, reason } = await evaluate({ green: { answers: quiet } });
    expect(status).toBe('pass');
    expect(reason).toMatch(/; CoreDNS was asked nothing meanwhile$/);
  });

  test('one CoreDNS of two that can not be read hides no other', async () => {
    const silentDns = ['coredns-0'];
    expect((await evaluate({ green: { silentDns } })).status).toBe('pass');
    const most = { dns: dnsPods(3), silentDns: ['coredns-0', 'coredns-1'] };
    expect((await evaluate({ green: most })).reason).toMatch(/^green: dnsAnswers not read: .*no answer/);
  });

  test('an old cluster without any has none beside which', async () => {
    const blue = { pods: [], nodes: [], dns: dnsPods(2).slice(0, 0) };
    const { status, reason } = await evaluate({ blue });
    expect(status).toBe('pass');
    expect(reason).toMatch(
      /; blue has no pods that run, absolute limits alone count; blue has no nodes that take pods, .*; blue has no pods of CoreDNS, /,
    );
  });

  test('a namespace in neither cluster, or in the old one alone, by its name', async () => {
    const given = { ...withoutEks, namespaces: ['shop', 'shpo'] };
    expect(await evaluate({}, given)).toMatchObject({
      status: 'inconclusive',
      reason: 'green: no pods in the namespace shpo; blue: none either, so that its name may be wrong',
    });
    const blue = { pods: [...podsOf(40), ...podsOf(7, { namespace: 'shpo' }, 'b')] };
    expect(await evaluate({ blue }, given)).toMatchObject({
      status: 'inconclusive',
      reason: 'green: no pods in the namespace shpo; blue: 7',
    });
    expect((await evaluate({ green: blue }, given)).status).toBe('pass');
    const gone = new KubernetesError('unreachable', 'https://blue: gone');
    expect((await evaluate({ blue: gone }, given)).reason).toMatch(
      /^green: no pods in the namespace shpo; blue was not read/,
    );
    // A fault counts all the same.
    expect((await evaluate({ green: { nodes: [node('a', 300), node('b', 300)] } }, given)).status).toBe(
      'fail',
    );
  });
});
