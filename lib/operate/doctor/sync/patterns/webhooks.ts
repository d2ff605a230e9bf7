import type { MessagePattern } from './pattern';

const called = [
  'kubernetes/apiserver v0.35.4 pkg/util/webhook/error.go',
  'kubernetes/apiserver v0.35.4 pkg/admission/plugin/webhook/mutating/dispatcher.go',
  'kubernetes/apiserver v0.35.4 pkg/admission/plugin/webhook/validating/dispatcher.go',
];

/** Webhooks and policies that the API server calls before it takes an object. */
export const webhookPatterns: readonly MessagePattern[] = [
  {
    cause: 'webhook-certificate',
    category: 'transient',
    expression: /failed calling webhook "(?<by>[^"]{1,253})"[^]{0,1000}?x509: /,
    rule: 'The API server does not trust the certificate of a webhook: the object was not evaluated, so nothing is wrong with it.',
    advice:
      'Wait for the next try while a certificate is on its way. If it lasts over ten minutes, run `cluster-canary doctor webhooks`: the caBundle and what the pods serve do not belong together, or the certificate is expired or of another name.',
    sources: [...called, 'golang/go go1.26.8 src/crypto/x509/verify.go'],
  },
  {
    cause: 'webhook-without-endpoints',
    category: 'transient',
    expression:
      /failed calling webhook "(?<by>[^"]{1,253})"[^]{0,1000}?(?:no endpoints available for service|service "[^"]{1,253}" not found|connection refused|no route to host)/,
    rule: 'Nothing listens behind a webhook: the object was not evaluated, so nothing is wrong with it.',
    advice:
      'Wait for the next try while its pods start. If they do not, check the Deployment behind the Service of the webhook; `cluster-canary doctor webhooks` names it.',
    sources: [...called, 'kubernetes/apiserver v0.35.4 pkg/util/proxy/proxy.go'],
  },
  {
    cause: 'webhook-failing',
    category: 'transient',
    expression: /failed calling webhook "(?<by>[^"]{1,253})"/,
    rule: 'The API server got no answer from a webhook: the object was not evaluated, so nothing is wrong with it.',
    advice:
      'Wait for the next try. If it lasts, look whether its pods are up and whether the API server reaches their port (security groups); run `cluster-canary doctor webhooks`.',
    sources: called,
  },
  {
    cause: 'conversion-webhook-failing',
    category: 'transient',
    expression: /conversion webhook for (?<by>[^\s,]{1,253}, Kind=\w{1,253}) (?:failed|returned)/,
    rule: 'The API server could not convert an object from one version to another, because a webhook did not do it.',
    advice:
      'Wait for the next try while its pods start. If it lasts, run `cluster-canary doctor webhooks`: the CustomResourceDefinition names the Service and the caBundle.',
    sources: ['kubernetes/apiextensions-apiserver v0.35.4 pkg/apiserver/conversion/webhook_converter.go'],
  },
  {
    cause: 'webhook-denied',
    category: 'user',
    expression: /admission webhook "(?<by>[^"]{1,253})" denied the request/,
    rule: 'A webhook evaluated the object and refused it, and will refuse it again.',
    advice: 'Fix what the webhook names in the source of the Application.',
    sources: ['kubernetes/apiserver v0.35.4 pkg/admission/plugin/webhook/errors/statuserror.go'],
  },
  {
    cause: 'webhook-without-dry-run',
    category: 'user',
    expression: /admission webhook "(?<by>[^"]{1,253})" does not support dry run/,
    rule: 'A webhook that declares side effects is never called on a dry run, and Argo CD makes one.',
    advice:
      'Set `sideEffects: None` or `NoneOnDryRun` on the webhook, if that is true; else turn the dry run off for these objects.',
    sources: ['kubernetes/apiserver v0.35.4 pkg/admission/plugin/webhook/errors/statuserror.go'],
  },
  {
    cause: 'policy-denied',
    category: 'user',
    expression: /[Pp]olicy '(?<by>[^']{1,253})'(?: with binding '[^']{1,253}')? denied request/,
    rule: 'A policy in the API server evaluated the object and refused it, and will refuse it again.',
    advice: 'Fix what the policy names in the source of the Application.',
    sources: [
      'kubernetes/apiserver v0.35.4 pkg/admission/plugin/policy/validating/dispatcher.go',
      'kubernetes/apiserver v0.35.4 pkg/admission/plugin/policy/generic/policy_dispatcher.go',
    ],
  },
];
