import { parseDuration } from '../../core/durations';
import { across, list, object, optional, record } from '../../core/validation/collections';
import { dnsLabel, dnsLabelUpTo, dnsSubdomain, labelKey, port } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { anything, fits, flag, following, oneOf, text, whole } from '../../core/validation/values';
import { someText, texts } from './formats';
import type { CanaryProvider, ProviderSupport } from './provider';

/** How a text of a request has to be. Exactly one field. */
export interface TextMatch {
  /** The whole text. */
  readonly exact?: string;
  /** Not with the Gateway API, but for `uri`. */
  readonly prefix?: string;
  /** Headers of some providers only. */
  readonly suffix?: string;
  /** RE2, as the provider reads it. */
  readonly regex?: string;
}

/** Which requests an application takes. */
export interface RequestMatch {
  /** Path of the request. */
  readonly uri?: TextMatch;
  /** Method of the request: `GET`. */
  readonly method?: TextMatch;
  /** Headers of the request, by name. */
  readonly headers?: Readonly<Record<string, TextMatch>>;
  /** Parameters of the request's URL, by name. */
  readonly queryParams?: Readonly<Record<string, TextMatch>>;
}

/** A Gateway that takes the requests. */
export interface GatewayRef {
  /** Name of the Gateway. */
  readonly name: string;
  /** Its namespace. @default - the Canary's */
  readonly namespace?: string;
  /** Listener of the Gateway. @default - all of them */
  readonly sectionName?: string;
  /** Port of the Gateway's listeners. @default - all ports */
  readonly port?: number;
  /** API group of the Gateway. @default 'gateway.networking.k8s.io' */
  readonly group?: string;
  /** Kind of the Gateway. @default 'Gateway' */
  readonly kind?: string;
}

/** Labels and annotations of one of the Services that Flagger makes. */
export interface ServiceMetadata {
  /** Labels of the Service. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the Service. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Changes of headers on the way. */
export interface HeaderChanges {
  /** Values that are added to a header, by its name. */
  readonly add?: Readonly<Record<string, string>>;
  /** Values that take the place of a header's own, by its name. */
  readonly set?: Readonly<Record<string, string>>;
  /** Names of headers that are taken away. */
  readonly remove?: readonly string[];
}

/**
 * The Services that Flagger makes, and the route to them. It makes `NAME` (the released version), `NAME-primary` (the same)
 * and `NAME-canary` (the new one) itself: a Service of these names must not come from anywhere else.
 */
export interface CanaryService {
  /** Name of the Service. @default - the target's */
  readonly name?: string;
  /** Port of the Services. */
  readonly port: number;
  /** Name of that port. @default 'http' - Flagger's */
  readonly portName?: string;
  /** Port of the container, or its name. @default - `port` */
  readonly targetPort?: number | string;
  /** Whether the Services also have the containers' other ports. @default false */
  readonly portDiscovery?: boolean;
  /**
   * Protocol of the port, as Kubernetes names it. @default - not said
   * @see https://kubernetes.io/docs/concepts/services-networking/service/#application-protocol
   */
  readonly appProtocol?: string;
  /** Which of a Service's pods are preferred. @default - Kubernetes's */
  readonly trafficDistribution?: 'PreferClose' | 'PreferSameZone' | 'PreferSameNode';
  /** Whether the Services have no address of their own, and their name resolves to the pods. @default false */
  readonly headless?: boolean;
  /** Host names of the route. @default - any host that the Gateway takes; in a mesh, the Service */
  readonly hosts?: readonly string[];
  /** Gateways of the route, at least one. Gateway API only. */
  readonly gatewayRefs?: readonly GatewayRef[];
  /** Istio's gateways, or those of SMI. @default - the mesh alone */
  readonly gateways?: readonly string[];
  /** Longest time of a request: `15s`. @default - the provider's */
  readonly timeout?: string;
  /** Longest time of one try to reach a pod; at most `timeout`. Gateway API v1 only. @default - the provider's */
  readonly backendTimeout?: string;
  /** Which requests the route takes. @default - all */
  readonly match?: readonly RequestMatch[];
  /** Changes path or host on the way. @default - nothing */
  readonly rewrite?: {
    /** The new path, or the new prefix of it. */
    readonly uri?: string;
    /** The new host. */
    readonly authority?: string;
    /** Whether `uri` takes the place of the whole path or of the part that matched. */
    readonly type?: 'ReplaceFullPath' | 'ReplacePrefixMatch';
  };
  /** Changes headers on the way. @default - nothing */
  readonly headers?: {
    /** Of requests, on their way to the application. */
    readonly request?: HeaderChanges;
    /** Of responses, on their way back. */
    readonly response?: HeaderChanges;
  };
  /** Copies of requests for further backends. Gateway API only. @default - none */
  readonly mirror?: readonly {
    /** The Service that gets the copies; its answers are dropped. */
    readonly backendRef: {
      /** Name of the Service. */
      readonly name: string;
      /** Its namespace. @default - the Canary's */
      readonly namespace?: string;
      /** Port of the Service. */
      readonly port: number;
    };
  }[];
  /** Tries of a failed request. @default - the provider's */
  readonly retries?: {
    /** The most tries of a request. */
    readonly attempts?: number;
    /** Longest time of one try: `2s`. */
    readonly perTryTimeout?: string;
    /** Which failures are tried again, in the provider's words. */
    readonly retryOn?: string;
  };
  /** Which sites may call, in Istio's words. @default - the provider's */
  readonly corsPolicy?: Readonly<Record<string, unknown>>;
  /** Istio's traffic policy. @default - none */
  readonly trafficPolicy?: Readonly<Record<string, unknown>>;
  /** Whether another of Istio's VirtualServices delegates to this one. @default false */
  readonly delegation?: boolean;
  /** Metadata of the Service `NAME`, and of the route. */
  readonly apex?: ServiceMetadata;
  /** Metadata of the Service `NAME-primary`. */
  readonly primary?: ServiceMetadata;
  /** Metadata of the Service `NAME-canary`. */
  readonly canary?: ServiceMetadata;
  /** Labels and annotations of the Services that others set, and Flagger leaves alone. */
  readonly unmanagedMetadata?: {
    /** Names of labels. */
    readonly labels?: readonly string[];
    /** Names of annotations. */
    readonly annotations?: readonly string[];
  };
}

const textMatch = object<TextMatch>({
  exact: optional(someText),
  prefix: optional(someText),
  suffix: optional(someText),
  regex: optional(someText),
});

/** Headers or parameters, by name. */
export const textMatches: Schema<Readonly<Record<string, TextMatch>>> = record(textMatch);

const metadata = object<ServiceMetadata>({ labels: optional(texts), annotations: optional(texts) });

const headerChanges = object<HeaderChanges>({
  add: optional(texts),
  set: optional(texts),
  remove: optional(list(text('a text'))),
});

const tcpPort = whole(1, 65535);

const optionalName = optional(fits(dnsSubdomain));

const optionalNamespace = optional(fits(dnsLabel));

/** `NAME-primary` and `NAME-canary` are names of Services, too. */
export const canaryServiceName = text(
  'lower-case letters, digits and "-", a letter first, a letter or digit last, at most 55 characters: "-primary" is added',
  /^[a-z]([-a-z0-9]{0,53}[a-z0-9])?$/,
);

/** @see https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports */
const portName = dnsLabelUpTo(15);

/** @see https://gateway-api.sigs.k8s.io/geps/gep-2257/ */
const routeTimeout = text('a duration such as "15s" or "500ms"', /^(\d{1,5}(h|m|s|ms)){1,4}$/);

/** What a service may say; what has an effect depends on the provider. */
export const canaryService: Schema<CanaryService> = across(
  object<CanaryService>({
    name: optional(canaryServiceName),
    port: tcpPort,
    portName: optional(fits(portName)),
    targetPort: optional(
      following({
        allowed: 'a port, or the name of one',
        accepts: (value) => port.accepts(value) || portName.accepts(value),
      }),
    ),
    portDiscovery: optional(flag),
    appProtocol: optional(someText),
    trafficDistribution: optional(oneOf('PreferClose', 'PreferSameZone', 'PreferSameNode')),
    headless: optional(flag),
    hosts: optional(list(someText)),
    gatewayRefs: optional(
      list(
        object<GatewayRef>({
          name: fits(dnsSubdomain),
          namespace: optionalNamespace,
          sectionName: optionalName,
          port: optional(tcpPort),
          group: optionalName,
          kind: optional(someText),
        }),
      ),
    ),
    gateways: optional(list(someText)),
    timeout: optional(routeTimeout),
    backendTimeout: optional(routeTimeout),
    match: optional(
      list(
        object<RequestMatch>({
          uri: optional(textMatch),
          method: optional(textMatch),
          headers: optional(textMatches),
          queryParams: optional(textMatches),
        }),
      ),
    ),
    rewrite: optional(
      object({
        uri: optional(text('a text')),
        authority: optional(text('a text')),
        type: optional(oneOf('ReplaceFullPath', 'ReplacePrefixMatch')),
      }),
    ),
    headers: optional(object({ request: optional(headerChanges), response: optional(headerChanges) })),
    mirror: optional(
      list(
        object({
          backendRef: object({ name: fits(dnsSubdomain), namespace: optionalNamespace, port: tcpPort }),
        }),
      ),
    ),
    retries: optional(
      object({
        attempts: optional(whole(0, 2_147_483_647)),
        perTryTimeout: optional(text('a text')),
        retryOn: optional(text('a text')),
      }),
    ),
    corsPolicy: optional(record(anything)),
    trafficPolicy: optional(record(anything)),
    delegation: optional(flag),
    apex: optional(metadata),
    primary: optional(metadata),
    canary: optional(metadata),
    unmanagedMetadata: optional(
      object({ labels: optional(list(fits(labelKey))), annotations: optional(list(fits(labelKey))) }),
    ),
  }),
  ({ timeout, backendTimeout }, { mustBe }) => {
    const [all, one] = [timeout, backendTimeout].map((each) => parseDuration(String(each)));
    // A timeout of zero is none.
    if (all !== undefined && one !== undefined && all > 0 && one > all) {
      mustBe(['backendTimeout'], `at most "timeout", ${String(timeout)}`);
    }
  },
);

const gateway: readonly CanaryProvider[] = ['gatewayapi:v1', 'gatewayapi:v1beta1'];

const smi: readonly CanaryProvider[] = ['linkerd', 'osm', 'smi:v1alpha1', 'smi:v1alpha2', 'smi:v1alpha3'];

/**
 * With which providers a field has an effect; with others Flagger says nothing and leaves it out.
 * @see https://github.com/fluxcd/flagger/tree/v1.44.0/pkg/router
 */
export const serviceFields: Readonly<Record<keyof CanaryService, ProviderSupport>> = {
  name: 'all',
  port: 'all',
  portName: 'all',
  targetPort: 'all',
  portDiscovery: 'all',
  appProtocol: 'all',
  trafficDistribution: 'all',
  headless: 'all',
  hosts: [...gateway, 'istio', ...smi],
  gatewayRefs: gateway,
  gateways: ['istio', ...smi],
  timeout: ['gatewayapi:v1', 'istio', 'contour'],
  backendTimeout: ['gatewayapi:v1'],
  match: [...gateway, 'istio', 'contour'],
  rewrite: [...gateway, 'istio'],
  headers: [...gateway, 'istio'],
  mirror: gateway,
  retries: ['istio', 'contour'],
  corsPolicy: ['gatewayapi:v1', 'istio'],
  trafficPolicy: ['istio'],
  delegation: ['istio'],
  apex: 'all',
  primary: 'all',
  canary: 'all',
  unmanagedMetadata: 'all',
};
