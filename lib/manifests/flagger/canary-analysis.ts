import { listOf, mapOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { textMatchKeys } from './canary-service';
import type { TextMatch } from './canary-service';
import { flaggerMetricKeys } from './metric-template';
import type { FlaggerMetric } from './metric-template';
import type { CanaryProvider, ProviderSupport } from './provider';

/**
 * When Flagger calls:
 *
 * | type | when | a status over 202 |
 * |---|---|---|
 * | `confirm-rollout` | before the new version gets pods | waits |
 * | `pre-rollout` | before it gets traffic | a failed check |
 * | `rollout` | at each step, before the metrics | a failed check |
 * | `confirm-traffic-increase` | before each higher weight | waits |
 * | `confirm-promotion` | before it is released | waits, and goes on checking |
 * | `post-rollout` | after the release or the way back | is notified |
 * | `rollback` | all the way | goes on; **any other status takes the new version back** |
 * | `event` | at every event | is notified |
 *
 * @see https://docs.flagger.app/usage/webhooks
 */
export type CanaryWebhookType =
  | 'confirm-rollout'
  | 'pre-rollout'
  | 'rollout'
  | 'confirm-traffic-increase'
  | 'confirm-promotion'
  | 'post-rollout'
  | 'rollback'
  | 'event';

/** A service that Flagger calls by POST, with the Canary's name, namespace and phase. */
export interface CanaryWebhook {
  /** Name in events, once in a Canary. */
  readonly name: string;
  /** When it is called. @default 'rollout' - Flagger's */
  readonly type?: CanaryWebhookType;
  /** `http://…` or `https://…`, without credentials: it is in the manifest. */
  readonly url: string;
  /** Longest time of one try, in minutes and seconds. @default '10s' - Flagger's */
  readonly timeout?: string;
  /** Further tries. @default 0 */
  readonly retries?: number;
  /** Whether certificates are not verified. @default false */
  readonly disableTLS?: boolean;
  /** Whether waiting for a confirmation is not alerted. @default false */
  readonly muteAlert?: boolean;
  /** What is sent besides; it is in the manifest. @default - nothing */
  readonly metadata?: Readonly<Record<string, string>>;
}

const canaryWebhookKeys: OptionsOf<CanaryWebhook> = {
  name: 'plain',
  type: 'plain',
  url: 'plain',
  timeout: 'plain',
  retries: 'plain',
  disableTLS: 'plain',
  muteAlert: 'plain',
  metadata: 'plain',
};

/** Who sees the new version in an A/B test: requests that fit one of the lists' entries, in all of its fields. */
export interface CanaryMatch {
  /** Headers of the request, by name. @default - any */
  readonly headers?: Readonly<Record<string, TextMatch>>;
  /** Parameters of the request's URL, by name. @default - any */
  readonly queryParams?: Readonly<Record<string, TextMatch>>;
  /** Labels of the calling pod. Istio only. */
  readonly sourceLabels?: Readonly<Record<string, string>>;
}

const canaryMatchKeys: OptionsOf<CanaryMatch> = {
  headers: mapOf(textMatchKeys),
  queryParams: mapOf(textMatchKeys),
  sourceLabels: 'plain',
};

/** Keeps a visitor who has seen the new version there, by a cookie. */
export interface SessionAffinity {
  /** Name of the cookie for the new version: letters, digits, "-" and "_". */
  readonly cookieName: string;
  /** Name of a cookie for the old version, another one. @default - none: the old version's visitors may change over */
  readonly primaryCookieName?: string;
  /** How long the cookie lasts, in seconds. @default 86400 - a day, Flagger's */
  readonly maxAge?: number;
  /** `Domain` of the cookie. @default - not set */
  readonly domain?: string;
  /** `Path` of the cookie. @default - not set */
  readonly path?: string;
  /** Whether scripts in the browser can't read the cookie. @default false */
  readonly httpOnly?: boolean;
  /** Whether the cookie goes over TLS only. @default false */
  readonly secure?: boolean;
  /** Whether the browser keeps the cookie apart for each top-level site. @default false */
  readonly partitioned?: boolean;
  /** `SameSite` of the cookie: whether it goes with requests from other sites. @default - not set */
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

const sessionAffinityKeys: OptionsOf<SessionAffinity> = {
  cookieName: 'plain',
  primaryCookieName: 'plain',
  maxAge: 'plain',
  domain: 'plain',
  path: 'plain',
  httpOnly: 'plain',
  secure: 'plain',
  partitioned: 'plain',
  sameSite: 'plain',
};

/** Who is notified of a Canary's progress: an AlertProvider of Flagger. */
export interface CanaryAlert {
  /** Name of the alert. */
  readonly name: string;
  /**
   * The lowest severity that is sent; `warn` brings errors, too.
   * @default 'info' - Flagger's
   */
  readonly severity?: 'info' | 'warn' | 'error';
  /** The AlertProvider that is notified. */
  readonly providerRef: {
    /** Name of the AlertProvider. */
    readonly name: string;
    /** Its namespace. @default - the Canary's */
    readonly namespace?: string;
  };
}

const canaryAlertKeys: OptionsOf<CanaryAlert> = {
  name: 'plain',
  severity: 'plain',
  providerRef: { name: 'plain', namespace: 'plain' },
};

/**
 * How a new version is evaluated. Weights move traffic step by step; `iterations` evaluate the new version without its share of
 * traffic (blue/green), or with requests that `match` (A/B).
 *
 * @see https://docs.flagger.app/usage/deployment-strategies
 */
export interface CanaryAnalysis {
  /**
   * Time from step to step, in minutes and seconds, at least `10s`.
   * @default '1m' - Flagger's own; windows of metrics are as long
   */
  readonly interval?: string;
  /**
   * Failed checks, of all steps together, at which the new version is taken back. A metric without a value is a failed check.
   * @default 3 - one bad minute may be noise, three are not
   */
  readonly threshold?: number;
  /** Number of checks without weights. @default 10 with the provider `kubernetes` and with `match` - Flagger's own; else weights */
  readonly iterations?: number;
  /** Percent of traffic that each step adds. @default 10 - five steps */
  readonly stepWeight?: number;
  /**
   * Percent of traffic at which the new version is released; a multiple of `stepWeight`, or 100.
   * @default 50 - half of the traffic is enough to evaluate, and the old version still has all of its pods
   */
  readonly maxWeight?: number;
  /** Percents of traffic, ascending, in place of `stepWeight` and `maxWeight`. @default - equal steps */
  readonly stepWeights?: readonly number[];
  /** Percent that each step gives back to the released pods in the end. @default - all at once */
  readonly stepWeightPromotion?: number;
  /** Percent of the old version's pods that have to be ready. @default 100 - Flagger's */
  readonly primaryReadyThreshold?: number;
  /** Percent of the new version's pods that have to be ready. @default 100 - Flagger's */
  readonly canaryReadyThreshold?: number;
  /** Whether the new version gets a copy of the requests, whose answers are dropped. Requests must bear to be sent twice. @default false */
  readonly mirror?: boolean;
  /** Percent of requests that are copied. Istio only. @default - all */
  readonly mirrorWeight?: number;
  /** Whose requests go to the new version (A/B). @default - all requests */
  readonly match?: readonly CanaryMatch[];
  /**
   * What the new version is evaluated by. `request-success-rate` (percent) and `request-duration` (milliseconds, the 99th
   * percentile) are Flagger's own.
   * @default - webhooks alone
   */
  readonly metrics?: readonly FlaggerMetric[];
  /** What is called on the way. @default - nothing */
  readonly webhooks?: readonly CanaryWebhook[];
  /**
   * Keeps users who have seen the new version with it, by a cookie.
   * @default - every request is routed by the weights alone
   */
  readonly sessionAffinity?: SessionAffinity;
  /** Who is notified of the progress. @default - Flagger's own setting */
  readonly alerts?: readonly CanaryAlert[];
}

export const canaryAnalysisKeys: OptionsOf<CanaryAnalysis> = {
  interval: 'plain',
  threshold: 'plain',
  iterations: 'plain',
  stepWeight: 'plain',
  maxWeight: 'plain',
  stepWeights: 'list',
  stepWeightPromotion: 'plain',
  primaryReadyThreshold: 'plain',
  canaryReadyThreshold: 'plain',
  mirror: 'plain',
  mirrorWeight: 'plain',
  match: listOf(canaryMatchKeys),
  metrics: listOf(flaggerMetricKeys),
  webhooks: listOf(canaryWebhookKeys),
  sessionAffinity: sessionAffinityKeys,
  alerts: listOf(canaryAlertKeys),
};

const gateway: readonly CanaryProvider[] = ['gatewayapi:v1', 'gatewayapi:v1beta1'];

const weighing: readonly CanaryProvider[] = [
  ...gateway,
  ...(['apisix', 'contour', 'gloo', 'istio', 'knative', 'kuma', 'linkerd', 'nginx', 'osm'] as const),
  ...(['skipper', 'smi:v1alpha1', 'smi:v1alpha2', 'smi:v1alpha3', 'traefik'] as const),
];

/**
 * With which providers a field has an effect; with others Flagger leaves it out, with no more than an event.
 * @see https://docs.flagger.app/usage/deployment-strategies
 */
export const analysisFields: Readonly<Record<keyof CanaryAnalysis, ProviderSupport>> = {
  interval: 'all',
  threshold: 'all',
  iterations: 'all',
  stepWeight: weighing,
  maxWeight: weighing,
  stepWeights: weighing,
  stepWeightPromotion: weighing,
  primaryReadyThreshold: 'all',
  canaryReadyThreshold: 'all',
  mirror: [...gateway, 'istio'],
  mirrorWeight: ['istio'],
  match: [...gateway, 'istio', 'contour', 'gloo', 'nginx'],
  metrics: 'all',
  webhooks: 'all',
  sessionAffinity: [...gateway, 'istio'],
  alerts: 'all',
};
