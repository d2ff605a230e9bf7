import type { Action, Rule, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import { AwsError } from '../../core/aws/errors';
import { forwardTargets } from '../../core/aws/load-balancing';
import type { ForwardTarget, LoadBalancingReader, TagsByKey } from '../../core/aws/load-balancing';
import { matchesGlob } from '../../core/glob';
import { previewTag } from '../../core/names';

/** A rule of a listener, or the listener itself with what it does by default. */
export interface ListenerRule {
  /** ARN of the rule or listener. */
  readonly where: string;
  /** ARN of the load balancer. */
  readonly balancer: string;
  /** The lowest that matches wins; `Infinity` for what a listener does by default. */
  readonly priority: number;
  /** All of them have to hold. */
  readonly conditions: readonly RuleCondition[];
  readonly actions: readonly Action[];
  /** Whether it is a preview of a slot: see {@link isPreview}. @default false */
  readonly isPreview?: boolean;
}

/** Kinds of listeners that have rules; those of a Network Load Balancer tell addresses of IPv4 and IPv6 apart. */
const withRules = /:listener\/(app|net)\//;

/**
 * The rules of each listener of a load balancer, with its default. What is deleted meanwhile is left out.
 *
 * @param ofFleet target groups of the fleet
 * @throws AwsError
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/create-rule.html
 */
export async function listenerRules(
  reader: LoadBalancingReader,
  balancer: string,
  ofFleet: ReadonlySet<string>,
): Promise<readonly (readonly ListenerRule[])[]> {
  const found: (readonly ListenerRule[])[] = [];
  const listeners = (await unlessGone(reader.listeners(balancer))) ?? [];
  for (const { ListenerArn: where = '', DefaultActions: actions = [] } of listeners) {
    const byDefault = { where, balancer, priority: Infinity, conditions: [], actions };
    const rules = withRules.test(where) ? await unlessGone(reader.rules(where)) : [];
    if (rules) {
      const own = rules.map((rule) => ruleOf(rule, balancer));
      found.push([...(await withPreviews(reader, own, ofFleet)), byDefault]);
    }
  }
  return found;
}

/**
 * Tells which rules are previews, by their tags. Only those are asked for that may be one. A rule that is deleted meanwhile has
 * none, and neither have those that were asked for with it: what is no preview for sure is traffic.
 */
async function withPreviews(
  reader: LoadBalancingReader,
  rules: readonly ListenerRule[],
  ofFleet: ReadonlySet<string>,
): Promise<readonly ListenerRule[]> {
  const asked = rules
    .filter((rule) => mayBePreview(rule) && forwardTargets(rule.actions).every(({ arn }) => ofFleet.has(arn)))
    .map(({ where }) => where);
  const tags = asked.length === 0 ? undefined : await unlessGone(reader.tags(asked));
  const previews = rules.filter((rule) => isPreview(rule, tags?.get(rule.where)));
  const isServed = ({ actions }: ListenerRule): boolean =>
    forwardTargets(actions).some(({ arn }) => ofFleet.has(arn));
  const hosts = new Set(rules.filter((rule) => !previews.includes(rule) && isServed(rule)).flatMap(hostsOf));
  return rules.map((rule) =>
    previews.includes(rule) && !isForVisitors(rule, hosts) ? { ...rule, isPreview: true } : rule,
  );
}

/** Whether nothing but a host leads to it that another rule of the fleet serves as well: its visitors are meant, whatever a tag says. */
function isForVisitors({ conditions }: ListenerRule, hosts: ReadonlySet<string>): boolean {
  const [leading, ...others] = conditions.filter(leadsToPreview);
  return (
    leading !== undefined &&
    others.length === 0 &&
    hostsOf({ conditions: [leading] }).some((host) => hosts.has(host))
  );
}

function hostsOf({ conditions }: Pick<ListenerRule, 'conditions'>): readonly string[] {
  return conditions.flatMap((each) => (each.Field === 'host-header' ? (valuesOf(each) ?? []) : []));
}

/** Whether a rule has the form of a preview: whatever its tags are, others serve visitors. */
function mayBePreview({ conditions, actions }: ListenerRule): boolean {
  return forwardTargets(actions).length === 1 && conditions.some(leadsToPreview);
}

/** As `FleetTraffic` writes it: one header that visitors don't send, or one whole host. A tag on anything wider proves nothing. */
function leadsToPreview(condition: RuleCondition): boolean {
  const [value, ...others] = valuesOf(condition) ?? [];
  if (value === undefined || others.length > 0) {
    return false;
  }
  if (condition.Field === 'host-header') {
    return !/[*?]/.test(value);
  }
  const header = headerOf(condition);
  return header === 'cookie'
    ? /^\*[^*?=]+=[^*?]+\*$/.test(value)
    : header !== undefined && !isSentByItself(header) && !/[*?]/.test(value);
}

/**
 * Whether a rule is a preview that `FleetTraffic` made: it has the tag, asks for one value of a header or for one host, and forwards
 * to one target group. A host that only its users know looks like any other, so the tag tells.
 */
export function isPreview(rule: ListenerRule, tags: TagsByKey | undefined): boolean {
  return tags?.[previewTag] !== undefined && mayBePreview(rule);
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AwsError && error.failure.kind === 'notFound') {
      return undefined;
    }
    throw error;
  }
}

function ruleOf(
  { RuleArn: where = '', Priority, Conditions: conditions = [], Actions: actions = [] }: Rule,
  balancer: string,
): ListenerRule {
  return { where, balancer, priority: Number(Priority), conditions, actions };
}

/** The target groups that actions forward to; one that is alone gets everything, whatever its weight. */
export function forwardedTo(actions: readonly Action[]): readonly ForwardTarget[] {
  const targets = forwardTargets(actions);
  return targets.length === 1 ? targets.map(({ arn }) => ({ arn, weight: 1 })) : targets;
}

/**
 * Whether a rule is a test route: visitors don't reach it, but who asks for it does. Its traffic is not live traffic. A preview
 * of a slot is one.
 *
 * Of other rules two things have to hold. The rule has a condition on a header (`Cookie` included) or on the query string that names values:
 * each has a character that is no wildcard, and none is a regular expression. And whoever lacks that header or query is served
 * by a later rule of the listener, or by its default action: that one forwards to the same fleet, and all of its own conditions
 * hold wherever this rule's do.
 *
 * A header that browsers, proxies and content delivery networks send on their own makes no test route, nor does one that
 * every rule asks for: a secret between a content delivery network and the load balancer, say. Conditions on host, path,
 * method and source address never do: they are how visitors are distinguished.
 *
 * @param listener all rules of its listener, the default included
 * @param ofFleet target groups of the fleet
 */
export function isTestRoute(
  rule: ListenerRule,
  listener: readonly ListenerRule[],
  ofFleet: ReadonlySet<string>,
): boolean {
  if (rule.isPreview === true) {
    return true;
  }
  return listener.some((later) => {
    const serves = forwardedTo(later.actions).some(({ arn, weight }) => ofFleet.has(arn) && weight > 0);
    if (later.priority <= rule.priority || !serves) {
      return false;
    }
    const shared = later.conditions.map((wider) => rule.conditions.filter((each) => implies(each, wider)));
    const own = rule.conditions.filter((each) => !shared.flat().includes(each));
    return shared.every((each) => each.length > 0) && own.some(namesVisitorsWhoAsk);
  });
}

/** Headers that requests have without their sender's doing, in lower case; one that ends in `-` means all that begin so. */
const sentByThemselves = [
  ...['accept', 'accept-', 'authorization', 'cache-control', 'cdn-', 'cf-', 'cloudfront-', 'connection'],
  ...['content-', 'date', 'dnt', 'expect', 'fastly-', 'forwarded', 'from', 'host', 'if-', 'keep-alive'],
  ...['max-forwards', 'origin', 'pragma', 'priority', 'proxy-', 'range', 'referer', 'save-data', 'sec-'],
  ...['te', 'traceparent', 'tracestate', 'trailer', 'transfer-encoding', 'true-client-ip', 'upgrade'],
  ...['upgrade-insecure-requests', 'user-agent', 'via', 'x-akamai-', 'x-amz-', 'x-amzn-', 'x-forwarded-'],
  ...['x-real-ip', 'x-request-id', 'x-requested-with'],
];

/** Whether requests have a header without their sender's doing: browsers, proxies and content delivery networks send it. */
export function isSentByItself(header: string): boolean {
  const given = header.toLowerCase();
  return sentByThemselves.some((name) => (name.endsWith('-') ? given.startsWith(name) : given === name));
}

function namesVisitorsWhoAsk(condition: RuleCondition): boolean {
  const header = headerOf(condition);
  const values = condition.QueryStringConfig?.Values?.map(({ Value = '' }) => Value) ?? valuesOf(condition);
  const isAsked = condition.Field === 'query-string' || (header !== undefined && !isSentByItself(header));
  return isAsked && values !== undefined && values.every((value) => /[^*?]/.test(value));
}

/** Whether the wider condition holds wherever the other one does. */
function implies(condition: RuleCondition, wider: RuleCondition): boolean {
  const [values, patterns] = [valuesOf(condition), valuesOf(wider)];
  return (
    condition.Field === wider.Field &&
    headerOf(condition) === headerOf(wider) &&
    values !== undefined &&
    patterns !== undefined &&
    values.every((value) => patterns.some((pattern) => covers(pattern, value)))
  );
}

function headerOf({ HttpHeaderConfig }: RuleCondition): string | undefined {
  return HttpHeaderConfig?.HttpHeaderName?.toLowerCase();
}

/** The values of which one has to match; undefined where there are none, or regular expressions, of which nothing is known. */
function valuesOf(condition: RuleCondition): readonly string[] | undefined {
  const { Field, Values, RegexValues, QueryStringConfig, SourceIpConfig } = condition;
  const config: { readonly Values?: string[]; readonly RegexValues?: string[] } | undefined =
    condition.HttpHeaderConfig ??
    condition.HostHeaderConfig ??
    condition.PathPatternConfig ??
    condition.HttpRequestMethodConfig;
  if ((RegexValues ?? config?.RegexValues ?? []).length > 0) {
    return undefined;
  }
  const given =
    QueryStringConfig?.Values?.map(({ Key, Value = '' }) =>
      Key === undefined ? Value : `${Key}=${Value}`,
    ) ??
    SourceIpConfig?.Values ??
    config?.Values ??
    Values ??
    [];
  const isCased = Field === 'path-pattern' || Field === 'http-request-method';
  return given.length === 0 ? undefined : isCased ? given : given.map((value) => value.toLowerCase());
}

/** Whether a pattern matches all that a value does: the same text, or a text without wildcards that fits. */
function covers(pattern: string, value: string): boolean {
  if (pattern === value || pattern === '*') {
    return true;
  }
  return (pattern === '/*' || !/[*?]/.test(value)) && matchesGlob(pattern, value);
}
