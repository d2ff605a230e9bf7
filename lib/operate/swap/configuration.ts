import { isDeepStrictEqual } from 'node:util';
import type { PlainObject } from '../../core/validation/problems';

/** What a program's configuration says of one slot: a version, or settings with one. */
export type SlotSetting =
  | string
  | (PlainObject & {
      /** Version of Kubernetes: `1.36`. */
      readonly version: string;
    });

/** What a program's configuration says of a fleet. Everything else in it belongs to its owner, and stays. */
export interface FleetConfiguration {
  /** The slots that the fleet has, by name. */
  readonly slots: Readonly<Record<string, SlotSetting>>;
  /** Share of the traffic by slot, in whole percent. @default - the fleet runs Argo CD: `active` says who writes */
  readonly weights?: Readonly<Record<string, number>>;
  /** The hub that writes. @default - the fleet takes traffic by weights */
  readonly active?: string;
}

/** Kubernetes version of a slot: `1.36`. */
export function versionOf(setting: SlotSetting): string {
  return typeof setting === 'string' ? setting : setting.version;
}

/** Whether two configurations say the same. A slot without a weight has weight 0. */
export function sameConfiguration(one: FleetConfiguration, other: FleetConfiguration): boolean {
  return (
    one.active === other.active &&
    isDeepStrictEqual({ ...one.slots }, { ...other.slots }) &&
    isDeepStrictEqual(withTraffic(one.weights), withTraffic(other.weights))
  );
}

function withTraffic(weights: FleetConfiguration['weights'] = {}): object {
  return Object.fromEntries(
    Object.entries(weights)
      .filter(([, weight]) => weight !== 0)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
