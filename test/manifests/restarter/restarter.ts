import { Chart, Testing } from 'cdk8s';
import type { RolloutRestarterProps } from '../../../lib/manifests/restarter';
import { RolloutRestarter } from '../../../lib/manifests/restarter';

export const image = `registry.example.com/cluster-canary@sha256:${'0a'.repeat(32)}`;

export const usual: RolloutRestarterProps = {
  name: 'restarter',
  namespace: 'rollout-restarter',
  image,
  allowedNamespaces: ['podinfo', 'shop'],
  token: { secret: 'restarter-token', key: 'token' },
};

/** The objects of a restarter, as `cdk8s synth` writes them. */
export function objectsOf(props: Partial<RolloutRestarterProps> = {}): any[] {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'not-this-one' });
  new RolloutRestarter(chart, 'restarter', { ...usual, ...props });
  return Testing.synth(chart);
}

/** The Job in the Sensor. */
export function jobOf(objects: readonly any[]): any {
  const sensor = objects.find(({ kind }) => kind === 'Sensor');
  return sensor.spec.triggers[0].template.k8s.source.resource;
}
