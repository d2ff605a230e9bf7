import type { DrainedSlot } from '../../operate/swap/programs';
import { stackState } from './engine';
import type { StackApi } from './engine';
import { resourcesOf } from './stack-state';
import type { StateResource } from './stack-state';

/** An object in a cluster, as a stack's state has it. */
interface ClusterObject {
  readonly urn: string;
  /** Own names of the resource and of its provider. */
  readonly name: string;
  readonly provider: string;
}

/**
 * URNs of the objects that the program has made in the cluster of a slot, by the provider that is named after the cluster,
 * FLEET-SLOT, as this library names it; in a program that names none so, by the name of the slot in the names of objects or
 * providers.
 */
export async function clusterObjects(
  stack: StackApi,
  { fleet, slot }: DrainedSlot,
): Promise<readonly string[]> {
  const { deployment } = await stackState(stack);
  const all = resourcesOf(deployment).flatMap(clusterObject);
  const cluster = `${fleet}-${slot}`;
  // apps-blue is a word of apps-blue-2, too: the most exact name that any has counts.
  const ways: readonly ((object: ClusterObject) => boolean)[] = [
    ({ provider }) => provider === cluster,
    ({ provider }) => hasWord(provider, cluster),
    ({ name, provider }) => hasWord(name, slot) || hasWord(provider, slot),
  ];
  const found = ways.map((way) => all.filter(way)).find((some) => some.length > 0) ?? [];
  return found.map(({ urn }) => urn);
}

function clusterObject({ urn, type, provider }: StateResource): readonly ClusterObject[] {
  return typeof type === 'string' && type.startsWith('kubernetes:')
    ? [{ urn, name: ownName(urn), provider: ownName(typeof provider === 'string' ? provider : '') }]
    : [];
}

/** `urn:pulumi:STACK::PROJECT::TYPE::NAME`, of a provider with `::ID` after it. */
function ownName(urn: string): string {
  return urn.split('::')[3] ?? '';
}

function hasWord(name: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![a-z0-9])${escaped}(?![a-z0-9])`, 'i').test(name);
}
