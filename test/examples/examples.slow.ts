import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { modelErrors } from './models';
import { crdErrors, definitionsAtHand } from './shared-crds';

const root = resolve(__dirname, '../..');
const cli = join(root, 'dist/cli/main.js');
const folders: string[] = [];
const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-example-'));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Runs the command as a user would, from the root of a checkout. */
function preview(...args: string[]): string {
  return execFileSync(process.execPath, [cli, 'preview', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function objectsBelow(folder: string): any[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml') && !/(^|\/)release-/.test(file))
    .flatMap((file) =>
      (parseAllDocuments(readFileSync(join(folder, file), 'utf8')) as any[]).map((each) => each.toJS()),
    )
    .filter((object) => object !== null);
}

/** A value that only a deployment knows, or a secret, fits no schema: what holds it is left out. */
function known(object: any): any {
  const { stringData: _, ...rest } = object;
  return object.kind === 'Secret' ? rest : object;
}

test('a field that does not belong, or has the wrong type, is found', () => {
  const wrong = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'x' },
    spec: { generators: 'all', template: {} },
  };
  expect(modelErrors([wrong]).join()).toMatch(/generators/);
  const found = crdErrors([
    {
      ...wrong,
      spec: {
        generators: [],
        template: { metadata: {}, spec: { destination: {}, project: 'p' } },
        nonsense: 1,
      },
    },
  ]);
  expect(found.join()).toMatch(definitionsAtHand ? /nonsense/ : /^$/);
});

/** Manifests of examples/fleet, as its preview writes them. */
const fleetManifests = temporaryFolder();
let fleetTree: string;
beforeAll(() => {
  fleetTree = preview('examples/fleet', '--out', fleetManifests);
});

describe('examples/fleet', () => {
  test('shows the whole fleet as a tree, and writes the manifests of each cluster', () => {
    for (const line of [
      /cluster-canary:fleet:ClusterFleet {2}apps/,
      /cluster-canary:fleet:ClusterSlot {2}apps-blue/,
      /eks:index:Cluster {2}apps-green {2}version 1\.36/,
      /aws:eks:NodeGroup {2}apps-blue-nodes {2}2 to 6 nodes, m7i\.large/,
      /aws:lb:TargetGroup {2}apps-green-web {2}HTTP 9898, targets ip/,
      /aws:lb:ListenerRule {2}apps-web {2}apps-blue-web 100, apps-green-web 0/,
      /cluster-canary:hubs:ArgoCdHub {2}argocd/,
      /kubernetes:helm\.sh\/v3:Release {2}argocd-blue-argocd {2}chart argo-cd, 10\.1\.1/,
      /argoproj\.io\/v1alpha1:ApplicationSet/,
      /MutatingWebhookConfiguration/,
      /cert-manager\.io\/v1:Certificate/,
    ]) {
      expect(fleetTree).toMatch(line);
    }
    expect(
      readdirSync(fleetManifests)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['apps-blue', 'apps-green', 'hub-blue']);
  });

  test('all its objects fit their schemas', () => {
    const objects = objectsBelow(fleetManifests).map(known);
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      new Set([
        'AppProject',
        'ApplicationSet',
        'Certificate',
        'Issuer',
        'MutatingWebhookConfiguration',
        'Namespace',
        'Secret',
        'TargetGroupBinding',
      ]),
    );
    expect(modelErrors(objects)).toEqual([]);
    expect(crdErrors(objects)).toEqual([]);
  });

  test('the preview is one JSON document, in proportion: the same for blue and green', () => {
    const plan = JSON.parse(preview('examples/fleet', '--json'));
    expect(plan.schemaVersion).toBeDefined();
    const below = (slot: string) =>
      plan.resources
        .filter(({ urn, name }: any) => urn.includes('ClusterFleet$') && name.includes(slot))
        .map(({ type }: any) => type)
        .sort();
    expect(below('apps-blue').length).toBeGreaterThan(20);
    expect(below('apps-blue')).toEqual(below('apps-green'));
    expect(plan.unknown).toEqual([]);
  });
});

test('a reader that wants no more is no error', () => {
  const run = spawnSync(
    'bash',
    ['-c', `set -o pipefail; "${process.execPath}" "${cli}" preview examples/fleet --json | head -c 5`],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  expect(run.stdout).toBe('{\n  "');
  expect(run.stderr).not.toMatch(/EPIPE|Error/);
  expect(run.status).toBe(0);
});

describe('examples/stacks, joined by stack references', () => {
  const answers = ['--answers', 'examples/stacks/answers.yaml'];
  test.each([
    ['edge', 'production', [/aws:lb:LoadBalancer {2}edge/, /edge: \{"listenerArn"/]],
    [
      'slot',
      'blue',
      [/eks:index:Cluster {2}apps-blue {2}version 1\.35/, /aws:lb:TargetGroup {2}apps-blue-web/],
    ],
    ['slot', 'green', [/eks:index:Cluster {2}apps-green {2}version 1\.36/]],
    ['hub', 'production', [/TargetAccess {2}argocd-blue-apps-green/, /argocd\/apps-blue/]],
  ])('%s, stack %s', (program, stack, lines) => {
    const shown = preview(`examples/stacks/${program}`, '--stack', stack, ...answers);
    lines.forEach((line) => expect(shown).toMatch(line));
    expect(shown).not.toContain('Not known offline');
  });

  test('the answers are what a rule is made of', () => {
    const plan = JSON.parse(
      preview('examples/stacks/traffic', '--stack', 'production', '--json', ...answers),
    );
    const rule = plan.resources.find(({ type }: any) => type === 'aws:lb/listenerRule:ListenerRule');
    expect(plan.resources.map(({ name }: any) => name)).toContain('organization/slot/green');
    expect(plan.unknown).toEqual([]);
    expect(rule.inputs.listenerArn).toMatch(/^arn:aws:elasticloadbalancing:.*:listener\//);
    expect(rule.inputs.actions[0].forward.targetGroups.map(({ weight }: any) => weight)).toEqual([90, 10]);
  });
});

describe('examples/clusterset', () => {
  const folder = temporaryFolder();

  test('cdk8s synth writes what keeps the set in step from inside of the hub', () => {
    const run = spawnSync(join(root, 'node_modules/.bin/cdk8s'), ['synth', '--output', folder], {
      cwd: join(root, 'examples/clusterset'),
      env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false' },
      encoding: 'utf8',
    });
    expect([run.status, run.stdout]).toEqual([0, expect.stringMatching(/clusters\.k8s\.yaml/)]);
    const objects = objectsBelow(folder);
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Role',
      'RoleBinding',
      'ServiceAccount',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
    expect(modelErrors(objects)).toEqual([]);
  });
});

describe('examples/manifests', () => {
  const folder = temporaryFolder();

  test('cdk8s synth writes manifests, all of which fit their schemas', () => {
    const run = spawnSync(join(root, 'node_modules/.bin/cdk8s'), ['synth', '--output', folder], {
      cwd: join(root, 'examples/manifests'),
      env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false' },
      encoding: 'utf8',
    });
    expect(run.stderr + run.stdout).toMatch(/hub\.k8s\.yaml/);
    expect(run.status).toBe(0);
    const objects = objectsBelow(folder);
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'AppProject',
      'ApplicationSet',
      'Certificate',
      'Certificate',
      'Issuer',
      'Issuer',
      'MutatingWebhookConfiguration',
      'Namespace',
      'Secret',
    ]);
    expect(modelErrors(objects)).toEqual([]);
    expect(crdErrors(objects)).toEqual([]);
  });

  test('they are the very objects that the Pulumi program installs', () => {
    const installed = objectsBelow(fleetManifests);
    for (const object of objectsBelow(folder).filter(({ kind }) => kind !== 'Secret')) {
      const twins = installed.filter(
        ({ kind, metadata }) =>
          kind === object.kind &&
          metadata.name === object.metadata.name &&
          metadata.namespace === object.metadata.namespace,
      );
      expect(twins.length).toBeGreaterThan(0);
      twins.forEach((twin) => expect(twin).toEqual(object));
    }
  });
});
