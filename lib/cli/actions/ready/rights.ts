import { missingFor, readinessAccess, readinessPermissions } from '../../../core/readiness';
import type { ReadinessQuestion, ReadinessSubject } from '../../../core/readiness';
import { policiesOf, rolesOf, writeRights } from '../shift/rights';
import type { ReadyFlags } from './flags';

/** Rights of what the flags ask for; of everything, where they name no cluster. */
export async function showRights(subjects: readonly ReadinessSubject[], flags: ReadyFlags): Promise<void> {
  const { kubeconfig, context, newKubeconfig, newContext, cluster, region, roleArn, helmReleases } = flags;
  const isGiven = (...values: readonly unknown[]): true | undefined =>
    values.some((value) => value !== undefined) ? true : undefined;
  const named = {
    eks: isGiven(cluster),
    kubernetes: isGiven(kubeconfig, context, cluster),
    newKubernetes: isGiven(newKubeconfig, newContext),
  };
  const wanted = isGiven(...Object.values(named))
    ? named
    : { eks: true, kubernetes: true, newKubernetes: true };
  const asked = subjects.filter(
    (subject) => missingFor(subject, { ...wanted, helmReleases } as Partial<ReadinessQuestion>) === undefined,
  );
  const statements = readinessPermissions(asked, { clusterName: cluster, region });
  const roles = roleArn === undefined ? [] : [roleArn];
  const clusters = [
    {
      at: 'kubernetes',
      of: `the cluster that runs now${cluster === undefined ? '' : `, EKS cluster ${cluster}`}`,
      cluster: { kubeconfig, context },
    },
    {
      at: 'newKubernetes',
      of: 'the cluster of the new version',
      cluster: {
        kubeconfig: isGiven(newKubeconfig, newContext) && (newKubeconfig ?? kubeconfig),
        context: newContext,
      },
    },
  ] as const;
  await writeRights(
    {
      aws: policiesOf(roles, (role) =>
        role === roleArn
          ? statements
          : [
              {
                ...{ Sid: 'TakeOnRoles', Effect: 'Allow', Resource: roles },
                Action: ['sts:AssumeRole', 'sts:TagSession'],
              },
            ],
      ),
      kubernetes: clusters.flatMap(({ at, ...which }) => {
        // Some subjects look at both, where both are there.
        const rules = wanted[at] === true ? readinessAccess(asked, at) : [];
        return rules.length === 0 ? [] : [{ ...which, roles: rolesOf(rules, 'cluster-canary-ready') }];
      }),
    },
    flags.format === 'json',
  );
}
