import { totalAnnotation } from '../restart/history';
import { rolloutKind } from '../restart/rollout';

/**
 * Configuration of kube-state-metrics for restarts, as the value of `--custom-resource-state-config` (as JSON, which is
 * YAML as well): `kube_customresource_rollout_restarts_total` and `kube_customresource_rollout_restart_at`, by namespace
 * and Rollout. A Job is gone before Prometheus asks it; what it did stands on the Rollout.
 *
 * kube-state-metrics needs the rights `list` and `watch` on Rollouts.
 *
 * @see https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md
 */
export function restartMetrics(): object {
  const [group, version] = rolloutKind.apiVersion.split('/');
  const gauge = (name: string, help: string, path: readonly string[]) => ({
    name,
    help,
    each: { type: 'Gauge', gauge: { path, nilIsZero: true } },
  });
  return {
    kind: 'CustomResourceStateMetrics',
    spec: {
      resources: [
        {
          groupVersionKind: { group, version, kind: rolloutKind.kind },
          labelsFromPath: { namespace: ['metadata', 'namespace'], rollout: ['metadata', 'name'] },
          metrics: [
            gauge('rollout_restarts_total', 'How often the Rollout was restarted because it was stuck.', [
              ...['metadata', 'annotations', totalAnnotation],
            ]),
            gauge('rollout_restart_at', 'When a restart of the Rollout was last asked for, by whomever.', [
              ...['spec', 'restartAt'],
            ]),
          ],
        },
      ],
    },
  };
}
