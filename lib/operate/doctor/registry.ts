import { namesIn, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import type { Entries, Schema } from '../../core/validation/schema';
import { anything } from '../../core/validation/values';
import type { DoctorCheck, DoctorCheckKind } from './check';
import type * as Clock from './clock/clock-check';
import type * as Clusters from './clusters/clusters-check';
import type * as GitHub from './github/github-check';
import type * as Sync from './sync/sync-check';
import type * as Webhooks from './webhooks/webhooks-check';

/**
 * The checks that there are, in the order in which they are run and listed. They load the lint rules and TLS: each is
 * loaded when it is asked for, and not with the library.
 */
const kinds = {
  /** How clocks are measured. */
  clock: () => (require('./clock/clock-check') as typeof Clock).clock,
  /** How GitHub and logs are asked. */
  github: () => (require('./github/github-check') as typeof GitHub).github,
  /** Which Applications are inspected. */
  sync: () => (require('./sync/sync-check') as typeof Sync).sync,
  /** How servers of webhooks are asked. */
  webhooks: () => (require('./webhooks/webhooks-check') as typeof Webhooks).webhooks,
  /** How clusters are asked. */
  clusters: () => (require('./clusters/clusters-check') as typeof Clusters).clusters,
} satisfies Readonly<Record<string, () => DoctorCheckKind<object>>>;

/** Name of a check. */
export type CheckName = keyof typeof kinds;

/** Every check, in the order in which they are run and listed. */
export const checkNames = Object.keys(kinds) as readonly CheckName[];

/** Options of single checks, by their names. */
export type CheckOptions = {
  readonly [Name in keyof typeof kinds]?: Parameters<ReturnType<(typeof kinds)[Name]>['create']>[0];
};

/**
 * The checks of these names, in the order in which they are listed.
 *
 * @param names default: all
 */
export function doctorChecks(
  names: readonly CheckName[] = checkNames,
  options: CheckOptions = {},
): readonly DoctorCheck[] {
  refuseArguments('doctorChecks', optionsOf(namesIn(options)), options);
  return checkNames.filter((name) => names.includes(name)).map((name) => checkOf(name, options));
}

function checkOf<Name extends CheckName>(name: Name, options: CheckOptions): DoctorCheck {
  const kind: DoctorCheckKind<CheckOptions[Name]> = kinds[name]();
  return kind.create(options[name]);
}

/** Options of every check. Only the checks that are named here are loaded. */
function optionsOf(named: readonly string[]): Schema<CheckOptions> {
  const entries = checkNames.map((name) => {
    const schema: Schema = named.includes(name) ? kinds[name]().options : anything;
    return [name, optional(schema)] as const;
  });
  return object<CheckOptions>(Object.fromEntries(entries) as unknown as Entries<CheckOptions>);
}
