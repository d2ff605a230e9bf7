import type { Change, ChangeInfo, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { steadyClock } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { awsAccess } from '../../../core/aws/access-schema';
import type { AwsAccess } from '../../../core/aws/arns';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import { AwsError } from '../../../core/aws/errors';
import type { AllowStatement } from '../../../core/aws/iam';
import { hostedZoneId } from '../../../core/aws/identifiers';
import { partitionOf } from '../../../core/aws/partitions';
import { either, list, object } from '../../../core/validation/collections';
import { oneOf, text, that } from '../../../core/validation/values';
import { equalWeights, fullWeights } from '../../engine';
import type { Router, ShiftSubject, Weights } from '../../engine';
import { withMissingTargets } from '../attaching-router';
import { descriptionOf, isRefusal, refused, routerError, weightsOf } from '../live-weights';
import type { LiveReading } from '../live-weights';
import { lookAndWrite, machineClocks } from '../look-and-write';
import type { LookClocks, MinimumWait, OpenRouter, RouterDescription, RouterKind } from '../router-kind';
import {
  RecordZone,
  conditionName,
  longestTtl,
  normalizedRecordName,
  readRecords,
  weightChanges,
} from './records';
import type { WeightedRecords } from './records';

/** Settings of `route53`. */
export interface Route53Settings extends AwsAccess {
  /** Id of the hosted zone, `Z1D633PJN98FT9`; with `/hostedzone/` before it or without. */
  readonly hostedZoneId: string;
  /** Name of the records: `www.example.com`, `*.example.com`; with a dot at its end or without. */
  readonly recordName: string;
  /** Type of the records, or several types whose records change together. */
  readonly recordType: RecordType | readonly RecordType[];
}

/** A type of record that names where a service is. */
export type RecordType = (typeof recordTypes)[number];

const recordTypes = ['A', 'AAAA', 'CNAME'] as const;

const recordName = text(
  'a host name, such as "www.example.com"; "*" may be its first label',
  /^((\*|\\052)\.)?([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?$/,
  255,
);

const type = oneOf(...recordTypes);

const allTypes = 'a type, or a list of different types';

const types = that(list(type, 1, allTypes), allTypes, (given) => new Set(given).size === given.length, {
  uniqueItems: true,
});

const recordType = either<RecordType | readonly RecordType[]>(
  type.allowed,
  { when: Array.isArray, schema: types },
  { when: () => true, schema: type },
);

/** @see https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html */
const setIdentifier = that(
  text('a set identifier of 1 to 128 characters', undefined, 128),
  'a set identifier of 1 to 128 characters',
  (given) => given !== '',
  { minLength: 1 },
);

/** The id of a zone without its path. */
function bareZoneId({ hostedZoneId: id }: Route53Settings): string {
  return id.replace(/^\/hostedzone\//, '');
}

/** The types of records as a list. */
function typesOf({ recordType }: Route53Settings): readonly RecordType[] {
  return typeof recordType === 'string' ? [recordType] : recordType;
}

/**
 * To change only records of that name and type, and none away.
 *
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-rrset-conditions.html
 */
function permissions(settings: Route53Settings): readonly AllowStatement[] {
  const { id: partition } = partitionOf(settings.region);
  const zone = `arn:${partition}:route53:::hostedzone/${bareZoneId(settings)}`;
  return [
    { Sid: 'ReadWeights', Effect: 'Allow', Action: ['route53:ListResourceRecordSets'], Resource: [zone] },
    {
      Sid: 'WriteWeights',
      Effect: 'Allow',
      Action: ['route53:ChangeResourceRecordSets'],
      Resource: [zone],
      Condition: {
        'ForAllValues:StringEquals': {
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': [conditionName(settings.recordName)],
          'route53:ChangeResourceRecordSetsRecordTypes': typesOf(settings),
          'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
        },
      },
    },
    {
      Sid: 'FollowChange',
      Effect: 'Allow',
      Action: ['route53:GetChange'],
      Resource: [`arn:${partition}:route53:::change/*`],
    },
  ];
}

/**
 * Weights on 2 to 5 weighted records of one name. Each write is one change of all records, which keeps their health checks,
 * alias targets and TTLs; it answers when every server of Route 53 has the weights and resolvers have forgotten the old
 * ones.
 *
 * An abort while it waits for servers and resolvers ends the write well: the change is made.
 */
export const route53: RouterKind<Route53Settings, 'setIdentifier'> = {
  title: 'weighted records of Route 53',
  settings: object<Route53Settings>({
    hostedZoneId: text(hostedZoneId.allowed, hostedZoneId.form),
    recordName,
    recordType,
    ...awsAccess,
  }),
  slot: {
    field: 'setIdentifier',
    title: "set identifier of the slot's records, of Route 53",
    value: setIdentifier,
  },
  layer: 'names',
  permissions,
  open: (settings, setIdentifiers, context) => {
    const { region, roleArn } = settings;
    const { clients, clock = steadyClock(), clocks = machineClocks, awaitsPropagation = true } = context;
    const used = clients ?? awsClients({ region, roleArn });
    return new Route53Router(settings, setIdentifiers, used, { clock, clocks, awaitsPropagation });
  },
};

/** How long a look may take after a change whose answer is lost, in milliseconds: an interrupted run has little time. */
const lookTime = 2_000;

/** A change, and the records that it was made from. */
interface Submitted {
  readonly sets: readonly ResourceRecordSet[];
  /** Unset where its answer is lost. */
  readonly change?: ChangeInfo;
}

/** Whether a change was sent, and it is not known what became of it. */
function isLost(error: unknown): boolean {
  const { cause } = Object(error) as { cause?: unknown };
  return (
    cause instanceof AwsError &&
    cause.call.action === 'route53:ChangeResourceRecordSets' &&
    (cause.failure.kind === 'unreachable' || cause.failure.kind === 'cancelled')
  );
}

class Route53Router implements OpenRouter {
  public readonly name: string;
  public readonly id: string;
  public readonly subject: ShiftSubject;

  private readonly zone: RecordZone;
  private readonly records: WeightedRecords;

  public constructor(
    settings: Route53Settings,
    setIdentifiers: Readonly<Record<string, string>>,
    clients: AwsClients,
    private readonly timing: {
      readonly clock: Clock;
      readonly clocks: LookClocks;
      readonly awaitsPropagation: boolean;
    },
  ) {
    const { recordName: of, region, roleArn } = settings;
    const zoneId = bareZoneId(settings);
    const sorted = [...typesOf(settings)].sort();
    this.records = { name: of, types: sorted, setIdentifiers };
    this.name = `Route 53 records ${normalizedRecordName(of)} ${sorted.join(' and ')} in zone ${zoneId}`;
    this.id = `route53:${zoneId}:${normalizedRecordName(of)}:${sorted.join('+')}`;
    this.zone = new RecordZone(this.name, zoneId, clients, timing.clock);
    this.subject = {
      layer: 'names',
      slots: Object.fromEntries(Object.keys(setIdentifiers).map((slot) => [slot, {}])),
      ...(region !== undefined && { region }),
      ...(roleArn !== undefined && { roleArn }),
    };
  }

  public async read(signal?: AbortSignal): Promise<Weights> {
    return weightsOf(this.name, await this.look(signal));
  }

  public async write(weights: Weights, signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const wanted = fullWeights(Object.keys(this.records.setIdentifiers), weights);
    const { sets, change } = await this.submit(wanted, signal, expected);
    if (!this.timing.awaitsPropagation) {
      return;
    }
    try {
      await (change && this.zone.follow(change, signal));
    } catch (error) {
      // The change is made: an abort ends the wait alone.
      if (!(error instanceof AwsError && error.failure.kind === 'cancelled')) {
        throw routerError(error, wanted);
      }
    }
    await this.timing.clock.sleep(longestTtl(sets) * 1_000, signal);
  }

  public async describe(signal?: AbortSignal): Promise<RouterDescription> {
    return descriptionOf(this.name, await this.look(signal));
  }

  public async minimumWait(signal?: AbortSignal): Promise<MinimumWait> {
    const seconds = longestTtl(await this.sets(signal));
    const because = `resolvers keep an answer for ${seconds} s (TTL), which every write waits for`;
    return { milliseconds: 0, writeMilliseconds: seconds * 1_000, because: seconds > 0 ? [because] : [] };
  }

  /** Records are there, or it refuses them: only who knows what they point at could make them. */
  public withMissingTargets(wanted: Weights): Router {
    return withMissingTargets(this, wanted, this.timing.clocks);
  }

  /** A change whose answer is lost is good if the records show it: what follows is the wait for the resolvers. */
  private async submit(
    wanted: Weights,
    signal?: AbortSignal,
    expected?: readonly Weights[],
  ): Promise<Submitted> {
    let sets: readonly ResourceRecordSet[] = [];
    try {
      const change = await lookAndWrite({
        name: this.name,
        expected,
        clocks: this.timing.clocks,
        look: async (asked) => (sets = await this.zone.sets(this.records, signal, asked)),
        reading: (seen) => readRecords(seen, this.records),
        send: (seen, before) => this.zone.submit(this.changes(seen, wanted), before, signal),
      });
      return { sets, change };
    } catch (error) {
      if (!isLost(error)) {
        throw error;
      }
      const live = await this.read(AbortSignal.timeout(lookTime)).catch(() => undefined);
      if (live && equalWeights(live, wanted)) {
        return { sets };
      }
      throw routerError(error, live);
    }
  }

  private changes(sets: readonly ResourceRecordSet[], wanted: Weights): readonly Change[] {
    const changes = weightChanges(sets, this.records, wanted);
    if (isRefusal(changes)) {
      throw refused(this.name, changes);
    }
    return changes;
  }

  private async look(signal?: AbortSignal): Promise<LiveReading> {
    return readRecords(await this.sets(signal), this.records);
  }

  private async sets(signal?: AbortSignal): Promise<readonly ResourceRecordSet[]> {
    try {
      return await this.zone.sets(this.records, signal);
    } catch (error) {
      throw routerError(error);
    }
  }
}
