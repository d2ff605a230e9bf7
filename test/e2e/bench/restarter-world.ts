import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart, Testing } from 'cdk8s';
import { restartRolloutCommand } from '../../../lib/cli/commands/restart-rollout';
import { RolloutRestarter } from '../../../lib/manifests/restarter';
import type { RolloutRestarterProps } from '../../../lib/manifests/restarter';
import type { CommandResult } from './captured-command';
import { captured } from './captured-command';
import type { ControlPlane } from './control-plane';
import type { KubernetesObject } from './kubernetes-api';

/** Namespace of the restarter, and those of Rollouts. */
export const own = 'rollout-restarter';
export const shop = 'shop';

export const image = `registry.example.com/cluster-canary@sha256:${'0a'.repeat(32)}`;
export const token = 'only-for-tests';

/** The objects of a restarter whose EventBus is there. */
export function restarterObjects(props: Partial<RolloutRestarterProps> = {}): KubernetesObject[] {
  const chart = new Chart(Testing.app(), 'restarter');
  new RolloutRestarter(chart, 'restarter', {
    name: 'restarter',
    namespace: own,
    image,
    allowedNamespaces: [shop],
    token: { secret: 'restarter-token', key: 'token' },
    eventBus: { existing: 'default' },
    wait: '0s',
    jobsPerMinute: 600,
    ...props,
  });
  return Testing.synth(chart);
}

/** The Job as a message makes it of the Sensor's one. */
export function jobFor(objects: readonly KubernetesObject[], application: string, namespace: string): any {
  const sensor = objects.find(({ kind }) => kind === 'Sensor')!;
  const job = structuredClone(sensor['spec'].triggers[0].template.k8s.source.resource);
  const { args } = job.spec.template.spec.containers[0];
  args[1] += application;
  args[2] += namespace;
  return job;
}

/** What a Job's command answered. */
export interface JobAnswer extends CommandResult {
  /** Its termination message. */
  readonly message: string;
}

/** Runs the command of a Job, with its arguments, as its service account. */
export async function runJob(plane: ControlPlane, job: any): Promise<JobAnswer> {
  const { serviceAccountName, containers } = job.spec.template.spec;
  const [{ args, terminationMessagePath }] = containers;
  const user = `system:serviceaccount:${job.metadata.namespace}:${serviceAccountName}`;
  const kubeconfig = await plane.kubeconfigFor(user, ['system:serviceaccounts', 'system:authenticated']);
  const message = join(plane.folder, 'termination-log');
  const given: string[] = args.slice(1).map((each: string) => each.replace(terminationMessagePath, message));
  const result = await captured(restartRolloutCommand(), [...given, '--kubeconfig', kubeconfig]);
  return { ...result, message: readFileSync(message, 'utf8') };
}
