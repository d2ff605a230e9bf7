import type { DeprecationDetail, Insight, InsightSummary } from '@aws-sdk/client-eks';
import { present } from '../../aws/errors';
import { pageOf } from '../../aws/pages';
import type { ReadinessFinding } from '../report';
import { counted } from '../words';
import type { OfEks } from './resources';
import { day, eksSubject, listed, mayRead, minorOf, said } from './subject';

/**
 * What EKS itself says before an upgrade. It looks once a day, so what was fixed since is still named; how old its newest
 * look is, is said.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html
 */
export const eksInsights = eksSubject({
  name: 'eks-insights',
  title: "EKS's own upgrade insights",
  permissions: [mayRead('ReadInsights', ['eks:DescribeInsight', 'eks:ListInsights'], 'cluster')],
  look: async (reader, { to, now }) => {
    const { insights, untried } = await readInsights(reader, to);
    const newest = newestRefresh(insights);
    return {
      findings: judgeInsights(insights, { to, now }),
      looked:
        counted(insights.length, 'insight') +
        (newest === undefined ? '' : `, the newest ${hoursOld(newest, now)} h old`),
      untried:
        insights.length === 0 && untried.length === 0
          ? [
              `insights of ${reader.place}: EKS has none up to ${to} yet; it looks at a new cluster within a day`,
            ]
          : untried,
    };
  },
});

/** A look of EKS, with its details where they could be read. */
export type SeenInsight = InsightSummary & Partial<Insight>;

/**
 * The list is not asked for by versions: that would leave out what EKS says of no version, and the cluster's own version would
 * have to be readable for it.
 */
async function readInsights(
  reader: OfEks,
  to: string,
): Promise<{ readonly insights: readonly SeenInsight[]; readonly untried: readonly string[] }> {
  const { clusterName } = reader.question;
  const list = await reader.list(
    { action: 'eks:ListInsights', subject: `insights of ${reader.place}` },
    async (nextToken, options) =>
      pageOf(
        'insights',
        (await reader.clients.eks()).listInsights(
          { clusterName, filter: { categories: ['UPGRADE_READINESS'] }, nextToken },
          options,
        ),
      ),
  );
  const summaries = list.value.filter((each) => concerns(each, to));
  const wanted = summaries.filter(({ id, insightStatus }) => id && insightStatus?.status !== 'PASSING');
  const callOf = (id: string) => ({
    action: 'eks:DescribeInsight',
    subject: `insight "${said(summaries.find((each) => each.id === id)?.name ?? id)}" of ${reader.place}`,
  });
  const details = await reader.each(
    wanted.map(({ id }) => id!),
    callOf,
    async (id, options) => {
      const { insight } = await (await reader.clients.eks()).describeInsight({ clusterName, id }, options);
      return present(callOf(id), 'an insight', insight);
    },
  );
  return {
    insights: summaries.map((each) => ({ ...each, ...details.value.find(({ id }) => id === each.id) })),
    untried: [...list.untried, ...details.untried],
  };
}

/** Whether it is about a version up to the wanted one, or about none. */
function concerns({ category, kubernetesVersion }: InsightSummary, to: string): boolean {
  const [minor, wanted] = [minorOf(kubernetesVersion), minorOf(to)];
  const ofUpgrades = category === undefined || category === 'UPGRADE_READINESS';
  return ofUpgrades && (minor === undefined || wanted === undefined || minor <= wanted);
}

/** EKS looks every 24 hours; the look itself takes its time. */
const stale = 26 * 3_600_000;

/** What the insights mean for an upgrade. */
export function judgeInsights(
  insights: readonly SeenInsight[],
  { to, now }: { readonly to: string; readonly now: number },
): readonly ReadinessFinding[] {
  const newest = newestRefresh(insights);
  return [
    ...insights.flatMap((insight) => judgeInsight(insight, to)),
    ...(newest !== undefined && now - newest > stale
      ? [
          {
            id: 'EKS03',
            severity: 'warning',
            message: `the newest insight of EKS is ${hoursOld(newest, now)} h old`,
            why: 'EKS refreshes insights every 24 hours: what was installed or fixed since is not in them',
            fix: 'refresh them with `aws eks start-insights-refresh --cluster-name NAME`, and look again',
          } satisfies ReadinessFinding,
        ]
      : []),
  ];
}

function judgeInsight(insight: SeenInsight, to: string): readonly ReadinessFinding[] {
  const { name = 'without a name', insightStatus: { status = 'UNKNOWN', reason } = {} } = insight;
  if (status === 'PASSING') {
    return [];
  }
  const subject = `insight "${said(name)}"`;
  const fix = said(insight.recommendation) || 'see the insight in the console of EKS';
  if (status !== 'ERROR' && status !== 'WARNING') {
    return [
      {
        id: 'EKS02',
        severity: 'warning',
        message: `${subject} is ${said(status)}: ${said(reason) || 'EKS gives no reason'}`,
        why: 'EKS could not tell whether the cluster is affected',
        fix,
      },
    ];
  }
  return [
    {
      id: 'EKS01',
      severity: status === 'ERROR' || isRemoved(insight, to) ? 'error' : 'warning',
      message: `${subject} is ${status}: ${[said(reason), ...detailsOf(insight)].filter(Boolean).join('; ')}`,
      why: said(insight.description) || 'EKS expects it to break with an upgrade',
      fix,
    },
  ];
}

/**
 * EKS says `ERROR` of the next minor only and `WARNING` of later ones: where several minors are taken at once, what is called
 * and no longer served breaks all the same.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/view-cluster-insights.html
 */
function isRemoved({ categorySpecificSummary }: SeenInsight, to: string): boolean {
  const wanted = minorOf(to);
  return (categorySpecificSummary?.deprecationDetails ?? []).some(
    ({ stopServingVersion, clientStats = [] }) =>
      clientStats.length > 0 && (minorOf(stopServingVersion) ?? Infinity) <= (wanted ?? 0),
  );
}

function detailsOf({ resources = [], categorySpecificSummary = {} }: SeenInsight): readonly string[] {
  const { deprecationDetails = [], addonCompatibilityDetails = [] } = categorySpecificSummary;
  const affected = resources
    .filter(({ insightStatus }) => insightStatus?.status !== 'PASSING')
    .flatMap(({ kubernetesResourceUri, arn }) => kubernetesResourceUri || arn || []);
  const addons = addonCompatibilityDetails.map(
    ({ name = '', compatibleVersions = [] }) => `${name} needs ${compatibleVersions[0] ?? 'another version'}`,
  );
  return [
    ...deprecationDetails.slice(0, 5).map(deprecationText),
    ...(deprecationDetails.length > 5 ? [`${deprecationDetails.length - 5} more`] : []),
    ...(addons.length > 0 ? [listed(addons)] : []),
    ...(affected.length > 0 ? [`affected: ${listed(affected)}`] : []),
  ];
}

function deprecationText({
  usage = 'an API',
  replacedWith,
  stopServingVersion,
  clientStats = [],
}: DeprecationDetail): string {
  const clients = clientStats.map(
    ({ userAgent = 'unknown', numberOfRequestsLast30Days }) =>
      userAgent +
      (numberOfRequestsLast30Days === undefined ? '' : ` (${numberOfRequestsLast30Days} in 30 days)`),
  );
  return [
    said(usage),
    ...(stopServingVersion ? [`not served from ${said(stopServingVersion)} on`] : []),
    ...(replacedWith ? [`replaced by ${said(replacedWith)}`] : []),
    ...(clients.length > 0 ? [`called by ${listed(clients, 3)}`] : []),
  ].join(', ');
}

/** Milliseconds since 1970. */
function newestRefresh(insights: readonly SeenInsight[]): number | undefined {
  const times = insights.flatMap(({ lastRefreshTime }) => lastRefreshTime?.getTime() ?? []);
  return times.length === 0 ? undefined : times.reduce((one, other) => Math.max(one, other));
}

function hoursOld(at: number, now: number): number {
  return Math.max(Math.floor((now - at) / (day / 24)), 0);
}
