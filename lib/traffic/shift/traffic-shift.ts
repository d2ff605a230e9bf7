import { arnParts } from '../../aws';
import type { ShiftRunner } from './arguments';
import type { RuleReading } from './drift';
import { drifted, driftError, driftNote, leftOverNotes } from './drift';
import { HookRefusal } from '../../bridge';
import type { InterruptSource } from './interrupts';
import { watchInterrupts } from './interrupts';
import { listenerOf } from './live-rules';
import { outcomeError } from './outcome-error';
import type { ShiftParts, Surroundings } from './parts';
import { previewLines } from './preview-lines';
import { previewSchedule } from './preview-shift';
import type { ShiftLog } from './progress';
import { observerOf } from './progress';
import { waitUntilReady } from './readiness';
import { replacementRefusal } from './replacement';
import type { DueRule, NewRule, RuleShift } from './rule-shift';
import { prepareShift, runPrepared } from './run-rule-shift';
import { shownWeights } from './shown-weights';

/** What a shift of a program is made with. */
export interface TrafficShiftOptions {
  /** What is shifted, when it is known. */
  readonly shift: () => Promise<RuleShift>;
  readonly roleArn: string | undefined;
  readonly parts: ShiftParts;
  readonly log: ShiftLog;
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
  private last: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>());
  private previewed: Promise<void> | undefined;

  public constructor(private readonly options: TrafficShiftOptions) {}

  /**
   * Before a rule's update: shifts the traffic to the wanted weights.
   *
   * @throws HookRefusal where the traffic is not there in the end
   */
  public async beforeUpdate(due: DueRule): Promise<void> {
    this.asked = true;
    await this.run(due);
  }

  /**
   * Before a rule is created: the rules that move with it are shifted first, and the slots that it gives traffic to are
   * ready.
   *
   * @throws HookRefusal where it would take traffic to where it is not wanted yet
   */
  public async beforeCreate(rule: NewRule): Promise<void> {
    this.asked = true;
    const shift = await this.options.shift();
    await this.within(rule.listenerArn, async (around) => {
      const refusal = await replacementRefusal(shift, rule, around.live);
      if (refusal !== undefined) {
        throw new HookRefusal(refusal);
      }
    });
    await this.run(rule);
    await this.within(rule.listenerArn, (around) =>
      this.interruptible((signal) => waitUntilReady(shift, rule, around, this.options.log, signal)),
    );
  }

  /** In a preview, of a rule that is to be updated: says what up would do, once for all rules. */
  public preview(due: DueRule): Promise<void> {
    this.asked = true;
    this.previewed ??= this.sayPlan(due);
    return this.previewed;
  }

  /**
   * Compares live weights with the wanted ones, once the engine has all rules as the program wants them.
   *
   * @throws HookRefusal where they differ although no update is due, unless somebody else runs the shift
   */
  public async verify(
    ruleArns: readonly string[],
    { runBy, inPreview }: { readonly runBy: ShiftRunner; readonly inPreview: boolean },
  ): Promise<void> {
    const [anyArn] = ruleArns;
    if (anyArn === undefined || (inPreview && this.asked)) {
      return;
    }
    const { what, wanted, rules } = await this.options.shift();
    const readings = await this.within(anyArn, ({ live }) => readRules(ruleArns, rules, live));
    leftOverNotes(what, readings, runBy).forEach((note) => this.options.log.warn(note));
    const off = drifted(wanted, readings);
    if (off.length === 0) {
      return;
    }
    const unnamed = off.some(({ weights }) => Object.keys(weights).some((slot) => !(slot in wanted)));
    if (runBy === 'pulumi' || unnamed) {
      throw new HookRefusal(driftError(what, wanted, off, runBy));
    }
    this.options.log.info(driftNote(what, wanted, off, runBy));
  }

  private run(due: DueRule | NewRule): Promise<unknown> {
    this.last = this.last.then(async (covered) => {
      if (!('ruleArn' in due)) {
        return covered.size > 0 ? covered : new Set(await this.runNow(due));
      }
      return covered.has(due.ruleArn)
        ? covered
        : new Set([...covered, ...(await this.runNow(due, covered.size > 0))]);
    });
    return this.last;
  }

  /** @param alone whether the rules that move with it were shifted already, without it */
  private async runNow(due: DueRule | NewRule, alone = false): Promise<readonly string[]> {
    const { log } = this.options;
    const shift = await this.options.shift();
    return this.within(due.listenerArn, (around) =>
      this.interruptible(async (signal) => {
        const rules = alone ? shift.rules.filter(({ tag }) => tag === due.tag) : shift.rules;
        const prepared = await prepareShift({ ...shift, rules }, due, around, signal);
        if (!prepared) {
          return [];
        }
        const outcome = await runPrepared(shift, prepared, around, {
          signal,
          observer: observerOf(log),
        });
        if (outcome.verdict !== 'completed') {
          throw outcomeError(shift.what, outcome);
        }
        return prepared.ruleArns;
      }),
    );
  }

  private async sayPlan(due: DueRule): Promise<void> {
    const { log } = this.options;
    const shift = await this.options.shift();
    try {
      const found = await this.within(due.listenerArn, (around) => previewSchedule(shift, due, around));
      if (found && found.steps.length > 0) {
        const { info, warnings } = previewLines(shift.what, found);
        log.info(info);
        warnings.forEach((warning) => log.warn(warning));
      }
    } catch (error) {
      log.warn(`${shift.what}: it is not known what up would do to the traffic: ${(error as Error).message}`);
    }
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
  private async within<T>(arn: string, task: (around: Surroundings) => Promise<T>): Promise<T> {
    const { parts, roleArn } = this.options;
    const region = arnParts(arn)?.region ?? '';
    const clients = parts.clients({ region, ...(roleArn !== undefined && { roleArn }) });
    try {
      return await task({ parts, clients, live: parts.rules(clients) });
    } finally {
      clients.close();
    }
  }
}

async function readRules(
  ruleArns: readonly string[],
  wanted: RuleShift['rules'],
  live: Surroundings['live'],
): Promise<readonly RuleReading[]> {
  const listeners = new Set(ruleArns.map(listenerOf));
  const standing = (await Promise.all([...listeners].map((listener) => live.onListener(listener)))).flat();
  return ruleArns.flatMap((arn, index) => {
    const rule = standing.find((each) => each.arn === arn);
    const arns = wanted[index]?.targetGroupArns;
    if (!rule || !arns) {
      return [];
    }
    const own = new Set(Object.values(arns));
    const leftOver = rule.targets
      .filter(({ arn: target, weight }) => target !== undefined && weight === 0 && !own.has(target))
      .map(({ arn: target }) => target!);
    return [{ name: `rule ${arn}`, weights: shownWeights(rule.targets, arns), leftOver }];
  });
}
