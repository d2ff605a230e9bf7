import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import type { HardeningDecision } from '../../../lib/lint';
import { harden, manifestObjects, parseYaml } from '../../../lib/lint';
import { lintText } from '../lint-text';
import {
  authority,
  certificate,
  certManager,
  documents,
  issuer,
  named,
  selfSigned,
  webhook,
} from '../rules/certificates/manifests';
import { scaled } from '../../runs';

const from = 'cert-manager.io/inject-ca-from';
const fromLeaf = webhook({ annotations: { [from]: 'gate-system/gate' } });
const leaf = certificate('gate', 'root', named, 'duration: 2160h', 'renewBefore: 720h');

/** What is changed, as `RULE KIND NAME`. */
const changes = (text: string, decisions: readonly HardeningDecision[] = []): string[] =>
  harden(text, { decisions })
    .changed.map(({ rule, object }) => `${rule} ${object.kind} ${object.name}`)
    .sort();

/** One object of a text. */
const find = (text: string, kind: string, name: string): any =>
  text
    .split('\n---\n')
    .map((each) => parseYaml(each) as any)
    .find((each) => each.kind === kind && each.metadata.name === name);

const errorRules = (text: string): string[] =>
  lintText(text)
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule);

/** A chart that signs the certificate of its server by itself. */
const ownSigned = documents(fromLeaf, selfSigned, certificate('gate', 'self-signed', named));

const problemsOf = (text: string, options: object = {}): string[] => {
  try {
    harden(text, options);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).message.split('\n').slice(1);
  }
  return [];
};

describe('injection and authorities', () => {
  const chart = documents(fromLeaf, selfSigned, authority('root', 'duration: 43800h0m0s'), leaf);

  test('injection goes from the leaf to the authority, whose key is to stay', () => {
    const { text, changed, left } = harden(chart);
    expect(changes(chart)).toEqual(['HARDEN02 Certificate root', 'TLS02 MutatingWebhookConfiguration gate']);
    expect(changed).toHaveLength(2);
    expect(find(text, 'MutatingWebhookConfiguration', 'gate').metadata.annotations).toEqual({
      [from]: 'gate-system/root',
    });
    expect(find(text, 'Certificate', 'root').spec.privateKey).toEqual({ rotationPolicy: 'Never' });
    expect(left.filter(({ finding }) => finding.rule.startsWith('TLS'))).toEqual([]);
    expect(lintText(text).filter(({ rule }) => rule.startsWith('TLS'))).toEqual([]);
  });

  test('lines of findings are those of the text that was given, also behind documents that have grown', () => {
    const text = documents(selfSigned, authority('root', 'duration: 2400h'), leaf, fromLeaf);
    const { changed, left, text: hardened } = harden(text);
    expect(hardened.split('\n').length).toBeGreaterThan(text.split('\n').length);
    const lines = text.split('\n');
    const shown = [...changed, ...left.map(({ finding }) => finding)].map(
      ({ rule, line }) => `${rule} ${lines[line! - 1]!.trim()}`,
    );
    expect(shown).toEqual(
      expect.arrayContaining([
        'HARDEN02 spec:',
        'HARDEN02 duration: 2400h',
        'TLS02 annotations: {"cert-manager.io/inject-ca-from":"gate-system/gate"}',
        'WH03 - name: gate.pods.example.com',
        'WH12 service: { namespace: gate-system, name: gate, path: /mutate }',
      ]),
    );
  });

  test('documents without a change stay as they are, byte for byte', () => {
    const odd =
      '# odd   spacing\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x,   namespace: y}\ndata:\n      a:  "{{ kept }}"\n';
    const { text } = harden(`${odd}---\n${chart}\n---\n${odd}`);
    expect(text.split(odd)).toHaveLength(3);
    expect(text.startsWith(`${odd}---\n`)).toBe(true);
    expect(text).toContain(`\n---\n${leaf.trim()}\n---\n`);
    expect(harden(odd).text).toBe(odd);
    expect(harden('').text).toBe('');
  });

  test.each<[string, string, object]>([
    [
      'a key that rotates by order',
      'privateKey: { rotationPolicy: Always }',
      { privateKey: { rotationPolicy: 'Never' } },
    ],
    [
      'too short a life',
      'duration: 2400h',
      { duration: '87600h', renewBefore: '8760h', privateKey: { rotationPolicy: 'Never' } },
    ],
    [
      'too late a renewal',
      'duration: 43800h, renewBefore: 100h',
      { duration: '43800h', renewBefore: '2184h', privateKey: { rotationPolicy: 'Never' } },
    ],
    [
      'a percentage',
      'duration: 43800h, renewBeforePercentage: 1',
      { duration: '43800h', renewBefore: '2184h', privateKey: { rotationPolicy: 'Never' } },
    ],
  ])('%s of an authority is mended', (_, lines, expected) => {
    const root = authority('root', ...lines.split(/, (?=\w+:)/));
    const { text } = harden(documents(fromLeaf, selfSigned, root, leaf));
    const { spec } = find(text, 'Certificate', 'root');
    expect(spec).toMatchObject(expected);
    expect(spec).not.toHaveProperty('renewBeforePercentage');
    expect(lintText(text).filter(({ rule }) => /^TLS0[345]/.test(rule))).toEqual([]);
  });

  test('a leaf that is renewed in the last hours is renewed a third of its life before its end', () => {
    const late = certificate('gate', 'root', named, 'duration: 2160h', 'renewBefore: 2h');
    const { text } = harden(documents(fromLeaf, selfSigned, authority('root', 'duration: 43800h'), late));
    expect(find(text, 'Certificate', 'gate').spec).toMatchObject({ duration: '2160h', renewBefore: '720h' });
  });

  test('what lives too long for any authority, or too short for a day, is left and told', () => {
    const long = certificate('gate', 'root', named, 'duration: 100000h', 'renewBefore: 720h');
    const short = certificate('gate', 'root', named, 'duration: 30h', 'renewBefore: 2h');
    for (const [each, rule] of [
      [long, 'TLS04'],
      [short, 'TLS05'],
    ] as const) {
      const text = documents(fromLeaf, selfSigned, authority('root', 'duration: 43800h'), each);
      const { left } = harden(text);
      expect(left.map(({ finding }) => finding.rule)).toContain(rule);
    }
  });

  test('certificates that no webhook rests on keep their lifetimes', () => {
    const mesh = certificate(
      'mesh',
      'root',
      'dnsNames: [mesh.example.com]',
      'duration: 72h',
      'renewBefore: 2h',
    );
    expect(changes(documents(selfSigned, authority('root', 'duration: 43800h'), mesh))).toEqual([
      'TLS03 Certificate root',
    ]);
  });

  test('an injector that replaces what it has injected keeps its source', () => {
    const old = certManager('quay.io/jetstack/cert-manager-cainjector:v1.17.0');
    const { text } = harden(documents(chart, old));
    expect(find(text, 'MutatingWebhookConfiguration', 'gate').metadata.annotations[from]).toBe(
      'gate-system/gate',
    );
  });

  test('an authority beside the manifests counts, and is not printed', () => {
    const text = documents(fromLeaf, leaf);
    const objects = [
      selfSigned,
      authority('root', 'duration: 43800h'),
      issuer('root', '{ ca: { secretName: root } }'),
    ];
    const beside = manifestObjects(
      objects.flatMap((each) => each.split('\n---\n')).map((each) => parseYaml(each)),
    );
    const hardened = harden(text, { beside });
    expect(hardened.objects).toBe(2);
    expect(hardened.text.split('\n---\n')).toEqual([
      expect.stringContaining('gate-system/root'),
      leaf.trim(),
    ]);
    expect(changes(text)).toEqual([]);
    expect(hardened.changed.map(({ rule }) => rule)).toEqual(['TLS02']);
  });

  test('a suppression with a reason keeps what it is for', () => {
    const kept = webhook({
      annotations: { [from]: 'gate-system/gate', 'cluster-canary/allow-TLS02': 'until the move is over' },
    });
    const { text } = harden(documents(kept, selfSigned, authority('root', 'duration: 43800h'), leaf));
    expect(text).toContain(kept.trim());
  });
});

describe('decisions', () => {
  const service = 'gate-system/gate';
  const entry = (text: string): any => find(text, 'MutatingWebhookConfiguration', 'gate').webhooks[0];
  const decide = (...decisions: HardeningDecision[]): any => entry(harden(webhook(), { decisions }).text);

  test('are written for every webhook of a Service, or for one by its name', () => {
    expect(decide({ service, failurePolicy: 'Ignore', timeoutSeconds: 5 })).toMatchObject({
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
    });
    expect(decide({ webhook: 'gate.pods.example.com', timeoutSeconds: 3 }).timeoutSeconds).toBe(3);
    expect(decide({ webhook: 'other.pods.example.com', timeoutSeconds: 3 })).not.toHaveProperty(
      'timeoutSeconds',
    );
    expect(decide({ service: 'gate-system/other', timeoutSeconds: 3 })).not.toHaveProperty('timeoutSeconds');
  });

  test('that are about nothing are named', () => {
    const here = { service, injectCaFrom: 'gate-system/ca' };
    const elsewhere = [
      { webhook: 'other.pods.example.com', timeoutSeconds: 3 },
      { service: 'gate-system/other', injectCaFrom: 'gate-system/ca' },
    ];
    const { unmatched } = harden(webhook(), { decisions: [here, ...elsewhere] });
    expect(unmatched).toEqual(elsewhere);
  });

  test('a timeout is cut, and never made longer', () => {
    const short = webhook().replace('failurePolicy', 'timeoutSeconds: 2\n    failurePolicy');
    expect(changes(short, [{ service, timeoutSeconds: 5 }])).toEqual([]);
    expect(entry(harden(short, { decisions: [{ service, timeoutSeconds: 1 }] }).text).timeoutSeconds).toBe(1);
  });

  test('an opt-in and namespaces that are left out make a pod webhook one that no pod depends on', () => {
    const before = lintText(webhook(), { rules: ['WH03', 'WH06'] }).map(
      ({ severity, rule }) => `${severity} ${rule}`,
    );
    expect(before.sort()).toEqual(['error WH03', 'error WH06']);
    const optIn = { 'example.com/gate': 'enabled' };
    const decision = { service, optIn, leaveOut: ['kube-system', 'gate-system'] };
    const { text } = harden(webhook(), { decisions: [decision] });
    expect(entry(text)).toMatchObject({
      objectSelector: { matchLabels: optIn },
      namespaceSelector: {
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'gate-system'] },
        ],
      },
    });
    expect(lintText(text, { rules: ['WH03', 'WH06'] })).toEqual([]);
    expect(changes(text, [decision])).toEqual([]);
    expect(changes(text, [{ service, leaveOut: ['kube-system'] }])).toEqual([]);
  });

  test('the source of a CA takes the place of every other one', () => {
    const both = webhook({
      annotations: { 'cert-manager.io/inject-ca-from-secret': 'gate-system/old', [from]: 'gate-system/gate' },
    });
    const annotations = (decision: HardeningDecision): object =>
      find(harden(both, { decisions: [decision] }).text, 'MutatingWebhookConfiguration', 'gate').metadata
        .annotations;
    expect(annotations({ service, injectCaFrom: 'gate-system/ca-g1' })).toEqual({
      [from]: 'gate-system/ca-g1',
    });
    expect(annotations({ service, injectCaFromSecret: 'gate-system/both' })).toEqual({
      'cert-manager.io/inject-ca-from-secret': 'gate-system/both',
    });
  });

  test('a decided source wins over the authority in sight', () => {
    const chart = documents(fromLeaf, selfSigned, authority('root', 'duration: 43800h'), leaf);
    const decisions = [{ service, injectCaFrom: 'gate-system/ca-g2' }];
    const { text } = harden(chart, { decisions });
    expect(find(text, 'MutatingWebhookConfiguration', 'gate').metadata.annotations[from]).toBe(
      'gate-system/ca-g2',
    );
    expect(harden(text, { decisions })).toMatchObject({ text, changed: [] });
  });

  test('one configuration for several servers is told and left alone', () => {
    const two = `${webhook({ annotations: { [from]: 'gate-system/gate' } })}${webhook()
      .split('webhooks:\n')[1]!
      .replace('name: gate,', 'name: other,')
      .replace('gate.pods', 'other.pods')}`;
    const decisions = [{ service, injectCaFrom: 'gate-system/ca-g1' }];
    const { text, left } = harden(two, { decisions });
    expect(text).toBe(two);
    expect(left.map(({ finding }) => finding.rule)).toContain('HARDEN01');
  });

  const declaring = (value: string, namespace = ', namespace: gate-system'): string => `
apiVersion: v1
kind: Service
metadata: { name: gate${namespace}, annotations: { cluster-canary/harden: '${value}' } }
spec: { ports: [{ port: 443 }] }
`;

  test('are declared by the Service that the webhooks call', () => {
    const text = documents(webhook(), declaring('{"injectCaFrom":"gate-system/ca-g1","timeoutSeconds":4}'));
    const hardened = harden(text).text;
    expect(entry(hardened).timeoutSeconds).toBe(4);
    expect(find(hardened, 'MutatingWebhookConfiguration', 'gate').metadata.annotations).toEqual({
      [from]: 'gate-system/ca-g1',
    });
  });

  test('what is wrong with them is told, all at once', () => {
    const text = documents(
      declaring('no JSON'),
      declaring('{"timeoutSeconds":60,"service":"a/b"}'),
      declaring('{}', ''),
      webhook(),
    );
    const decisions = [
      { timeoutSeconds: 5 },
      { service: 'gate', failurePolicy: 'Maybe', more: 1 },
      { webhook: 'x', injectCaFrom: 'a/b', injectCaFromSecret: 'a/b', optIn: {}, leaveOut: ['A'] },
      'text',
      { webhook: 'x', issuer: 'a/b', clusterIssuer: 'c' },
      { service: 'a/b', issuer: 'c/d' },
      { service: 'a/c', timeoutSeconds: undefined },
      { service: 'a/b', timeoutSeconds: 5 },
    ];
    expect(
      problemsOf(text, { decisions }).map((line) => line.trim().replace(/ must be .*|; known keys.*/, '')),
    ).toEqual([
      'decisions[0].service: nothing:',
      'decisions[1].more: unknown key',
      'decisions[1].service: "gate":',
      'decisions[1].failurePolicy: "Maybe":',
      'decisions[2].leaveOut[0]: "A":',
      'decisions[2].optIn: {}:',
      'decisions[2].injectCaFromSecret: conflicts with injectCaFrom',
      'decisions[2].injectCaFrom: "a/b":',
      'decisions[3]:',
      'decisions[4].clusterIssuer: conflicts with issuer',
      'decisions[4].issuer: "a/b":',
      'decisions[5].issuer: "c/d":',
      'decisions[6]: {"service":"a/c"}:',
      'decisions[4].webhook: "x":',
      'decisions[7].service: "a/b":',
      'stdin:3 Service gate cluster-canary/harden: "no JSON":',
      'stdin:8 Service gate cluster-canary/harden timeoutSeconds: 60:',
      'stdin:8 Service gate cluster-canary/harden service: "a/b":',
      'stdin:13 Service gate cluster-canary/harden:',
    ]);
  });

  describe('of a chart that signs its certificate by itself', () => {
    const authorityText = authority('ca', 'privateKey: { rotationPolicy: Never }', 'duration: 87600h');
    const beside = manifestObjects(authorityText.split('\n---\n').map((each) => parseYaml(each)));
    const issuerRef = (text: string): unknown => find(text, 'Certificate', 'gate').spec.issuerRef;

    test('the issuer can be another one, and the CA is that of its authority then', () => {
      expect(lintText(ownSigned).map(({ rule }) => rule)).toContain('TLS01');
      const decisions = [{ service, issuer: 'gate-system/ca' }];
      const { text, left } = harden(ownSigned, { decisions, beside });
      expect(issuerRef(text)).toEqual({ name: 'ca' });
      expect(
        find(text, 'MutatingWebhookConfiguration', 'gate').metadata.annotations[
          'cert-manager.io/inject-ca-from'
        ],
      ).toBe('gate-system/ca');
      expect(left.filter(({ finding }) => finding.rule.startsWith('TLS'))).toEqual([]);
      const all = lintText(documents(text, authorityText)).filter(({ rule }) => rule.startsWith('TLS'));
      expect(all.filter(({ severity }) => severity !== 'info')).toEqual([]);
      expect(harden(text, { decisions, beside })).toMatchObject({ text, changed: [] });
      // Two lines are others, and none has moved.
      const [before, after] = [ownSigned.split('\n'), text.split('\n')];
      expect(after).toHaveLength(before.length);
      expect(after.filter((line, position) => line !== before[position])).toHaveLength(2);
    });

    test('by a ClusterIssuer as well, and said by the Service', () => {
      const decisions = [{ service, clusterIssuer: 'ours', injectCaFrom: 'cert-manager/ours' }];
      const { text } = harden(ownSigned, { decisions });
      expect(issuerRef(text)).toEqual({ name: 'ours', kind: 'ClusterIssuer' });
      expect(lintText(text).map(({ rule }) => rule)).not.toContain('TLS01');
      const said = declaring('{"issuer":"gate-system/ca","injectCaFrom":"gate-system/ca"}');
      const hardened = harden(documents(ownSigned, said)).text;
      expect(issuerRef(hardened)).toEqual({ name: 'ca' });
      expect(lintText(hardened).filter(({ rule }) => /^TLS0[12]$/.test(rule))).toEqual([]);
    });

    test('an issuer of another group becomes one of cert-manager', () => {
      const other = ownSigned.replace(
        'issuerRef: { name: self-signed }',
        'issuerRef: { name: pca, kind: AWSPCAClusterIssuer, group: awspca.cert-manager.io }',
      );
      const decisions = [{ service, issuer: 'gate-system/ca' }];
      expect(issuerRef(harden(other, { decisions, beside }).text)).toEqual({
        name: 'ca',
        kind: 'Issuer',
        group: 'cert-manager.io',
      });
    });

    test('another CA alone is refused, whether its Certificate is known or not', () => {
      const decisions = [
        { service, webhook: 'gate.pods.example.com', timeoutSeconds: 5 },
        { service, injectCaFrom: 'gate-system/ca' },
      ];
      for (const options of [{ decisions }, { decisions, beside }]) {
        const problems = problemsOf(ownSigned, options);
        expect(problems).toEqual([
          expect.stringMatching(
            /^ {2}decisions\[1\]: .*"injectCaFrom":"gate-system\/ca".* must be a decision that brings no error: TLS10 at .* of MutatingWebhookConfiguration gate: the CA of gate-system\/ca is injected/,
          ),
        ]);
      }
      const declared = documents(ownSigned, declaring('{"injectCaFrom":"gate-system/ca"}'));
      expect(problemsOf(declared)).toEqual([
        expect.stringMatching(/^ {2}stdin:\d+ Service gate cluster-canary\/harden: .* TLS10 at /),
      ]);
    });

    test('what an annotation with a reason allows is no reason to refuse', () => {
      const allowed = ownSigned.replace(
        'annotations: {',
        'annotations: {"cluster-canary/allow-TLS10":"the CA is copied by hand",',
      );
      expect(problemsOf(allowed, { decisions: [{ service, injectCaFrom: 'gate-system/ca' }] })).toEqual([]);
    });
  });

  test('errors that were there before, or that come of no decision, refuse nothing', () => {
    expect(errorRules(ownSigned)).toContain('TLS01');
    expect(problemsOf(ownSigned, { decisions: [{ service, timeoutSeconds: 5 }] })).toEqual([]);
  });

  test('two decisions that bring the same error are both named', () => {
    const quiet = webhook({ policy: 'Ignore' });
    const decisions = [
      { service, failurePolicy: 'Fail' as const },
      { webhook: 'gate.pods.example.com', failurePolicy: 'Fail' as const },
    ];
    const paths = problemsOf(quiet, { decisions }).map((line) => line.trim().split(':')[0]);
    expect(new Set(paths)).toEqual(new Set(['decisions[0]', 'decisions[1]']));
  });

  test("a server's own certificate is no source", () => {
    const decisions = [{ service, injectCaFrom: 'gate-system/gate' }];
    expect(problemsOf(documents(fromLeaf, leaf), { decisions })).toEqual([
      expect.stringContaining('authority'),
    ]);
  });
});

describe('what can not be read', () => {
  test('is told by line and column, and nothing is hardened', () => {
    const text = documents(fromLeaf, 'a: b\n c: d', leaf, 'x: [', 'name: {{ .Values.name }}');
    expect(problemsOf(text, { file: 'web.yaml' }).map((line) => line.replace(/must be YAML.*/, ''))).toEqual([
      expect.stringMatching(/^ {2}web\.yaml:\d+:3: $/),
      expect.stringMatching(/^ {2}web\.yaml:\d+: $/),
      expect.stringMatching(/^ {2}web\.yaml:\d+: $/),
    ]);
  });
});

describe('whatever the manifests', () => {
  const hours = fc.constantFrom(undefined, '1h', '30h', '720h', '2160h', '43800h', 'soon');
  const lines = fc.record(
    { duration: hours, renewBefore: hours, privateKey: fc.constantFrom('{ rotationPolicy: Always }', '{}') },
    { requiredKeys: [] },
  );
  const written = (values: object): string[] =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}: ${value}`);
  const source = fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    { [from]: 'gate-system/gate' },
    { [from]: 'gate-system/root' },
    { [from]: 'no' },
  );
  const manifests = fc
    .record({
      annotations: source,
      policy: fc.constantFrom('Fail', 'Ignore', ''),
      root: lines,
      leaf: lines,
      parts: fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }),
    })
    .map(({ annotations, policy, parts, ...certificates }) => {
      const all = [
        webhook({ annotations, policy }),
        selfSigned,
        authority('root', ...written(certificates.root)),
        certificate('gate', 'root', named, ...written(certificates.leaf)),
        'kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}',
      ];
      return documents(...parts.map((part) => all[part]!));
    });
  const entryName = 'gate.pods.example.com';
  const decisions = fc.subarray<HardeningDecision>([
    { service: 'gate-system/gate', injectCaFrom: 'gate-system/ca-g1' },
    { service: 'gate-system/gate', webhook: entryName, timeoutSeconds: 5, failurePolicy: 'Fail' },
    { webhook: entryName, optIn: { gate: 'on' }, leaveOut: ['kube-system'] },
  ]);

  const errorsIn = (text: string): number =>
    lintText(text).filter(({ severity }) => severity === 'error').length;

  test('hardened once more they stay the same, and nothing that can be changed is left', () => {
    const numRuns = scaled(60);
    let refused = 0;
    fc.assert(
      fc.property(manifests, decisions, (text, decided) => {
        const problems = problemsOf(text, { decisions: decided });
        if (problems.length > 0) {
          refused += 1;
          expect(problems.join()).toMatch(/must be a decision that brings no error: [A-Z]+\d+ at /);
          return;
        }
        const once = harden(text, { decisions: decided });
        expect(errorsIn(once.text)).toBeLessThanOrEqual(errorsIn(text));
        const twice = harden(once.text, { decisions: decided });
        expect(twice.text).toBe(once.text);
        expect(twice.changed).toEqual([]);
        expect(once.objects).toBe(twice.objects);
        expect(once.failures).toEqual([]);
        expect(once.changed.length === 0).toBe(once.text === text);
        expect(harden(text, { decisions: decided }).text).toBe(once.text);
      }),
      { numRuns },
    );
    expect(refused).toBeLessThan(numRuns);
  });

  test('findings only ever become fewer', () => {
    fc.assert(
      fc.property(manifests, (text) => {
        expect(errorsIn(harden(text).text)).toBeLessThanOrEqual(errorsIn(text));
      }),
      { numRuns: scaled(60) },
    );
  });
});
