import { parseArn } from '../../../core/aws/arns';
import type { KeptWindow } from '../../../operate/argocd';
import {
  combinedObserver,
  endSentence,
  failedChecks,
  formatResult,
  formatWeights,
  settingsBack,
} from '../../../shift/engine';
import type { ShiftOutcome } from '../../../shift/engine';
import { keepShifts, keptLines } from '../../../shift/history';
import { HookError, watchInterrupts } from '../../hooks';
import type { InterruptSource } from '../../hooks';
import { withSyncWindow, withTrafficLabels } from '../argocd';
import type { KnownTrafficLabels } from '../argocd';
import type { ShiftDependencies, SplitEnvironment } from './dependencies';
import { previewLines, previewSchedule } from './preview';
import { placedLease, withNotifier } from './notify';
import { observerOf } from './progress';
import type { ShiftLog } from './progress';
import { waitUntilReady } from './readiness';
import { prepareShift, runPrepared } from './run';
import type { PreparedShift } from './run';
import type { ShiftRunner } from './shift-args';
import type {
  PendingUpdate,
  HookedResource,
  NewSplit,
  SplitEvent,
  SplitKind,
  SplitShift,
} from './split-kind';
import { replacementRefusal, verifyWeights } from './verify';

/** Five seconds after an interrupt the engine kills the program, and the shift may have taken three. In milliseconds. */
const interruptedKeepMs = 1_500;

/**
 * What `pulumi up` fails with after a shift that did not complete: what happened, which checks failed with which figures,
 * where the traffic is, and what to do.
 *
 * @param what was shifted: `FleetTraffic "apps"`
 */
function outcomeError(what: string, outcome: ShiftOutcome): HookError {
  const { verdict, reason, final, from, to } = outcome;
  const lines = [
    endSentence(what, verdict),
    ...(reason.trim() === '' ? [] : [reason.trim()]),
    ...failedChecks(outcome).map((check) => `Check failed: ${formatResult(check)}`),
    `Live weights: ${final ? formatWeights(final) : 'not read'}; before the shift: ${from ? formatWeights(from) : 'not read'}; wanted: ${formatWeights(to)}.`,
    "Pulumi's state keeps the old weights: the next up shows the difference again and goes on from the live weights.",
  ];
  return new HookError(lines.join('\n'));
}

/** What a shift of a program is made with. */
export interface TrafficShiftOptions {
  /** What is shifted, when it is known. */
  readonly shift: () => Promise<SplitShift>;
  readonly kind: SplitKind;
  /** Region of what has none in its name: records. @default - the credentials' own */
  readonly region?: string;
  readonly roleArn: string | undefined;
  readonly parts: ShiftDependencies;
  readonly log: ShiftLog;
  /** The hubs that are told what part each slot has, when they are known. @default - none */
  readonly labels?: () => Promise<KnownTrafficLabels | undefined>;
  /** The sync window that is kept, when it is known. @default - none */
  readonly window?: () => Promise<KeptWindow | undefined>;
  /** @default - this process */
  readonly interrupts?: InterruptSource;
}

/**
 * The shift of a program's rules that move together. The hook of every rule asks for it; it runs once, and all of them get
 * the same answer.
 */
export class TrafficShift {
  /** Whether a hook has been called: then an update is due, or was. */
  public asked = false;
  /** Whether a shift has ended at the wanted weights, and has told every hub. */
  public hubsTold = false;
  /** Whether a shift has run. */
  public hasRun = false;
  private last: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>());
  private previewed: Promise<void> | undefined;
  /** What Pulumi's state says of rules that hooks were called for. Of a rule of several resources each says its part. */
  private readonly before = new Map<string, Map<string, number>>();
  private readonly ready = new Map<string, Promise<void>>();
  /** Rules of several resources of which none was there, by their tags: they are made as they are wanted. */
  private readonly startedEmpty = new Map<string, Promise<boolean>>();

  public constructor(private readonly options: TrafficShiftOptions) {}

  /**
   * Before a rule's update: shifts the traffic to the wanted weights.
   *
   * @throws HookError where the traffic is not there in the end
   */
  public async beforeUpdate(due: PendingUpdate): Promise<void> {
    this.asked = true;
    this.before.set(due.id, new Map([...(this.before.get(due.id) ?? []), ...(due.before ?? [])]));
    await this.run(due);
  }

  /**
   * Before a rule is created: the rules that move with it are shifted first, and the slots that it gives traffic to are
   * ready.
   *
   * @throws HookError where it would take traffic to where it is not wanted yet
   */
  public async beforeCreate(rule: NewSplit, resource?: HookedResource): Promise<void> {
    this.asked = true;
    const shift = await this.shift();
    await this.within(rule.place, ({ live }) => refuseReplacement(shift, rule, live));
    await this.refuse('create', rule, resource);
    await this.startsEmpty(rule);
    const covered = await this.run(rule);
    if (rule.partOf === undefined || !covered.has(rule.partOf)) {
      await this.untilReady(shift, rule);
    }
  }

  /**
   * Before a rule is created whose shift somebody else runs. Its weights are left alone in updates, but a rule that takes
   * another one's place is written at the wanted weights.
   *
   * @throws HookError where these are not live
   */
  public async beforeCreateByOthers(rule: NewSplit, resource?: HookedResource): Promise<void> {
    const shift = await this.shift();
    await this.within(rule.place, ({ live }) => refuseReplacement(shift, rule, live));
    await this.refuse('createByOthers', rule, resource);
  }

  /**
   * Before an update whose shift somebody else runs: it leaves the weights alone, where the provider can.
   *
   * @throws HookError where it would write others than the live ones
   */
  public async beforeUpdateByOthers(due: PendingUpdate, resource: HookedResource): Promise<void> {
    await this.refuse('updateByOthers', due, resource);
  }

  /** In a preview, of a rule that is to be updated or created: says what up would do, once for all rules. */
  public preview(due: PendingUpdate | NewSplit): Promise<void> {
    this.asked = true;
    this.previewed ??= this.sayPlan(due);
    return this.previewed;
  }

  /**
   * Compares live weights with the wanted ones, once the engine has all rules as the program wants them.
   *
   * @param ids in the order of the rules; a preview does not know those that it would make
   * @throws HookError where they differ although no update is due, unless somebody else runs the shift
   */
  public async verify(
    ids: readonly (string | undefined)[],
    { runBy, inPreview }: { readonly runBy: ShiftRunner; readonly inPreview: boolean },
  ): Promise<void> {
    const { kind, log } = this.options;
    const anyId = ids.find((id) => id !== undefined);
    if (anyId === undefined || (inPreview && this.asked)) {
      return;
    }
    const shift = await this.shift();
    await this.within(kind.placeOf(anyId), (around) =>
      verifyWeights(shift, ids, { runBy, inPreview }, around, log),
    );
  }

  private run(due: PendingUpdate | NewSplit): Promise<ReadonlySet<string>> {
    this.last = this.last.then(async (covered) => {
      if (!('id' in due)) {
        return covered.size > 0 ? covered : new Set(await this.runNow(due));
      }
      return covered.has(due.id)
        ? covered
        : new Set([...covered, ...(await this.runNow(due, covered.size > 0))]);
    });
    return this.last;
  }

  /** @param alone whether the rules that move with it were shifted already, without it */
  private async runNow(due: PendingUpdate | NewSplit, alone = false): Promise<readonly string[]> {
    const { log } = this.options;
    const shift = await this.shift();
    const known = 'id' in due ? { ...due, before: this.before.get(due.id) } : due;
    return this.within(due.place, (around) =>
      this.interruptible(async (signal) => {
        const empty = await this.emptyTags();
        const rules = shift.rules.filter(({ tag }) => (alone ? tag === due.tag : !empty.has(tag)));
        const prepared = await prepareShift({ ...shift, rules }, known, around, signal);
        if (!prepared) {
          return [];
        }
        const labels = await this.options.labels?.();
        const window = await this.options.window?.();
        const warn = (line: string): void => log.warn(line);
        this.hasRun = true;
        const { outcome, told } = await withTrafficLabels(labels, warn, (watch) =>
          withSyncWindow(window, warn, (watched) =>
            withNotifier(this.notifierOf(shift, prepared), warn, signal, (observers) =>
              runPrepared(shift, prepared, around, {
                signal,
                observer: watch(combinedObserver([observerOf(log), ...observers])),
                around: watched,
              }),
            ),
          ),
        );
        this.hubsTold = told && outcome.verdict === 'completed';
        await this.keep(shift, prepared, outcome, signal);
        if (outcome.capacityProblem !== undefined) {
          log.warn(`${shift.what}: ${outcome.capacityProblem}`);
        }
        if (outcome.verdict !== 'completed') {
          throw outcomeError(shift.what, outcome);
        }
        return prepared.members.map(({ rule }) => rule.id);
      }),
    );
  }

  /** What can't be kept is a warning: it says nothing about the traffic. */
  private async keep(
    { history, what, holder }: SplitShift,
    { routers }: PreparedShift,
    outcome: ShiftOutcome,
    { aborted }: AbortSignal,
  ): Promise<void> {
    const [routerId = what] = routers.map(({ id }) => id).sort();
    const kept =
      history &&
      (await keepShifts(history, [{ route: what, routerId, outcome }], {
        plan: holder,
        base: '.',
        ...(aborted && { timeoutMs: interruptedKeepMs }),
      }));
    for (const line of kept ? keptLines(kept) : []) {
      this.options.log[kept?.problem === undefined ? 'info' : 'warn'](line);
    }
  }

  private notifierOf(
    { notify, lease }: SplitShift,
    { routers }: PreparedShift,
  ): Parameters<typeof withNotifier>[0] {
    const placed = placedLease(
      lease,
      routers.map(({ id }) => id),
    );
    return notify && { route: notify.route, open: () => this.options.parts.notifier(notify, placed) };
  }

  private async sayPlan(due: PendingUpdate | NewSplit): Promise<void> {
    const { log } = this.options;
    const shift = await this.shift();
    try {
      const found = await this.within(due.place, (around) => previewSchedule(shift, due, around));
      if (found && (found.leastMs > 0 || found.notes.length > 0)) {
        const { info, warnings } = previewLines(shift.what, found);
        log.info(info);
        warnings.forEach((warning) => log.warn(warning));
      }
    } catch (error) {
      log.warn(`${shift.what}: it is not known what up would do to the traffic: ${(error as Error).message}`);
    }
  }

  /** Looks at the first of a rule's resources: once it is made, the rule is there in part. */
  private startsEmpty({ tag, place, partOf }: NewSplit): Promise<boolean> {
    const known =
      this.startedEmpty.get(tag) ??
      (partOf === undefined
        ? Promise.resolve(false)
        : this.within(place, async ({ live }) => (await live.at(place)).every(({ id }) => id !== partOf)));
    this.startedEmpty.set(tag, known);
    return known;
  }

  private async emptyTags(): Promise<ReadonlySet<string>> {
    const all = await Promise.all(
      [...this.startedEmpty].map(async ([tag, isEmpty]) => ((await isEmpty) ? [tag] : [])),
    );
    return new Set(all.flat());
  }

  /** Once for each rule, whatever number of resources it is. */
  private untilReady(shift: SplitShift, rule: NewSplit): Promise<void> {
    const known =
      this.ready.get(rule.tag) ??
      this.within(rule.place, (around) =>
        this.interruptible((signal) => waitUntilReady(shift, rule, around, this.options.log, signal)),
      );
    this.ready.set(rule.tag, known);
    return known;
  }

  private async refuse(deed: SplitEvent, { place }: NewSplit, resource?: HookedResource): Promise<void> {
    const { kind, shift } = this.options;
    const why =
      kind.refusal && resource
        ? await this.within(place, ({ clients }) => kind.refusal!(deed, resource, clients))
        : undefined;
    if (why !== undefined) {
      throw new HookError(`${(await shift()).what}: ${why}`);
    }
  }

  private async shift(): Promise<SplitShift> {
    const shift = await this.options.shift();
    const { settings, wanted } = shift;
    return this.options.parts.takesBack() ? { ...shift, settings: settingsBack(settings, wanted) } : shift;
  }

  private async interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const interrupts = watchInterrupts(this.options.interrupts);
    try {
      return await task(interrupts.signal);
    } finally {
      interrupts.stop();
    }
  }

  /** Works with AWS in the region of an ARN. */
  private async within<T>(place: string, task: (around: SplitEnvironment) => Promise<T>): Promise<T> {
    const { kind, parts, roleArn } = this.options;
    const region = parseArn(place)?.region ?? this.options.region;
    const clients = parts.clients({
      ...(region !== undefined && { region }),
      ...(roleArn !== undefined && { roleArn }),
    });
    try {
      return await task({ parts, clients, live: parts.rules(kind, clients) });
    } finally {
      clients.close();
    }
  }
}

async function refuseReplacement(
  shift: SplitShift,
  rule: NewSplit,
  live: SplitEnvironment['live'],
): Promise<void> {
  const refusal = await replacementRefusal(shift, rule, live);
  if (refusal !== undefined) {
    throw new HookError(refusal);
  }
}
