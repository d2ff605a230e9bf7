import { either, list, object, oneKeyOf, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { fits, whole } from '../../core/validation/values';

/** Who gives the new version its share of the traffic. */
export type TrafficRouting =
  | {
      /** By an Ingress of the AWS Load Balancer Controller. */
      readonly alb: AlbRouting;
    }
  | {
      /** By routes of the Gateway API. */
      readonly gatewayApi: GatewayApiRouting;
    };

/**
 * An ALB of the AWS Load Balancer Controller. The Ingress needs a path whose backend is the root service with the port
 * name `use-annotation`.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/traffic-management/alb/
 */
export interface AlbRouting {
  /** Names of the Ingresses, beside the Rollout. */
  readonly ingress: string | readonly string[];
  /** Port of both Services. */
  readonly servicePort: number;
  /** Service that the Ingress names as its backend. @default - the stable Service */
  readonly rootService?: string;
  /** Where the controller reads its annotations with another prefix. @default - `alb.ingress.kubernetes.io` */
  readonly annotationPrefix?: string;
  /** Seconds that a user stays with a version, 1 to 604800. @default - users are not kept */
  readonly stickinessSeconds?: number;
}

/**
 * Routes of the Gateway API, by the plugin `argoproj-labs/gatewayAPI`, which the controller has to have. The routes name
 * both Services as backends of a rule.
 * @see https://rollouts-plugin-trafficrouter-gatewayapi.readthedocs.io/
 */
export interface GatewayApiRouting {
  /** Names of the HTTPRoutes. */
  readonly httpRoutes: readonly string[];
  /** Their namespace. The plugin needs it. @default - the Rollout's, which has to be given then */
  readonly namespace?: string;
}

const pluginName = 'argoproj-labs/gatewayAPI';

const objectName = fits(dnsSubdomain);

/** A router. */
export const trafficRouting: Schema<TrafficRouting> = oneKeyOf<{
  readonly alb: AlbRouting;
  readonly gatewayApi: GatewayApiRouting;
}>({
  alb: object<AlbRouting>({
    ingress: either<string | readonly string[]>(
      'the name of an Ingress, or a list of at least one',
      { when: (value) => Array.isArray(value), schema: list(objectName, 1) },
      { when: () => true, schema: objectName },
    ),
    servicePort: whole(1, 65535),
    rootService: optional(fits(dnsLabel)),
    annotationPrefix: optional(objectName),
    // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
    stickinessSeconds: optional(whole(1, 604_800)),
  }),
  gatewayApi: object<GatewayApiRouting>({
    httpRoutes: list(objectName, 1, 'a list with at least one name'),
    namespace: optional(fits(dnsLabel)),
  }),
});

/**
 * The router in Argo's words.
 *
 * @param headers names of the routes by a header, which the router adds and takes away
 */
export function routingManifest(
  routing: TrafficRouting,
  namespace: string | undefined,
  headers: readonly string[],
): object {
  const managed = headers.length > 0 ? { managedRoutes: headers.map((name) => ({ name })) } : {};
  if ('alb' in routing) {
    const { ingress, servicePort, rootService, annotationPrefix, stickinessSeconds } = routing.alb;
    return {
      ...managed,
      alb: {
        ...(typeof ingress === 'string' ? { ingress } : { ingresses: [...ingress] }),
        servicePort,
        ...(rootService !== undefined && { rootService }),
        ...(annotationPrefix !== undefined && { annotationPrefix }),
        ...(stickinessSeconds !== undefined && {
          stickinessConfig: { enabled: true, durationSeconds: stickinessSeconds },
        }),
      },
    };
  }
  const { httpRoutes, namespace: own = namespace } = routing.gatewayApi;
  return {
    ...managed,
    plugins: {
      [pluginName]: {
        namespace: own,
        httpRoutes: httpRoutes.map((name) => ({
          name,
          ...(headers.length > 0 && { useHeaderRoutes: true }),
        })),
      },
    },
  };
}
