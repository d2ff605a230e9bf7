import { listOf, mapOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
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

export const textMatchKeys: OptionsOf<TextMatch> = {
  exact: 'plain',
  prefix: 'plain',
  suffix: 'plain',
  regex: 'plain',
};

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
  /** Istio's further fields. */
  readonly [field: string]: unknown;
}

const requestMatchKeys: OptionsOf<RequestMatch> = {
  uri: textMatchKeys,
  method: textMatchKeys,
  headers: mapOf(textMatchKeys),
  queryParams: mapOf(textMatchKeys),
};

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

const gatewayRefKeys: OptionsOf<GatewayRef> = {
  name: 'plain',
  namespace: 'plain',
  sectionName: 'plain',
  port: 'plain',
  group: 'plain',
  kind: 'plain',
};

/** Labels and annotations of one of the Services that Flagger makes. */
export interface ServiceMetadata {
  /** Labels of the Service. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the Service. */
  readonly annotations?: Readonly<Record<string, string>>;
}

const serviceMetadataKeys: OptionsOf<ServiceMetadata> = { labels: 'plain', annotations: 'plain' };

/** Changes of headers on the way. */
export interface HeaderChanges {
  /** Values that are added to a header, by its name. */
  readonly add?: Readonly<Record<string, string>>;
  /** Values that take the place of a header's own, by its name. */
  readonly set?: Readonly<Record<string, string>>;
  /** Names of headers that are taken away. */
  readonly remove?: readonly string[];
}

const headerChangesKeys: OptionsOf<HeaderChanges> = { add: 'plain', set: 'plain', remove: 'list' };

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

export const canaryServiceKeys: OptionsOf<CanaryService> = {
  name: 'plain',
  port: 'plain',
  portName: 'plain',
  targetPort: 'plain',
  portDiscovery: 'plain',
  appProtocol: 'plain',
  trafficDistribution: 'plain',
  headless: 'plain',
  hosts: 'list',
  gatewayRefs: listOf(gatewayRefKeys),
  gateways: 'list',
  timeout: 'plain',
  backendTimeout: 'plain',
  match: listOf(requestMatchKeys),
  rewrite: { uri: 'plain', authority: 'plain', type: 'plain' },
  headers: { request: headerChangesKeys, response: headerChangesKeys },
  mirror: listOf({ backendRef: { name: 'plain', namespace: 'plain', port: 'plain' } }),
  retries: { attempts: 'plain', perTryTimeout: 'plain', retryOn: 'plain' },
  corsPolicy: 'plain',
  trafficPolicy: 'plain',
  delegation: 'plain',
  apex: serviceMetadataKeys,
  primary: serviceMetadataKeys,
  canary: serviceMetadataKeys,
  unmanagedMetadata: { labels: 'list', annotations: 'list' },
};

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
