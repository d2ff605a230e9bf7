import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { javascript, TextFile, typescript } from 'projen';

/** Parts of the library, and which others each may import. The command loads Pulumi only when a preview runs. */
const roofs = {
  core: [],
  shift: ['core'],
  lint: ['core'],
  manifests: ['core', 'shift', 'lint'],
  operate: ['core', 'shift', 'lint', 'manifests'],
  pulumi: ['core', 'shift', 'lint', 'manifests', 'operate'],
  cli: ['core', 'shift', 'lint', 'manifests', 'operate', 'pulumi'],
};

/** Folders of modules that others enter as well: what is there loads much less than the module. */
const doors = ['operate/swap/programs', 'shift/report/parts'];

/** What users import, `cluster-canary/webhooks`, and where it is in `lib`. */
const subpaths: Record<string, string> = {
  validation: 'core/validation',
  tokens: 'core/tokens',
  shift: 'shift',
  routers: 'shift/routers',
  leases: 'shift/leases',
  checks: 'shift/checks',
  'plan-file': 'shift/plan-file',
  simulation: 'shift/simulation',
  report: 'shift/report',
  notify: 'shift/notify',
  lint: 'lint',
  webhooks: 'manifests/webhooks',
  certificates: 'manifests/certificates',
  argocd: 'manifests/argocd',
  flagger: 'manifests/flagger',
  rollouts: 'manifests/rollouts',
  restarter: 'manifests/restarter',
  workflows: 'manifests/workflows',
  'time-sync': 'manifests/time-sync',
  'clock-guard': 'manifests/clock-guard',
  'cluster-sync': 'operate/cluster-sync',
  drain: 'operate/drain',
  'ca-rotation': 'operate/ca-rotation',
  clocks: 'operate/clocks',
  'restart-rollouts': 'operate/restart-rollouts',
  swap: 'operate/swap/fleet',
  history: 'operate/history',
  doctor: 'operate/doctor',
  bridge: 'pulumi/bridge',
  addons: 'pulumi/addons',
  fleet: 'pulumi/fleet',
  helmfile: 'pulumi/helmfile',
  hubs: 'pulumi/hubs',
  'pulumi-swap': 'pulumi/swap',
  traffic: 'pulumi/traffic',
  preview: 'pulumi/preview',
  'policy-pack': 'pulumi/policy-pack',
};

/** The file of a subpath without its ending: modules are folders, but for those of one file. */
const fileOf = (subpath: string): string => {
  const module = subpaths[subpath]!;
  return existsSync(join(__dirname, 'lib', `${module}.ts`)) ? module : `${module}/index`;
};

/**
 * Compiles in a fifth of the time of TypeScript 5, and writes the same code. It has no API yet: ts-node works with 5.
 */
const compiler = 'node node_modules/typescript-7/bin/tsc';

/** npm does this where the package is installed; in a checkout a Release runs its post-renderer from here. */
const executable = `node -e "for (const name of ['main', 'harden']) fs.chmodSync('dist/cli/' + name + '.js', 0o755)"`;

/** In place of `dist/cli/lint-and-harden.js`, which does the same from hundreds of modules. */
const bundle = 'node .ci/bundle.cjs';

/**
 * Each test file loads the library anew, most of which is garbage soon: a larger young generation copies less of it, and
 * threads that help to collect have no core of their own beside other workers. These take the settings over.
 */
const jest = 'node --max-semi-space-size=64 --single-threaded-gc node_modules/jest/bin/jest.js';

/** A version that the library is developed with, and the range that its users may bring. */
const peers: Record<string, { range: string; pinned: string; optional: boolean }> = {
  '@pulumi/aws': { range: '^7.48.0', pinned: '7.48.0', optional: true },
  '@pulumi/eks': { range: '^4.3.0', pinned: '4.3.0', optional: true },
  '@pulumi/kubernetes': { range: '^4.34.0', pinned: '4.34.2', optional: true },
  '@pulumi/policy': { range: '^1.21.0', pinned: '1.21.0', optional: true },
  '@pulumi/pulumi': { range: '^3.248.0', pinned: '3.248.0', optional: true },
  cdk8s: { range: '^2.70.0', pinned: '2.70.106', optional: false },
  'cdk8s-plus-28': { range: '^2.5.6', pinned: '2.5.6', optional: true },
  constructs: { range: '^10.8.0', pinned: '10.8.1', optional: false },
};

const project = new typescript.TypeScriptProject({
  name: 'cluster-canary',
  description:
    'Blue/green EKS clusters behind weighted load balancing, with Argo CD on top: Pulumi components and cdk8s constructs',
  keywords: ['pulumi', 'cdk8s', 'eks', 'kubernetes', 'blue-green', 'canary', 'argocd', 'gitops'],
  license: 'Apache-2.0',
  copyrightOwner: 'The cluster-canary authors',
  authorName: 'The cluster-canary authors',
  authorOrganization: true,
  authorEmail: 'maintainers@cluster-canary.example',
  defaultReleaseBranch: 'main',
  packageManager: javascript.NodePackageManager.NPM,
  projenrcTs: false,
  projenrcJs: false,
  srcdir: 'lib',
  libdir: 'dist',
  entrypoint: 'dist/index.js',
  entrypointTypes: 'dist/index.d.ts',
  minNodeVersion: '20.19.0',
  typescriptVersion: '~5.9.3',
  projenVersion: '0.103.25',
  npmignoreEnabled: false,
  tsconfigDevFile: 'tsconfig.dev.json',
  sampleCode: false,
  jest: false,
  eslint: false,
  github: false,
  depsUpgrade: false,
  buildWorkflow: false,
  release: false,
  package: false,
  deps: [
    '@aws-crypto/sha256-js@^5.2.0',
    '@aws-sdk/client-cloudwatch@^3.1162.0',
    '@aws-sdk/client-ec2@^3.1169.0',
    '@aws-sdk/client-eks@^3.1169.0',
    '@aws-sdk/client-elastic-load-balancing-v2@^3.1142.0',
    '@aws-sdk/client-eventbridge@^3.1169.0',
    '@aws-sdk/client-route-53@^3.1169.0',
    '@aws-sdk/client-s3@^3.1169.0',
    '@aws-sdk/client-service-quotas@^3.1138.0',
    '@aws-sdk/client-sns@^3.1169.0',
    '@aws-sdk/client-ssm@^3.1169.0',
    '@aws-sdk/client-sts@^3.1169.0',
    '@aws-sdk/credential-providers@^3.1169.0',
    '@opentelemetry/api@1.9.1',
    '@opentelemetry/otlp-transformer@0.223.1',
    '@opentelemetry/resources@2.12.1',
    '@opentelemetry/sdk-trace@2.12.1',
    '@smithy/node-http-handler@^4.14.2',
    '@smithy/signature-v4@^5.7.5',
    'commander@^14.0.3',
    'js-yaml@^4.3.2',
    're2js@2.10.0',
    'socks@^2.8.10',
    'valibot@1.5.0',
    'yaml@^2.9.1',
  ],
  peerDependencyOptions: { pinnedDevDependency: false },
  peerDeps: Object.entries(peers).map(([name, { range }]) => `${name}@${range}`),
  devDeps: [
    ...Object.entries(peers).map(([name, { pinned }]) => `${name}@${pinned}`),
    '@arethetypeswrong/cli@0.18.5',
    '@aws-sdk/client-iam@3.1169.0',
    '@aws-sdk/client-kms@3.1162.0',
    '@kubernetes-models/argo-cd@2.7.2',
    '@kubernetes-models/cert-manager@4.4.4',
    '@peculiar/x509@1.14.3',
    '@stryker-mutator/core@9.6.1',
    '@stryker-mutator/jest-runner@9.6.1',
    '@swc/core@1.16.18',
    '@swc/jest@0.2.39',
    '@types/jest@29.5.14',
    '@types/js-yaml@^4.0.9',
    '@types/node@^20.19.0',
    'ajv@8.20.0',
    'axe-core@4.14.1',
    'cdk8s-cli@2.207.60',
    'dependency-cruiser@17.3.9',
    'dictionary-en@4.0.0',
    'esbuild@0.28.2',
    'fast-check@3.23.2',
    'jest@29.7.0',
    'kubernetes-models@4.5.1',
    'marked@9.1.6',
    'nspell@2.1.5',
    'oxfmt@0.75.0',
    'oxlint@1.89.0',
    'oxlint-tsgolint@7.0.2004',
    'publint@0.3.25',
    'ts-node@10.9.2',
    'typedoc@0.28.20',
    'typescript-7@npm:typescript@7.0.2',
  ],
  bin: { 'cluster-canary': 'dist/cli/main.js', 'cluster-canary-harden': 'dist/cli/harden.js' },
  gitignore: ['/dist/', '/out/', '/examples/**/out/', '/examples/**/dist/', '*.tsbuildinfo', '.DS_Store'],
  tsconfig: {
    compilerOptions: {
      target: 'ES2022',
      lib: ['es2022'],
      module: 'commonjs',
      declaration: true,
      skipLibCheck: true,
      sourceMap: false,
      inlineSourceMap: false,
      inlineSources: false,
      noUncheckedIndexedAccess: true,
      stripInternal: true,
      types: ['node'],
    },
  },
  tsconfigDev: {
    compilerOptions: {
      target: 'ES2022',
      lib: ['es2022', 'dom'],
      types: ['node', 'jest'],
      module: 'commonjs',
      skipLibCheck: true,
      noUncheckedIndexedAccess: true,
      isolatedModules: true,
      paths: {
        'cluster-canary': ['./lib/index.ts'],
        ...Object.fromEntries(
          Object.keys(subpaths).map((subpath) => [
            `cluster-canary/${subpath}`,
            [`./lib/${fileOf(subpath)}.ts`],
          ]),
        ),
      },
    },
    include: ['lib/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts', '.projenrc.ts'],
    exclude: ['node_modules', 'dist', 'out'],
  },
});

project.package.addField('files', [
  'dist',
  'dashboards',
  'schemas',
  'docs/rules.md',
  'README.md',
  'README.ja.md',
  'LICENSE',
]);
project.package.addField('exports', {
  '.': { types: './dist/index.d.ts', default: './dist/index.js' },
  ...Object.fromEntries(
    Object.keys(subpaths).map((subpath) => [
      `./${subpath}`,
      { types: `./dist/${fileOf(subpath)}.d.ts`, default: `./dist/${fileOf(subpath)}.js` },
    ]),
  ),
  './dashboards/*': './dashboards/*',
  './schemas/*': './schemas/*',
  './package.json': './package.json',
});
// For programs that still resolve types the classic way and do not read "exports".
project.package.addField('typesVersions', {
  '*': Object.fromEntries(
    Object.keys(subpaths).map((subpath) => [subpath, [`dist/${fileOf(subpath)}.d.ts`]]),
  ),
});
project.package.addField(
  'peerDependenciesMeta',
  Object.fromEntries(
    Object.entries(peers)
      .filter(([, { optional }]) => optional)
      .map(([name]) => [name, { optional: true }]),
  ),
);
// A registry's address in the lock would be that of whoever wrote it last; the checksums say what a package is.
new javascript.NpmConfig(project).addConfig('omit-lockfile-registry-resolved', 'true');
project.package.addField('sideEffects', false);
project.package.addField('type', 'commonjs');

new TextFile(project, '.modules.json', { lines: [JSON.stringify({ roofs, doors, subpaths }, null, 2)] });
const format = {
  singleQuote: true,
  printWidth: 110,
  trailingComma: 'all',
  ignorePatterns: [
    'dist',
    'out',
    'package.json',
    'package-lock.json',
    'tsconfig*.json',
    '.projen',
    '.modules.json',
    '.oxfmtrc.json',
    '**/*.md',
    '**/charts/*/templates',
    'examples/**/out',
    'examples/**/dist',
  ],
};
new TextFile(project, '.oxfmtrc.json', { lines: [JSON.stringify(format, null, 2)] });

for (const task of ['build', 'clobber', 'eject', 'watch', 'package', 'pre-compile', 'post-compile']) {
  project.removeTask(task);
}
project.defaultTask!.reset(
  `ts-node --transpile-only --compiler-options '{"module":"commonjs","moduleResolution":"node"}' .projenrc.ts`,
);
// What a file of another name left behind would be published.
project.compileTask.reset(`node -e "fs.rmSync('dist', { recursive: true, force: true })"`);
project.compileTask.exec(`${compiler} --build --force`);
project.compileTask.exec(bundle);
project.compileTask.exec(executable);
project.testTask.reset();
for (const [name, exec, description] of [
  [
    'typecheck',
    `${compiler} --noEmit -p tsconfig.dev.json`,
    'Type-check library, tests, examples and benches',
  ],
  [
    'lint',
    'oxlint --deny-warnings --report-unused-disable-directives --tsconfig tsconfig.dev.json lib test examples bench .projenrc.ts',
    'Lint with type-aware rules',
  ],
  ['format:check', 'oxfmt --check .', 'Check the formatting'],
  ['format', 'oxfmt .', 'Format every file'],
  [
    'modules',
    'depcruise lib --config .dependency-cruiser.cjs',
    'Check the import directions between modules',
  ],
  ['unit', `${jest} --ci`, 'Run the tests (never updates snapshots)'],
] as const) {
  project.addTask(name, { exec, description, receiveArgs: name === 'unit' || name === 'lint' });
}
project.addTask('check', {
  description: 'Compile, and everything that needs no test to run',
  exec: '.ci/check',
});
for (const task of ['check', 'unit']) {
  project.testTask.spawn(project.tasks.tryFind(task)!);
}
project.addTask('start', {
  description: 'Compile, then run the demo: a shift with real requests on this machine',
  steps: [
    { exec: `${compiler} --build` },
    { exec: bundle },
    { exec: executable },
    { exec: 'node dist/cli/main.js demo', receiveArgs: true },
  ],
});
const endToEnd = 'ts-node --transpile-only --project tsconfig.dev.json test/e2e';
for (const [name, script, description] of [
  ['test:e2e', `${endToEnd}/run.ts`, 'Drive real engines; name parts of the suite to run only those'],
  ['test:e2e:nightly', `${endToEnd}/run.ts --nightly`, 'The parts of the end-to-end suite that take longer'],
  ['e2e:tools', `${endToEnd}/run.ts --provide`, 'Build and install what the end-to-end suite drives'],
  [
    'e2e:charts',
    `${endToEnd}/fetch-charts.ts`,
    'Fetch the charts of the example fleet from their repositories',
  ],
  ['e2e:plugins', `${endToEnd}/install-plugins.ts`, "Install Pulumi's own providers into a folder"],
  ['e2e:up', `${endToEnd}/playground.ts up`, 'Start two control planes with Argo CD, cert-manager and moto'],
  ['e2e:down', `${endToEnd}/playground.ts down`, 'End what e2e:up started'],
] as const) {
  project.addTask(name, {
    description,
    steps: [
      { exec: `${compiler} --build` },
      { exec: bundle },
      { exec: executable },
      { exec: script, receiveArgs: true },
    ],
  });
}
project.addTask('api', { description: 'Make the API reference in out/api', exec: 'typedoc' });
project.addTask('package:check', {
  description: 'Look at the package as it would be published: exports, types under every module resolution',
  steps: [
    { spawn: 'compile' },
    // npm does not make the folder.
    { exec: `node -e "fs.mkdirSync('out', { recursive: true })"` },
    { exec: 'npm pack --ignore-scripts --pack-destination out' },
    { exec: 'publint run --strict out/cluster-canary-*.tgz' },
    { exec: 'attw --profile node16 out/cluster-canary-*.tgz' },
  ],
});
project.addTask('package:installs', {
  description: 'Install the package with npm, pnpm and yarn, and run programs with it: needs the registry',
  steps: [
    { spawn: 'compile' },
    {
      exec: 'ts-node --transpile-only --project tsconfig.dev.json test/package-installs/run.ts',
      receiveArgs: true,
    },
  ],
});
project.addTask('mutate', {
  description: 'Change decisions in small ways and see whether a test notices; takes most of an hour',
  steps: [{ exec: 'node test/mutation/run.js', receiveArgs: true }],
});
project.addTask('fuzz', {
  description: 'Fuzz the reading and linting of manifests for longer than npm test does',
  steps: [
    { exec: 'jest test/lint/fuzz', receiveArgs: true },
    { exec: 'jest --config jest.slow.config.js test/hostile test/cli/hostile-values', receiveArgs: true },
  ],
  env: { FUZZ: '100' },
});
project.addTask('bench', {
  description: 'Measure, and write docs/benchmarks.md',
  steps: [
    { exec: `${compiler} --build` },
    { exec: bundle },
    { exec: 'ts-node --transpile-only --project tsconfig.dev.json bench/run.ts', receiveArgs: true },
  ],
});

project.synth();
