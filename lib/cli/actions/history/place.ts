import { awsRegion } from '../../../core/aws/arns';
import { dnsLabel } from '../../../core/validation/formats';
import type { Problems } from '../../../core/validation/problems';
import type { HistorySettings } from '../../../operate/history';

/** Forms of {@link parseHistoryPlace}. */
const places = '"ssm", "ssm:REGION", "kubernetes:NAMESPACE" or "folder:PATH"';

/**
 * Reads a place as a command line names it: `ssm`, `ssm:eu-west-1`, `kubernetes:argocd`, `folder:./history`.
 *
 * @returns nothing where it is none, which is added to the problems
 */
export function parseHistoryPlace(
  said: string,
  path: string,
  problems: Problems,
): HistorySettings | undefined {
  const before = problems.all.length;
  const [, kind = '', value] = /^([a-z]+)(?::(.*))?$/su.exec(said) ?? [];
  if (kind === 'ssm' && (value === undefined || problems.check(path, value, awsRegion))) {
    return { ssm: value === undefined ? {} : { region: value } };
  }
  if (kind === 'kubernetes' && value !== undefined && problems.check(path, value, dnsLabel)) {
    return { kubernetes: { namespace: value } };
  }
  if (kind === 'folder' && value !== undefined && value !== '') {
    return { folder: value };
  }
  if (problems.all.length === before) {
    problems.add(path, said, places);
  }
  return undefined;
}
