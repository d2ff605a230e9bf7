import { list, object, optional } from '../../../core/validation/collections';
import { dnsLabelText, flag } from '../../../core/validation/values';
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

/** Options of the Argo Workflows add-on. */
export interface ArgoWorkflowsOptions extends CatalogueOptions {
  /**
   * Version of the chart.
   * @default '1.0.18' - Argo Workflows 4.0.6, in which the values were read
   */
  readonly version?: string;
  /** Pods of the controller, 1 to 10; one is active. @default 2 */
  readonly replicas?: number;
  /**
   * Namespaces that get the service account `argo-workflow`, with the right to report results, for workflows to run as. They
   * must be there.
   * @default - none: each workflow brings an account of its own
   */
  readonly workflowNamespaces?: readonly string[];
  /**
   * Whether the server with API and user interface is installed.
   * @default false - its role reads every Secret of the cluster; `cluster-canary` and `kubectl` do without it
   */
  readonly server?: boolean;
}

const argoWorkflowsOptions = object<ArgoWorkflowsOptions>({
  ...catalogueEntries,
  replicas: optional(podCount),
  workflowNamespaces: optional(list(dnsLabelText)),
  server: optional(flag),
});

/** Name of the add-on, for `requires`. */
export const argoWorkflowsName = 'argo-workflows';

const version = '1.0.18';

/**
 * Argo Workflows from its official chart, in the namespace `argo-workflows`: two controllers with a disruption budget, metrics,
 * and definitions that stay when the release goes. It has no webhooks, and reads no Secrets but those that `values` list.
 *
 * Value names: https://github.com/argoproj/argo-helm/blob/argo-workflows-1.0.18/charts/argo-workflows/values.yaml.
 */
export function argoWorkflows(options: ArgoWorkflowsOptions = {}): HelmAddon<typeof argoWorkflowsName> {
  return catalogueAddon('argoWorkflows', argoWorkflowsOptions, options, (given) => ({
    name: argoWorkflowsName,
    chart: 'argo-workflows',
    repository: argoRepository,
    version: given.version ?? version,
    namespace: 'argo-workflows',
    podSecurity: 'restricted',
    values: () => argoWorkflowsValues(given),
    replicated: [argoController],
  }));
}

/** What is set of the chart's values. */
function argoWorkflowsValues(options: ArgoWorkflowsOptions): HelmValues {
  const { replicas = 2, workflowNamespaces = [], server = false } = options;
  // The chart's defaults but for this are what the level `restricted` asks for.
  const podSecurityContext = { seccompProfile: { type: 'RuntimeDefault' } };
  return {
    // The full definitions come by a Job that downloads them from GitHub and may write every definition of the cluster.
    crds: { install: true, keep: true, full: false },
    // Tags of releases stay: nodes that have an image need no registry to start a pod.
    images: { pullPolicy: 'IfNotPresent' },
    workflow: { serviceAccount: { create: workflowNamespaces.length > 0 } },
    controller: {
      replicas,
      pdb: budgetOf(replicas),
      priorityClassName: criticalPriority,
      metricsConfig: { enabled: true },
      workflowNamespaces: [...workflowNamespaces],
      podSecurityContext,
    },
    server: { enabled: server, podSecurityContext },
  };
}
