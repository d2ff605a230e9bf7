import { sameConfiguration, versionOf } from '../configuration';
import type { FleetConfiguration } from '../configuration';
import { ProgramChanged } from '../program';
import type { ProgramDeployment } from '../program';

/**
 * Whether the configuration still has to be written.
 *
 * @param place where it was found: `Pulumi.production.yaml`
 * @throws ProgramChanged where it is neither the wanted one nor one that may be there before
 */
export function checkExpected(
  found: FleetConfiguration,
  { configuration, expected }: Pick<ProgramDeployment, 'configuration' | 'expected'>,
  place: string,
): boolean {
  if (sameConfiguration(found, configuration)) {
    return false;
  }
  if (expected.some((each) => sameConfiguration(found, each))) {
    return true;
  }
  throw refuseOther(found, { expected }, place);
}

/**
 * The error that says what was found in place of what is expected.
 *
 * @param what it means
 */
export function refuseOther(
  found: FleetConfiguration,
  { expected }: Pick<ProgramDeployment, 'expected'>,
  place: string,
  what = 'Somebody else has changed it; nothing was deployed.',
): ProgramChanged {
  const those = expected.map(configurationText).join(' or ');
  return new ProgramChanged(
    `${place} says ${configurationText(found)}, where the swap expects ${those || 'the configuration that it wrote'}. ` +
      what,
    found,
  );
}

/** `blue 1.35 (100%), green 1.36 (0%)` */
export function configurationText({ slots, weights, active }: FleetConfiguration): string {
  return Object.entries(slots)
    .map(([slot, setting]) => {
      const share = weights ? `${weights[slot] ?? 0}%` : slot === active ? 'writes' : 'stands by';
      return `${slot} ${versionOf(setting)} (${share})`;
    })
    .join(', ');
}
