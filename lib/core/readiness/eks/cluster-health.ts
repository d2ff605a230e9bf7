import type { ReadinessFinding } from '../report';
import { clusterIssues, issueFinding } from './health';
import type { EksHealthIssue } from './health';
import { readCluster } from './resources';
import { eksSubject, mayRead, said } from './subject';

/** The health of the cluster that runs now. An update that is under way is seen by its state. */
export const eksHealth = eksSubject({
  name: 'eks-health',
  title: 'health and state of the cluster',
  permissions: [mayRead('ReadCluster', ['eks:DescribeCluster'], 'cluster')],
  look: async (reader) => {
    const { value: cluster, untried } = await readCluster(reader);
    return {
      findings: cluster === undefined ? [] : clusterIssues(cluster).map(findingOf),
      looked: cluster === undefined ? 'nothing' : `the cluster, ${said(cluster.status)}`,
      untried,
    };
  },
});

function findingOf(issue: EksHealthIssue): ReadinessFinding {
  if (issue.severity === 'warning') {
    return {
      ...issueFinding('EKS18', issue),
      why: 'what is changed now may fail, and EKS takes one update at a time',
      fix: 'wait until its state is ACTIVE, and look again',
    };
  }
  return issueFinding(issue.isState ? 'EKS17' : 'EKS16', issue);
}
