import type { Cluster, ClusterVersionInformation } from '@aws-sdk/client-eks';
import { pageOf } from '../../aws/pages';
import type { ReadinessFinding } from '../report';
import type { Read } from './reader';
import { readCluster } from './resources';
import type { OfEks } from './resources';
import { dateOf, day, eksSubject, mayRead, minorOf, said } from './subject';
import { centsAnHour, dollars, supportOf } from './support';

/**
 * Support of the version that runs and of the wanted one, in the cluster's region.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_ClusterVersionInformation.html
 */
export const eksVersions = eksSubject({
  name: 'eks-versions',
  title: 'what EKS offers, how long it supports it, and what that costs',
  permissions: [
    mayRead('ReadCluster', ['eks:DescribeCluster'], 'cluster'),
    mayRead('ReadVersions', ['eks:DescribeClusterVersions']),
  ],
  look: async (reader, { to, now }) => {
    const [cluster, versions] = await Promise.all([readCluster(reader), readVersions(reader)]);
    const { findings, unknown } = judgeVersions({
      running: cluster.value?.version,
      supportType: cluster.value?.upgradePolicy?.supportType,
      to,
      // An answer that breaks off says nothing about what it lacks.
      versions: versions.untried.length === 0 ? versions.value : undefined,
      now,
    });
    return {
      findings,
      looked: `${said(cluster.value?.version ?? 'an unknown version')} to ${to}, ${versions.value.length} versions of EKS`,
      untried: [
        ...cluster.untried,
        ...versions.untried,
        ...unknown.map((line) => `${reader.place}: ${line}`),
      ],
    };
  },
});

/** All versions, also those that EKS supports no more: one that runs may be among them. */
function readVersions(reader: OfEks): Promise<Read<readonly ClusterVersionInformation[]>> {
  return reader.list(
    { action: 'eks:DescribeClusterVersions', subject: `versions of ${reader.place}` },
    async (nextToken, options) => {
      const { items, next } = await pageOf(
        'clusterVersions',
        (await reader.clients.eks()).describeClusterVersions({ includeAll: true, nextToken }, options),
      );
      // Clusters on Outposts have versions of their own.
      return {
        items: items.filter(({ clusterType = 'eks' }) => clusterType === 'eks'),
        next,
      };
    },
  );
}

/** What the versions are judged by. */
export interface VersionFacts {
  /** Version of the cluster. @default - it could not be read */
  readonly running?: string | undefined;
  /** What happens to the cluster at the end of standard support. @default - extended support, as of every new cluster */
  readonly supportType?: NonNullable<Cluster['upgradePolicy']>['supportType'];
  readonly to: string;
  /** @default - they could not be read */
  readonly versions?: readonly ClusterVersionInformation[] | undefined;
  readonly now: number;
}

/** Days before the end of support from which on it is said. */
const soon = { running: 60, target: 120 };

const price = {
  standard: dollars(centsAnHour.standard),
  extended: dollars(centsAnHour.extended),
  more: dollars(centsAnHour.extended - centsAnHour.standard),
};

/** What support of both versions means, and what EKS does not say of them. */
export function judgeVersions(facts: VersionFacts): {
  readonly findings: readonly ReadinessFinding[];
  readonly unknown: readonly string[];
} {
  const { running, to, versions } = facts;
  const infoOf = (version: string | undefined) =>
    versions?.find(({ clusterVersion }) => minorOf(clusterVersion) === minorOf(version));
  const [now, target] = [infoOf(running), infoOf(to)];
  return {
    findings: [
      ...order(running, to),
      ...(now === undefined ? [] : runningSupport(now, facts)),
      ...(versions === undefined || versions.length === 0 ? [] : targetSupport(target, facts)),
    ],
    unknown: [
      ...(versions?.length === 0 ? ['EKS names no versions at all'] : []),
      ...(running !== undefined && now === undefined && versions !== undefined && versions.length > 0
        ? [`EKS gives no dates of version ${said(running)}`]
        : []),
      ...(running !== undefined && minorOf(running) === undefined
        ? [`"${said(running)}" is no version that can be compared`]
        : []),
    ],
  };
}

function order(running: string | undefined, to: string): readonly ReadinessFinding[] {
  const [from, wanted] = [minorOf(running), minorOf(to)];
  if (from === undefined || wanted === undefined || wanted === from + 1) {
    return [];
  }
  if (wanted <= from) {
    return [
      {
        id: 'EKS05',
        severity: wanted === from ? 'warning' : 'error',
        message: `the cluster runs ${said(running)}, and ${to} is ${wanted === from ? 'the same' : 'older'}`,
        why:
          wanted === from
            ? 'a cluster of the same version shows nothing about an upgrade'
            : 'objects and controllers of a newer version may not work on an older one',
        fix: `name a version above ${said(running)}`,
      },
    ];
  }
  return [
    {
      id: 'EKS08',
      severity: 'info',
      message: `from ${said(running)} to ${to} it is ${wanted - from} minor versions`,
      why: 'a new cluster takes them at once, an upgrade in place one by one; what each of them removed counts',
      fix: `read the release notes of each version up to ${to}`,
    },
  ];
}

function runningSupport(
  version: ClusterVersionInformation,
  { running, supportType, now }: VersionFacts,
): readonly ReadinessFinding[] {
  const { endOfStandardSupportDate: standard, endOfExtendedSupportDate: extended } = version;
  const subject = `${said(running)}, which the cluster runs,`;
  const common = { id: 'EKS06', fix: 'swap to a version in standard support before then' };
  switch (supportOf(version, now)) {
    case 'none':
      return [
        {
          ...common,
          severity: 'error',
          message: `${subject} is no longer supported${extended === undefined ? '' : ` since ${dateOf(extended)}`}`,
          why: 'EKS upgrades the control plane by itself, at a time of its own choice',
          fix: 'swap to a version in standard support now',
        },
      ];
    case 'extended':
      return [
        {
          ...common,
          severity: 'warning',
          message:
            `${subject} is in extended support` +
            (extended === undefined ? '' : ` until ${dateOf(extended)}, ${daysLeft(extended, now)}`),
          why: `its control plane costs ${price.extended} USD an hour instead of ${price.standard}, ${price.more} more; at the end EKS upgrades it by itself`,
        },
      ];
    case 'standard': {
      if (standard === undefined || standard.getTime() - now > soon.running * day) {
        return [];
      }
      const upgradesItself = supportType === 'STANDARD';
      return [
        {
          ...common,
          severity: upgradesItself ? 'warning' : 'info',
          message: `standard support of ${subject} ends on ${dateOf(standard)}, ${daysLeft(standard, now)}`,
          why: upgradesItself
            ? 'by the upgrade policy of the cluster (STANDARD), EKS then upgrades it by itself'
            : `from then on its control plane costs ${price.extended} USD an hour instead of ${price.standard}, ${price.more} more`,
        },
      ];
    }
  }
}

function targetSupport(
  version: ClusterVersionInformation | undefined,
  { to, now }: VersionFacts,
): readonly ReadinessFinding[] {
  const support = version === undefined ? 'none' : supportOf(version, now);
  if (version === undefined || support === 'none') {
    return [
      {
        id: 'EKS04',
        severity: 'error',
        message:
          version === undefined
            ? `EKS does not offer ${to} in this region`
            : `EKS does not support ${to} any more`,
        why: 'no cluster of that version can be created; a new version comes to regions at different times',
        fix: 'name a version of `aws eks describe-cluster-versions`',
      },
    ];
  }
  const { endOfStandardSupportDate: standard, endOfExtendedSupportDate: extended } = version;
  const fix = 'swap to a newer version at once, so that the next swap is further away';
  if (support === 'extended') {
    return [
      {
        id: 'EKS07',
        severity: 'warning',
        message: `${to} is in extended support already${extended === undefined ? '' : ` (until ${dateOf(extended)})`}`,
        why: `a control plane of it costs ${price.extended} USD an hour instead of ${price.standard}, ${price.more} more`,
        fix,
      },
    ];
  }
  return standard === undefined || standard.getTime() - now > soon.target * day
    ? []
    : [
        {
          id: 'EKS07',
          severity: 'info',
          message: `standard support of ${to} ends on ${dateOf(standard)}, ${daysLeft(standard, now)}`,
          why: `from then on a control plane costs ${price.extended} USD an hour instead of ${price.standard}, ${price.more} more`,
          fix,
        },
      ];
}

function daysLeft(end: Date, now: number): string {
  const days = Math.ceil((end.getTime() - now) / day);
  return `in ${days} day${days === 1 ? '' : 's'}`;
}
