import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as k8s from '@pulumi/kubernetes';
import { refuseArguments } from '../../../lib/core/validation/arguments';
import { object } from '../../../lib/core/validation/collections';
import type { Addon } from '../../../lib/pulumi/addons';
import * as addons from '../../../lib/pulumi/addons';
import * as catalogue from '../../../lib/pulumi/addons/catalogue';
import { pages } from '../../docs/documents';
import { contractProblems } from './contract';

const folder = mkdtempSync(join(tmpdir(), 'contract-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A release of the Gateway API, which is a file of the user's. */
function gatewayApi(): object {
  const manifests = join(folder, 'standard-install.yaml');
  const text = JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'things.gateway.networking.k8s.io',
      annotations: { 'gateway.networking.k8s.io/bundle-version': 'v1.6.1' },
    },
    spec: { group: 'gateway.networking.k8s.io' },
  });
  writeFileSync(manifests, text);
  return { manifests, sha256: createHash('sha256').update(text).digest('hex') };
}

/** Options that an add-on can't do without. */
const needed: Readonly<Record<string, object>> = { gatewayApiCrds: gatewayApi() };

type Make = (options: object) => Addon;
const made = Object.entries(catalogue).flatMap(([key, value]) => {
  const name = (catalogue as Readonly<Record<string, unknown>>)[`${key}Name`];
  return typeof name === 'string' ? [[key, value as Make, name] as const] : [];
});
const known = made.map(([, , name]) => name);
const files = readdirSync(join(__dirname, '../../../lib/pulumi/addons/catalogue')).map((file) =>
  file.replace(/\.ts$/, ''),
);
const rows = pages.find(({ path }) => path === 'docs/addons.md')!.text.split('\n');

test('every file of the catalogue is an add-on that is exported', () => {
  expect(files.filter((file) => !['catalogue', 'index'].includes(file)).sort()).toEqual([...known].sort());
  expect(Object.keys(addons)).toEqual(expect.arrayContaining(Object.keys(catalogue)));
});

describe.each(made)('%s', (key, make, name) => {
  const options = needed[key] ?? {};

  test('keeps the contract', async () => {
    expect(await contractProblems((over) => make({ ...options, ...over }), known)).toEqual([]);
  });

  test('is called like its file, and its name is the one for `requires`', () => {
    expect(make(options).name).toBe(name);
    expect(key).toBe(name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
  });

  test('the documents have its row, with the version that it installs', () => {
    const row = rows.find((each) => each.startsWith(`| \`${key}()\` |`));
    expect(row).toContain(make(options).chart?.version ?? 'file');
  });
});

describe('one that only the test has', () => {
  const toy = (over: object = {}, install?: Addon['install']): Addon => {
    refuseArguments('toy', object({}), over);
    return {
      name: 'toy',
      requires: ['cert-manager'],
      install:
        install ??
        ((target) => ({
          resources: [
            new k8s.core.v1.ConfigMap(
              `${target.name}-toy`,
              { data: { a: 'b' } },
              {
                ...{ parent: target.parent, provider: target.kubernetes, dependsOn: [...target.dependsOn] },
                deletedWith: target.cluster,
              },
            ),
          ],
        })),
    };
  };

  test('keeps the contract', async () => {
    expect(await contractProblems(toy, known)).toEqual([]);
  });

  const configMap =
    (options: (target: addons.AddonTarget) => object, name = '-toy'): Addon['install'] =>
    (target) => {
      const { parent, kubernetes: provider } = target;
      const resource = new k8s.core.v1.ConfigMap(
        `${target.name}${name}`,
        {},
        {
          ...{ parent, provider },
          ...options(target),
        },
      );
      return { resources: [resource] };
    };
  const release = { chart: 'c', version: '1.2.3' };

  test.each<[string, (over?: object) => Addon, string]>([
    ['a name', (over) => ({ ...toy(over), name: 'Toy' }), 'name: '],
    ['a requirement', (over) => ({ ...toy(over), requires: ['none'] }), 'requires: there is no none'],
    ['an option', () => toy(), 'options: takes one'],
    [
      'a problem of its own',
      (over) => ({ ...toy(over), problems: [{ path: 'a', allowed: 'b' }] }),
      'has a problem of its own: addons[0].a',
    ],
    [
      'a range',
      (over) => ({ ...toy(over), chart: { ...release, version: '^1' } }),
      'chart: no exact version',
    ],
    [
      'a chart whose Kubernetes versions are not known',
      (over) => ({ ...toy(over), chart: release }),
      'chart: not in the table',
    ],
    ['a chart without values', (over) => ({ ...toy(over), chart: release }), 'release: no values'],
    ['nothing', (over) => toy(over, () => ({ resources: [] })), 'plan: nothing'],
    [
      'an object that outlives its API server',
      (over) =>
        toy(
          over,
          configMap(({ dependsOn }) => ({ dependsOn })),
        ),
      'plan: apps-blue-toy: deleted through',
    ],
    [
      'an object that does not wait',
      (over) =>
        toy(
          over,
          configMap(({ cluster }) => ({ deletedWith: cluster })),
        ),
      'plan: apps-blue-toy: does not wait',
    ],
    [
      'rights on everything',
      (over) =>
        toy(over, (target) => ({
          resources: [
            new addons.PodIdentityRole(
              `${target.name}-toy`,
              {
                clusterName: target.clusterName,
                clusterArn: target.clusterArn,
                serviceAccounts: [{ namespace: 'toy', name: 'toy' }],
                policy: addons.policyOf([
                  { Effect: 'Allow', Action: ['s3:PutObject', 's3:*'], Resource: '*' },
                ]),
              },
              { parent: target.parent },
            ),
          ],
        })),
      'statement: undefined: s3:PutObject on everything',
    ],
  ])('%s is told', async (_, make, problem) => {
    expect(await contractProblems(make, known)).toContainEqual(expect.stringContaining(problem));
  });
});
