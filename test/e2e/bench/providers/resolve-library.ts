import Module from 'node:module';
import { join, sep } from 'node:path';
import { readFileSync } from 'node:fs';

/**
 * Lets a program that lies anywhere import `cluster-canary`, and the bench's programs its sources; preloaded by Node.js. Either gets
 * what the task that runs the suite has compiled: to translate the library takes each process ten seconds. A program whose paths are
 * compared with those of one in the test's process gets the sources.
 */
const library = process.env.CLUSTER_CANARY_E2E_LIBRARY!;
const sources = join(library, 'lib') + sep;
const wantsSources = process.env.CLUSTER_CANARY_E2E_SOURCES === 'true';

/** What the package exports: `./shift` is `dist/shift/index.js`. */
function exported(subpath: string): string {
  const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
  const { default: code } = exports[subpath] ?? { default: subpath };
  return wantsSources
    ? join(library, code.replace('./dist', './lib').replace(/\.js$/, '.ts'))
    : join(library, code);
}

/** `lib/shift/index.ts` is `dist/shift/index.js`. */
function compiled(file: string): string {
  return !wantsSources && file.startsWith(sources) && file.endsWith('.ts')
    ? join(library, 'dist', file.slice(sources.length).replace(/\.ts$/, '.js'))
    : file;
}

type Resolve = (request: string, ...rest: unknown[]) => string;

const loader = Module as unknown as { _resolveFilename: Resolve };
const resolve = loader._resolveFilename;

loader._resolveFilename = function (request, ...rest) {
  const [, subpath] = /^cluster-canary(\/.*)?$/.exec(request) ?? [];
  const own = request === 'cluster-canary' || subpath !== undefined;
  return compiled(resolve.call(this, own ? exported(`.${subpath ?? ''}`) : request, ...rest));
};
