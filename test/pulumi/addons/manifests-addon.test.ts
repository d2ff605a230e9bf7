import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart } from 'cdk8s';
import { formatProblem as line } from '../../../lib/core/validation';
import type { Addon as AnyAddon, AddonTarget } from '../../../lib/pulumi/addons';
import {
  Addon,
  checkAddons,
  checkAddonsFit,
  gatewayApiCrds,
  installAddons,
} from '../../../lib/pulumi/addons';
import { outputToken } from '../../../lib/pulumi/bridge';
import { register } from '../../pulumi-mocks';
import { slot } from './slot';

const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file, and what its content hashes to. */
function file(name: string, text: string): { path: string; sha256: string } {
  const path = join(folder, name);
  writeFileSync(path, text);
  return { path, sha256: createHash('sha256').update(text).digest('hex') };
}

const crd = (group: string, annotations = '') => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.${group}
  annotations: {${annotations}}
spec: {group: ${group}, names: {kind: Thing}}
`;

const some = file(
  'some.yaml',
  `${crd('example.com')}---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Namespace, metadata: {name: tools}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: tools}, data: {a: b}}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: first, namespace: tools}
`,
);

const problemsOf = (addon: AnyAddon) => checkAddons([addon]).map(line);

describe('on a slot', () => {
  test('definitions and namespaces come first and stay, all else goes', async () => {
    const registered = await register(() => {
      installAddons([Addon.manifests({ name: 'tools', files: [some] })], slot());
    });
    const objects = registered.all.filter(({ name }) => name.startsWith('apps-blue-tools-files:'));
    expect(objects.map(({ name, retainOnDelete }) => [name.split(':')[1], retainOnDelete])).toEqual(
      expect.arrayContaining([
        ['things.example.com', true],
        ['tools', true],
        ['tools/settings', false],
        ['tools/first', false],
      ]),
    );
    expect(objects).toHaveLength(4);
    const urnOf = (name: string) => objects.find((each) => each.name.endsWith(`:${name}`))!;
    expect(urnOf('tools/first').dependencies).toEqual(
      expect.arrayContaining([urnOf('things.example.com').urn, urnOf('tools').urn]),
    );
    expect(urnOf('tools/settings').inputs.data).toEqual({ a: 'b' });
    for (const { deletedWith, provider } of objects) {
      expect([deletedWith, provider]).toEqual([
        expect.stringContaining('::blue'),
        expect.stringContaining('kubernetes::blue'),
      ]);
    }
  });

  test('a chart takes values of the cluster, after the files', async () => {
    const chart = ({ clusterName }: AddonTarget) => {
      const made = new Chart(new App(), 'made');
      new ApiObject(made, 'map', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cluster', namespace: 'tools' },
        data: { name: outputToken(made, clusterName) },
      } as ConstructorParameters<typeof ApiObject>[2]);
      return made;
    };
    const registered = await register(() => {
      installAddons(
        [Addon.manifests({ name: 'tools', chart, files: [some] })],
        slot({ clusterName: pulumi.output('green') }),
      );
    });
    const map = registered.one('kubernetes:core/v1:ConfigMap', 'apps-blue-tools-chart:tools/cluster');
    expect(map.inputs.data).toEqual({ name: 'green' });
    expect(map.dependencies).toContain(
      registered.one('kubernetes:core/v1:Namespace', 'apps-blue-tools-files:tools').urn,
    );
  });
});

describe('files', () => {
  test('a checksum that fits', () => {
    expect(problemsOf(Addon.manifests({ name: 'tools', files: [some] }))).toEqual([]);
    const upper = { path: some.path, sha256: some.sha256.toUpperCase() };
    expect(problemsOf(Addon.manifests({ name: 'tools', files: [upper] }))).toEqual([]);
  });

  test.each<[string, Parameters<typeof Addon.manifests>[0], RegExp[]]>([
    ['none', { name: 'tools' }, [/addons\[0\]\.files: \[\]: must be at least one file/]],
    [
      'one that is not there, and one that was changed',
      {
        name: 'tools',
        files: [{ path: join(folder, 'gone.yaml') }, { path: some.path, sha256: 'a'.repeat(64) }],
      },
      [
        /files\[0\]\.path: ".*gone\.yaml": must be a file that can be read \(ENOENT\)/,
        new RegExp(`files\\[1\\]\\.sha256: "a+": must be that of .*some\\.yaml: ${some.sha256}`),
      ],
    ],
    [
      'one that is not YAML',
      { name: 'tools', files: [file('broken.yaml', 'a: [1\nb: }')] },
      [/files\[0\]\.path: .* must be a file of Kubernetes objects: line \d: not YAML/],
    ],
    [
      'one without objects',
      { name: 'tools', files: [file('empty.yaml', '# nothing\n')] },
      [/must be a file of Kubernetes objects: it has none/],
    ],
    [
      'one with something else',
      { name: 'tools', files: [file('values.yaml', 'replicas: 2\n')] },
      [/must be a file of Kubernetes objects: 1 documents are none/],
    ],
    [
      'what is no file, by its type',
      { name: 'tools', files: [null as never, { path: 5 as never, sha256: 6 as never }] },
      [
        /files\[0\]: null: must be an object with path, sha256/,
        /files\[1\]\.path: 5: must be the path of a file/,
        /files\[1\]\.sha256: 6: must be the output of sha256sum/,
      ],
    ],
  ])('refuses %s', (_, options, expected) => {
    const found = problemsOf(Addon.manifests(options));
    expect(found).toHaveLength(expected.length);
    expected.forEach((pattern, position) => expect(found[position]).toMatch(pattern));
  });
});

describe('APIs that the cluster does not serve', () => {
  const old = file(
    'old.yaml',
    'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: web}\n',
  );
  const problemsOn = (kubernetesVersion?: string) =>
    checkAddonsFit([Addon.manifests({ name: 'old', files: [old] })], {
      autoMode: false,
      kubernetesVersion,
    }).map(line);

  test('are told with the slot, before anything is registered', () => {
    expect(problemsOn('1.24')).toEqual([]);
    expect(problemsOn()).toEqual([]);
    expect(problemsOn('1.35')).toEqual([
      expect.stringMatching(
        /addons\[0\]: "old": must be left out with Kubernetes 1\.35: PodDisruptionBudget web of policy\/v1beta1 went in 1\.25, use policy\/v1 \(https:/,
      ),
    ]);
  });

  test('and those of a chart when it is made', async () => {
    const chart = () => {
      const made = new Chart(new App(), 'made');
      new ApiObject(made, 'job', {
        apiVersion: 'batch/v1beta1',
        kind: 'CronJob',
        metadata: { name: 'nightly' },
      });
      return made;
    };
    let failure: unknown;
    const registered = await register(() => {
      const addon = Addon.manifests({ name: 'jobs', chart });
      try {
        installAddons([addon], slot({ kubernetesVersion: '1.35' }));
      } catch (error) {
        failure = error;
      }
      installAddons([addon], slot({ name: 'apps-green' }));
    });
    expect(String(failure)).toMatch(/CronJob nightly of batch\/v1beta1 went in 1\.25/);
    const made = registered.ofType('cluster-canary:bridge:Manifests').map(({ name }) => name);
    expect(made).toEqual(['apps-green-jobs-chart']);
  });
});

describe('Gateway API', () => {
  const bundle = 'gateway.networking.k8s.io/bundle-version: v1.6.1';
  const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: safe-upgrades, annotations: {${bundle}}}
`;
  const text = `${crd('gateway.networking.k8s.io', bundle)}---\n${policy}`;
  const release = file('standard-install.yaml', text);

  test('is taken from its release, and stays', async () => {
    const addon = gatewayApiCrds({ manifests: release.path, sha256: release.sha256 });
    expect(problemsOf(addon)).toEqual([]);
    const registered = await register(() => {
      installAddons([addon], slot());
    });
    const definition = registered.one('kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition');
    expect(definition.retainOnDelete).toBe(true);
  });

  test.each<[string, () => AnyAddon, RegExp[]]>([
    [
      'without a checksum',
      () => gatewayApiCrds({ manifests: release.path, sha256: 'latest' }),
      [/files\[0\]\.sha256: "latest": must be that of/, /\.sha256: "latest": must be 64 hexadecimal digits/],
    ],
    [
      'with a checksum that is a number',
      () => gatewayApiCrds({ manifests: release.path, sha256: 5 as never }),
      [/files\[0\]\.sha256: 5: must be the output/, /\.sha256: 5: must be 64 hexadecimal digits/],
    ],
    [
      'from another project',
      () => {
        const other = file('other.yaml', `${text}---\n${crd('example.com', bundle)}`);
        return gatewayApiCrds({ manifests: other.path, sha256: other.sha256 });
      },
      [
        /manifests: .*: must be a release of the Gateway API: 1 of 3 objects are something else, the first CustomResourceDefinition things\.example\.com/,
      ],
    ],
    [
      'with more than definitions',
      () => {
        const more = file('more.yaml', `${text}---\n{apiVersion: v1, kind: Secret, metadata: {name: a}}`);
        return gatewayApiCrds({ manifests: more.path, sha256: more.sha256 });
      },
      [/the first Secret a/],
    ],
    [
      'of no release',
      () => {
        const copy = file('copy.yaml', crd('gateway.networking.k8s.io'));
        return gatewayApiCrds({ manifests: copy.path, sha256: copy.sha256 });
      },
      [/1 of 1 objects/],
    ],
  ])('refuses one %s', (_, addon, expected) => {
    const found = problemsOf(addon());
    expect(found).toHaveLength(expected.length);
    expected.forEach((pattern, position) => expect(found[position]).toMatch(pattern));
  });
});
