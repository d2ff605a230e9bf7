import fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import type { CheckSettings } from '../../../lib/shift/checks';
import {
  checkKinds,
  checkProblems,
  checkRights,
  cloudWatch,
  createChecks,
  datadog,
  prometheus,
  variablesIn,
} from '../../../lib/shift/checks';
import { fillTemplate } from '../../../lib/shift/checks/shared/query-template';
import { contextOf, metricsOf, subject } from './metric-samples';

describe('the settings of a plan', () => {
  test('a builder makes what stands in a plan file', () => {
    const settings: CheckSettings[] = [
      cloudWatch.errorShare({ max: 0.01, minRequests: 200 }),
      cloudWatch.comparison(),
      datadog.query({ query: 'avg:x{*}', max: 1 }),
      prometheus.comparison({ address: 'https://prometheus', requests: 'r', errors: 'e' }),
    ];
    expect(JSON.parse(JSON.stringify(settings))).toEqual([
      { 'cloudWatch.errorShare': { max: 0.01, minRequests: 200 } },
      { 'cloudWatch.comparison': {} },
      { 'datadog.query': { query: 'avg:x{*}', max: 1 } },
      { 'prometheus.comparison': { address: 'https://prometheus', requests: 'r', errors: 'e' } },
    ]);
  });

  test.each<[string, unknown, string[]]>([
    ['no list', { 'cloudWatch.errorShare': {} }, ['checks']],
    ['text', ['targetHealth'], ['checks[0]']],
    ['two kinds in one', [{ 'cloudWatch.comparison': {}, 'datadog.query': {} }], ['checks[0]']],
    ['no kind', [{}], ['checks[0]']],
    ['an unknown kind', [{ 'cloudWatch.errors': {} }], ['checks[0].cloudWatch.errors']],
    ['a word of every object', [{ constructor: {} }], ['checks[0].constructor']],
    ['no object', [{ 'cloudWatch.comparison': 5 }], ['checks[0].cloudWatch.comparison']],
    ['nothing where nothing is needed', [{ 'cloudWatch.comparison': null }], []],
    [
      'all at once, each with its place',
      [{ 'cloudWatch.errorShare': { max: 5 } }, 7, { 'cloudWatch.slowShare': {} }],
      [
        'checks[0].cloudWatch.errorShare.max',
        'checks[1]',
        'checks[2].cloudWatch.slowShare.max',
        'checks[2].cloudWatch.slowShare.above',
      ],
    ],
    [
      'one name twice',
      [{ 'cloudWatch.comparison': { name: 'a' } }, { 'cloudWatch.comparison': { name: 'a' } }],
      ['checks[1].cloudWatch.comparison.name'],
    ],
  ])('%s', (_name, checks, paths) => {
    expect(checkProblems(checks, subject).map(({ path }) => path)).toEqual(paths);
  });

  test.each(Object.keys(checkKinds))('%s: a secret where it does not belong is shown to nobody', (kind) => {
    const secret = 'abc123';
    const keys = [
      'apiKey',
      'applicationKey',
      'auth',
      'token',
      'password',
      'kubeconfigText',
      'kubeconfigTexts',
    ];
    const settings = [
      secret,
      { address: `https://me:${secret}@example.com` },
      ...keys.flatMap((key) => [{ [key]: secret }, { [key]: { bearer: secret } }]),
    ];
    for (const each of settings) {
      const found = checkProblems([{ [kind]: each }], subject);
      expect(found).not.toEqual([]);
      expect(JSON.stringify(found)).not.toContain(secret);
    }
  });

  test('every kind has an answer for any settings', () => {
    const anyKind = fc.constantFrom(...Object.keys(checkKinds));
    const keys = [
      'max',
      'min',
      'queries',
      'query',
      'requests',
      'slots',
      'address',
      'auth',
      'regression',
      'over',
      'name',
    ];
    const anyArgs = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
    fc.assert(
      fc.property(anyKind, anyArgs, (kind, args) => {
        for (const problem of checkProblems([{ [kind]: args }], subject)) {
          expect(problem.path.startsWith(`checks[0].${kind}`)).toBe(true);
          expect(problem.allowed).not.toBe('');
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('what has no JSON is refused at its place', () => {
  const circle: Record<string, unknown> = {};
  circle.of = circle;
  const pathsOf = (more: object): readonly string[] =>
    checkProblems(
      [{ 'cloudWatch.metric': { namespace: 'A', metric: 'b', max: 1, slots: ['green'], ...more } }],
      subject,
    ).map(({ path }) => path.replace('checks[0].cloudWatch.metric.', ''));
  expect(pathsOf({ max: 10n })).toEqual(['max']);
  expect(pathsOf({ dimensions: circle })).toEqual(['dimensions.of']);
  expect(pathsOf({ namespace: undefined, metric: undefined, queries: [circle] })).toContain('queries[0].of');
});

describe('createChecks', () => {
  const context = () => contextOf({ metricData: () => metricsOf({}) });

  test('names are unique: that of the kind, with a number from the second on', () => {
    const settings = [
      cloudWatch.comparison(),
      cloudWatch.comparison(),
      cloudWatch.errorShare({ max: 0.1, name: 'cloudWatch.comparison 2' }),
      cloudWatch.comparison({ name: 'mine' }),
      cloudWatch.comparison(),
    ];
    expect(createChecks(settings, context()).map(({ name }) => name)).toEqual([
      'cloudWatch.comparison',
      'cloudWatch.comparison 3',
      'cloudWatch.comparison 2',
      'mine',
      'cloudWatch.comparison 4',
    ]);
  });

  test('bad settings are refused', () => {
    const settings = [{ 'cloudWatch.errorShare': { max: 7 } }] as unknown as CheckSettings[];
    expect(() => createChecks(settings, context())).toThrow(InvalidInput);
  });

  test('a name that is not known is refused with the check that asks for it', () => {
    const slots = { blue: { clusterName: 'apps-blue' }, green: {} };
    const settings = [datadog.query({ query: 'x{c:{{cluster}}}', max: 1, name: 'mine' })];
    expect(() => createChecks(settings, contextOf({ subject: { ...subject, slots } }))).toThrow(
      'mine.{{cluster}}: nothing: must be known for slot "green"',
    );
  });

  test('each right once', () => {
    const settings = [cloudWatch.comparison(), cloudWatch.errorShare({ max: 0.1 })];
    expect(checkRights(settings, subject)).toEqual([
      { actions: ['cloudwatch:GetMetricData'], resources: ['*'] },
    ]);
  });
});

describe('templates', () => {
  test.each([
    ['{{slot}}', 'green'],
    ['{{ slot }}', 'green'],
    ['x{cluster:{{cluster}}}', 'x{cluster:apps-green}'],
    ['{{targetGroup}}', 'targetgroup/green/83e2d6bc24d8a068'],
    ['{{loadBalancer}}', 'app/edge/50dc6c495c0c9188'],
    ['{{targetGroupArn}}', subject.slots.green!.targetGroupArn],
    ['{{loadBalancerArn}}', subject.loadBalancerArn],
    ['rate(x{a="b"}[{{window}}])', 'rate(x{a="b"}[60s])'],
    ['{a} {{}', '{a} {{}'],
  ])('%s', (query, filled) => {
    expect(fillTemplate(query, subject, 'green', { window: '60s' })).toBe(filled);
  });

  test('text without variables stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{{')),
        (text) => {
          expect(fillTemplate(text, subject, 'green')).toBe(text);
          expect(variablesIn(text)).toEqual([]);
        },
      ),
    );
  });
});
