import { join } from 'node:path';
import * as ts from 'typescript';
import { blocksOf, pages, root } from './documents';

const blocks = pages.flatMap((page) => blocksOf(page, 'ts'));

/** Each block as a file of its own, in one program: the library is read once. */
const problems = ((): ReadonlyMap<string, readonly string[]> => {
  const options: ts.CompilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    moduleDetection: ts.ModuleDetectionKind.Force,
    esModuleInterop: true,
    experimentalDecorators: true,
    resolveJsonModule: true,
    types: ['node'],
    baseUrl: root,
    paths: { 'cluster-canary': ['lib/index.ts'], 'cluster-canary/*': ['lib/*/index.ts'] },
  };
  const files = new Map(
    blocks.map(({ code }, index) => [join(root, 'test/docs', `block-${index}.ts`), code] as const),
  );
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    getSourceFile: (name, ...rest) => {
      const code = files.get(name);
      return code === undefined
        ? disk.getSourceFile(name, ...rest)
        : ts.createSourceFile(name, code, ts.ScriptTarget.ES2022);
    },
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return new Map(
    [...files.keys()].map((name, index) => {
      const source = program.getSourceFile(name)!;
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      const { page, line, place } = blocks[index]!;
      return [
        place,
        found.map(({ start = 0, messageText }) => {
          const at = source.getLineAndCharacterOfPosition(start).line;
          return `${page}:${line + at + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
        }),
      ];
    }),
  );
})();

test('there is code in the pages', () => {
  expect(blocks.length).toBeGreaterThan(20);
});

test.each(blocks.map(({ place }) => place))('%s compiles', (place) => {
  expect(problems.get(place)).toEqual([]);
});
