import { awsRegion } from '../../../core/aws/arns';
import { hostedZoneId } from '../../../core/aws/identifiers';
import { Problems } from '../../../core/validation/problems';

/** What `cluster-canary evacuate` takes. */
export interface EvacuateFlags {
  readonly plan?: string;
  readonly route?: string;
  readonly fleet?: string;
  readonly region?: string;
  /** Hosted zones that may have records of the slot. @default - every one of the account */
  readonly hostedZone?: readonly string[];
  /** Whether records of Route 53 are looked for. @default true */
  readonly records?: boolean;
  readonly to?: string;
  readonly force?: boolean;
  readonly forget?: boolean;
  /** Whether the rights that it needs are printed, and nothing else is done. */
  readonly rights?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Checks what flags together ask for.
 *
 * @throws InvalidInput with everything that does not fit
 */
export function checkFlags(flags: EvacuateFlags): void {
  const problems = new Problems('evacuate');
  if (flags.region !== undefined) {
    problems.check('--region', flags.region, awsRegion);
  }
  for (const zone of flags.hostedZone ?? []) {
    problems.check('--hosted-zone', zone, hostedZoneId);
  }
  if (flags.hostedZone && flags.records === false) {
    problems.conflicts('--hosted-zone', '--no-records');
  }
  for (const key of ['fleet', 'region', 'hostedZone'] as const) {
    if (flags.plan !== undefined && flags[key] !== undefined) {
      const name = key === 'hostedZone' ? 'hosted-zone' : key;
      problems.add(`--${name}`, flags[key], 'left out: the plan names its routes');
    }
  }
  if (flags.plan !== undefined && flags.records === false) {
    problems.addSecret('--no-records', 'left out: the plan names its routes');
  }
  if (flags.plan === undefined && flags.route !== undefined) {
    problems.add('--route', flags.route, 'left out, or given with --plan');
  }
  const excluded = { to: '--to', force: '--force', dryRun: '--dry-run', json: '--json' } as const;
  for (const key of Object.keys(excluded) as (keyof typeof excluded)[]) {
    if (flags.forget === true && flags[key] !== undefined) {
      problems.conflicts(excluded[key], '--forget');
    }
    if (flags.rights === true && key !== 'json' && flags[key] !== undefined) {
      problems.conflicts(excluded[key], '--rights');
    }
  }
  if (flags.rights === true && flags.forget === true) {
    problems.conflicts('--forget', '--rights');
  }
  const asks = flags.rights !== true && flags.dryRun !== true && flags.forget !== true && flags.yes !== true;
  if (asks && !process.stdin.isTTY) {
    problems.require('--yes', 'given where no terminal can be asked');
  }
  problems.throwIfAny();
}
