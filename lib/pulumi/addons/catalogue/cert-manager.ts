import { object, optional } from '../../../core/validation/collections';
import type { HelmAddon } from '../helm-addon';
import type { HelmValues } from '../helm-values';
import { budgetOf, catalogueAddon, catalogueEntries, criticalPriority, podCount } from './catalogue';
import type { CatalogueOptions } from './catalogue';

/** How many pods each part of cert-manager has. One pod has no disruption budget: it would block node drains. */
export interface CertManagerReplicas {
  /** Pods that issue certificates; one is active. @default 2 */
  readonly controller?: number;
  /** Pods that admit cert-manager's objects; all are active. @default 3 */
  readonly webhook?: number;
  /** Pods that write trust anchors into webhook configurations; one is active. @default 2 */
  readonly cainjector?: number;
}

/** Options of the cert-manager add-on. */
export interface CertManagerOptions extends CatalogueOptions {
  /**
   * Version of the chart and of cert-manager, which are the same.
   * @default 'v1.21.2' - the values that are set here were read in v1.21.1, whose manifests differ from it in
   * image tags only (https://github.com/cert-manager/cert-manager/issues/9237)
   */
  readonly version?: string;
  /**
   * Pods of each part, 1 to 10.
   * @default - 2 controllers, 3 webhooks, 2 cainjectors, as cert-manager recommends for production:
   * https://cert-manager.io/docs/installation/best-practice/#high-availability
   */
  readonly replicas?: CertManagerReplicas;
}

const certManagerOptions = object<CertManagerOptions>({
  ...catalogueEntries,
  replicas: optional(
    object<CertManagerReplicas>({
      controller: optional(podCount),
      webhook: optional(podCount),
      cainjector: optional(podCount),
    }),
  ),
});

/** Name of the add-on, for `requires`. */
export const certManagerName = 'cert-manager';

const version = 'v1.21.2';

const recommended: Required<CertManagerReplicas> = { controller: 2, webhook: 3, cainjector: 2 };

/** Where the values of a part start. */
const prefixes = { controller: '', webhook: 'webhook.', cainjector: 'cainjector.' } as const;

/**
 * cert-manager from its official OCI chart, in the namespace `cert-manager`: several pods with disruption budgets,
 * a priority that keeps them on a full node, and definitions that stay when the release goes, so that a removal
 * never takes anybody's certificates along.
 *
 * Value names: https://github.com/cert-manager/cert-manager/blob/v1.21.1/deploy/charts/cert-manager/values.yaml.
 * The chart's reference: https://github.com/cert-manager/cert-manager/blob/v1.21.1/deploy/charts/cert-manager/README.template.md.
 */
export function certManager(options: CertManagerOptions = {}): HelmAddon<typeof certManagerName> {
  return catalogueAddon('certManager', certManagerOptions, options, (given) => ({
    name: certManagerName,
    chart: 'oci://quay.io/jetstack/charts/cert-manager',
    version: given.version ?? version,
    namespace: 'cert-manager',
    // Its pods meet it by the chart's defaults: https://cert-manager.io/docs/installation/best-practice/#restrict-privileges
    podSecurity: 'restricted',
    values: () => certManagerValues(given.replicas),
    replicated: Object.entries(prefixes).map(([part, prefix]) => ({
      option: `replicas.${part}`,
      pods: `${prefix}replicaCount`,
      budget: `${prefix}podDisruptionBudget`,
    })),
  }));
}

/** What is set of the chart's values. */
function certManagerValues(replicas: CertManagerReplicas = {}): HelmValues {
  const { controller, webhook, cainjector } = { ...recommended, ...defined(replicas) };
  return {
    crds: { enabled: true, keep: true },
    global: { priorityClassName: criticalPriority },
    ...several(controller),
    webhook: several(webhook),
    cainjector: several(cainjector),
  };
}

function several(pods: number): HelmValues {
  return { replicaCount: pods, podDisruptionBudget: budgetOf(pods) };
}

function defined(replicas: CertManagerReplicas): CertManagerReplicas {
  return Object.fromEntries(Object.entries(replicas).filter(([, pods]) => pods !== undefined));
}
