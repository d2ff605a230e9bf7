import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const subpaths: string[] = Object.keys(manifest.typesVersions['*']);

interface Loaded {
  readonly names: string[];
  readonly packages: string[];
  readonly own: string[];
  readonly files: string[];
}

test.each(subpaths)('cluster-canary/%s is exported with types', (subpath) => {
  const { types, default: code } = manifest.exports[`./${subpath}`];
  expect(existsSync(join(root, types))).toBe(true);
  expect(existsSync(join(root, code))).toBe(true);
  expect(manifest.typesVersions['*'][subpath]).toEqual([types.replace('./', '')]);
});

const withoutPulumi = subpaths.filter(
  (subpath) => !manifest.exports[`./${subpath}`].default.includes('/pulumi/'),
);

/** What Node loads of the package and its subpaths, in one process that forgets all modules before each. */
const loaded = ((): ReadonlyMap<string, Loaded> => {
  const all = ['cluster-canary', ...withoutPulumi.map((subpath) => `cluster-canary/${subpath}`)];
  const program = `
    const load = (subpath) => {
      for (const file of Object.keys(require.cache)) {
        delete require.cache[file];
      }
      const names = Object.keys(require(subpath));
      const files = Object.keys(require.cache);
      const packages = files.flatMap((file) => /.*node_modules\\/((@[^/]+\\/)?[^/]+)/.exec(file)?.[1] ?? []);
      const own = files.flatMap((file) => file.split('/dist/')[1]?.split('/')[0] ?? []);
      return [subpath, { names, packages: [...new Set(packages)], own: [...new Set(own)], files }];
    };
    console.log(JSON.stringify(${JSON.stringify(all)}.map(load)));`;
  return new Map(
    JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' })),
  );
})();

/** Packages that take long to load, and that a program needs where it gives something wrong, or a text to read, or asks AWS. */
const later = ['re2js', 'socks', 'valibot', 'yaml'].map((name) => join(root, 'node_modules', name, '/'));

test.each(withoutPulumi)('cluster-canary/%s loads neither Pulumi nor an AWS SDK', (subpath) => {
  const { names, packages, files } = loaded.get(`cluster-canary/${subpath}`)!;
  expect(names.length).toBeGreaterThan(0);
  expect(packages.filter((name) => /^@pulumi\/|aws-sdk|^@smithy\//.test(name))).toEqual([]);
  // cdk8s has a copy of `yaml` of its own.
  expect(files.filter((file) => later.some((folder) => file.startsWith(folder)))).toEqual([]);
});

test('cluster-canary/workflows loads no router', () => {
  expect(loaded.get('cluster-canary/routers')!.own).toContain('shift');
  expect(loaded.get('cluster-canary/workflows')!.own).not.toContain('shift');
});

test('cluster-canary/doctor loads the rules where a check needs them, and not before', () => {
  expect(loaded.get('cluster-canary/lint')!.own).toContain('lint');
  const { own, packages } = loaded.get('cluster-canary/doctor')!;
  expect(own).toContain('operate');
  expect(own).not.toContain('lint');
  expect(packages).toEqual([]);
});

test('modules that are not exported are those that only other modules need', () => {
  const exported = subpaths.map((subpath) => manifest.exports[`./${subpath}`].default.replace('./dist/', ''));
  const modules = ['shift', 'manifests', 'operate', 'pulumi'].flatMap((roof) =>
    readdirSync(join(root, 'lib', roof), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${roof}/${name}`),
  );
  expect(modules.filter((module) => !exported.includes(`${module}/index.js`)).sort()).toEqual([
    'manifests/cluster-sync',
    'operate/argocd',
    'operate/live-traffic',
    'operate/planned-shift',
    'operate/ready',
    'operate/swap',
    'shift/approvals',
    'shift/capacity',
    'shift/demo',
    'shift/engine',
    'shift/evacuate',
    'shift/evaluation',
    'shift/history',
    'shift/http-proxy',
    'shift/page',
    'shift/probes',
    'shift/watch',
  ]);
});

test('the root has every subpath as a namespace, but for the one that only a policy pack needs', () => {
  const { names, packages } = loaded.get('cluster-canary')!;
  const namespaces = subpaths.map((subpath) =>
    subpath.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()),
  );
  expect(names.sort()).toEqual(namespaces.filter((name) => name !== 'policyPack').sort());
  expect(packages).toContain('@pulumi/pulumi');
  expect(packages).not.toContain('@pulumi/policy');
});

test('the command starts without Pulumi', () => {
  const help = execFileSync(process.execPath, [join(root, manifest.bin['cluster-canary']), '--help'], {
    encoding: 'utf8',
  });
  expect(help).toContain('preview');
});

test('nothing is installed or downloaded by an install script of this package', () => {
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual(
    [],
  );
});
