import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReadinessFinding, ReadinessSeverity } from '../../core/readiness';
import { worstFirst } from './report';
import type { ReadyReport } from './report';

const levels: Readonly<Record<ReadinessSeverity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/**
 * A report as a SARIF 2.1.0 log. What is in no file has the cluster's name in place of one: code scanning wants a location.
 *
 * @param version of this library
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function readySarif({ subjects, asked }: ReadyReport, version: string): object {
  const findings = subjects.flatMap((subject) => worstFirst(subject.findings));
  const ids = [...new Set(findings.map(({ id }) => id))].sort();
  const untried = subjects.flatMap(({ name, untried: lines }) => lines.map((line) => `${name}: ${line}`));
  const place = asked.eks ?? 'cluster';
  const fingerprints = new Map<string, number>();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cluster-canary',
            semanticVersion: version,
            rules: ids.map((id) =>
              descriptor(
                id,
                findings.find((each) => each.id === id)!,
              ),
            ),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: untried.length === 0,
            ...(untried.length > 0
              ? {
                  toolExecutionNotifications: untried.map((text) => ({
                    level: 'error',
                    message: { text: `not looked at: ${text}` },
                  })),
                }
              : {}),
          },
        ],
        results: findings.map((finding) => {
          const { id, severity, message, why, fix } = finding;
          return {
            ruleId: id,
            ruleIndex: ids.indexOf(id),
            level: levels[severity],
            message: { text: `${message}. Why it hurts: ${why}. How to fix it: ${fix}.` },
            locations: [locationOf(finding, place)],
            partialFingerprints: { primaryLocationLineHash: fingerprintOf(finding, fingerprints) },
          };
        }),
      },
    ],
  };
}

function descriptor(id: string, { message, why, fix, severity }: ReadinessFinding): object {
  const help = [`Why it hurts: ${why}.`, `How to fix it: ${fix}.`];
  return {
    id,
    name: id,
    shortDescription: { text: `Readiness for an upgrade: ${id}` },
    fullDescription: { text: `${message}: ${why}` },
    help: { text: help.join(' '), markdown: help.join('\n\n') },
    defaultConfiguration: { level: levels[severity] },
    properties: { tags: ['kubernetes', 'upgrade'] },
  };
}

function locationOf({ file, line = 1, object, pointer = '' }: ReadinessFinding, place: string): object {
  const uri =
    file !== undefined && isAbsolute(file)
      ? pathToFileURL(file).href
      : (file ?? place).split(/[\\/]/).map(encodeURIComponent).join('/');
  const physicalLocation = { artifactLocation: { uri }, region: { startLine: line } };
  if (object === undefined) {
    return { physicalLocation };
  }
  const { kind, namespace, name } = object;
  const fullyQualifiedName = [kind, namespace === undefined ? name : `${namespace}/${name}`, pointer]
    .join(' ')
    .trimEnd();
  return { physicalLocation, logicalLocations: [{ fullyQualifiedName, kind: 'object' }] };
}

/** The same for the same finding wherever its line moves to. */
function fingerprintOf(finding: ReadinessFinding, seen: Map<string, number>): string {
  const { id, object, pointer, file, message } = finding;
  const parts = JSON.stringify([id, file, object ?? message, pointer]);
  const hash = createHash('sha256').update(parts).digest('hex').slice(0, 16);
  const count = (seen.get(hash) ?? 0) + 1;
  seen.set(hash, count);
  return `${hash}:${count}`;
}
