import type { CheckArguments, CheckSettings } from '../../checks';
import type { AwsRouter } from '../../routers';
import type { Check, ShiftSubject } from '../../shift';
import type { RuleShift } from './rule-shift';

/** Checks that say the same whatever target groups a rule has. */
const askedOnce: readonly (keyof CheckArguments)[] = [
  'argoApplications',
  'kubernetesPods',
  'program',
  'cloudWatch.alarms',
  'datadog.monitor',
  'alertmanager',
];

/**
 * The checks of all rules that are shifted together. Rules with the same target groups share theirs; those of a further rule
 * have its number behind their names.
 */
export function checksOfRules(
  { checks, clusterNames, wanted }: Pick<RuleShift, 'checks' | 'clusterNames' | 'wanted'>,
  routers: readonly AwsRouter[],
  make: (settings: readonly CheckSettings[], subject: ShiftSubject) => readonly Check[],
): readonly Check[] {
  const ofTargetGroups = checks.filter((settings) =>
    Object.keys(settings).some((kind) => !(askedOnce as readonly string[]).includes(kind)),
  );
  const subjects = new Map(
    routers.map(({ subject }) => {
      const { slots } = subject;
      const arns = Object.keys(slots).map((slot) => [slot, slots[slot]?.targetGroupArn]);
      return [JSON.stringify(arns), withClusters(subject, clusterNames, wanted)];
    }),
  );
  return [...subjects.values()].flatMap((subject, index) =>
    index === 0
      ? make(checks, subject)
      : make(ofTargetGroups, subject).map((check) => renamed(check, `${check.name} (${index + 1})`)),
  );
}

function renamed(check: Check, name: string): Check {
  return { name, stages: check.stages, evaluate: (window, signal) => check.evaluate(window, signal) };
}

/** The program does not know the cluster of a slot that leaves: by its slot's name, nothing is found of it. */
function withClusters(
  subject: ShiftSubject,
  clusterNames: RuleShift['clusterNames'],
  wanted: RuleShift['wanted'],
): ShiftSubject {
  const slots = Object.entries(subject.slots).map(([slot, of]) => {
    const clusterName = clusterNames[slot] ?? (slot in wanted ? undefined : slot);
    return [slot, clusterName === undefined ? of : { ...of, clusterName }];
  });
  return { ...subject, slots: Object.fromEntries(slots) as ShiftSubject['slots'] };
}
