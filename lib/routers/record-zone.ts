import type {
  Change,
  ChangeInfo,
  ListResourceRecordSetsCommandOutput,
  ListResourceRecordSetsRequest,
  ResourceRecordSet,
} from '@aws-sdk/client-route-53';
import type { AwsCall, AwsClients } from '../aws';
import { askAws, AwsError, beforeEachRequest, everyPage, present, sentOnce } from '../aws';
import type { Clock } from '../shift';
import { RouterError } from '../shift';
import type { WeightedRecords } from './records';
import { belongs, plainName } from './records';

/** How often it is asked whether all servers know a change: five calls a second are all that an account has. */
const pollEvery = 5_000;
/** Route 53 usually takes under a minute. */
const longestPropagation = 10 * 60_000;

/** The records of one name in a hosted zone. */
export class RecordZone {
  public constructor(
    /** What it is about, for errors. */
    private readonly subject: string,
    private readonly id: string,
    private readonly clients: AwsClients,
    private readonly clock: Clock,
  ) {}

  /**
   * The record sets of the name and the types, as they are from now on: also what not every server knows yet.
   *
   * @param asked is called right before each request for the first page
   * @throws AwsError
   */
  public async sets(
    records: WeightedRecords,
    signal?: AbortSignal,
    asked: () => void = () => undefined,
  ): Promise<readonly ResourceRecordSet[]> {
    let tell = asked;
    return everyPage<ResourceRecordSet, Partial<ListResourceRecordSetsRequest>>(this.reads, async (from) => {
      const page = await this.page(from ?? { StartRecordName: records.name }, tell, signal);
      tell = () => undefined;
      const sets = present(this.reads, 'record sets', page.ResourceRecordSets);
      // The list goes on to the zone's end.
      const goesOn = page.IsTruncated && plainName(page.NextRecordName ?? '') === plainName(records.name);
      return {
        items: sets.filter((set) => belongs(set, records)),
        ...(goesOn
          ? {
              next: {
                StartRecordName: page.NextRecordName,
                StartRecordType: page.NextRecordType,
                StartRecordIdentifier: page.NextRecordIdentifier,
              },
            }
          : {}),
      };
    });
  }

  /**
   * Makes a change, and waits until every server of Route 53 has it.
   *
   * @throws AwsError
   * @throws RouterError if the servers take longer than ten minutes
   */
  public async change(changes: readonly Change[], signal?: AbortSignal): Promise<void> {
    await this.follow(await this.submit(changes, () => undefined, signal), signal);
  }

  /**
   * Makes a change, with one request.
   *
   * @param before is called right before it; what it throws keeps it back
   * @throws AwsError
   */
  public async submit(
    changes: readonly Change[],
    before: () => void,
    signal?: AbortSignal,
  ): Promise<ChangeInfo> {
    const call = this.call('route53:ChangeResourceRecordSets');
    const client = await askAws(call, () => this.clients.route53());
    before();
    const { ChangeInfo } = await askAws(call, async () => {
      const { ChangeResourceRecordSetsCommand } = await import('@aws-sdk/client-route-53');
      const batch = { HostedZoneId: this.id, ChangeBatch: { Changes: [...changes] } };
      const command = sentOnce(new ChangeResourceRecordSetsCommand(batch), before);
      return client.send(command, { abortSignal: signal });
    });
    return present(call, 'a change', ChangeInfo);
  }

  /**
   * Waits until every server of Route 53 has a change.
   *
   * @throws AwsError
   * @throws RouterError if the servers take longer than ten minutes
   */
  public async follow({ Id, Status }: ChangeInfo, signal?: AbortSignal): Promise<void> {
    const until = this.clock.now() + longestPropagation;
    let status: string | undefined = Status;
    while (status !== 'INSYNC') {
      if (this.clock.now() >= until) {
        const minutes = longestPropagation / 60_000;
        const words = `the change ${Id} is made, but not on every server after ${minutes} minutes`;
        throw new RouterError('unreachable', `${this.subject}: ${words}`);
      }
      await this.clock.sleep(pollEvery, signal);
      status = await this.status(Id, signal);
    }
  }

  /** A poll without an answer is no reason to give up: the change is made. */
  private async status(id: string | undefined, signal?: AbortSignal): Promise<string | undefined> {
    try {
      const { ChangeInfo } = await askAws(this.call('route53:GetChange'), async () =>
        (await this.clients.route53()).getChange({ Id: id }, { abortSignal: signal }),
      );
      return ChangeInfo?.Status;
    } catch (error) {
      const kind = error instanceof AwsError ? error.failure.kind : undefined;
      if (kind === 'throttled' || kind === 'unreachable') {
        return undefined;
      }
      throw error;
    }
  }

  private async page(
    from: Partial<ListResourceRecordSetsRequest>,
    asked: () => void,
    signal?: AbortSignal,
  ): Promise<ListResourceRecordSetsCommandOutput> {
    const client = await askAws(this.reads, () => this.clients.route53());
    asked();
    return askAws(this.reads, async () => {
      const { ListResourceRecordSetsCommand } = await import('@aws-sdk/client-route-53');
      const command = new ListResourceRecordSetsCommand({ HostedZoneId: this.id, ...from });
      return client.send(beforeEachRequest(command, asked), { abortSignal: signal });
    });
  }

  private get reads(): AwsCall {
    return this.call('route53:ListResourceRecordSets');
  }

  private call(action: string): AwsCall {
    return { action, subject: this.subject };
  }
}
