import { setTimeout as sleep } from 'node:timers/promises';
import { readCertificates } from '../../lib/core/certificates/x509';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesApi } from './bench/kubernetes-api';
import type { MountedWebhook } from './bench/mounted-webhook';
import { mountedWebhook } from './bench/mounted-webhook';
import { countText, PodStream } from './bench/pod-stream';
import { configuration, manifests, optIn, rotation, RekeyWorld, service } from './bench/ca-rotation-world';
import { secondApiServer } from './bench/second-api-server';

/** The kubelets' delay of a minute or so, in short: each pod has its own. */
const delays = [1_000, 2_500];
const leaf = `${service.name}-webhook`;

describe.each([
  ['with merging, as by default', true],
  ['without merging', false],
])('cert-manager %s', (title, merging) => {
  let plane: ControlPlane;
  let apis: KubernetesApi[];
  let world: RekeyWorld;
  let webhook: MountedWebhook;
  let stream: PodStream;
  let streams = 0;
  let tries = 0;

  const start = () => {
    streams += 1;
    stream = new PodStream({ apis, name: `stream-${streams}`, labels: optIn });
  };
  const subjects = async () => readCertificates(await world.bundle()).map(({ subject }) => subject);
  const sortedSubjects = async () => [...new Set(await subjects())].sort();
  /** Ends a part of the stream that may have no refusal, and begins the next one. */
  const without = async (what: string) => {
    const count = await stream.stop();
    process.stdout.write(`\n${countText(`${what}, ${title}`, count)}`);
    expect(count.refusals).toEqual(new Map());
    expect(count.tries).toBeGreaterThan(20);
    tries += count.tries;
    start();
  };
  /** All pods serve what the Secret holds now. */
  const served = async () => {
    const current = await world.secret(leaf);
    await eventually('served by every pod', () => webhook.pods.every(({ serving }) => serving === current));
    await sleep(500);
  };
  const gate = (phase: string, generation: number, settleTime = '2s') =>
    rotation(
      [
        ...[
          'check',
          phase,
          '--namespace',
          service.namespace,
          '--name',
          'gates',
          '--generation',
          String(generation),
        ],
        ...['--service', `${service.namespace}/${service.name}`, '--settle-time', settleTime, '--json'],
      ],
      plane.kubeconfigFile,
    );

  beforeAll(async () => {
    plane = await controlPlane({ nodes: 1, certManager: { featureGates: { CAInjectorMerging: merging } } });
    apis = [plane.api, await secondApiServer(plane)];
    world = new RekeyWorld(plane);
    await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: service.namespace } });
    await world.deploy({ generation: 1 });
    await eventually('injected', async () => (await subjects()).length > 0);
    webhook = await mountedWebhook({ api: plane.api, service, secretName: leaf, delays });
    // API servers learn of the Service by watching.
    await eventually('called by both', async () => {
      start();
      await sleep(500);
      const { tries, created } = await stream.stop();
      return tries > 5 && tries === created;
    });
  });
  afterEach(() => stream.stop());

  test('through renewals and a CA rotation no pod is refused', async () => {
    const calls = () => webhook.pods.map((pod) => pod.calls);
    const before = calls();
    start();

    // The server's certificate is renewed, with a new key.
    await world.renew(leaf);
    await served();
    await without("the server's certificate renewed");

    // The authority is renewed, under the same key; then again what it signs.
    await world.renew('gates-g1');
    await eventually('injected anew', async () =>
      (await world.bundle()).includes((await world.secret('gates-g1')).trim()),
    );
    await world.renew(leaf);
    await served();
    await without('the authority renewed under its key');

    // Publish.
    expect(await world.deploy({ generation: 2, phase: 'publish' })).toEqual([
      {
        status: 0,
        document: { namespace: service.namespace, name: 'gates-g2-bundle' },
        message: 'The Secret gate-system/gates-g2-bundle holds both authorities.\n',
      },
    ]);
    const both = ['CN=gates-g1', 'CN=gates-g2'];
    await eventually('both', async () => (await sortedSubjects()).join() === both.join());

    // What merging remembers is lost: the webhook is made again, first so that it stops nothing.
    const made = manifests({ generation: 2, phase: 'publish' }).find(
      ({ kind }) => kind === configuration.kind,
    )!;
    await plane.api.delete(configuration);
    await plane.apply({ ...made, webhooks: [{ ...made['webhooks'][0], failurePolicy: 'Ignore' }] });
    await eventually('injected again', async () => (await subjects()).length > 0);
    expect(await sortedSubjects()).toEqual(both);
    await plane.apply(made);

    // A commit that comes too soon is not applied: the gate of `publish` waits for the hour.
    const early = await gate('publish', 2, '10m');
    expect(early).toMatchObject({ status: 1, document: { passed: false } });
    expect(early.document.blockers.join()).toMatch(/changed a short time ago/);

    // Switch.
    const [published] = await world.deploy({ generation: 2, phase: 'switch' });
    expect(published).toMatchObject({ status: 0, document: { phase: 'publish', passed: true } });
    const switching = await gate('switch', 2);
    expect(switching).toMatchObject({ status: 1, document: { passed: false } });
    expect(switching.document.pods.map(({ signer }: { signer: string }) => signer)).toContain('old');

    // Retire: its Jobs wait for the pods.
    const retired = await world.deploy({ generation: 2, phase: 'retire' });
    expect(retired).toMatchObject([
      {
        status: 0,
        document: { phase: 'switch', passed: true, pods: [{ signer: 'renewed' }, { signer: 'renewed' }] },
      },
      { status: 0, document: { phase: 'retire', passed: true } },
    ]);
    expect(await subjects()).toEqual(['CN=gates-g2']);
    await world.deploy({ generation: 2 });
    await world.renew(leaf);
    await served();
    expect(await subjects()).toEqual(['CN=gates-g2']);

    await without('the key changed in three phases, the webhook made again between two of them');
    expect(tries).toBeGreaterThan(200);
    // Both pods had their share of it.
    calls().forEach((each, index) => expect(each - before[index]!).toBeGreaterThan(50));
  });

  // Once is enough.
  if (!merging) {
    return;
  }
  test('with the gate of switch dropped, pods are refused', async () => {
    await world.deploy({ generation: 3, phase: 'publish' });
    await eventually('published', async () => (await gate('publish', 3)).status === 0);
    await world.deploy({ generation: 3, phase: 'switch' });
    start();
    // What the Job of `retire` would not do yet: a pod still serves the old certificate.
    const caBundle = Buffer.from(await world.secret('gates-g3')).toString('base64');
    const [made] = manifests({ generation: 3 }).filter(({ kind }) => kind === configuration.kind);
    await plane.apply({
      ...made!,
      webhooks: [
        { ...made!['webhooks'][0], clientConfig: { ...made!['webhooks'][0].clientConfig, caBundle } },
      ],
    });
    await served();
    const count = await stream.stop();
    process.stdout.write(`\n${countText(`without the gate of switch, ${title}`, count)}`);
    expect(count.tries - count.created).toBeGreaterThan(0);
    for (const reason of count.refusals.keys()) {
      expect(reason).toMatch(/x509: certificate signed by unknown authority/);
    }
  });
});
