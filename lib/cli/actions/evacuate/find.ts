import { sleep } from '../../../core/async';
import type { Clock } from '../../../core/async';
import type { AwsClients } from '../../../core/aws/clients';
import { InvalidInput, Problems, errorLine } from '../../../core/validation/problems';
import { emergencyClients, openEvacuation } from '../../../shift/evacuate';
import type { EvacuationSubject, OpenEvacuation } from '../../../shift/evacuate';
import { readPlan } from '../../../shift/plan-file';
import { chosenRoutes } from '../shift/flags';
import type { EvacuateFlags } from './flags';

/** The slot to evacuate, and its routes. */
export interface Found {
  /** Name of the slot in the routes. */
  readonly slot: string;
  readonly opened: OpenEvacuation;
  /** What leads to the slot and can't be written, a line each. */
  readonly problems: readonly string[];
}

/** What leads to a slot, of a plan file or found by tags and set identifiers. */
export class Search {
  /** DNS records of the slot; their search takes longer than that of rules, so it begins by itself. */
  public records: Promise<Found> | undefined;
  private readonly clients: AwsClients;
  private readonly isOver = new AbortController();
  private readonly toClose: (() => void)[] = [];
  private readonly planned: (EvacuationSubject & { readonly slot: string }) | undefined;

  /** @throws InvalidInput for a plan that has problems, or no such slot */
  public constructor(
    private readonly given: string,
    private readonly flags: EvacuateFlags,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {
    this.planned = flags.plan === undefined ? undefined : ofPlan(given, flags.plan, flags);
    this.clients = emergencyClients(flags.region === undefined ? {} : { region: flags.region });
    signal.addEventListener('abort', () => this.isOver.abort(signal.reason));
  }

  /**
   * Routes of a plan, or rules and listeners.
   *
   * @throws InvalidInput where there is no such slot
   * @throws AwsError
   */
  public async find(): Promise<Found> {
    if (this.planned) {
      const { slot, ...subject } = this.planned;
      return this.open(slot, subject, []);
    }
    const { slotRoutes } = await import('../../../operate/live-traffic');
    const { given, flags } = this;
    let found: Awaited<ReturnType<typeof slotRoutes>>;
    try {
      found = await slotRoutes(this.clients, given, flags.fleet, this.signal);
    } catch (error) {
      const others = error instanceof InvalidInput ? await this.recordsAlone() : undefined;
      if (!others) {
        throw error;
      }
      return others;
    }
    const { routes, problems, ...identity } = found;
    if (flags.records !== false) {
      this.records ??= this.findRecords(identity);
    }
    return this.open(identity.slot, { routes }, problems);
  }

  /** Records of a slot that has no target group: its fleet has to be named. */
  private async recordsAlone(): Promise<Found | undefined> {
    const { given, flags } = this;
    if (flags.fleet === undefined || flags.records === false) {
      return undefined;
    }
    const slot = given.startsWith(`${flags.fleet}-`) ? given.slice(flags.fleet.length + 1) : given;
    this.records ??= this.findRecords({ fleet: flags.fleet, slot, targetGroups: {} });
    const { opened, problems } = await this.records;
    return opened.routes.length === 0 && problems.length === 0
      ? undefined
      : this.open(slot, { routes: {} }, []);
  }

  private async findRecords({
    targetGroups,
    ...identity
  }: {
    readonly fleet: string;
    readonly slot: string;
    readonly targetGroups: Readonly<Record<string, readonly string[]>>;
  }): Promise<Found> {
    const { hostedZone } = this.flags;
    const { slot } = identity;
    try {
      const { slotRecordRoutes } = await import('../../../operate/live-traffic');
      const { routes, problems } = await slotRecordRoutes(this.clients, identity, {
        clock: this.clock,
        signal: this.isOver.signal,
        ...(hostedZone && { hostedZoneIds: hostedZone }),
      });
      return await this.open(slot, { routes, targetGroups }, problems);
    } catch (error) {
      const why = `records of ${slot} could not be looked for: ${errorLine(error)}; --no-records leaves them out`;
      return this.open(slot, { routes: {} }, [why]);
    }
  }

  /** The records, if they are found in time. */
  public async recordsWithin(milliseconds: number): Promise<Found | undefined> {
    const over = new AbortController();
    const late = sleep(milliseconds, over.signal).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await Promise.race([this.records, late]);
    } finally {
      over.abort();
    }
  }

  /** Ends what is under way, and closes all connections. */
  public close(): void {
    this.isOver.abort(new Error('the search is over'));
    this.toClose.forEach((each) => each());
    this.clients.close();
  }

  private async open(slot: string, subject: EvacuationSubject, problems: readonly string[]): Promise<Found> {
    const opened = await openEvacuation(subject, this.planned ? undefined : this.clients);
    this.toClose.push(() => opened.close());
    return { slot, opened, problems };
  }
}

function ofPlan(
  given: string,
  file: string,
  { route, to }: Pick<EvacuateFlags, 'route' | 'to'>,
): EvacuationSubject & { readonly slot: string } {
  const plan = chosenRoutes(readPlan(file), route);
  const problems = new Problems('evacuate');
  if (!plan.slots.includes(given)) {
    problems.add('slot', given, `a slot of ${file}: ${plan.slots.join(', ')}`);
  }
  const others = plan.slots.filter((slot) => slot !== given);
  if (to !== undefined && !others.includes(to)) {
    problems.add('--to', to, `another slot of ${file}: ${others.join(', ')}`);
  }
  problems.throwIfAny();
  const { routes, lease, capacity } = plan;
  return {
    slot: given,
    routes,
    instance: file,
    ...(lease !== undefined && { lease }),
    ...(capacity && { capacity }),
  };
}
