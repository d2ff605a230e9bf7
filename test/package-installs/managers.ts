/** A package manager in an exact version. */
export interface PackageManager {
  readonly name: string;
  readonly program: string;
  /** Arguments before any of its commands. */
  readonly before: readonly string[];
  readonly install: readonly string[];
  /** Comes before a program of the project that is to run. */
  readonly execute: readonly string[];
  /** What it needs beside `package.json`. */
  readonly files: Readonly<Record<string, string>>;
}

/** Of the machine, and those that its npm fetches. */
export const managers: readonly PackageManager[] = [
  {
    name: 'npm',
    program: 'npm',
    before: [],
    install: ['install', '--no-audit', '--no-fund'],
    execute: ['exec', '--'],
    files: {},
  },
  {
    name: 'pnpm 10',
    ...fetched('pnpm@10.34.8', 'pnpm'),
    install: ['install'],
    execute: ['exec'],
    files: {},
  },
  {
    name: 'yarn 1',
    ...fetched('yarn@1.22.22', 'yarn'),
    install: ['install', '--non-interactive'],
    execute: ['--silent', 'run'],
    files: {},
  },
  {
    name: 'yarn 4',
    ...fetched('@yarnpkg/cli-dist@4.18.1', 'yarn'),
    install: ['install', '--no-immutable'],
    execute: ['exec'],
    files: {
      '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\nenableGlobalCache: true\n',
      // Makes the folder a project of its own.
      'yarn.lock': '',
    },
  },
];

function fetched(spec: string, name: string): Pick<PackageManager, 'program' | 'before'> {
  return { program: 'npx', before: ['--yes', '--package', spec, '--', name] };
}
