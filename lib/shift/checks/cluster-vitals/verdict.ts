import { oneLine } from '../../../core/printable-text';
import { worstStatus } from '../../engine';
import type { CheckResult, CheckStatus, Figure } from '../../engine';
import { compareVital } from './compare';
import type { VitalBounds } from './compare';
import { missingBeside, missingLines } from './missing';
import { vitalKinds, vitals } from './vitals';
import type { ClusterVitals, CountedVital, UntriedVital, VitalCount } from './vitals';

/** A slot with what is known of its cluster. */
export interface SlotVitals {
  /** `green` */
  readonly slot: string;
  /** What is known of its cluster. */
  readonly vitals: ClusterVitals;
}

/** The old slots together. */
export interface OldVitals {
  /** `blue` */
  readonly name: string;
  /** Undefined where the cluster does not answer: then absolute limits count alone. */
  readonly vitals: ClusterVitals | undefined;
  /** Why it does not answer. */
  readonly why?: string;
}

interface Finding {
  readonly status: CheckStatus;
  readonly line: string;
}

/** A new slot's cluster beside the old ones. Each line names the slot, what is wrong and the cause. */
export function judgeVitals(
  { slot, vitals: now }: SlotVitals,
  old: OldVitals | undefined,
  bounds: VitalBounds,
): CheckResult {
  const findings = [
    ...countedVitals.flatMap((vital) => judgeCount(vital, slot, now, old, bounds)),
    ...judgeDnsPresence(slot, now, old),
    ...missingLines(slot, now, old).map((line): Finding => ({ status: 'inconclusive', line })),
    ...judgeEks(slot, now, old),
    ...now.untried.map((each) => untriedFinding(slot, each)),
    // A right that is missing is granted, or the plan leaves the vital out: absolute limits are no way around.
    ...(old?.vitals?.untried ?? [])
      .filter((each) => each.denied && !now.untried.some(({ vital }) => vital === each.vital))
      .map((each) => untriedFinding(old!.name, each)),
  ];
  const status = worstStatus(
    findings.map((each) => each.status),
    'pass',
  );
  const lines = findings.filter((each) => each.status === status).map(({ line }) => line);
  return {
    status,
    reason: oneLine(
      [...(status === 'pass' ? [wellLine(slot, now, old)] : distinct(lines)), ...noteOf(now, old)].join('; '),
    ),
    figures: [
      ...figuresOf(slot, now, (vital, count) => illnessOf(vital, count, old, bounds)),
      ...(old?.vitals ? figuresOf(old.name, old.vitals) : []),
    ],
  };
}

const countedVitals = vitals.filter((each): each is CountedVital => each !== 'eks');

function judgeCount(
  vital: CountedVital,
  slot: string,
  now: ClusterVitals,
  old: OldVitals | undefined,
  bounds: VitalBounds,
): readonly Finding[] {
  const count = now.counts[vital];
  if (count === undefined) {
    return [];
  }
  const beside = old?.vitals?.counts[vital];
  const verdict = compareVital(vital, count, beside, bounds);
  if (verdict === 'well') {
    return [];
  }
  const isIll = verdict === 'ill';
  const affected = isIll ? count.affected : count.affected + count.waiting;
  const { unit, said } = vitalKinds[vital];
  const cause = count.cause === undefined ? '' : ` (${clipped(count.cause)})`;
  const other =
    beside === undefined ? '' : `; ${old!.name}: ${beside.affected + beside.waiting} of ${beside.of}`;
  const first = `${slot}: ${affected} of ${count.of} ${unit} ${said}${isIll ? '' : ', for a short time so far'}`;
  return [{ status: isIll ? 'fail' : 'inconclusive', line: `${first}${cause}${other}` }];
}

/** A new cluster that has no CoreDNS at all, where the old one has it in pods. */
function judgeDnsPresence(
  slot: string,
  { counts, hasDnsInNodes }: ClusterVitals,
  old: OldVitals | undefined,
): readonly Finding[] {
  const before = old?.vitals?.counts.dns?.of ?? 0;
  return counts.dns?.of === 0 && before > 0 && hasDnsInNodes === false
    ? [{ status: 'fail', line: `${slot}: no pod of CoreDNS; ${old!.name}: ${before}` }]
    : [];
}

/** Faults that the old cluster has as well are no reason to keep the traffic there. */
function judgeEks(
  slot: string,
  { eksFaults = {} }: ClusterVitals,
  old: OldVitals | undefined,
): readonly Finding[] {
  const known = old?.vitals?.eksFaults ?? {};
  return Object.entries(eksFaults)
    .filter(([fault]) => !Object.hasOwn(known, fault))
    .map(([, line]) => ({ status: 'fail', line: `${slot}: EKS: ${clipped(line)}` }));
}

function untriedFinding(slot: string, { vital, why, denied }: UntriedVital): Finding {
  const advice = denied ? `; grant it, or leave ${vital} out of vitals` : '';
  return { status: 'inconclusive', line: `${slot}: ${vital} not read: ${clipped(why)}${advice}` };
}

function wellLine(
  slot: string,
  { counts, hasDnsInNodes }: ClusterVitals,
  old: OldVitals | undefined,
): string {
  const looked = Object.keys(counts).length;
  const pods = counts.pendingPods ?? counts.restarts;
  const sizes = [...(pods ? [`${pods.of} pods`] : []), ...(counts.nodes ? [`${counts.nodes.of} nodes`] : [])];
  const beside = old?.vitals === undefined ? '' : ` beside ${old.name}`;
  const isInNodes = hasDnsInNodes === true && counts.dns?.of === 0;
  const quiet = isInNodes
    ? 'its nodes have DNS, which nobody looked at'
    : 'CoreDNS was asked nothing meanwhile';
  const ofDns = isInNodes || counts.dnsAnswers?.of === 0 ? `; ${quiet}` : '';
  return `${slot}${beside}: nothing worse in ${looked} vitals${sizes.length > 0 ? ` of ${sizes.join(' and ')}` : ''}${ofDns}`;
}

function noteOf(now: ClusterVitals, old: OldVitals | undefined): readonly string[] {
  if (old === undefined) {
    return [];
  }
  return old.vitals === undefined
    ? [`${old.name} was not read, absolute limits alone count (${clipped(old.why ?? 'no answer')})`]
    : missingBeside(now, old);
}

/** @param more what a figure says besides. @default - nothing */
function figuresOf(
  slot: string,
  { counts }: ClusterVitals,
  more: (vital: CountedVital, count: VitalCount) => Partial<Figure> = () => ({}),
): readonly Figure[] {
  return countedVitals.flatMap((vital): readonly Figure[] => {
    const count = counts[vital];
    const { unit, said } = vitalKinds[vital];
    return count === undefined || count.of === 0
      ? []
      : [{ name: `${unit} that ${said}`, slot, value: shareOf(count), unit: 'share', ...more(vital, count) }];
  });
}

/** How many are affected and why, where a vital is ill. */
function illnessOf(
  vital: CountedVital,
  count: VitalCount,
  old: OldVitals | undefined,
  bounds: VitalBounds,
): Partial<Figure> {
  const beside = old?.vitals?.counts[vital];
  if (compareVital(vital, count, beside, bounds) !== 'ill') {
    return {};
  }
  const { affected, of, cause } = count;
  const { unit, said } = vitalKinds[vital];
  return {
    failed: true,
    counts: {
      ...{ counted: affected, of, what: `${unit} ${said}` },
      ...(cause !== undefined && { cause: oneLine(clipped(cause)) }),
    },
    ...(beside !== undefined && beside.of > 0 && { beside: { slots: [old!.name], value: shareOf(beside) } }),
  };
}

function shareOf({ affected, waiting, of }: VitalCount): number {
  return (affected + waiting) / of;
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 240 ? `${line.slice(0, 237)}...` : line;
}

function distinct(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}

/** Clusters of several old slots as one. */
export function together(all: readonly ClusterVitals[]): ClusterVitals | undefined {
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) {
    return first;
  }
  const counts = Object.fromEntries(
    countedVitals.flatMap((vital): readonly (readonly [string, VitalCount])[] => {
      const each = all.flatMap((one) => one.counts[vital] ?? []);
      const sum = (key: 'affected' | 'waiting' | 'of'): number =>
        each.reduce((total, count) => total + count[key], 0);
      return each.length < all.length
        ? []
        : [[vital, { affected: sum('affected'), waiting: sum('waiting'), of: sum('of') }]];
    }),
  );
  return {
    counts,
    eksFaults: Object.assign({}, ...all.map(({ eksFaults }) => eksFaults)) as Readonly<
      Record<string, string>
    >,
    untried: all.flatMap(({ untried }) => untried),
    ...podsOf(all),
  };
}

/** Pods by namespace in all of them; nothing where one of them has not listed its own. */
function podsOf(all: readonly ClusterVitals[]): Pick<ClusterVitals, 'podsIn'> {
  const each = all.map(({ podsIn }) => podsIn).filter((one) => one !== undefined);
  const [first] = each;
  const sum = (namespace: string): number => each.reduce((total, one) => total + (one[namespace] ?? 0), 0);
  return first === undefined || each.length < all.length
    ? {}
    : { podsIn: Object.fromEntries(Object.keys(first).map((namespace) => [namespace, sum(namespace)])) };
}
