import { brief, lintText } from '../../lint-text';
import {
  authority,
  certificate,
  deployment,
  documents,
  injected,
  keeps,
  named,
  selfSigned,
  service,
  webhook,
} from './manifests';

const found = (rule: string, ...texts: readonly string[]): string[] =>
  brief(lintText(documents(...texts), { rules: [rule] }));

const from = injected('gate-system/ca');
const chain = documents(selfSigned, authority('ca', keeps));
const mounts = (...lines: string[]): string =>
  deployment(`{ name: server, volumeMounts: [${lines.join(', ')}] }`);
const directory = '{ name: tls, mountPath: /tls }';

describe('TLS06: the names and usages of a certificate', () => {
  const leaf = (...spec: string[]): string => certificate('gate', 'ca', ...spec);
  const names = 'error TLS06 /spec/dnsNames';

  test.each<[string, string[], string[]]>([
    ['its name', [from, chain, leaf(named)], []],
    ['a name for the whole namespace', [from, chain, leaf('dnsNames: ["*.gate-system.svc"]')], []],
    [
      'a name with the domain alone',
      [from, chain, leaf('dnsNames: [gate.gate-system.svc.cluster.local]')],
      [names],
    ],
    ['no name', [from, chain, leaf()], [names]],
    ['a common name, which is none', [from, chain, leaf('commonName: gate.gate-system.svc')], [names]],
    ['another name, injected from itself', [injected('gate-system/gate'), leaf('dnsNames: [gate]')], [names]],
    [
      'another name, as its pods use it',
      [from, chain, leaf('dnsNames: [gate]'), service, mounts(directory)],
      [names],
    ],
    [
      'another one beside the one with the name',
      [from, chain, leaf('dnsNames: [gate]'), certificate('other', 'ca', named)],
      [],
    ],
    [
      'a certificate of another authority, for something else',
      [from, chain, certificate('gate', 'elsewhere', 'dnsNames: [gate]'), service, mounts(directory)],
      [],
    ],
    [
      'another name, of several',
      [from, chain, leaf('dnsNames: [gate]'), certificate('other', 'ca', 'dnsNames: [other]')],
      ['warning TLS06 /webhooks/0/clientConfig/service'],
    ],
    ['a server', [from, chain, leaf(named, 'usages: [server auth]')], []],
    ['anything', [from, chain, leaf(named, 'usages: [any]')], []],
    [
      'a client',
      [from, chain, leaf(named, 'usages: [digital signature, client auth]')],
      ['error TLS06 /spec/usages'],
    ],
    ['neither', [from, chain, leaf(named, 'usages: [digital signature]')], ['warning TLS06 /spec/usages']],
    ['a certificate in another namespace', [from, chain, leaf().replace('gate-system', 'other')], []],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS06', ...texts)).toEqual(expected);
  });

  test('a server that several entries call is told once', () => {
    const other = from.replace('name: gate', 'name: more').replace('Mutating', 'Validating');
    expect(found('TLS06', from, other, chain, leaf())).toEqual([names]);
  });
});

describe('TLS09: how pods get the certificate', () => {
  const leaf = certificate('gate', 'ca', named);
  const parts = [from, chain, leaf, service];
  const mount = '/spec/template/spec/containers/0/volumeMounts/0';
  const env = (key: string): string =>
    deployment(
      `{ name: server, env: [{ name: CERT, valueFrom: { secretKeyRef: { name: gate-tls, key: ${key} } } }] }`,
      '[]',
    );
  const annotated = (text: string, key: string, value: string): string =>
    text.replace('namespace: gate-system }', `namespace: gate-system, annotations: { ${key}: '${value}' } }`);
  const once = mounts('{ name: tls, mountPath: /tls/tls.crt, subPath: tls.crt }');

  test.each<[string, string[], string[]]>([
    ['a directory', [...parts, mounts(directory)], []],
    ['a file', [...parts, once], [`error TLS09 ${mount}`]],
    [
      'a file of another Secret, which pods use as clients',
      [
        ...parts,
        certificate('client', 'ca', 'dnsNames: [client.example.com]'),
        deployment(
          `{ name: server, volumeMounts: [${directory}, { name: client, mountPath: /client.crt, subPath: tls.crt }] }`,
          '[{ name: tls, secret: { secretName: gate-tls } }, { name: client, secret: { secretName: client-tls } }]',
        ),
      ],
      [],
    ],
    [
      'a file, of pods with a checksum: a renewal changes no manifest',
      [...parts, once.replace('labels:', 'annotations: { checksum/tls: d667 }, labels:')],
      [`error TLS09 ${mount}`],
    ],
    [
      'a file, of pods that Reloader starts again',
      [...parts, annotated(once, 'reloader.stakater.com/auto', 'true')],
      [`info TLS09 ${mount}`],
    ],
    [
      'a file, of pods that Reloader starts again for it',
      [...parts, annotated(once, 'secret.reloader.stakater.com/reload', 'other, gate-tls')],
      [`info TLS09 ${mount}`],
    ],
    [
      'a file, of pods that Reloader starts again for another one',
      [...parts, annotated(once, 'secret.reloader.stakater.com/reload', 'other')],
      [`error TLS09 ${mount}`],
    ],
    [
      'a file, of pods that Reloader is to leave alone',
      [...parts, annotated(once, 'reloader.stakater.com/auto', 'false')],
      [`error TLS09 ${mount}`],
    ],
    ['a file by an expression', [...parts, once.replace('subPath', 'subPathExpr')], [`error TLS09 ${mount}`]],
    [
      'the CA alone as a file',
      [...parts, mounts('{ name: tls, mountPath: /ca.crt, subPath: ca.crt }', directory)],
      [],
    ],
    ['the environment', [...parts, env('tls.crt')], ['error TLS09 /spec/template/spec/containers/0/env/0']],
    ['the CA in the environment', [...parts, env('ca.crt')], []],
    [
      'all of it in the environment',
      [...parts, deployment('{ name: server, envFrom: [{ secretRef: { name: gate-tls } }] }', '[]')],
      ['error TLS09 /spec/template/spec/containers/0/envFrom/0'],
    ],
    ['a container that ends', [...parts, once.replace('containers:', 'initContainers:')], []],
    [
      'a container that starts first and stays',
      [
        ...parts,
        once
          .replace('containers:', 'initContainers:')
          .replace('{ name: server,', '{ name: server, restartPolicy: Always,'),
      ],
      ['error TLS09 /spec/template/spec/initContainers/0/volumeMounts/0'],
    ],
    ['without the Service', [from, chain, leaf, once], [`error TLS09 ${mount}`]],
    [
      'pods of another Service',
      [...parts, once.replace('app: gate', 'app: other')],
      [`error TLS09 ${mount}`],
    ],
    ['a Secret of another namespace', [...parts, once.replace('gate-system', 'other')], []],
    [
      'a Secret that no webhook needs',
      [webhook(), leaf.replace(/gate\.gate/, 'web.gate'), service.replace('gate-system', 'x'), once],
      [],
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS09', ...texts)).toEqual(expected);
  });
});
