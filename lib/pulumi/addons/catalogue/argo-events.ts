import { object, optional } from '../../../core/validation/collections';
import { oneOf } from '../../../core/validation/values';
import type { HelmAddon } from '../helm-addon';
import type { HelmValues } from '../helm-values';
import {
  argoController,
  argoRepository,
  budgetOf,
  catalogueAddon,
  catalogueEntries,
  criticalPriority,
  podCount,
} from './catalogue';
import type { CatalogueOptions } from './catalogue';

/** Options of the Argo Events add-on. */
export interface ArgoEventsOptions extends CatalogueOptions {
  /**
   * Version of the chart.
   * @default '2.4.22' - Argo Events 1.9.10, in which the values were read
   */
  readonly version?: string;
  /** Pods of the controller, 1 to 10; one is active. @default 2 */
  readonly replicas?: number;
  /**
   * Where EventBuses, EventSources and Sensors may be: in the namespace `argo-events`, or anywhere.
   * @default 'ownNamespace' - for all namespaces, the controller may write every Secret, pod and Deployment of the cluster
   */
  readonly watches?: 'ownNamespace' | 'cluster';
}

const argoEventsOptions = object<ArgoEventsOptions>({
  ...catalogueEntries,
  replicas: optional(podCount),
  watches: optional(oneOf('ownNamespace', 'cluster')),
});

/** Name of the add-on, for `requires`. */
export const argoEventsName = 'argo-events';

const version = '2.4.22';

/**
 * User of the controller's image, which names none.
 * @see https://github.com/argoproj/argo-events/blob/v1.9.10/manifests/base/controller-manager/controller-manager-deployment.yaml
 */
const runAsUser = 9731;

/**
 * Argo Events from its official chart, in the namespace `argo-events`: two controllers with a disruption budget, metrics,
 * and definitions that stay when the release goes. Its webhook, which the chart leaves out by default, stays out.
 *
 * Value names: https://github.com/argoproj/argo-helm/blob/argo-events-2.4.22/charts/argo-events/values.yaml.
 */
export function argoEvents(options: ArgoEventsOptions = {}): HelmAddon<typeof argoEventsName> {
  return catalogueAddon('argoEvents', argoEventsOptions, options, (given) => ({
    name: argoEventsName,
    chart: 'argo-events',
    repository: argoRepository,
    version: given.version ?? version,
    namespace: 'argo-events',
    // The pods of an EventBus run here, too, and say nothing of their rights unless the EventBus does.
    podSecurity: 'baseline',
    values: () => argoEventsValues(given),
    replicated: [argoController],
  }));
}

/** What is set of the chart's values. */
function argoEventsValues({ replicas = 2, watches = 'ownNamespace' }: ArgoEventsOptions): HelmValues {
  return {
    crds: { install: true, keep: true },
    global: {
      securityContext: { runAsNonRoot: true, runAsUser, seccompProfile: { type: 'RuntimeDefault' } },
    },
    controller: {
      replicas,
      pdb: budgetOf(replicas),
      priorityClassName: criticalPriority,
      metrics: { enabled: true },
      rbac: { namespaced: watches === 'ownNamespace' },
      containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  };
}
