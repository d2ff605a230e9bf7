import type { Cluster, EKS } from '@aws-sdk/client-eks';
import type { AwsClients, AwsClientsOptions } from '../aws';
import { AwsError, arnParts, askAws, awsClients } from '../aws';
import type { Place } from './cluster-set';
import type { ClusterSource, SearchOptions } from './cluster-source';
import type { EksCluster, FoundClusters } from './eks-cluster';
import { describePlace } from './settings';

/** What the source asks of EKS: the client of one account and region. */
export type ClustersOf = (options: AwsClientsOptions) => Pick<AwsClients, 'eks' | 'close'>;

/**
 * EKS as a source of clusters: lists are read in pages to the end, each cluster is described, and throttled calls are
 * repeated at a rate that adapts.
 *
 * @param options for all places: an endpoint for tests, say
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_ListClusters.html
 */
export function eksSource(
  options: AwsClientsOptions = {},
  clientsOf: ClustersOf = awsClients,
): ClusterSource {
  const clients = new Map<string, Pick<AwsClients, 'eks' | 'close'>>();
  const clientOf = ({ region, roleArn }: Place): Promise<EKS> => {
    const key = JSON.stringify([region, roleArn]);
    const made =
      clients.get(key) ??
      clientsOf({
        ...options,
        ...(region === undefined ? {} : { region }),
        ...(roleArn === undefined ? {} : { roleArn }),
      });
    clients.set(key, made);
    return made.eks();
  };
  return {
    find: (place, search) => new Search(place, () => clientOf(place), search).run(),
    close: () => {
      for (const client of clients.values()) {
        client.close();
      }
      clients.clear();
    },
  };
}

/** One look at one place. */
class Search {
  private readonly failures: string[] = [];
  private readonly sdk: { readonly abortSignal?: AbortSignal };

  public constructor(
    private readonly place: Place,
    private readonly client: () => Promise<EKS>,
    private readonly search: SearchOptions,
  ) {
    this.sdk = search.signal === undefined ? {} : { abortSignal: search.signal };
  }

  public async run(): Promise<FoundClusters> {
    const names: string[] = [];
    // What the pages before a failed one have named is worth a look all the same: nothing is removed by it.
    await this.tolerated(async () => {
      let nextToken: string | undefined;
      do {
        const page = await this.ask('eks:ListClusters', (eks) => eks.listClusters({ nextToken }, this.sdk));
        names.push(...(page.clusters ?? []));
        nextToken = page.nextToken;
      } while (nextToken !== undefined);
    });
    const clusters = await Promise.all(names.map((name) => this.describe(name)));
    return { clusters: clusters.filter((each) => each !== undefined), failures: this.failures };
  }

  private describe(name: string): Promise<EksCluster | undefined> {
    return this.tolerated(async () => {
      try {
        const { cluster = {} } = await this.ask(
          'eks:DescribeCluster',
          (eks) => eks.describeCluster({ name }, this.sdk),
          `cluster "${name}" in `,
        );
        this.search.onCluster?.();
        return this.checked(name, cluster);
      } catch (error) {
        // It went between the list and the description.
        if (error instanceof AwsError && error.failure.kind === 'notFound') {
          return undefined;
        }
        throw error;
      }
    });
  }

  private checked(asked: string, cluster: Cluster): EksCluster | undefined {
    const { name = asked, arn = '', status = 'unknown', endpoint, version, tags = {} } = cluster;
    const { account, region } = arnParts(arn) ?? {};
    if (account === undefined || region === undefined) {
      this.failures.push(`cluster "${asked}" in ${describePlace(this.place)}: EKS gives it no ARN`);
      return undefined;
    }
    if (this.place.account !== undefined && account !== this.place.account) {
      this.failures.push(
        `cluster "${asked}" in ${describePlace(this.place)}: it belongs to account ${account}, and not to ${this.place.account}`,
      );
      return undefined;
    }
    const certificateAuthority = cluster.certificateAuthority?.data;
    return {
      ...{ name, arn, account, region, status, tags },
      ...(endpoint ? { endpoint } : {}),
      ...(certificateAuthority ? { certificateAuthority } : {}),
      ...(version ? { version } : {}),
    };
  }

  private ask<Answer>(action: string, call: (eks: EKS) => Promise<Answer>, what = ''): Promise<Answer> {
    const { region } = this.place;
    const subject = `${what}${describePlace(this.place)}`;
    return this.search.limiter.run(() => {
      this.search.signal?.throwIfAborted();
      return askAws({ action, subject, ...(region === undefined ? {} : { region }) }, async () =>
        call(await this.client()),
      );
    });
  }

  /** Takes note of a failure; an interrupt is none. */
  private async tolerated<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await work();
    } catch (error) {
      this.search.signal?.throwIfAborted();
      if (!(error instanceof AwsError)) {
        throw error;
      }
      this.failures.push(error.message);
      return undefined;
    }
  }
}
