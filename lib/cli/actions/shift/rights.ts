import type { AllowStatement } from '../../../core/aws/iam';
import { shiftAccessByCluster, shiftPermissions, shiftRoles } from '../../../shift/plan-file';
import type { ClusterAccess, CheckedPlanFile } from '../../../shift/plan-file';
import { jsonText, linesOf, writeDocument, writeOut } from '../../output';

/** What `--rights` prints, as YAML or JSON: `schemas/shift-rights.json`. */
interface Rights {
  /** A policy for each identity that calls AWS. */
  readonly aws: readonly {
    /** A role that the plan names; null for the identity that runs the plan. */
    readonly roleArn: string | null;
    readonly policy: { readonly Version: '2012-10-17'; readonly Statement: readonly object[] };
  }[];
  /** Roles for each cluster that is called. */
  readonly kubernetes: readonly ClusterRoles[];
}

/** Roles for one cluster. */
interface ClusterRoles {
  /** Which cluster it is, in words. @default - what `cluster` says of it */
  readonly of?: string;
  /** Printed only where it says something. */
  readonly cluster: ClusterAccess['cluster'];
  readonly roles: readonly object[];
}

/** Prints the rights that a plan needs. Nothing is asked. */
export async function showRights(plan: CheckedPlanFile, asJson: boolean): Promise<void> {
  const aws = policiesOf(shiftRoles(plan), (role) => shiftPermissions(plan, role));
  const kubernetes = shiftAccessByCluster(plan).map(({ cluster, rules }) => ({
    cluster,
    roles: rolesOf(rules, 'cluster-canary-shift'),
  }));
  await writeRights({ aws, kubernetes }, asJson);
}

/** A policy of the identity that runs the command, and of each role, where it has statements. */
export function policiesOf(
  roles: readonly string[],
  statementsOf: (role: string | undefined) => readonly AllowStatement[],
): Rights['aws'] {
  return [undefined, ...roles].flatMap((role) => {
    const Statement = statementsOf(role);
    const policy = { Version: '2012-10-17' as const, Statement };
    return Statement.length === 0 ? [] : [{ roleArn: role ?? null, policy }];
  });
}

/** Prints rights as YAML, or as one JSON document. */
export async function writeRights(given: Rights, asJson: boolean): Promise<void> {
  const rights = { schemaVersion: 1, aws: given.aws, kubernetes: given.kubernetes.map(ofCluster) };
  if (asJson) {
    await writeDocument(jsonText(rights));
    return;
  }
  const { stringify } = await import('yaml');
  await writeOut(linesOf(stringify(rights, { lineWidth: 0, aliasDuplicateObjects: false })));
}

/** Nothing has to be named of the cluster that is asked where nothing is. */
function ofCluster({ cluster: { kubeconfig, context }, of, roles }: ClusterRoles): object {
  const names = [
    ...(context === undefined ? [] : [`context ${context}`]),
    ...(kubeconfig === undefined ? [] : [`kubeconfig ${kubeconfig}`]),
  ];
  const own = 'the cluster that the command runs in, or else that of the default kubeconfig';
  return {
    of: of ?? (names.length === 0 ? own : names.join(' of ')),
    ...(names.length > 0 && {
      cluster: {
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(context !== undefined && { context }),
      },
    }),
    roles,
  };
}

/** A Role for each namespace, and a ClusterRole for what has none. Whom they are bound to, a plan does not know. */
export function rolesOf(rules: ClusterAccess['rules'], name: string): readonly object[] {
  const namespaces = [...new Set(rules.map(({ namespace }) => namespace))];
  return namespaces.map((namespace) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    rules: rules
      .filter((rule) => rule.namespace === namespace)
      .map(({ namespace: _namespace, apiGroups, resources, ...rule }) =>
        // A rule of paths, such as /metrics, has no resources.
        resources.length === 0 ? rule : { apiGroups, resources, ...rule },
      ),
  }));
}
