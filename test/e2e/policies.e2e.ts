import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import { App, Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import type { WebhookRule } from '../../lib/core/admission/requests';
import { systemNamespaces } from '../../lib/core/admission/requests';
import { WebhookCertificate } from '../../lib/manifests/certificates';
import type { ValidatingPolicyProps } from '../../lib/manifests/webhooks';
import {
  ApiService,
  asPolicy,
  ConversionWebhook,
  ValidatingPolicy,
  validatingPolicyProblems,
} from '../../lib/manifests/webhooks';
import { validatingPolicies } from '../manifests/webhooks/policy-space';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import { freePort } from './bench/temporary';
import { serviceAddress, WebhookServer } from './bench/webhook-server';

let plane: ControlPlane;
let created = 0;

/** What becomes of a pod: `created`, or why it was refused. */
async function attempt(
  namespace: string,
  image: string,
  labels: Record<string, string> = {},
): Promise<string> {
  created += 1;
  return plane.api
    .create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${created}`, namespace, labels },
      spec: { containers: [{ name: 'main', image }] },
    })
    .then(
      () => 'created',
      (error: Error) => error.message,
    );
}

const pods: WebhookRule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
};
const own = 'registry.example.com/main:1';
const foreign = 'other.example.com/main:1';
const optIn = { 'example.com/images': 'checked' };

beforeAll(async () => {
  plane = await controlPlane({ nodes: 1, certManager: true });
});

describe('a validating policy, with no server anywhere', () => {
  let objects: KubernetesObject[] = [];
  const install = async (props: ValidatingPolicyProps) => {
    const chart = new Chart(new App(), 'policy');
    new ValidatingPolicy(chart, 'policy', props);
    objects = Testing.synth(chart);
    expect(objects.map(({ kind }) => kind)).toEqual([
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
    await plane.apply(objects);
  };
  afterEach(async () => {
    for (const each of objects.reverse()) {
      await plane.api.delete(each);
    }
    await eventually('gone', async () => (await attempt('default', foreign, optIn)) === 'created');
  });
  const expression = 'object.spec.containers.all(c, c.image.startsWith("registry.example.com/"))';
  const validations = [{ expression, message: 'images must come from registry.example.com' }];
  const refused =
    /ValidatingAdmissionPolicy '[a-z]+.images.example.com'.*denied request: images must come from/;
  const images = { rules: [pods], kubernetesVersion: '1.35' };

  test('of the intent security evaluates every pod outside of the system namespaces', async () => {
    await install({
      ...images,
      ...{ name: 'all.images.example.com', intent: 'security', validations },
      exemptNamespaces: ['cert-manager'],
    });
    await eventually('refused', async () => refused.test(await attempt('default', foreign)));
    expect(await attempt('default', foreign, optIn)).toMatch(refused);
    expect(await attempt('default', own)).toBe('created');
    for (const namespace of [...systemNamespaces, 'cert-manager']) {
      expect([namespace, await attempt(namespace, foreign)]).toEqual([namespace, 'created']);
    }
  });

  test('in place of a required webhook evaluates pods that opted in, and no others', async () => {
    const webhook = {
      ...({ name: 'asked.images.example.com', rules: [pods], intent: 'required', optIn } as const),
      service: { name: 'images', namespace: 'images-system' },
      caInjection: { annotations: { 'cert-manager.io/inject-ca-from': 'images-system/images-ca-g1' } },
    };
    await install(asPolicy(webhook, { validations, kubernetesVersion: '1.35' }));
    await eventually('refused', async () => refused.test(await attempt('default', foreign, optIn)));
    expect(await attempt('default', own, optIn)).toBe('created');
    expect(await attempt('default', foreign)).toBe('created');
    expect(await attempt('kube-system', foreign, optIn)).toBe('created');
  });

  test('whose parameters are missing refuses or not, as the intent says, and follows them when they are there', async () => {
    const withParams: Omit<ValidatingPolicyProps, 'intent'> = {
      name: 'set.images.example.com',
      ...images,
      optIn,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      paramRef: { name: 'images', namespace: 'default' },
      variables: [
        { name: 'registry', expression: '"registry" in params.data ? params.data["registry"] : "none/"' },
      ],
      validations: [
        {
          expression: 'object.spec.containers.all(c, c.image.startsWith(variables.registry))',
          messageExpression: '"images must come from " + string(variables.registry)',
        },
      ],
      auditAnnotations: [{ key: 'registry', valueExpression: 'string(variables.registry)' }],
    };
    await install({ ...withParams, intent: 'required' });
    await eventually('refused', async () => /no params found/.test(await attempt('default', own, optIn)));
    expect(await attempt('default', own)).toBe('created');
    await plane.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'images', namespace: 'default' },
      data: { registry: 'registry.example.com/' },
    });
    await eventually('accepted', async () => (await attempt('default', own, optIn)) === 'created');
    expect(await attempt('default', foreign, optIn)).toMatch(refused);

    await install({ ...withParams, intent: 'convenience' });
    await eventually('warned', async () => (await attempt('default', foreign, optIn)) === 'created');
  });
});

test('every policy of the option space is accepted by the API server', async () => {
  let accepted = 0;
  for (const props of fc.sample(validatingPolicies, { numRuns: 300, seed: 6 })) {
    if (validatingPolicyProblems(props).length === 0) {
      const chart = new Chart(new App(), 'policy');
      new ValidatingPolicy(chart, 'policy', props);
      for (const each of Testing.synth(chart)) {
        await plane.api.create(each, { dryRun: true });
      }
      accepted += 1;
    }
  }
  expect(accepted).toBeGreaterThan(50);
});

describe('what is called behind an injected CA', () => {
  const service = { name: 'kinds', namespace: 'kinds-system' };
  const group = 'kinds.example.com';
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            host: { type: 'string' },
            hosts: { type: 'array', items: { type: 'string' } },
          },
        },
      },
    },
  };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gateways.${group}` },
    spec: {
      group,
      names: { kind: 'Gateway', plural: 'gateways', singular: 'gateway' },
      scope: 'Namespaced',
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    },
  };
  const gateway = (version: string, name: string, spec: object): KubernetesObject => ({
    apiVersion: `${group}/${version}`,
    kind: 'Gateway',
    metadata: { name, namespace: 'default' },
    spec,
  });
  let objects: KubernetesObject[];
  let server: Server;
  let port: number;

  /** `host` of v1 is `hosts` of v2. */
  const convert = (object: any, apiVersion: string): object => {
    const { host, hosts = host === undefined ? [] : [host] } = object.spec;
    return { ...object, apiVersion, spec: apiVersion.endsWith('/v1') ? { host: hosts[0] } : { hosts } };
  };
  const respond = (path: string, body: string): object => {
    if (path === '/convert') {
      const { request, ...review } = JSON.parse(body);
      const convertedObjects = request.objects.map((each: object) =>
        convert(each, request.desiredAPIVersion),
      );
      return {
        ...review,
        response: { uid: request.uid, convertedObjects, result: { status: 'Success' } },
      };
    }
    const things = {
      name: 'things',
      kind: 'Thing',
      singularName: 'thing',
      namespaced: true,
      verbs: ['list'],
    };
    return path.endsWith('/things')
      ? { apiVersion: 'things.example.com/v1', kind: 'ThingList', items: [{ metadata: { name: 'one' } }] }
      : {
          apiVersion: 'v1',
          kind: 'APIResourceList',
          groupVersion: 'things.example.com/v1',
          resources: [things],
        };
  };
  const start = async (): Promise<void> => {
    const { cert, key } = await eventually('certificate', async () => {
      const found = await plane.api.find({
        ...{ apiVersion: 'v1', kind: 'Secret' },
        metadata: { name: 'kinds-webhook', namespace: service.namespace },
      });
      const text = (name: string) => Buffer.from(found?.['data']?.[name] ?? '', 'base64').toString();
      return text('tls.crt') !== '' && { cert: text('tls.crt'), key: text('tls.key') };
    });
    server = createServer({ cert, key }, (incoming: IncomingMessage, response) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('end', () => {
        const { pathname } = new URL(incoming.url!, 'https://kinds');
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(respond(pathname, Buffer.concat(parts).toString())));
      });
    });
    onCleanUp(() => void server.close());
    await new Promise<void>((done, fail) => {
      server.once('error', fail).listen(port, serviceAddress, done);
    });
  };

  beforeAll(async () => {
    const chart = new Chart(new App(), 'kinds');
    const certificate = new WebhookCertificate(chart, 'certificate', { service });
    const pair = { podLabels: { app: 'kinds' }, replicas: 2 };
    new ConversionWebhook(chart, 'conversion', {
      ...{ definition, certificate, server: pair },
      service: { ...service, path: '/convert' },
    });
    new ApiService(chart, 'things', {
      ...{ group: 'things.example.com', version: 'v1', service, certificate, server: pair },
    });
    objects = Testing.synth(chart);
    expect(JSON.stringify(objects)).not.toContain('caBundle');
    expect(objects.filter(({ kind }) => kind === 'PodDisruptionBudget')).toHaveLength(1);
    port = await freePort();
    const address = new WebhookServer({ keyPair: { certificate: '', key: '' } }, serviceAddress, port);
    await plane.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: service.namespace } },
      ...objects,
      ...address.service(service.name, service.namespace),
    ]);
    // With another CA the API server serves the kind anew, and requests that are under way are answered with 503.
    await eventually('the CA is injected', async () => {
      const { spec } = await plane.api.get(objects.find(({ kind }) => kind === 'CustomResourceDefinition')!);
      return spec.conversion.webhook.clientConfig.caBundle;
    });
  });

  test('while the server is down, objects are there only in the version that is stored', async () => {
    await eventually('served anew', () =>
      plane.api.create(gateway('v1', 'first', { host: 'a.example.com' })),
    );
    await expect(plane.api.get(gateway('v2', 'first', {}))).rejects.toThrow(/conversion webhook .*failed/);
    await expect(plane.api.create(gateway('v2', 'second', { hosts: ['b.example.com'] }))).rejects.toThrow(
      /conversion webhook .*failed/,
    );
    expect((await plane.api.get(gateway('v1', 'first', {})))['spec']).toEqual({ host: 'a.example.com' });
  });

  test('a conversion webhook converts both ways', async () => {
    await start();
    const { spec } = await eventually('converted', () => plane.api.get(gateway('v2', 'first', {})));
    expect(spec).toEqual({ hosts: ['a.example.com'] });
    await plane.api.create(gateway('v2', 'second', { hosts: ['b.example.com'] }));
    expect((await plane.api.get(gateway('v1', 'second', {})))['spec']).toEqual({ host: 'b.example.com' });
    const stored = await plane.api.get(objects.find(({ kind }) => kind === 'CustomResourceDefinition')!);
    const { caBundle } = stored['spec'].conversion.webhook.clientConfig;
    expect(Buffer.from(caBundle, 'base64').toString()).toContain('BEGIN CERTIFICATE');
  });

  test('an aggregated API becomes available, and is served through the API server', async () => {
    const apiService = objects.find(({ kind }) => kind === 'APIService')!;
    await eventually('available', async () => {
      const { status } = await plane.api.get(apiService);
      return (status?.conditions ?? []).some(
        ({ type, status: state }: { type: string; status: string }) =>
          type === 'Available' && state === 'True',
      );
    });
    const { spec } = await plane.api.get(apiService);
    expect(spec.insecureSkipTLSVerify ?? false).toBe(false);
    expect(spec.caBundle).toBeDefined();
    const list = await plane.api.call('GET', '/apis/things.example.com/v1/namespaces/default/things');
    expect(list.items).toEqual([{ metadata: { name: 'one' } }]);
  });
});
