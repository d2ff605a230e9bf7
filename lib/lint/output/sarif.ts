import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allowAnnotation } from '../../core/names';
import type { LintResult } from '../options';
import type { UnreadableDocument } from '../read/manifests';
import { rulePage } from '../rule';
import type { Finding, Rule, Severity } from '../rule';
import { suppressionRules } from '../suppression-rules';
import type { EngineRule } from '../suppression-rules';
import { messageOf, objectTitle } from './text';

const needs = {
  before: 'It runs only where the objects before the change are known: --baseline.',
  live: 'It runs only where the objects of the cluster are known: --kubeconfig.',
} as const;

/** What there is to know of a rule, a paragraph each, without a page to open. */
export function ruleHelp(rule: EngineRule): readonly string[] {
  const { id, why, fix, otherwise } = rule;
  const maySuppress = !suppressionRules.some((own) => own.id === id);
  return [
    `Why it hurts: ${why}.`,
    `How to fix it: ${fix}.`,
    ...(otherwise === undefined ? [] : [`Severity: ${otherwise}.`]),
    ...(rule.needs ? [needs[rule.needs]] : []),
    ...(maySuppress
      ? [
          `To suppress it for one object, annotate that with ${allowAnnotation}${id} and the reason; for more, list ` +
            'it with the reason under "suppress" in cluster-canary.yaml.',
        ]
      : []),
  ];
}

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** What a SARIF log is made of. */
export interface SarifInput extends Pick<LintResult, 'findings' | 'failures'> {
  /** Rules that may have findings. */
  readonly rules: readonly Rule[];
  /** What could not be checked. @default - nothing */
  readonly unreadable?: readonly UnreadableDocument[];
  /** Of this library. */
  readonly version: string;
}

/**
 * Findings as a SARIF 2.1.0 log, with what GitHub code scanning asks for. Suppressed findings are left out: code scanning
 * would open alerts for them.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 * @see https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */
export function sarifLog({ findings, failures, rules, unreadable = [], version }: SarifInput): object {
  const all: readonly EngineRule[] = [...rules, ...suppressionRules];
  const positions = new Map(all.map(({ id }, position) => [id, position]));
  const fingerprints = new Fingerprints();
  const notifications = [
    ...unreadable.map(({ file, line, reason }) => notification(reason, file, line)),
    ...failures.map(({ rule, file, error }) =>
      notification(`the rule ${rule} failed: ${messageOf(error)}`, file),
    ),
  ];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cluster-canary',
            semanticVersion: version,
            rules: all.map(descriptor),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: notifications.length === 0,
            ...(notifications.length > 0 ? { toolExecutionNotifications: notifications } : {}),
          },
        ],
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: positions.get(finding.rule)!,
          level: levels[finding.severity],
          message: {
            text: `${finding.message}. Why it hurts: ${finding.why}. How to fix it: ${finding.fix}.`,
          },
          locations: [locationOf(finding)],
          partialFingerprints: { primaryLocationLineHash: fingerprints.of(finding) },
        })),
      },
    ],
  };
}

/** A viewer shows the help without a network; only a rule of a user's own may have a page of its own beside it. */
function descriptor(rule: EngineRule): object {
  const { id, title, why, severity, link } = rule;
  const help = ruleHelp(rule);
  const isOwn = link === undefined || link === rulePage(id);
  return {
    id,
    name: id,
    shortDescription: { text: title },
    fullDescription: { text: `${title}: ${why}` },
    help: {
      text: [`${title}.`, ...help].join(' '),
      markdown: [`**${title}**`, ...help].join('\n\n'),
    },
    ...(isOwn ? {} : { helpUri: link }),
    defaultConfiguration: { level: levels[severity] },
    properties: { tags: ['kubernetes'] },
  };
}

function locationOf({ file, line, object, pointer }: Finding): object {
  const name = `${objectTitle(object)} ${pointer}`.trimEnd();
  return {
    physicalLocation: physical(file ?? 'objects', line),
    logicalLocations: [{ fullyQualifiedName: name, kind: 'object' }],
  };
}

function physical(file: string, line = 1): object {
  return { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } };
}

function notification(text: string, file: string | undefined, line?: number): object {
  return {
    level: 'error',
    message: { text },
    ...(file === undefined ? {} : { locations: [{ physicalLocation: physical(file, line) }] }),
  };
}

/** Relative to the folder in which the command ran; parts of a path may have any characters in them. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split(/[\\/]/).map(encodeURIComponent).join('/');
}

/** The same for the same finding wherever its line moves to: code scanning knows an alert by it. */
class Fingerprints {
  private readonly seen = new Map<string, number>();

  public of({ rule, object, pointer, file }: Finding): string {
    const { apiVersion, kind, namespace, name } = object;
    const parts = JSON.stringify([rule, file, apiVersion, kind, namespace, name, pointer]);
    const hash = createHash('sha256').update(parts).digest('hex').slice(0, 16);
    const count = (this.seen.get(hash) ?? 0) + 1;
    this.seen.set(hash, count);
    return `${hash}:${count}`;
  }
}
