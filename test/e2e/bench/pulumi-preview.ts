import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { programEnvironment } from './pulumi-providers';
import type { PulumiStack, StateResource } from './pulumi-stack';

const root = resolve(__dirname, '../../..');

/**
 * What `cluster-canary preview --json` prints for an example, on the sources, with the configuration in its folder: a
 * line for each resource with its URN (which has its type and its name) and its parent's.
 *
 * @param answers file with what other stacks would answer, below `examples`
 */
export async function previewedResources(
  example: string,
  stack: string,
  answers?: string,
): Promise<string[]> {
  const { CLUSTER_CANARY_E2E_NODE_OPTIONS: NODE_OPTIONS, ...env } = programEnvironment();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(root, 'lib/cli/main.ts'),
      ...['preview', '--json', '--stack', stack, join(root, 'examples', example)],
      ...(answers === undefined ? [] : ['--answers', join(root, 'examples', answers)]),
    ],
    {
      cwd: root,
      env: { ...process.env, ...env, NODE_OPTIONS },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 300_000,
    },
  );
  return (JSON.parse(stdout) as { resources: Node[] }).resources.map(line).sort();
}

/**
 * The same lines of what the engine has in its state, without what remote components make, and without the providers
 * that the engine makes itself.
 */
export async function registeredResources(stack: PulumiStack): Promise<string[]> {
  const state = await stack.state();
  const byUrn = new Map(state.map((resource) => [resource.urn, resource]));
  const isRemote = ({ parent }: StateResource): boolean => {
    const above = byUrn.get(parent ?? '');
    return above !== undefined && (above.type === 'eks:index:Cluster' || isRemote(above));
  };
  const isDefaultProvider = ({ urn, type }: StateResource): boolean =>
    type.startsWith('pulumi:providers:') && /::default(_|$)/.test(urn);
  return state
    .filter((each) => !isRemote(each) && !isDefaultProvider(each))
    .map(line)
    .sort();
}

interface Node {
  readonly urn: string;
  readonly parent?: string | null;
}

function line({ urn, parent }: Node): string {
  return `${urn} below ${parent ?? 'nothing'}`;
}
