import { existsSync, readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidInput } from '../problems';
import type { Sdk } from './sdk';

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
export function loadTypeScript(sdk: Sdk, directory: string, isModule: boolean): void {
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
