import { join } from 'node:path';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { crdFolder } from '../tools/crds';
import type { ControlPlane, ControlPlaneOptions } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsBelow } from './crds';
import { withLocalCharts } from './local-charts';
import type { Moto } from './moto';
import { moto } from './moto';
import type { Edit } from './pulumi-example';
import { exampleFile, exampleProgram } from './pulumi-example';
import type { PulumiStack } from './pulumi-stack';
import { pulumiStack } from './pulumi-stack';

const example = 'fleet/index.ts';

const clusters = ['apps-blue', 'apps-green', 'hub-blue'] as const;

/** The example's clusters. */
export type FleetCluster = (typeof clusters)[number];

/** `examples/fleet` on the bench: an AWS, and a control plane for each of its three clusters. */
export interface FleetBench {
  readonly aws: Moto;
  /** The control planes by the EKS cluster's name. */
  readonly planes: Readonly<Record<FleetCluster, ControlPlane>>;
  readonly stack: PulumiStack;
  /** The example's program, with something written differently. */
  readonly program: (...edits: Edit[]) => PulumiFn;
  /** The same as a file. */
  readonly file: (...edits: Edit[]) => string;
}

/**
 * Starts a control plane for each of the clusters. The definitions and the namespace that charts would bring are
 * installed here, since no chart is.
 */
export async function fleetPlanes(): Promise<Record<FleetCluster, ControlPlane>> {
  const planes = await startPlanes();
  const ofTargets = [
    ...objectsBelow(crdFolder('cert-manager')),
    ...objectsBelow(join(__dirname, 'definitions')),
  ];
  const ofHub = [
    ...objectsBelow(crdFolder('argo-cd')),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } },
  ];
  await Promise.all(clusters.map((name) => planes[name].apply(name === 'hub-blue' ? ofHub : ofTargets)));
  return planes;
}

async function startPlanes(options: ControlPlaneOptions = {}): Promise<Record<FleetCluster, ControlPlane>> {
  const started = clusters.map(
    async (name) => [name, await controlPlane({ ...options, name, nodes: 1 })] as const,
  );
  return Object.fromEntries(await Promise.all(started)) as Record<FleetCluster, ControlPlane>;
}

/**
 * Starts all that the example needs; nothing is up yet.
 *
 * @param load the test file's `require`
 */
export async function fleetBench(load: (module: string) => unknown): Promise<FleetBench> {
  return benchOf(await fleetPlanes(), (edits) => exampleProgram(example, load, edits));
}

/**
 * The same for Pulumi's own Kubernetes provider, which installs the example's charts: control planes with nothing on them, and
 * programs with the charts of the cache.
 *
 * @param load the test file's `require`
 */
export async function chartedFleetBench(load: (module: string) => unknown): Promise<FleetBench> {
  return benchOf(await startPlanes({ webhooks: false }), (edits) =>
    withLocalCharts(exampleProgram(example, load, edits)),
  );
}

async function benchOf(
  planes: FleetBench['planes'],
  programOf: (edits: readonly Edit[]) => PulumiFn,
): Promise<FleetBench> {
  const aws = await moto();
  const program = (...edits: Edit[]) => programOf(edits);
  const file = (...edits: Edit[]) => exampleFile(example, edits);
  const { vpcId, subnetIds } = await aws.network();
  const stack = await pulumiStack(program(), {
    aws,
    project: 'fleet',
    planes,
    // Inline programs run on the sources, and the path of the post-renderer is an argument of Releases.
    env: { CLUSTER_CANARY_E2E_SOURCES: 'true' },
    config: {
      'fleet:vpcId': vpcId,
      'fleet:publicSubnetIds': subnetIds,
      'fleet:privateSubnetIds': subnetIds,
      'fleet:certificateArn': await aws.certificate('www'),
      'fleet:host': 'www.example.com',
      'fleet:adminCidrs': ['203.0.113.0/24'],
    },
  });
  return { aws, planes, stack, program, file };
}
