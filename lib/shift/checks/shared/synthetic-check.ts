import { InvalidInput, Problems } from '../../../core/validation/problems';
import { SourceError, formatRoundedDuration } from '../../engine';
import type { Check, CheckWindow, SlotPreview } from '../../engine';
import { comparisonCheck, evaluateBoth, probedSlots, shiftStart, withoutOwn } from '../../evaluation';
import type { ComparisonCheckSettings, CountAnswer, CountSource, SlotCount } from '../../evaluation';
import { pairsOfRound, probeRound, resolvePreview } from '../../probes';
import type { ResolvedPreview } from '../../probes';
import type { CheckContext } from '../check-context';
import { metricDefaults } from './metric-settings';
import type { SyntheticSettings } from './synthetic-settings';

/** A comparison, and how it is made sure of where hardly a visitor comes. */
export interface ComparedBothWays {
  /** Counts of visitors' requests. */
  readonly source: CountSource;
  readonly comparison: ComparisonCheckSettings & { readonly historyMs?: number };
  /** The shift's own requests. @default - none are sent */
  readonly synthetic?: SyntheticSettings | undefined;
}

/**
 * A comparison of visitors' requests and, where the settings say so, of the shift's own. Each call sends one round of them. What
 * they found is kept as long as this process runs; a run that goes on with a shift measures anew.
 *
 * @throws InvalidInput where own requests are wanted and a slot has no preview
 */
export function bothWaysCheck(name: string, given: ComparedBothWays, context: CheckContext): Check {
  const { source, comparison, synthetic } = given;
  const plain = comparisonCheck(name, source, comparison);
  if (synthetic === undefined) {
    return plain;
  }
  const previews = previewsOf(context);
  const pairs: SlotCount[] = [];
  let sent = 0;
  const sendRound = async (slots: readonly string[], signal?: AbortSignal): Promise<readonly string[]> => {
    const resolved: [string, ResolvedPreview][] = [];
    for (const slot of slots) {
      const preview = previews[slot];
      if (preview) {
        resolved.push([slot, await resolvePreview(preview, context)]);
      }
    }
    const { sendProbe: send, clock, ownRequests: own } = context;
    const tools = { send, clock, own };
    const round = await probeRound(Object.fromEntries(resolved), synthetic, tools, sent, signal);
    pairs.push(...round.counts);
    sent += pairsOfRound(synthetic);
    return round.unsent;
  };
  const visitors = (window: CheckWindow, signal?: AbortSignal): Promise<CountAnswer> =>
    source.counts(shiftStart(window) - (comparison.historyMs ?? metricDefaults.historyMs), window.to, signal);
  return {
    ...plain,
    stages: ['before', 'after'],
    sends: sendsText(Object.keys(previews), synthetic),
    evaluate: async (window, signal) => {
      const slots = probedSlots(window);
      if (window.stage === 'before' && (window.writes.length > 0 || slots.length === 0)) {
        return { status: 'pass', reason: 'synthetic requests come before the first step', figures: [] };
      }
      if (slots.length === 0) {
        return plain.evaluate(window, signal);
      }
      const isAfter = window.stage === 'after';
      const [round, known] = await Promise.allSettled([
        sendRound(slots, signal),
        isAfter ? visitors(window, signal) : undefined,
      ]);
      signal?.throwIfAborted();
      const counts = known.status === 'fulfilled' ? known.value : undefined;
      const evidence = { pairs, pairsBefore: synthetic.pairsBefore };
      const result = evaluateBoth(window, counts, evidence, comparison);
      const [failed] = [round, known].flatMap((each) => (each.status === 'rejected' ? [each] : []));
      if (failed && result.status !== 'fail') {
        throw failed.reason;
      }
      const unsent = round.status === 'fulfilled' ? round.value : [];
      const lost = unsent.map((line) => `synthetic: ${line}`);
      if (lost.length > 0 && result.status !== 'fail') {
        throw new SourceError(lost.join('; '));
      }
      const reason = [result.reason, ...lost].join('; ');
      return { ...result, reason, figures: [...result.figures, ...(counts?.advisory ?? [])] };
    },
  };
}

function previewsOf({ subject }: CheckContext): Readonly<Record<string, SlotPreview>> {
  const problems = new Problems('what is shifted');
  const previews = Object.entries(subject.slots).flatMap(([slot, { preview }]) => {
    if (preview === undefined) {
      problems.add(
        `slots.${slot}.preview`,
        preview,
        `what leads to ${slot} alone (slots.${slot}.preview): synthetic requests go there`,
      );
    }
    return preview === undefined ? [] : [[slot, preview] as const];
  });
  if (problems.all.length > 0) {
    throw new InvalidInput('what is shifted', problems.all);
  }
  return Object.fromEntries(previews);
}

function sendsText(slots: readonly string[], { rate, paths, pairsBefore }: SyntheticSettings): string {
  const before = formatRoundedDuration((pairsBefore / rate) * 1_000);
  return (
    `synthetic requests, ${rate} a second to each of ${slots.join(', ')} by its preview: GET ${paths.join(', ')}; ` +
    `${before} before the first percent, then at each look`
  );
}

/** Fewer own requests say nothing of whether a source counts them. */
const fewestCounted = 30;

/** So much of the own requests a source has at least, if it counts them. */
const countedShare = 0.8;

/**
 * The source without the shift's own requests. Figures from before the first of them are left out, since nobody knows what an
 * earlier run of the shift has sent.
 *
 * @param isCounted whether the source counts own requests, asked at each look
 * @throws SourceError, of its `counts`, where the source does not have the own requests
 */
export function visitorsOf(
  source: CountSource,
  { ownRequests }: CheckContext,
  isCounted: () => boolean = () => true,
): CountSource {
  return {
    counts: async (from, to, signal) => {
      const known = await source.counts(from, to, signal);
      const { since, all } = ownRequests;
      if (all.length === 0 || !isCounted()) {
        return known;
      }
      if (since === undefined) {
        // A few of another check: too few to make figures from before useless.
        return { ...known, counts: withoutOwn(known.counts, all, known.periodMs) };
      }
      const counts = known.counts.filter(({ at }) => at >= since);
      refuseUncounted({ ...known, counts }, all, since);
      return { ...known, counts: withoutOwn(counts, all, known.periodMs) };
    },
  };
}

/** Own requests that a slot has answered stand in its figures; else its preview leads elsewhere. */
function refuseUncounted(
  { counts, until, periodMs }: CountAnswer,
  own: readonly SlotCount[],
  since: number,
): void {
  // The newest period may still lack figures, and at both ends a request may be counted beyond.
  const [from, to] = [Math.ceil(since / periodMs + 1) * periodMs, until - 2 * periodMs];
  const sum = (of: readonly SlotCount[], slot: string): number =>
    of
      .filter((each) => each.slot === slot && each.at >= from && each.at < to)
      .reduce((total, { requests }) => total + requests, 0);
  for (const slot of new Set(own.map((each) => each.slot))) {
    const answered = own.filter(({ errors }) => errors === 0);
    const [sent, found] = [sum(answered, slot), sum(counts, slot)];
    if (sent >= fewestCounted && found < countedShare * sent) {
      throw new SourceError(
        `the figures have ${Math.round(found)} requests of ${slot} in a time in which ${sent} synthetic ones were ` +
          'answered: its preview leads elsewhere, or the figures leave such requests out',
      );
    }
  }
}
