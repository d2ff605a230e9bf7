import type { Addon, Cluster, Nodegroup } from '@aws-sdk/client-eks';
import type { ReadinessFinding } from '../report';
import { EksReader } from './reader';
import type { EksQuestion } from './reader';
import { readAddons, readCluster, readNodegroups } from './resources';
import { counted, listed, said } from '../words';

/** What EKS says is wrong with a cluster, a node group or an add-on. */
export interface EksHealthIssue {
  /** What it is about. */
  readonly of: 'cluster' | 'node group' | 'add-on';
  /** Its name. */
  readonly name: string;
  /** `error`: EKS names a fault. `warning`: it is being changed, and what it will be is not known yet. */
  readonly severity: 'error' | 'warning';
  /** EKS's code, `InsufficientFreeAddresses`; for a state that is not `ACTIVE` the state: `DEGRADED`. */
  readonly code: string;
  /** Whether the code is a state. */
  readonly isState: boolean;
  /** What EKS says of it; empty where that is nothing. */
  readonly message: string;
  /** What is affected, by EKS's names: instances, subnets, pods. */
  readonly resourceIds: readonly string[];
}

/** The health of a cluster, its node groups and add-ons, as EKS sees it. */
export interface EksHealth {
  readonly issues: readonly EksHealthIssue[];
  /** `the cluster, 3 node groups, 4 add-ons` */
  readonly looked: string;
  /** What could not be read, with the right that is missing. Nothing of it has passed. */
  readonly untried: readonly string[];
}

/**
 * Reads the health of a cluster, its managed node groups and its EKS add-ons. It calls `eks:DescribeCluster`,
 * `eks:ListNodegroups`, `eks:DescribeNodegroup`, `eks:ListAddons` and `eks:DescribeAddon`.
 *
 * @throws AwsError where there are no credentials, no region or no such cluster; the signal's reason where that is aborted
 */
export async function readEksHealth(question: EksQuestion<'eks'>): Promise<EksHealth> {
  const reader = new EksReader(question);
  const [cluster, groups, addons] = await Promise.all([
    readCluster(reader),
    readNodegroups(reader),
    readAddons(reader),
  ]);
  return {
    issues: [
      ...(cluster.value === undefined ? [] : clusterIssues(cluster.value)),
      ...groups.value.flatMap(nodegroupIssues),
      ...addons.value.flatMap(addonIssues),
    ],
    looked: [
      ...(cluster.value === undefined ? [] : ['the cluster']),
      counted(groups.value.length, 'node group'),
      counted(addons.value.length, 'add-on'),
    ].join(', '),
    untried: [...cluster.untried, ...groups.untried, ...addons.untried],
  };
}

/** States in which something is being made or changed. An answer without a state is nothing that EKS says. */
const changing = new Set(['CREATING', 'PENDING', 'UPDATING']);

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_ClusterIssue.html */
export function clusterIssues({ name = '', status, health }: Cluster): readonly EksHealthIssue[] {
  return issuesOf('cluster', name, status, health?.issues);
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html */
export function nodegroupIssues({
  nodegroupName = '',
  status,
  health,
}: Nodegroup): readonly EksHealthIssue[] {
  return issuesOf('node group', nodegroupName, status, health?.issues);
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonIssue.html */
export function addonIssues({ addonName = '', status, health }: Addon): readonly EksHealthIssue[] {
  return issuesOf('add-on', addonName, status, health?.issues);
}

/** What the three kinds of issues have in common. */
interface Issue {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly resourceIds?: readonly string[] | undefined;
}

function issuesOf(
  of: EksHealthIssue['of'],
  name: string,
  status = 'unknown',
  issues: readonly Issue[] = [],
): readonly EksHealthIssue[] {
  const found = issues.map(({ code = 'Unknown', message = '', resourceIds = [] }): EksHealthIssue => ({
    ...{ of, name, severity: 'error', code, isState: false, message, resourceIds },
  }));
  if (status === 'ACTIVE') {
    return found;
  }
  const severity = changing.has(status) ? 'warning' : 'error';
  return [{ of, name, severity, code: status, isState: true, message: '', resourceIds: [] }, ...found];
}

/** An issue as a finding of readiness. */
export function issueFinding(
  id: string,
  { of, name, severity, code, isState, message, resourceIds }: EksHealthIssue,
): ReadinessFinding {
  const what = isState ? `is ${said(code)}` : `has the issue ${said(code)}`;
  return {
    id,
    severity,
    message:
      `${of} ${said(name)} ${what}` +
      (message === '' ? '' : `: ${said(message)}`) +
      (resourceIds.length === 0 ? '' : ` (${listed(resourceIds)})`),
    why:
      severity === 'warning'
        ? 'it is being changed: what it will be is not known yet'
        : 'EKS names it as a fault: what is broken today can not be compared with a new cluster, nor be kept while both run',
    fix: 'solve it as the user guide of EKS says for this code, and look again',
  };
}
