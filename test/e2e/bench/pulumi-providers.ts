import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import * as ts from 'typescript';
import { chosenProviders, describeProviders, executableOf, providerNames } from './plugin-choice';
import { temporaryFolder } from './temporary';

const root = resolve(__dirname, '../../..');
let made: string | undefined;

/**
 * A folder with the test's own providers and language host as the executables that the engine looks for. They are
 * translated to JavaScript once for a test file: an engine starts half a dozen of them at each operation.
 */
function pluginFolder(): string {
  made ??= makePlugins();
  return made;
}

let said = false;

/** Project settings that lead the engine to them, or to those of `CLUSTER_CANARY_E2E_PLUGINS`; it is said once, to which. */
export function pluginSettings(): object {
  const path = pluginFolder();
  const chosen = chosenProviders(process.env.CLUSTER_CANARY_E2E_PLUGINS);
  if (!said) {
    said = true;
    process.stderr.write(`e2e: Pulumi providers: ${describeProviders(chosen)}\n`);
  }
  return {
    providers: chosen.map(({ name, folder = path }) => ({ name, path: folder })),
    languages: [{ name: 'nodejs', path }],
  };
}

/** Environment in which a program that lies anywhere runs on the library as it was compiled. */
export function programEnvironment() {
  const preloaded = [
    join(root, 'node_modules/ts-node/register/transpile-only'),
    join(pluginFolder(), 'providers/resolve-library.js'),
  ];
  return {
    CLUSTER_CANARY_E2E_LIBRARY: root,
    CLUSTER_CANARY_E2E_NODE_OPTIONS: preloaded.map((file) => `--require=${file}`).join(' '),
    // The SDK would translate the program once more.
    PULUMI_NODEJS_TYPESCRIPT: 'false',
    TS_NODE_PROJECT: join(root, 'tsconfig.dev.json'),
  };
}

function makePlugins(): string {
  const folder = temporaryFolder('plugins');
  const done = new Set<string>();
  const source = (name: string) => join(__dirname, 'providers', `${name}.ts`);
  const executable = (name: string, script: string): void => {
    translate(source(script), folder, done);
    const lines = [
      '#!/bin/sh',
      `export NODE_PATH='${join(root, 'node_modules')}' NODE_NO_WARNINGS=1`,
      `exec '${process.execPath}' '${join(folder, 'providers', `${script}.js`)}' "$@"`,
    ];
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o755 });
  };
  providerNames.forEach((name) => executable(executableOf(name), name));
  executable('pulumi-language-nodejs', 'nodejs-language');
  translate(source('resolve-library'), folder, done);
  return folder;
}

/** Translates a file and what it imports of the bench. */
function translate(source: string, folder: string, done: Set<string>): void {
  if (done.has(source)) {
    return;
  }
  done.add(source);
  const text = readFileSync(source, 'utf8');
  const { outputText } = ts.transpileModule(text, {
    fileName: source,
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
      useDefineForClassFields: false,
    },
  });
  const target = join(folder, relative(__dirname, source).replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
  for (const [, imported] of outputText.matchAll(/require\("(\.[^"]+)"\)/g)) {
    translate(`${resolve(dirname(source), imported!)}.ts`, folder, done);
  }
}
