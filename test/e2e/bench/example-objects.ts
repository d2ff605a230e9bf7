import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { objectsBelow, objectsInFile } from './crds';
import type { KubernetesObject } from './kubernetes-api';
import { temporaryFolder } from './temporary';

const run = promisify(execFile);
const root = resolve(__dirname, '../../..');

/** The objects of an example for one cluster. */
export interface ClusterObjects {
  /** The example, and the cluster by the name of its folder or chart. */
  readonly origin: string;
  readonly objects: readonly KubernetesObject[];
}

/** What a Pulumi program would install, by cluster, as `preview --out` writes it; charts of Helm are left out. */
export async function previewed(program: string, ...options: string[]): Promise<ClusterObjects[]> {
  const folder = temporaryFolder('preview');
  const cli = join(root, 'dist/cli/main.js');
  await run(process.execPath, [cli, 'preview', program, ...options, '--out', folder], { cwd: root });
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      origin: `${program} ${name}`,
      objects: objectsBelow(join(folder, name)),
    }));
}

/** What a cdk8s app writes, by chart. */
export async function synthesized(app: string): Promise<ClusterObjects[]> {
  const folder = temporaryFolder('synth');
  await run(process.execPath, [join(root, 'node_modules/cdk8s-cli/bin/cdk8s'), 'synth', '--output', folder], {
    cwd: join(root, app),
    env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false' },
  });
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({
      origin: `${app} ${file.split('.')[0]}`,
      objects: objectsInFile(join(folder, file)),
    }));
}

/** What stands in a previewed manifest for what only a deployment knows. */
const unknown = '[unknown until deployment]';

/** Values that such a place could get, by kind and path. */
const deployed: Readonly<Record<string, unknown>> = {
  'Secret.stringData': { name: 'apps-blue', server: 'https://example.com', config: '{}' },
  'TargetGroupBinding.spec.targetGroupARN':
    'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/0123456789abcdef',
};

/** The object as a deployment would complete it; fails at a place that nobody thought of. */
export function completed(object: KubernetesObject): KubernetesObject {
  return filled(object, object.kind) as KubernetesObject;
}

function filled(value: unknown, path: string): unknown {
  if (typeof value === 'string' && value.includes(unknown)) {
    if (!(path in deployed)) {
      throw new Error(`${path} is unknown until deployment, and there is no value to try: ${value}`);
    }
    return deployed[path];
  }
  if (Array.isArray(value)) {
    return value.map((each, index) => filled(each, `${path}[${index}]`));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, `${path}.${key}`)]))
    : value;
}
