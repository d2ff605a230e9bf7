import * as fc from 'fast-check';
import { clockVerdict, skewText } from '../../../lib/operate/doctor/github/clock-verdict';
import { githubCheck } from '../../../lib/operate/doctor/github/github-check';
import { logFailures } from '../../../lib/operate/doctor/github/repo-server';
import type { TestCluster } from './github-cluster';
import { contextOf, leaseOf, refusedLine, repoServer } from './github-cluster';

const transport = (reason: string): string =>
  `time="2026-03-01T12:00:00Z" level=error msg="x" error="could not refresh installation id 34's token: could not get access_tokens from GitHub API for installation ID 34: ${reason}"`;
const json = (line: string): string =>
  JSON.stringify({ level: 'error', msg: 'finished unary call', error: line });
const fine =
  'time="2026-03-01T12:00:00Z" level=info msg="finished unary call with code OK" grpc.code=OK grpc.time_ms=401';

describe('what a repo-server writes', () => {
  test.each<[string, string, object]>([
    ['a refused token', refusedLine('34'), { refused: 1, installations: ['34'] }],
    ['the same in JSON', json(refusedLine('34')), { refused: 1, installations: ['34'] }],
    ['the same in JSON in JSON', json(json(refusedLine('34'))), { refused: 1, installations: ['34'] }],
    [
      'two installations, one of them at GitHub Enterprise',
      [
        refusedLine('34'),
        refusedLine('35').replace('api.github.com', 'ghe.test/api/v3'),
        refusedLine('34'),
      ].join('\n'),
      { refused: 3, installations: ['34', '35'] },
    ],
    [
      'an installation that is not there',
      refusedLine('34', '404 Not Found'),
      { otherStatuses: { '404': 1 } },
    ],
    ['a suspended one', refusedLine('34', '403 Forbidden'), { otherStatuses: { '403': 1 } }],
    [
      'an unknown authority',
      transport('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
      { certificate: 1 },
    ],
    [
      'a proxy that is down',
      transport('proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused'),
      { proxy: 1 },
    ],
    ['a proxy that wants a password', transport('Proxy Authentication Required'), { proxy: 1 }],
    [
      'no DNS',
      transport('dial tcp: lookup api.github.com on 10.100.0.10:53: no such host'),
      { unreachable: 1 },
    ],
    ['no time', transport('context deadline exceeded'), { unreachable: 1 }],
    [
      'git that is refused',
      'level=error msg="failed to list refs: authentication required: Invalid username or token."',
      { git: 1 },
    ],
    ['a call that took 401 ms', fine, {}],
    ['nothing', '', {}],
  ])('%s', (_what, text, expected) => {
    const none = {
      refused: 0,
      certificate: 0,
      proxy: 0,
      unreachable: 0,
      git: 0,
      otherStatuses: {},
      installations: [],
    };
    expect(logFailures(text)).toEqual({ ...none, ...expected });
  });

  test('lines are counted one by one, whatever stands between', () => {
    const line = fc.constantFrom(refusedLine('1'), json(refusedLine('2')), fine, transport('EOF'), '');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const { refused, unreachable } = logFailures(lines.join('\n'));
        expect(refused).toBe(lines.filter((each) => each.includes('401 Unauthorized')).length);
        expect(unreachable).toBe(lines.filter((each) => each.includes('EOF')).length);
      }),
    );
  });

  test('a line that is long costs no more than its length', () => {
    const begun = performance.now();
    logFailures(`received non 2xx response status "401 ${'x when fetching '.repeat(50_000)}`);
    logFailures('could not get access_tokens '.repeat(50_000));
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

async function found(cluster: TestCluster) {
  const { findings } = await githubCheck({ env: {} }).examine(contextOf(cluster));
  return findings;
}
const pods = [repoServer('repo-a', 'node-a'), repoServer('repo-b', 'node-b'), repoServer('repo-c', 'node-c')];
const refusals = (number: number): string => `${fine}\n${`${refusedLine('34')}\n`.repeat(number)}`;

describe('one node of several', () => {
  test('its own 401s are a sign of its clock, also where that is not known', async () => {
    const [finding, ...more] = await found({ pods, logs: { 'repo-b': refusals(14), 'repo-a': fine } });
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      cause: 'refused-on-one-node',
      severity: 'error',
      likelihood: 'likely',
      subject: 'Node node-b',
      names: ['node-b', 'repo-b'],
    });
    expect(finding!.evidence).toEqual([
      'its clock was not measured',
      'repo-b on node-b: 14 lines with 401 (installations 34) in the last 60 min',
      'on node-a: no line with 401 in the last 60 min',
      'on node-c: no line with 401 in the last 60 min',
    ]);
    expect(finding!.next).toContain('cluster-canary doctor clock');
  });

  test.each<[string, number, string, string]>([
    ['slow', -250, 'clock-slow', 'certain'],
    ['fast', 120, 'clock-fast', 'certain'],
    ['at a limit', -90, 'refused-on-one-node', 'likely'],
    ['right by now', 0, 'refused-on-one-node', 'possible'],
  ])('its clock is %s (%d s)', async (_what, skew, cause, likelihood) => {
    const leases = [leaseOf('node-a', 0), leaseOf('node-b', skew)];
    const findings = await found({ pods, leases, logs: { 'repo-b': refusals(2) } });
    expect(findings.map((each) => [each.cause, each.likelihood])).toEqual([[cause, likelihood]]);
  });

  test('a clock that is off is told of before the first 401: a token may still be good', async () => {
    const findings = await found({ pods, leases: [leaseOf('node-c', -400)] });
    expect(findings).toMatchObject([{ cause: 'clock-slow', likelihood: 'likely', subject: 'Node node-c' }]);
    expect(findings[0]!.evidence[0]).toMatch(/^its clock is 6 min \d+ s slow$/);
  });

  test('two pods on one node are one finding; a pod that does not run is none', async () => {
    const pending = { ...repoServer('repo-d', 'node-d'), status: { phase: 'Pending' } };
    const findings = await found({
      pods: [...pods, repoServer('repo-b2', 'node-b'), pending],
      logs: { 'repo-b': refusals(1), 'repo-b2': refusals(3), 'repo-d': refusals(9) },
    });
    expect(findings).toHaveLength(1);
    expect(findings[0]!.evidence.join()).toMatch(/repo-b on node-b: 1 line .*repo-b2 on node-b: 3 lines/);
  });
});

describe('all nodes, or none', () => {
  test('401s everywhere are no sign of one clock', async () => {
    const logs = { 'repo-a': refusals(1), 'repo-b': refusals(2), 'repo-c': refusals(3) };
    const findings = await found({ pods, logs });
    expect(findings).toMatchObject([
      { cause: 'refused-everywhere', severity: 'warning', likelihood: 'possible' },
    ]);
    expect(await found({ pods: pods.slice(0, 1), logs })).toMatchObject([
      { cause: 'refused-everywhere', message: expect.stringContaining('the only repo-server pod') },
    ]);
  });

  test('no 401 is no finding', async () => {
    expect(await found({ pods, logs: { 'repo-a': fine }, leases: [leaseOf('node-a', 8)] })).toEqual([]);
  });

  test('other answers of GitHub are told together', async () => {
    const logs = {
      'repo-a': refusedLine('34', '403 Forbidden'),
      'repo-b': `${refusedLine('34', '404 Not Found')}\n${refusedLine('35', '404 Not Found')}`,
    };
    const [finding, ...more] = await found({ pods, logs });
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ cause: 'pod-refused', severity: 'warning', subject: 'Repo-server' });
    expect(finding!.evidence).toEqual([
      'repo-a on node-a: 1 line with 403 in the last 60 min',
      'repo-b on node-b: 2 lines with 404 in the last 60 min',
    ]);
  });

  test('what stands between a pod and GitHub is told by node', async () => {
    const logs = {
      'repo-a': transport('proxyconnect tcp: EOF'),
      'repo-b': transport('x509: x'),
      'repo-c': transport('EOF'),
    };
    const findings = await found({ pods, logs });
    expect(findings.map(({ cause, subject }) => `${cause} ${subject}`)).toEqual([
      'pod-proxy Node node-a',
      'pod-certificate Node node-b',
      'pod-unreachable Node node-c',
    ]);
  });

  test.each<Record<string, string>>([
    { 'app.kubernetes.io/name': 'openshift-gitops-repo-server' },
    { 'app.kubernetes.io/component': 'repo-server', 'app.kubernetes.io/name': 'argo' },
  ])('repo-servers of other names: %j', async (labels) => {
    const own = [repoServer('one', 'node-a', labels), repoServer('two', 'node-b', labels)];
    expect(await found({ pods: own, logs: { two: refusals(1) } })).toHaveLength(1);
    const foreign = repoServer('one', 'node-a', { 'app.kubernetes.io/name': 'argocd-server' });
    expect(await found({ pods: [foreign], logs: { one: refusals(1) } })).toEqual([]);
  });

  test('a log that is longer than what is read says so', async () => {
    const check = githubCheck({ env: {}, logLimits: { tailLines: 3 } });
    const { findings } = await check.examine(contextOf({ pods, logs: { 'repo-a': refusals(5) } }));
    expect(findings[0]!.evidence.join()).toContain('at least 5 lines');
  });
});

describe('clocks', () => {
  test.each<[number, number, string]>([
    [0, 0, 'accepted'],
    [30, 0, 'accepted'],
    [30.1, 0, 'fast'],
    [-89, 0, 'accepted'],
    [-90, 0, 'slow'],
    [-600, 1, 'slow'],
    [29.5, 1, 'unsure'],
    [31, 1, 'unsure'],
    [31.5, 1, 'fast'],
    [-90.5, 1, 'unsure'],
    [-91, 1, 'slow'],
  ])('%d s off, known within %d s: %s', (skew, uncertainty, verdict) => {
    expect(clockVerdict(skew, uncertainty)).toBe(verdict);
  });

  test('in words', () => {
    expect([0.3, 1, -59.6, 61, -250].map(skewText)).toEqual([
      'right to the second',
      '1 s fast',
      '1 min slow',
      '1 min 1 s fast',
      '4 min 10 s slow',
    ]);
  });
});
