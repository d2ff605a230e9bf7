import { X509Certificate } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import { createServer as tcpServer } from 'node:net';
import { createServer as tlsServer } from 'node:tls';
import { bundlePatch } from '../../../lib/core/certificates/ca-bundles';
import { readCertificates } from '../../../lib/core/certificates/x509';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { askByHandshake } from '../../../lib/core/tls';
import { checkGate, publishBundle, retireOldCa } from '../../../lib/operate/ca-rotation';
import type { Issued } from '../../manifests/certificates/issue';
import { base64, issue } from '../../manifests/certificates/issue';

const service = { name: 'gate', namespace: 'gate-system' };
const dnsNames = ['gate.gate-system.svc'];
const validity = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 3_600_000) };
let old: Issued;
let renewed: Issued;
let leaves: Record<'old' | 'renewed', Issued>;

beforeAll(async () => {
  old = await issue({ subject: 'gates-g1', isCa: true, ...validity });
  renewed = await issue({ subject: 'gates-g2', isCa: true, ...validity });
  const leaf = (signer: Issued) => issue({ subject: 'gate', signer, dnsNames, ...validity });
  leaves = { old: await leaf(old), renewed: await leaf(renewed) };
});

const target = () => ({
  old: new X509Certificate(old.certificate),
  renewed: new X509Certificate(renewed.certificate),
  services: [service],
});
const wroteAt = (time: number) => [
  { time: new Date(0).toISOString(), fieldsV1: { 'f:metadata': {} } },
  {
    time: new Date(time).toISOString(),
    fieldsV1: { 'f:webhooks': { 'f:clientConfig': { 'f:caBundle': {} } } },
  },
];
const longAgo = () => Date.now() - 2 * 3_600_000;

const configuration = (bundle: string, more: any = {}): any => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'gate', resourceVersion: '7', managedFields: wroteAt(longAgo()), ...more },
  webhooks: [
    { name: 'a.gate.example.com', clientConfig: { service, caBundle: base64(bundle) } },
    {
      name: 'b.gate.example.com',
      clientConfig: { service: { ...service, name: 'other' }, caBundle: 'b3RoZXI=' },
    },
    { name: 'c.gate.example.com', clientConfig: { url: 'https://gate.example.com', caBundle: 'b3RoZXI=' } },
  ],
});

const gateService = {
  kind: 'Service',
  metadata: service,
  spec: {
    ports: [
      { name: 'metrics', port: 80 },
      { name: 'https', port: 443 },
    ],
  },
};
const slice = {
  kind: 'EndpointSlice',
  metadata: { ...service, labels: {} },
  endpoints: [{ addresses: ['10.0.0.1'], targetRef: { name: 'gate-1' } }, { addresses: ['fd00::2'] }],
  ports: [
    { name: 'metrics', port: 9090 },
    { name: 'https', port: 9443 },
  ],
};

/** An API server with these objects; patches are noted, and applied where they are the objects' own fields. */
function cluster(objects: any[]) {
  const patches: any[] = [];
  const matches = (each: any, { kind, metadata }: any) =>
    each.kind === kind &&
    each.metadata.name === metadata.name &&
    each.metadata.namespace === metadata.namespace;
  const api: any = {
    list: ({ kind }: any, { namespace }: any) =>
      objects.filter(
        (each) => each.kind === kind && (namespace === undefined || each.metadata.namespace === namespace),
      ),
    get: (reference: any) => {
      const found = objects.find((each) => matches(each, reference));
      if (!found) {
        throw new KubernetesError('notFound', 'none');
      }
      return found;
    },
    patch: (reference: any, patch: any) => {
      patches.push(patch);
      const found = objects.find((each) => matches(each, reference));
      const { metadata: _, ...fields } = patch;
      return Object.assign(found, fields);
    },
  };
  return { api, patches };
}

const asking =
  (answers: Record<string, 'old' | 'renewed' | undefined>) =>
  ({ host, port, serverName }: any) => {
    expect([port, serverName]).toEqual([9443, 'gate.gate-system.svc']);
    const answer = answers[host];
    return Promise.resolve(answer && new X509Certificate(leaves[answer].certificate));
  };
const all = (which: 'old' | 'renewed') => asking({ '10.0.0.1': which, 'fd00::2': which });
const world = (bundle: string, more?: any) => cluster([configuration(bundle, more), gateService, slice]);

describe('the gate of publish', () => {
  const gate = (objects: any[], more = {}) =>
    checkGate(cluster(objects).api, 'publish', { ...target(), ...more }, () =>
      Promise.reject(new Error('asked a pod')),
    );

  test('is open where every bundle has held both for an hour, whatever holds it', async () => {
    const both = base64(old.certificate + renewed.certificate);
    const managedFields = wroteAt(longAgo());
    const report = await gate([
      configuration(old.certificate + renewed.certificate),
      { ...configuration(renewed.certificate + old.certificate), kind: 'ValidatingWebhookConfiguration' },
      {
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gates.example.com', managedFields },
        spec: { conversion: { webhook: { clientConfig: { service, caBundle: both } } } },
      },
      {
        kind: 'APIService',
        metadata: { name: 'v1.example.com', managedFields },
        spec: { service, caBundle: both },
      },
    ]);
    expect(report).toMatchObject({
      schemaVersion: 1,
      phase: 'publish',
      passed: true,
      blockers: [],
      pods: [],
    });
    expect(report.bundles.map(({ place, holds }) => `${place}: ${JSON.stringify(holds)}`)).toEqual([
      'MutatingWebhookConfiguration gate, webhook a.gate.example.com: ["old","renewed"]',
      'ValidatingWebhookConfiguration gate, webhook a.gate.example.com: ["renewed","old"]',
      'CustomResourceDefinition gates.example.com, conversion webhook: ["old","renewed"]',
      'APIService v1.example.com: ["old","renewed"]',
    ]);
  });

  test.each<[string, () => any, RegExp]>([
    ['one lacks the new authority', () => configuration(old.certificate), /does not hold the new authority/],
    [
      'one lacks the old authority',
      () => configuration(renewed.certificate),
      /does not hold the old authority/,
    ],
    ['one is empty', () => configuration(''), /does not hold/],
    [
      'one is no PEM',
      () => configuration('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
      /does not hold/,
    ],
    [
      'one was written a minute ago',
      () =>
        configuration(old.certificate + renewed.certificate, { managedFields: wroteAt(Date.now() - 60_000) }),
      /3540 s are left/,
    ],
    [
      'nobody says when it was written',
      () => configuration(old.certificate + renewed.certificate, { managedFields: undefined }),
      /3600 s are left/,
    ],
  ])('is shut where %s', async (_, object, why) => {
    const good = {
      ...configuration(old.certificate + renewed.certificate),
      kind: 'ValidatingWebhookConfiguration',
    };
    const report = await gate([good, object()]);
    expect(report.passed).toBe(false);
    expect(report.blockers.join('\n')).toMatch(why);
    expect(report.blockers.join('\n')).not.toMatch(/^Validating/m);
  });

  test('is shut where nothing calls the Service', async () => {
    expect((await gate([])).blockers).toEqual(['no CA bundle was seen']);
  });

  test('an authority of the same name and another key is another', async () => {
    const stranger = await issue({ subject: 'gates-g2', isCa: true, ...validity });
    const report = await gate([configuration(old.certificate + stranger.certificate)]);
    expect(report.passed).toBe(false);
    expect(report.bundles[0]!.holds).toEqual(['old', { other: 'CN=gates-g2' }]);
  });
});

describe('the gate of switch', () => {
  const gate = (ask: any, objects: any[] = [configuration(renewed.certificate), gateService, slice]) =>
    checkGate(cluster(objects).api, 'switch', target(), ask);

  test('is open where every pod serves what the new authority signed', async () => {
    expect(await gate(all('renewed'))).toMatchObject({
      passed: true,
      pods: [
        { name: 'gate-1 (10.0.0.1:9443)', signer: 'renewed' },
        { name: '[fd00::2]:9443', signer: 'renewed' },
      ],
    });
  });

  test.each<[string, any, RegExp]>([
    [
      'one serves the old certificate',
      asking({ '10.0.0.1': 'renewed', 'fd00::2': 'old' }),
      /fd00::2.*another authority/s,
    ],
    ['one does not answer', asking({ '10.0.0.1': 'renewed' }), /fd00::2.*did not answer/],
  ])('is shut where %s', async (_, ask, why) => {
    const report = await gate(ask);
    expect(report.passed).toBe(false);
    expect(report.blockers).toEqual([expect.stringMatching(why)]);
  });

  test('is shut where there is no pod', async () => {
    const empty = { ...slice, endpoints: null, ports: null };
    const report = await gate(all('renewed'), [configuration(renewed.certificate), gateService, empty]);
    expect(report.blockers).toEqual(['no pod was seen']);
  });

  test('can not be evaluated where the Service has not the port', async () => {
    const nothing = { ...gateService, spec: { ports: [{ port: 80 }] } };
    await expect(gate(all('renewed'), [nothing, slice])).rejects.toThrow(/Service gate-system\/gate.*443/s);
  });
});

describe('retiring', () => {
  const bundle = { namespace: 'gate-system', name: 'gates-g2-bundle' };
  const reference = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'gate' },
  };
  const retire = ({ api }: { api: any }, ask: any) =>
    retireOldCa(api, { ...target(), bundle, configurations: [reference] }, ask);

  test('writes the new authority alone, in one write, where the Service is called, and nowhere else', async () => {
    const both = world(old.certificate + renewed.certificate);
    expect(await retire(both, all('renewed'))).toMatchObject({ phase: 'retire', passed: true });
    expect(both.patches).toHaveLength(1);
    const [{ metadata, webhooks }] = both.patches;
    expect(metadata).toEqual({ resourceVersion: '7' });
    expect(
      readCertificates(Buffer.from(webhooks[0].clientConfig.caBundle, 'base64').toString()),
    ).toHaveLength(1);
    expect(webhooks.slice(1)).toEqual(configuration('').webhooks.slice(1));
    // Once more, there is nothing to write.
    expect(await retire(both, all('renewed'))).toMatchObject({ passed: true });
    expect(both.patches).toHaveLength(1);
  });

  test.each<[string, any, any, RegExp]>([
    [
      'a pod serves the old certificate',
      {},
      asking({ '10.0.0.1': 'old', 'fd00::2': 'renewed' }),
      /another authority/,
    ],
    [
      'it would be injected again',
      { annotations: { 'cert-manager.io/inject-ca-from-secret': 'gate-system/gates-g2-bundle' } },
      undefined,
      /still injected/,
    ],
  ])('writes nothing where %s', async (_, more, ask, why) => {
    const both = world(old.certificate + renewed.certificate, more);
    const report = await retire(both, ask ?? all('renewed'));
    expect(report).toMatchObject({ phase: 'switch', passed: false });
    expect(report.blockers.join()).toMatch(why);
    expect(both.patches).toEqual([]);
  });

  test('is not over while an object that was not named trusts the old authority', async () => {
    const forgotten = {
      ...configuration(old.certificate + renewed.certificate),
      kind: 'ValidatingWebhookConfiguration',
    };
    const objects = cluster([configuration(renewed.certificate), forgotten, gateService, slice]);
    const report = await retire(objects, all('renewed'));
    expect(report).toMatchObject({ phase: 'retire', passed: false });
    expect(report.blockers).toEqual([expect.stringMatching(/^Validating.*still holds the old/s)]);
  });

  test.each<[string, any, any]>([
    [
      'a conversion webhook',
      { kind: 'CustomResourceDefinition', spec: { conversion: { webhook: { clientConfig: { service } } } } },
      { spec: { conversion: { webhook: { clientConfig: { caBundle: 'bmV3' } } } } },
    ],
    ['an APIService', { kind: 'APIService', spec: { service } }, { spec: { caBundle: 'bmV3' } }],
    ["another's", { kind: 'APIService', spec: { service: { ...service, name: 'other' } } }, undefined],
  ])('the patch of %s', (_, object, patch) => {
    const found = bundlePatch({ ...object, metadata: { name: 'x', resourceVersion: '7' } }, [service], 'new');
    expect(found).toEqual(patch && { metadata: { resourceVersion: '7' }, ...patch });
  });
});

describe('the Secret with both authorities', () => {
  const secret = (annotations: any) => ({
    kind: 'Secret',
    metadata: { name: 'bundle', namespace: 'gate-system', annotations },
  });
  const name = { name: 'bundle', namespace: 'gate-system' };

  test('holds both, and no key', async () => {
    const { api, patches } = cluster([secret({ 'cert-manager.io/allow-direct-injection': 'true' })]);
    await publishBundle(api, name, target());
    const text = Buffer.from(patches[0].data['ca.crt'], 'base64').toString();
    expect(readCertificates(text).map(({ subject }) => subject)).toEqual(['CN=gates-g1', 'CN=gates-g2']);
    expect(text).not.toMatch(/PRIVATE/);
    expect(Object.keys(patches[0].data)).toEqual(['ca.crt']);
  });

  test('that the injector would not read is told', async () => {
    const { api } = cluster([secret({})]);
    await expect(publishBundle(api, name, target())).rejects.toThrow(/allow-direct-injection/);
  });
});

describe('the handshake', () => {
  let server: Server | undefined;
  const sockets: Socket[] = [];
  afterEach(async () => {
    const closed = new Promise((done) => server?.close(done));
    sockets.splice(0).forEach((socket) => socket.destroy());
    await closed;
  });
  const listen = (created: Server) =>
    new Promise<number>((done) => {
      created.on('connection', (socket: Socket) => sockets.push(socket));
      server = created.listen(0, '127.0.0.1', () => done((created.address() as { port: number }).port));
    });
  const at = (port: number) => ({ host: '127.0.0.1', port, serverName: 'gate.gate-system.svc' });

  test('shows what is served, trusted or not, for the name that is asked', async () => {
    const names: string[] = [];
    const port = await listen(
      tlsServer(
        {
          cert: leaves.old.certificate,
          key: leaves.old.key,
          SNICallback: (name, done) => {
            names.push(name);
            done(null);
          },
        },
        (socket) => socket.on('error', () => undefined),
      ),
    );
    const served = await askByHandshake(at(port));
    expect(served?.fingerprint256).toBe(new X509Certificate(leaves.old.certificate).fingerprint256);
    expect(names).toEqual(['gate.gate-system.svc']);
  });

  test('that fails shows nothing', async () => {
    const port = await listen(tcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await askByHandshake(at(port))).toBeUndefined();
  });

  test('ends with the signal', async () => {
    const port = await listen(tcpServer(() => undefined));
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(askByHandshake(at(port), controller.signal)).rejects.toThrow('enough');
  });
});
