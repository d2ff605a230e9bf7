import { unknownValue } from '@pulumi/pulumi/runtime';
import type { LintConfig, Rule } from '../../../lib/lint';
import { allRules } from '../../../lib/lint';
import { RulesPolicyPack, rulePolicies } from '../../../lib/pulumi/policy-pack';
import type { TestResource } from './engine';
import { violations } from './engine';

const pods = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const everything = { ...pods, apiGroups: ['*'], resources: ['*'] };

/** A webhook configuration; with nothing given, no rule has an error or a warning for it. */
function configuration(webhook: object = {}, annotations: object = {}): TestResource {
  return {
    props: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'gate', annotations },
      webhooks: [
        {
          name: 'gate.example.com',
          clientConfig: { service: { name: 'gate', namespace: 'gate-system', path: '/' } },
          failurePolicy: 'Ignore',
          objectSelector: { matchLabels: { gate: 'enabled' } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          timeoutSeconds: 3,
          rules: [pods],
          ...webhook,
        },
      ],
    },
  };
}

const catchAll = { failurePolicy: 'Fail', objectSelector: {}, rules: [everything] };
const allow = (reason: string) => ({ 'cluster-canary/allow-WH01': reason });
const configMap = (name: string, more: object = {}): TestResource => ({
  props: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more },
});

/** Names of the policies that are violated, with the level. */
async function brief(...[resources, options]: Parameters<typeof violations>): Promise<string[]> {
  return (await violations(resources, options)).map(({ level, policy }) => `${level} ${policy}`);
}

test('nothing is said of what is in order, nor of other resources', async () => {
  const bucket = { type: 'aws:s3/bucket:Bucket', name: 'logs', props: { kind: 'Secret', apiVersion: 'v1' } };
  expect(await violations([configuration(), bucket])).toEqual([]);
});

test('a rule over one object refuses the resource, another the stack', async () => {
  const found = await violations([configuration(catchAll)]);
  const stages = new Map(found.map(({ policy, stage, resource }) => [policy, `${stage} ${resource}`]));
  expect(stages.get('WH01')).toBe('resource ValidatingWebhookConfiguration/gate');
  expect(stages.get('WH03')).toBe('stack ValidatingWebhookConfiguration/gate');
  expect(found.filter(({ policy }) => policy === 'WH01')).toHaveLength(1);
});

test('errors end an update, warnings are told, infos are left out', async () => {
  const slow = configuration({ timeoutSeconds: 20 });
  expect(await brief([slow])).toEqual(['advisory WH09']);
  expect(await brief([slow], { enforcement: { warning: 'mandatory' } })).toEqual(['mandatory WH09']);
  expect(await brief([slow], { enforcement: { warning: 'mandatory', WH09: 'disabled' } })).toEqual([]);
  const infos = await brief([configuration()], { enforcement: { info: 'advisory' } });
  expect(infos).toEqual(expect.arrayContaining(['advisory WH13', 'advisory other-infos']));
});

test('a finding that is milder than its rule is told by another policy', async () => {
  const limited = configuration({ ...catchAll, objectSelector: { matchLabels: { gate: 'enabled' } } });
  const found = (await violations([limited])).filter(({ message }) => message.includes('WH01'));
  expect(found.map(({ policy, level }) => [policy, level])).toEqual([['other-warnings', 'advisory']]);
});

test('other severities of a configuration file hold', async () => {
  const config: LintConfig = {
    file: 'cluster-canary.yaml',
    suppress: [],
    rules: new Map([
      ['WH09', 'error'],
      ['WH01', 'off'],
    ]),
  };
  expect(await brief([configuration({ timeoutSeconds: 20 })], { config })).toEqual(['mandatory WH09']);
  expect(rulePolicies({ config }).map(({ name }) => name)).not.toContain('WH01');
});

describe('suppressions', () => {
  const reports = async (...args: Parameters<typeof violations>) =>
    (await brief(...args)).filter((each) => /WH01|SUP/.test(each));

  test.each([
    ['with a reason', allow('the cluster is for tests'), catchAll, []],
    ['without a reason', allow(' '), catchAll, ['mandatory WH01', 'mandatory SUP01']],
    ['in vain', allow('the cluster is for tests'), {}, ['advisory SUP02']],
  ])('by an annotation %s', async (_, annotations, webhook, expected) => {
    expect(await reports([configuration(webhook, annotations)])).toEqual(expected);
  });

  const reason = 'the cluster is for tests';
  const suppress = [{ rule: 'WH01', object: { name: 'gate' }, reason, line: 2 }];
  const config: LintConfig = { file: 'cluster-canary.yaml', suppress, rules: new Map() };

  test('a configuration file is for all clusters of a stack', async () => {
    const other = { ...configMap('other'), provider: 'other' };
    expect(await reports([configuration(catchAll), other], { config })).toEqual([]);
    const found = (await violations([configMap('one'), other], { config })).filter(({ policy }) =>
      policy.startsWith('SUP'),
    );
    expect(found).toMatchObject([{ policy: 'SUP02', resource: '' }]);
    expect(found[0]!.message).toContain('cluster-canary.yaml:2');
  });

  test('one of an object that is not known yet is not in vain', async () => {
    const unknown = configuration({ failurePolicy: unknownValue }, allow(reason));
    expect(await reports([unknown])).toEqual([]);
  });
});

describe('what is not known before the update', () => {
  test('is no finding, and what it is needed for is said', async () => {
    const found = await violations([configuration({ timeoutSeconds: unknownValue })]);
    expect(found.map(({ policy, level }) => `${level} ${policy}`)).toEqual(['advisory not-evaluated']);
    expect(found[0]!.message).toMatch(
      /^What the rules could not check\nnot checked yet: .*WH09.*\/webhooks\/0\/timeoutSeconds of ValidatingWebhookConfiguration\/gate\./,
    );
  });

  test('is of no interest where no rule reads it', async () => {
    const late = configMap('late', { data: { address: unknownValue } });
    expect(await brief([configuration(catchAll), late])).toContain('mandatory WH01');
    expect(await brief([configuration(), late])).toEqual([]);
  });

  test('in one cluster leaves the others judged', async () => {
    const late = { ...configuration({ rules: unknownValue }), provider: 'late' };
    const known = { ...configuration(catchAll), provider: 'known', name: 'known' };
    const found = await violations([late, known]);
    expect(found.filter(({ level }) => level === 'mandatory').map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(['known']),
    );
    expect(found.filter(({ level, resource }) => level === 'mandatory' && resource !== 'known')).toEqual([]);
  });

  test.each([
    { metadata: { name: unknownValue, namespace: 'gate-system' } },
    { metadata: { name: 'gate', namespace: unknownValue } },
    { metadata: unknownValue },
  ])('may be a name: %j', async (named) => {
    const spec = { selector: { app: 'gate' }, ports: [{ port: 443 }] };
    const service = { props: { apiVersion: 'v1', kind: 'Service', spec, ...named }, name: 'service' };
    const found = await violations([configuration(), service]);
    expect(found.map(({ policy }) => policy)).toEqual(['not-evaluated']);
    expect(found[0]!.message).toMatch(/not checked yet: .*WH12.*\/metadata\/name(space)? of service/);
  });
});

test('default providers of any version stand for one cluster, others each for one', async () => {
  const spec = { selector: { app: 'gate' }, ports: [{ port: 443 }] };
  const props = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'gate', namespace: 'gate-system' },
    spec,
  };
  const missing = async (one: string, other: string) => {
    const resources = [
      { ...configuration(), provider: one },
      { props, provider: other },
    ];
    const found = await violations(resources, { enforcement: { 'other-infos': 'advisory' } });
    return found.some(
      ({ message }) => message.includes('Service gate-system/gate behind') && message.includes('not here'),
    );
  };
  expect(await missing('default_4_33_0', 'default_4_34_1')).toBe(false);
  expect(await missing('blue', 'blue')).toBe(false);
  expect(await missing('blue', 'green')).toBe(true);
  expect(await missing('default_4_33_0', 'defaults')).toBe(true);
});

test('what the program asks for is evaluated, not what the cluster filled in', async () => {
  const asked = configuration({ failurePolicy: undefined, timeoutSeconds: undefined });
  const props = JSON.parse(JSON.stringify(asked.props));
  const outputs = configuration({ failurePolicy: 'Fail', timeoutSeconds: 10 }).props;
  const found = await violations([{ props, outputs }]);
  expect(found.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('has no failurePolicy'),
      expect.stringContaining('has no timeoutSeconds'),
    ]),
  );
});

test('items of a list are evaluated, each as an object', async () => {
  const { apiVersion, kind, ...item } = configuration(catchAll).props;
  const list = { apiVersion, kind: `${kind}List`, items: [item], metadata: {} };
  const found = await violations([{ props: list, name: 'list' }]);
  expect(found).toEqual(
    expect.arrayContaining([expect.objectContaining({ policy: 'WH01', resource: 'list' })]),
  );
});

test('what Helm installs and patches of objects are named once, and not judged', async () => {
  const release = (name: string) => ({ type: 'kubernetes:helm.sh/v3:Release', name, props: { chart: name } });
  const patch = {
    ...configuration(catchAll),
    type: 'kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfigurationPatch',
    name: 'patch',
  };
  const found = await violations([release('argocd'), release('cert-manager'), patch]);
  expect(found.map(({ policy, level }) => `${level} ${policy}`)).toEqual(
    Array(2).fill('advisory not-evaluated'),
  );
  expect(found[0]!.message).toContain('releases: argocd, cert-manager.');
  expect(found[1]!.message).toContain('not checked: patch.');
  expect(
    await brief([release('argocd')], { enforcement: { 'not-evaluated': 'disabled', warning: 'mandatory' } }),
  ).toEqual([]);
});

describe('rules of somebody else', () => {
  const rule = (check: Rule['check']): Rule => ({
    ...{ id: 'ACME01', severity: 'error', title: 'No such thing', why: 'it hurts', fix: 'remove it' },
    check,
  });
  const object = configMap('thing');

  test('are policies too', async () => {
    const acme = rule(({ objects }) =>
      objects.all.map((each) => ({ object: each, pointer: '', message: 'there' })),
    );
    const found = await violations([object], { rules: [...allRules, acme] });
    expect(found).toMatchObject([{ policy: 'ACME01', level: 'mandatory', resource: 'ConfigMap/thing' }]);
    expect(found[0]!.message).toBe(
      'No such thing\nerror  ACME01  there\n      ConfigMap thing\n      why: it hurts\n      fix: remove it',
    );
  });

  test('that throw end nothing else', async () => {
    const broken = rule(() => {
      throw new Error('no such field');
    });
    const found = await violations([object, configuration(catchAll)], { rules: [broken, ...allRules] });
    expect(found.map(({ policy }) => policy)).toEqual(expect.arrayContaining(['ACME01', 'WH01']));
    expect(found.find(({ policy }) => policy === 'ACME01')!.message).toContain('the rule ACME01 failed');
  });
});

test('all that is wrong with the options is said at once', () => {
  const twice = { ...allRules[0]!, id: 'WH02' };
  const bad = { ...allRules[0]!, id: 'no-id' };
  const enforcement: any = { WH99: 'mandatory', error: 'remediate' };
  expect(() => rulePolicies({ rules: [...allRules, twice, bad], enforcement })).toThrow(
    /rulePolicies: 4 problems[^]*"remediate"[^]*"WH02"[^]*"no-id"[^]*WH99/,
  );
});

test('options of other types are refused, in a pack of its own as well', () => {
  const wrong: any = { rules: [7], config: { rules: {} }, enforcement: 'mandatory', rule: [] };
  const expected =
    /4 problems\n  rule: unknown key, did you mean "rules"[^]*rules\[0\]: 7[^]*config: [^]*enforcement: /;
  expect(() => rulePolicies(wrong)).toThrow(expected);
  expect(() => new RulesPolicyPack('rules', wrong)).toThrow(/^RulesPolicyPack "rules": 4 problems/);
});

test('a resource whose kind only the update knows ends no policy', async () => {
  const props = { apiVersion: 'v1', kind: unknownValue, metadata: { name: 'later' } };
  const later = { type: 'kubernetes:v1:Later', name: 'later', props };
  const found = await brief([later, configuration(catchAll)]);
  expect(found).toEqual(await brief([configuration(catchAll)]));
});

test('a rule is named by its place among those that were given', () => {
  const [first, second] = allRules;
  const config: LintConfig = {
    file: 'cluster-canary.yaml',
    suppress: [],
    rules: new Map([[first!.id, 'off']]),
  };
  const wrong = { ...second!, id: 'acme' };
  expect(() => rulePolicies({ rules: [first!, wrong, second!, second!], config })).toThrow(
    /rules\[1\]\.id: "acme"[^]*rules\[3\]\.id: "WH02"/,
  );
});
