import type { Change, ChangeInfo, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { AwsClients, RightsStatement } from '../aws';
import { awsClients, AwsError } from '../aws';
import { InvalidInput } from '../problems';
import type { Clock, ShiftSubject, Weights } from '../shift';
import { equalWeights, fullWeights, steadyClock } from '../shift';
import type { AwsRouter, LeastWait, RouterDescription } from './aws-router';
import type { LookClocks } from './look-age';
import { machineClocks } from './look-age';
import { lookAndWrite } from './look-and-write';
import { descriptionOf, weightsOf } from './read-weights';
import type { Reading } from './reading';
import { isRefusal } from './reading';
import { RecordZone } from './record-zone';
import type { WeightedRecords } from './records';
import { longestTtl, plainName, readRecords, weightChanges } from './records';
import type { Route53Settings } from './route53-settings';
import { bareZoneId, route53Problems, route53Rights, typesOf } from './route53-settings';
import { refused, routerError } from './router-failure';

/**
 * Weights on 2 to 5 weighted records of one name. Each write is one change of all records, which keeps their health checks,
 * alias targets and TTLs; it answers when every server of Route 53 has the weights and resolvers have forgotten the old
 * ones.
 *
 * An abort while it waits for servers and resolvers ends the write well: the change is made.
 *
 * @param clients @default - clients of the settings' role
 * @param clock the time that servers and resolvers are waited for
 * @param clocks how long ago it has looked, before it writes @default - those of this machine
 * @throws InvalidInput with every problem of the settings
 * @example
 * const router = route53({
 *   hostedZoneId: 'Z1D633PJN98FT9',
 *   recordName: 'www.example.com',
 *   recordType: ['A', 'AAAA'],
 *   setIdentifiers: { blue: 'apps-blue', green: 'apps-green' },
 * });
 */
export function route53(
  settings: Route53Settings,
  clients?: AwsClients,
  clock: Clock = steadyClock(),
  clocks: LookClocks = machineClocks,
): AwsRouter {
  const problems = route53Problems(settings);
  if (problems.length > 0) {
    throw new InvalidInput('route53', problems);
  }
  const { region, roleArn } = settings;
  return new Route53Router(settings, clients ?? awsClients({ region, roleArn }), clock, clocks);
}

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

class Route53Router implements AwsRouter {
  public readonly name: string;
  public readonly id: string;
  public readonly subject: ShiftSubject;
  public readonly rights: readonly RightsStatement[];

  private readonly zone: RecordZone;
  private readonly records: WeightedRecords;

  public constructor(
    settings: Route53Settings,
    clients: AwsClients,
    private readonly clock: Clock,
    private readonly clocks: LookClocks,
  ) {
    const { recordName, setIdentifiers, region, roleArn } = settings;
    const zoneId = bareZoneId(settings);
    const types = [...typesOf(settings)].sort();
    this.records = { name: recordName, types, setIdentifiers };
    this.name = `Route 53 records ${plainName(recordName)} ${types.join(' and ')} in zone ${zoneId}`;
    this.id = `route53:${zoneId}:${plainName(recordName)}:${types.join('+')}`;
    this.zone = new RecordZone(this.name, zoneId, clients, clock);
    this.subject = {
      layer: 'names',
      slots: Object.fromEntries(Object.keys(setIdentifiers).map((slot) => [slot, {}])),
      ...(region !== undefined && { region }),
      ...(roleArn !== undefined && { roleArn }),
    };
    this.rights = route53Rights(settings);
  }

  public async read(signal?: AbortSignal): Promise<Weights> {
    return weightsOf(this.name, await this.look(signal));
  }

  public async write(weights: Weights, signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const wanted = fullWeights(Object.keys(this.records.setIdentifiers), weights);
    const { sets, change } = await this.submit(wanted, signal, expected);
    try {
      await (change && this.zone.follow(change, signal));
    } catch (error) {
      // The change is made: an abort ends the wait alone.
      if (!(error instanceof AwsError && error.failure.kind === 'cancelled')) {
        throw routerError(error, wanted);
      }
    }
    await this.clock.sleep(longestTtl(sets) * 1_000, signal);
  }

  public async describe(signal?: AbortSignal): Promise<RouterDescription> {
    return descriptionOf(this.name, await this.look(signal));
  }

  public async leastWait(signal?: AbortSignal): Promise<LeastWait> {
    const seconds = longestTtl(await this.sets(signal));
    const because = `resolvers keep an answer for ${seconds} s (TTL), which every write waits for`;
    return { milliseconds: 0, writeMilliseconds: seconds * 1_000, because: seconds > 0 ? [because] : [] };
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
        clocks: this.clocks,
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

  private async look(signal?: AbortSignal): Promise<Reading> {
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
