import type { Rule } from '../../problems';
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
  allowed: 'the name of an entry of a webhook configuration, such as "pods.gate.example.com"',
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
  const { service, webhook, injectCaFrom, injectCaFromSecret } = value;
  if (service === undefined && webhook === undefined) {
    problems.add('service', undefined, 'NAMESPACE/NAME, where webhook is not said either');
  }
  if (injectCaFrom !== undefined && injectCaFromSecret !== undefined) {
    problems.add('injectCaFromSecret', injectCaFromSecret, 'left out beside injectCaFrom');
  }
  const injected = injectCaFrom ?? injectCaFromSecret;
  if (injected !== undefined && (webhook !== undefined || service === undefined)) {
    const path = injectCaFrom === undefined ? 'injectCaFromSecret' : 'injectCaFrom';
    problems.add(path, injected, 'beside service alone: a CA is injected into all of a configuration');
  }
  return problems;
}
