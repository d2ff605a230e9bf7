import type { AwsClients } from '../../core/aws/clients';
import { AwsError } from '../../core/aws/errors';
import type { AllowStatement } from '../../core/aws/iam';
import { partitionOf } from '../../core/aws/partitions';
import { refuseArguments } from '../../core/validation/arguments';
import { object } from '../../core/validation/collections';
import type { Lease, LeaseContent, LeaseLook } from '../engine';
import {
  currentHolder,
  leaseName,
  leaseOptionEntries,
  leaseSeized,
  leaseTaken,
  leaseText,
  readLease,
  someone,
  leaseDefaults,
} from './document';
import type { LeaseDocument, LeaseOptions } from './document';
import type { RecordKind } from './record-kind';
import { shiftRecords } from './shift-records';
import { SsmParameters } from './ssm-parameters';
import { joinParts, partName, splitDocument } from './ssm-parts';
import type { StoredPart } from './ssm-parts';

/** Folder of the parameters. */
const folder = '/cluster-canary/leases';

/** Name of the parameter that is the lease of a router. */
export function ssmLeaseParameter(routerId: string): string {
  return `${folder}/${leaseName(routerId)}`;
}

/**
 * The least rights that {@link ssmLease} needs.
 *
 * @param place region and account of the parameter; any, where they are not known
 */
export function ssmLeasePermissions(
  routerId: string,
  { region, account }: { readonly region?: string; readonly account?: string } = {},
): readonly AllowStatement[] {
  const parameter = `parameter${ssmLeaseParameter(routerId)}`;
  return [
    {
      Sid: 'HoldLease',
      Effect: 'Allow',
      Action: ['ssm:GetParameter', 'ssm:PutParameter'],
      // A record that is too long for one parameter goes on in others: `NAME-2` and so on.
      Resource: [`arn:${partitionOf(region).id}:ssm:${region ?? '*'}:${account ?? '*'}:${parameter}*`],
    },
  ];
}

const leaseOptions = object<LeaseOptions>(leaseOptionEntries);

/**
 * A lease that is a parameter of AWS Systems Manager.
 *
 * It is taken by creating the parameter, of two that try at once SSM lets one. One that is free or has expired is taken over
 * by overwriting it: SSM counts versions, so each writer sees whether somebody wrote between its look and its write. The
 * first has the lease; a later one puts back what it overwrote, and gives up. The parameter is never deleted: AWS asks to
 * wait 30 seconds before a deleted one is created again, and the record of a shift that has ended is history.
 *
 * A standard parameter holds 4 KB. What of the record is long goes on in further parameters then:
 * they are written first, and the lease names their versions, so that a kill between the writes leaves the record before.
 *
 * A race remains: between that overwriting and putting back, the first holder may look, take itself for the one who came
 * too late, and stop. And a holder whose lease expires while it writes weights does not know it yet. Neither harms: every
 * write of weights comes after a look at the live ones, so of two shifts the second finds weights that are not its own, and
 * stops.
 *
 * @param routerId what is shifted: `id` of a router
 */
export function ssmLease(routerId: string, clients: AwsClients, options: LeaseOptions = {}): Lease {
  refuseArguments('ssmLease', leaseOptions, options);
  return ssmLeaseOf(shiftRecords, routerId, clients, options);
}

/**
 * The same lease for records of another kind.
 *
 * @param id of what only one at a time may change: another one for each kind of record
 */
export function ssmLeaseOf<R extends object>(
  kind: RecordKind<R>,
  id: string,
  clients: AwsClients,
  options: LeaseOptions,
): Lease<R> {
  return new SsmLease(kind, ssmLeaseParameter(id), clients, leaseDefaults(options));
}

interface Stored<R> {
  readonly version: number;
  readonly document: LeaseDocument<R>;
}

/** A version that was written a moment ago may not be there yet for another reader. */
const partTries = 3;

/** Milliseconds. */
const partPause = 1_000;

class SsmLease<R extends object> implements Lease<R> {
  public readonly name: string;
  public readonly durationMs: number;
  private record: R | undefined;
  /** What stood in the place of the record, until there is one. */
  private unreadable: unknown;
  /** The newest version that this holder knows of: a read may still answer with an older one. */
  private known: Stored<R> | undefined;
  /** The further parameters as this holder read or wrote them. */
  private parts: readonly StoredPart[] = [];
  /** Further parameters that could not be read, until there is another record. */
  private unreadIn: readonly number[] | undefined;
  private readonly parameters: SsmParameters;
  /** Version of the last look; 0 before it, and where there was none. */
  private looked = 0;

  public constructor(
    private readonly kind: RecordKind<R>,
    private readonly parameter: string,
    clients: AwsClients,
    private readonly options: Required<LeaseOptions>,
  ) {
    this.name = `SSM parameter ${parameter}`;
    this.parameters = new SsmParameters(this.name, clients);
    this.durationMs = options.duration;
  }

  public async acquire(signal?: AbortSignal): Promise<LeaseContent<R>> {
    const stored = (await this.read(signal)) ?? (await this.createOrRead(signal));
    if (!stored) {
      return {};
    }
    this.refuseOthers(stored);
    const { record, problem, unreadable, raisedIn } = await this.whole(stored.document, signal);
    this.record = record;
    this.unreadIn = raisedIn;
    this.unreadable = unreadable;
    await this.overwrite(this.mine(), stored.version, signal);
    return { ...(record && { record }), ...(problem !== undefined && { problem }) };
  }

  public async look(signal?: AbortSignal): Promise<LeaseLook<R>> {
    const { document, version = 0 } = (await this.read(signal)) ?? {};
    const { expiresAt, record, problem, raisedIn } = (document && (await this.whole(document, signal))) ?? {};
    this.looked = version;
    this.unreadIn = raisedIn;
    const holder = currentHolder(document, this.options.clock.now());
    return {
      ...(record && { record }),
      ...(problem !== undefined && { problem }),
      ...(holder !== undefined && { holder, expiresAt }),
    };
  }

  public async keep(record: R, signal?: AbortSignal): Promise<void> {
    const stored = await this.held(signal);
    // Whoever has deleted it may have deleted the further parameters, too.
    this.parts = stored ? this.parts : [];
    this.record = record;
    this.unreadIn = undefined;
    await this.overwrite(this.mine(), stored?.version ?? 0, signal);
  }

  public async release(record?: R, signal?: AbortSignal): Promise<void> {
    const stored = await this.newest(signal);
    if (stored?.document.holder !== this.options.holder) {
      return;
    }
    const left = record ?? this.record ?? stored.document.record;
    const document = {
      ...(record ? {} : { raisedIn: this.unreadIn }),
      ...{ expiresAt: 0, ...(left && { record: left }), unreadable: this.unreadable },
    };
    await this.overwrite(document, stored.version, signal);
  }

  public async seize(record: R, signal?: AbortSignal): Promise<R | undefined> {
    const { looked } = this;
    this.record = record;
    this.known = undefined;
    const { key } = this.kind.long;
    const isWhole = key === undefined || record[key] !== undefined;
    const raisedIn = isWhole ? undefined : this.unreadIn;
    const version = await this.put({ expiresAt: 0, record, ...(raisedIn && { raisedIn }) }, true, signal);
    this.looked = version;
    const over = version > 1 && version !== looked + 1 ? await this.read(signal, version - 1) : undefined;
    return over && (await this.whole(over.document, signal)).record;
  }

  /** @returns what somebody else has created meanwhile; undefined where this holder created it */
  private async createOrRead(signal?: AbortSignal): Promise<Stored<R> | undefined> {
    const fresh = this.mine();
    if (await this.create(fresh, signal)) {
      return undefined;
    }
    const stored = await this.read(signal);
    if (!stored) {
      // Somebody has deleted it between the two calls.
      await this.overwrite(fresh, 0, signal);
    }
    return stored;
  }

  /**
   * What is stored, if it is this holder's. A parameter that is gone is no reason to stop: somebody has cleaned up.
   *
   * @throws LeaseTaken where somebody else has taken it over, also if that one has gone since
   */
  private async held(signal?: AbortSignal): Promise<Stored<R> | undefined> {
    const stored = await this.newest(signal);
    if (stored && stored.document.holder !== this.options.holder) {
      const seized = leaseSeized(this.kind, this.name, stored.document.record);
      if (seized) {
        throw seized;
      }
      throw leaseTaken(this.kind, this.name, stored.document.holder ?? someone, stored.document.expiresAt);
    }
    return stored;
  }

  /** What is stored, as far as this holder knows: a read may still answer with an older version. */
  private async newest(signal?: AbortSignal): Promise<Stored<R> | undefined> {
    const read = await this.read(signal);
    return read && this.known && read.version < this.known.version ? this.known : read;
  }

  private refuseOthers({ document }: Stored<R>): void {
    const holder = currentHolder(document, this.options.clock.now());
    if (holder !== undefined && holder !== this.options.holder) {
      throw leaseTaken(this.kind, this.name, holder, document.expiresAt);
    }
  }

  private mine(): LeaseDocument<R> {
    const { holder, duration, clock } = this.options;
    return {
      holder,
      expiresAt: clock.now() + duration,
      ...(this.record && { record: this.record }),
      unreadable: this.unreadable,
      ...(this.unreadIn && { raisedIn: this.unreadIn }),
    };
  }

  /** Answers false if the parameter is there already. */
  private async create(document: LeaseDocument<R>, signal?: AbortSignal): Promise<boolean> {
    try {
      const version = await this.put(document, false, signal);
      this.known = { version, document };
      return true;
    } catch (error) {
      if (errorName(error) === 'ParameterAlreadyExists') {
        return false;
      }
      throw error;
    }
  }

  /**
   * Writes over the version that was read, and gives way to whoever wrote in between. A version of this holder in between
   * is a repeated call, whose first answer was lost.
   */
  private async overwrite(document: LeaseDocument<R>, read: number, signal?: AbortSignal): Promise<void> {
    const version = await this.put(document, true, signal);
    // Versions begin at 1 again after the parameter was deleted.
    const between = version > read + 1 ? read + 1 : version - 1;
    if (version !== read + 1 && between > 0) {
      const first = await this.read(signal, between);
      const holder = first?.document.holder;
      if (first && holder !== undefined && holder !== this.options.holder) {
        await this.put(first.document, true, signal);
        throw leaseTaken(this.kind, this.name, holder, first.document.expiresAt);
      }
      const seized = leaseSeized(
        this.kind,
        this.name,
        holder === undefined ? first?.document.record : undefined,
      );
      if (first && seized) {
        await this.put(first.document, true, signal);
        throw seized;
      }
    }
    this.known = { version, document };
  }

  private async put(document: LeaseDocument<R>, overwrite: boolean, signal?: AbortSignal): Promise<number> {
    const text = leaseText(this.kind, document);
    const split = splitDocument(this.kind, this.name, document, text);
    const value = split
      ? leaseText(this.kind, { ...split.document, raisedIn: await this.putParts(split.parts, signal) })
      : text;
    const { description } = this.kind;
    return this.parameters.put(this.parameter, value, overwrite, description, signal);
  }

  /** Writes the further parameters that say something else by now, and answers the versions of all. */
  private async putParts(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]> {
    const parts: StoredPart[] = [];
    for (const [index, text] of texts.entries()) {
      const known = this.parts[index];
      const name = partName(this.parameter, index);
      const version =
        known?.text === text ? known.version : await this.parameters.put(name, text, true, undefined, signal);
      parts.push({ text, version });
    }
    this.parts = parts;
    return parts.map(({ version }) => version);
  }

  /**
   * A document with what the further parameters hold of it. Where one is gone, the rest of the record counts all the same, and
   * their versions stay.
   */
  private async whole(document: LeaseDocument<R>, signal?: AbortSignal): Promise<LeaseDocument<R>> {
    const { raisedIn, record: rest, ...others } = document;
    const { long } = this.kind;
    if (!raisedIn || (long.key !== undefined && !rest)) {
      return document;
    }
    const found = await Promise.all(raisedIn.map((version, index) => this.readPart(index, version, signal)));
    const parts = found.flatMap((part) => part ?? []);
    const texts = parts.map(({ text }) => text);
    const record = parts.length === found.length ? joinParts(this.kind, rest, texts) : undefined;
    if (!record) {
      const names = raisedIn
        .map((version, index) => `${partName(this.parameter, index)}:${version}`)
        .join(', ');
      return {
        ...document,
        problem: `${long.read} can't be read: one of ${names} is gone or was changed`,
      };
    }
    this.parts = parts;
    return { ...others, record };
  }

  private async readPart(
    index: number,
    version: number,
    signal?: AbortSignal,
  ): Promise<StoredPart | undefined> {
    for (let tries = 1; ; tries += 1) {
      const value = await this.parameters.get(`${partName(this.parameter, index)}:${version}`, signal);
      if (value?.Value !== undefined || tries >= partTries) {
        return value?.Value === undefined ? undefined : { text: value.Value, version };
      }
      await this.options.clock.sleep(partPause, signal);
    }
  }

  /** The newest version, or a certain one; undefined if there is none. */
  private async read(signal?: AbortSignal, version?: number): Promise<Stored<R> | undefined> {
    const name = version === undefined ? this.parameter : `${this.parameter}:${version}`;
    const found = await this.parameters.get(name, signal);
    return found && { version: found.Version ?? 0, document: readLease(this.kind, this.name, found.Value) };
  }
}

function errorName(error: unknown): string | undefined {
  return error instanceof AwsError ? (error.cause as Error).name : undefined;
}
