import { dirname, join } from 'node:path';
import * as ts from 'typescript';

/** With the language's own types, which take a second more. */
export const withLanguage: ts.CompilerOptions = { strict: true, lib: ['lib.es2022.d.ts'] };

/** Files of the library and of the language are the same in each program. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * The library alone: packages are not looked up, so that types of theirs are unknown here. That is enough to know names
 * and docstrings, and takes a second in place of ten.
 */
export function libraryProgram(entries: readonly string[], more: ts.CompilerOptions): ts.Program {
  const options: ts.CompilerOptions = { types: [], target: ts.ScriptTarget.ES2022, ...more };
  const disk = ts.createCompilerHost(options, true);
  const inLibrary = (name: string, importer: string): string | undefined => {
    const path = join(dirname(importer), name);
    return name.startsWith('.')
      ? [`${path}.ts`, join(path, 'index.ts')].find((file) => disk.fileExists(file))
      : undefined;
  };
  return ts.createProgram(entries, options, {
    ...disk,
    getSourceFile: (name, version) => {
      if (!parsed.has(name)) {
        parsed.set(name, disk.getSourceFile(name, version));
      }
      return parsed.get(name);
    },
    resolveModuleNameLiterals: (literals, importer) =>
      literals.map(({ text }) => {
        const resolvedFileName = inLibrary(text, importer);
        return {
          resolvedModule: resolvedFileName
            ? { resolvedFileName, extension: ts.Extension.Ts, isExternalLibraryImport: false }
            : undefined,
        };
      }),
  });
}
