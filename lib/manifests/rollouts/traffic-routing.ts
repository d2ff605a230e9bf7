import { dnsLabel, dnsSubdomain, port, wholeNumber } from '../../core/validation/formats';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Problems } from '../../core/validation/problems';

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

export const albRoutingKeys: OptionsOf<AlbRouting> = {
  ingress: 'plain',
  servicePort: 'plain',
  rootService: 'plain',
  annotationPrefix: 'plain',
  stickinessSeconds: 'plain',
};

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

export const gatewayApiRoutingKeys: OptionsOf<GatewayApiRouting> = {
  httpRoutes: 'list',
  namespace: 'plain',
};

const pluginName = 'argoproj-labs/gatewayAPI';

/** Adds what is wrong with a router. */
export function checkRouting(
  problems: Problems,
  path: string,
  routing: TrafficRouting,
  namespace: string | undefined,
): void {
  const entries = typeof routing === 'object' && routing !== null ? Object.keys(routing) : [];
  if (entries.length !== 1 || !['alb', 'gatewayApi'].includes(entries[0]!)) {
    problems.add(path, routing, 'exactly one of { alb } and { gatewayApi }');
  } else if ('alb' in routing) {
    checkAlb(problems, `${path}.alb`, routing.alb);
  } else {
    checkGatewayApi(problems, `${path}.gatewayApi`, routing.gatewayApi, namespace);
  }
}

function checkAlb(problems: Problems, at: string, alb: AlbRouting): void {
  const { ingress, servicePort, rootService, annotationPrefix, stickinessSeconds } = alb;
  const names = [ingress].flat();
  if (names.length === 0) {
    problems.add(`${at}.ingress`, ingress, 'the name of an Ingress, or a list of at least one');
  }
  names.forEach((name, position) =>
    problems.check(
      Array.isArray(ingress) ? `${at}.ingress[${position}]` : `${at}.ingress`,
      name,
      dnsSubdomain,
    ),
  );
  problems.check(`${at}.servicePort`, servicePort, port);
  if (rootService !== undefined) {
    problems.check(`${at}.rootService`, rootService, dnsLabel);
  }
  if (annotationPrefix !== undefined) {
    problems.check(`${at}.annotationPrefix`, annotationPrefix, dnsSubdomain);
  }
  if (stickinessSeconds !== undefined) {
    // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
    problems.check(`${at}.stickinessSeconds`, stickinessSeconds, wholeNumber(1, 604_800));
  }
}

function checkGatewayApi(
  problems: Problems,
  at: string,
  { httpRoutes, namespace: own }: GatewayApiRouting,
  namespace: string | undefined,
): void {
  if (!Array.isArray(httpRoutes) || httpRoutes.length === 0) {
    problems.add(`${at}.httpRoutes`, httpRoutes, 'a list with at least one name');
  } else {
    httpRoutes.forEach((name, position) =>
      problems.check(`${at}.httpRoutes[${position}]`, name, dnsSubdomain),
    );
  }
  if (own !== undefined) {
    problems.check(`${at}.namespace`, own, dnsLabel);
  } else if (namespace === undefined) {
    problems.add(`${at}.namespace`, own, "the namespace of the routes, where the Rollout's is not given");
  }
}

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
