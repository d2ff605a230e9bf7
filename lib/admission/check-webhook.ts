import { dnsLabel, dnsSubdomain, labelKey, oneOf, Problems, wholeNumber } from '../problems';
import type { Problem } from '../problems';
import { checkCaInjection, injectionSources } from './ca-injection';
import { exemptingSelector, selectsNoNamespace } from './exempt-namespaces';
import type { IntentPolicy } from './intent';
import { intentAnnotation, intentPolicy, intents } from './intent';
import { checkLabels, checkLabelSelector, selects } from './label-selector';
import { checkMatchConditions } from './match-conditions';
import { forbiddenWithFail } from './protected-resources';
import { exemptNamespacesOf } from './webhook-entry';
import type { MutatingWebhookProps } from './webhook-props';
import { checkRules, operationsOf } from './webhook-rule';
import { checkServer, checkService } from './webhook-server';

const timeout = {
  ...wholeNumber(1, 5),
  allowed: 'a whole number of seconds from 1 to 5: every webhook of a request adds its own',
};

/** Everything that is wrong with the props of a webhook, judged from the props alone. */
export function webhookProblems(props: MutatingWebhookProps): readonly Problem[] {
  const problems = new Problems('webhook');
  if (!dnsSubdomain.accepts(props.name) || props.name.split('.').length < 3) {
    problems.add('name', props.name, 'a DNS name of at least three parts: "readiness.pods.example.com"');
  }
  checkMetadata(problems, props);
  checkRules(problems, 'rules', props.rules);
  checkService(problems, 'service', props.service);
  checkCertificate(problems, props);
  checkNamespaces(problems, props);
  if (props.server) {
    checkServer(problems, 'server', props.server);
  }
  checkMatchConditions(problems, 'matchConditions', props.matchConditions ?? [], operationsOf(props.rules));
  checkSettings(problems, props);
  if (problems.check('intent', props.intent, oneOf(...intents))) {
    checkIntent(problems, props, intentPolicy(props.intent));
  }
  return problems.all;
}

function checkMetadata(problems: Problems, { metadata = {} }: MutatingWebhookProps): void {
  if (metadata.name !== undefined) {
    problems.check('metadata.name', metadata.name, dnsSubdomain);
  }
  checkLabels(problems, 'metadata.labels', metadata.labels ?? {});
  const annotations = metadata.annotations ?? {};
  Object.keys(annotations).forEach((key) => problems.check('metadata.annotations (key)', key, labelKey));
  for (const key of [...injectionSources(annotations), intentAnnotation]) {
    if (Object.hasOwn(annotations, key)) {
      problems.add(
        `metadata.annotations["${key}"]`,
        annotations[key],
        `left out: ${key === intentAnnotation ? 'intent' : 'certificate or caInjection'} sets it`,
      );
    }
  }
}

function checkCertificate(problems: Problems, props: MutatingWebhookProps): void {
  const { certificate, caInjection, service } = props;
  if ((certificate === undefined) === (caInjection === undefined)) {
    problems.addAll([
      {
        path: certificate ? 'caInjection' : 'certificate',
        allowed: certificate
          ? 'left out where certificate is given'
          : 'given, or else caInjection: without a CA every call of the webhook fails',
      },
    ]);
  }
  if (caInjection) {
    checkCaInjection(problems, 'caInjection', caInjection);
  }
  if (certificate) {
    checkCaInjection(problems, 'certificate.caInjection', certificate.caInjection);
    const needed = `${service.name}.${service.namespace}.svc`;
    if (!certificate.dnsNames.includes(needed)) {
      problems.add(
        'certificate.dnsNames',
        certificate.dnsNames,
        `valid for ${needed}, which the API server calls`,
      );
    }
  }
}

function checkNamespaces(problems: Problems, props: MutatingWebhookProps): void {
  (props.exemptNamespaces ?? []).forEach((namespace, position) =>
    problems.check(`exemptNamespaces[${position}]`, namespace, dnsLabel),
  );
  const { namespaceSelector } = props;
  if (!namespaceSelector) {
    return;
  }
  checkLabelSelector(problems, 'namespaceSelector', namespaceSelector);
  const leftOut = exemptNamespacesOf(props);
  if (selectsNoNamespace(exemptingSelector(leftOut, namespaceSelector))) {
    problems.add(
      'namespaceSelector',
      namespaceSelector,
      `a selection with a namespace in it beside those that are left out: ${leftOut.join(', ')}`,
    );
  }
}

function checkSettings(problems: Problems, props: MutatingWebhookProps): void {
  if (props.timeoutSeconds !== undefined) {
    problems.check('timeoutSeconds', props.timeoutSeconds, timeout);
  }
  if (props.sideEffects !== undefined) {
    problems.check('sideEffects', props.sideEffects, oneOf('None', 'NoneOnDryRun'));
  }
  if (props.reinvocationPolicy !== undefined) {
    problems.check('reinvocationPolicy', props.reinvocationPolicy, oneOf('Never', 'IfNeeded'));
  }
}

function checkIntent(problems: Problems, props: MutatingWebhookProps, policy: IntentPolicy): void {
  const { intent, failurePolicy } = props;
  if (failurePolicy !== undefined && failurePolicy !== policy.failurePolicy) {
    problems.add(
      'failurePolicy',
      failurePolicy,
      `${policy.failurePolicy} or left out with the intent ${intent}: ${policy.why}`,
    );
  }
  if (policy.failurePolicy === 'Fail') {
    props.rules.forEach((rule, position) =>
      forbiddenWithFail(rule).forEach(({ path, value, allowed }) =>
        problems.add(`rules[${position}].${path}`, value, allowed),
      ),
    );
  }
  if (policy.optIn) {
    checkOptIn(problems, props);
  } else {
    checkNoWayAround(problems, props);
  }
}

function checkOptIn(
  problems: Problems,
  { intent, optIn = {}, objectSelector, rules }: MutatingWebhookProps,
): void {
  if (Object.keys(optIn).length === 0) {
    problems.add(
      'optIn',
      optIn,
      `at least one label by which an object asks for the webhook (intent ${intent})`,
    );
  }
  checkLabels(problems, 'optIn', optIn);
  if (objectSelector) {
    checkLabelSelector(problems, 'objectSelector', objectSelector);
    const { matchLabels = {}, matchExpressions = [] } = objectSelector;
    const asked = (key: string): boolean => Object.hasOwn(optIn, key);
    const onOptIn = {
      matchLabels: Object.fromEntries(Object.entries(matchLabels).filter(([key]) => asked(key))),
      matchExpressions: matchExpressions.filter(({ key }) => asked(key)),
    };
    if (!selects(onOptIn, optIn)) {
      problems.add('objectSelector', objectSelector, 'one that selects objects with the optIn label');
    }
  }
  rules.forEach(({ operations }, position) => {
    if (operations.includes('CONNECT')) {
      problems.add(
        `rules[${position}].operations`,
        operations,
        `without CONNECT with the intent ${intent}: what is connected to has no labels, so an opt-in never matches`,
      );
    }
  });
}

function checkNoWayAround(problems: Problems, props: MutatingWebhookProps): void {
  for (const path of ['optIn', 'objectSelector'] as const) {
    if (props[path] !== undefined) {
      problems.add(
        path,
        props[path],
        'left out with the intent security: the author of an object could avoid the webhook',
      );
    }
  }
  if (!props.server) {
    problems.addAll([
      {
        path: 'server',
        allowed: 'given with the intent security: its pods need two replicas and a PodDisruptionBudget',
      },
    ]);
  }
}
