import { shiftAccessByCluster, shiftPermissions, shiftRoles } from '../../../shift/plan-file';
import type { ClusterAccess, CheckedPlanFile } from '../../../shift/plan-file';
import { jsonText, linesOf, writeDocument, writeOut } from '../../output';

/** What `shift --rights` prints, as YAML or JSON: `schemas/shift-rights.json`. */
interface Rights {
  readonly schemaVersion: 1;
  /** A policy for each identity that calls AWS. */
  readonly aws: readonly {
    /** A role that the plan names; null for the identity that runs the plan. */
    readonly roleArn: string | null;
    readonly policy: { readonly Version: '2012-10-17'; readonly Statement: readonly object[] };
  }[];
  /** Roles for each cluster that is called. */
  readonly kubernetes: readonly {
    readonly cluster: ClusterAccess['cluster'];
    readonly roles: readonly object[];
  }[];
}

/** Prints the rights that a plan needs. Nothing is asked. */
export async function showRights(plan: CheckedPlanFile, asJson: boolean): Promise<void> {
  const rights: Rights = {
    schemaVersion: 1,
    aws: [undefined, ...shiftRoles(plan)].flatMap((role) => {
      const Statement = shiftPermissions(plan, role);
      const policy = { Version: '2012-10-17' as const, Statement };
      return Statement.length === 0 ? [] : [{ roleArn: role ?? null, policy }];
    }),
    kubernetes: shiftAccessByCluster(plan).map(({ cluster, rules }) => ({ cluster, roles: rolesOf(rules) })),
  };
  if (asJson) {
    await writeDocument(jsonText(rights));
    return;
  }
  const { stringify } = await import('yaml');
  await writeOut(linesOf(stringify(rights, { lineWidth: 0, aliasDuplicateObjects: false })));
}

/** A Role for each namespace, and a ClusterRole for what has none. Whom they are bound to, a plan does not know. */
function rolesOf(rules: ClusterAccess['rules']): readonly object[] {
  const namespaces = [...new Set(rules.map(({ namespace }) => namespace))];
  return namespaces.map((namespace) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name: 'cluster-canary-shift', ...(namespace === undefined ? {} : { namespace }) },
    rules: rules
      .filter((rule) => rule.namespace === namespace)
      .map(({ namespace: _namespace, ...rule }) => rule),
  }));
}
