import Module from 'node:module';
import { join } from 'node:path';

/** Lets a program that lies anywhere import `cluster-canary` from the sources; preloaded by Node.js. */
const library = process.env.CLUSTER_CANARY_E2E_LIBRARY!;

type Resolve = (request: string, ...rest: unknown[]) => string;

const loader = Module as unknown as { _resolveFilename: Resolve };
const resolve = loader._resolveFilename;

loader._resolveFilename = function (request, ...rest) {
  const [, room] = /^cluster-canary(?:\/(.*))?$/.exec(request) ?? [];
  const own = request === 'cluster-canary' || room !== undefined;
  return resolve.call(this, own ? join(library, room ?? '', 'index.ts') : request, ...rest);
};
