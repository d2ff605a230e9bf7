import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const root = resolve(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  /** It is inside of the tarball of the package that it is a dependency of, whose checksum covers it. */
  readonly inBundle?: boolean;
  /** It is a folder of this repository. */
  readonly link?: boolean;
}

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  // The first entry is this package.
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  test('has a checksum of every package that is downloaded', () => {
    expect(locked.length).toBeGreaterThan(900);
    const without = locked.filter(
      ([, { integrity, inBundle, link }]) =>
        !inBundle && !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test('names a bundled package only below one that has a checksum', () => {
    const bundled = locked.filter(([, { inBundle }]) => inBundle).map(([path]) => path);
    const carriers = bundled.map((path) => {
      let parent = path;
      do {
        parent = parent.slice(0, parent.lastIndexOf('/node_modules/'));
      } while (packages[parent]?.inBundle);
      return packages[parent]?.integrity;
    });
    expect(bundled.length).toBeGreaterThan(0);
    expect(carriers).not.toContain(undefined);
  });

  test('names no registry', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    const urls = read('package-lock.json').match(/"(resolved|registry)"|tarball/g);
    expect(urls).toBeNull();
    expect(read('.npmrc')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
    expect(read('.npmrc')).not.toMatch(/registry *=|\/\//);
  });
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly environment?: string;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = '.github/workflows';
const files = readdirSync(join(root, folder));
const workflow = (file: string): Workflow => parse(read(join(folder, file)));

describe.each(files)('the workflow %s', (file) => {
  const jobs = Object.entries(workflow(file).jobs);

  test('runs actions by commit, and says their version', () => {
    const uses = read(join(folder, file))
      .split('\n')
      .filter((line) => /\buses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) {
      expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test('has one commit for an action', () => {
    const all = files.flatMap((each) => [...read(join(folder, each)).matchAll(/uses: ([^@]+)@(.+)/g)]);
    const found = new Map<string, Set<string>>();
    for (const [, action, commit] of all) {
      found.set(action!, (found.get(action!) ?? new Set()).add(commit!));
    }
    expect([...found].filter(([, commits]) => commits.size > 1)).toEqual([]);
  });

  test('writes nothing to the repository', () => {
    const { permissions } = workflow(file);
    expect([{}, { contents: 'read' }]).toContainEqual(permissions);
    for (const [, job] of jobs) {
      expect([undefined, 'read']).toContain(job.permissions?.['contents']);
      expect(Object.values(job.permissions ?? {}).filter((right) => right === 'write').length).toBe(
        job.permissions?.['id-token'] === 'write' ? 1 : 0,
      );
    }
    const checkouts = jobs.flatMap(([, { steps }]) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
    );
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
  });
});

test('what publishes a release runs no code of a dependency, and nothing else may publish', () => {
  const identified = files.flatMap((file) =>
    Object.entries(workflow(file).jobs)
      .filter(([, { permissions }]) => permissions?.['id-token'] !== undefined)
      .map(([name]) => `${file} ${name}`),
  );
  expect(identified).toEqual(['release.yml publish']);
  const { permissions, jobs } = workflow('release.yml');
  expect(permissions).toEqual({});
  const { build, publish } = jobs;
  expect(build!.permissions).toEqual({ contents: 'read' });
  expect(publish).toMatchObject({
    needs: 'build',
    environment: 'npm',
    permissions: { 'id-token': 'write' },
  });
  expect(Object.keys(publish!.permissions!)).toEqual(['id-token']);
  // Neither a checkout nor an install: what is published is what was tested.
  expect(publish!.steps.map(({ uses, run }) => uses?.replace(/@.*/, '') ?? run)).toEqual([
    'actions/setup-node',
    'actions/download-artifact',
    'npm publish ./package/cluster-canary-*.tgz --provenance --access public --ignore-scripts',
  ]);
  expect(build!.steps.some(({ run }) => run?.includes('npm publish'))).toBe(false);
  const [uploaded, downloaded] = [build, publish].map((job) =>
    job!.steps.find(({ uses }) => /-artifact@/.test(uses ?? '')),
  );
  expect(uploaded!.with).toMatchObject({ name: 'package', path: 'out/cluster-canary-*.tgz' });
  expect(downloaded!.with).toEqual({ name: 'package', path: 'package' });
});

test('nothing says a command that would fetch a package of this name from the registry', () => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  const said = tracked.filter(
    (path) =>
      /^(README.*|CONTRIBUTING\.md|SECURITY\.md|docs\/.*|examples\/.*|lib\/.*|schemas\/.*|bench\/.*|\.github\/.*|\.ci\/.*|\.projenrc\.ts)$/.test(
        path,
      ) && !/\.(png|svg|ico)$/.test(path),
  );
  expect(said.length).toBeGreaterThan(500);
  const fetching = [
    // With --no-install npm asks the registry for the name, and installs nothing.
    /\b(npx|bunx)( (?!--no-install\b)-\S+)* cluster-canary\b/,
    /\b(npm exec|pnpm dlx|yarn dlx|pnpx)( -\S+)* cluster-canary\b/,
    /\b(npm|pnpm|yarn) (install|i|add)( -\S+)* ([^\n`]* )?cluster-canary(@\S*)?(?=[\s`]|$)/,
    /"cluster-canary": *"(?!file:|link:|git\+|dist\/|https:)/,
  ];
  const found = said.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) =>
        fetching.some((each) => each.test(line)) ? [`${path}:${index + 1}: ${line}`] : [],
      ),
  );
  expect(found).toEqual([]);
});
