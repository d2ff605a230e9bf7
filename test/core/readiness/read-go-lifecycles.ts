import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the types of one release say of one kind; versions are minors. */
export interface GoLifecycle {
  readonly introduced?: number;
  readonly deprecated?: number;
  readonly removed?: number;
  /** `policy/v1 PodDisruptionBudget` */
  readonly replacement?: string;
}

/** The kinds of one minor release, by `policy/v1beta1 PodDisruptionBudget`. */
export interface GoRelease {
  readonly minor: number;
  readonly kinds: ReadonlyMap<string, GoLifecycle>;
}

/** A Go module with types, its folder of packages GROUP/VERSION, and one release of each minor that can still be had. */
interface GoModule {
  readonly path: string;
  readonly folder: string;
  readonly releases: readonly string[];
}

const since31 = ['v0.31.14', 'v0.32.13', 'v0.33.13', 'v0.34.13', 'v0.35.10', 'v0.36.6', 'v0.37.2'];

/** Where the types of built-in APIs are, and those that API servers serve beside them. */
const modules: readonly GoModule[] = [
  {
    path: 'k8s.io/api',
    folder: '.',
    releases: [
      ...['v0.17.5', 'v0.20.6', 'v0.21.14', 'v0.22.17', 'v0.23.16', 'v0.24.3', 'v0.25.9', 'v0.26.15'],
      ...['v0.27.4', 'v0.28.3', 'v0.29.15', 'v0.30.14', ...since31],
    ],
  },
  {
    path: 'k8s.io/apiextensions-apiserver',
    folder: 'pkg/apis',
    releases: ['v0.24.2', 'v0.26.9', 'v0.28.3', 'v0.30.14', ...since31],
  },
  {
    path: 'k8s.io/kube-aggregator',
    folder: 'pkg/apis',
    releases: ['v0.29.6', 'v0.30.14', ...since31.filter((release) => release !== 'v0.31.14')],
  },
];

/** Every module, release by release from the oldest on. Needs Go, and the proxy of its modules. */
export function readModules(): readonly (readonly GoRelease[])[] {
  return modules.map(({ path, folder, releases }) =>
    releases.map((release) => {
      const root = join(downloaded(`${path}@${release}`), folder);
      const groups = readdirSync(root, { withFileTypes: true })
        .filter((each) => each.isDirectory() && each.name !== 'testdata')
        .map((each) => join(root, each.name));
      const kinds = new Map(groups.flatMap((group) => [...kindsOfGroup(group)]));
      return { minor: Number(release.split('.')[1]), kinds };
    }),
  );
}

function downloaded(module: string): string {
  // Outside of any module, so that nothing of another one counts.
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-lifecycles-'));
  try {
    writeFileSync(join(folder, 'go.mod'), 'module lifecycles\n');
    const answer = execFileSync('go', ['mod', 'download', '-json', module], {
      cwd: folder,
      encoding: 'utf8',
    });
    return (JSON.parse(answer) as { readonly Dir: string }).Dir;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function* kindsOfGroup(folder: string): Iterable<readonly [string, GoLifecycle]> {
  const versions = readdirSync(folder).filter((name) => /^v\d+((alpha|beta)\d+)?$/.test(name));
  for (const version of versions) {
    const register = join(folder, version, 'register.go');
    if (!existsSync(register)) {
      continue;
    }
    const text = readFileSync(register, 'utf8');
    const group = /GroupName\s*=\s*"([^"]*)"/.exec(text)?.[1];
    if (group === undefined) {
      throw new Error(`${register} names no group`);
    }
    const lifecycles = readLifecycles(join(folder, version, 'zz_generated.prerelease-lifecycle.go'));
    const kinds = new Set([...registeredKinds(text), ...lifecycles.keys()]);
    for (const kind of kinds) {
      yield [`${group === '' ? '' : `${group}/`}${version} ${kind}`, lifecycles.get(kind) ?? {}];
    }
  }
}

/** `&Deployment{},` in the call of AddKnownTypes. */
function registeredKinds(text: string): readonly string[] {
  return [...text.matchAll(/&(?:\w+\.)?(\w+)\{\}/g)].map(([, kind]) => kind!);
}

function readLifecycles(file: string): ReadonlyMap<string, GoLifecycle> {
  if (!existsSync(file)) {
    return new Map();
  }
  const found = new Map<string, GoLifecycle>();
  const text = readFileSync(file, 'utf8');
  const minors =
    /func \(in \*(\w+)\) APILifecycle(Introduced|Deprecated|Removed)\(\) \(major, minor int\) \{\s*return 1, (\d+)/g;
  for (const [, kind, what, minor] of text.matchAll(minors)) {
    found.set(kind!, { ...found.get(kind!), [what!.toLowerCase()]: Number(minor) });
  }
  const replacements =
    /func \(in \*(\w+)\) APILifecycleReplacement\(\)[^{]*\{\s*return schema\.GroupVersionKind\{Group: "([^"]*)", Version: "([^"]*)", Kind: "([^"]*)"\}/g;
  for (const [, kind, group, version, other] of text.matchAll(replacements)) {
    const replacement = `${group === '' ? '' : `${group}/`}${version} ${other}`;
    found.set(kind!, { ...found.get(kind!), replacement });
  }
  return found;
}
