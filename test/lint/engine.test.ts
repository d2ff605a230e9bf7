import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestObject, LintOptions, RawFinding, Rule, RuleContext } from '../../lib/lint';
import {
  allRules,
  authorityOf,
  Field,
  issuedCertificates,
  manifestObjects,
  lint,
  readManifests,
  retryStrategies,
  totalRetryWait,
} from '../../lib/lint';
import { brief, lintText } from './lint-text';

/** A rule that finds every object with a `bad` field, by what the field says. */
function rule(id: string, more: Partial<Rule> = {}): Rule {
  return {
    id,
    severity: 'warning',
    title: 'A title',
    why: 'it hurts',
    fix: 'mend it',
    *check({ objects }: RuleContext): Iterable<RawFinding> {
      for (const object of objects.all) {
        const bad = Field.of(object).get('bad');
        if (bad.exists) {
          yield { object, pointer: bad.pointer, message: `bad is ${String(bad.value)}` };
        }
      }
    },
    ...more,
  };
}

function objectsOf(text: string, file = 'a.yaml'): readonly ManifestObject[] {
  return readManifests(text, { file, read: () => text }).objects;
}

const bad = (name: string, annotations = ''): string =>
  `apiVersion: v1\nkind: Thing\nmetadata:\n  name: ${name}\n${annotations}bad: yes\n`;

function evaluated(text: string, options: LintOptions = {}) {
  return lint(objectsOf(text), { rules: [rule('T01')], ...options });
}

test('a finding says everything', () => {
  const { findings, summary } = evaluated(bad('a'));
  expect(findings).toEqual([
    {
      rule: 'T01',
      severity: 'warning',
      message: 'bad is true',
      why: 'it hurts',
      fix: 'mend it',
      file: 'a.yaml',
      line: 5,
      object: { apiVersion: 'v1', kind: 'Thing', name: 'a' },
      pointer: '/bad',
    },
  ]);
  expect(summary).toEqual({ error: 0, warning: 1, info: 0, objects: 1, files: 1, suppressed: 0 });
});

test('a rule may say otherwise for one finding', () => {
  const own = rule('T01', {
    link: 'https://acme.example/t01',
    check: ({ objects }) => [
      {
        object: objects.all[0]!,
        pointer: '',
        message: 'm',
        severity: 'info',
        why: 'w',
        fix: 'f',
        line: 77,
        fixPatch: [{ op: 'remove', path: '/bad' }],
      },
    ],
  });
  expect(evaluated(bad('a'), { rules: [own] }).findings[0]).toMatchObject({
    severity: 'info',
    why: 'w',
    fix: 'f',
    line: 77,
    link: 'https://acme.example/t01',
    fixPatch: [{ op: 'remove', path: '/bad' }],
  });
});

test('a rule of one’s own sees what those of the library see', () => {
  const own = rule('ACME01', {
    *check({ objects }) {
      for (const { object, field, limit = 0, backoff } of objects.view(retryStrategies)) {
        const seconds = backoff ? totalRetryWait(limit, backoff) / 1000 : 0;
        yield { object, pointer: field.pointer, message: `waits ${seconds} s` };
      }
      for (const certificate of objects.view(issuedCertificates).all) {
        const authority = authorityOf(objects, certificate);
        yield { object: certificate.object, pointer: '', message: `signed by ${authority?.object.name}` };
      }
    },
  });
  const files = ['batch-workflows.yaml', 'operator.yaml'].map((file) =>
    readFileSync(join(__dirname, 'well-formed', file), 'utf8'),
  );
  const { findings } = evaluated(files.join('---\n'), { rules: [own] });
  expect(findings.map(({ message, object: { name } }) => `${name} ${message}`)).toEqual([
    'settle waits 285 s',
    'databases-authority signed by undefined',
    'databases-webhook signed by databases-authority',
  ]);
});

test('findings come by file, line and rule, and the library’s rules have a page', () => {
  const [first, second] = [objectsOf(`${bad('z')}---\n${bad('a')}`, 'b.yaml'), objectsOf(bad('c'), 'a.yaml')];
  const { findings } = lint(
    [...first, ...manifestObjects([{ apiVersion: 'v1', kind: 'T', bad: 1 }]), ...second],
    {
      rules: [rule('T02'), rule('T01', { severity: 'error' })],
    },
  );
  expect(findings.map(({ file, line, rule: id }) => [file, line, id])).toEqual([
    ['a.yaml', 5, 'T01'],
    ['a.yaml', 5, 'T02'],
    ['b.yaml', 5, 'T01'],
    ['b.yaml', 5, 'T02'],
    ['b.yaml', 11, 'T01'],
    ['b.yaml', 11, 'T02'],
    [undefined, undefined, 'T01'],
    [undefined, undefined, 'T02'],
  ]);
  const [ours] = lintText('apiVersion: v1\nkind: X\na: 1\na: 2\n', { rules: ['YAML01'] });
  expect(ours!.link).toMatch(/#yaml01$/);
});

test.each([
  ['info', ['error', 'warning', 'info']],
  ['warning', ['error', 'warning']],
  ['error', ['error']],
] as const)('at least %s', (minSeverity, shown) => {
  const rules = (['info', 'error', 'warning'] as const).map((severity, at) => rule(`T0${at}`, { severity }));
  const { findings, summary } = evaluated(bad('a'), { rules, minSeverity });
  expect(findings.map(({ severity }) => severity).sort()).toEqual([...shown].sort());
  expect(summary.info).toBe(minSeverity === 'info' ? 1 : 0);
});

test('rules that need what is not known are left out, and said', () => {
  const rules = [rule('T01', { needs: 'before' }), rule('T02', { needs: 'live' }), rule('T03')];
  expect(evaluated(bad('a'), { rules })).toMatchObject({
    findings: [{ rule: 'T03' }],
    skippedRules: [
      { rule: 'T01', needs: 'before' },
      { rule: 'T02', needs: 'live' },
    ],
  });
  const both = evaluated(bad('a'), { rules, before: [], live: [] });
  expect([both.findings.length, both.skippedRules]).toEqual([3, []]);
});

describe('a rule that throws', () => {
  const fragile = rule('T01', {
    *check({ objects }) {
      for (const object of objects.all) {
        yield { object, pointer: '', message: 'seen' };
        if (object.name === 'b') {
          throw new TypeError('b is too much');
        }
      }
    },
  });

  test('is named with the object, and the others go on', () => {
    const result = evaluated(`${bad('a')}---\n${bad('b')}---\n${bad('c')}`, {
      rules: [fragile, rule('T02')],
    });
    expect(brief(result.findings)).toEqual([
      'warning T01 ',
      'warning T02 /bad',
      'warning T01 ',
      'warning T02 /bad',
      'warning T02 /bad',
    ]);
    expect(result.failures).toEqual([
      {
        rule: 'T01',
        object: { apiVersion: 'v1', kind: 'Thing', name: 'b' },
        file: 'a.yaml',
        error: new TypeError('b is too much'),
      },
    ]);
  });

  test('without an object where none alone makes it throw', () => {
    const pairs = rule('T01', {
      check: ({ objects }) => {
        if (objects.all.length > 1) {
          throw new Error('two');
        }
        return [];
      },
    });
    const { failures } = evaluated(`${bad('a')}---\n${bad('b')}`, { rules: [pairs] });
    expect(failures).toEqual([{ rule: 'T01', error: new Error('two') }]);
  });
});

describe('suppressions', () => {
  const annotated = (value: string, id = 'T01'): string =>
    bad('a', `  annotations:\n    cluster-canary/allow-${id}: ${value}\n`);

  test('an annotation with a reason hides the findings of one rule in one object', () => {
    const text = `${annotated('known and harmless')}---\n${bad('b')}`;
    const result = evaluated(text, { rules: [rule('T01'), rule('T02')] });
    expect(result.findings.map(({ rule: id, object: { name } }) => [id, name])).toEqual([
      ['T02', 'a'],
      ['T01', 'b'],
      ['T02', 'b'],
    ]);
    expect(result.suppressed).toEqual([
      { reason: 'known and harmless', finding: expect.objectContaining({ rule: 'T01', line: 7 }) },
    ]);
    expect(result.summary.suppressed).toBe(1);
  });

  test.each([
    [
      'without a reason',
      annotated('""'),
      ['error SUP01', 'warning T01'],
      'T01 is suppressed without a reason',
    ],
    ['with blanks for a reason', annotated('"  "'), ['error SUP01', 'warning T01'], 'without a reason'],
    ['that is no text', annotated('true'), ['error SUP01', 'warning T01'], 'without a reason'],
    [
      'of a rule that there is not',
      annotated('why', 'T99'),
      ['warning SUP02', 'warning T01'],
      'no rule has the id T99',
    ],
    [
      'of a rule in small letters',
      annotated('why', 'Wh05'),
      ['warning SUP02', 'warning T01'],
      'no rule has the id Wh05: did you mean WH05',
    ],
    [
      'that nothing matches',
      annotated('why').replace('bad: yes\n', ''),
      ['warning SUP02'],
      'T01 finds nothing there',
    ],
  ])('one %s is a finding', (_, text, expected, message) => {
    const { findings } = evaluated(text);
    expect(findings.map(({ severity, rule: id }) => `${severity} ${id}`)).toEqual(expected);
    expect(findings[0]).toMatchObject({
      message: expect.stringContaining(message),
      line: 6,
      pointer: expect.stringMatching(/^\/metadata\/annotations\/cluster-canary~1allow-(?:T|Wh)\d\d$/),
      link: expect.stringMatching(/#sup0[12]$/),
    });
  });

  test.each([
    ['did not run', [rule('T02')], {}],
    ['lacks what it needs', [rule('T01', { needs: 'live' })], {}],
    [
      'failed',
      [
        rule('T01', {
          check: () => {
            throw new Error('x');
          },
        }),
      ],
      {},
    ],
    ['is off', [rule('T01')], { T01: 'off' }],
  ] as const)('nothing is said of one whose rule %s', (_, rules, severities) => {
    const config = { file: 'c', suppress: [], rules: new Map(Object.entries(severities)) };
    const result = evaluated(annotated('why').replace('bad: yes\n', ''), {
      rules: [...rules, ...(rules[0].id === 'T02' ? allRules : [])],
      config,
    });
    expect(result.findings.filter(({ message }) => !message.startsWith('no rule'))).toEqual([]);
  });

  describe('of a configuration', () => {
    const suppress = (more: object) => ({
      config: {
        file: 'cluster-canary.yaml',
        suppress: [{ rule: 'T01', reason: 'why', line: 3, ...more }],
        rules: new Map(),
      },
    });

    test.each([
      ['everything', {}, true],
      ['a kind', { object: { kind: 'Thing' } }, true],
      ['another kind', { object: { kind: 'Other', name: 'a' } }, false],
      ['a name', { object: { name: 'a' } }, true],
      ['a namespace', { object: { namespace: 'x' } }, false],
      ['a file', { file: 'a.yaml' }, true],
      ['another rule', { rule: 'T02' }, false],
    ])('%s', (_, more, hides) => {
      const { findings } = evaluated(bad('a'), {
        rules: [rule('T01'), rule('T02', { check: () => [] })],
        ...suppress(more),
      });
      expect(findings.map(({ rule: id }) => id)).toEqual(hides ? [] : ['T01', 'SUP02']);
    });

    test.each([{ file: 'b.yaml' }, { file: 'a' }, { file: 'out/' }])(
      'nothing is said of a file that is not checked: %j',
      (more) => {
        const { findings } = evaluated(bad('a'), { rules: [rule('T01')], ...suppress(more) });
        expect(findings.map(({ rule: id }) => id)).toEqual(['T01']);
      },
    );

    test('of a file that is evaluated it is said that nothing is found there', () => {
      const silent = rule('T01', { check: () => [] });
      const { findings } = evaluated(bad('a'), { rules: [silent], ...suppress({ file: 'a.yaml' }) });
      expect(findings.map(({ rule: id }) => id)).toEqual(['SUP02']);
    });

    test('of rules that were not asked for, nothing is said', () => {
      const rules = [rule('T01'), rule('T02', { check: () => [] })];
      const found = (more: object, only?: readonly string[]): readonly string[] =>
        evaluated(bad('a'), { rules, ...suppress(more), ...(only ? { only } : {}) }).findings.map(
          ({ rule: id }) => id,
        );
      expect(found({ rule: 'T02' }, ['T01'])).toEqual(['T01']);
      expect(found({ rule: 'T02', reason: '' }, ['T01'])).toEqual(['T01']);
      expect(found({ rule: 'T02', reason: '' })).toEqual(['T01', 'SUP01']);
      expect(found({ rule: 'T01' }, ['T02'])).toEqual([]);
    });

    test('the rules about suppressions have severities as others have', () => {
      const severityOf = (severity: 'error' | 'info' | 'off', more: object): readonly string[] => {
        const { config } = suppress(more);
        const rules = new Map(['SUP01', 'SUP02'].map((id) => [id, severity] as const));
        return evaluated('', { rules: [rule('T01')], config: { ...config, rules } }).findings.map(
          ({ rule: id, severity: found }) => `${found} ${id}`,
        );
      };
      expect(severityOf('error', {})).toEqual(['error SUP02']);
      expect(severityOf('info', { reason: '' })).toEqual(['info SUP01']);
      expect(severityOf('off', {})).toEqual([]);
    });

    test('files of a folder', () => {
      const result = lint(objectsOf(bad('a'), 'out/web/a.yaml'), {
        rules: [rule('T01')],
        ...suppress({ file: 'out/' }),
      });
      expect(result.findings).toEqual([]);
    });

    test('one that matches nothing is named with its line', () => {
      expect(evaluated('', suppress({})).findings).toEqual([
        expect.objectContaining({ rule: 'SUP02', file: 'cluster-canary.yaml', line: 3, severity: 'warning' }),
      ]);
      expect(evaluated(bad('a'), suppress({ reason: undefined })).findings[1]).toMatchObject({
        rule: 'SUP01',
        severity: 'error',
      });
    });
  });
});

describe('severities of a configuration', () => {
  const config = (severity: 'error' | 'info' | 'off') => ({
    config: { file: 'c', suppress: [], rules: new Map([['T01', severity]]) },
  });

  test('take the place of the rule’s own', () => {
    expect(brief(evaluated(bad('a'), config('error')).findings)).toEqual(['error T01 /bad']);
    expect(brief(evaluated(bad('a'), config('off')).findings)).toEqual([]);
  });

  test('but what a rule lacks the facts to evaluate stays an info', () => {
    const unsure = rule('T01', {
      check: ({ objects }) => [{ object: objects.all[0]!, pointer: '', message: 'm', severity: 'info' }],
    });
    expect(brief(evaluated(bad('a'), { rules: [unsure], ...config('error') }).findings)).toEqual([
      'info T01 ',
    ]);
  });
});

test('what is derived from many objects is looked at in proportion', () => {
  let reads = 0;
  /** Labels that count how often they are read. */
  const counted = (labels: Record<string, string>) =>
    new Proxy(labels, {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
  const deployments = (count: number) =>
    manifestObjects(
      Array.from({ length: count }, (_, at) => [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: `d${at}`, namespace: `n${at % 7}` },
          spec: { template: { metadata: { labels: counted({ app: `d${at}`, all: 'same' }) } } },
        },
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: `d${at}`, namespace: `n${at % 7}` },
          spec: { selector: { all: 'same', app: `d${at}` } },
        },
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: `d${at}`, namespace: `n${at % 7}` },
          spec: { selector: { matchLabels: { app: `d${at}` } } },
        },
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: `d${at}` },
          webhooks: [
            { name: `a${at}.b.c`, clientConfig: { service: { name: `d${at}`, namespace: `n${at % 7}` } } },
          ],
        },
      ]).flat(),
    );
  const readsOf = (count: number): number => {
    const objects = deployments(count);
    reads = 0;
    lint(objects, { minSeverity: 'error' });
    return reads;
  };
  const few = readsOf(300);
  expect(few).toBeGreaterThan(300);
  // Eight times as many; 64 times the reads if every object were held against every other.
  expect(readsOf(2400)).toBeLessThan(12 * few);
});

describe('what a rule yields that is no finding', () => {
  const object = { apiVersion: 'v1', kind: 'Thing', name: 'a', value: {} };
  test.each<[unknown, string]>([
    [{ message: 'm' }, 'object must be one of the objects of the context; pointer must be a JSON pointer'],
    [{ object, message: 'm' }, 'pointer must be a JSON pointer'],
    [{ object, pointer: '/a' }, 'message must be a text'],
    [{ object: object.value, pointer: '', message: 'm' }, 'object must be one of the objects of the context'],
    [
      'a text',
      'object must be one of the objects of the context; pointer must be a JSON pointer; message must',
    ],
    [{ object, pointer: 'a', message: 'm' }, 'pointer must be a JSON pointer'],
    [
      { object, pointer: '', message: 'm', severity: 'fatal' },
      'severity must be one of error, warning, info',
    ],
    [{ object, pointer: '', message: 'm', fix: 7 }, 'fix must be a text'],
    [{ object, pointer: '', message: 'm', fixPatch: '/a' }, 'fixPatch must be a list of changes'],
    [{ object, pointer: '', message: 'm', line: 0 }, 'line must be a whole number from 1'],
  ])('%j ends that rule alone', (found, reason) => {
    const odd = rule('T02', { check: () => [found as RawFinding] });
    const { findings, failures } = evaluated(bad('a'), { rules: [odd, rule('T01')] });
    expect(findings.map(({ rule: id }) => id)).toEqual(['T01']);
    expect(failures).toEqual([
      {
        rule: 'T02',
        object: expect.objectContaining({ name: 'a' }),
        file: 'a.yaml',
        error: expect.any(Error),
      },
    ]);
    expect((failures[0]!.error as Error).message).toContain(
      `a finding needs object, pointer, message: ${reason}`,
    );
  });
});
