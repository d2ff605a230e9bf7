import Module from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';

/** Lets a program that lies anywhere import `cluster-canary` from the sources; preloaded by Node.js. */
const library = process.env.CLUSTER_CANARY_E2E_LIBRARY!;

/** The source of what the package exports: `./shift` is `lib/shift/index.ts`. */
function sourceOf(subpath: string): string {
  const { exports } = JSON.parse(readFileSync(join(library, '../package.json'), 'utf8'));
  const { default: code } = exports[subpath] ?? { default: subpath };
  return join(library, '..', code.replace('./dist', './lib').replace(/\.js$/, '.ts'));
}

type Resolve = (request: string, ...rest: unknown[]) => string;

const loader = Module as unknown as { _resolveFilename: Resolve };
const resolve = loader._resolveFilename;

loader._resolveFilename = function (request, ...rest) {
  const [, subpath] = /^cluster-canary(\/.*)?$/.exec(request) ?? [];
  const own = request === 'cluster-canary' || subpath !== undefined;
  return resolve.call(this, own ? sourceOf(`.${subpath ?? ''}`) : request, ...rest);
};
