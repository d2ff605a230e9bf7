import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const subpaths: string[] = Object.keys(manifest.typesVersions['*']);

/** A project that has installed the package as it would be published, and its dependencies beside it. */
const project = mkdtempSync(join(tmpdir(), 'cluster-canary-packed-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Where the package is in it. */
const installed = join(project, 'node_modules', 'cluster-canary');

interface Packed {
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;

beforeAll(() => {
  [packed] = JSON.parse(run('npm', ['pack', '--json', '--dry-run', '--ignore-scripts'], root)) as [Packed];
  const modules = join(project, 'node_modules');
  for (const { path } of packed.files) {
    cpSync(join(root, path), join(installed, path));
  }
  const needed = [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
    '@types/node',
  ];
  for (const name of needed) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
});

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  if (status !== 0) {
    throw error ?? new Error(`${program} ${args.join(' ')}: status ${status}\n${stdout}${stderr}`);
  }
  return stdout;
}

function write(file: string, text: string): string {
  writeFileSync(join(project, file), text);
  return join(project, file);
}

test('the package holds what users need, and nothing else', () => {
  const tops = new Set(packed.files.map(({ path }) => path.split('/')[0]));
  expect([...tops].sort()).toEqual([
    'LICENSE',
    'README.ja.md',
    'README.md',
    'dashboards',
    'dist',
    'docs',
    'package.json',
    'schemas',
  ]);
  const paths = packed.files.map(({ path }) => path);
  // What links of findings name.
  expect(paths.filter((path) => path.startsWith('docs/'))).toEqual(['docs/rules.md']);
  expect(paths.filter((path) => path.startsWith('dashboards/'))).toEqual(['dashboards/cluster-canary.json']);
  expect(paths.filter((path) => /\.map$|\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
});

test('every subpath can be required', () => {
  const file = write(
    'required.cjs',
    `${subpaths.map((subpath) => `require('cluster-canary/${subpath}');`).join('\n')}
    console.log(typeof require('cluster-canary').fleet.ClusterFleet, require('cluster-canary/package.json').name);`,
  );
  expect(run(process.execPath, [file], project).trim()).toBe('function cluster-canary');
});

test('every subpath can be imported, its names too', () => {
  const names = subpaths.map(
    (subpath, position) => `import * as module${position} from 'cluster-canary/${subpath}';`,
  );
  const file = write(
    'imported.mjs',
    `${names.join('\n')}
    import { ApplicationSet } from 'cluster-canary/argocd';
    import { fleet, hubs, traffic } from 'cluster-canary';
    const all = [${names.map((_, position) => `module${position}`).join(', ')}];
    console.log(all.every((module) => Object.keys(module).length > 0), typeof ApplicationSet, typeof fleet.ClusterFleet, typeof hubs.ArgoCdHub, typeof traffic.FleetTraffic);`,
  );
  expect(run(process.execPath, [file], project).trim()).toBe('true function function function function');
});

test('the commands are executable in a checkout: a Release runs its post-renderer from there', () => {
  for (const file of Object.values(manifest.bin as Record<string, string>)) {
    expect(run(join(root, file), ['--help'], root)).toMatch(/^Usage: /);
  }
});

test('the commands start', () => {
  for (const [name, file] of Object.entries(manifest.bin as Record<string, string>)) {
    const help = run(process.execPath, [join(installed, file), '--help'], project);
    expect(help).toContain(name);
  }
});

/** Threads would check some types more than once, and other tests use the other cores. */
const compiler = [join(root, 'node_modules/typescript-7/bin/tsc'), '--singleThreaded'] as const;
const classicCompiler = [join(root, 'node_modules/typescript/bin/tsc')] as const;

/** Modules without Pulumi's types, of which there are many. */
const light = `
import { ApplicationSet } from 'cluster-canary/argocd';
import type { Weights } from 'cluster-canary/shift';
export const made: typeof ApplicationSet = ApplicationSet;
// @ts-expect-error -- so that types which are not found, and would be any, fail here
export const wrong: Weights = 'blue';
`;
const whole = `
import { fleet, traffic } from 'cluster-canary';
export const weights: traffic.Weights = { blue: 100 };
export type Fleet = fleet.ClusterFleet;
// @ts-expect-error -- as above
export const wrong: traffic.Weights = 'blue';
`;

test.each([
  ['node10', 'commonjs', 'program.ts', light],
  ['node16', 'node16', 'program.cts, program.mts', light],
  ['bundler', 'esnext', 'program.ts', light],
])(
  'types are found with moduleResolution %s, module %s, from %s',
  (moduleResolution, module, from, program) => {
    const files = from.split(', ');
    const config = `tsconfig.${moduleResolution}.json`;
    files.forEach((file) => write(file, program));
    write(
      config,
      JSON.stringify({
        compilerOptions: {
          moduleResolution,
          module,
          target: 'es2022',
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          types: ['node'],
          ...(moduleResolution === 'node16' ? {} : { esModuleInterop: true }),
        },
        files,
      }),
    );
    // TypeScript 7 is quicker, and knows the classic resolution no more.
    const [tsc, ...flags] = moduleResolution === 'node10' ? classicCompiler : compiler;
    expect(run(process.execPath, [tsc, ...flags, '-p', config], project)).toBe('');
  },
);

/**
 * Pulumi's templates for TypeScript have these settings, unmodified: programs begin with them, and they check the types of
 * packages as well.
 *
 * @see https://github.com/pulumi/templates/blob/65db26bfbdb2fef067d2a10dcadef7b553b36d60/typescript/tsconfig.json
 */
const template = {
  compilerOptions: {
    strict: true,
    outDir: 'bin',
    target: 'es2020',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    sourceMap: true,
    experimentalDecorators: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ['index.ts', 'literal-names.ts'],
};

test("the types of every subpath compile in a program of Pulumi's own template", () => {
  const folder = join(project, 'template');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'template', main: 'index.ts' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(template));
  const imports = subpaths.map(
    (subpath, n) =>
      `import * as module${n} from 'cluster-canary/${subpath}';\nexport const own${n} = module${n};`,
  );
  writeFileSync(join(folder, 'index.ts'), [whole, ...imports].join('\n'));
  // Names of slots and entries, right and wrong: each wrong one has a mark, which is refused where nothing is wrong.
  cpSync(join(__dirname, 'literal-names.ts'), join(folder, 'literal-names.ts'));
  expect(run(process.execPath, compiler, folder)).toBe('');
});

test('publint has nothing to say', () => {
  const answer = run(
    process.execPath,
    [join(root, 'node_modules/publint/src/cli.js'), 'run', installed, '--strict', '--pack', 'false'],
    project,
  );
  expect(answer).toContain('All good!');
});
