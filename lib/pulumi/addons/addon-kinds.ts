import type { Addon as AnyAddon, AddonResources } from './addon';
import { EksAddon } from './eks-addon';
import type { EksAddonOptions } from './eks-addon';
import { HelmAddon } from './helm-addon';
import type { HelmAddonOptions } from './helm-addon';
import { ManifestsAddon } from './manifests-addon';
import type { ManifestsAddonOptions } from './manifests-addon';

/** Software that a cluster needs before applications. */
export type Addon<R extends AddonResources = AddonResources, Name extends string = string> = AnyAddon<
  R,
  Name
>;

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
  helm: <const Name extends string>(options: HelmAddonOptions<Name>): HelmAddon<Name> =>
    new HelmAddon(options),
  /** From Kubernetes objects: see `ManifestsAddon`. */
  manifests: <const Name extends string>(options: ManifestsAddonOptions<Name>): ManifestsAddon<Name> =>
    new ManifestsAddon(options),
  /** One that EKS manages: see `EksAddon`. */
  eks: <const EksName extends string, const Name extends string = EksName>(
    options: EksAddonOptions<EksName, Name>,
  ): EksAddon<EksName, Name> => new EksAddon(options),
} as const;
