import type { ResourceKind } from '../../kubernetes';
import type { Finding as LintFinding, JudgedObject, Rule } from '../../rules';
import { allRules, lint } from '../../rules';
import type { Finding } from '../finding';

/** Rules about webhooks, what they call and what API servers trust. Those of a change or of files have nothing to judge here. */
export const webhookRules: readonly Rule[] = allRules.filter(
  ({ id, needs }) => /^(WH|TLS|ALBC)\d/.test(id) && needs !== 'before',
);

/**
 * Kinds that the rules look at in the whole cluster, beside the objects with CA bundles. Secrets are left out: what they
 * say of certificates is seen otherwise, and their keys stay where they are.
 */
export const clusterKinds: readonly ResourceKind[] = [
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Issuer' },
  { apiVersion: 'cert-manager.io/v1', kind: 'ClusterIssuer' },
];

/** Kinds that the rules look at in the namespaces of servers: the rest of a cluster is large, and none of their business. */
export const serverKinds: readonly ResourceKind[] = [
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
];

/**
 * What the lint rules find in live objects, in the doctor's form. A rule tells what may break: where that has happened, the
 * rest of the check says so, and so a rule's error is a warning here.
 */
export function lintFindings(objects: readonly JudgedObject[], now: number): readonly Finding[] {
  const { findings, failures } = lint(objects, {
    rules: webhookRules,
    live: objects,
    minSeverity: 'warning',
    now,
  });
  return [
    ...findings.map(inDoctorsForm),
    ...failures.map(({ rule }): Finding => ({
      cause: 'rule-failed',
      severity: 'info',
      likelihood: 'certain',
      subject: `rule ${rule}`,
      message: 'the rule could not judge the objects of this cluster',
      evidence: [],
      next: 'run cluster-canary lint on the manifests of these objects, and report what it says',
    })),
  ];
}

function inDoctorsForm({ rule, severity, message, why, fix, object, pointer, link }: LintFinding): Finding {
  const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  return {
    cause: `lint-${rule.toLowerCase()}`,
    severity: severity === 'error' ? 'warning' : 'info',
    likelihood: 'possible',
    subject: `${object.kind} ${name}`,
    message,
    evidence: [
      `rule ${rule} (${severity}), at ${pointer === '' ? '/' : pointer}: ${why}`,
      ...(link === undefined ? [] : [link]),
    ],
    next: fix,
  };
}
