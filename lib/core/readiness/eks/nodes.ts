import type { Nodegroup } from '@aws-sdk/client-eks';
import type { ReadinessFinding } from '../report';
import { counted } from '../words';
import { issueFinding, nodegroupIssues } from './health';
import { readCluster, readNodegroups } from './resources';
import { eksSubject, mayRead, minorOf, said } from './subject';

/**
 * Managed node groups: how far their kubelets are behind, their kind of image, their health. Nodes that nobody but Kubernetes
 * knows are not seen here.
 */
export const eksNodes = eksSubject({
  name: 'eks-nodes',
  title: 'managed node groups: version skew, images, health',
  permissions: [
    mayRead('ReadCluster', ['eks:DescribeCluster', 'eks:ListNodegroups'], 'cluster'),
    mayRead('ReadNodegroups', ['eks:DescribeNodegroup'], 'nodegroup'),
  ],
  look: async (reader, { to }) => {
    const [cluster, groups] = await Promise.all([readCluster(reader), readNodegroups(reader)]);
    const unknown = groups.value.filter(({ version }) => minorOf(version) === undefined);
    return {
      findings: [
        ...judgeNodes(groups.value, { running: cluster.value?.version, to }),
        ...groups.value.flatMap(nodegroupIssues).map((issue) => issueFinding('EKS15', issue)),
      ],
      looked: counted(groups.value.length, 'managed node group'),
      untried: [
        ...cluster.untried,
        ...groups.untried,
        ...unknown.map(
          ({ nodegroupName }) => `node group ${said(nodegroupName)} of ${reader.place}: EKS gives no version`,
        ),
      ],
    };
  },
});

/**
 * Minors that a kubelet may be older than its API server: it must not be newer.
 *
 * @see https://kubernetes.io/releases/version-skew-policy/#kubelet
 */
function mostSkew(apiServer: number): number {
  return apiServer >= 28 ? 3 : 2;
}

/**
 * The first minor without images of Amazon Linux 2 from EKS.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html
 */
const withoutAl2 = 33;

/** What node groups mean for an upgrade. */
export function judgeNodes(
  groups: readonly Nodegroup[],
  { running, to }: { readonly running?: string | undefined; readonly to: string },
): readonly ReadinessFinding[] {
  return groups.flatMap((group) => [...judgeSkew(group, running, to), ...judgeImage(group, to)]);
}

function judgeSkew(
  { nodegroupName, version }: Nodegroup,
  running: string | undefined,
  to: string,
): readonly ReadinessFinding[] {
  const [kubelet, apiServer, wanted] = [minorOf(version), minorOf(running), minorOf(to)];
  if (kubelet === undefined) {
    return [];
  }
  const subject = `node group ${said(nodegroupName)} runs ${said(version)}`;
  const why =
    'a kubelet may not be newer than its API server, and at most three minors older (two before 1.28)';
  if (apiServer !== undefined && (kubelet > apiServer || apiServer - kubelet > mostSkew(apiServer))) {
    return [
      {
        id: 'EKS12',
        severity: 'error',
        message: `${subject}, its control plane ${said(running)}`,
        why,
        fix: `update the node group to ${said(running)}`,
      },
    ];
  }
  return wanted === undefined || wanted - kubelet <= mostSkew(wanted)
    ? []
    : [
        {
          id: 'EKS13',
          severity: 'warning',
          message: `${subject}, ${wanted - kubelet} minors before ${to}`,
          why: `${why}: these nodes can't join a control plane of ${to}`,
          fix: 'nodes of the new cluster need images of its own version; update the node group before an upgrade in place',
        },
      ];
}

function judgeImage({ nodegroupName, amiType }: Nodegroup, to: string): readonly ReadinessFinding[] {
  const wanted = minorOf(to);
  return wanted === undefined || wanted < withoutAl2 || !amiType?.startsWith('AL2_')
    ? []
    : [
        {
          id: 'EKS14',
          severity: 'error',
          message: `node group ${said(nodegroupName)} has the AMI type ${said(amiType)}, Amazon Linux 2, which ${to} has no image of`,
          why: `EKS publishes no Amazon Linux 2 AMI from 1.${withoutAl2} on: such a node group can't be created`,
          fix: 'use AL2023 or Bottlerocket for nodes of the new cluster, and try what depends on cgroup v1 or bootstrap.sh',
        },
      ];
}
