import type { Manifest } from '../manifest';
import { clockTaint } from './clock-taint';

/** What the API server itself changes with a write. */
const ownFields = ['resourceVersion', 'generation', 'managedFields'];

/** Who is asked: the guard's account alone. */
interface GatePolicyProps {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The policy that limits the guard: of a node, its account takes away the one taint, and changes nothing else. The right
 * to patch a node is the right to cordon it, and to label it so that it draws other pods.
 *
 * `ValidatingPolicy` refuses rules for nodes, because an expression that fails would stop every kubelet. Here the match
 * condition comes first and can't fail, so that nobody but the guard is ever judged.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function gatePolicy({ name, namespace, labels }: GatePolicyProps): readonly Manifest[] {
  const user = `system:serviceaccount:${namespace}:${name}`;
  const metadata = {
    name: `nodes.${name}.${namespace}.cluster-canary`,
    labels,
    annotations: { 'cluster-canary/intent': 'security' },
  };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          resourceRules: [
            { operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['nodes'] },
          ],
        },
        matchConditions: [
          { name: 'guard', expression: `request.userInfo.username == ${JSON.stringify(user)}` },
        ],
        variables: [
          { name: 'now', expression: taintsOf('object') },
          { name: 'before', expression: taintsOf('oldObject') },
        ],
        validations: [
          [
            `variables.now == variables.before.filter(t, t.key != ${JSON.stringify(clockTaint.key)})`,
            `takes the taint ${clockTaint.key} away, and changes no other one`,
          ],
          [equalBut(['taints'], 'object.spec', 'oldObject.spec'), 'changes nothing of the spec but taints'],
          [equalBut(ownFields, 'object.metadata', 'oldObject.metadata'), 'changes no metadata'],
          ['object.status == oldObject.status', 'changes no status'],
        ].map(([expression, what]) => ({
          expression,
          message: `${user} ${what!}`,
          reason: 'Forbidden',
        })),
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
  ];
}

function taintsOf(object: string): string {
  return `has(${object}.spec.taints) ? ${object}.spec.taints : []`;
}

/** Whether two maps are equal but for some keys. */
function equalBut(keys: readonly string[], now: string, before: string): string {
  const oneWay = (one: string, other: string): string =>
    `dyn(${one}).all(k, k in ${JSON.stringify(keys)} || (k in dyn(${other}) && dyn(${one})[k] == dyn(${other})[k]))`;
  return `${oneWay(now, before)} && ${oneWay(before, now)}`;
}
