import type { Entry } from './manifests';
import { expression, found, leavingOut, messages, rule, webhook, webhooks } from './manifests';

const at = '/webhooks/0/timeoutSeconds';
const mutating = { kind: 'MutatingWebhookConfiguration' } as const;

/** Webhooks on new pods that wait 9 s each. */
const slow = (...entries: readonly Entry[]): Entry[] =>
  entries.map((entry, each) => ({
    name: `w${each}.example.com`,
    rules: rule('pods'),
    timeoutSeconds: '9',
    ...entry,
  }));

/** Sums of paths, without what is said of each webhook. */
const sums = (yaml: string): string[] =>
  messages('WH09', yaml)
    .split('\n')
    .filter((line) => line.includes('may wait'));

test.each<[string, string | undefined, string[]]>([
  ['nothing said', undefined, [`warning ${at}`]],
  ['null', 'null', [`warning ${at}`]],
  ['six seconds', '6', [`warning ${at}`]],
  ['a text', '"3"', [`warning ${at}`]],
  ['five seconds', '5', []],
  ['one second', '1', []],
])('%s', (_, timeoutSeconds, expected) => {
  expect(found('WH09', webhook({ timeoutSeconds }))).toEqual(expected);
});

test.each<[string, string]>([
  ['three mutating ones', webhooks(slow({}, {}, {}), mutating)],
  [
    'two mutating ones and a validating one',
    webhooks(slow({}, {}), mutating) + webhook({ rules: rule('pods'), timeoutSeconds: '9' }),
  ],
  [
    'one for everything among them',
    webhooks(slow({}, { rules: rule('"*"', { group: '"*"' }) }, {}), mutating),
  ],
  [
    'only such',
    webhooks(slow(...[1, 2, 3].map(() => ({ rules: rule('"*/*"', { group: '"*"' }) }))), mutating),
  ],
  [
    'different labels that one pod may have',
    webhooks(
      slow(
        { objectSelector: '{ matchLabels: { a: x } }' },
        { objectSelector: '{ matchLabels: { b: x } }' },
        {},
      ),
      mutating,
    ),
  ],
  [
    'of one version, and every version',
    webhooks(
      slow(
        { rules: rule('pods', { version: 'v2' }), matchPolicy: 'Exact' },
        { rules: rule('pods', { version: 'v1, v2' }), matchPolicy: 'Exact' },
        { rules: rule('pods', { version: '"*"' }), matchPolicy: 'Exact' },
      ),
      mutating,
    ),
  ],
  [
    'of one version, and of others that a request is converted to',
    webhooks(
      slow(
        { rules: rule('pods', { version: 'v1' }) },
        { rules: rule('pods', { version: 'v2' }), matchPolicy: 'Exact' },
        { rules: rule('pods', { version: 'v3' }), matchPolicy: 'Equivalent' },
      ),
      mutating,
    ),
  ],
])('adds up over one request: %s', (_, yaml) => {
  expect(sums(yaml)).toEqual([
    expect.stringMatching(/^CREATE of pods may wait 27 s for webhooks: w0.example.com 9 s, /),
  ]);
});

test.each<[string, string]>([
  ['two mutating ones', webhooks(slow({}, {}), mutating)],
  ['validating ones, which are asked at once', webhooks(slow({}, {}, {}))],
  ['other resources', webhooks(slow({}, {}, { rules: rule('services') }), mutating)],
  ['other operations', webhooks(slow({}, {}, { rules: rule('pods', { operations: 'DELETE' }) }), mutating)],
  [
    'other versions, where requests are not converted',
    webhooks(
      slow(
        ...['v1', 'v2', 'v3'].map((version) => ({
          rules: rule('pods', { version }),
          matchPolicy: 'Exact',
        })),
      ),
      mutating,
    ),
  ],
  [
    'a version of another rule',
    webhooks(
      slow(
        {},
        {},
        {
          rules: `[${rule('pods', { operations: 'DELETE', version: 'v1' }).slice(1, -1)}, ${rule('pods', { version: 'v2' }).slice(1, -1)}]`,
          matchPolicy: 'Exact',
        },
        { rules: rule('pods', { version: 'v1' }), matchPolicy: 'Exact' },
      ).map((each, at) => ({ ...each, timeoutSeconds: at < 2 ? '5' : '9' })),
      mutating,
    ),
  ],
  ['other scopes', webhooks(slow({}, {}, { rules: rule('pods', { scope: 'Cluster' }) }), mutating)],
  [
    'labels that no pod has together',
    webhooks(
      slow(
        {},
        { objectSelector: expression('a', 'In', 'x, z') },
        { objectSelector: expression('a', 'NotIn', 'x, z') },
      ),
      mutating,
    ),
  ],
  [
    'a label and none',
    webhooks(
      slow(
        {},
        { namespaceSelector: expression('a', 'Exists') },
        { namespaceSelector: expression('a', 'DoesNotExist') },
      ),
      mutating,
    ),
  ],
  [
    'another value',
    webhooks(
      slow(
        {},
        { objectSelector: '{ matchLabels: { a: x } }' },
        { objectSelector: '{ matchLabels: { a: z } }' },
      ),
      mutating,
    ),
  ],
  [
    'a namespace that the other leaves out',
    webhooks(
      slow(
        {},
        { namespaceSelector: expression('kubernetes.io/metadata.name', 'In', 'a') },
        { namespaceSelector: leavingOut('a') },
      ),
      mutating,
    ),
  ],
  ['the same one in two files', webhooks(slow({}, {}), mutating).repeat(2)],
  [
    'short ones',
    webhooks(
      slow({}, {}, {}, {}, {}).map((each) => ({ ...each, timeoutSeconds: '5' })),
      mutating,
    ),
  ],
])('does not add up: %s', (_, yaml) => {
  expect(sums(yaml)).toEqual([]);
});

test('says it once for the same webhooks, at the slowest', () => {
  const rules = rule('pods, services', { operations: 'CREATE, UPDATE' });
  const yaml = webhooks(slow({ rules }, { rules, timeoutSeconds: '20' }, { rules }), mutating);
  expect(sums(yaml)).toEqual([
    'CREATE of pods may wait 38 s for webhooks: w1.example.com 20 s, w0.example.com 9 s, w2.example.com 9 s',
  ]);
  expect(found('WH09', yaml)).toEqual([
    `warning ${at}`,
    ...[1, 1, 2].map((each) => `warning /webhooks/${each}/timeoutSeconds`),
  ]);
});

test.each([
  ['0', '10'],
  ['1', '1'],
  ['30', '30'],
  ['31', '10'],
  ['"20"', '10'],
])('timeoutSeconds %s counts as %s s', (timeoutSeconds, seconds) => {
  const yaml = webhooks(slow({ timeoutSeconds: '25' }, { timeoutSeconds }), mutating);
  expect(sums(yaml).join()).toContain(`w1.example.com ${seconds} s`);
});

test('a timeout above 30 s is no timeout for API servers', () => {
  const said = (timeoutSeconds: string): string => messages('WH09', webhook({ timeoutSeconds }));
  expect(said('99')).toContain('has timeoutSeconds 99, and API servers refuse more than 30');
  expect(said('30')).not.toContain('refuse');
});
