import { brief, evaluateText, lintText } from '../../lint-text';
import { authority, certificate, documents, injected, keeps, named, selfSigned, webhook } from './manifests';

const from = '/metadata/annotations/cert-manager.io~1inject-ca-from';

test('without an old state both are left out, and said to be', () => {
  const { findings, skippedRules } = evaluateText(webhook(), { rules: ['TLS13', 'TLS14'] });
  expect(findings).toEqual([]);
  expect(skippedRules).toEqual([
    { rule: 'TLS13', needs: 'before' },
    { rule: 'TLS14', needs: 'before' },
  ]);
});

describe('TLS13: a new entry', () => {
  const bundle = 'error TLS13 /webhooks/0/clientConfig/caBundle';
  const annotations = { 'cert-manager.io/inject-ca-from': 'gate-system/ca' };
  const fails = webhook({ annotations });
  const url = fails.replace(/service: .*/, 'url: https://gate.example.com/');

  test.each<[string, string, string, string[]]>([
    ['that was there', fails, fails, []],
    ['that was there with Ignore', webhook({ annotations, policy: 'Ignore' }), fails, []],
    ['of another name', webhook({ annotations, entry: 'old.example.com' }), fails, [bundle]],
    ['in a new configuration', '', fails, [bundle]],
    [
      'of the same name, in a configuration of the other kind',
      fails.replace('Mutating', 'Validating'),
      fails,
      [bundle],
    ],
    ['with Ignore', '', webhook({ annotations, policy: 'Ignore' }), []],
    ['with no policy, which is Fail', '', fails.replace('failurePolicy: Fail', ''), [bundle]],
    ['with its CA', '', webhook({ caBundle: 'LS0t' }), []],
    ['with white space for a CA', '', webhook({ annotations, caBundle: 'Cg==' }), [bundle]],
    ['without rules', '', fails.replace(/rules:\n.*\n/, 'rules: []\n'), []],
    ['behind a URL', '', url, []],
  ])('%s', (_, before, after, expected) => {
    expect(brief(lintText(after, { rules: ['TLS13'], before }))).toEqual(expected);
  });
});

describe('TLS14: one phase a change', () => {
  const fromSecret = webhook({
    annotations: { 'cert-manager.io/inject-ca-from-secret': 'gate-system/anchors' },
  });
  const g = (name: string) => injected(`gate-system/${name}`);
  const state = (trust: string, signer: string, ...ca: string[]): string =>
    documents(
      trust,
      selfSigned,
      authority('g1', keeps, ...ca),
      authority('g2', keeps),
      certificate('gate', signer, named),
    );
  const both = /g2 signs, and API servers did not trust it before; API servers stop trusting gate-system\/g1/;

  test.each<[string, string, string, RegExp | undefined]>([
    ['nothing', state(g('g1'), 'g1'), state(g('g1'), 'g1'), undefined],
    ['publish', state(g('g1'), 'g1'), state(fromSecret, 'g1'), undefined],
    ['switch', state(fromSecret, 'g1'), state(fromSecret, 'g2'), undefined],
    ['retire', state(fromSecret, 'g2'), state(g('g2'), 'g2'), undefined],
    ['all at once', state(g('g1'), 'g1'), state(g('g2'), 'g2'), both],
    ['publish and switch', state(g('g1'), 'g1'), state(fromSecret, 'g2'), /^gate-system\/g2 signs, and/],
    [
      'switch and retire',
      state(fromSecret, 'g1'),
      state(g('g2'), 'g2'),
      /^API servers stop trusting gate-system\/g1/,
    ],
    ['switch without publish', state(g('g1'), 'g1'), state(g('g1'), 'g2'), /^gate-system\/g2 signs/],
    ['retire without switch', state(g('g1'), 'g1'), state(g('g2'), 'g1'), /^API servers stop/],
    [
      'another subject of the same Secret',
      state(g('g1'), 'g1'),
      state(g('g1'), 'g1', 'subject: { countries: [CH] }'),
      /./,
    ],
    [
      'the same subject in another order',
      state(g('g1'), 'g1', 'subject: { countries: [CH], organizations: [Gate] }'),
      state(g('g1'), 'g1', 'subject: { organizations: [Gate], countries: [CH] }'),
      undefined,
    ],
    ['another life of the CA', state(g('g1'), 'g1'), state(g('g1'), 'g1', 'duration: 87600h'), undefined],
    [
      'another kind of key, where a new one is made anyway',
      state(g('g1'), 'g1').replace(keeps, 'privateKey: { algorithm: RSA, size: 2048 }'),
      state(g('g1'), 'g1').replace(keeps, 'privateKey: { algorithm: RSA, size: 4096 }'),
      /./,
    ],
    [
      'another algorithm, where a new one is made anyway',
      state(g('g1'), 'g1').replace(keeps, 'privateKey: { algorithm: RSA }'),
      state(g('g1'), 'g1').replace(keeps, 'privateKey: { algorithm: ECDSA }'),
      /./,
    ],
    [
      'another kind of key, where the old one stays',
      state(g('g1'), 'g1'),
      state(g('g1'), 'g1').replace(keeps, 'privateKey: { rotationPolicy: Never, size: 4096 }'),
      undefined,
    ],
    [
      'another name of the CA',
      state(g('g1'), 'g1'),
      state(g('g1'), 'g1').replace('commonName: g1', 'commonName: g3'),
      /./,
    ],
    [
      'another webhook of the same name',
      state(g('g1'), 'g1').replace('Mutating', 'Validating'),
      state(g('g2'), 'g2'),
      undefined,
    ],
    [
      'another name of the webhook',
      state(g('g1'), 'g1').replace('gate.pods', 'old.pods'),
      state(g('g2'), 'g2'),
      undefined,
    ],
    [
      'the leaf alone, which is signed by the same CA',
      state(g('gate'), 'g1'),
      state(g('g1'), 'g1'),
      undefined,
    ],
    ['a webhook that is new', documents(selfSigned), state(g('g2'), 'g2'), undefined],
    ['a certificate that is not known', g('g1'), g('g2'), undefined],
  ])('%s', (_, before, after, expected) => {
    const findings = lintText(after, { rules: ['TLS14'], before });
    expect(findings).toHaveLength(expected ? 1 : 0);
    if (expected) {
      expect(findings[0]!.message).toMatch(expected);
      expect(findings[0]!.pointer).toMatch(/^\/metadata\/annotations\/cert-manager\.io~1inject-ca-from/);
    }
  });

  test('names the annotation', () => {
    const findings = lintText(state(g('g2'), 'g2'), { rules: ['TLS14'], before: state(g('g1'), 'g1') });
    expect(brief(findings)).toEqual([`error TLS14 ${from}`]);
  });
});
