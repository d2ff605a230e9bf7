import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as ts from 'typescript';
import { temporaryFolder } from './temporary';

/**
 * Makes Helm's folders, with the suite's stand-in for helm-diff as the only plug-in, and answers the environment that leads to
 * them.
 */
export function helmEnvironment(): Record<string, string> {
  const folder = temporaryFolder('helm');
  const plugin = join(folder, 'plugins', 'diff');
  mkdirSync(plugin, { recursive: true });
  const source = readFileSync(join(__dirname, 'helm', 'diff.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  writeFileSync(join(plugin, 'diff.js'), outputText);
  const script = [
    '#!/bin/sh',
    `export NODE_PATH='${resolve(__dirname, '../../../node_modules')}' NODE_NO_WARNINGS=1`,
    `exec '${process.execPath}' '${join(plugin, 'diff.js')}' "$@"`,
  ];
  writeFileSync(join(plugin, 'diff'), `${script.join('\n')}\n`, { mode: 0o755 });
  const described = [
    'name: diff',
    'version: "3.15.11"',
    'usage: stands for helm-diff',
    'description: stands for helm-diff',
    'command: "$HELM_PLUGIN_DIR/diff"',
  ];
  writeFileSync(join(plugin, 'plugin.yaml'), `${described.join('\n')}\n`);
  return {
    HELM_PLUGINS: join(folder, 'plugins'),
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
}
