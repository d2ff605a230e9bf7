import type { Cluster, EKS } from '@aws-sdk/client-eks';
import type { Limiter } from '../../core/async';
import { parseArn } from '../../core/aws/arns';
import { awsClients, awsClientsOptions } from '../../core/aws/clients';
import type { AwsClients, AwsClientsOptions } from '../../core/aws/clients';
import { AwsError, callAws } from '../../core/aws/errors';
import { everyPage, pageOf } from '../../core/aws/pages';
import { refuseArguments } from '../../core/validation/arguments';
import { describePlace } from '../../manifests/cluster-sync';
import type {
  ClusterSetSettings,
  EksCluster,
  FoundClusters,
  ClusterPlace,
} from '../../manifests/cluster-sync';

/** How places are searched. */
export interface SearchOptions {
  /** Shared by all places. */
  readonly limiter: Limiter;
  /** Stops the search. @default - none */
  readonly signal?: AbortSignal;
  /** Is called for each cluster that was described. @default - nothing is */
  readonly onCluster?: () => void;
}

/** Finds the clusters of one account and region. */
export interface ClusterSource {
  /**
   * All clusters of a place, and what did not answer: that is no exception, since other places may answer.
   *
   * @throws the signal's reason where that is aborted
   */
  find(place: ClusterPlace, search: SearchOptions): Promise<FoundClusters>;
  /** Closes connections. */
  close(): void;
}

/** The clusters of all places of a set. One that does not answer does not stop the others. */
export async function findClusters(
  { places }: Pick<ClusterSetSettings, 'places'>,
  source: ClusterSource,
  search: SearchOptions,
): Promise<FoundClusters> {
  const found = await Promise.all(places.map((place) => source.find(place, search)));
  return {
    clusters: found.flatMap(({ clusters }) => clusters),
    failures: found.flatMap(({ failures }) => failures),
  };
}

/** Whom the source asks: clients of one account and region. */
export type ListClusters = (options: AwsClientsOptions) => Pick<AwsClients, 'eks' | 'sts' | 'close'>;

/**
 * EKS as a source of clusters: lists are read in pages to the end, each cluster is described, and throttled calls are
 * repeated at a rate that adapts. Where a place says which account it is, its credentials have to be of that account.
 *
 * @param options for all places: an endpoint for tests, say
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_ListClusters.html
 */
export function eksSource(
  options: AwsClientsOptions = {},
  clientsOf: ListClusters = awsClients,
): ClusterSource {
  refuseArguments('eksSource', awsClientsOptions, options);
  const clients = new Map<string, ReturnType<ListClusters>>();
  const clientsAt = ({ region, roleArn }: ClusterPlace): ReturnType<ListClusters> => {
    const key = JSON.stringify([region, roleArn]);
    const made =
      clients.get(key) ??
      clientsOf({
        ...options,
        ...(region === undefined ? {} : { region }),
        ...(roleArn === undefined ? {} : { roleArn }),
      });
    clients.set(key, made);
    return made;
  };
  return {
    find: (place, search) => new Search(place, clientsAt(place), search).run(),
    close: () => {
      for (const client of clients.values()) {
        client.close();
      }
      clients.clear();
    },
  };
}

/** One read of one place. */
class Search {
  private readonly failures: string[] = [];
  private readonly sdk: { readonly abortSignal?: AbortSignal };

  public constructor(
    private readonly place: ClusterPlace,
    private readonly clients: ReturnType<ListClusters>,
    private readonly search: SearchOptions,
  ) {
    this.sdk = search.signal === undefined ? {} : { abortSignal: search.signal };
  }

  public async run(): Promise<FoundClusters> {
    if (await this.isOtherAccount()) {
      return { clusters: [], failures: this.failures };
    }
    const names: string[] = [];
    // What the pages before a failed one have named is worth a look all the same: nothing is removed by it.
    await this.tolerated(async () => {
      const call = { action: 'eks:ListClusters', subject: describePlace(this.place) };
      await everyPage<never>(call, async (nextToken) => {
        const { items, next } = await this.ask('eks:ListClusters', (eks) =>
          pageOf('clusters', eks.listClusters({ nextToken }, this.sdk)),
        );
        items.forEach((name) => names.push(name));
        return { items: [], next };
      });
    });
    const clusters = await Promise.all(names.map((name) => this.describe(name)));
    return { clusters: clusters.filter((each) => each !== undefined), failures: this.failures };
  }

  /**
   * Whether the credentials are known to be of another account: there, no cluster of this one is found, and all of them
   * would look as if they were gone. Where it is not known, the account of each cluster that is found still counts.
   */
  private async isOtherAccount(): Promise<boolean> {
    const { account } = this.place;
    if (account === undefined) {
      return false;
    }
    const found = await this.tolerated(() => this.credentialsAccount());
    if (found === undefined || found === account) {
      return false;
    }
    this.failures.push(
      `${describePlace(this.place)}: the credentials are of account ${found}, and not of ${account}; ` +
        'its Secrets stay as they are',
    );
    return true;
  }

  /** What a role gives is of the role's own account. */
  private async credentialsAccount(): Promise<string | undefined> {
    const { roleArn } = this.place;
    if (roleArn !== undefined) {
      return parseArn(roleArn)?.account;
    }
    return this.asked('sts:GetCallerIdentity', async () => {
      const { Account } = await (await this.clients.sts()).getCallerIdentity({}, this.sdk);
      if (!Account) {
        throw Object.assign(new Error('what came has no account'), { code: 'EPROTO' });
      }
      return Account;
    });
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
    const { account, region } = parseArn(arn) ?? {};
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
    return this.asked(action, async () => call(await this.clients.eks()), what);
  }

  private asked<Answer>(action: string, call: () => Promise<Answer>, what = ''): Promise<Answer> {
    const { region } = this.place;
    const subject = `${what}${describePlace(this.place)}`;
    return this.search.limiter.run(() => {
      this.search.signal?.throwIfAborted();
      return callAws({ action, subject, ...(region === undefined ? {} : { region }) }, call);
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
