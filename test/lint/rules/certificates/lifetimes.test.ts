import { brief, lintText } from '../../lint-text';
import {
  authority,
  certificate,
  certManager,
  documents,
  good,
  injected,
  issuer,
  keeps,
  named,
  ofOwnKinds,
  selfSigned,
} from './manifests';

const found = (rule: string, ...texts: readonly string[]): string[] =>
  brief(lintText(documents(...texts), { rules: [rule] }));

const ignoring = (configuration: string): string =>
  configuration.replace('failurePolicy: Fail', 'failurePolicy: Ignore');

describe('TLS03: the key of an authority', () => {
  const policy = '/spec/privateKey/rotationPolicy';
  const version = (tag: string): string => certManager(`quay.io/jetstack/cert-manager-controller:${tag}`);

  test.each<[string, string[], string[]]>([
    ['Never', [selfSigned, authority('ca', keeps)], []],
    [
      'Always',
      [selfSigned, authority('ca', 'privateKey: { rotationPolicy: Always }')],
      [`error TLS03 ${policy}`],
    ],
    ['unset', [selfSigned, authority('ca')], [`error TLS03 ${policy}`]],
    ['unset, with 1.18', [selfSigned, authority('ca'), version('v1.18.0')], [`error TLS03 ${policy}`]],
    ['unset, with 1.17', [selfSigned, authority('ca'), version('v1.17.4')], [`warning TLS03 ${policy}`]],
    [
      'unset, of what API servers trust',
      [injected('gate-system/ca'), selfSigned, authority('ca')],
      [`error TLS03 ${policy}`],
    ],
    [
      "unset, of what API servers trust for an operator's own kinds: weeks are too long for these as well",
      [ofOwnKinds(injected('gate-system/ca')), selfSigned, authority('ca')],
      [`error TLS03 ${policy}`],
    ],
    [
      'unset, of what API servers trust for a webhook that ignores failures',
      [ignoring(injected('gate-system/ca')), selfSigned, authority('ca')],
      [`warning TLS03 ${policy}`],
    ],
    [
      'unset, of what API servers trust, with an injector that merges',
      [injected('gate-system/ca'), selfSigned, authority('ca'), version('v1.21.0')],
      [`warning TLS03 ${policy}`],
    ],
    [
      'unset, of what others trust, with an injector that merges',
      [selfSigned, authority('ca'), version('v1.21.0')],
      [`error TLS03 ${policy}`],
    ],
    ['unset, of a leaf', [selfSigned, certificate('gate', 'self-signed', named)], []],
    ['an issuer elsewhere', [authority('ca')], [`info TLS03 ${policy}`]],
    [
      'an authority below another one',
      [selfSigned, authority('root', keeps), authority('ca').replace('name: self-signed', 'name: root')],
      [],
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS03', ...texts)).toEqual(expected);
  });

  test('the patch sets what is unset, and leaves what somebody said', () => {
    const patch = (...spec: string[]) =>
      lintText(documents(selfSigned, authority('ca', ...spec)), { rules: ['TLS03'] })[0]!.fixPatch;
    expect(patch('privateKey: { size: 256 }')).toEqual([{ op: 'add', path: policy, value: 'Never' }]);
    expect(patch()).toEqual([{ op: 'add', path: '/spec/privateKey', value: { rotationPolicy: 'Never' } }]);
    expect(patch('privateKey: { rotationPolicy: Always }')).toBeUndefined();
  });
});

describe('TLS04: a leaf and its authority', () => {
  const duration = '/spec/duration';
  const ca = (...spec: string[]) => documents(selfSigned, authority('ca', ...spec));
  const leaf = (...spec: string[]) => certificate('gate', 'ca', named, ...spec);

  test.each<[string, string[], string[]]>([
    ['an authority that keeps its key', [ca(keeps), leaf()], [`info TLS04 ${duration}`]],
    [
      'an authority that keeps its key by default',
      [ca(), leaf(), certManager('quay.io/jetstack/cert-manager-controller:v1.17.4')],
      [`info TLS04 ${duration}`],
    ],
    [
      "a server's for an operator's own kinds",
      [ofOwnKinds(injected('gate-system/ca')), ca(), leaf()],
      [`error TLS04 ${duration}`],
    ],
    [
      "a server's whose failures are ignored",
      [ignoring(injected('gate-system/ca')), ca(), leaf()],
      [`warning TLS04 ${duration}`],
    ],
    ['a day shorter', [ca('renewBefore: 745h'), leaf('duration: 721h')], []],
    ['not quite', [ca('renewBefore: 744h59m'), leaf('duration: 721h')], [`error TLS04 ${duration}`]],
    ['defaults of both', [ca(), leaf()], [`error TLS04 ${duration}`]],
    ['a third of the life of the authority', [ca('duration: 6552h'), leaf()], []],
    ['not quite a third', [ca('duration: 6551h'), leaf()], [`error TLS04 ${duration}`]],
    ['a percentage of it', [ca('duration: 10000h', 'renewBeforePercentage: 22'), leaf()], []],
    [
      'less of it',
      [ca('duration: 10000h', 'renewBeforePercentage: 21'), leaf()],
      [`error TLS04 ${duration}`],
    ],
    ['a duration that is none', [ca(), leaf('duration: 90 days')], []],
    ['a number', [ca(), leaf('duration: 90')], []],
    [
      'an authority elsewhere, of a webhook',
      [injected('gate-system/ca'), leaf()],
      [`info TLS04 ${duration}`],
    ],
    ['an authority elsewhere, of anything', [certificate('web', 'ca', 'dnsNames: [example.com]')], []],
    ['an issuer that is no CA', [injected('gate-system/gate'), issuer('ca', '{ vault: {} }'), leaf()], []],
    ['what is well made', [good], []],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS04', ...texts)).toEqual(expected);
  });

  test('the authority of a ClusterIssuer is found in whatever namespace it is', () => {
    const text = documents(
      certificate('ca', 'self-signed', 'isCA: true').replace(
        'namespace: gate-system',
        'namespace: cert-manager',
      ),
      issuer('ca', '{ ca: { secretName: ca-tls } }', 'ClusterIssuer'),
      leaf().replace('{ name: ca }', '{ name: ca, kind: ClusterIssuer }'),
    );
    const [finding] = lintText(text, { rules: ['TLS04'] });
    expect(finding!.message).toContain('its authority cert-manager/ca is renewed 720h before its end');
  });
});

describe('TLS05: the time that is left at a renewal', () => {
  const leaf = (...spec: string[]) => certificate('gate', 'ca', named, ...spec);

  test.each<[string, string, string[]]>([
    ['a day', leaf('renewBefore: 24h'), []],
    ['a minute less', leaf('renewBefore: 23h59m'), ['error TLS05 /spec/renewBefore']],
    ['a third of three days', leaf('duration: 72h'), []],
    ['a third of less', leaf('duration: 71h'), ['error TLS05 /spec/renewBefore']],
    [
      'ten percent of nine days',
      leaf('duration: 216h', 'renewBeforePercentage: 10'),
      ['error TLS05 /spec/renewBeforePercentage'],
    ],
    ['of ten days', leaf('duration: 240h', 'renewBeforePercentage: 10'), []],
    ['more than the life, which does not count', leaf('renewBefore: 9000h'), []],
    [
      'an authority',
      certificate('ca', 'self-signed', 'isCA: true', 'duration: 48h'),
      ['error TLS05 /spec/renewBefore'],
    ],
    [
      'what no webhook needs',
      certificate('mesh', 'ca', 'duration: 24h'),
      ['warning TLS05 /spec/renewBefore'],
    ],
    [
      'the same, for a webhook',
      documents(injected('gate-system/mesh'), certificate('mesh', 'ca', 'duration: 24h')),
      ['error TLS05 /spec/renewBefore'],
    ],
    ['a duration that is none', leaf('renewBefore: soon'), []],
  ])('%s', (_, text, expected) => {
    expect(found('TLS05', text)).toEqual(expected);
  });
});
