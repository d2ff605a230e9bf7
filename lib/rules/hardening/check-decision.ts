import type { Rule, Untyped } from '../../problems';
import {
  dnsLabel,
  dnsSubdomain,
  isMapping,
  labelKey,
  labelValue,
  oneOf,
  Problems,
  unknownKey,
  wholeNumber,
} from '../../problems';
import type { HardeningDecision } from './decision';

const keys: readonly (keyof HardeningDecision)[] = [
  'service',
  'webhook',
  'injectCaFrom',
  'injectCaFromSecret',
  'issuer',
  'clusterIssuer',
  'failurePolicy',
  'timeoutSeconds',
  'leaveOut',
  'optIn',
];

/** `NAMESPACE/NAME` */
const namespacedName: Rule = {
  allowed: 'NAMESPACE/NAME',
  accepts: (value) => {
    const [namespace, name, ...more] = typeof value === 'string' ? value.split('/') : [];
    return more.length === 0 && dnsLabel.accepts(namespace) && dnsSubdomain.accepts(name);
  },
};

const webhookName: Rule = {
  allowed: 'the name of a webhook in a webhook configuration, such as "pods.gate.example.com"',
  accepts: (value) => typeof value === 'string' && value !== '',
};

const labels: Rule = {
  allowed: 'labels, one or more: { "example.com/gate": "enabled" }',
  accepts: (value) =>
    isMapping(value) &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(([key, each]) => labelKey.accepts(key) && labelValue.accepts(each)),
};

const namespaces: Rule = {
  allowed: 'names of namespaces, one or more: ["kube-system"]',
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => dnsLabel.accepts(each)),
};

const rules: Readonly<Record<keyof HardeningDecision, Rule>> = {
  service: namespacedName,
  webhook: webhookName,
  injectCaFrom: namespacedName,
  injectCaFromSecret: namespacedName,
  issuer: namespacedName,
  clusterIssuer: dnsSubdomain,
  failurePolicy: oneOf('Fail', 'Ignore'),
  timeoutSeconds: wholeNumber(1, 30),
  leaveOut: namespaces,
  optIn: labels,
};

/** What is wrong with a decision that somebody wrote, with paths below it. */
export function checkDecision(value: unknown): Problems {
  const problems = new Problems('decision');
  if (!isMapping(value)) {
    problems.add('decision', value, `a map with ${keys.join(', ')}`);
    return problems;
  }
  for (const [key, each] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, key) ? rules[key as keyof HardeningDecision] : undefined;
    if (!rule) {
      problems.addSecret(key, unknownKey(key, keys));
    } else if (each !== undefined) {
      problems.check(key, each, rule);
    }
  }
  checkTogether(value, problems);
  return problems;
}

/** Decisions about what one before them is about, each with its position in the list. */
export function secondDecisions(decisions: readonly unknown[]): readonly SecondDecision[] {
  const seen = new Map<string, number>();
  return decisions.flatMap((decision, position) => {
    const { service, webhook } = isMapping(decision) ? decision : {};
    const key = JSON.stringify([service, webhook]);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, position);
    }
    return first === undefined || (service === undefined && webhook === undefined)
      ? []
      : [{ position, first, key: service === undefined ? 'webhook' : 'service', value: service ?? webhook }];
  });
}

/** A decision about what another one is about already. */
export interface SecondDecision {
  readonly position: number;
  /** Position of the other one. */
  readonly first: number;
  readonly key: 'service' | 'webhook';
  readonly value: unknown;
}

function checkTogether(decision: Untyped, problems: Problems): void {
  const { service, webhook } = decision;
  if (Object.entries(decision).every(([key, value]) => isSubject(key) || value === undefined)) {
    const decided = keys.filter((key) => !isSubject(key));
    problems.add('decision', decision, `one that decides something: ${decided.join(', ')}`);
  }
  if (service === undefined && webhook === undefined) {
    problems.add('service', undefined, 'NAMESPACE/NAME, where webhook is not said either');
  }
  for (const [first, second] of [
    ['injectCaFrom', 'injectCaFromSecret'],
    ['issuer', 'clusterIssuer'],
  ] as const) {
    if (decision[first] !== undefined && decision[second] !== undefined) {
      problems.add(second, decision[second], `left out beside ${first}`);
    }
  }
  const [namespace] = typeof service === 'string' ? service.split('/') : [];
  const { issuer } = decision;
  if (typeof issuer === 'string' && namespace !== undefined && !issuer.startsWith(`${namespace}/`)) {
    problems.add(
      'issuer',
      issuer,
      `${namespace}/NAME: an Issuer signs Certificates of its own namespace only`,
    );
  }
  const isOfServer = webhook === undefined && service !== undefined;
  for (const [keysOfOne, reason] of ofServer) {
    const key = keysOfOne.find((each) => decision[each] !== undefined);
    if (key !== undefined && !isOfServer) {
      problems.add(key, decision[key], `beside service alone: ${reason}`);
    }
  }
}

function isSubject(key: string): boolean {
  return key === 'service' || key === 'webhook';
}

/** What holds for a server, whoever calls it. */
const ofServer: readonly (readonly [readonly (keyof HardeningDecision)[], string])[] = [
  [['injectCaFrom', 'injectCaFromSecret'], 'a CA is injected into all of a configuration'],
  [['issuer', 'clusterIssuer'], 'a server has one certificate for all that call it'],
];
