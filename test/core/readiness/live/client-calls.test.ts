import { deprecatedCalls, judgeCalls } from '../../../../lib/core/readiness/live/client-calls';

const series = (labels: string, value = '1'): string =>
  `apiserver_requested_deprecated_apis{${labels}} ${value}\n`;
const policies =
  'group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"';
const budgets = {
  group: 'policy',
  version: 'v1beta1',
  resource: 'poddisruptionbudgets',
  removedRelease: '1.25',
};

test.each<[string, string, readonly object[]]>([
  ['nothing', '', []],
  ['other metrics', 'apiserver_request_total{code="200"} 7\n# apiserver_requested_deprecated_apis{\n', []],
  ['the first line', series(policies), [budgets]],
  [
    'behind others, twice',
    `# HELP x\nup 1\n${series(policies)}other{a="b"} 2\n${series(policies)}`,
    [budgets],
  ],
  ['the last line, without an end', `up 1\n${series(policies)}`.trimEnd(), [budgets]],
  ['not called', series(policies, '0'), []],
  [
    'the core group, a subresource, no removal',
    series('group="",removed_release="",resource="endpoints",subresource="status",version="v1"'),
    [{ group: '', version: 'v1', resource: 'endpoints/status', removedRelease: '' }],
  ],
  ['braces in a value', series(`x="}",${policies}`), [budgets]],
])('metrics: %s', (_, text, expected) => {
  expect(deprecatedCalls(text)).toEqual({ calls: expected, unread: [] });
});

test.each<[string, string, readonly object[], string]>([
  [
    'half a line',
    `${series(policies)}apiserver_requested_deprecated_apis{group="policy`,
    [budgets],
    '1 line',
  ],
  ['no numbers', series(policies, 'x') + series(policies, 'NaN') + series(policies), [budgets], '2 lines'],
  ['no version', series('group="policy",resource="poddisruptionbudgets"'), [], '1 line'],
])('metrics with %s have not passed', (_, text, calls, lines) => {
  const unread = [`metrics: ${lines} of deprecated APIs that can't be read`];
  expect(deprecatedCalls(text)).toEqual({ calls, unread });
});

test('of very many series as many are read as an API server can have, and what is left is said', () => {
  const many = Array.from({ length: 5_001 }, (_, index) =>
    series(`group="g${index}",resource="r",version="v1"`),
  );
  const { calls, unread } = deprecatedCalls(many.join(''));
  expect(calls).toHaveLength(5_000);
  expect(unread).toEqual(['metrics: series of deprecated APIs beyond the first 5,000']);
  expect(deprecatedCalls(many.slice(1).join('')).unread).toEqual([]);
});

const kind = (apiVersion: string, name: string, resource: string) => ({ apiVersion, kind: name, resource });
const classes = (version: string) =>
  kind(`storage.k8s.io/${version}`, 'VolumeAttributesClass', 'volumeattributesclasses');
const call = (removedRelease = '1.37') => ({
  ...{ group: 'storage.k8s.io', version: 'v1beta1', resource: 'volumeattributesclasses', removedRelease },
});

test.each<[string, string, readonly ReturnType<typeof kind>[], string, string]>([
  ['gone, and clients have a choice', '1.37', [classes('v1'), classes('v1beta1')], '1.37', 'error'],
  ['gone, as the table knows alone', '', [classes('v1'), classes('v1beta1')], '1.37', 'error'],
  [
    'gone, and nobody has a choice: Kubernetes itself calls it',
    '1.37',
    [classes('v1beta1')],
    '1.37',
    'warning',
  ],
  [
    'gone, and the only other one is, too',
    '1.37',
    [classes('v1beta1'), classes('v1alpha1')],
    '1.37',
    'warning',
  ],
  ['goes later', '1.37', [classes('v1'), classes('v1beta1')], '1.36', 'warning'],
  ['goes later, without a choice', '1.37', [classes('v1beta1')], '1.36', 'info'],
])('an API that is %s', (_, removed, kinds, to, severity) => {
  expect(judgeCalls([call(removed)], kinds, to)).toMatchObject([{ id: 'API05', severity }]);
});

test('no removal is planned: worth knowing, whatever else is served', () => {
  const [finding] = judgeCalls(
    [{ group: '', version: 'v1', resource: 'endpoints', removedRelease: '' }],
    [kind('v1', 'Endpoints', 'endpoints')],
    '1.36',
  );
  expect(finding).toEqual({
    ...{ id: 'API05', severity: 'info' },
    message: 'clients call endpoints of v1, which is deprecated',
    why: 'a later version does not serve it; the calls counted were made since the API server started',
    fix: 'update the clients to discovery.k8s.io/v1: events of the audit log with the annotation k8s.io/deprecated "true" name them by their userAgent',
  });
});

test('a message names resource, subresource and release, and shows what the server says in one line', () => {
  const [finding] = judgeCalls(
    [{ group: 'policy', version: 'v1beta1', resource: 'x\u001b/eviction', removedRelease: '1.25' }],
    [],
    '1.36',
  );
  expect(finding!.message).toBe(
    'clients call x\\u001b/eviction of policy/v1beta1, which Kubernetes 1.25 does not serve any more',
  );
});
