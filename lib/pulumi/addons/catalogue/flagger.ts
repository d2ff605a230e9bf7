import { object, optional } from '../../../core/validation/collections';
import { flag, oneOf, secret, text } from '../../../core/validation/values';
import { canaryProviders } from '../../../manifests/flagger';
import type { CanaryProvider } from '../../../manifests/flagger';
import type { AddonCluster } from '../addon';
import type { HelmAddon } from '../helm-addon';
import type { HelmValues } from '../helm-values';
import { budgetOf, catalogueAddon, catalogueEntries, criticalPriority, podCount } from './catalogue';
import type { CatalogueOptions } from './catalogue';

/** Options of the Flagger add-on. */
export interface FlaggerOptions extends CatalogueOptions {
  /**
   * Version of the chart, which is that of Flagger.
   * @default '1.44.0' - the version in which the values were read
   */
  readonly version?: string;
  /** Pods of Flagger, 1 to 10; one is active. @default 2 */
  readonly replicas?: number;
  /** Who routes the traffic of Canaries that do not say it themselves. @default 'gatewayapi:v1' */
  readonly provider?: CanaryProvider;
  /**
   * URL of the Prometheus that Flagger's own metrics, `request-success-rate` and `request-duration`, come from.
   * @default - the chart's, `http://prometheus:9090`: metrics of one's own say their address themselves
   */
  readonly metricsServer?: string;
  /**
   * Whether a Canary may use metrics and alerts of other namespaces, and by them their Secrets.
   * @default false
   */
  readonly crossNamespaceRefs?: boolean;
}

const flaggerOptions = object<FlaggerOptions>({
  ...catalogueEntries,
  replicas: optional(podCount),
  provider: optional(oneOf(...canaryProviders)),
  // It may hold a password.
  metricsServer: optional(
    secret(
      text(
        'an http or https URL without user and password, such as "http://prometheus.monitoring:9090"',
        /^https?:\/\/[^\s@]+$/,
      ),
    ),
  ),
  crossNamespaceRefs: optional(flag),
});

/** Name of the add-on, for `requires`. */
export const flaggerName = 'flagger';

const version = '1.44.0';

/**
 * Flagger from its official chart, in the namespace `flagger-system`: two pods of which one is active, with a disruption
 * budget. It has no webhooks. Its definitions lie in the chart's folder `crds`, so Helm and Argo CD never delete them; Helm
 * does not update them either. Of every namespace it may write Secrets, of which it makes copies for primaries; the chart has
 * no value that limits that.
 *
 * Value names: https://github.com/fluxcd/flagger/blob/v1.44.0/charts/flagger/values.yaml.
 */
export function flagger(options: FlaggerOptions = {}): HelmAddon<typeof flaggerName> {
  return catalogueAddon('flagger', flaggerOptions, options, (given) => ({
    name: flaggerName,
    chart: 'flagger',
    repository: 'https://flagger.app',
    version: given.version ?? version,
    namespace: 'flagger-system',
    podSecurity: 'restricted',
    values: (cluster) => flaggerValues(given, cluster),
    replicated: [{ option: 'replicas', pods: 'leaderElection.replicaCount', budget: 'podDisruptionBudget' }],
  }));
}

/** What is set of the chart's values. */
function flaggerValues(options: FlaggerOptions, cluster?: AddonCluster): HelmValues {
  const { replicas = 2, provider: meshProvider = 'gatewayapi:v1', metricsServer } = options;
  return {
    meshProvider,
    ...(metricsServer === undefined ? {} : { metricsServer }),
    // Alerts say which cluster they come from.
    clusterName: cluster?.clusterName,
    leaderElection: { enabled: replicas > 1, replicaCount: replicas },
    podDisruptionBudget: budgetOf(replicas),
    podPriorityClassName: criticalPriority,
    noCrossNamespaceRefs: !(options.crossNamespaceRefs ?? false),
    securityContext: {
      enabled: true,
      context: {
        readOnlyRootFilesystem: true,
        runAsUser: 10001,
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
    },
  };
}
