import { KustomizePatches } from '../../lib/cli/actions/lint/kustomize-patches';

/** Folders of the kustomizations that name a file as a part, by the file. */
function used(texts: Readonly<Record<string, string>>, ...files: readonly string[]): (string | undefined)[] {
  const patches = new KustomizePatches();
  Object.entries(texts).forEach(([path, text]) => patches.read([path], text));
  return files.map((file) => patches.usedBy([file]));
}

const kind = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n';

test.each<[string, string, string]>([
  ['patches', 'patches: [{ path: a.yaml }]', '/x/a.yaml'],
  [
    'patches with a target',
    'patches: [{ patch: "- op: add" }, { path: b/a.yaml, target: { kind: Pod } }]',
    '/x/b/a.yaml',
  ],
  ['strategic merge patches', 'patchesStrategicMerge: [./a.yaml]', '/x/a.yaml'],
  ['JSON patches', 'patchesJson6902: [{ path: ../a.json }]', '/a.json'],
  ['replacements', 'replacements: [{ path: a.yaml }]', '/x/a.yaml'],
  ['settings of kustomize', 'configurations: [a.yaml]', '/x/a.yaml'],
])('files are left out that a kustomization names as %s', (_, text, file) => {
  for (const name of ['kustomization.yaml', 'kustomization.yml', 'Kustomization']) {
    expect(used({ [`/x/${name}`]: kind + text }, file, '/x/b.yaml')).toEqual(['/x', undefined]);
  }
  expect(used({ '/x/kustomization.yaml': text }, file)).toEqual(['/x']);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['names them as resources', { '/x/kustomization.yaml': 'resources: [a.yaml]' }],
  [
    'names them as patches, and another one as resources',
    {
      '/x/kustomization.yaml': 'patches: [{ path: a.yaml }]',
      '/y/kustomization.yaml': 'resources: [../x/a.yaml]',
    },
  ],
  [
    'has patches in it',
    { '/x/kustomization.yaml': 'patchesStrategicMerge: ["kind: Pod\\nmetadata: { name: a.yaml }"]' },
  ],
  [
    'is of another tool',
    { '/x/kustomization.yaml': 'apiVersion: kustomize.toolkit.fluxcd.io/v1\npatches: [{ path: a.yaml }]' },
  ],
  ['is elsewhere', { '/y/kustomization.yaml': 'patches: [{ path: a.yaml }]' }],
  ['is no YAML', { '/x/kustomization.yaml': 'patches: [{ path: a.yaml }' }],
  ['is of another shape', { '/x/kustomization.yaml': 'patches: { path: a.yaml }\nconfigurations: a.yaml' }],
  ['has another name', { '/x/patches.yaml': `${kind}patches: [{ path: a.yaml }]` }],
])('files stay where a kustomization %s', (_, texts) => {
  expect(used(texts, '/x/a.yaml')).toEqual([undefined]);
});

test('a file is known by each of its paths', () => {
  const patches = new KustomizePatches();
  patches.read(['/link/kustomization.yaml', '/real/kustomization.yaml'], 'patches: [{ path: a.yaml }]');
  expect(
    [['/link/a.yaml', '/other'], ['/z', '/real/a.yaml'], ['/z']].map((each) => patches.usedBy(each)),
  ).toEqual(['/link', '/real', undefined]);
});
