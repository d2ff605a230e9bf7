import fc from 'fast-check';
import type { ManifestObject, LintOptions } from '../../lib/lint';
import { clustersByTwins, lint, readManifests } from '../../lib/lint';
import { splitByCluster } from '../../lib/lint/clusters';

function objectsOf(files: Readonly<Record<string, string>>): readonly ManifestObject[] {
  return Object.entries(files).flatMap(
    ([file, text]) => readManifests(text, { file, read: () => text }).objects,
  );
}

const thing = (name: string, kind = 'Thing'): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: n }\n`;

test.each<[string, string[], Record<string, string>]>([
  ['no object twice', [], { 'a/x.yaml': thing('x'), 'b/y.yaml': thing('other') }],
  ['one file', [], { 'a.yaml': `${thing('x')}---\n${thing('x')}` }],
  ['two folders', ['blue', 'green'], { 'out/blue/x.yaml': thing('x'), 'out/green/x.yaml': thing('x') }],
  [
    'two folders, the files below by other names',
    ['blue', 'green'],
    { 'blue/web/x.yaml': thing('x'), 'green/all.yaml': thing('x'), 'green/web/y.yaml': thing('other') },
  ],
  [
    'files beside each other',
    ['ha.yaml', 'install.yaml'],
    { 'm/ha.yaml': thing('x'), 'm/install.yaml': thing('x'), 'm/other.yaml': thing('other') },
  ],
  [
    'a folder in a folder',
    ['base', 'overlays', 'overlays/dev', 'overlays/prod'],
    { 'base/x.yaml': thing('x'), 'overlays/dev/x.yaml': thing('x'), 'overlays/prod/x.yaml': thing('x') },
  ],
  [
    'the standard input and a folder outside of the working folder',
    ['../a', 'stdin'],
    { stdin: thing('x'), '../a/x.yaml': thing('x'), '../a/y.yaml': thing('other') },
  ],
  ['the same of the root', ['/a', 'stdin'], { stdin: thing('x'), '/a/x.yaml': thing('x') }],
  ['two folders outside', ['a', 'b'], { '../a/x.yaml': thing('x'), '../b/x.yaml': thing('x') }],
  ['a Namespace alone', [], { 'a/x.yaml': thing('x', 'Namespace'), 'b/x.yaml': thing('x', 'Namespace') }],
  ['another version', [], { 'a/x.yaml': thing('x'), 'b/x.yaml': thing('x').replace('v1', 'v2') }],
])('clusters by %s', (_what, names, files) => {
  expect(clustersByTwins(objectsOf(files)).map(({ name }) => name)).toEqual(names);
});

function split(files: Readonly<Record<string, string>>): unknown {
  const objects = objectsOf(files);
  const files_ = (list: readonly ManifestObject[]): unknown => list.map(({ source }) => source!.file);
  return Object.fromEntries(
    splitByCluster(objects, clustersByTwins(objects)).map(({ name = '', own, shared }) => [
      name,
      [files_(own), files_(shared)],
    ]),
  );
}

test('what lies around clusters is evaluated with each of them', () => {
  expect(
    split({
      'crds.yaml': thing('c'),
      'blue/x.yaml': thing('x'),
      'green/x.yaml': thing('x'),
      'green/more/y.yaml': thing('other'),
    }),
  ).toEqual({
    blue: [['blue/x.yaml'], ['crds.yaml']],
    green: [['green/x.yaml', 'green/more/y.yaml'], ['crds.yaml']],
  });
  expect(
    split({
      'base/x.yaml': thing('x'),
      'overlays/all.yaml': thing('z'),
      'overlays/dev/x.yaml': thing('x'),
      'overlays/prod/x.yaml': thing('x'),
    }),
  ).toEqual({
    base: [['base/x.yaml'], []],
    'overlays/dev': [['overlays/dev/x.yaml'], ['overlays/all.yaml']],
    'overlays/prod': [['overlays/prod/x.yaml'], ['overlays/all.yaml']],
  });
});

test.each<[string, Parameters<typeof splitByCluster>[1], unknown]>([
  [
    'one that is around an empty one',
    [
      { name: 'all', roots: ['r'] },
      { name: 'blue', roots: ['r/blue'] },
      { name: 'green', roots: ['g'] },
    ],
    { all: [['r/x.yaml', 'r/sub/z.yaml'], []], green: [['g/y.yaml'], []] },
  ],
  [
    'one that is named by a folder, and by another in it',
    [
      { name: 'blue', roots: ['r', 'r/sub'] },
      { name: 'green', roots: ['g'] },
    ],
    { blue: [['r/x.yaml', 'r/sub/z.yaml'], []], green: [['g/y.yaml'], []] },
  ],
  [
    'two around each other',
    [
      { name: 'one', roots: ['r', 'a/b'] },
      { name: 'two', roots: ['r/sub', 'a'] },
      { name: 'green', roots: ['g'] },
    ],
    { '': [['r/x.yaml', 'r/sub/z.yaml'], []], green: [['g/y.yaml'], []] },
  ],
  [
    'roots as a shell writes them',
    [
      { name: 'blue', roots: ['./r/'] },
      { name: 'green', roots: ['g/'] },
    ],
    { blue: [['r/x.yaml', 'r/sub/z.yaml'], []], green: [['g/y.yaml'], []] },
  ],
  [
    'the working folder, and one in it',
    [
      { name: 'blue', roots: ['.'] },
      { name: 'green', roots: ['g'] },
    ],
    { green: [['g/y.yaml'], ['r/x.yaml', 'r/sub/z.yaml']] },
  ],
])('clusters that somebody names, %s: every object is judged', (_what, clusters, expected) => {
  const objects = objectsOf({
    'r/x.yaml': thing('x'),
    'r/sub/z.yaml': thing('z'),
    'g/y.yaml': thing('y'),
  });
  const names = (list: readonly ManifestObject[]): unknown => list.map(({ source }) => source!.file);
  const parts = splitByCluster(objects, clusters);
  expect(
    Object.fromEntries(parts.map((part) => [part.name ?? '', [names(part.own), names(part.shared)]])),
  ).toEqual(expected);
});

test('no cluster has an object twice, each object is evaluated, and the work is in proportion', () => {
  const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
  const file = fc.tuple(path, fc.nat(5), fc.subarray(['one', 'two', 'three'], { minLength: 1 }));
  fc.assert(
    fc.property(fc.uniqueArray(file, { selector: ([at, name]) => [...at, name].join('/') }), (files) => {
      const texts = files.map(([at, name, things]) => [
        [...at, `${name}.yaml`].join('/'),
        things.map((each) => thing(each)).join('---\n'),
      ]);
      const objects = objectsOf(Object.fromEntries(texts));
      const parts = splitByCluster(objects, clustersByTwins(objects));
      const seen = new Set<ManifestObject>();
      let total = 0;
      for (const { own, shared } of parts) {
        const all = [...own, ...shared];
        total += all.length;
        all.forEach((each) => seen.add(each));
        expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
      }
      expect(seen.size).toBe(objects.length);
      expect(total).toBeLessThanOrEqual(10 * objects.length);
    }),
  );
});

test('thousands of clusters are split in no time, and share nothing', () => {
  const files = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, index) => [
      [`s/${index}.yaml`, thing('x')],
      [`s/o${index}.yaml`, thing(`o${index}`)],
    ]).flat(),
  ) as Record<string, string>;
  const objects = objectsOf(files);
  const from = Date.now();
  const parts = splitByCluster(objects, clustersByTwins(objects));
  expect([parts.length, parts[0]!.own.length, Date.now() - from < 2_000]).toEqual([3_001, 3_000, true]);
});

const deployment = (replicas: number, at = 'web'): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: gate, namespace: ${at} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: gate } }
  template:
    metadata: { labels: { app: gate } }
    spec: { containers: [{ name: gate, image: gate }] }
---
apiVersion: v1
kind: Service
metadata: { name: gate, namespace: ${at} }
spec: { selector: { app: gate }, ports: [{ port: 443 }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: gate }
webhooks:
  - name: gate.example.com
    failurePolicy: Fail
    sideEffects: None
    admissionReviewVersions: [v1]
    clientConfig: { service: { name: gate, namespace: ${at} }, caBundle: eA== }
    rules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments] }]
`;

function lonely(
  files: Readonly<Record<string, string>>,
  options: LintOptions = {},
): readonly (string | undefined)[] {
  const objects = objectsOf(files);
  const { findings } = lint(objects, { clusters: clustersByTwins(objects), ...options });
  return findings.filter(({ message }) => /only 1 replica/.test(message)).map(({ file }) => file);
}

test('replicas of two clusters are no replicas of one server', () => {
  const both = { 'blue/a.yaml': deployment(1), 'green/a.yaml': deployment(1) };
  expect(lonely(both)).toEqual(['blue/a.yaml', 'green/a.yaml']);
  expect(lonely({ 'blue/a.yaml': deployment(2), 'green/a.yaml': deployment(2) })).toEqual([]);
  // The control: as objects of one cluster, their replicas add up.
  expect(lonely(both, { clusters: [] })).toEqual([]);
});

test('what is shared is found once, and counted', () => {
  const { findings, clusters } = (() => {
    const objects = objectsOf({
      'shared.yaml': deployment(1, 'shared'),
      'blue/x.yaml': thing('x'),
      'green/x.yaml': thing('x'),
    });
    return lint(objects, { clusters: clustersByTwins(objects) });
  })();
  expect(findings.filter(({ message }) => /only 1 replica/.test(message))).toHaveLength(1);
  expect(clusters).toEqual([
    { name: 'blue', objects: 1, shared: 3 },
    { name: 'green', objects: 1, shared: 3 },
  ]);
});

const secret = (value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: s, namespace: n }\ntype: Opaque\ndata: { token: ${value} }\n`;

test.each([
  ['the same files', 'new'],
  ['another folder', 'old'],
])('each cluster is compared with itself before, in %s', (_what, folder) => {
  const [one, other] = ['MTIzNDU2Nzg5MDEyMzQ1Ng==', 'YWJjZGVmZ2hpamtsbW5vcA=='];
  const now = objectsOf({ 'new/blue/s.yaml': secret(one), 'new/green/s.yaml': secret(other) });
  const clusters = clustersByTwins(now);
  const made = (before: Record<string, string>): readonly string[] =>
    lint(now, { clusters, before: objectsOf(before) }).findings.flatMap(
      ({ file = '', rule }) => `${rule} ${file}`,
    );
  expect(made({ [`${folder}/blue/s.yaml`]: secret(one), [`${folder}/green/s.yaml`]: secret(other) })).toEqual(
    [],
  );
  expect(made({ [`${folder}/blue/s.yaml`]: secret(one), [`${folder}/green/s.yaml`]: secret(one) })).toEqual([
    'TLS08 new/green/s.yaml',
  ]);
});

test('a cluster that is not known before is compared with all that other names have, and with what they share', () => {
  const [one, other] = ['MTIzNDU2Nzg5MDEyMzQ1Ng==', 'YWJjZGVmZ2hpamtsbW5vcA=='];
  const { findings } = lint(objectsOf({ 'new/s.yaml': secret(one) }), {
    clusters: [{ name: 'all', roots: ['new'] }],
    before: objectsOf({
      'old/s.yaml': secret(other),
      'old/a/x.yaml': thing('x'),
      'old/b/x.yaml': thing('x'),
    }),
  });
  expect(findings.map(({ rule }) => rule)).toEqual(['TLS08']);
});
