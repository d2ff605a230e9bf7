import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidInput } from '../../core/validation/problems';
import type { Project } from './project';
import type { Sdk } from './sdk';

/**
 * Collects what a program throws, wherever it does: a rejection inside of `apply` reaches nobody but the
 * process. One error often comes by several ways; it counts once.
 */
export class ProgramErrors {
  private readonly found = new Set<unknown>();
  private announce: () => void = () => undefined;

  /** Resolves with the first error. */
  public readonly first = new Promise<void>((resolve) => {
    this.announce = resolve;
  });

  /** What was thrown, in order. */
  public get all(): unknown[] {
    const texts = new Set<string>();
    return [...this.found].filter((error) => {
      const text = String((error as Error | undefined)?.stack ?? error);
      return !texts.has(text) && texts.add(text);
    });
  }

  public readonly add = (error: unknown): void => {
    this.found.add(error);
    this.announce();
  };

  /** Listens to what nobody catches, until the returned function is called. */
  public listen(): () => void {
    process.on('uncaughtException', this.add);
    process.on('unhandledRejection', this.add);
    return () => {
      process.off('uncaughtException', this.add);
      process.off('unhandledRejection', this.add);
    };
  }
}

interface Compiler {
  parseConfigFileTextToJson(file: string, text: string): { config?: { compilerOptions?: object } };
}

interface TsNode {
  register(options: object): unknown;
}

/** ts-node leaves its service here when it is registered. */
const tsNodeService = Symbol.for('ts-node.register.instance');

/**
 * Lets Node load TypeScript, the way Pulumi does: with ts-node and TypeScript as the SDK finds them (its own
 * copies where none are installed) and the tsconfig.json of the program's folder. Types are not checked.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/cmd/run/run.ts
 */
function loadTypeScript(sdk: Sdk, directory: string, isModule: boolean): void {
  const tsconfig = join(directory, process.env['PULUMI_NODEJS_TSCONFIG_PATH'] ?? 'tsconfig.json');
  if (isModule) {
    loadModules(directory, tsconfig);
    return;
  }
  if (tsNodeService in process) {
    // A second one would compile what the first one has compiled, and lose the lines.
    return;
  }
  const compiler =
    installed(sdk, 'typescript') ?? join(sdk.directory, 'vendor/typescript@3.8.3/typescript.js');
  const tsNode = installed(sdk, 'ts-node') ?? join(sdk.directory, 'vendor/ts-node@7.0.1');
  (sdk.require(tsNode) as TsNode).register({
    compiler,
    transpileOnly: true,
    project: tsconfig,
    skipProject: !existsSync(tsconfig),
    compilerOptions: {
      target: 'ES2020',
      sourceMap: true,
      ...ownOptions(sdk.require(compiler) as Compiler, tsconfig),
      // A file on its own doesn't say whether it is a module: the package does, and here it says no.
      module: 'commonjs',
      moduleResolution: 'node',
    },
  });
}

/** Options that the file itself sets: Pulumi's own defaults win over files that it extends. */
function ownOptions(typescript: Compiler, tsconfig: string): object {
  if (!existsSync(tsconfig)) {
    return {};
  }
  const { config } = typescript.parseConfigFileTextToJson(tsconfig, readFileSync(tsconfig, 'utf8'));
  return config?.compilerOptions ?? {};
}

/** TypeScript in a package of ES modules needs the loader of a ts-node that is installed with the program. */
function loadModules(directory: string, tsconfig: string): void {
  let loader: string;
  try {
    loader = createRequire(join(directory, 'program.js')).resolve('ts-node/esm/transpile-only');
  } catch {
    throw new InvalidInput('preview', [
      {
        path: 'program',
        value: directory,
        allowed: 'where ts-node 10 is installed, for TypeScript as ES modules',
      },
    ]);
  }
  if (existsSync(tsconfig)) {
    process.env['TS_NODE_PROJECT'] = tsconfig;
  }
  register(pathToFileURL(loader));
}

function installed(sdk: Sdk, name: string): string | undefined {
  try {
    return sdk.require.resolve(name);
  } catch {
    return undefined;
  }
}

/** The part of a package.json that says how a program is loaded. */
interface Manifest {
  readonly type?: string;
  readonly main?: string;
  readonly exports?: string | Record<string, string | Record<string, string>>;
}

// The compiler would turn a plain import() into require().
// oxlint-disable-next-line typescript/no-implied-eval
const importModule = new Function('url', 'return import(url)') as (url: string) => Promise<object>;

/**
 * Loads a program as Pulumi's Node.js language host does, and answers what it exports, which are the stack's
 * outputs. A function is called.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/cmd/run/run.ts
 */
export async function runPulumiProgram(project: Project, sdk: Sdk): Promise<unknown> {
  const path = resolve(project.directory, project.entry);
  const { folder, manifest } = nearestManifest(project.entry === '.' ? path : dirname(path));
  const isModule = manifest.type === 'module';
  const entry = project.entry === '.' ? mainFile(folder, manifest, path) : path;
  if (project.typescript) {
    loadTypeScript(sdk, project.directory, isModule);
  } else {
    sdk.require('source-map-support/register');
  }
  const exported: unknown = isModule ? await importDefault(entry) : requireAnew(entry);
  return await (typeof exported === 'function' ? (exported as () => unknown)() : exported);
}

function nearestManifest(folder: string): { folder: string; manifest: Manifest } {
  const file = join(folder, 'package.json');
  if (existsSync(file)) {
    return { folder, manifest: JSON.parse(readFileSync(file, 'utf8')) as Manifest };
  }
  return dirname(folder) === folder ? { folder, manifest: {} } : nearestManifest(dirname(folder));
}

/** What package.json names as the program; the folder itself where it names nothing that exists. */
function mainFile(folder: string, manifest: Manifest, fallback: string): string {
  const { exports } = manifest;
  const main = typeof exports === 'object' ? exports['.'] : (exports ?? manifest.main);
  const name = typeof main === 'object' ? (main['default'] ?? main['require'] ?? main['import']) : main;
  const file = name && join(folder, name);
  return file && existsSync(file) ? file : fallback;
}

/** Loads a program's modules even if an earlier preview loaded them; packages are kept. */
function requireAnew(entry: string): unknown {
  const load = createRequire(join(dirname(entry), 'program.js'));
  for (const earlier of Object.keys(load.cache)) {
    if (previewed.delete(earlier)) {
      Reflect.deleteProperty(load.cache, earlier);
    }
  }
  const file = entryFile(load, entry);
  if (load.cache[file] !== undefined) {
    throw new Error(
      `${file} was loaded before its preview and would not run again (jest.resetModules() helps)`,
    );
  }
  const before = new Set(Object.keys(load.cache));
  try {
    return load(file);
  } finally {
    for (const fresh of Object.keys(load.cache)) {
      if (!before.has(fresh) && !/[\\/]node_modules[\\/]/.test(fresh)) {
        previewed.add(fresh);
      }
    }
  }
}

function entryFile(load: NodeJS.Require, entry: string): string {
  try {
    return load.resolve(statSync(entry).isDirectory() ? `${entry}/` : entry);
  } catch {
    throw new Error(`there is no program in ${entry}; main in Pulumi.yaml says where it is`);
  }
}

/** Files of programs that were loaded by earlier previews in this process. */
const previewed = new Set<string>();

/** Programs of ES modules that were loaded in this process. */
const imported = new Set<string>();

async function importDefault(entry: string): Promise<unknown> {
  const url = pathToFileURL(moduleFile(realpathSync(entry))).href;
  if (imported.has(url)) {
    throw new Error(
      'a program of ES modules can be previewed once in a process: Node keeps what it has loaded',
    );
  }
  imported.add(url);
  const module = (await importModule(url)) as Record<string, unknown>;
  if (!('default' in module)) {
    return module;
  }
  if (Object.keys(module).length > 1) {
    throw new Error('a program exports either a default or names, not both');
  }
  return module['default'];
}

/** Import, unlike require, wants a file. */
function moduleFile(entry: string): string {
  if (extname(entry) !== '' && !statSync(entry).isDirectory()) {
    return entry;
  }
  const file = ['index.js', 'index.mjs', 'index.ts', 'index.mts']
    .map((name) => join(entry, name))
    .find((each) => existsSync(each));
  if (file === undefined) {
    throw new Error(`there is no program in ${entry}; main in Pulumi.yaml says where it is`);
  }
  return file;
}
