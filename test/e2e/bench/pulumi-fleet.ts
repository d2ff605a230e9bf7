import { join } from 'node:path';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { crdFolder } from '../tools/crds';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsBelow } from './crds';
import type { Moto } from './moto';
import { moto } from './moto';
import type { Edit } from './pulumi-example';
import { exampleFile, exampleProgram } from './pulumi-example';
import type { PulumiStack } from './pulumi-stack';
import { pulumiStack } from './pulumi-stack';

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
  const planes = Object.fromEntries(
    await Promise.all(clusters.map(async (name) => [name, await controlPlane({ name, nodes: 1 })])),
  ) as Record<FleetCluster, ControlPlane>;
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

/**
 * Starts all that the example needs; nothing is up yet.
 *
 * @param load the test file's `require`
 */
export async function fleetBench(load: (module: string) => unknown): Promise<FleetBench> {
  const aws = await moto();
  const planes = await fleetPlanes();
  const example = 'fleet/index.ts';
  const program = (...edits: Edit[]) => exampleProgram(example, load, edits);
  const file = (...edits: Edit[]) => exampleFile(example, edits);
  const { vpcId, subnetIds } = await aws.network();
  const stack = await pulumiStack(program(), {
    aws,
    project: 'fleet',
    planes,
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
