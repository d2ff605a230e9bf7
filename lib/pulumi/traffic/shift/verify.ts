import { ruleTag } from '../../../core/names';
import { formatWeights, equalWeights } from '../../../shift/engine';
import type { Weights } from '../../../shift/engine';
import { HookError } from '../../hooks';
import type { SplitEnvironment } from './dependencies';
import { evacuationDrift, settleRecords } from './evacuated';
import { hasWeights, shownWeights } from './live-splits';
import type { ShiftLog } from './progress';
import type { ShiftRunner } from './shift-args';
import { routeOf } from './split-kind';
import type { LiveSplit, LiveSplits, NewSplit, SplitShift } from './split-kind';

/** A rule whose live weights were read. */
interface SplitReading {
  /** `ALB rule arn:aws:…` */
  readonly name: string;
  /** After which its lease is named. @default - it has one slot, and no lease */
  readonly routerId?: string;
  readonly weights: Weights;
  /** ARNs of target groups without traffic that the program does not have. */
  readonly leftOver: readonly string[];
}

/** Rules whose live weights are not the wanted ones. */
function drifted(wanted: Weights, rules: readonly SplitReading[]): readonly SplitReading[] {
  return rules.filter(({ weights }) => !equalWeights(wanted, weights));
}

/**
 * What a program fails with when live weights differ although no update is due: Pulumi's state says that all is as wanted,
 * so no hook was called. That is so after a shift that was held and a program that then went back to the old weights, and
 * when somebody else wrote weights.
 *
 * @param what has the weights: `FleetTraffic "apps"`
 */
function driftError(
  what: string,
  wanted: Weights,
  rules: readonly SplitReading[],
  runBy: ShiftRunner,
): string {
  const lines = rules.map(
    ({ name, weights }) => `  ${name}: live ${formatWeights(weights)}, wanted ${formatWeights(wanted)}`,
  );
  return [
    `${what}: the live weights are not the wanted ones, and Pulumi sees no update that is due.`,
    ...lines,
    ...(runBy === 'pulumi'
      ? [
          'A shift was held or killed, or somebody else wrote weights, or writes them now.',
          'To shift the traffic to the wanted weights: pulumi up --refresh',
          'To stay where it is: write the live weights into the program, then: pulumi up',
        ]
      : [
          'Traffic goes to a slot that the program does not have any more: shift it away before that slot goes,',
          "with the slot still in the program. Then set runBy: 'pulumi' for the up that takes it off the rule.",
        ]),
  ].join('\n');
}

/**
 * What is said of target groups that stand on a rule without traffic: AWS does not delete them there. It is so when a shift to
 * a new slot failed and the slot was taken out of the program again, and where Pulumi does not write the rule.
 */
function leftOverNotes(what: string, rules: readonly SplitReading[], runBy: ShiftRunner): readonly string[] {
  const how = runBy === 'pulumi' ? 'pulumi up --refresh' : "pulumi up --refresh with runBy: 'pulumi'";
  return rules.flatMap(({ name, leftOver }) =>
    leftOver.map(
      (arn) =>
        `${what}: ${name} still has ${arn}, with weight 0, which is of no slot. To take it off: ${how}`,
    ),
  );
}

/** What is only said where somebody else runs the shift. */
function driftNote(
  what: string,
  wanted: Weights,
  rules: readonly SplitReading[],
  runBy: ShiftRunner,
): string {
  const lines = rules.map(({ name, weights }) => `${name} has ${formatWeights(weights)}`);
  return `${what}: wanted ${formatWeights(wanted)}, live: ${lines.join('; ')}. The shift is run by ${
    runBy === 'workflow' ? 'the workflow' : 'an operator: cluster-canary shift PLAN'
  }.`;
}

/**
 * Compares live weights with the wanted ones.
 *
 * @param ids of the rules, in their order; those that are not known are left out
 * @throws HookError where they differ, unless somebody else runs the shift and knows every slot that has traffic
 */
export async function verifyWeights(
  shift: SplitShift,
  ids: readonly (string | undefined)[],
  { runBy, inPreview }: { readonly runBy: ShiftRunner; readonly inPreview: boolean },
  environment: SplitEnvironment,
  log: ShiftLog,
): Promise<void> {
  const { what, wanted } = shift;
  const readings = await readRules(shift, ids, environment);
  leftOverNotes(what, readings, runBy).forEach((note) => log.warn(note));
  const off = drifted(wanted, readings);
  if (off.length === 0) {
    const routerIds = readings.flatMap(({ routerId }) => routerId ?? []);
    const left = inPreview ? [] : await settleRecords(shift, routerIds, environment);
    left.forEach((line) => log.warn(`${what}: ${line}`));
    return;
  }
  const offIds = off.flatMap(({ routerId }) => routerId ?? []);
  const evacuated = runBy === 'pulumi' ? await evacuationDrift(shift, offIds, environment) : undefined;
  const unnamed = off.some(({ weights }) => Object.keys(weights).some((slot) => !(slot in wanted)));
  if (runBy === 'pulumi' || unnamed) {
    throw new HookError(evacuated ?? driftError(what, wanted, off, runBy));
  }
  log.info(driftNote(what, wanted, off, runBy));
}

async function readRules(
  { kind, rules, roleArn }: SplitShift,
  ids: readonly (string | undefined)[],
  { live, parts, clients }: SplitEnvironment,
): Promise<readonly SplitReading[]> {
  const places = new Set(ids.flatMap((id) => (id === undefined ? [] : [kind.placeOf(id)])));
  const standing = (await Promise.all([...places].map((place) => live.at(place)))).flat();
  return ids.flatMap((id, index) => {
    const rule = standing.find((each) => each.id === id);
    const targets = rules[index]?.targets;
    if (!rule || !targets) {
      return [];
    }
    const own = new Set(Object.values(targets));
    const leftOver = (kind.holdsTargets ? rule.targets : []).flatMap(({ arn, weight }) =>
      arn !== undefined && weight === 0 && !own.has(arn) ? [arn] : [],
    );
    const route = routeOf(kind, rule, targets, { region: clients.region, roleArn });
    return [
      {
        name: `${kind.word} ${rule.id}`,
        // A router has two slots at least, and so has what can be evacuated.
        ...(Object.keys(targets).length > 1 && { routerId: parts.router(route, clients).id }),
        weights: shownWeights(rule.targets, targets),
        leftOver,
      },
    ];
  });
}

/**
 * Why a rule must not be created now: it takes the place of one whose live weights are not the wanted ones. The engine calls
 * no `beforeUpdate` when it replaces, and says nothing of the old resource in `beforeCreate`; so the old rule is looked for
 * by its tag, on the listeners of the load balancers that the slots' target groups are used by.
 *
 * @returns undefined where it may be created
 */
export async function replacementRefusal(
  { what, rules, wanted }: SplitShift,
  { tag, place, partOf }: NewSplit,
  live: LiveSplits,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const rule = rules.find((each) => each.tag === tag);
  if (!rule) {
    return undefined;
  }
  const arns = Object.values(rule.targets);
  const around = [...(await live.around(arns, signal)), ...(await live.at(place, signal))];
  const old = new Map(
    around.filter(({ id, tags }) => id !== partOf && tags[ruleTag] === tag).map((each) => [each.id, each]),
  );
  const different = [...old.values()].filter((each) => !hasWeights(each, rule.targets, wanted));
  return different.length === 0
    ? undefined
    : [
        `${what}: the rule would be replaced, and with it the traffic moved at once.`,
        ...different.map((each) => line(each, rule.targets)),
        `  wanted: ${formatWeights(wanted)}`,
        'Shift first: leave the rule where it is and change only its weights. Move the rule when they are live.',
      ].join('\n');
}

function line(rule: LiveSplit, targets: Readonly<Record<string, string>>): string {
  return `  live on ${rule.id}: ${formatWeights(shownWeights(rule.targets, targets))}`;
}
