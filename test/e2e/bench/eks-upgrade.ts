import { EKS } from '@aws-sdk/client-eks';
import type { AwsCall } from './aws-proxy-call';
import { onCleanUp } from './clean-up';
import type { CommandResult } from './command';
import { startCommand } from './command';
import type { Moto } from './moto';

/** An insight as EKS lists it; the details come with it. */
export interface StoodInsight {
  readonly id: string;
  readonly name: string;
  readonly status: 'PASSING' | 'WARNING' | 'ERROR' | 'UNKNOWN';
  readonly reason?: string;
  /** The rest of what `DescribeInsight` says. */
  readonly details?: object;
}

/** The subjects that ask EKS alone. */
export const eksSubjects = ['health', 'versions', 'insights', 'addons', 'nodes', 'addresses', 'quotas'].map(
  (name) => `eks-${name}`,
);

/** Seconds since 1970, as EKS sends times. */
const seconds = (date: string): number => Date.parse(date) / 1000;

/**
 * Stands for what moto does not know of EKS and Service Quotas: insights, versions, add-ons and quotas, in the form of the
 * models that the SDK is made of. All else is moto's.
 */
export class EksUpgrade {
  public insights: readonly StoodInsight[] = [];
  /** Versions of add-ons by the minor release that they are for. */
  public addons: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {};
  /** The add-ons that are installed, with their versions. */
  public installed: Readonly<Record<string, string>> = {};
  /** Values of quotas by their codes. @default - 100 */
  public quotas: Readonly<Record<string, number>> = {};
  private readonly eks: EKS;

  public constructor(public readonly aws: Moto) {
    this.eks = new EKS(aws.directSettings);
    onCleanUp(() => this.eks.destroy());
    aws.proxy.standIn = (call, path) => this.answer(call, new URL(path, 'http://eks'));
  }

  /** A cluster with one node group. */
  public async cluster(name: string, version: string): Promise<void> {
    const { subnetIds } = await this.aws.network();
    await this.eks.createCluster({
      ...{ name, version, roleArn: 'arn:aws:iam::123456789012:role/cluster' },
      resourcesVpcConfig: { subnetIds: [...subnetIds] },
    });
    await this.eks.createNodegroup({
      ...{ clusterName: name, nodegroupName: 'web', version, amiType: 'AL2023_x86_64_STANDARD' },
      ...{ subnets: [...subnetIds], nodeRole: 'arn:aws:iam::123456789012:role/nodes' },
    });
  }

  /** Runs `cluster-canary ready` with the subjects of EKS. */
  public ready(...args: string[]): Promise<CommandResult> {
    return startCommand(this.aws.env, 'ready', ...args, '--subject', eksSubjects.join(',')).result;
  }

  private answer({ action, body }: AwsCall, { searchParams }: URL): object | undefined {
    const [, method = '', of = ''] = /^(GET|POST) \/clusters\/[^/]+\/(.*)$/.exec(action) ?? [];
    if (method === 'POST' && of === 'insights') {
      return { insights: this.insights.map((each) => summary(each)) };
    }
    if (of.startsWith('insights/')) {
      const found = this.insights.find(({ id }) => `insights/${id}` === of);
      return found && { insight: { ...summary(found), ...found.details } };
    }
    if (method === 'GET' && of === 'addons') {
      return { addons: Object.keys(this.installed) };
    }
    if (method === 'GET' && of.startsWith('addons/')) {
      const addonName = of.slice('addons/'.length);
      return { addon: { addonName, addonVersion: this.installed[addonName], status: 'ACTIVE' } };
    }
    switch (action) {
      case 'GET /cluster-versions':
        return {
          clusterVersions: ['1.36', '1.35', '1.34', '1.33'].map((version, age) => supported(version, age)),
        };
      case 'GET /addons/supported-versions':
        return {
          addons: this.offers(searchParams.get('addonName')!, searchParams.get('kubernetesVersion')!),
        };
      case 'GetServiceQuota': {
        const { ServiceCode, QuotaCode } = body as { ServiceCode: string; QuotaCode: string };
        return { Quota: { ServiceCode, QuotaCode, Value: this.quotas[QuotaCode] ?? 100 } };
      }
      default:
        return undefined;
    }
  }

  private offers(addonName: string, clusterVersion: string): readonly object[] {
    const versions = this.addons[addonName]?.[clusterVersion] ?? [];
    const addonVersions = versions.map((addonVersion, at) => ({
      addonVersion,
      compatibilities: [{ clusterVersion, defaultVersion: at === 0, platformVersions: ['*'] }],
    }));
    return versions.length === 0 ? [] : [{ addonName, type: 'networking', addonVersions }];
  }
}

function summary({ id, name, status, reason = '' }: StoodInsight): object {
  return {
    ...{ id, name, category: 'UPGRADE_READINESS', kubernetesVersion: '1.36' },
    ...{ lastRefreshTime: Date.now() / 1000 - 3_600, lastTransitionTime: seconds('2026-01-01') },
    insightStatus: { status, reason },
  };
}

/** In support for years from now on: the newest first. */
function supported(clusterVersion: string, age: number): object {
  const inYears = (years: number): number => Math.round(Date.now() / 1000) + years * 31_536_000;
  return {
    ...{ clusterVersion, clusterType: 'eks', defaultVersion: age === 0, versionStatus: 'STANDARD_SUPPORT' },
    endOfStandardSupportDate: inYears(4 - age),
    endOfExtendedSupportDate: inYears(5 - age),
  };
}
