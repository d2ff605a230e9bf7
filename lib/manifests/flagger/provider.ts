import { either } from '../../core/validation/collections';
import type { Problems } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { anything, oneOf, that } from '../../core/validation/values';

/**
 * Who routes the traffic of a Canary, in Flagger's words. Names that are not tried with this library pass through.
 *
 * @see https://github.com/fluxcd/flagger/blob/v1.44.0/artifacts/flagger/crd.yaml
 */
export type CanaryProvider = (typeof canaryProviders)[number];

/** All that Flagger's definition takes, but for App Mesh. */
export const canaryProviders = [
  'gatewayapi:v1',
  'gatewayapi:v1beta1',
  'kubernetes',
  'apisix',
  'contour',
  'gloo',
  'istio',
  'knative',
  'kuma',
  'linkerd',
  'nginx',
  'osm',
  'skipper',
  'smi:v1alpha1',
  'smi:v1alpha2',
  'smi:v1alpha3',
  'traefik',
] as const;

function refused(when: (provider: string) => boolean, allowed: string) {
  return {
    when: (provider: unknown) => typeof provider === 'string' && when(provider),
    schema: that(anything, allowed, () => false) as Schema<CanaryProvider>,
  };
}

const known = oneOf(...canaryProviders);

/** A provider; one that is refused with a reason says it. */
export const canaryProvider: Schema<CanaryProvider> = either(
  known.allowed,
  refused(
    (provider) => /^appmesh(:|$)/.test(provider),
    'another provider: AWS App Mesh ended on 2026-09-30. "gatewayapi:v1" routes by any implementation of the Gateway API ' +
      '(AWS Load Balancer Controller from 2.14 on, VPC Lattice, a proxy in the cluster), "istio" by a mesh',
  ),
  refused(
    (provider) => provider === 'gatewayapi',
    '"gatewayapi:v1" or "gatewayapi:v1beta1": without a version Flagger would look for Istio instead',
  ),
  { when: () => true, schema: known },
);

/** Whether a provider is the Gateway API. */
export function isGatewayApi(provider: CanaryProvider): boolean {
  return provider.startsWith('gatewayapi:');
}

/** Providers that honour a field; `all` of them, or those listed. */
export type ProviderSupport = 'all' | readonly CanaryProvider[];

/** Whether a field has an effect with a provider. */
function honours(honouring: ProviderSupport, provider: CanaryProvider): boolean {
  return honouring === 'all' || honouring.includes(provider);
}

/** Checks that every field has an effect with the provider. */
export function supportedBy<T extends object>(
  problems: Problems,
  path: string,
  object: T,
  fields: Readonly<Record<keyof T & string, ProviderSupport>>,
  provider: CanaryProvider,
): void {
  for (const [field, honouring] of Object.entries<ProviderSupport>(fields)) {
    const value = object[field as keyof T];
    if (value !== undefined && !honours(honouring, provider)) {
      problems.add(`${path}.${field}`, value, `left out: it has no effect with the provider "${provider}"`);
    }
  }
}
