import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { programEnvironment } from './pulumi-providers';

const root = resolve(__dirname, '../../..');

/** A resource of a plan. */
export interface PlannedResource {
  readonly urn: string;
  readonly type: string;
  readonly kind: string;
  readonly parent: string | null;
}

/** What `cluster-canary preview --json` prints for an example, on the sources, with the configuration in its folder. */
export async function previewedResources(example: string, stack: string): Promise<PlannedResource[]> {
  const { CLUSTER_CANARY_E2E_NODE_OPTIONS: NODE_OPTIONS, ...env } = programEnvironment();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(root, 'lib/cli/main.ts'),
      ...['preview', '--json', '--stack', stack, join(root, 'examples', example)],
    ],
    {
      cwd: root,
      env: { ...process.env, ...env, NODE_OPTIONS },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 60_000,
    },
  );
  return (JSON.parse(stdout) as { resources: PlannedResource[] }).resources;
}
