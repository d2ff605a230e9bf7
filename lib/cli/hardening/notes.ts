import type { ClusterFiles, Finding, HardenedText } from '../../rules';
import { standardInput } from '../linting/find-files';

/** What was changed, and which findings are left: a line each, with its line in the input. Infos are no more than counted. */
export function hardeningNotes({ changed, left }: HardenedText, isCheck: boolean): string[] {
  const heavy = left.filter(({ finding: { severity } }) => severity !== 'info');
  const infos = left.length - heavy.length;
  const places = changed.length + heavy.length > 0 ? ' (lines are those of the input)' : '';
  return [
    `${isCheck ? 'to change' : 'changed'}: ${changed.length}${places}`,
    ...changed.map((finding) => `  ${placeOf(finding)} ${finding.rule} ${finding.message}`),
    ...(heavy.length > 0 ? [`left: ${heavy.length}`] : []),
    ...heavy.map(
      ({ finding, reason }) =>
        `  ${placeOf(finding)} ${finding.severity} ${finding.rule} ${finding.message} (${reason})`,
    ),
    ...(infos > 0 ? [`left: ${infos} more, as infos: --check --json has them`] : []),
  ];
}

/** Decisions that are about nothing here, a line each: no fault where a configuration is for many charts. */
export function unmatchedNotes({ unmatched }: HardenedText): string[] {
  return unmatched.map(({ service, webhook }) => {
    const subject = [
      ...(webhook === undefined ? [] : [`webhook ${webhook}`]),
      ...(service === undefined ? [] : [`Service ${service}`]),
    ].join(' of ');
    return `decided in vain: ${subject}: ${webhook === undefined ? 'nothing among the manifests calls it' : 'it is not among the manifests'}`;
  });
}

/** What is to be said where no cluster of several is the one that the manifests are of. */
export function unsaidCluster(clusters: readonly ClusterFiles[]): string[] {
  if (clusters.length < 2 || clusters.some(({ roots }) => roots.includes(standardInput))) {
    return [];
  }
  const [first, ...others] = clusters.map(({ name, roots }) => roots.map((root) => `${name}=${root}`));
  const given =
    clusters.length > mostNamed
      ? ['NAME=-', 'NAME=PATH', '…']
      : [`${clusters[0]!.name}=-`, ...first!, ...others.flat()];
  return [
    `judged with ${clusters.length} clusters; say which by --cluster NAME=-: --cluster ${given.join(' ')}`,
  ];
}

/** As many as a line holds. */
const mostNamed = 5;

function placeOf({ line, object: { kind, name } }: Finding): string {
  return `${line ?? '-'} ${kind} ${name}:`;
}

/** The same as one JSON document. */
export function hardeningDocument({ changed, left, text }: HardenedText, before: string): object {
  const shown = ({ rule, severity, message, why, fix, line, object, pointer }: Finding): object => ({
    rule,
    severity,
    message,
    why,
    fix,
    ...(line === undefined ? {} : { line }),
    object,
    pointer,
  });
  return {
    schemaVersion: 1,
    isChanged: text !== before,
    changed: changed.map(shown),
    left: left.map(({ finding, ...why }) => ({ ...shown(finding), ...why })),
  };
}
