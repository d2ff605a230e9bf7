import { across, object, optional } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { flag, text } from '../../../core/validation/values';

/**
 * A stack of Pulumi that makes the fleet, on this machine: its own folder, its own backend, its own login.
 *
 * @example
 * program:
 *   pulumi: { folder: ., stack: production, slots: "talk:apps", weights: "talk:weights" }
 */
export interface PulumiProgramSettings {
  /** Folder with `Pulumi.yaml`, from the swap file's. @default '.' */
  readonly folder?: string;
  /** The stack: `production`, or `organization/project/production`. */
  readonly stack: string;
  /** Configuration key of the slots, an object of versions or of settings with a `version`, by slot: `talk:apps`. */
  readonly slots: string;
  /** Configuration key of the weights, an object of whole percents by slot: `talk:weights`. @default - `active` is given */
  readonly weights?: string;
  /** Configuration key of the slot whose Argo CD writes: `talk:activeHub`. @default - `weights` is given */
  readonly active?: string;
  /**
   * Whether each deployment and preview first refreshes the whole state, as `pulumi up --refresh` does. What was interrupted
   * is refreshed in any case.
   *
   * @default false - a refresh asks the AWS API for every resource
   */
  readonly refresh?: boolean;
}

const key = text(
  'a configuration key with its namespace, as PROJECT:NAME',
  /^[A-Za-z0-9][\w.-]*:[A-Za-z_][\w.-]*$/,
  200,
);

/** What a swap file may say of a stack of Pulumi. */
export const pulumiProgramSchema: Schema<PulumiProgramSettings> = across(
  object<PulumiProgramSettings>({
    folder: optional(text('a path', /^[^\0]+$/)),
    stack: text(
      'the name of a stack, such as "production" or "organization/project/production"',
      /^([\w.-]+\/){0,2}[\w.-]+$/,
      300,
    ),
    slots: key,
    weights: optional(key),
    active: optional(key),
    refresh: optional(flag),
  }),
  ({ slots, weights, active }, { mustBe, required, conflicts }) => {
    if (weights === undefined && active === undefined) {
      required(['weights'], 'a configuration key, unless there is one in "active"');
    }
    if (weights !== undefined && active !== undefined) {
      conflicts(['active'], '"weights": a fleet takes traffic or runs Argo CD');
    }
    if (slots !== undefined && [weights, active].includes(slots)) {
      mustBe(['slots'], 'a configuration key of its own');
    }
  },
);
