import { awsRegion } from '../../../core/aws/arns';
import { dnsLabel } from '../../../core/validation/formats';
import type { Problems } from '../../../core/validation/problems';
import { problemsOf } from '../../../core/validation/schema';
import type { HistorySettings } from '../../../operate/history';
import { shiftHistorySchema } from '../../../shift/history';
import type { ShiftHistorySettings } from '../../../shift/history';

/** A place of ended swaps, of ended shifts, or of both. */
export interface HistoryPlace {
  /** Where swaps are. @default - no swaps are there */
  readonly swaps?: HistorySettings;
  /** Where shifts are. @default - no shifts are there */
  readonly shifts?: ShiftHistorySettings;
}

/** Forms of {@link parseHistoryPlace}. */
const places = '"ssm", "ssm:REGION", "s3:BUCKET/PREFIX", "kubernetes:NAMESPACE" or "folder:PATH"';

/**
 * Reads a place as a command line names it: `ssm`, `ssm:eu-west-1`, `s3:records/shifts`, `kubernetes:argocd`,
 * `folder:./history`.
 *
 * @returns nothing where it is none, which is added to the problems
 */
export function parseHistoryPlace(said: string, path: string, problems: Problems): HistoryPlace | undefined {
  const before = problems.all.length;
  const [, kind = '', value] = /^([a-z0-9]+)(?::(.*))?$/su.exec(said) ?? [];
  if (kind === 'ssm' && (value === undefined || problems.check(path, value, awsRegion))) {
    return { swaps: { ssm: value === undefined ? {} : { region: value } } };
  }
  if (kind === 's3' && value !== undefined) {
    const [, bucket = '', prefix] = /^(?:\/\/)?([^/]*)(?:\/(.+))?$/su.exec(value) ?? [];
    const shifts = { s3: { bucket, ...(prefix !== undefined && { prefix }) } };
    if (problemsOf(shiftHistorySchema, shifts).length === 0) {
      return { shifts };
    }
  }
  if (kind === 'kubernetes' && value !== undefined && problems.check(path, value, dnsLabel)) {
    const settings = { kubernetes: { namespace: value } };
    return { swaps: settings, shifts: settings };
  }
  if (kind === 'folder' && value !== undefined && value !== '') {
    return { swaps: { folder: value }, shifts: { folder: value } };
  }
  if (problems.all.length === before) {
    problems.add(path, said, places);
  }
  return undefined;
}
