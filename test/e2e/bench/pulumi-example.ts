import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import * as ts from 'typescript';
import { temporaryFolder } from './temporary';

const examples = resolve(__dirname, '../../../examples');

/** Something that is written differently from the file. */
export interface Edit {
  readonly from: string;
  readonly to: string;
}

/**
 * The program of an example, its text run afresh each time, as `pulumi up` would in a new process. Its exports are the
 * stack's outputs.
 *
 * @param file below `examples`: `fleet/index.ts`
 * @param load the test file's own `require`, so that the program gets the same modules as the test
 * @param edits what is written differently; each must fit exactly once
 */
export function exampleProgram(
  file: string,
  load: (module: string) => unknown,
  edits: readonly Edit[] = [],
): PulumiFn {
  const path = resolve(examples, file);
  const text = editedText(file, edits);
  const { outputText } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
    },
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- the text of our own example
  const run = new Function('require', 'exports', outputText) as (
    require: (module: string) => unknown,
    exports: Record<string, unknown>,
  ) => void;
  return () => {
    const exports: Record<string, unknown> = {};
    run((module) => load(module.startsWith('.') ? resolve(dirname(path), module) : module), exports);
    return Promise.resolve(exports);
  };
}

/** The program of an example as a file, for `pulumi up` itself; with edits it is a copy elsewhere. */
export function exampleFile(file: string, edits: readonly Edit[] = []): string {
  const path = resolve(examples, file);
  if (edits.length === 0) {
    return path;
  }
  const copy = join(temporaryFolder('example'), 'index.ts');
  const text = editedText(file, edits).replaceAll(/(?<= from ')\.[^']*/g, (module) =>
    resolve(dirname(path), module),
  );
  writeFileSync(copy, text);
  return copy;
}

function editedText(file: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (before, { from, to }) => {
      const parts = before.split(from);
      if (parts.length !== 2) {
        throw new Error(`${file} has "${from}" ${parts.length - 1} times, not once`);
      }
      return parts.join(to);
    },
    readFileSync(resolve(examples, file), 'utf8'),
  );
}
