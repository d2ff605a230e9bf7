import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PolicyEvent, ProjectSettings, PulumiFn } from '@pulumi/pulumi/automation';
import * as kubernetes from '@pulumi/kubernetes';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import type { Moto } from './bench/moto';
import { outcome } from './bench/pulumi-outcome';
import { pluginSettings } from './bench/pulumi-providers';
import type { PulumiStack } from './bench/pulumi-stack';
import { pulumiStack } from './bench/pulumi-stack';
import { temporaryFolder } from './bench/temporary';

const root = resolve(__dirname, '../..');

let plane: ControlPlane;
let stack: PulumiStack;
let pack: string;

beforeAll(async () => {
  plane = await controlPlane();
  await plane.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gate-system' } }]);
  // No program here has anything of AWS.
  const aws = { env: {}, settings: { region: 'eu-west-1' } } as unknown as Moto;
  stack = await pulumiStack(() => Promise.resolve(), { aws });
  pack = packFolder();
  const { providers } = pluginSettings() as { providers: object[] };
  // Without a language host, the engine starts a pack of Node.js by a program of this name.
  const analyzers = [{ name: 'policy-nodejs', path: analyzerFolder() }];
  const settings = { name: 'e2e', runtime: 'nodejs', plugins: { providers, analyzers } };
  await stack.stack.workspace.saveProjectSettings(settings as ProjectSettings);
});

/** A pack as a user writes it. */
function packFolder(): string {
  const folder = temporaryFolder('pack');
  const program = [
    "const { RulesPolicyPack } = require('cluster-canary/policy-pack');",
    "new RulesPolicyPack('cluster-canary');",
  ];
  writeFileSync(join(folder, 'PulumiPolicy.yaml'), 'runtime: nodejs\n');
  writeFileSync(join(folder, 'package.json'), '{"name":"pack","version":"1.2.3","main":"index.js"}');
  writeFileSync(join(folder, 'index.js'), program.join('\n'));
  return folder;
}

/** Runs the SDK's own runner of packs, as the program that comes with Pulumi does, on the sources of the library. */
function analyzerFolder(): string {
  const folder = temporaryFolder('analyzers');
  const runner = join(root, 'node_modules/@pulumi/pulumi/cmd/run-policy-pack');
  // The runner would translate the sources once more, by settings of its own.
  const once = join(folder, 'once.js');
  writeFileSync(once, `require('${join(root, 'node_modules/ts-node')}').register = () => undefined;\n`);
  const lines = [
    '#!/bin/sh',
    `export NODE_OPTIONS="$CLUSTER_CANARY_E2E_NODE_OPTIONS --require=${once}" NODE_NO_WARNINGS=1`,
    `exec '${process.execPath}' '${runner}' "$@"`,
  ];
  writeFileSync(join(folder, 'pulumi-analyzer-policy-nodejs'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return folder;
}

interface Evaluated {
  readonly succeeded: boolean;
  /** `LEVEL POLICY RESOURCE`, each once. */
  readonly violations: readonly string[];
  readonly events: readonly PolicyEvent[];
  readonly log: string;
}

/** Runs the engine with the pack. */
async function evaluated(
  operation: 'preview' | 'up',
  program: PulumiFn,
  config?: Readonly<Record<string, unknown>>,
): Promise<Evaluated> {
  const events: any[] = [];
  let log = '';
  const write = (text: string) => void (log += text);
  const configuration = join(temporaryFolder('configuration'), 'configuration.json');
  writeFileSync(configuration, JSON.stringify(config ?? {}));
  const options = {
    program,
    policyPacks: [pack],
    policyPackConfigs: [configuration],
    onEvent: (event: unknown) => void events.push(event),
    ...{ onOutput: write, onError: write, color: 'never' as const },
  };
  const { succeeded } = await stack.stack[operation](options).then(
    () => outcome(true, log, events),
    (error: Error) => outcome(false, `${log}\n${error.message}`, events),
  );
  const found = events.flatMap(({ policyEvent }) => (policyEvent as PolicyEvent | undefined) ?? []);
  const texts = found.map(
    ({ enforcementLevel, policyName, resourceUrn }) =>
      `${enforcementLevel} ${policyName} ${resourceUrn?.split('::').at(-1)}`,
  );
  return { succeeded, violations: [...new Set(texts)].sort(), events: found, log };
}

const namespace = 'gate-system';
const labels = { app: 'gate' };

/** A webhook with its server; all but the parts that are given is in order. */
function gate(
  webhook: object,
  deployment: { labels?: (options: any) => any; replicas?: number } = {},
): PulumiFn {
  return () => {
    const provider = new kubernetes.Provider('cluster', { kubeconfig: JSON.stringify(plane.kubeconfig) });
    const options = { provider };
    new kubernetes.core.v1.Service(
      'service',
      {
        metadata: { name: 'gate', namespace },
        spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
      },
      options,
    );
    new kubernetes.apps.v1.Deployment(
      'server',
      {
        metadata: { name: 'gate', namespace },
        spec: {
          replicas: deployment.replicas ?? 2,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels: deployment.labels?.(options) ?? labels },
            spec: {
              containers: [
                {
                  name: 'gate',
                  image: 'registry.example.com/gate:1.0.0',
                  ports: [{ containerPort: 8443 }],
                  readinessProbe: { tcpSocket: { port: 8443 } },
                },
              ],
            },
          },
        },
      },
      options,
    );
    new kubernetes.policy.v1.PodDisruptionBudget(
      'budget',
      {
        metadata: { name: 'gate', namespace },
        spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
      },
      options,
    );
    new kubernetes.admissionregistration.v1.ValidatingWebhookConfiguration(
      'gate',
      {
        metadata: { name: 'gate' },
        webhooks: [
          {
            name: 'gate.example.com',
            clientConfig: { service: { name: 'gate', namespace, path: '/validate' } },
            failurePolicy: 'Ignore',
            objectSelector: { matchLabels: { 'example.com/gate': 'enabled' } },
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            timeoutSeconds: 3,
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
            ...webhook,
          },
        ],
      },
      options,
    );
    return Promise.resolve();
  };
}

const everything = [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['v1'], resources: ['*'] }];
const configurations = async () =>
  (await plane.api.list('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')).map(
    ({ metadata }) => metadata.name,
  );

test('a rule over one object refuses it before it is made, preview or not', async () => {
  const { succeeded, violations, events } = await evaluated(
    'up',
    gate({ failurePolicy: 'Fail', objectSelector: {}, rules: everything }),
  );
  expect(succeeded).toBe(false);
  expect(violations).toEqual(['mandatory WH01 gate']);
  expect(events[0]!.message).toMatch(
    /^Catch-all rule with Fail\nerror {2}WH01 {2}webhook gate.example.com \(Fail\) matches resources \* of every API group\n +ValidatingWebhookConfiguration gate \/webhooks\/0\/rules\/0\/apiGroups\/0\n +why: .*\n +fix: .*\n +docs\/rules\.md#wh01/,
  );
  expect(events[0]).toMatchObject({ policyPackName: 'cluster-canary', policyPackVersion: '1.2.3' });
  expect(await configurations()).toEqual([]);
});

test('rules over several objects refuse a preview', async () => {
  const wrong = gate({ failurePolicy: 'Fail', objectSelector: {} }, { replicas: 1 });
  const { succeeded, violations } = await evaluated('preview', wrong);
  expect(succeeded).toBe(false);
  expect(violations).toEqual([
    'advisory WH12 server',
    ...['WH03', 'WH04', 'WH06'].map((rule) => `mandatory ${rule} gate`),
  ]);
});

test('configuration of the pack goes before its own', async () => {
  const wrong = gate({ failurePolicy: 'Fail', objectSelector: {} });
  const { succeeded, violations } = await evaluated('preview', wrong, { all: 'advisory', WH03: 'disabled' });
  expect(succeeded).toBe(true);
  expect(violations).toContain('advisory WH06 gate');
  expect(violations.join()).not.toContain('WH03');
});

test('a value that only the update knows is no finding', async () => {
  const late = (options: any) =>
    new kubernetes.core.v1.Service('late', { metadata: { namespace }, spec: { selector: labels } }, options);
  const program = gate(
    {},
    { labels: (options) => ({ ...labels, late: late(options).status.apply(() => 'known') }) },
  );
  const { succeeded, violations, events } = await evaluated('preview', program);
  expect([succeeded, violations]).toEqual([true, ['advisory not-evaluated e2e-dev']]);
  expect(events[0]!.message).toContain('/spec/template/metadata/labels/late of server');
});

test('what is in order goes up', async () => {
  const { succeeded, violations, log } = await evaluated('up', gate({}));
  expect([log, succeeded, violations]).toEqual([log, true, []]);
  expect(await configurations()).toEqual(['gate']);
  expect(await evaluated('up', gate({}))).toMatchObject({ succeeded: true, violations: [] });
});
