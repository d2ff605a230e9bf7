import { blocksOf, pages } from '../docs/documents';

/** An empty project that installs the package, and then shows that it works. */
export interface Project {
  readonly name: string;
  /** Which of the package's peers it installs. */
  readonly brings: (peer: string) => boolean;
  readonly type: 'commonjs' | 'module';
  readonly files: Readonly<Record<string, string>>;
  readonly runs: readonly Run[];
}

/** A program of the project, and what has to be in its output. */
export interface Run {
  readonly command: readonly string[];
  readonly prints: RegExp;
}

function firstProgramOf(page: string): string {
  const [block] = blocksOf(
    pages.find(({ path }) => path === page)!,
    'ts',
  );
  return block!.code;
}

const compilerOptions = {
  module: 'node16',
  moduleResolution: 'node16',
  target: 'es2022',
  strict: true,
  skipLibCheck: true,
  outDir: 'built',
  types: ['node'],
};
const settings = { 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }) };

/** The README's first program, as it is printed there, in CommonJS. */
const fleet: Project = {
  name: 'fleet',
  brings: () => true,
  type: 'commonjs',
  files: {
    ...settings,
    'index.ts': firstProgramOf('README.md'),
    'Pulumi.yaml': 'name: fleet\nruntime: nodejs\nmain: index.ts\n',
    'Pulumi.dev.yaml': `config:
  aws:region: eu-west-1
  fleet:vpcId: vpc-0123456789abcdef0
  fleet:publicSubnetIds: '["subnet-0aaaaaaaaaaaaaaa1","subnet-0aaaaaaaaaaaaaaa2"]'
  fleet:privateSubnetIds: '["subnet-0bbbbbbbbbbbbbbb1","subnet-0bbbbbbbbbbbbbbb2"]'
  fleet:certificateArn: arn:aws:acm:eu-west-1:123456789012:certificate/00000000-0000-0000-0000-000000000000
`,
    'imported.mjs': `import { fleet } from 'cluster-canary';
import { FleetTraffic } from 'cluster-canary/traffic';
console.log(typeof fleet.ClusterFleet, typeof FleetTraffic);
`,
  },
  runs: [
    { command: ['tsc'], prints: /^\s*$/ },
    { command: ['cluster-canary', 'preview', '.'], prints: /aws:lb:ListenerRule {2}apps-web/ },
    { command: ['node', 'imported.mjs'], prints: /^function function\s*$/ },
  ],
};

/** A repository that only writes manifests: an ES module, without any package of Pulumi's. */
const manifests: Project = {
  name: 'manifests',
  brings: (peer) => !peer.startsWith('@pulumi/'),
  type: 'module',
  files: {
    ...settings,
    'main.ts': firstProgramOf('docs/argocd.md'),
    'required.cjs': `console.log(typeof require('cluster-canary/argocd').ApplicationSet);
`,
  },
  runs: [
    { command: ['tsc'], prints: /^\s*$/ },
    { command: ['node', 'built/main.js'], prints: /^\s*$/ },
    { command: ['cluster-canary', 'lint', 'dist', '--format', 'json'], prints: /"objects": ?2/ },
    { command: ['node', 'required.cjs'], prints: /^function\s*$/ },
  ],
};

export const projects: readonly Project[] = [fleet, manifests];
