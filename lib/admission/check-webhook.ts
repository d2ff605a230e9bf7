import { dnsSubdomain, oneOf, Problems, wholeNumber, optionKeyProblems } from '../problems';
import type { Problem } from '../problems';
import { checkCertificate } from './check-certificate';
import { checkIntent, checkNamespaces } from './check-matching';
import { checkMetadata } from './check-metadata';
import { intentPolicy, intents } from './intent';
import { checkMatchConditions } from './match-conditions';
import { exemptNamespacesOf } from './webhook-entry';
import type { MutatingWebhookProps } from './webhook-props';
import { mutatingWebhookPropsKeys } from './webhook-props';
import { checkRules, operationsOf } from './webhook-rule';
import { checkServer, checkService } from './webhook-server';

const timeout = {
  ...wholeNumber(1, 5),
  allowed: 'a whole number of seconds from 1 to 5: every webhook of a request adds its own',
};

/** Everything that is wrong with the props of a webhook, judged from the props alone. */
export function webhookProblems(props: MutatingWebhookProps): readonly Problem[] {
  const unfit = optionKeyProblems(props, mutatingWebhookPropsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('webhook');
  if (!dnsSubdomain.accepts(props.name) || props.name.split('.').length < 3) {
    problems.add('name', props.name, 'a DNS name of at least three parts: "readiness.pods.example.com"');
  }
  checkMetadata(problems, props.metadata);
  checkRules(problems, 'rules', props.rules);
  checkService(problems, 'service', props.service);
  checkCertificate(problems, props);
  checkNamespaces(problems, props, exemptNamespacesOf(props));
  if (props.server) {
    checkServer(problems, 'server', props.server);
  }
  checkMatchConditions(problems, 'matchConditions', props.matchConditions ?? [], operationsOf(props.rules));
  checkSettings(problems, props);
  if (problems.check('intent', props.intent, oneOf(...intents))) {
    const policy = intentPolicy(props.intent);
    checkIntent(problems, props, policy, { called: 'webhook', fails: 'the webhook is down' });
    if (!policy.optIn && !props.server) {
      problems.addAll([
        {
          path: 'server',
          allowed: 'given with the intent security: its pods need two replicas and a PodDisruptionBudget',
        },
      ]);
    }
  }
  return problems.all;
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
