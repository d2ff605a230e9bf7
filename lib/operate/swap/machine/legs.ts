import { isDeepStrictEqual } from 'node:util';
import { versionOf } from '../configuration';
import type { SlotSetting } from '../configuration';
import type { SwapPlan } from '../plan';

/**
 * Compares two Kubernetes versions by major and minor.
 *
 * @returns below zero where the first is older, above zero where it is newer
 */
export function compareVersions(one: string, other: string): number {
  const [major, minor] = numbers(one);
  const [otherMajor, otherMinor] = numbers(other);
  return major - otherMajor || minor - otherMinor;
}

function numbers(version: string): readonly [number, number] {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return [major ?? 0, minor ?? 0];
}

/** What the next swap leads to: the first of the wanted versions that is newer. */
export function nextSetting({ versions }: SwapPlan, version: string): SlotSetting | undefined {
  return versions.find((setting) => compareVersions(versionOf(setting), version) > 0);
}

/** The version that all swaps together lead to. */
export function lastVersion({ versions }: SwapPlan): string {
  return versionOf(versions[versions.length - 1]!);
}

/** Whether the plan has this very setting. */
export function isWanted({ versions }: SwapPlan, setting: SlotSetting): boolean {
  return versions.some((each) => isDeepStrictEqual(each, setting));
}

/** The name of a new slot: the one after the old slot's in turn. */
export function nextName({ names }: SwapPlan, old: string): string | undefined {
  const place = names.indexOf(old);
  return [...names.slice(place + 1), ...names.slice(0, place + 1)].find((name) => name !== old);
}
