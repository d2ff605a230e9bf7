import type { Problem } from '../problems';
import { dnsLabel, Problems } from '../problems';

/** The cluster that is emptied. */
export interface DrainTarget {
  /** Name of the EKS cluster. */
  readonly clusterName: string;
  /** Name of the fleet, which its slot is of. */
  readonly fleet: string;
  /** Name of the slot. */
  readonly slot: string;
}

/**
 * The slot of a cluster: as its tags say, which this library gives to the clusters it makes; else as the user says; else as
 * a name of the form FLEET-SLOT says, by what stands before and after the last `-`.
 *
 * @returns undefined for a name without `-` of which nothing else is known
 */
export function targetOf(
  clusterName: string,
  tags: Readonly<Record<string, string>> = {},
  given: { readonly fleet?: string; readonly slot?: string } = {},
): DrainTarget | undefined {
  const at = clusterName.lastIndexOf('-');
  const [before, after] =
    at < 1 ? [undefined, undefined] : [clusterName.slice(0, at), clusterName.slice(at + 1)];
  const fleet = tags['cluster-canary/fleet'] ?? given.fleet ?? before;
  const slot = tags['cluster-canary/slot'] ?? given.slot ?? after;
  return fleet === undefined || slot === undefined || slot === '' ? undefined : { clusterName, fleet, slot };
}

/** What is wrong with a target that a user gave. */
export function targetProblems({ clusterName, fleet, slot }: DrainTarget): readonly Problem[] {
  const problems = new Problems('cluster');
  problems.check('fleet', fleet, dnsLabel);
  problems.check('slot', slot, dnsLabel);
  problems.check('clusterName', clusterName, {
    allowed: 'the name of an EKS cluster: letters, digits, "-" and "_", at most 100 characters',
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(value),
  });
  return problems.all;
}
