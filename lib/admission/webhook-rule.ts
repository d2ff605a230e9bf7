import type { Problems, OptionsOf } from '../problems';
import { oneOf } from '../problems';

/** What is done to an object. `*` stands for all of them, and for those that Kubernetes adds later. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*';

/**
 * Requests that a webhook is asked about.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules
 */
export interface WebhookRule {
  /** What is done to the object. */
  readonly operations: readonly Operation[];
  /** API groups; `''` is the core group, that of pods. */
  readonly apiGroups: readonly string[];
  /** API versions. One is enough: requests in other versions of a group are converted (`matchPolicy: Equivalent`). */
  readonly apiVersions: readonly string[];
  /** Resources, in the plural: `pods`, `pods/exec`. */
  readonly resources: readonly string[];
  /** Whether to match resources of the cluster, in namespaces, or both. @default '*' - both, as Kubernetes has it */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

export const webhookRuleKeys: OptionsOf<WebhookRule> = {
  operations: 'list',
  apiGroups: 'list',
  apiVersions: 'list',
  resources: 'list',
  scope: 'plain',
};

const operation = oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*');
const scope = oneOf('Cluster', 'Namespaced', '*');
const part = String.raw`([a-z0-9]([-a-z0-9.]*[a-z0-9])?|\*)`;
const resourcePattern = new RegExp(`^${part}(/${part})?$`);

/**
 * Adds what the API server would refuse in rules.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/admissionregistration/validation/validation.go
 */
export function checkRules(problems: Problems, path: string, rules: readonly WebhookRule[]): void {
  if (rules.length === 0) {
    problems.add(path, rules, 'at least one rule: a webhook without rules is never asked');
  }
  rules.forEach((rule, position) => {
    const at = `${path}[${position}]`;
    for (const field of ['operations', 'apiGroups', 'apiVersions', 'resources'] as const) {
      const values = rule[field];
      if (values.length === 0) {
        problems.add(`${at}.${field}`, values, 'at least one');
      }
      const everything = field === 'resources' ? '*/*' : '*';
      if (values.length > 1 && (values as readonly string[]).includes(everything)) {
        problems.add(`${at}.${field}`, values, `"${everything}" alone, or a list without it`);
      }
    }
    rule.operations.forEach((each, index) => problems.check(`${at}.operations[${index}]`, each, operation));
    if (rule.apiVersions.includes('')) {
      problems.add(`${at}.apiVersions`, rule.apiVersions, 'versions such as "v1"');
    }
    rule.resources.forEach((resource, index) => {
      if (!resourcePattern.test(resource)) {
        problems.add(
          `${at}.resources[${index}]`,
          resource,
          'a plural in lower case such as "pods" or "pods/exec"',
        );
      }
    });
    checkOverlap(problems, `${at}.resources`, rule.resources);
    if (rule.scope !== undefined) {
      problems.check(`${at}.scope`, rule.scope, scope);
    }
  });
}

function checkOverlap(problems: Problems, path: string, resources: readonly string[]): void {
  if (resources.includes('*') && resources.some((each) => each !== '*' && !each.includes('/'))) {
    problems.add(path, resources, '"*" without other resources beside it');
  }
  for (const wildcard of resources.filter(
    (each) => each.includes('/') && each.includes('*') && each !== '*/*',
  )) {
    const [resource, below] = wildcard.split('/');
    const covered = resources.filter((each) => {
      const [otherResource, otherBelow] = each.split('/');
      return (
        each !== wildcard &&
        otherBelow !== undefined &&
        (below === '*' ? otherResource === resource : otherBelow === below)
      );
    });
    if (covered.length > 0) {
      problems.add(path, resources, `"${wildcard}" without ${covered.map((each) => `"${each}"`).join(', ')}`);
    }
  }
}

/** A rule with its scope said. */
export function withScope({ scope: given = '*', ...rule }: WebhookRule): WebhookRule {
  const { operations, apiGroups, apiVersions, resources } = rule;
  return { operations, apiGroups, apiVersions, resources, scope: given };
}

/** The operations that the rules together name. */
export function operationsOf(rules: readonly WebhookRule[]): ReadonlySet<Operation> {
  const named = new Set(rules.flatMap(({ operations }) => operations));
  return named.has('*') ? new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*']) : named;
}
