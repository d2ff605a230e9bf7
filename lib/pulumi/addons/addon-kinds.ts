import type { Addon as AnyAddon, AddonResources } from './addon';
import { EksAddon } from './eks-addon';
import type { EksAddonOptions } from './eks-addon';
import { HelmAddon } from './helm-addon';
import type { HelmAddonOptions } from './helm-addon';
import { ManifestsAddon } from './manifests-addon';
import type { ManifestsAddonOptions } from './manifests-addon';

/** Software that a cluster needs before applications. */
export type Addon<R extends AddonResources = AddonResources> = AnyAddon<R>;

/**
 * Add-ons of one's own.
 *
 * @example
 * const addons = [
 *   Addon.helm({ name: 'metrics-server', chart: 'metrics-server', repository: 'https://charts.example.com', version: '1.2.3', namespace: 'kube-system' }),
 *   Addon.manifests({ name: 'priorities', files: [{ path: 'manifests/priorities.yaml' }] }),
 *   Addon.eks({ addonName: 'aws-ebs-csi-driver' }),
 * ];
 */
export const Addon = {
  /** From a chart: see `HelmAddon`. */
  helm: (options: HelmAddonOptions): HelmAddon => new HelmAddon(options),
  /** From Kubernetes objects: see `ManifestsAddon`. */
  manifests: (options: ManifestsAddonOptions): ManifestsAddon => new ManifestsAddon(options),
  /** One that EKS manages: see `EksAddon`. */
  eks: (options: EksAddonOptions): EksAddon => new EksAddon(options),
} as const;
