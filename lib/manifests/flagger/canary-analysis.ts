import { across, list, object, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema, Unevaluated } from '../../core/validation/schema';
import { fits, flag, oneOf, text, that, whole } from '../../core/validation/values';
import { textMatches } from './canary-service';
import type { TextMatch } from './canary-service';
import { minutesAndSeconds, secondsOf, serviceUrl, someText, texts } from './formats';
import { flaggerMetric } from './metric';
import type { FlaggerMetric } from './metric';
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

/** Who sees the new version in an A/B test: requests that fit one of the lists' entries, in all of its fields. */
export interface CanaryMatch {
  /** Headers of the request, by name. @default - any */
  readonly headers?: Readonly<Record<string, TextMatch>>;
  /** Parameters of the request's URL, by name. @default - any */
  readonly queryParams?: Readonly<Record<string, TextMatch>>;
  /** Labels of the calling pod. Istio only. */
  readonly sourceLabels?: Readonly<Record<string, string>>;
}

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

const webhook = object<CanaryWebhook>({
  name: someText,
  type: optional(
    oneOf(
      ...(['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-traffic-increase'] as const),
      ...(['confirm-promotion', 'post-rollout', 'rollback', 'event'] as const),
    ),
  ),
  url: serviceUrl,
  timeout: optional(minutesAndSeconds),
  retries: optional(whole(0, 100)),
  disableTLS: optional(flag),
  muteAlert: optional(flag),
  metadata: optional(texts),
});

const match = across(
  object<CanaryMatch>({
    headers: optional(textMatches),
    queryParams: optional(textMatches),
    sourceLabels: optional(texts),
  }),
  (given, { mustBeSecretly }) => {
    if (Object.values(given).every((each) => isPlainObject(each) && Object.keys(each).length === 0)) {
      mustBeSecretly([], 'at least one header or parameter: without one, every request fits');
    }
  },
);

/** Flagger splits a cookie at "=" and looks for its name by a regular expression. */
const cookieName = text('the name of a cookie: letters, digits, "-" and "_"', /^[-\w]{1,64}$/);

const sessionAffinity = across(
  object<SessionAffinity>({
    cookieName,
    primaryCookieName: optional(cookieName),
    maxAge: optional(whole(1, 34_560_000)),
    domain: optional(someText),
    path: optional(someText),
    httpOnly: optional(flag),
    secure: optional(flag),
    partitioned: optional(flag),
    sameSite: optional(oneOf('Strict', 'Lax', 'None')),
  }),
  ({ cookieName: name, primaryCookieName, sameSite, secure, partitioned }, { mustBe }) => {
    if (primaryCookieName !== undefined && primaryCookieName === name) {
      mustBe(['primaryCookieName'], 'another one than "cookieName"');
    }
    if ((sameSite === 'None' || partitioned === true) && secure !== true) {
      mustBe(['secure'], 'true: browsers refuse cookies that are "None" or partitioned and not secure');
    }
  },
);

const alert = object<CanaryAlert>({
  name: someText,
  severity: optional(oneOf('info', 'warn', 'error')),
  providerRef: object({ name: fits(dnsSubdomain), namespace: optional(fits(dnsLabel)) }),
});

/** Flagger looks no more often; in seconds. */
const minInterval = 10;

const percent = whole(1, 100);

/** What an analysis may say; what has an effect depends on the provider. */
export const canaryAnalysis: Schema<CanaryAnalysis> = across(
  object<CanaryAnalysis>({
    interval: optional(
      that(
        minutesAndSeconds,
        `at least ${minInterval}s: Flagger looks no more often`,
        (interval) => secondsOf(interval) >= minInterval,
      ),
    ),
    threshold: optional(whole(1, 10_000)),
    iterations: optional(whole(1, 10_000)),
    stepWeight: optional(percent),
    maxWeight: optional(percent),
    stepWeights: optional(list(percent, 1, 'a list with at least one weight')),
    stepWeightPromotion: optional(percent),
    primaryReadyThreshold: optional(whole(0, 100)),
    canaryReadyThreshold: optional(whole(0, 100)),
    mirror: optional(flag),
    mirrorWeight: optional(percent),
    match: optional(list(match, 1, 'a list with at least one entry')),
    metrics: optional(list(flaggerMetric)),
    webhooks: optional(list(webhook)),
    sessionAffinity: optional(sessionAffinity),
    alerts: optional(list(alert)),
  }),
  (analysis, objections) => {
    checkOneWay(analysis, objections);
    checkStepWeights(analysis.stepWeights, objections);
    checkOnce('metrics', analysis.metrics, objections);
    checkOnce('webhooks', analysis.webhooks, objections);
    if (analysis.mirrorWeight !== undefined && analysis.mirror !== true) {
      objections.mustBe(['mirrorWeight'], 'left out, or with "mirror"');
    }
  },
);

/** Of two ways that are both given, Flagger takes one. */
function checkOneWay(analysis: Unevaluated<CanaryAnalysis>, { mustBe }: Objections): void {
  const { iterations, stepWeights } = analysis;
  const leftOut = (fields: readonly (keyof CanaryAnalysis)[], reason: string): void =>
    fields
      .filter((field) => analysis[field] !== undefined)
      .forEach((field) => mustBe([field], `left out: ${reason}`));
  if (iterations !== undefined) {
    leftOut(
      ['stepWeight', 'maxWeight', 'stepWeights'],
      '"iterations" is set, and Flagger would not shift weights',
    );
  } else if (stepWeights !== undefined) {
    leftOut(['stepWeight', 'maxWeight'], '"stepWeights" sets all weights');
  }
}

function checkStepWeights(weights: unknown, { mustBe }: Objections): void {
  const given: readonly unknown[] = Array.isArray(weights) ? weights : [];
  given.forEach((weight, position) => {
    const before = given[position - 1] ?? 0;
    if (typeof weight === 'number' && typeof before === 'number' && weight > 0 && weight <= before) {
      mustBe(
        ['stepWeights', position],
        `more than ${before}, the one before: Flagger would stay there for ever`,
      );
    }
  });
}

function checkOnce(field: 'metrics' | 'webhooks', entries: unknown, { mustBe }: Objections): void {
  const names = new Set<unknown>();
  for (const [position, entry] of (Array.isArray(entries) ? (entries as readonly unknown[]) : []).entries()) {
    const name = isPlainObject(entry) ? entry.name : undefined;
    if (typeof name === 'string' && names.has(name)) {
      mustBe([field, position, 'name'], 'in the list once');
    }
    names.add(name);
  }
}

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
