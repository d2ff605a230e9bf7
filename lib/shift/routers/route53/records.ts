import type {
  Change,
  ChangeInfo,
  ListResourceRecordSetsCommandOutput,
  ListResourceRecordSetsRequest,
  ResourceRecordSet,
} from '@aws-sdk/client-route-53';
import type { Clock } from '../../../core/async';
import type { AwsClients } from '../../../core/aws/clients';
import { AwsError, callAws, present } from '../../../core/aws/errors';
import type { AwsCall } from '../../../core/aws/errors';
import { everyPage } from '../../../core/aws/pages';
import { beforeEachRequest, sentOnce } from '../../../core/aws/requests';
import { RouterError, formatWeights, equalWeights } from '../../engine';
import type { Weights } from '../../engine';
import { isRefusal, noWholePercents, unfit, wholePercents } from '../live-weights';
import type { LiveReading, UnfitReading } from '../live-weights';
import type { RawWeights } from '../router-kind';

/** Which record sets hold the weights. */
export interface WeightedRecords {
  /** Name of the records: `www.example.com`. */
  readonly name: string;
  /** Types whose records carry the same weights: `A` and `AAAA`. */
  readonly types: readonly string[];
  /** Set identifier of each slot's record. */
  readonly setIdentifiers: Readonly<Record<string, string>>;
}

/** How long resolvers keep an alias record that points to a load balancer, in seconds. */
const aliasTtl = 60;

/**
 * A name as it is compared: in lower case, without the trailing dot, and without the escapes that Route 53 writes
 * (`\052` for `*`).
 *
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
 */
export function normalizedRecordName(name: string): string {
  return name
    .replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * A name as IAM's conditions on record names have it.
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-rrset-conditions.html
 */
export function conditionName(name: string): string {
  return normalizedRecordName(name).replace(
    /[^a-z0-9._-]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** Whether a record set has the name and one of the types. */
export function belongs(set: ResourceRecordSet, { name, types }: WeightedRecords): boolean {
  return (
    normalizedRecordName(set.Name ?? '') === normalizedRecordName(name) &&
    types.some((type) => type === set.Type)
  );
}

/**
 * The weights of the slots' records.
 *
 * @param sets record sets of that name and those types
 */
export function readRecords(sets: readonly ResourceRecordSet[], records: WeightedRecords): LiveReading {
  const refusal = misfit(sets, records);
  if (refusal) {
    return refusal;
  }
  const readings = records.types.map((type) => readType(sets, records, type));
  const first = readings[0]!;
  for (const [index, reading] of readings.entries()) {
    if (isRefusal(reading)) {
      return reading;
    }
    if (!isRefusal(first) && !equalWeights(first.weights, reading.weights)) {
      const [one, other] = [records.types[0], records.types[index]];
      return unfit(
        `the records of type ${one} have the weights ${formatWeights(first.weights)}, those of type ${other} have ` +
          `${formatWeights(reading.weights)}; give both the same ones first`,
      );
    }
  }
  return first;
}

/**
 * The change that gives the records other weights: all records at once, each as it was read but for its weight, so that
 * health check, alias target and TTL stay.
 */
export function weightChanges(
  sets: readonly ResourceRecordSet[],
  records: WeightedRecords,
  weights: Weights,
): readonly Change[] | UnfitReading {
  const refusal = misfit(sets, records);
  if (refusal) {
    return refusal;
  }
  return records.types.flatMap((type) =>
    Object.entries(records.setIdentifiers).map(([slot, identifier]) => ({
      Action: 'UPSERT' as const,
      ResourceRecordSet: { ...find(sets, type, identifier)!, Weight: weights[slot]! },
    })),
  );
}

/** How long resolvers keep what they have, in seconds: the longest of the records' TTLs. */
export function longestTtl(sets: readonly ResourceRecordSet[]): number {
  return Math.max(0, ...sets.map(({ TTL = 0, AliasTarget }) => (AliasTarget ? aliasTtl : TTL)));
}

/** Why these record sets can't carry a shift; the weights themselves are not looked at. */
function misfit(sets: readonly ResourceRecordSet[], records: WeightedRecords): UnfitReading | undefined {
  const identifiers = Object.values(records.setIdentifiers);
  for (const type of records.types) {
    const ofType = sets.filter(({ Type }) => Type === type);
    const missing = identifiers.filter((identifier) => !find(ofType, type, identifier));
    if (missing.length > 0) {
      const there = ofType.map(({ SetIdentifier }) => SetIdentifier ?? '(none)').join(', ') || 'none';
      return {
        failure: 'notFound',
        why: `there is no ${type} record with the set identifier ${missing.join(', ')}; there are: ${there}`,
      };
    }
    const unweighted = ofType.find(({ Weight }) => Weight === undefined);
    if (unweighted) {
      return unfit(`the ${type} record ${unweighted.SetIdentifier ?? ''} is not a weighted one`);
    }
    const managed = ofType.find(({ TrafficPolicyInstanceId }) => TrafficPolicyInstanceId !== undefined);
    if (managed) {
      return unfit(
        `the ${type} records belong to the traffic policy instance ${managed.TrafficPolicyInstanceId}`,
      );
    }
    const foreign = ofType.filter(
      ({ SetIdentifier = '', Weight = 0 }) => Weight > 0 && !identifiers.includes(SetIdentifier),
    );
    if (foreign.length > 0) {
      const figures = foreign
        .map(({ SetIdentifier, Weight }) => `${SetIdentifier} (weight ${Weight})`)
        .join(', ');
      return unfit(
        `traffic goes to a ${type} record of no slot: ${figures}; make a slot of it, or set its weight to 0`,
      );
    }
  }
  return undefined;
}

function readType(sets: readonly ResourceRecordSet[], records: WeightedRecords, type: string): LiveReading {
  const raw = Object.fromEntries(
    Object.entries(records.setIdentifiers).map(([slot, identifier]) => [
      slot,
      find(sets, type, identifier)!.Weight ?? 0,
    ]),
  );
  const weights = wholePercents(raw);
  if (!weights) {
    return unfit(
      noWholePercents(
        raw,
        `every weight is 0 (${formatWeights(raw)}), which Route 53 takes for equal shares`,
      ),
      Object.values(raw).some((weight) => weight > 0) ? raw : equalShares(raw),
    );
  }
  return { weights, missing: [], notes: notes(sets, type) };
}

function equalShares(raw: RawWeights): RawWeights {
  return Object.fromEntries(Object.keys(raw).map((slot) => [slot, 1]));
}

function notes(sets: readonly ResourceRecordSet[], type: string): string[] {
  return sets
    .filter(({ Type, HealthCheckId }) => Type === type && HealthCheckId !== undefined)
    .map(({ SetIdentifier, HealthCheckId }) => `keeps the health check ${HealthCheckId} of ${SetIdentifier}`);
}

function find(
  sets: readonly ResourceRecordSet[],
  type: string,
  identifier: string,
): ResourceRecordSet | undefined {
  return sets.find(({ Type, SetIdentifier }) => Type === type && SetIdentifier === identifier);
}

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
      const goesOn =
        page.IsTruncated &&
        normalizedRecordName(page.NextRecordName ?? '') === normalizedRecordName(records.name);
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
    const client = await callAws(call, () => this.clients.route53());
    before();
    const { ChangeInfo } = await callAws(call, async () => {
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
      const { ChangeInfo } = await callAws(this.call('route53:GetChange'), async () =>
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
    const client = await callAws(this.reads, () => this.clients.route53());
    asked();
    return callAws(this.reads, async () => {
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
