import type * as pulumi from '@pulumi/pulumi';
import { across, either, list, object, optional, record } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Schema } from '../../core/validation/schema';
import { anything, following, later, secret, text, that, whole } from '../../core/validation/values';
import { isSentByItself } from '../../operate/live-traffic';
import { slotPreview } from '../../shift/probes';

/**
 * What leads to each slot past the weights: exactly one of `header`, `cookie` and `hosts`. Each slot gets a rule for each route,
 * right before that of the route.
 *
 * It is no access control: whoever knows the header reaches the slot.
 */
export interface SlotPreviewsArgs<Slot extends string = string, Route extends string = string> {
  /** Name of a header: `x-slot`. Case does not count, neither in the name nor in values. */
  readonly header?: string;
  /** Name of a cookie. */
  readonly cookie?: string;
  /**
   * A host of its own for each slot; for each of its routes, where they differ in nothing else. DNS and the certificate are
   * yours. A slot that is left out has no preview.
   */
  readonly hosts?: Readonly<Partial<Record<Slot, string | Readonly<Partial<Record<Route, string>>>>>>;
  /**
   * What the header or the cookie says for a slot. One that is a secret of Pulumi's stays one.
   * @default - the name of the slot
   */
  readonly values?: Readonly<Partial<Record<Slot, pulumi.Input<string>>>>;
  /**
   * How far before the priority of its route the rule of a slot is; of a listener, before 50001. No two slots have the same.
   * @default - a number from 1 to 5 that is made of the slot's name, so that it stays when other slots come and go: AWS moves no
   * rule to a priority that is in use
   */
  readonly before?: Readonly<Partial<Record<Slot, number>>>;
  /** Routes, or listeners, that have previews. @default - all */
  readonly routes?: readonly Route[];
  /**
   * Where a route answers, for the commands and checks that ask a slot: `https://www.example.com`.
   * @default - https, the first host of the route, and the first of its paths
   */
  readonly urls?: Readonly<Partial<Record<Route, string>>>;
}

/**
 * A name that a load balancer drops in no case.
 * @see https://repost.aws/knowledge-center/elb-alb-drop-not-valid-headers
 */
const headerName = that(
  text(
    'the name of a header of your own, of letters, digits and "-", at most 40 characters; for a cookie use cookie, for the host hosts',
    /^[A-Za-z0-9-]{1,40}$/,
  ),
  'the name of a header of your own: not Host or Cookie, nor one that browsers, proxies or load balancers send',
  (name) => !isSentByItself(name) && !/^cookie$/i.test(name),
);

/** @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html */
const cookieName = that(
  text('the name of a cookie: letters, digits, "-" and "_", at most 40 characters', /^[A-Za-z0-9_-]{1,40}$/),
  'another name: cookies that begin with AWSALB are of the load balancer',
  (name) => !/^awsalb/i.test(name),
);

/** @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_HttpHeaderConditionConfig.html */
export const previewValue = text(
  'letters, digits and !#$%&\'()+-./:<=>@[]^_`{|}~, at most 80 of them: "*" and "?" are wildcards of the load balancer',
  /^[A-Za-z0-9!#$%&'()+./:<=>@[\]^_`{|}~-]{1,80}$/,
);

/** A host name without wildcards. */
const previewHost = text(
  'a whole host name without wildcards, such as green.example.com, at most 128 characters',
  /^(?=.{1,128}$)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.[A-Za-z0-9-]+$/,
);

const urlAllowed = 'a URL, http or https, without a login, a query or a fragment: https://www.example.com';

const kinds = ['header', 'cookie', 'hosts'] as const;

/** Schema of {@link SlotPreviewsArgs}. */
export const slotPreviewsSchema: Schema<SlotPreviewsArgs> = across(
  object<SlotPreviewsArgs>({
    header: optional(headerName),
    cookie: optional(cookieName),
    hosts: optional(
      record(
        either<string | Readonly<Record<string, string>>>(
          `${previewHost.allowed}, or one for each route`,
          { when: isPlainObject, schema: record(previewHost, following(dnsLabel)) },
          { when: () => true, schema: previewHost },
        ),
        following(dnsLabel),
      ),
    ),
    values: optional(record(secret<never>(later(previewValue)), following(dnsLabel))),
    before: optional(record(whole(1, 49_999), following(dnsLabel))),
    routes: optional(list(text('the name of a route'), 1)),
    urls: optional(
      record(
        that(text(urlAllowed), urlAllowed, (url) => problemsOf(slotPreview, { url }).length === 0),
        following(dnsLabel),
      ),
    ),
  }),
  (given, { mustBeSecretly, conflicts }) => {
    if (kinds.filter((kind) => given[kind] !== undefined).length !== 1) {
      mustBeSecretly([], `exactly one of ${kinds.join(', ')}`);
    }
    if (given.hosts !== undefined && given.values !== undefined) {
      conflicts(['values'], 'hosts: the host itself leads to the slot');
    }
  },
);

/** For what has no previews: it sees names alone. */
export const noPreviews: Schema<never> = secret(
  that<never>(
    anything,
    "left out: DNS sees no header; a preview is a rule of an Application Load Balancer's listener, of FleetTraffic or FleetListeners",
    () => false,
  ),
);
